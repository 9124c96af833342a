"""Load a file that somebody sent: one commit, through the pipe of INSERT and CREATE TABLE AS SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings

from catalog_app.domain.commit_messages import message_check
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from catalog_app.domain.quoting import quote_name
from catalog_app.importing.scanning import untyped_columns
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from catalog_app.models import FileImport
from catalog_app.selectors.imports import import_get
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register
from catalog_app.services.imports import import_opened, import_prolong
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.evolving import grown_type
from lakeui.frontdoor.columns.new_table import create_operation, new_table
from lakeui.frontdoor.dispatch import carry_out, statement_admit
from lakeui.frontdoor.expressions.checks import appended_rows_check, staged_rows_check
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge, Session, StatementResult
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.rows.imported_rows import (
    as_in_table,
    converted,
    file_stage,
    kept_kinds,
    rows_stage,
    staged_metrics,
)
from lakeui.frontdoor.rows.json_columns import with_maps
from lakeui.frontdoor.rows.keyed_merges import keyed_merge, keys_require
from lakeui.frontdoor.rows.writes import commit_rows, write_metrics
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql

OPERATION = "IMPORT"
"""How the commit is called in the history."""


def import_load(load: ImportLoad, *, name: str, session: Session, context: Any = None) -> StatementResult:
    """Load the file called ``name``. Raises LakeError."""
    session = replace(session, message=message_check(session.message))
    with recorded(session, context) as record:
        record.is_a(load, session)
        return record.answers(carry_out(_load, load, import_text(load, name), session, context))


def import_admit(load: ImportLoad, *, name: str, session: Session) -> int | None:
    """Judge a load that is about to become a task; the catalog that the task belongs to."""
    message_check(session.message)
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
    staged = file_stage(call, created, load.reading, made)
    staged_rows_check(created, staged, [])
    added = data_files_register(created.table.table_id, staged)
    metrics = staged_metrics(staged)
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
    staged = rows_stage(call, target, load.reading, made)
    metrics = staged_metrics(staged)
    if not staged:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    added = data_files_register(target.table.table_id, staged)
    appended_rows_check(target, staged)
    return commit_rows(call, target, OPERATION, OperationKind.INSERT, FileEffects(added), metrics)


def _merge(call: Call, load: ImportLoad, merge: KeyedMerge, made: FileImport) -> StatementResult:
    target = table_for_writing(call, load.table)
    load = replace(load, reading=with_maps(target.table.schema, load.reading, made))
    # Where the file has types, they are held against the table's; text has the types that it is read as.
    has_types = made.format in (FileFormat.PARQUET, FileFormat.ARROW)
    as_stored = as_in_table(target, load.reading)
    reading = _with_types(load.reading, as_stored, made) if has_types else as_stored
    keep_kind = kept_kinds(target, load.reading, made)
    stored = {choice.name.casefold(): choice.type for choice in as_stored.chosen}
    if has_types and merge.schema_evolution:
        stored = dict(_grown(target, reading.chosen))
    with converted(call, reading, made, kept_as=stored, keep_kind=keep_kind) as rows:
        if not rows.rows:
            keys_require(target, merge)
            return StatementResult(version=target.place.snapshot.version, metrics=write_metrics())
        return keyed_merge(call, target, merge, rows, reading.chosen)


def _with_types(reading: Reading, as_stored: Reading, made: FileImport) -> Reading:
    """The reading with the table's types of columns that have none in the file: they hold NULL only."""
    with import_opened(made, reading, warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"])) as file:
        untyped = untyped_columns(file, FileFormat(made.format))
    pairs = zip(reading.columns, as_stored.columns, strict=True)
    return replace(reading, columns=tuple(known if item.source in untyped else item for item, known in pairs))


def _grown(target: ResolvedTable, columns: Sequence[ColumnChoice]) -> Iterator[tuple[str, str]]:
    """By name, the types that known columns have after the schema evolved."""
    for choice in columns:
        column = target.table.schema.named(choice.name)
        if column is not None:
            yield choice.name.casefold(), grown_type(column, choice.type)
