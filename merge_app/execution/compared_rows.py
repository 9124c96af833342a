"""Rows of one table of two branches side by side, as the merge of one into the other judges them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.row_merge import Behind, RowConflicts, RowMerge
from catalog_app.domain.schema import Schema
from catalog_app.engine.values import QueryResult
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.compare_object import object_side
from merge_app.execution.input_facts import parties_of, table_case
from merge_app.execution.lineage.compared_rows import ComparedRows
from merge_app.execution.lineage.planning import rows_looked_at
from merge_app.execution.load import plan_without_facts
from merge_app.execution.reach import one_catalog
from merge_app.execution.row_merges import compared_rows_load
from merge_app.planning.values import Resolution

_NO_ROWS = QueryResult((), [], truncated=False)


class RowPages(Protocol):
    """Rows that either side changed: key, whether they conflict, whether that is left open, what each side did (None:
    nothing), whether base, source, destination and result have it, and its values there. A row that is left open has no
    result. Conflicts come first.
    """

    @property
    def schema(self) -> Schema:
        """What the rows are read under."""

    @property
    def conflicts(self) -> tuple[RowConflicts, ...]:
        """Of a table with a primary key."""

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> QueryResult:
        """The rows behind a place, or the row of a key."""


def row_pages(
    source: Branch,
    destination: Branch,
    table_id: int,
    resolutions: Iterable[Resolution],
    engine: EngineSource,
    *,
    only_conflicts: bool,
) -> RowPages:
    """Raises NotFound where neither side has the table."""
    there, here = branch_snapshot(source), branch_snapshot(destination)
    if settings.LAKEUI["MERGE_BY_LINEAGE"] and one_catalog(there, here) is not None:
        return _by_lineage(there, here, table_id, tuple(resolutions), engine, only_conflicts=only_conflicts)
    # Two catalogs merge by operations.
    return _Replayed(compared_rows_load(source, destination, table_id, resolutions), engine, only_conflicts)


def _by_lineage(
    there: Snapshot,
    here: Snapshot,
    table_id: int,
    resolutions: tuple[Resolution, ...],
    engine: EngineSource,
    *,
    only_conflicts: bool,
) -> RowPages:
    key = ObjectKind.TABLE, table_id
    chosen = tuple(item for item in resolutions if item.key_of_object == key)
    side, planned = plan_without_facts(object_side(there, here, key), here, resolutions=chosen)
    case = table_case(planned, side, here, table_id, lists_all=not only_conflicts)
    looked_at = rows_looked_at(case, parties_of(side, there, here), engine)
    return _NoRows(case.merged) if looked_at is None else ComparedRows(looked_at, case.merged, only_conflicts)


@dataclass(frozen=True, slots=True)
class _NoRows:
    """Nothing has to be looked at row by row."""

    schema: Schema
    conflicts: tuple[RowConflicts, ...] = ()

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> QueryResult:
        return _NO_ROWS


@dataclass(frozen=True, slots=True)
class _Replayed:
    """Rows compared with the merge base, as merges that replay operations judge them."""

    task: RowMerge
    engine: EngineSource
    only_conflicts: bool

    @property
    def schema(self) -> Schema:
        return self.task.schema

    @property
    def conflicts(self) -> tuple[RowConflicts, ...]:
        return self.engine().rows_judge(self.task).conflicts if self.task.has_files else ()

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> QueryResult:
        if not self.task.has_files:
            return _NO_ROWS
        return self.engine().rows_compare(
            self.task, limit=limit, behind=behind, only_conflicts=self.only_conflicts, key=key
        )
