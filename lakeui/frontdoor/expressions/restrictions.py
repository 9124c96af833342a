"""What a person says of restrictions, read and checked over the table's columns before it is stored."""

from __future__ import annotations

from collections.abc import Mapping

from catalog_app.domain.checks import columns_read, condition_shown
from catalog_app.domain.restrictions import USER, Mask, Restriction
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.engine.sources import require_assignable
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.expressions.analysis import assigned_columns, condition_analyse, rows_analyse
from lakeui.frontdoor.expressions.checks import condition_stored
from lakeui.sql.query import build_restriction
from lakeui.sql.statements import TableName


def restriction_stated(
    database: DatabaseState, table: TableState, row_filter: str, masks: Mapping[str, str]
) -> Restriction:
    """The restriction of the table; ``masks`` by name of a column. Raises InvalidValue, NotFound, NotSupported."""
    schema, name = table.schema, TableName(table.name, database.name)
    stored_filter = ""
    if row_filter:
        stored_filter = _stored(row_filter, name, schema, "A row filter")
        condition_analyse(condition_shown(stored_filter, schema), schema, table.name, "the row filter")
    found = []
    for column, text in assigned_columns(schema, tuple(masks.items()), f"{database.name}.{table.name}"):
        stored = _stored(text, name, schema, "A mask")
        _mask_check(column, condition_shown(stored, schema), schema, table.name)
        found.append(Mask(column.id, column.name, stored))
    if len({mask.column for mask in found}) != len(found):
        raise InvalidValue("A column has two masks.", remedy="Give each column one mask.", field="masks")
    read = {item for text in (stored_filter, *(mask.expression for mask in found)) for item in columns_read(text)}
    names = {item: known.name for item in sorted(read) if (known := schema.column(item)) is not None}
    return Restriction(table.table_id, stored_filter, tuple(found), names)


def _stored(text: str, table: TableName, schema: Schema, what: str) -> str:
    return condition_stored(build_restriction(text, table, USER.strip("'")), schema, table.table, what)


def _mask_check(column: Column, text: str, schema: Schema, alias: str) -> None:
    if text.upper() == "NULL":
        # Of any type.
        return
    kind = rows_analyse("", schema, alias, None, [(column, text)])[column.name]
    require_assignable(column, kind)
