"""What a merge does to each table, in numbers, and what its changed rows were found to be. Merge policies judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any


@dataclass(frozen=True, slots=True)
class RowFinding:
    """How many changed rows do not fulfil a condition, the first of them, and why it could not be asked."""

    rows: int
    example: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What the changed rows of a table were found to be. ``problem``: why not all were looked at."""

    emptied: int = 0
    rules: Mapping[str, RowFinding] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ChangedTable:
    """What a merge does to a table or database. ``names``: before and after it. ``rows_before``: those of the target.
    ``uncounted``: kinds of operations that take rows which nothing counts. ``looked_at``: None: not asked for.
    ``is_database``: names do not say it, a table may be called ``*``.
    """

    names: tuple[str, ...]
    operations: tuple[str, ...]
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    rows_before: int = 0
    dropped_columns: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    looked_at: LookedAt | None = None
    is_database: bool = False

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def rows(self) -> int:
        """Rows that are changed, at most."""
        return self.inserted + self.updated + self.deleted

    @property
    def share(self) -> float:
        """Of the target's rows; new rows of an empty table are all of it."""
        return min(1.0, self.rows / self.rows_before) if self.rows_before else float(self.rows > 0)

    def matches(self, patterns: Iterable[str]) -> bool:
        """Whether each of its names is of one of the patterns. No other wildcard stands for the star of a database."""
        wanted = [pattern.casefold() for pattern in patterns]
        return all(
            any(
                fnmatchcase(name.casefold(), pattern)
                for pattern in wanted
                if pattern.endswith("*") or not name.endswith(".*")
            )
            for name in self.names
        )


@dataclass(frozen=True, slots=True)
class SpotRow:
    """A changed row that was drawn."""

    table: str
    change: str
    key: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What policies are judged on, of the plan with this fingerprint. ``decided``: conflicts that people decided.
    ``policies``: the digest of the policies for which rows were looked at.
    """

    fingerprint: str
    tables: tuple[ChangedTable, ...]
    stale_reads: tuple[str, ...] = ()
    conflicts: int = 0
    decided: int = 0
    spot_rows: tuple[SpotRow, ...] = ()
    policies: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def facts_read(document: Mapping[str, Any]) -> PlanFacts:
    """The facts that ``as_json`` wrote."""
    tables = tuple(_table_read(table) for table in document["tables"])
    rows = tuple(SpotRow(**row) for row in document["spot_rows"])
    return PlanFacts(**{**document, "tables": tables, "spot_rows": rows, "stale_reads": tuple(document["stale_reads"])})


def _table_read(document: Mapping[str, Any]) -> ChangedTable:
    lists = {name: tuple(document[name]) for name in ("names", "operations", "dropped_columns", "uncounted")}
    found = document["looked_at"]
    looked_at = found and LookedAt(
        found["emptied"], {key: RowFinding(**value) for key, value in found["rules"].items()}, found["problem"]
    )
    return ChangedTable(**{**document, **lists, "looked_at": looked_at})
