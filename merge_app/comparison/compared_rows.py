"""Rows of one table of two branches side by side, as the merge of one into the other judges them."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_snapshot
from merge_app.comparison.changed_rows import ChangedRows, rows_changed
from merge_app.comparison.compare_object import object_side
from merge_app.comparison.row_pages import ComparedRows
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.input_facts import table_case
from merge_app.execution.lineage.looked_at import Lists
from merge_app.execution.lineage.planning import rows_looked_at
from merge_app.execution.lineage.row_changes import SOURCE, TARGET, RowChanges
from merge_app.execution.load import plan_without_facts
from merge_app.planning.merge_plan import Resolution


def row_pages(
    source: Branch,
    destination: Branch,
    table_id: int,
    resolutions: Iterable[Resolution],
    engine: EngineSource,
    *,
    only_conflicts: bool,
) -> ComparedRows:
    """Raises NotFound where neither side has the table."""
    lists = Lists.NEEDED if only_conflicts else Lists.ALL
    return ComparedRows(*row_changes(source, destination, table_id, resolutions, engine, lists), only_conflicts)


def side_rows(
    source: Branch,
    destination: Branch,
    table: TableState,
    engine: EngineSource,
    *,
    of_source: bool,
    limit: int,
    behind: int | None,
    change: str | None = None,
) -> ChangedRows:
    """A page of the rows that one side changed, by row id (see ``rows_changed``). ``table``: as that side has it."""
    _, changes = row_changes(source, destination, table.table_id, (), engine, Lists.KNOWN)
    if changes is None:
        return ChangedRows([], [], truncated=False)
    return rows_changed(
        changes, SOURCE if of_source else TARGET, table.schema, limit=limit, behind=behind, change=change
    )


def row_changes(
    source: Branch,
    destination: Branch,
    table_id: int,
    resolutions: Iterable[Resolution],
    engine: EngineSource,
    lists: Lists,
) -> tuple[Schema, RowChanges | None]:
    """The columns of the merged table, and its rows that either side changed; None where the merge needs to look at
    none, and no others are listed. Raises NotFound.
    """
    source_snapshot, target_snapshot = branch_snapshot(source), branch_snapshot(destination)
    key = ObjectKind.TABLE, table_id
    chosen = tuple(item for item in resolutions if item.key_of_object == key)
    side = object_side(source_snapshot, target_snapshot, key)
    planned = plan_without_facts(side, resolutions=chosen)
    case = table_case(planned, side, table_id, lists)
    looked_at = rows_looked_at(case, side, engine)
    return case.merged, None if looked_at is None else RowChanges(looked_at, case.merged)
