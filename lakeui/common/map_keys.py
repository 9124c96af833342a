"""Whether the maps of Arrow's values have each key once, at any depth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakeui.common.errors import InvalidValue

_Rows = npt.NDArray[np.int64]


def holds_maps(kind: pa.DataType) -> bool:
    if pa.types.is_map(kind):
        return True
    return any(holds_maps(kind.field(place).type) for place in range(kind.num_fields))


def single_keys_require(values: pa.Array, column: str, *, first_row: int) -> None:
    """Raise InvalidValue for the first map of the column that has a key twice, or NULL for a key."""
    if holds_maps(values.type):
        _require(values, np.arange(first_row, first_row + len(values)), column)


def _require(values: pa.Array, rows: _Rows, path: str) -> None:
    kind = values.type
    if not holds_maps(kind):
        return
    if pa.types.is_struct(kind):
        for place, field in enumerate(kind):
            _require(pc.struct_field(values, [place]), rows, f"{path}.{field.name}")
        return
    is_map = pa.types.is_map(kind)
    lists = values.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))) if is_map else values
    owners = pc.list_parent_indices(lists).to_numpy()
    items = pc.list_flatten(lists)
    if not is_map:
        _require(items, rows[owners], f"{path}.element")
        return
    keys = pc.struct_field(items, [0])
    _keys_require(keys, owners, rows, path)
    _require(keys, rows[owners], f"{path}.key")
    _require(pc.struct_field(items, [1]), rows[owners], f"{path}.value")


def _keys_require(keys: pa.Array, owners: _Rows, rows: _Rows, path: str) -> None:
    place = pc.index(keys.is_null(), True).as_py() if keys.null_count else _doubled(owners, keys)
    if place is None:
        return
    row, key = int(rows[owners[place]]), keys[place].as_py()
    what = f"the key {key} twice" if key is not None else "NULL for a key"
    raise InvalidValue(
        f"Row {row:,}: a map in {path} has {what}.",
        remedy="Give each key of a map once, and none that is NULL.",
        row=row,
        column=path,
    )


def _doubled(owners: _Rows, keys: pa.Array) -> int | None:
    """The place of the first key that its map has a second time."""
    if pa.types.is_nested(keys.type):
        keys = pa.array([repr(key) for key in keys.to_pylist()], pa.string())
    if pa.types.is_floating(keys.type):
        # One zero, as engines compare keys.
        keys = pc.add(keys, pa.scalar(0.0, keys.type))
    places = pa.table({"owner": owners, "key": keys, "place": np.arange(len(keys))})
    found = places.group_by(["owner", "key"]).aggregate([("place", "count"), ("place", "min")])
    twice = found.filter(pc.greater(found["place_count"], 1))["place_min"]
    return int(pc.min(twice).as_py()) if len(twice) else None
