"""``ALTER TABLE t REPLACE COLUMNS (..)``: the drops, additions, alterations and moves that it amounts to, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.checks import column_free_check
from catalog_app.domain.generated import generated_key_of
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.state_diff import schema_changes
from catalog_app.domain.type_ranges import change_refused
from catalog_app.domain.types import parse_type
from catalog_app.services import alterations
from catalog_app.services.field_alterations import type_grown
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.fields import with_ids
from lakeui.frontdoor.columns.merge_settings import column_type_check, properties_after_drop
from lakeui.frontdoor.columns.new_table import defaults_check, table_columns
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.columns import column_operation, has_rows
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql


def replace_columns(call: Call, statement: sql.ReplaceColumns) -> StatementResult:
    """A column of a name that the table has stays the same one, with its values. No file is written."""
    target = table_for_writing(call, statement.table)
    table = target.table
    stated = {item.name.casefold() for item in statement.columns}
    dropped = [column for column in table.schema.columns if column.name.casefold() not in stated]
    own = [key for column in dropped for key in generated_key_of(table.properties, column)]
    left = {key: value for key, value in table.properties.items() if key not in own}
    names = [column.name for column in dropped]
    columns = _columns(target, statement.columns)
    after = replace(table, schema=replace(table.schema, columns=tuple(columns)))
    both = replace(table.schema, columns=(*columns, *dropped))
    alterations.columns_drop(replace(table, schema=both, properties=left), names)
    changes = schema_changes(table.schema, after.schema)
    change = alterations.operation(table, OperationKind.COLUMN, changes) if changes else None
    generated = alterations.properties_unset(table, own) if own else None
    return commit_table(call, target, "REPLACE COLUMNS", [change, properties_after_drop(table, names), generated])


def _columns(target: ResolvedTable, definitions: Sequence[sql.ColumnDefinition]) -> list[Column]:
    """The columns in the order of the statement, judged as ADD COLUMN and ALTER COLUMN judge them."""
    table = target.table
    fresh = [item for item in definitions if table.schema.named(item.name) is None]
    new = table_columns(table.table_id, fresh, is_new=False) if fresh else []
    if new:
        defaults_check(new)
        strict = any(not column.nullable and column.default is None for column in new)
        alterations.columns_add(table, new, [None] * len(new), has_rows=strict and has_rows(target))
    added = iter(new)
    kept = {item.name.casefold(): _kept(target, item) for item in definitions}
    return [kept[item.name.casefold()] or next(added) for item in definitions]


def _kept(target: ResolvedTable, wanted: sql.ColumnDefinition) -> Column | None:
    """The table's column of that name as stated; its key and what generates it stay."""
    table = target.table
    column = table.schema.named(wanted.name)
    if column is None:
        return None
    is_key = column.id in table.schema.primary_key
    is_generated = next(generated_key_of(table.properties, column), None) is not None
    nullable = wanted.nullable and not is_key
    if column.nullable and not nullable:
        column_operation(target, column.name, sql.SetNotNull())
    if wanted.default is not None:
        column_operation(target, column.name, sql.SetDefault(wanted.default))
    return replace(
        _typed(table, column, wanted.type),
        nullable=nullable,
        default=column.default if is_generated else wanted.default,
        comment=wanted.comment,
    )


def _typed(table: TableState, column: Column, wanted: str) -> Column:
    """The column in the stated type, if alterations give it that."""
    if wanted == column.type:
        return column
    column_type_check(table, column.name, wanted)
    if column.nested is None:
        alterations.column_type(table, column.name, wanted)
        return replace(column, type=wanted)
    column_free_check(table.properties, column)
    grown = type_grown(column.parsed, parse_type(wanted))
    if grown.text != wanted:
        raise change_refused(f"Column {column.name}", column.type, wanted, column=column.name)
    return column.with_fields(with_ids(table.table_id, grown))
