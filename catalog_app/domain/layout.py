"""How a table lays its rows into files: by values of partition transforms, and in the order of columns.

Both are properties of the table whose values name columns by id, as constraints do: they have facts, merges, restores
and clones as constraints have. They say how files are made from now on. What a file was laid by, it says itself, so
that files of several layouts lie beside each other, and none is written anew because a layout changes.

Partition columns as they are (``Schema.partition_by``) are no part of it: their values are facts of rows, which
statements on partitions name, drop and rename.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.checks import CLUSTERING, LAYOUT, column_mark, columns_read, condition_shown
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import DISTRIBUTION_MODE, RANGE
from catalog_app.domain.transforms import ORDERED, FileLayout, Transform, is_taken
from lakeui.common.errors import InvalidValue

_FIELD = re.compile(r"(\w+)\((?:(\d+), )?`__lake_c(\d+)`\)")


def layout_stored(fields: Sequence[tuple[str, int, Column]]) -> str:
    """The value of the property for transforms with their numbers and columns; empty for none."""
    return ", ".join(
        Transform(name, number, column.id).shown(f"`{column_mark(column)}`") for name, number, column in fields
    )


def clustering_stored(columns: Iterable[Column]) -> str:
    return ", ".join(f"`{column_mark(column)}`" for column in columns)


def layout_of(properties: Mapping[str, str]) -> tuple[Transform, ...]:
    """The transforms by which new files are laid."""
    found = _FIELD.findall(properties.get(LAYOUT, ""))
    return tuple(Transform(name, int(number or 0), int(column)) for name, number, column in found)


def clustering_of(properties: Mapping[str, str]) -> tuple[int, ...]:
    """The ids of the columns in whose order rows lie in new files."""
    return columns_read(properties.get(CLUSTERING, ""))


def layout_shown(table: TableState) -> tuple[str, ...]:
    """Each transform as statements write it, for people."""
    parts = [Transform(one.name, one.number, one.column_id) for one in layout_of(table.properties)]
    return tuple(condition_shown(one.shown(f"`__lake_c{one.column_id}`"), table.schema) for one in parts)


def clustering_shown(table: TableState) -> tuple[str, ...]:
    found = (table.schema.column(identifier) for identifier in clustering_of(table.properties))
    return tuple(column.name for column in found if column is not None)


def with_layout(schema: Schema, properties: Mapping[str, str]) -> Schema:
    """The schema with the transforms by which rows that are written under it are laid into files, and their order."""
    fields = layout_of(properties)
    clustered_by = clustering_of(properties) if properties.get(DISTRIBUTION_MODE) == RANGE else ()
    if not fields and not clustered_by:
        return schema
    return replace(schema, layout=tuple(one for one in fields if _fits(one, schema)), clustered_by=clustered_by)


def _fits(one: Transform, schema: Schema) -> bool:
    column = schema.column(one.column_id)
    return column is not None and is_taken(one.name, column.type)


def is_laid(layout: FileLayout, schema: Schema) -> bool:
    """Whether a file of this layout lies as files that are written under the schema."""
    return tuple(laid.transform for laid in without_order(layout)) == schema.layout


def without_order(layout: FileLayout) -> FileLayout:
    """What the layout says of each row."""
    return tuple(laid for laid in layout if laid.transform.name != ORDERED)


def order_of(layout: FileLayout) -> tuple[int, ...]:
    """The ids of the columns in whose order rows were put into the file."""
    return tuple(laid.transform.column_id for laid in layout if laid.transform.name == ORDERED)


def column_laid_check(table: TableState, column: Column, new_type: str | None = None) -> None:
    """Raise InvalidValue where the layout needs the column, which shall go, or another type of it than ``new_type``."""
    for one in layout_of(table.properties):
        if one.column_id in column.ids and (new_type is None or not is_taken(one.name, new_type)):
            field = one.shown(column.name)
            raise InvalidValue(
                f"The partition field {field} of {table.name} reads column {column.name}.",
                remedy=f"Drop it first: ALTER TABLE .. DROP PARTITION FIELD {field}. Files stay as they are.",
                column=column.name,
            )
    if new_type is None and not set(column.ids).isdisjoint(clustering_of(table.properties)):
        raise InvalidValue(
            f"{table.name} is clustered by column {column.name}.",
            remedy="Write ALTER TABLE .. CLUSTER BY with other columns, or NONE, first.",
            column=column.name,
        )
