"""Values of any type as Python has them, times as numbers: those after the year 9999 are none of Python's."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def plain_values(values: Any) -> list[Any]:
    """The values of an array of Arrow."""
    kind = type_with_numbers(values.type)
    found: list[Any] = (values if kind == values.type else values.cast(kind)).to_pylist()
    return found


def type_with_numbers(kind: Any) -> Any:
    if pa.types.is_date32(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_map(kind):
        return pa.map_(_in_field(kind.key_field), _in_field(kind.item_field))
    if pa.types.is_list(kind):
        return pa.list_(_in_field(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([_in_field(kind.field(at)) for at in range(kind.num_fields)])
    return kind


def _in_field(held: Any) -> Any:
    return held.with_type(type_with_numbers(held.type))
