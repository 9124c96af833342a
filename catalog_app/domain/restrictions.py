"""What a restriction leaves of a table: rows that its filter lets through, and masks in the place of columns.

A restriction belongs to a table by its id, so it holds on every branch, at every tag and version, and after renames.
Its expressions are stored as those of CHECK constraints are: with the ids of columns in the place of their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog_app.domain.checks import columns_read, marks_replaced
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column, Schema
from lakeui.common.errors import RowsRestricted

USER = "'__lake_current_user'"
"""Stands in a stored expression for the name of who reads."""


@dataclass(frozen=True, slots=True)
class Mask:
    """``column``: its id. ``name``: what it is called where the mask is set."""

    column: int
    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """``names``: by id what the columns that the expressions read are called where they are set."""

    table_id: int
    row_filter: str = ""
    masks: tuple[Mask, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def hides_something(self) -> bool:
        return bool(self.row_filter or self.masks)


def restriction_replaced(present: Restriction, proposed: Restriction) -> Restriction:
    """What is left of a restriction where another one of the same people replaces its filter, or masks of it."""
    columns = {mask.column for mask in proposed.masks}
    names = {mask.name.casefold() for mask in proposed.masks}
    masks = tuple(mask for mask in present.masks if mask.column not in columns and mask.name.casefold() not in names)
    return replace(present, row_filter="" if proposed.row_filter else present.row_filter, masks=masks)


def restricted_columns(restrictions: Sequence[Restriction], schema: Schema, table: str) -> dict[int, str]:
    """By id of a column the stored expression that replaces it; two masks of one column make NULL of it. A mask holds
    for the column of its id and for that of its name. Raises RowsRestricted where there is neither.
    """
    found: dict[int, str] = {}
    for mask in (mask for restriction in restrictions for mask in restriction.masks):
        named = schema.named(mask.name)
        hidden = {column.id for column in (schema.column(mask.column), named) if column is not None}
        if not hidden:
            raise _missing(table, mask.name)
        for identifier in hidden:
            same = found.setdefault(identifier, mask.expression) == mask.expression
            found[identifier] = mask.expression if same else "NULL"
    return found


def expression_shown(stored: str, restriction: Restriction, schema: Schema, table: str) -> str:
    """The expression with the names that its columns have in the schema. Raises RowsRestricted where one is missing."""
    texts: dict[int, str] = {}
    for identifier in columns_read(stored):
        column = column_of(identifier, restriction.names, schema)
        if column is None:
            raise _missing(table, restriction.names.get(identifier, str(identifier)))
        texts[identifier] = quote_name(column.name)
    return marks_replaced(stored, texts.get)


def expression_stated(stored: str, names: Mapping[int, str]) -> str:
    """The expression as it was set, for people."""
    texts = {identifier: quote_name(name) for identifier, name in names.items()}
    return marks_replaced(stored, texts.get).replace(USER, "current_user()")


def column_of(identifier: int, names: Mapping[int, str], schema: Schema) -> Column | None:
    """The column of that id, else the one that has its name: CREATE OR REPLACE TABLE makes columns anew."""
    return schema.column(identifier) or schema.named(names.get(identifier, ""))


def _missing(table: str, column: str) -> RowsRestricted:
    return RowsRestricted(
        f"Rows of {table} are restricted by its column {column}, which the table does not have at this version.",
        remedy="Read a version that has the column, or ask an owner of the catalog to change the restriction.",
        table=table,
    )
