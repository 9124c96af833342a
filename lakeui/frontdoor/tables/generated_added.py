"""``ADD COLUMN c type GENERATED ALWAYS AS (expression)``: rows that are there get their value in the same commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from catalog_app.domain.generated import generated_shown, writing_schema
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from catalog_app.domain.state import TableState
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register, delete_files_register
from lakeui.common.counts import counted
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.analysis import assigned_columns, rows_analyse
from lakeui.frontdoor.expressions.checks import staged_fit
from lakeui.frontdoor.expressions.generated import generated_stated, with_generated
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.writes import bytes_of, row_metrics, rows_commit, staging
from lakeui.sql import statements as sql


@dataclass(frozen=True, slots=True)
class _Filled:
    """What writing the values came to; ``update`` is None where no row is there."""

    metrics: dict[str, int]
    update: Operation | None = None


def generated_add(
    call: Call, target: ResolvedTable, statement: sql.AddColumns, wide: TableState, change: Operation
) -> StatementResult:
    """Add columns, of which some are generated, as ``change`` says, and write their values. ``wide``: the table with
    the columns.
    """
    table = target.table
    definitions = [definition for definition, _ in statement.columns]
    known = generated_shown(table)
    stated = generated_stated(definitions, wide.schema, table.name, known=known)
    filling = replace(wide, properties={**table.properties, **stated})
    names = [definition.name for definition in definitions if definition.generated is not None]
    segments = segments_list(target.place.snapshot, table.table_id)
    filled = _fill(call, replace(target, table=filling), names, segments)
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    operations = [change, alterations.properties_set(table, stated), filled.update]
    return rows_commit(call, target, "ADD COLUMN", operations, metrics=filled.metrics)


def _fill(call: Call, target: ResolvedTable, names: Sequence[str], segments: Sequence[SegmentState]) -> _Filled:
    """Stage new images of all rows under the schema that the table gets."""
    table = target.table
    call.context.step("rewrite rows", f"{counted(len(segments), 'file')} of {target.label}")
    scan = table_scan(target.place.snapshot, table, segments)
    given = [(name, "DEFAULT") for name in names]
    assignments = with_generated(writing_schema(table), given, table.name)
    assigned = assigned_columns(table.schema, assignments, target.label)
    with staging(call):
        kinds = rows_analyse(call.text, table.schema, table.name, None, assigned)
        changes = engine().update(scan, assignments, None, alias=table.name, kinds=kinds, writes_equal=True)
        staged_fit(target, changes.images)
    deletes = delete_files_register(table.table_id, changes.delete_files)
    images = data_files_register(table.table_id, changes.images)
    metrics = row_metrics(
        segments,
        segments,
        changes.emptied,
        rows_updated=changes.rows,
        files_added=len(images),
        bytes_written=bytes_of(changes.delete_files, changes.images),
    )
    if not changes.rows:
        return _Filled(metrics)
    effects = FileEffects(added=images, removed=changes.emptied, deletes=deletes)
    return _Filled(metrics, alterations.operation(table, OperationKind.UPDATE, effects=effects, metrics=metrics))
