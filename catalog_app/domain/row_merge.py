"""Rows of a table with a primary key, merged by key and cell (semantics §3): what is decided, and what was found.

A cell conflicts where both sides changed it to different values, a row where one side took away what the other changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from catalog_app.domain.operations import OperationKind

KEYS_SHOWN = 20
"""So many keys of each kind of conflict are named; all are counted, and listed by pages."""


class Take(StrEnum):
    """Whose value a conflicting cell gets. ``larger``: of both values. ``newest``: that of the row with the later value
    in a named column. Values that are equal there, or missing, decide nothing.
    """

    SOURCE = "source"
    DESTINATION = "destination"
    LARGER = "larger"
    NEWEST = "newest"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class RowChoice:
    """What somebody decided of conflicting rows. ``key``: the primary key as ``row_text`` writes it, "" for all rows.
    ``column_id`` None: all conflicting cells of the row. ``value`` of an edited cell is its JSON, of an edited row a
    JSON object by names of columns, of *newest* the name of a column.
    """

    take: Take
    key: str = ""
    column_id: int | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class RowConflicts:
    """Conflicting rows of one pair of changes. ``left`` of them no choice decides; ``keys`` are the first of these."""

    source: OperationKind
    destination: OperationKind
    rows: int
    left: int
    keys: tuple[str, ...] = ()
    left_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowJudgement:
    """What merging rows by key does to the target. ``changes``: rows by what becomes of them there; ``combined``
    of those updated hold cells of both sides. ``discarded``: rows by what the source did to them before the target
    swept them away. ``is_decided``: choices count.
    """

    changes: Mapping[OperationKind, int]
    combined: int = 0
    conflicts: tuple[RowConflicts, ...] = ()
    discarded: Mapping[OperationKind, int] = field(default_factory=dict)
    is_decided: bool = False

    def decided(self) -> RowJudgement:
        """The same after what was chosen."""
        return replace(self, is_decided=True)

    @property
    def open(self) -> tuple[RowConflicts, ...]:
        """The conflicts that stand in the way."""
        if not self.is_decided:
            return self.conflicts
        return tuple(replace(item, rows=item.left, keys=item.left_keys) for item in self.conflicts if item.left)


@dataclass(frozen=True, slots=True)
class Behind:
    """The place behind which a page of rows begins: conflicts come first, then others, each by the text of the key."""

    is_conflict: bool
    key: str
