"""Rows of a table with a primary key, merged by key and cell (semantics §3): what to merge, and what was found.

A row is what three sights show under one key: the merge base, the source and the destination. A cell conflicts where
both sides changed it to different values, a row where one side took away what the other changed. What a side swept
away, a partition at a time or the whole table, it did to files and not to rows: such rows conflict with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, PartitionValues
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.schema import Column, Schema

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
class Sweep:
    """The partitions that a side overwrote or dropped since the merge base; None: it overwrote the whole table.
    ``puts_back``: by a restore, so that rows of the base may be there again.
    """

    partitions: frozenset[PartitionValues] | None = frozenset()
    puts_back: bool = False

    def __bool__(self) -> bool:
        return self.partitions is None or bool(self.partitions)

    def takes(self, partition: PartitionValues) -> bool:
        return self.partitions is None or partition in self.partitions


NO_SWEEP = Sweep()


@dataclass(frozen=True, slots=True)
class Sweeps:
    """What both sides swept. Of the rows in what the source swept, the destination gets what the source has now; what
    the source did to rows of the base in what the destination swept is discarded (A4, A5).
    """

    source: Sweep = NO_SWEEP
    destination: Sweep = NO_SWEEP


NO_SWEEPS = Sweeps()


@dataclass(frozen=True, slots=True)
class RowMerge:
    """Three sights of one table, read under the merged schema. Of each only the files that not all three share.

    ``further``: where the sides met last in several places, the base is the newest of them. Each of these is another
    (its source) beside the newest (its destination): rows that only the other changed are in the base as it has them.
    """

    table_id: int
    schema: Schema
    base: tuple[FileScan, ...]
    source: tuple[FileScan, ...]
    destination: tuple[FileScan, ...]
    choices: tuple[RowChoice, ...] = ()
    sweeps: Sweeps = NO_SWEEPS
    further: tuple[RowMerge, ...] = ()

    @property
    def has_files(self) -> bool:
        """Whether the sights differ in any file; rows differ in files only."""
        return bool(self.base or self.source or self.destination)

    @property
    def keys(self) -> tuple[Column, ...]:
        found = (self.schema.column(identifier) for identifier in self.schema.primary_key)
        return tuple(column for column in found if column is not None)


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
    """What merging rows by key does to the destination. ``changes``: rows by what becomes of them there; ``combined``
    of those updated hold cells of both sides. ``discarded``: rows by what the source did to them before the destination
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


@dataclass(frozen=True, slots=True)
class MergedRows:
    """Files that the engine staged for a merge of rows, each by the kind of operation that it belongs to."""

    files: tuple[tuple[OperationKind, NewDataFile], ...] = ()
    delete_files: tuple[tuple[OperationKind, NewDeleteFile], ...] = ()
