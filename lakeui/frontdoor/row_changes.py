"""SHOW CHANGES: the row diff of two versions of a table."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.state import TableState
from catalog_app.engine.values import QueryResult
from catalog_app.selectors.lineage import Lineage, version_check
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from lakeui.common.errors import NotFound
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.data import ROW_LIMIT
from lakeui.frontdoor.places import Call, table_for_reading
from lakeui.frontdoor.values import StatementResult
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
    branch = found.place.branch
    before, after = (
        found.place.lineage.at(version_check(branch, version))
        for version in (statement.from_version, statement.to_version)
    )
    where = f"at version {statement.to_version} of branch {branch.name}"
    state = _valid_state(after, found.table.table_id)
    if state is None:
        raise NotFound("table", found.label, where=where)
    differences = row_differences(call.context, before, after, state, limit=ROW_LIMIT)
    rows = differences.found.rows
    return StatementResult(
        columns=list(differences.found.columns),
        rows=rows,
        row_count=len(rows),
        truncated=differences.found.truncated,
        version=statement.to_version,
        metrics={"files_scanned": differences.files_scanned, "files_skipped": differences.files_skipped},
    )


def row_differences(
    context: Context,
    before: Lineage | None,
    after: Lineage,
    table: TableState,
    *,
    limit: int,
    behind: int | None = None,
) -> RowDifferences:
    """Rows in which two sights of a table differ, which need not be of one branch; None sees nothing.

    ``table`` is the table as ``after`` sees it. Only files that the two do not share, deletes included, are read. At
    most ``limit`` rows come back, of those with a row id greater than ``behind``.
    """
    segments = [_segments(before, table.table_id), _segments(after, table.table_id)]
    shared = {_as_seen(item) for item in segments[0]} & {_as_seen(item) for item in segments[1]}
    scans = [table_scan(after, table, [item for item in side if _as_seen(item) not in shared]) for side in segments]
    files = {file.file_id for scan in scans for file in scan.files}
    context.step("compare", f"{len(files)} files of {table.name}")
    with interruptible(context):
        found = engine().changes(scans[0], scans[1], limit=limit, behind=behind)
    everything = {item.file_id for side in segments for item in side}
    return RowDifferences(found, files_scanned=len(files), files_skipped=len(everything - files))


def _segments(lineage: Lineage | None, table_id: int) -> list[SegmentState]:
    """The table's segments; none where it does not exist or is dropped."""
    if lineage is None or _valid_state(lineage, table_id) is None:
        return []
    return segments_list(lineage, table_id)


def _valid_state(lineage: Lineage, table_id: int) -> TableState | None:
    state = tables_load(lineage, [table_id]).get(table_id)
    return None if state is None or state.is_dropped else state


def _as_seen(segment: SegmentState) -> tuple[int, frozenset[str]]:
    """A file with the deletes that mask it."""
    return segment.file_id, frozenset(segment.delete_paths)
