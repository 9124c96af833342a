"""The columns of a batch in the types of the table, and the fields inside of them in its places."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from catalog_app.domain.assignment import is_assignable
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.domain.types import value_type, widens
from catalog_app.engine.assigning import Matching, assigned_value
from catalog_app.engine.types import storable_type
from catalog_app.services.field_alterations import type_grown


def as_in_table(
    table: TableState, text: str, columns: Sequence[tuple[str, str]], *, on_change: str, ordered_by: Collection[str]
) -> str:
    """The query whose columns have the types of the table's, and their fields by name; ``columns`` are its own (name,
    type).

    Only so is a row that did not change found to be the same, and a key to be the one that is stored. Columns that rows
    are ``ordered_by`` (folded) keep the values by which rows of one key differ. A field that the batch lacks is
    NULL; fields that the table lacks stay behind those that it has where it takes them. ``on_change`` is the pipeline's
    ``on_schema_change``.
    """
    outputs = [
        quote_name(name) if name.casefold() in ordered_by else _output(table, name, kind, on_change)
        for name, kind in columns
    ]
    if all(output == quote_name(name) for output, (name, _) in zip(outputs, columns, strict=True)):
        return text
    # A line break ends what may be a comment at the end of the query.
    return f"SELECT {', '.join(outputs)} FROM ({text}\n)"


def type_in_table(table: TableState, name: str, kind: str, on_change: str) -> str | None:
    """The type that values of the plain type ``kind`` have once they are stored; None where that is their own, where
    they cannot be stored, or where the table would have to change for them.
    """
    column, given = table.schema.named(name), value_type(kind)
    if column is None or column.parsed.fields or given.fields or given.text == column.type:
        return None
    if not is_assignable(given.text, column.type) or (on_change != "ignore" and widens(column.type, given.text)):
        return None
    return column.type


def _output(table: TableState, name: str, kind: str, on_change: str) -> str:
    column, given = table.schema.named(name), value_type(kind)
    wanted = type_in_table(table, name, kind, on_change)
    if column is not None and column.parsed.fields and given.fields and given.text != column.type:
        stored = value_type(storable_type(kind))
        wanted = (type_grown(column.parsed, stored) if on_change in ("append", "sync") else column.parsed).text
    if column is None or wanted is None:
        return quote_name(name)
    value = assigned_value(Column(column.id, name, wanted), quote_name(name), kind, Matching.FILLED)
    return f"{value} AS {quote_name(name)}"
