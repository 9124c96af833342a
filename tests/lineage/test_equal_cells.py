"""When two cells are equal, whatever their type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.storage.cells import RowCells
from merge_app.lineage.cells import ColumnMerge, cells_equal, column_merge
from merge_app.lineage.steps import WriteImages

NAN = float("nan")
FLOATS = pa.list_(pa.float64())
STRUCT = pa.struct([("a", pa.float64()), ("b", pa.map_(pa.string(), pa.float64()))])
LATE = 5_000_000
"""A day after the year 9999."""


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (pa.float64(), NAN, 1.0),
        (FLOATS, [1.0, NAN], [NAN, 1.0]),
        (FLOATS, [NAN], [NAN, NAN]),
        (STRUCT, {"a": NAN, "b": [("k", NAN)]}, {"a": NAN, "b": [("k", 1.0)]}),
        (STRUCT, {"a": NAN, "b": None}, None),
        (pa.string(), None, "x"),
    ],
)
def test_nan_equals_itself_inside_of_cells_too(kind: Any, one: Any, other: Any) -> None:
    values = pa.array([one, one], type=kind)
    assert cells_equal(values, pa.array([one, other], type=kind)).tolist() == [True, False]


def test_order_of_map_entries_does_not_count() -> None:
    kind = pa.map_(pa.string(), pa.int64())
    one, other = ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)])
    assert cells_equal(pa.array([one, one], type=kind), pa.array([other, [("a", 2)]], type=kind)).tolist() == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        (STRUCT.field("a").type, (NAN, 1.0)),
        (FLOATS, ([0.0, NAN], [1.0])),
        (pa.struct([("a", FLOATS)]), ({"a": [0.0]}, None)),
    ],
)
def test_map_entries_have_no_order_by_any_key(key: Any, keys: tuple[Any, Any]) -> None:
    first, second = (item if item is not None else {"a": None} for item in keys)
    kind = pa.map_(key, pa.int64())
    one, other, third = [(first, 1), (second, 2)], [(second, 2), (first, 1)], [(second, 1), (first, 2)]
    assert cells_equal(pa.array([one, one], type=kind), pa.array([other, third], type=kind)).tolist() == [True, False]


def test_unchanged_array_with_nan_is_no_conflict() -> None:
    values = pa.array([[NAN]], type=FLOATS)
    merged = column_merge(values, pa.array([[NAN]], type=FLOATS), values, np.ones(1, dtype=bool))
    assert not merged.conflicts.any()


def test_nan_is_once_in_sets_and_never_summed() -> None:
    source, target, base = (pa.array([cell], type=FLOATS) for cell in ([NAN, 1.0], [NAN, 2.0], [NAN]))
    merged = column_merge(source, target, base, np.ones(1, dtype=bool), ColumnMerge.UNION)
    assert str(merged.values.to_pylist()) == "[[nan, 2.0, 1.0]]"
    infinite = (pa.array([cell]) for cell in (float("inf"), float("-inf"), 0.0))
    assert column_merge(*infinite, np.ones(1, dtype=bool), ColumnMerge.SUM).conflicts.all()


def test_days_python_lacks_are_compared_and_written() -> None:
    days = pa.array([LATE, 0], type=pa.int32()).cast(pa.date32())
    times = pa.array([LATE * 86_400_000_000, 0], type=pa.int64()).cast(pa.timestamp("us", "UTC"))
    inside = pa.ListArray.from_arrays([0, 1, 2], days)
    for column in (days, times, inside, pa.StructArray.from_arrays([days], ["d"])):
        assert cells_equal(column, column).all()
        images = [WriteImages.of(RowCells({1: column.take([at, at])}), np.arange(2), {}) for at in (0, 1)]
        assert images[0].digest != images[1].digest


def test_sets_of_days_python_lacks_are_united() -> None:
    kind = pa.list_(pa.date32())
    source, target, base = (
        pa.ListArray.from_arrays([0, len(days)], pa.array(days, type=pa.int32()).cast(pa.date32()))
        for days in ([LATE, 1], [LATE, 2], [LATE])
    )
    merged = column_merge(source, target, base, np.ones(1, dtype=bool), ColumnMerge.UNION)
    assert merged.values.type == kind
    assert merged.values.flatten().cast(pa.int32()).to_pylist() == [LATE, 2, 1]


def test_sums_of_long_decimals_are_exact() -> None:
    kind = pa.decimal128(38, 10)
    texts = ("1234567890123456789012345678.0000000003", "1234567890123456789012345678.0000000002")
    base = "1234567890123456789012345678.0000000001"
    source, target, before = (pa.array([Decimal(text)], type=kind) for text in (*texts, base))
    merged = column_merge(source, target, before, np.ones(1, dtype=bool), ColumnMerge.SUM)
    assert str(merged.values[0]) == "1234567890123456789012345678.0000000004"
