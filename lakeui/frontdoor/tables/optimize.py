"""OPTIMIZE: small files become large ones, deletes are applied, and rows lie as the table says."""

from __future__ import annotations

from catalog_app.domain.checks import CLUSTERING
from catalog_app.domain.layout import clustering_of
from catalog_app.domain.operations import (
    FileEffects,
    OperationKind,
)
from catalog_app.selectors.segments import segments_list, table_scan
from catalog_app.services import compaction
from catalog_app.services.files import data_files_register
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call, ResolvedTable, scan_for_copies, table_for_writing
from lakeui.frontdoor.columns.layout_properties import clustering_kept
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.pruning import predicate_of, pruned
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.writes import bytes_of, commit_rows, row_metrics, staging
from lakeui.sql import statements as sql
from lakeui.sql.query import condition_columns


def optimize(call: Call, statement: sql.Optimize) -> StatementResult:
    """Compact small files and files with deletes, partition by partition. Files that other engines would read
    otherwise than lakeui (column ids, moved partitions) are written anew, too.
    """
    target = table_for_writing(call, statement.table)
    table = target.table
    if statement.where is not None:
        _refuse_other_columns(target, statement.where)
    segments = segments_list(target.place.snapshot, table.table_id)
    looked_at = pruned(segments, table.schema.columns, predicate_of(statement.where))
    order = _order_asked(target, statement) or clustering_of(table.properties)
    chosen = looked_at if statement.order_by else compaction.compaction_of(table, looked_at, order).segments
    metrics = row_metrics(segments, chosen, [segment.file_id for segment in chosen])
    if not chosen:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    call.context.step("compact", f"{len(chosen)} of {len(segments)} files of {target.label}")
    with staging(call):
        scan = scan_for_copies(target.place, table_scan(target.place.snapshot, table, chosen))
        staged = engine().compact(scan, target_bytes=compaction.TARGET_BYTES, order_by=order)
    added = data_files_register(table.table_id, staged)
    metrics |= {"files_added": len(added), "bytes_written": bytes_of(staged)}
    effects = FileEffects(added, tuple(segment.file_id for segment in chosen))
    return commit_rows(call, target, "OPTIMIZE", OperationKind.COMPACTION, effects, metrics)


def _order_asked(target: ResolvedTable, statement: sql.Optimize) -> tuple[int, ...]:
    """The ids of the columns of ZORDER BY."""
    if len(set(map(str.casefold, statement.order_by))) < len(statement.order_by):
        raise InvalidValue("ZORDER BY names a column twice.", remedy="Name it once.")
    stored = clustering_kept(statement.order_by, target.table.schema, target.label)
    return clustering_of({CLUSTERING: stored})


def _refuse_other_columns(target: ResolvedTable, where: sql.Condition) -> None:
    """What is compacted is chosen by partition."""
    names = {column.name.casefold() for column in target.table.schema.partition_columns}
    others = sorted(condition_columns(where) - names)
    if others:
        raise InvalidValue(
            f"OPTIMIZE chooses by partition, and {others[0]} is no partition column of {target.label}.",
            remedy="Compare partition columns only, or leave WHERE out.",
        )
