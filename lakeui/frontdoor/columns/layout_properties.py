"""What statements say of the layout of files, as properties of the table."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.checks import CLUSTERING, LAYOUT
from catalog_app.domain.layout import clustering_stored, layout_of, layout_stored
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.transforms import DAYS, HOURS, MONTHS, YEARS, transform_check
from catalog_app.domain.types import parse_type
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.sql import statements as sql

Field = tuple[str, int, Column]
_OF_TIME = frozenset({YEARS, MONTHS, DAYS, HOURS})


def layout_stated(
    fields: Sequence[sql.PartitionField], cluster_by: Sequence[str], schema: Schema, table: str
) -> dict[str, str]:
    """The properties that a layout is. Raises where a table with this schema cannot have it."""
    found = {}
    if fields:
        found[LAYOUT] = fields_stored(fields, schema, table)
    if cluster_by:
        found[CLUSTERING] = clustering_kept(cluster_by, schema, table)
    return found


def fields_stored(fields: Sequence[sql.PartitionField], schema: Schema, table: str) -> str:
    known: list[Field] = []
    for item in fields:
        column = column_named(item.column, schema, table)
        if column.id in schema.partition_by:
            raise NotSupported(
                f"{item.name} of {column.name} is not supported: {column.name} is a partition column, whose files"
                " hold one value already.",
                remedy="Leave one of the two out.",
                column=column.name,
            )
        transform_check(item.name, item.number, column.name, column.type)
        for name, _, other in known:
            if other.id == column.id and (name == item.name or {name, item.name} <= _OF_TIME):
                raise AlreadyExists("partition field", f"{name} of {column.name}", where=f"on table {table}")
        known.append((item.name, item.number, column))
    return layout_stored(known)


def clustering_kept(names: Sequence[str], schema: Schema, table: str) -> str:
    columns = [column_named(name, schema, table) for name in names]
    for column in columns:
        if parse_type(column.type).fields or column.type in ("variant", "binary"):
            raise InvalidValue(
                f"Rows are not clustered by {column.name} of type {column.type}.", remedy="Name a column with an order."
            )
        if column.id in schema.partition_by:
            raise InvalidValue(
                f"{column.name} is a partition column, which is the same in all rows of a file.",
                remedy="Name another column.",
            )
    return clustering_stored(columns)


def layout_stating(table: TableState) -> tuple[sql.PartitionField, ...]:
    """The layout of a table as a statement says it."""
    found = ((one, table.schema.column(one.column_id)) for one in layout_of(table.properties))
    return tuple(sql.PartitionField(one.name, one.number, column.name) for one, column in found if column is not None)


def column_named(name: str, schema: Schema, table: str) -> Column:
    column = schema.named(name)
    if column is None:
        nearest = nearest_name(name, [item.name for item in schema.columns])
        raise NotFound("column", name, nearest=nearest, where=f"in table {table}")
    return column
