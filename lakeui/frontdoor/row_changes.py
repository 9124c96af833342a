"""SHOW CHANGES: the row diff of two versions of a table."""

from __future__ import annotations

from catalog_app.domain.state import TableState
from catalog_app.selectors.lineage import version_check
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from lakeui.common.errors import NotFound
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.data import ROW_LIMIT
from lakeui.frontdoor.places import Call, table_for_reading
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql


def show_changes(call: Call, statement: sql.ShowChanges) -> StatementResult:
    """The row diff of two versions; only files that they do not share, deletes included, are read."""
    found = table_for_reading(call, statement.table)
    branch, table_id = found.place.branch, found.table.table_id
    chains = [
        found.place.lineage.at(version_check(branch, version))
        for version in (statement.from_version, statement.to_version)
    ]
    states = [tables_load(chain, [table_id]).get(table_id) for chain in chains]
    if states[1] is None or states[1].is_dropped:
        raise NotFound("table", found.label, where=f"at version {statement.to_version} of branch {branch.name}")
    segments = [
        segments_list(chain, table_id) if _is_valid(state) else [] for chain, state in zip(chains, states, strict=True)
    ]
    shared = {_as_seen(item) for item in segments[0]} & {_as_seen(item) for item in segments[1]}
    scans = [
        table_scan(chain, states[1], [item for item in side if _as_seen(item) not in shared])
        for chain, side in zip(chains, segments, strict=True)
    ]
    files = {file.file_id for scan in scans for file in scan.files}
    call.context.step("compare", f"{len(files)} files of {found.label}")
    with interruptible(call.context):
        result = engine().changes(scans[0], scans[1], limit=ROW_LIMIT)
    everything = {item.file_id for side in segments for item in side}
    return StatementResult(
        columns=list(result.columns),
        rows=result.rows,
        row_count=len(result.rows),
        truncated=result.truncated,
        version=statement.to_version,
        metrics={"files_scanned": len(files), "files_skipped": len(everything - files)},
    )


def _is_valid(state: TableState | None) -> bool:
    return state is not None and not state.is_dropped


def _as_seen(segment: SegmentState) -> tuple[int, frozenset[str]]:
    """A file with the deletes that mask it."""
    return segment.file_id, frozenset(segment.delete_paths)
