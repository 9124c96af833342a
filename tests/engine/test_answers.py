"""Values of answers as JSON: of every type at every depth, also those that Python has none for."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from catalog_app.engine.answers import json_rows

BEYOND = pa.array([2_932_897, -800_000, None], pa.int32()).cast(pa.date32())
TIMES = pa.array([253_402_300_800_000_001, 1, None], pa.int64()).cast(pa.timestamp("us", "UTC"))
NOT_TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"a"], pa.binary()).buffers())


def listed(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(list(range(len(values) + 1)), values)


def mapped(values: pa.Array) -> pa.Array:
    return pa.MapArray.from_arrays(list(range(len(values) + 1)), pa.array(["k"] * len(values)), values)


def packed(values: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([values], names=["x"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (BEYOND, ["10000-01-01", "-0221-09-04", None]),
        (TIMES, ["10000-01-01T00:00:00.000001Z", "1970-01-01T00:00:00.000001Z", None]),
        (NOT_TEXT, ["\ufffd", "a"]),
        (pa.array([float("nan"), float("-inf"), -0.0]), ["NaN", "-Infinity", -0.0]),
        (pa.array([b"\x00\xff", None]), ["AP8=", None]),
    ],
)
def test_values_at_every_depth(values: pa.Array, expected: list[Any]) -> None:
    def answered(column: pa.Array) -> list[Any]:
        return [row[0] for row in json_rows(pa.table({"c": column}))]

    assert answered(values) == expected
    assert answered(listed(values)) == [[value] for value in expected]
    assert answered(mapped(values)) == [{"k": value} for value in expected]
    assert answered(packed(listed(packed(values)))) == [{"x": [{"x": value}]} for value in expected]
    assert answered(packed(mapped(values)).slice(1)) == [{"x": {"k": value}} for value in expected[1:]]


def test_what_is_not_there_is_null() -> None:
    table = pa.table(
        {
            "l": pa.array([[1, None], None, [], [3]]),
            "m": pa.array([[("a", 1)], None, [("b", None), ("c", 2)], []], pa.map_(pa.string(), pa.int64())),
            "s": pa.array([{"x": 1, "y": ["a"]}, None, {"x": None, "y": None}, {"x": 2, "y": []}]),
        }
    )
    rows = json_rows(table)
    assert rows == [
        [[1, None], {"a": 1}, {"x": 1, "y": ["a"]}],
        [None, None, None],
        [[], {"b": None, "c": 2}, {"x": None, "y": None}],
        [[3], {}, {"x": 2, "y": []}],
    ]
    assert json_rows(table.slice(1, 2)) == rows[1:3]
