"""``INSERT INTO t REPLACE WHERE ..``: the rows for which the condition is true go, others that it holds for come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.files import FileScan, NewDataFile, TableScan
from catalog_app.domain.operations import FileEffects, OperationKind
from catalog_app.domain.quoting import quote_name
from catalog_app.engine.copy_on_write import Copied, Marks
from catalog_app.engine.inputs_outputs import RowChanges
from catalog_app.selectors.segments import SegmentState, table_scan
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register, delete_files_register
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.analysis import rows_analyse
from lakeui.frontdoor.expressions.checks import staged_rows_check
from lakeui.frontdoor.expressions.pruning import pruned
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows import insert as inserting
from lakeui.frontdoor.rows.insert import insert_stage
from lakeui.frontdoor.rows.write_modes import copied_files
from lakeui.frontdoor.rows.writes import bytes_of, row_metrics, rows_commit, staging, touched_copy, write_metrics
from lakeui.sql import statements as sql


def insert(call: Call, statement: sql.Insert) -> StatementResult:
    return inserting.insert(call, statement) if statement.replaces is None else _insert_replace(call, statement)


def _insert_replace(call: Call, statement: sql.Insert) -> StatementResult:
    """Delete and insert in one commit. Raises InvalidValue where a new row is one that the condition is not true of."""
    where = statement.replaces
    assert where is not None
    target = table_for_writing(call, statement.table)
    table, alias = target.table, target.table.name
    segments = call.segments(target.place.snapshot, table.table_id)
    chosen = pruned(segments, table.schema.columns, where.predicate)
    scan = table_scan(target.place.snapshot, table, chosen)
    with staging(call):
        rows_analyse(call.text, table.schema, alias, where)
    staged = insert_stage(call, target, statement)
    with staging(call):
        _refuse_others(target, staged, where)
        call.context.step("find rows", f"{len(chosen):,} of {counted(len(segments), 'file')} of {target.label}")
        changes = engine().delete(scan, where.text, alias=alias)
        staged_rows_check(target, staged, _left(segments, changes))
        copied = touched_copy(call, target, "delete", scan, Marks((), changes.delete_files, ()))
    return _replacement_commit(call, target, segments, chosen, staged, changes, copied)


def _replacement_commit(
    call: Call,
    target: ResolvedTable,
    segments: Sequence[SegmentState],
    chosen: Sequence[SegmentState],
    staged: Sequence[NewDataFile],
    changes: RowChanges,
    copied: Copied,
) -> StatementResult:
    """Commit what was staged, as a delete and an insert. ``chosen``: the files that were looked through."""
    table = target.table
    added = data_files_register(table.table_id, staged)
    deletes = delete_files_register(table.table_id, changes.delete_files)
    copies = copied_files(table, copied, ())
    inserted = write_metrics(
        rows_inserted=sum(file.rows for file in added), files_added=len(added), bytes_written=bytes_of(staged)
    )
    deleted = row_metrics(
        segments,
        chosen,
        changes.emptied,
        copies,
        rows_deleted=changes.rows,
        bytes_written=bytes_of(changes.delete_files),
    )
    metrics = {name: count + inserted[name] for name, count in deleted.items()}
    more = copies.operation.metrics if copies.operation else {}
    own = {name: count - more.get(name, 0) for name, count in deleted.items()}
    effects = FileEffects(removed=changes.emptied, deletes=deletes)
    # Also where the condition found no row: it speaks of rows that others insert meanwhile.
    is_change = bool(changes.rows or added)
    gone = alterations.operation(table, OperationKind.DELETE, effects=effects, metrics=own) if is_change else None
    come = alterations.operation(table, OperationKind.INSERT, effects=FileEffects(added), metrics=inserted)
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    operations = [gone, come if added else None, copies.operation]
    return rows_commit(call, target, "INSERT REPLACE WHERE", operations, metrics=metrics)


def _refuse_others(target: ResolvedTable, staged: Sequence[NewDataFile], where: sql.Condition) -> None:
    if not staged:
        return
    schema = target.table.schema
    files = tuple(
        FileScan(0, file.path, file.base, file.rows, schema, stores_row_ids=file.stores_row_ids) for file in staged
    )
    name = quote_name(target.table.name)
    text = f"SELECT count(*) AS n FROM `__lake_0` AS {name} WHERE NOT coalesce(({where.text}\n), false)"
    found = engine().select(text, {"__lake_0": TableScan(target.table.table_id, schema, files)}, limit=1)
    if count := found.rows[0][0]:
        rows = counted(count, "new row")
        raise InvalidValue(
            f"The condition of REPLACE WHERE is not true of {rows}.",
            remedy="Give only rows of which it is true, or replace more rows.",
            field="statement",
            nearest=None,
        )


def _left(segments: Sequence[SegmentState], changes: RowChanges) -> list[SegmentState]:
    """The segments as they are once the staged deletes take effect."""
    paths: dict[int, tuple[str, ...]] = {}
    for file in changes.delete_files:
        paths[file.data_file_id] = (*paths.get(file.data_file_id, ()), file.path)
    return [
        replace(segment, delete_paths=(*segment.delete_paths, *paths.get(segment.file_id, ())))
        for segment in segments
        if segment.file_id not in changes.emptied
    ]
