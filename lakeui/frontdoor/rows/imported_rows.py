"""Rows of a file that is imported, as files of a table."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from django.conf import settings

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.generated import writing_schema
from catalog_app.domain.identity_columns import columns_numbered
from catalog_app.domain.nested import typed_like
from catalog_app.domain.types import parse_type, value_type
from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.engine.staging import file_given
from catalog_app.importing.lossless import is_kind_kept
from catalog_app.importing.scanning import file_convert
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from catalog_app.models import FileImport
from catalog_app.services.imports import import_opened
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, LakeError, NotFound, NotNullViolation
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.rows.json_columns import with_maps
from lakeui.frontdoor.rows.keyed_merges import typed_rows
from lakeui.frontdoor.rows.writes import staging, write_metrics


def rows_stage(call: Call, target: ResolvedTable, reading: Reading, made: FileImport) -> list[NewDataFile]:
    """The rows of a file as files of the table. Raises NotFound where it has a column that the table lacks."""
    columns_require(target, reading.chosen)
    reading = with_maps(target.table.schema, reading, made)
    if not reading.chosen:
        return []
    keep_kind = kept_kinds(target, reading, made)
    return file_stage(call, target, as_in_table(target, reading), made, keep_kind=keep_kind)


def columns_require(target: ResolvedTable, columns: Sequence[ColumnChoice]) -> None:
    """Raise NotFound with every column that the table lacks."""
    schema = target.table.schema
    unknown = [column.name for column in columns if schema.named(column.name) is None]
    if unknown:
        nearest = nearest_name(unknown[0], [column.name for column in schema.columns])
        error = NotFound("column", unknown[0], nearest=nearest, where=f"in table {target.label}")
        error.details["columns"] = unknown
        error.remedy = " ".join(filter(None, [error.remedy, "Rename it, or leave it out of the import."]))
        raise error
    columns_numbered(writing_schema(target.table), [column.name for column in columns])
    missing = [
        column.name
        for column in writing_schema(target.table).columns
        if not (column.nullable or column.default or column.generated or column.identity)
        and not _has(columns, column.name)
    ]
    if missing:
        raise InvalidValue(
            f"Column {missing[0]} of {target.label} is NOT NULL without a default, and the file does not have it.",
            remedy="Rename a column of the file to it, or give the table's column a default.",
            columns=missing,
        )


def as_in_table(target: ResolvedTable, reading: Reading) -> Reading:
    """The reading with the table's types: they decide, and numbers of JSON are read as such. Fields inside of columns
    stay where the file has them.
    """
    types = {column.name.casefold(): column.type for column in target.table.schema.columns}
    columns = (replace(item, type=_typed(item.type, types.get(item.name.casefold()))) for item in reading.columns)
    return replace(reading, columns=tuple(columns))


def kept_kinds(target: ResolvedTable, reading: Reading, made: FileImport) -> frozenset[str]:
    """Sources of JSON columns for which no person chose the kind of the table's column. JSON tells a text from a
    number, a CSV does not.
    """
    if made.format != FileFormat.JSON:
        return frozenset()
    types = {column.name.casefold(): column.type for column in target.table.schema.columns}
    return frozenset(
        item.source
        for item in reading.columns
        if (known := types.get(item.name.casefold())) is not None and not is_kind_kept(item.type, known)
    )


def _typed(given: str, known: str | None) -> str:
    return given if known is None else typed_like(value_type(given), parse_type(known)).text


def _has(columns: Sequence[ColumnChoice], name: str) -> bool:
    return any(column.name.casefold() == name.casefold() for column in columns)


def file_stage(
    call: Call, target: ResolvedTable, reading: Reading, made: FileImport, *, keep_kind: Collection[str] = ()
) -> list[NewDataFile]:
    table = target.table
    with converted(call, reading, made, keep_kind=keep_kind) as rows, staging(call):
        call.context.step("write", f"{counted(rows.rows, 'row')} of {target.label}")
        source = typed_rows(rows, reading.chosen)
        try:
            return engine().append(
                table.table_id,
                writing_schema(table),
                source,
                columns=None,
                by_name=True,
                partition=None,
                fills_fields=True,
            )
        except NotNullViolation as error:
            raise _with_row(error, rows, made.name) from error


def _with_row(error: NotNullViolation, rows: FileSource, file: str) -> LakeError:
    """The refusal with the first row of the file that has no value, where the file has the column."""
    column = error.details.get("column", "")
    row = _first_without(rows, column)
    if row is None:
        return error
    return NotNullViolation(
        f"Column {column} is NOT NULL, but row {row:,} of {file} has no value for it.",
        remedy=error.remedy,
        column=column,
        file=file,
        row=row,
    )


def _first_without(rows: FileSource, column: str) -> int | None:
    """The number of the first row with NULL in the column, from 1."""
    names = [name.casefold() for name in rows.names]
    if column.casefold() not in names:
        return None
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    name, before = f"c{names.index(column.casefold())}", 0
    content = pa.BufferReader(rows.content) if rows.content else None
    with content or warehouse.filesystem.open_input_file(warehouse.absolute(rows.path)) as file:
        for batch in pq.ParquetFile(file).iter_batches(columns=[name]):
            nulls = pc.indices_nonzero(batch.column(0).is_null())
            if len(nulls):
                return before + int(nulls[0].as_py()) + 1
            before += batch.num_rows
    return None


@contextmanager
def converted(
    call: Call,
    reading: Reading,
    made: FileImport,
    *,
    kept_as: Mapping[str, str] | None = None,
    keep_kind: Collection[str] = (),
) -> Iterator[FileSource]:
    """The file's rows as Parquet in the warehouse, where Spark finds them, for as long as they are needed. ``kept_as``
    and ``keep_kind`` as ``file_convert`` takes them.
    """
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    folder = f"{warehouse.new_import(made.pk)}/{call.context.task_id or 'load'}-{call.context.attempt}"
    path = f"{folder}/rows.parquet"
    names = tuple(choice.name for choice in reading.chosen)
    call.context.step("read", made.name)
    source = FileSource(path, names, 0)
    try:
        with (
            import_opened(made, reading, warehouse=warehouse) as file,
            _place_of_rows(warehouse, path) as target,
        ):
            form = FileFormat(made.format)
            rows = file_convert(file, form, reading, target, kept_as=kept_as, keep_kind=keep_kind)
            is_here = warehouse.is_local
            source = FileSource(path, names, rows) if is_here else file_given(warehouse, path, names, rows, target)
        yield source
    finally:
        if not source.content:
            warehouse.discard_files(folder, [path])


@contextmanager
def _place_of_rows(warehouse: Warehouse, path: str) -> Iterator[Path]:
    """Where converted rows are written: at their path, or in a file of this machine."""
    if warehouse.is_local:
        warehouse.make_folder(path.rpartition("/")[0])
        yield Path(warehouse.absolute(path))
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder, "rows.parquet")


def staged_metrics(staged: Sequence[NewDataFile]) -> dict[str, int]:
    """What an insert of these files comes to."""
    return write_metrics(
        rows_inserted=sum(file.rows for file in staged),
        files_added=len(staged),
        bytes_written=sum(file.bytes for file in staged),
    )
