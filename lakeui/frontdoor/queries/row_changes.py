"""SHOW CHANGES: the row diff of a table between two versions, branches or tags."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.state import TableState
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.selectors.snapshots import Snapshot, version_check
from lakeui.common.counts import counted
from lakeui.common.errors import NotFound
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_reading
from lakeui.frontdoor.changed_files import files_changed, state_valid
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.named_points import named_snapshot
from lakeui.frontdoor.queries.select import ROW_LIMIT
from lakeui.sql import statements as sql
from merge_app.jobs.context import Context


@dataclass(frozen=True, slots=True)
class RowDifferences:
    """Rows as ``changes_dataframe`` gives them, and how many files had to be read for them."""

    found: QueryResult
    files_scanned: int
    files_skipped: int


def show_changes(call: Call, statement: sql.ShowChanges) -> StatementResult:
    found = table_for_reading(call, statement.table)
    before, after = (_snapshot(call, statement.table, found, point) for point in (statement.first, statement.last))
    state = state_valid(after, found.table.table_id)
    if state is None:
        raise NotFound("table", found.label, where=_where(found, statement.last))
    differences = row_differences(call.context, before, after, state, limit=ROW_LIMIT)
    rows = differences.found.rows
    return StatementResult(
        columns=list(differences.found.columns),
        rows=rows,
        row_count=len(rows),
        truncated=differences.found.truncated,
        version=after.version,
        metrics={"files_scanned": differences.files_scanned, "files_skipped": differences.files_skipped},
    )


def _snapshot(call: Call, name: sql.TableName, found: ResolvedTable, point: sql.SnapshotPoint) -> Snapshot:
    if isinstance(point, int):
        return found.place.snapshot.at(version_check(found.place.branch, point))
    return named_snapshot(call, call.catalog_named(name.catalog), point)


def _where(found: ResolvedTable, point: sql.SnapshotPoint) -> str:
    if isinstance(point, int):
        return f"at version {point} of branch {found.place.branch.name}"
    return f"at tag {point.name}" if point.is_tag else f"on branch {point.name}"


def row_differences(
    context: Context, before: Snapshot, after: Snapshot, table: TableState, *, limit: int
) -> RowDifferences:
    """Rows in which two snapshots of a table differ, at most ``limit``.

    ``table`` is the table as ``after`` sees it. Only files that the two do not share, deletes included, are read.
    """
    changed = files_changed(before, after, table)
    context.step("compare", f"{counted(changed.files, 'file')} of {table.name}")
    with interruptible(context):
        found = engine().changes(changed.before, changed.after, limit=limit)
    return RowDifferences(found, files_scanned=changed.files, files_skipped=changed.files_shared)
