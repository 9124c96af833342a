"""What a keyed merge means, row by row in plain Python: the judge of every implementation (rows §1, §3)."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Row = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    rows: list[Row]
    inserted: int
    updated: int


def merged(target: Sequence[Row], batch: Sequence[Row], strategy: str, keys: Sequence[str]) -> Expected:
    """Every row of the target that has a key of the batch becomes the batch's row; the batch's other rows are added.
    A row that has the batch's values already stays, and is no update.
    """
    rows = [dict(row) for row in target]
    inserted = updated = 0
    for given in batch:
        matching = [row for row in rows[: len(target)] if _has_key(row, given, keys)]
        if matching and strategy in {"update", "upsert"}:
            changed = [row for row in matching if not _has_key(row, given, list(given))]
            updated += len(changed)
            for row in changed:
                row.update(given)
        if not matching and strategy in {"insert", "upsert"}:
            inserted += 1
            rows.append(dict(given))
    return Expected(rows, inserted, updated)


def _has_key(row: Row, given: Row, keys: Sequence[str]) -> bool:
    return all(_is_same(row.get(key), given[key]) for key in keys)


def _is_same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_same(left[name], right[name]) for name in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_is_same, left, right))
    both_nan = isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right)
    return both_nan or bool(left == right)


def as_bag(rows: Sequence[Row] | pa.Table, columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    """Rows in no order, compared to the last bit: 0.0 and -0.0 differ, NaN is NaN, an absent value is None."""
    listed = rows.to_pylist() if isinstance(rows, pa.Table) else rows
    return Counter(tuple(exact(row.get(column)) for column in columns) for row in listed)


def exact(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    if isinstance(value, dict):
        return tuple((name, exact(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(exact(part) for part in value)
    return value
