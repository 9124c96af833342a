"""Arrow's types as column types, and the Arrow type in which values of a file are handed to Spark."""

from __future__ import annotations

import pyarrow as pa

from catalog_app.domain.quoting import write_name
from lakeui.common.errors import InvalidValue

_SAME = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp_ntz",
    pa.timestamp("us", "UTC"): "timestamp",
}
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
    pa.null(): pa.string(),
}
_LARGEST_PRECISION = 38


def taken_type(kind: pa.DataType, column: str) -> pa.DataType:
    """The nearest Arrow type that a table can hold. Raises InvalidValue where there is none."""
    if kind in _SAME:
        return kind
    if kind in _WIDER:
        return _WIDER[kind]
    if pa.types.is_dictionary(kind):
        return taken_type(kind.value_type, column)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if pa.types.is_decimal(kind) and kind.precision <= _LARGEST_PRECISION and 0 <= kind.scale <= kind.precision:
        return pa.decimal128(kind.precision, kind.scale)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_time(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    return _nested(kind, column)


def _nested(kind: pa.DataType, column: str) -> pa.DataType:
    if pa.types.is_struct(kind) and kind.num_fields:
        _refuse_same_names(kind, column)
        return pa.struct([pa.field(field.name, taken_type(field.type, column)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(taken_type(kind.value_type, column))
    if pa.types.is_map(kind):
        return pa.map_(taken_type(kind.key_type, column), taken_type(kind.item_type, column))
    raise InvalidValue(
        f"Column {column} holds values of type {kind}, which no table can hold.",
        remedy="Leave the column out of the file, or write it as another type.",
        column=column,
    )


def _refuse_same_names(kind: pa.DataType, column: str) -> None:
    """Refuse fields of a struct whose names differ in case only: no table can hold both."""
    seen: dict[str, str] = {}
    for name in [field.name for field in kind]:
        folded = name.casefold()
        if folded in seen:
            raise InvalidValue(
                f"Column {column} holds objects with the fields {seen[folded]} and {name}; case makes no difference.",
                remedy="Give every field of an object a name of its own.",
                column=column,
            )
        seen[folded] = name


def type_text(kind: pa.DataType) -> str:
    """Spark SQL's spelling of a type that ``taken_type`` answered."""
    if kind in _SAME:
        return _SAME[kind]
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_map(kind):
        return f"map<{type_text(kind.key_type)},{type_text(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"array<{type_text(kind.value_type)}>"
    return "struct<" + ",".join(f"{write_name(field.name)}:{type_text(field.type)}" for field in kind) + ">"
