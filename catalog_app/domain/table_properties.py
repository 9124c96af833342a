"""Properties of tables that lakeui itself reads: their names and what they can be. All others are the person's own."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog_app.domain.schema import Schema
from catalog_app.domain.types import parse_type
from lakeui.common.errors import InvalidValue
from lakeui.common.nearest import nearest_name

MERGE_ON_READ, COPY_ON_WRITE = "merge-on-read", "copy-on-write"
_MODES = (MERGE_ON_READ, COPY_ON_WRITE)
MERGE_CONFLICTS = "merge.conflicts"
FILE, ROW, CELL = "file", "row", "cell"
GRANULARITIES = (FILE, ROW, CELL)
FORMAT_VERSION = "format-version"
"""The version of Iceberg's format in which other engines read the table; the first one where nothing is said."""
FORMATS = ("2", "3")
DISTRIBUTION_MODE = "write.distribution-mode"
"""Whether each write orders its own rows by the table's clustering (``range``), or OPTIMIZE alone does (``none``)."""
NONE, RANGE = "none", "range"
KNOWN: dict[str, tuple[str, ...]] = {
    **{f"write.{statement}.mode": _MODES for statement in ("delete", "merge", "update")},
    DISTRIBUTION_MODE: (NONE, RANGE),
    MERGE_CONFLICTS: GRANULARITIES,
    FORMAT_VERSION: FORMATS,
}
"""By property its values."""
MERGE_COLUMN = "merge.column."
"""Begins the property of a column: what becomes of its cells that both sides changed."""
SUM, UNION = "sum", "union"
COLUMN_MERGES = (SUM, UNION)

_OURS = ("write.", "merge.")


def properties_check(properties: Mapping[str, str]) -> None:
    """Raise InvalidValue for a name under ``write.`` or ``merge.`` that means nothing, and for a value that its
    property cannot have. The statement or the engine that reads it would find it out, or never.
    """
    for key, value in properties.items():
        if key.casefold() != FORMAT_VERSION and not key.casefold().startswith(_OURS):
            continue
        if key.startswith(MERGE_COLUMN) and key != MERGE_COLUMN:
            _value_check(key, value, COLUMN_MERGES)
        elif key in KNOWN:
            _value_check(key, value, KNOWN[key])
        else:
            nearest = nearest_name(key, KNOWN)
            meant = f"Did you mean {nearest}? " if nearest else ""
            listed = f"Known are {', '.join(KNOWN)} and {MERGE_COLUMN}<name>; names that begin otherwise are yours."
            raise InvalidValue(
                f"There is no table property {key}.", remedy=f"{meant}{listed}", field=key, nearest=nearest
            )


def _value_check(key: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise InvalidValue(
            f"{key} cannot be {value!r}.",
            remedy=f"Set it to {' or '.join(map(repr, known))}.",
            field=key,
            nearest=nearest_name(value, known),
        )


def merge_properties_check(properties: Mapping[str, str], schema: Schema, inherited: str) -> None:
    """Raise InvalidValue for properties of the merge, checked by name, that a table with ``schema`` cannot have or
    that would do nothing. ``inherited``: ``merge.conflicts`` of the catalog.
    """
    if MERGE_CONFLICTS in properties and schema.is_keyed:
        raise InvalidValue(
            f"A table with a primary key is merged by key and cell; {MERGE_CONFLICTS} has no effect on it.",
            remedy="Leave the property out.",
            field=MERGE_CONFLICTS,
        )
    by_cell = schema.is_keyed or properties.get(MERGE_CONFLICTS, inherited) == CELL
    for key in properties:
        if key.startswith(MERGE_COLUMN):
            _column_check(key, properties[key], schema)
            if not by_cell:
                raise InvalidValue(
                    f"{key} needs {MERGE_CONFLICTS} = '{CELL}'.", remedy=f"Set {MERGE_CONFLICTS} as well.", field=key
                )


def _column_check(key: str, value: str, schema: Schema) -> None:
    name = key.removeprefix(MERGE_COLUMN)
    column = next((item for item in schema.columns if item.name == name), None)
    if column is None:
        nearest = nearest_name(name, [item.name for item in schema.columns])
        raise InvalidValue(
            f"{key}: there is no column {name}.",
            remedy=f"Did you mean {MERGE_COLUMN}{nearest}?" if nearest else "Name a column of the table.",
            field=key,
            nearest=nearest and MERGE_COLUMN + nearest,
        )
    if column.id in (*schema.partition_by, *schema.primary_key):
        part = "a partition column" if column.id in schema.partition_by else "part of the primary key"
        raise InvalidValue(f"{key}: {name} is {part}.", remedy="Leave the property out.", field=key)
    if not merges_by(value, column.type):
        wanted = "an integer, decimal, float or double" if value == SUM else "an array"
        raise InvalidValue(
            f"{key} cannot be '{value}': column {name} is {column.type}.", remedy=f"Name {wanted} column.", field=key
        )


def merges_by(value: str, type_text: str) -> bool:
    """Whether cells of a column of this type can be merged by ``sum`` or ``union``."""
    return parse_type(type_text).name in (_NUMBERS if value == SUM else _ARRAYS)


_NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")
_ARRAYS = ("array",)


def column_merge_renamed(properties: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """The property of a column under the column's new name; empty where it has none."""
    value = properties.get(MERGE_COLUMN + old)
    return {} if value is None or old == new else {MERGE_COLUMN + new: value}
