"""ALTER TABLE on fields inside of columns: ``s.x``, ``a.element``, ``m.value.x``."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.checks import column_free_check
from catalog_app.domain.nested import numbered, unnumbered
from catalog_app.domain.operations import ColumnChange
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.types import Field, ParsedType, parse_type
from catalog_app.services import alterations
from catalog_app.services.field_alterations import (
    field_added,
    field_dropped,
    field_moved,
    field_renamed,
    field_retyped,
    fields_change,
)
from catalog_app.services.files import column_ids_allocate
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.sql import statements as sql


def with_ids(table_id: int, kind: ParsedType) -> ParsedType:
    """The type whose new fields have ids of the table's counter."""
    count = unnumbered(kind)
    return numbered(kind, iter(column_ids_allocate(table_id, count))) if count else kind


def fields_add(
    table: TableState, given: Sequence[tuple[sql.ColumnDefinition, sql.Position | None]]
) -> list[ColumnChange]:
    """The fields that ADD COLUMN adds inside of columns."""
    changed: dict[int, Column] = {}
    for definition, position in given:
        name, *within = definition.within
        column = _changed(table, changed, name)
        field = Field(definition.name, parse_type(definition.type))
        is_first = position is not None and position.after is None
        kind = field_added(column, within, field, position.after if position else None, is_first=is_first)
        changed[column.id] = column.with_fields(kind)
    return _changes(table, changed)


def fields_drop(table: TableState, paths: Sequence[Sequence[str]], *, if_exists: bool) -> list[ColumnChange]:
    changed: dict[int, Column] = {}
    for name, *fields in paths:
        try:
            column = _changed(table, changed, name)
            changed[column.id] = column.with_fields(field_dropped(column, fields))
        except NotFound:
            if not if_exists:
                raise
    return _changes(table, changed)


def field_rename(table: TableState, name: str, fields: Sequence[str], new_name: str) -> list[ColumnChange]:
    column = alterations.column_get(table, name)
    return _changes(table, {column.id: column.with_fields(field_renamed(column, fields, new_name))})


def changes_fields(table: TableState, statement: sql.AlterColumn) -> bool:
    """Whether it is about fields inside of a column: it names one, or gives the column another nested type."""
    if statement.fields:
        return True
    nested = alterations.column_get(table, statement.column).nested is not None
    return nested and isinstance(statement.change, sql.ChangeType)


def field_alter(table: TableState, statement: sql.AlterColumn) -> list[ColumnChange]:
    column = alterations.column_get(table, statement.column)
    match statement.change:
        case sql.ChangeType(wanted):
            kind = field_retyped(column, statement.fields, parse_type(wanted))
        case sql.MoveColumn(position):
            kind = field_moved(column, statement.fields, position.after)
        case _:
            raise InvalidValue(f"{statement.column} cannot be changed in this way.", remedy="Change its TYPE.")
    return _changes(table, {column.id: column.with_fields(kind)})


def _changed(table: TableState, changed: dict[int, Column], name: str) -> Column:
    """The column as the statement has it by now."""
    column = alterations.column_get(table, name)
    return changed.get(column.id, column)


def _changes(table: TableState, changed: dict[int, Column]) -> list[ColumnChange]:
    found = []
    for identifier, column in changed.items():
        before = table.schema.column(identifier)
        assert before is not None
        column_free_check(table.properties, before)
        change = fields_change(before, with_ids(table.table_id, column.parsed))
        found += [] if change is None else [change]
    return found
