"""DELETE, UPDATE and TRUNCATE."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.generated import writing_schema
from catalog_app.domain.operations import (
    FileEffects,
    OperationKind,
    OverwriteScope,
)
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.engine.copy_on_write import Marks
from catalog_app.selectors.segments import table_scan
from catalog_app.services.files import data_files_register, delete_files_register
from lakeui.common.counts import counted
from lakeui.frontdoor.call import Call, table_for_writing
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.analysis import assigned_columns, rows_analyse
from lakeui.frontdoor.expressions.checks import staged_fit
from lakeui.frontdoor.expressions.field_values import all_columns
from lakeui.frontdoor.expressions.generated import with_generated
from lakeui.frontdoor.expressions.keys import assigns_key, refuse_duplicate_keys, without_changed_rows
from lakeui.frontdoor.expressions.pruning import predicate_of, pruned
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.metadata_columns import with_row_id
from lakeui.frontdoor.queries.queries import subquery_tables
from lakeui.frontdoor.queries.semi_joins import semi_join_meant
from lakeui.frontdoor.rows.semi_joins import delete_matching, update_matching
from lakeui.frontdoor.rows.write_modes import copied_files, copies_files
from lakeui.frontdoor.rows.writes import (
    bytes_of,
    commit_rows,
    counting_of,
    has_tombstones,
    row_metrics,
    staging,
    touched_copy,
    write_metrics,
)
from lakeui.sql import statements as sql


def delete(call: Call, statement: sql.Delete) -> StatementResult:
    target = table_for_writing(call, statement.table)
    tables = subquery_tables(call, statement.subqueries)
    join = semi_join_meant(statement, target.table.schema, tables)
    if join is not None and tables is not None:
        return delete_matching(call, statement, target, join, tables)
    segments = call.segments(target.place.snapshot, target.table.table_id)
    chosen = pruned(segments, target.table.schema.columns, predicate_of(statement.where))
    call.context.step("find rows", f"{len(chosen):,} of {counted(len(segments), 'file')} of {target.label}")
    scan = table_scan(target.place.snapshot, target.table, chosen)
    alias = statement.alias or target.table.name
    where = with_row_id(target.table.schema, statement.where, alias)
    text = where.text if where else None
    with staging(call):
        rows_analyse(call.text, target.table.schema, alias, where, tables=tables)
        changes = engine().delete(scan, text, alias=alias, tables=tables)
        copied = touched_copy(call, target, "delete", scan, Marks((), changes.delete_files, ()))
    deletes = delete_files_register(target.table.table_id, changes.delete_files)
    copies = copied_files(target.table, copied, ())
    metrics = row_metrics(
        segments,
        chosen,
        changes.emptied,
        copies,
        rows_deleted=changes.rows,
        bytes_written=bytes_of(changes.delete_files),
    )
    if not changes.rows:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(removed=changes.emptied, deletes=deletes)
    return commit_rows(call, target, "DELETE", OperationKind.DELETE, effects, metrics, copies=copies.operation)


def update(call: Call, statement: sql.Update) -> StatementResult:
    target = table_for_writing(call, statement.table)
    table, alias = target.table, statement.alias or target.table.name
    assignments = with_generated(writing_schema(table), all_columns(table.schema, statement, alias), alias)
    tables = subquery_tables(call, statement.subqueries)
    join = semi_join_meant(statement, table.schema, tables)
    if join is not None and tables is not None:
        return update_matching(call, statement, target, join, tables, assignments)
    segments = call.segments(target.place.snapshot, table.table_id)
    chosen = pruned(segments, table.schema.columns, predicate_of(statement.where))
    call.context.step("rewrite rows", f"{len(chosen):,} of {counted(len(segments), 'file')} of {target.label}")
    scan = table_scan(target.place.snapshot, table, chosen)
    where = with_row_id(table.schema, statement.where, alias)
    text = where.text if where else None
    assigned = assigned_columns(table.schema, assignments, target.label)
    sets_key = assigns_key(table.schema, [name for name, _ in assignments])
    counting = None if sets_key or _needs_images(table, assigned) else counting_of(call, target)
    with staging(call):
        kinds = rows_analyse(call.text, table.schema, alias, where, assigned, tables=tables)
        changes = engine().update(scan, assignments, text, alias=alias, kinds=kinds, tables=tables, counting=counting)
        staged_fit(target, changes.images)
        if sets_key:
            refuse_duplicate_keys(target, changes.images, without_changed_rows(segments, changes))
        copied = touched_copy(call, target, "update", scan, Marks(changes.delete_files, (), changes.images))
    deletes = delete_files_register(table.table_id, changes.delete_files)
    images = data_files_register(table.table_id, changes.images)
    copies = copied_files(table, copied, images)
    metrics = row_metrics(
        segments,
        chosen,
        changes.emptied,
        copies,
        rows_updated=changes.rows,
        files_added=len(images) - len(copies.folded),
        bytes_written=bytes_of(changes.delete_files, changes.images),
    )
    if not changes.rows:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(added=images, removed=changes.emptied, deletes=deletes)
    return commit_rows(call, target, "UPDATE", OperationKind.UPDATE, effects, metrics, copies=copies.operation)


def _needs_images(table: TableState, assigned: Sequence[tuple[Column, str]]) -> bool:
    """Whether copy-on-write has to see where new images lie, as they may leave the partitions of their rows."""
    moves = any(column.id in table.schema.partition_by for column, _ in assigned)
    return copies_files(table, "update") and (moves or bool(table.schema.layout))


def truncate(call: Call, statement: sql.Truncate) -> StatementResult:
    target = table_for_writing(call, statement.table)
    segments = call.segments(target.place.snapshot, target.table.table_id)
    if not segments and not has_tombstones(target):
        return StatementResult(version=target.place.snapshot.version, metrics=write_metrics())
    removed = tuple(segment.file_id for segment in segments)
    metrics = write_metrics(files_removed=len(removed))
    effects = FileEffects(removed=removed)
    return commit_rows(call, target, "TRUNCATE", OperationKind.OVERWRITE, effects, metrics, OverwriteScope())
