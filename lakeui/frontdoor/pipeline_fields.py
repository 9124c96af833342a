"""Fields inside of a batch's columns, put into the places in which the table has them."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.types import value_type
from catalog_app.engine.assigning import Matching, assigned_value
from catalog_app.services.field_alterations import type_grown
from lakeui.sql.dialect import quote_name


def with_fields_of(table: TableState, text: str, columns: Sequence[tuple[str, str]], *, evolves: bool) -> str:
    """The query whose nested columns have the fields of the table's, by name; ``columns`` are its own (name, type).

    Spark compares structs by the places of their fields: only so does a strategy find that a row did not change. A
    field that the batch lacks is NULL. ``evolves``: fields that the table lacks stay, behind those that it has.
    """
    outputs = [_output(table, name, kind, evolves=evolves) for name, kind in columns]
    if all(output == quote_name(name) for output, (name, _) in zip(outputs, columns, strict=True)):
        return text
    # A line break ends what may be a comment at the end of the query.
    return f"SELECT {', '.join(outputs)} FROM ({text}\n)"


def _output(table: TableState, name: str, kind: str, *, evolves: bool) -> str:
    column, given = table.schema.named(name), value_type(kind)
    if column is None or not (column.parsed.fields and given.fields) or given.text == column.type:
        return quote_name(name)
    wanted = type_grown(column.parsed, given) if evolves else column.parsed
    value = assigned_value(Column(column.id, name, wanted.text), quote_name(name), kind, Matching.FILLED)
    return f"{value} AS {quote_name(name)}"
