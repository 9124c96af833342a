"""Whether the maps of a file have each key once."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.engine.answers import json_rows
from lakeui.common.errors import InvalidValue


def keys_require(maps: pa.MapArray, rows: npt.NDArray[np.int64], path: str) -> None:
    """Raise InvalidValue for the first map that has a key twice, or NULL for a key. ``rows``: the row of each map."""
    pairs = maps.cast(pa.list_(pa.struct([("key", maps.type.key_type), ("value", maps.type.item_type)])))
    keys = pc.struct_field(pc.list_flatten(pairs), [0])
    owners = np.repeat(np.arange(len(maps)), pc.fill_null(pc.list_value_length(pairs), 0).to_numpy())
    if keys.null_count:
        owner = int(owners[pc.index(keys.is_null(), True).as_py()])
        raise InvalidValue(
            f"Row {int(rows[owner]):,}: a map in {path} has NULL for a key.",
            remedy="Give every entry of the map a key.",
            row=int(rows[owner]),
            column=path,
        )
    place = _doubled(owners, keys)
    if place is not None:
        row = int(rows[int(owners[place])])
        key = json_rows(pa.table({"key": keys[place : place + 1]}))[0][0]
        raise InvalidValue(
            f"Row {row:,}: a map in {path} has the key {key} twice.",
            remedy="Give each key of a map once.",
            row=row,
            column=path,
        )


def _doubled(owners: npt.NDArray[np.int64], keys: pa.Array) -> int | None:
    """The place of the first key that its map has a second time."""
    if pa.types.is_nested(keys.type):
        keys = pa.array([json.dumps(key) for (key,) in json_rows(pa.table({"key": keys}))], pa.string())
    if pa.types.is_floating(keys.type):
        # One zero, as Spark compares keys.
        keys = pc.add(keys, pa.scalar(0.0, keys.type))
    places = pa.table({"owner": owners, "key": keys, "place": np.arange(len(keys))})
    found = places.group_by(["owner", "key"]).aggregate([("place", "count"), ("place", "min")])
    twice = found.filter(pc.greater(found["place_count"], 1))["place_min"]
    return None if not len(twice) else int(pc.min(twice).as_py())
