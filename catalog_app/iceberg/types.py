"""Column types as Iceberg writes them, and which column of a file Iceberg reads as which column of the table."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import scaled, unscaled_of
from catalog_app.domain.types import Field, ParsedType
from lakeui.common.errors import NotSupported

_NAMES = {
    "boolean": "boolean",
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "varchar": "string",
    "char": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
_WIDER = {("int", "long"), ("float", "double")}
REWRITE = "Run OPTIMIZE on the table, which writes its files anew, and read it again."


Defaults = Mapping[int, Any]
"""By the id of a column, in JSON, what rows read as that are older than it."""
NO_DEFAULTS: Defaults = {}


def schema_json(schema: Schema, defaults: Defaults = NO_DEFAULTS) -> dict[str, Any]:
    """The schema as table metadata hold it: ids of lakeui are ids of Iceberg, at every depth."""
    return {"type": "struct", "schema-id": 0, "fields": [_column(column, defaults) for column in schema.columns]}


def _column(column: Column, defaults: Defaults) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": column.id,
        "name": column.name,
        "required": not column.nullable,
        "type": type_json(column.parsed, column.name),
    }
    if column.comment:
        described["doc"] = column.comment
    return {**described, "initial-default": defaults[column.id]} if column.id in defaults else described


def type_json(kind: ParsedType, path: str) -> Any:
    """The type in Iceberg's JSON. ``path`` names the column, or the field in it, to who is refused."""
    match kind.name:
        case "decimal":
            return f"decimal({kind.parameters[0]}, {kind.parameters[1]})"
        case "struct":
            return {"type": "struct", "fields": [_field(field, f"{path}.{field.name}") for field in kind.fields]}
        case "array":
            (element,) = kind.fields
            inner = type_json(element.type, f"{path}.element")
            return {"type": "list", "element-id": _id(element, path), "element": inner, "element-required": False}
        case "map":
            key, value = kind.fields
            return {
                "type": "map",
                "key-id": _id(key, path),
                "key": type_json(key.type, f"{path}.key"),
                "value-id": _id(value, path),
                "value": type_json(value.type, f"{path}.value"),
                "value-required": False,
            }
        case name if name in _NAMES:
            return _NAMES[name]
        case _:
            raise NotSupported(
                f"{path} has the type {kind.text}, which Iceberg does not have.",
                remedy="Read the table through lakeui, or leave the column out of a copy of it.",
                column=path,
            )


def _field(field: Field, path: str) -> dict[str, Any]:
    return {"id": _id(field, path), "name": field.name, "required": False, "type": type_json(field.type, path)}


def _id(field: Field, path: str) -> int:
    if not field.ids:
        raise NotSupported(f"The fields of {path} have no ids.", remedy=REWRITE, column=path)
    return field.ids[0]


def has_default(column: Column) -> bool:
    """Whether rows that are older than the column read as anything but NULL."""
    return column.initial_default is not None and column.initial_default.strip().upper() != "NULL"


def default_json(column: Column, value: Any) -> Any:
    """A value of the column as Iceberg's JSON has it: numbers and booleans as they are, all else as text."""
    if isinstance(value, Decimal):
        scale = column.parsed.parameters[1]
        return scaled(unscaled_of(value, scale), scale)
    return value if isinstance(value, bool | int) else str(value)


def files_check(schema: Schema, written: Schema, defaults: Defaults = NO_DEFAULTS) -> None:
    """Raises NotSupported, with the column, where an engine that reads by Iceberg's rules would show other values than
    lakeui in files of the schema ``written``. ``defaults``: those that the metadata say.
    """
    held = {column.id: column for column in written.columns}
    for column in schema.columns:
        other = held.get(column.id)
        if other is not None:
            _values_check(column.parsed, other.parsed, column.name)
        elif any(identifier in held or written.column(identifier) for identifier in column.ids):
            raise NotSupported(
                f"Some files hold the column {column.name} under another id: it was added on two branches.",
                remedy=REWRITE,
                column=column.name,
            )
        elif has_default(column) and column.id not in defaults:
            raise NotSupported(
                f"Rows older than the column {column.name} read as its default {column.initial_default}, which the"
                " metadata cannot say. Version 2 of Iceberg has no defaults, and version 3 has literals.",
                remedy=REWRITE,
                column=column.name,
            )


def _values_check(wanted: ParsedType, written: ParsedType, path: str) -> None:
    if not wanted.fields and not written.fields:
        _leaf_check(wanted, written, path)
    elif wanted.name != written.name:
        raise _otherwise(wanted, written, path)
    elif wanted.name == "struct":
        _members_check(wanted, written, path)
    else:
        for field, other in zip(wanted.fields, written.fields, strict=True):
            _id_check(field, other, f"{path}.{field.name}")
            _values_check(field.type, other.type, f"{path}.{field.name}")


def _members_check(wanted: ParsedType, written: ParsedType, path: str) -> None:
    held = {identifier: field for field in written.fields for identifier in field.ids}
    without_id = {field.name.casefold() for field in written.fields if not field.ids}
    for field in wanted.fields:
        inner = f"{path}.{field.name}"
        found = next((held[identifier] for identifier in field.ids if identifier in held), None)
        if found is not None:
            _id_check(field, found, inner)
            _values_check(field.type, found.type, inner)
        elif field.name.casefold() in without_id:
            raise _without_id(inner)


def _id_check(wanted: Field, written: Field, path: str) -> None:
    if not written.ids:
        raise _without_id(path)
    if wanted.ids[:1] != written.ids[:1]:
        raise NotSupported(
            f"Some files hold the field {path} under another id: it was added on two branches.",
            remedy=REWRITE,
            column=path,
        )


def _without_id(path: str) -> NotSupported:
    return NotSupported(f"Some files hold the field {path} without an id.", remedy=REWRITE, column=path)


def _leaf_check(wanted: ParsedType, written: ParsedType, path: str) -> None:
    before, after = type_json(written, path), type_json(wanted, path)
    if before == after or (before, after) in _WIDER:
        return
    if wanted.name == written.name == "decimal":
        (digits, scale), (most, same) = written.parameters, wanted.parameters
        if scale == same and digits <= most:
            return
    raise _otherwise(wanted, written, path)


def _otherwise(wanted: ParsedType, written: ParsedType, path: str) -> NotSupported:
    return NotSupported(
        f"Some files hold {path} as {written.text}, which Iceberg does not read as {wanted.text}.",
        remedy=REWRITE,
        column=path,
    )
