"""Statements on databases and tables as operations: pure, from the state that the statement saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog_app.domain.checks import column_free_check
from catalog_app.domain.layout import column_laid_check
from catalog_app.domain.names import column_name_check
from catalog_app.domain.operations import (
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PartitionChange,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.type_ranges import change_refused
from catalog_app.domain.types import widens
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, NotNullViolation, PropertyNotFound
from lakeui.common.nearest import nearest_name


def object_kind(state: DatabaseState | TableState) -> ObjectKind:
    return ObjectKind.DATABASE if isinstance(state, DatabaseState) else ObjectKind.TABLE


def object_id(state: DatabaseState | TableState) -> int:
    return state.database_id if isinstance(state, DatabaseState) else state.table_id


def operation(
    state: DatabaseState | TableState, kind: OperationKind, changes: Sequence[Any] = (), **fields: Any
) -> Operation:
    """A staged operation on the object of this state."""
    return Operation(kind, object_kind(state), object_id(state), tuple(changes), **fields)


def create_describe(state: DatabaseState | TableState) -> dict[str, Any]:
    """What a CREATE operation records."""
    described: dict[str, Any] = {"name": state.name, "comment": state.comment, "properties": state.properties}
    if isinstance(state, TableState):
        described |= {"database_id": state.database_id, "schema": state.schema.as_json()}
    return described


def rename(state: DatabaseState | TableState, after: ObjectName) -> Operation | None:
    """None when that is its name."""
    database_id = state.database_id if isinstance(state, TableState) else None
    before = ObjectName(state.name, database_id)
    return None if before == after else operation(state, OperationKind.RENAME, [Rename(before, after)])


def properties_set(state: DatabaseState | TableState, properties: Mapping[str, str]) -> Operation | None:
    """None when all have these values."""
    known = state.properties
    changes = [
        PropertyChange(key, known.get(key), value) for key, value in properties.items() if known.get(key) != value
    ]
    return operation(state, OperationKind.SET_PROPERTIES, changes) if changes else None


def properties_unset(
    state: DatabaseState | TableState, keys: Sequence[str], *, if_exists: bool = False
) -> Operation | None:
    """None when no key is there and that is fine."""
    missing = [key for key in keys if key not in state.properties]
    if missing and not if_exists:
        raise PropertyNotFound(
            f"{state.name} has no property {missing[0]!r}.",
            remedy="Add IF EXISTS to pass over it.",
            property=missing[0],
        )
    changes = [PropertyChange(key, state.properties[key], None) for key in keys if key in state.properties]
    return operation(state, OperationKind.UNSET_PROPERTIES, changes) if changes else None


def column_get(table: TableState, name: str) -> Column:
    column = table.schema.named(name)
    if column is None:
        nearest = nearest_name(name, [item.name for item in table.schema.columns])
        raise NotFound("column", name, nearest=nearest, where=f"in table {table.name}")
    return column


def columns_add(
    table: TableState, columns: Sequence[Column], positions: Sequence[int | None], *, has_rows: bool
) -> Operation:
    """``positions``: id of the preceding column, 0 for first, None for last."""
    changes: list[ColumnChange] = []
    names = {column.name.casefold() for column in table.schema.columns}
    for column, position in zip(columns, positions, strict=True):
        column_name_check(column.name)
        if column.name.casefold() in names:
            raise AlreadyExists("column", column.name, where=f"in table {table.name}")
        names.add(column.name.casefold())
        if not column.nullable and column.default is None and has_rows:
            raise NotNullViolation(
                f"Column {column.name} is NOT NULL without a default, and table {table.name} has rows.",
                remedy="Give it a DEFAULT, or add it as nullable.",
            )
        changes.append(ColumnChange(column.id, ColumnAttribute.EXISTS, None, column.as_json()))
        if position is not None:
            changes.append(ColumnChange(column.id, ColumnAttribute.POSITION, None, position))
    return operation(table, OperationKind.COLUMN, changes)


def columns_drop(table: TableState, names: Sequence[str], *, if_exists: bool = False) -> Operation | None:
    chosen = [column_get(table, name) for name in names if not if_exists or table.schema.named(name)]
    for column in chosen:
        column_free_check(table.properties, column)
        column_laid_check(table, column)
        if column.id in (*table.schema.primary_key, *table.schema.partition_by):
            raise InvalidValue(
                f"Column {column.name} is part of the primary key or the partitioning.",
                remedy="Copy the table by CREATE TABLE without it.",
            )
    if len(chosen) == len(table.schema.columns):
        raise InvalidValue(f"Table {table.name} would have no column left.", remedy="Drop the table instead.")
    changes = [ColumnChange(column.id, ColumnAttribute.EXISTS, column.as_json(), None) for column in chosen]
    return operation(table, OperationKind.COLUMN, changes) if changes else None


def column_rename(table: TableState, name: str, new_name: str) -> Operation | None:
    """None when that is its name."""
    column_name_check(new_name)
    column = column_get(table, name)
    other = table.schema.named(new_name)
    if other is not None and other.id != column.id:
        raise AlreadyExists("column", new_name, where=f"in table {table.name}")
    return None if column.name == new_name else _change(table, column, ColumnAttribute.NAME, column.name, new_name)


def column_type(table: TableState, name: str, new_type: str) -> Operation | None:
    column = column_get(table, name)
    if new_type == column.type:
        return None
    column_free_check(table.properties, column)
    column_laid_check(table, column, new_type)
    if not widens(column.type, new_type):
        raise change_refused(f"Column {column.name}", column.type, new_type, column=column.name)
    return _change(table, column, ColumnAttribute.TYPE, column.type, new_type)


def column_attribute(table: TableState, name: str, attribute: ColumnAttribute, value: Any) -> Operation | None:
    """Set nullability, default or comment. None when it is so already."""
    column = column_get(table, name)
    before = getattr(column, attribute.value)
    if attribute is ColumnAttribute.NULLABLE and value and column.id in table.schema.primary_key:
        raise InvalidValue(
            f"Column {column.name} is part of the primary key; it stays NOT NULL.",
            remedy="Copy the table by CREATE TABLE with another key.",
        )
    return None if before == value else _change(table, column, attribute, before, value)


def column_move(table: TableState, name: str, after_id: int) -> Operation | None:
    """``after_id``: of the column that it stands behind then, 0 for none. None when it stands there."""
    column = column_get(table, name)
    ids = [item.id for item in table.schema.columns]
    index = ids.index(column.id)
    before = ids[index - 1] if index else 0
    return None if before == after_id else _change(table, column, ColumnAttribute.POSITION, before, after_id)


def _change(table: TableState, column: Column, attribute: ColumnAttribute, before: Any, after: Any) -> Operation:
    return operation(table, OperationKind.COLUMN, [ColumnChange(column.id, attribute, before, after)])


def partition_values(table: TableState, given: Sequence[tuple[str, str | None]]) -> tuple[str | None, ...]:
    """One value per partition column, in the order of the partitioning."""
    by_name = {name.casefold(): value for name, value in given}
    columns = table.schema.partition_columns
    if not columns:
        raise InvalidValue(f"Table {table.name} is not partitioned.", remedy="Give PARTITIONED BY in CREATE TABLE.")
    if set(by_name) != {column.name.casefold() for column in columns}:
        wanted = ", ".join(column.name for column in columns)
        raise InvalidValue(
            f"A partition of {table.name} is named by {wanted}.", remedy=f"Write PARTITION ({wanted} = ..)."
        )
    return tuple(by_name[column.name.casefold()] for column in columns)


def partition_change(
    table: TableState, before: tuple[str | None, ...] | None, after: tuple[str | None, ...] | None, **fields: Any
) -> Operation:
    return operation(table, OperationKind.PARTITION, [PartitionChange(before, after)], **fields)


def schema_new(
    columns: Sequence[Column], primary_key: Sequence[str], partition_by: Sequence[str], table_name: str
) -> Schema:
    """The schema of a new table. Key columns become NOT NULL."""
    by_name: dict[str, Column] = {}
    for column in columns:
        column_name_check(column.name)
        if column.name.casefold() in by_name:
            raise AlreadyExists("column", column.name, where=f"in table {table_name}")
        by_name[column.name.casefold()] = column
    ids = {}
    for name in (*primary_key, *partition_by):
        if name.casefold() not in by_name:
            raise NotFound("column", name, where=f"in table {table_name}")
        ids[name.casefold()] = by_name[name.casefold()].id
    key = tuple(ids[name.casefold()] for name in primary_key)
    strict = [_not_null(column) if column.id in key else column for column in columns]
    return Schema(tuple(strict), key, tuple(ids[name.casefold()] for name in partition_by))


def _not_null(column: Column) -> Column:
    return replace(column, nullable=False)
