"""OPTIMIZE: small files become large ones, deletes are applied, and rows lie as the table says."""

from __future__ import annotations

from catalog_app.domain.operations import (
    FileEffects,
    OperationKind,
)
from catalog_app.selectors.segments import table_scan
from catalog_app.services import compaction
from catalog_app.services.files import data_files_register
from lakeui.common.counts import counted
from lakeui.frontdoor.call import Call, scan_for_copies, table_for_writing
from lakeui.frontdoor.compacted_files import files_due
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.writes import bytes_of, commit_rows, row_metrics, staging
from lakeui.sql import statements as sql


def optimize(call: Call, statement: sql.Optimize) -> StatementResult:
    """Compact small files and files with deletes, partition by partition. Files that other engines would read
    otherwise than lakeui (column ids, moved partitions) are written anew, too.
    """
    target = table_for_writing(call, statement.table)
    table, due = target.table, files_due(target, statement)
    chosen = due.compaction.segments
    metrics = row_metrics(due.segments, chosen, [segment.file_id for segment in chosen])
    if not chosen:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    call.context.step("compact", f"{len(chosen):,} of {counted(len(due.segments), 'file')} of {target.label}")
    with staging(call):
        scan = scan_for_copies(target.place, table_scan(target.place.snapshot, table, chosen))
        staged = engine().compact(scan, target_bytes=compaction.TARGET_BYTES, order_by=due.order)
    added = data_files_register(table.table_id, staged)
    metrics |= {"files_added": len(added), "bytes_written": bytes_of(staged)}
    effects = FileEffects(added, tuple(segment.file_id for segment in chosen))
    return commit_rows(call, target, "OPTIMIZE", OperationKind.COMPACTION, effects, metrics)
