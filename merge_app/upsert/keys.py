"""Key columns in a normal form in which equal keys are equal values (rows §3).

NULL equals NULL and NaN equals NaN, both by null-safe comparison; -0.0 becomes 0.0. Moments become whole numbers, so
that no engine rounds nanoseconds, and text and bytes their long forms. Nested values are no keys.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakeui.common.errors import InvalidValue, NotSupported

_MOST_DIGITS = 38


def key_names(count: int) -> list[str]:
    """What key columns are called among rows to match: ``k0``, ``k1`` and so on."""
    return [f"k{index}" for index in range(count)]


def normal_type(kind: pa.DataType) -> pa.DataType | None:
    """The type of keys in normal form; None for types that cannot be keys."""
    kinds = pa.types
    if kinds.is_dictionary(kind):
        return normal_type(kind.value_type)
    if kinds.is_date32(kind) or kinds.is_time32(kind):
        return pa.int32()
    if kinds.is_temporal(kind) and not kinds.is_interval(kind):
        return pa.int64()
    if kinds.is_decimal(kind):
        return pa.decimal128(kind.precision, kind.scale) if kind.precision <= _MOST_DIGITS else None
    if kinds.is_floating(kind):
        return pa.float64()
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return pa.large_string()
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind):
        return pa.large_binary()
    return kind if kinds.is_integer(kind) or kinds.is_boolean(kind) else None


def normal(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Values of a key column in normal form."""
    wanted = normal_type(column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    column = column if column.type.equals(wanted) else column.cast(wanted)
    # -0.0 + 0.0 is 0.0, and every other number plus 0.0 is itself.
    return pc.add(column, 0.0) if pa.types.is_floating(wanted) else column


def require_keys(key_columns: Sequence[str], schema: pa.Schema, where: str) -> None:
    """Refuse keys that the schema lacks, and types that cannot be compared."""
    if not key_columns:
        raise InvalidValue("No key columns are named.", remedy="Name at least one in key_columns.")
    for name in key_columns:
        if name not in schema.names:
            raise InvalidValue(
                f"{where} has no key column {name}.", remedy=f"It has: {', '.join(schema.names)}.", column=name
            )
        if normal_type(schema.field(name).type) is None:
            raise NotSupported(
                f"Column {name} of type {schema.field(name).type} cannot be a key.",
                remedy="Keys are numbers, text, bytes, booleans, dates and times.",
                column=name,
            )
