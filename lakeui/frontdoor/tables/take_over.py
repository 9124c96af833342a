"""``CREATE TABLE t FROM PARQUET|ICEBERG|DELTA 'uri'``: a table of files that stay where they lie.

Only metadata are written, and delete files for rows that the table outside had deleted. The files never belong to
lakeui: nothing that it does changes or removes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from django.conf import settings

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile
from catalog_app.domain.operations import AddedFile, FileEffects, Operation, OperationKind
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import LaidBy, Transform
from catalog_app.services import alterations
from catalog_app.services.files import addresses_allocate, data_files_register, delete_files_register
from catalog_app.storage.deletes import write_deletes
from catalog_app.storage.warehouse import Warehouse
from catalog_app.takeover.delta_tables import delta_find
from catalog_app.takeover.found_tables import FoundField, FoundFile, FoundTable
from catalog_app.takeover.iceberg_tables import iceberg_find
from catalog_app.takeover.locations import Locations
from catalog_app.takeover.parquet_files import parquet_find
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, place_of
from lakeui.frontdoor.columns.new_table import create_operation, new_table, refuse_taken
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.writes import write_metrics
from lakeui.frontdoor.tables.tables import commit_table, with_notice
from lakeui.sql import statements as sql

_FINDERS: dict[str, Callable[[Locations, str], FoundTable]] = {
    "PARQUET": parquet_find,
    "ICEBERG": iceberg_find,
    "DELTA": delta_find,
}


def table_take_over(call: Call, statement: sql.CreateTable, taken: sql.OutsideTable) -> StatementResult:
    """One commit. Killed before it, the statement leaves delete files that VACUUM finds, and nothing else."""
    refuse_taken(place_of(call, statement.table), statement.table.table)
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    locations = Locations.of(warehouse, settings.LAKEUI["IMPORT_LOCATIONS"])
    path = locations.find(taken.uri)
    call.context.step("read", "metadata and footers of the files")
    found = _FINDERS[taken.form](locations, path)
    definitions = tuple(
        sql.ColumnDefinition(column.name, column.type, column.nullable, comment=column.comment)
        for column in found.columns
    )
    layout = tuple(sql.PartitionField(field.name, field.number, field.column) for field in found.layout)
    wanted = replace(statement, partition_by=found.partition_by, layout=layout)
    created = new_table(call, wanted, definitions, found.columns if found.has_ids else ())
    staged = _addressed(created, found.files)
    added = data_files_register(created.table.table_id, staged)
    fault_point("write.staged")
    deletes = _deletes(warehouse, created, found.files, added)
    marks = delete_files_register(created.table.table_id, deletes)
    gone = sum(file.rows for file in deletes)
    rows = sum(file.rows for file in staged)
    metrics = write_metrics(rows_inserted=rows - gone, files_added=len(staged))
    operations: list[Operation | None] = [create_operation(created.table)]
    if added:
        effects = FileEffects(added)
        operations.append(alterations.operation(created.table, OperationKind.INSERT, effects=effects, metrics=metrics))
    if marks:
        effects = FileEffects(deletes=marks)
        operations.append(alterations.operation(created.table, OperationKind.DELETE, effects=effects))
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    result = commit_table(call, created, f"CREATE TABLE FROM {taken.form}", operations)
    result = replace(result, metrics=metrics)
    return with_notice(result, " ".join(found.notices)) if found.notices else result


def _addressed(created: ResolvedTable, files: Sequence[FoundFile]) -> list[NewDataFile]:
    """The files as those of the new table: with addresses, and bounds by the ids of its columns."""
    columns = {column.name: column for column in created.table.schema.columns}
    base = addresses_allocate(created.table.table_id, sum(file.rows for file in files))
    staged = []
    for file in files:
        staged.append(
            NewDataFile(
                path=file.path,
                base=base,
                rows=file.rows,
                bytes=file.bytes,
                partition=file.partition,
                statistics={columns[name].id: bounds for name, bounds in file.statistics.items()},
                by_name=file.by_name,
                lacks_partition=file.lacks_partition,
                layout=tuple(_laid(field, value, columns[field.column]) for field, value in file.layout),
            )
        )
        base += file.rows
    return staged


def _laid(field: FoundField, value: int | str | None, column: Column) -> LaidBy:
    return LaidBy(Transform(field.name, field.number, column.id), column.type, value)


def _deletes(
    warehouse: Warehouse, created: ResolvedTable, files: Sequence[FoundFile], added: Sequence[AddedFile]
) -> list[NewDeleteFile]:
    """Delete files of lakeui for the rows that the table outside had deleted."""
    table = created.table
    return [
        write_deletes(
            warehouse,
            table_id=table.table_id,
            file=FileScan(taken.file_id, file.path, taken.base, file.rows, table.schema),
            positions=file.deletes,
            row_ids=file.deletes + taken.base,
        )
        for file, taken in zip(files, added, strict=True)
        if len(file.deletes)
    ]
