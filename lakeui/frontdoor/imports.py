"""Load a file that somebody sent: one commit, through the pipe of INSERT and CREATE TABLE AS SELECT."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.generated import writing_schema
from catalog_app.domain.nested import typed_like
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from catalog_app.domain.types import parse_type, value_type
from catalog_app.engine.values import FileSource
from catalog_app.importing.keeping import is_kind_kept
from catalog_app.importing.scanning import file_convert, untyped_columns
from catalog_app.importing.values import ColumnChoice, FileFormat, Reading
from catalog_app.models import FileImport
from catalog_app.selectors.imports import import_get
from catalog_app.selectors.segments import segments_list
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register
from catalog_app.services.imports import import_opened, import_prolong
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.faults import fault_point
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.checks import staged_rows_check
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.data import commit_rows, staging, write_metrics
from lakeui.frontdoor.ddl import commit_table, create_operation, new_table
from lakeui.frontdoor.dispatch import carry_out, statement_admit
from lakeui.frontdoor.evolving import grown_type
from lakeui.frontdoor.json_columns import with_maps
from lakeui.frontdoor.keyed_merges import keyed_merge, keys_require, typed_rows
from lakeui.frontdoor.places import Call, TablePlace, table_for_writing
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.values import ImportLoad, KeyedMerge, Session, StatementResult
from lakeui.sql import statements as sql
from lakeui.sql.dialect import quote_name

OPERATION = "IMPORT"
"""How the commit is called in the history."""


def import_load(load: ImportLoad, *, name: str, session: Session, context: Any = None) -> StatementResult:
    """Load the file called ``name``. Raises LakeError."""
    with recorded(session, context) as record:
        record.is_a(load, session)
        return record.answers(carry_out(_load, load, import_text(load, name), session, context))


def import_admit(load: ImportLoad, *, name: str, session: Session) -> int | None:
    """Judge a load that is about to become a task; the catalog that the task belongs to."""
    return statement_admit(load, import_text(load, name), session)


def import_text(load: ImportLoad, name: str) -> str:
    """How the history shows it."""
    text = f"{OPERATION} {name} INTO {quote_name(load.table.database)}.{quote_name(load.table.table)}"
    if load.merge is None:
        return text
    return f"{text} {load.merge.strategy.upper()} BY {', '.join(map(quote_name, load.merge.key_columns))}"


def import_lifetime() -> timedelta:
    """How long a file waits to be loaded."""
    return timedelta(hours=settings.LAKEUI["IMPORT_HOURS"])


def _load(call: Call, load: ImportLoad) -> StatementResult:
    made = import_get(call.branch, load.import_id, user_id=call.session.user_id)
    import_prolong(made, lifetime=import_lifetime())
    if load.merge is not None:
        return _merge(call, load, load.merge, made)
    return _create(call, load, made) if load.is_new else _append(call, load, made)


def _create(call: Call, load: ImportLoad, made: FileImport) -> StatementResult:
    columns = tuple(sql.ColumnDefinition(choice.name, choice.type) for choice in load.reading.chosen)
    if not columns:
        raise InvalidValue("The file names no column, so no table can be made of it.", remedy="Send a file with rows.")
    statement = sql.CreateTable(load.table, primary_key=load.primary_key, partition_by=load.partition_by)
    created = new_table(call, statement, columns)
    staged = _stage(call, created, load.reading, made)
    staged_rows_check(created, staged, [])
    added = data_files_register(created.table.table_id, staged)
    metrics = _metrics(staged)
    operations: list[Operation | None] = [create_operation(created.table)]
    if added:
        operations.append(
            alterations.operation(created.table, OperationKind.INSERT, effects=FileEffects(added), metrics=metrics)
        )
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    return replace(commit_table(call, created, OPERATION, operations), metrics=metrics)


def _append(call: Call, load: ImportLoad, made: FileImport) -> StatementResult:
    target = table_for_writing(call, load.table)
    _require_known(target, load.reading.chosen)
    load = replace(load, reading=with_maps(target.table.schema, load.reading, made))
    staged = []
    if load.reading.chosen:
        keep_kind = _kept_kinds(target, load.reading, made)
        staged = _stage(call, target, _as_in_table(target, load.reading), made, keep_kind=keep_kind)
    metrics = _metrics(staged)
    if not staged:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    added = data_files_register(target.table.table_id, staged)
    staged_rows_check(target, staged, segments_list(target.place.snapshot, target.table.table_id))
    return commit_rows(call, target, OPERATION, OperationKind.INSERT, FileEffects(added), metrics)


def _merge(call: Call, load: ImportLoad, merge: KeyedMerge, made: FileImport) -> StatementResult:
    target = table_for_writing(call, load.table)
    load = replace(load, reading=with_maps(target.table.schema, load.reading, made))
    # Where the file has types, they are held against the table's; text has the types that it is read as.
    has_types = made.format in (FileFormat.PARQUET, FileFormat.ARROW)
    as_stored = _as_in_table(target, load.reading)
    reading = _with_types(load.reading, as_stored, made) if has_types else as_stored
    keep_kind = _kept_kinds(target, load.reading, made)
    stored = {choice.name.casefold(): choice.type for choice in as_stored.chosen}
    if has_types and merge.schema_evolution:
        stored = dict(_grown(target, reading.chosen))
    with _converted(call, reading, made, kept_as=stored, keep_kind=keep_kind) as rows:
        if not rows.rows:
            keys_require(target, merge)
            return StatementResult(version=target.place.snapshot.version, metrics=write_metrics())
        return keyed_merge(call, target, merge, rows, reading.chosen)


def _require_known(target: TablePlace, columns: Sequence[ColumnChoice]) -> None:
    """Raise NotFound with every column that the table lacks."""
    schema = target.table.schema
    unknown = [column.name for column in columns if schema.named(column.name) is None]
    if unknown:
        nearest = nearest_name(unknown[0], [column.name for column in schema.columns])
        error = NotFound("column", unknown[0], nearest=nearest, where=f"in table {target.label}")
        error.details["columns"] = unknown
        error.remedy = " ".join(filter(None, [error.remedy, "Rename it, or leave it out of the import."]))
        raise error
    missing = [
        column.name
        for column in schema.columns
        if not column.nullable and column.default is None and not _has(columns, column.name)
    ]
    if missing:
        raise InvalidValue(
            f"Column {missing[0]} of {target.label} is NOT NULL without a default, and the file does not have it.",
            remedy="Rename a column of the file to it, or give the table's column a default.",
            columns=missing,
        )


def _as_in_table(target: TablePlace, reading: Reading) -> Reading:
    """The reading with the table's types: they decide, and numbers of JSON are read as such. Fields inside of columns
    stay where the file has them.
    """
    types = {column.name.casefold(): column.type for column in target.table.schema.columns}
    columns = (replace(item, type=_typed(item.type, types.get(item.name.casefold()))) for item in reading.columns)
    return replace(reading, columns=tuple(columns))


def _with_types(reading: Reading, as_stored: Reading, made: FileImport) -> Reading:
    """The reading with the table's types of columns that have none in the file: they hold NULL only."""
    with import_opened(made, reading, warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"])) as file:
        untyped = untyped_columns(file, FileFormat(made.format))
    pairs = zip(reading.columns, as_stored.columns, strict=True)
    return replace(reading, columns=tuple(known if item.source in untyped else item for item, known in pairs))


def _kept_kinds(target: TablePlace, reading: Reading, made: FileImport) -> frozenset[str]:
    """Sources of JSON columns for which nobody chose the kind of the table's column. JSON tells a text from a number,
    a CSV does not.
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


def _grown(target: TablePlace, columns: Sequence[ColumnChoice]) -> Iterator[tuple[str, str]]:
    """By name, the types that known columns have after the schema evolved."""
    for choice in columns:
        column = target.table.schema.named(choice.name)
        if column is not None:
            yield choice.name.casefold(), grown_type(column, choice.type)


def _has(columns: Sequence[ColumnChoice], name: str) -> bool:
    return any(column.name.casefold() == name.casefold() for column in columns)


def _stage(
    call: Call, target: TablePlace, reading: Reading, made: FileImport, *, keep_kind: Collection[str] = ()
) -> list[NewDataFile]:
    table = target.table
    with _converted(call, reading, made, keep_kind=keep_kind) as rows, staging(call):
        call.context.step("write", f"{rows.rows:,} rows of {target.label}")
        source = typed_rows(rows, reading.chosen)
        return engine().append(
            table.table_id,
            writing_schema(table),
            source,
            columns=None,
            by_name=True,
            partition=None,
            fills_fields=True,
        )


@contextmanager
def _converted(
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
    call.context.step("read", made.name)
    try:
        warehouse.make_folder(folder)
        with (
            import_opened(made, reading, warehouse=warehouse) as file,
            warehouse.filesystem.open_output_stream(warehouse.absolute(path)) as target,
        ):
            form = FileFormat(made.format)
            rows = file_convert(file, form, reading, target, kept_as=kept_as, keep_kind=keep_kind)
        yield FileSource(path, tuple(choice.name for choice in reading.chosen), rows)
    finally:
        warehouse.discard(folder)


def _metrics(staged: Sequence[NewDataFile]) -> dict[str, int]:
    return write_metrics(
        rows_inserted=sum(file.rows for file in staged),
        files_added=len(staged),
        bytes_written=sum(file.bytes for file in staged),
    )
