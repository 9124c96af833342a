"""CREATE TABLE: empty, LIKE another, of a query, as a clone, or of files that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.generated import checks_stated_shown, generated_shown, identities_shown, writing_schema
from catalog_app.domain.layout import clustering_shown
from catalog_app.domain.operations import (
    FileEffects,
    Operation,
    OperationKind,
)
from catalog_app.domain.state import TableState, comment_of
from catalog_app.domain.types import parse_type, untyped_path, value_type
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.services import alterations
from catalog_app.services.files import (
    data_files_register,
)
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import (
    Call,
    ResolvedTable,
    place_of,
    table_exists,
    table_for_reading,
)
from lakeui.frontdoor.columns.layout_properties import layout_stating
from lakeui.frontdoor.columns.new_table import create_operation, new_table
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import staged_rows_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.rows.writes import bytes_of, staging, write_metrics
from lakeui.frontdoor.tables.cloning import clone_table
from lakeui.frontdoor.tables.tables import commit_table, with_notice
from lakeui.frontdoor.tables.take_over import table_take_over
from lakeui.sql import statements as sql
from merge_app.execution.apply import Applied


def table_make(call: Call, statement: sql.CreateTable) -> StatementResult:
    if statement.if_not_exists and table_exists(place_of(call, statement.table), statement.table.table):
        return StatementResult()
    if statement.clone is not None:
        return clone_table(call, statement, statement.clone)
    if statement.taken is not None:
        return table_take_over(call, statement, statement.taken)
    if statement.query is not None:
        return noted(statement, create_table_as(call, statement))
    return noted(statement, _create(call, statement))


def _create(call: Call, statement: sql.CreateTable) -> StatementResult:
    wanted = statement if statement.like is None else _like(call, statement, statement.like)
    created = new_table(call, wanted, wanted.columns)
    return commit_table(call, created, "CREATE TABLE", [create_operation(created.table)])


def _like(call: Call, statement: sql.CreateTable, like: sql.TableName) -> sql.CreateTable:
    """The statement with the columns, key, partitioning and comment of that table."""
    table = table_for_reading(call, like).table
    by_id = {column.id: column.name for column in table.schema.columns}
    generated, counted = generated_shown(table), identities_shown(table)
    definitions = tuple(
        sql.ColumnDefinition(
            column.name,
            column.type,
            column.nullable,
            column.default,
            column.comment,
            generated=generated.get(column.name),
            identity=counted.get(column.name),
        )
        for column in table.schema.columns
    )
    return replace(
        statement,
        columns=definitions,
        primary_key=tuple(by_id[i] for i in table.schema.primary_key),
        partition_by=tuple(by_id[i] for i in table.schema.partition_by),
        layout=layout_stating(table),
        cluster_by=clustering_shown(table),
        comment=comment_of(table),
        checks=tuple(sql.CheckConstraint(condition, name) for name, condition in checks_stated_shown(table).items()),
    )


def noted(statement: sql.CreateTable, result: StatementResult) -> StatementResult:
    """The result, with a notice where the statement asked for another format than the table gets."""
    if statement.asked_format is None:
        return result
    notice = (
        f"USING {statement.asked_format}: the table is one of lakeui, stored as Parquet; "
        "it has branches, versions and MERGE INTO."
    )
    return with_notice(result, notice)


def create_table_as(
    call: Call, statement: sql.CreateTable, *, keep: Callable[[ResolvedTable, Applied], None] | None = None
) -> StatementResult:
    """``keep`` writes more of the table in the transaction that makes it."""
    assert statement.query is not None
    source = query_source(call, statement.query)
    created = new_table(call, statement, query_columns(source))
    table = created.table
    staged = query_stage(call, table, source)
    staged_rows_check(created, staged, [])
    added = data_files_register(table.table_id, staged)
    inserted_rows = sum(file.rows for file in added)
    metrics = write_metrics(rows_inserted=inserted_rows, files_added=len(added), bytes_written=bytes_of(staged))
    rows: list[Operation | None] = [create_operation(table)]
    if added:
        inserted = alterations.operation(table, OperationKind.INSERT, effects=FileEffects(added), metrics=metrics)
        rows.append(inserted)
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    kept = None if keep is None else partial(keep, created)
    result = commit_table(call, created, "CREATE TABLE AS SELECT", rows, keep=kept)
    return replace(result, metrics=metrics)


def query_columns(source: QuerySource) -> list[sql.ColumnDefinition]:
    """The columns of a table that is made of a query."""
    described = engine().columns_made(source.text, source.tables)
    _refuse_untyped(described)
    return [sql.ColumnDefinition(name, kind) for name, kind in described]


def query_stage(call: Call, table: TableState, source: QuerySource) -> list[NewDataFile]:
    """The rows of a query as files of the table that is made of it."""
    with staging(call):
        return engine().append(
            table.table_id, writing_schema(table), source, columns=None, by_name=False, partition=None
        )


def _refuse_untyped(described: Sequence[tuple[str, str]]) -> None:
    """Refuse columns and fields of a query of which nothing says what type they are, or whose type no column has."""
    for name, kind in described:
        try:
            parse_type(kind, of_value=True)
        except InvalidValue as other:
            raise InvalidValue(
                f"{name} is {kind.upper()}, which is no type that a column can have.",
                remedy=other.remedy,
                column=name,
            ) from None
        path = untyped_path(value_type(kind), name)
        if path is not None:
            raise InvalidValue(
                f"{path} has no type: the query gives nothing but NULL, or no element.",
                remedy="Give it one, for example CAST(NULL AS STRING) or CAST(array() AS ARRAY<INT>).",
                column=path,
            )
