"""Values of two columns compared row by row (rows §1.5).

NULL equals NULL, NaN equals NaN, 0.0 equals -0.0, and nested values are equal as a whole. The order of a map's entries
does not count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.storage.times_as_numbers import plain_values

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Column = Any
"""An array of Arrow, or chunks of one."""


def same_values(left: Column, right: Column) -> Flags:
    """Row by row whether two columns of one type hold the same value."""
    return _same(_whole(left), _whole(right))


def is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _whole(column: Column) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    found = column.combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)


def _same(left: pa.Array, right: pa.Array) -> Flags:
    if pa.types.is_map(left.type):
        left, right = _sorted_entries(left), _sorted_entries(right)
    left, right = _plain(left), _plain(right)
    nulls, other_nulls = _flags(left.is_null()), _flags(right.is_null())
    same = nulls & other_nulls
    both = ~(nulls | other_nulls)
    if len(both) and both.all():
        return _same_present(left, right)
    if both.any():
        mask = pa.array(both)
        same[both] = _same_present(left.filter(mask), right.filter(mask))
    return same


def _plain(values: pa.Array) -> pa.Array:
    """The values in a type that Arrow compares."""
    if isinstance(values, pa.ExtensionArray):
        return _plain(values.storage)
    if pa.types.is_dictionary(values.type):
        return _plain(values.cast(values.type.value_type))
    if pa.types.is_float16(values.type):
        return values.cast(pa.float32())
    return values


def _sorted_entries(maps: pa.Array) -> pa.Array:
    """Maps as lists of their entries, in the order of their keys."""
    entries = pa.struct([("key", maps.type.key_type), ("value", maps.type.item_type)])
    lists = maps.cast(pa.list_(entries))
    lengths: Integers = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    flat = pc.list_flatten(lists)
    keys = _plain(pc.struct_field(flat, [0]))
    if pa.types.is_nested(keys.type):
        keys = pa.array([_text(key) for key in plain_values(keys)], type=pa.string())
    owners = np.repeat(np.arange(len(lists)), lengths)
    order = pc.sort_indices(pa.table({"owner": owners, "key": keys}), [("owner", "ascending"), ("key", "ascending")])
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), flat.take(order), mask=lists.is_null())


def _text(key: Any) -> str:
    """Alike for equal keys: 0.0 and -0.0 are one, at any depth."""
    if isinstance(key, dict):
        return "{" + ",".join(map(_text, key.values())) + "}"
    if isinstance(key, list):
        return "[" + ",".join(map(_text, key)) + "]"
    return repr(key + 0.0 if isinstance(key, float) else key)


def _same_present(left: pa.Array, right: pa.Array) -> Flags:
    """The same of values of which none is NULL."""
    if pa.types.is_struct(left.type):
        same = np.ones(len(left), np.bool_)
        for index in range(left.type.num_fields):
            same &= _same(pc.struct_field(left, [index]), pc.struct_field(right, [index]))
        return same
    if is_list(left.type):
        return _same_lists(left, right)
    same = _flags(pc.equal(left, right))
    if pa.types.is_floating(left.type):
        same |= _flags(pc.is_nan(left)) & _flags(pc.is_nan(right))
    return same


def _same_lists(left: pa.Array, right: pa.Array) -> Flags:
    lengths: Integers = pc.list_value_length(left).to_numpy().astype(np.int64)
    same: Flags = lengths == pc.list_value_length(right).to_numpy()
    if not same.all():
        mask = pa.array(same)
        left, right = left.filter(mask), right.filter(mask)
    # Rows of one length have as many items in both columns, so that items can be compared one by one.
    items = _same(pc.list_flatten(left), pc.list_flatten(right))
    owners = np.repeat(np.flatnonzero(same), lengths[same])
    same[owners[~items]] = False
    return same


def _flags(values: pa.Array) -> Flags:
    found: Flags = values.to_numpy(zero_copy_only=False)
    return found.astype(np.bool_)
