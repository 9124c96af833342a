"""Counts of columns: those by hand on random tables, and the same whoever counts, DuckDB or Spark."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.schema import Column, Schema
from catalog_app.engine import profiling
from catalog_app.engine.profiling import ColumnCounts
from catalog_app.engine.types import arrow_type
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import EngineError
from tests.engine.lake import TABLE, Lake, schema_of
from tests.engine.test_plain_cells import KINDS, ROWS
from tests.support.soak import IS_SOAK

RANDOM = ("id bigint", "n int", "d double", "f float", "price decimal(20,3)", "at timestamp", "on date", "t string")
NAN = float("nan")


def chance_value(chance: random.Random, kind: str) -> Any:
    """Few different values, so that many rows share one, or very many."""
    number = chance.choice([chance.randrange(-3, 4), chance.randrange(-(2**40), 2**40)])
    match kind:
        case "bigint":
            return chance.choice([number, 2**63 - 1, -(2**63)])
        case "int":
            return number % 2**31
        case "double" | "float":
            return chance.choice([0.0, -0.0, NAN, math.inf, -math.inf, 1e30, number / 4])
        case "timestamp":
            return chance.choice([number, number * 1000])
        case "date":
            return number % 100_000
        case "string":
            return chance.choice(["", " ", "é", "e\u0301", "ß", str(number), "\x00", "𝄞"])
        case _:
            return Decimal(number) / 8


def by_hand(values: list[Any]) -> tuple[int, int, Any, Any]:
    """NULLs, different values, the least, the largest. NaN is one value, above all others."""
    present = [value for value in values if value is not None]
    as_numbers = [math.inf if is_nan(value) else value for value in present]
    least = NAN if present and all(map(is_nan, present)) else min(as_numbers, default=None)
    largest = NAN if any(map(is_nan, present)) else max(as_numbers, default=None)
    distinct = {"NaN" if is_nan(value) else value for value in present}
    return len(values) - len(present), len(distinct), least, largest


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def counted(lake: Lake) -> list[ColumnCounts]:
    return list(lake.engine.profile(lake.scan(), lambda _: None))


def spark_forbidden(monkeypatch: pytest.MonkeyPatch, lake: Lake) -> None:
    monkeypatch.setattr(type(lake.engine._queries), "run", lambda *_: pytest.fail("Spark was asked"))


@pytest.mark.parametrize("seed", range(200 if IS_SOAK else 40))
def test_the_counts_are_those_by_hand(lake: Lake, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Files of several schema versions, with deleted rows."""
    spark_forbidden(monkeypatch, lake)
    chance = random.Random(seed)
    whole = schema_of(*chance.sample(RANDOM, 4))
    live: dict[int, list[Any]] = {column.id: [] for column in whole.columns}
    for number in range(chance.randrange(4)):
        columns = chance.sample(whole.columns, chance.randrange(1, 5))
        lake.schema = replace(whole, columns=tuple(columns))
        rows = chance.choice([0, 1, 7, 300]) or 1
        cells = {
            column.id: [chance.choice([None, *[chance_value(chance, column.type)] * 4]) for _ in range(rows)]
            for column in columns
        }
        arrays = {column.id: pa.array(cells[column.id], arrow_type(column.type)) for column in columns}
        ids = np.arange(rows, dtype=np.int64) + 1000 * number
        lake.add(lake.engine.cells_write(TABLE, lake.schema, RowCells(arrays, ()), ids))
        gone = sorted(chance.sample(range(rows), chance.choice([0, 0, rows // 2])))
        if gone:
            marked = lake.engine.mark_rows(TABLE, lake.files[-1], np.array(gone, dtype=np.int64))
            lake.files[-1] = replace(lake.files[-1], delete_paths=(marked.path,))
        for column in whole.columns:
            # As the file holds it: a float is rounded.
            held = arrays[column.id] if column.id in arrays else pa.nulls(rows)
            kind = held.type
            values = held.cast(pa.int64()).to_pylist() if pa.types.is_timestamp(kind) else held.to_pylist()
            live[column.id] += [value for place, value in enumerate(values) if place not in gone]
    lake.schema = whole
    for found in counted(lake):
        values = live[found.column.id]
        nulls, distinct, least, largest = by_hand(values)
        assert (found.rows, found.nulls, found.distinct) == (len(values), nulls, distinct), found.column
        if found.column.type not in ("timestamp", "date"):
            as_text: Callable[[Any], Any] = str if found.column.type.startswith("decimal") else lambda value: value
            for shown, value in ((found.least, least), (found.largest, largest)):
                assert shown is None if value is None else same(shown, value, as_text), (found.column, shown, value)
        held_by = Counter("NaN" if is_nan(value) else value for value in values if value is not None)
        frequent = [count for _, count in held_by.most_common(5) if count > 1 or distinct <= 5]
        assert [item.count for item in found.top] == frequent, found
        finite = [float(v) for v in values if isinstance(v, int | float | Decimal) and math.isfinite(v)]
        if found.bins:
            assert sum(item.count for item in found.bins) == len(finite)


def same(shown: Any, value: Any, as_text: Callable[[Any], Any]) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return str(shown).casefold().startswith(str(value).casefold()[:3])
    return bool(Decimal(shown) == value) if isinstance(value, Decimal) else bool(shown == value)


NESTED = ("tags array<double>", "place struct<x:int,y:array<string>>", "pairs map<string,int>", "padded char(3)")
NESTED_ROWS = (
    "|array(0.0D, double('NaN'))|named_struct('x', 1, 'y', array('a'))|map('a', 1)|'a'",
    "|array(-0.0D, double('NaN'))|named_struct('x', 1, 'y', NULL)|NULL|'a  '",
    "|array()|NULL|map()|NULL",
    "|NULL|named_struct('x', 1, 'y', array('a'))|map('b', NULL)|'b'",
)


def counted_alike(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> dict[str, ColumnCounts]:
    """What DuckDB counts, column by column, where Spark counts the same."""
    first = {found.column.name: found for found in counted(lake)}
    monkeypatch.setattr(profiling, "_files", lambda *_: None)
    for found in counted(lake):
        assert repr(found) == repr(first[found.column.name])
    return first


def test_duckdb_and_spark_count_alike(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of each type. Spark reads files without deleted rows in much less time."""
    lake.schema = schema_of(*KINDS, *NESTED)
    lake.values(*(row + rest for row, rest in zip(ROWS, NESTED_ROWS, strict=True)))
    lake.values(*(row + rest for row, rest in zip(ROWS[::-1], NESTED_ROWS, strict=True)))
    found = counted_alike(lake, monkeypatch)
    assert found["tags"].distinct == 2
    assert found["place"].distinct == 2
    assert (found["pairs"].distinct, found["pairs"].nulls) == (None, 2)
    assert found["padded"].distinct == 2
    assert (found["id"].rows, found["id"].distinct) == (8, 4)


def test_both_count_live_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that were updated lie in a file with row ids, others are deleted."""
    lake.schema = schema_of("id int", "n bigint", "tags array<double>")
    lake.values(*("1|10|array(0.0D)", "2|20|NULL", "3|30|array()", "4|0|array(1.0D)"))
    lake.values(*("4|0|array(1.0D)", "3|30|array()", "2|20|NULL", "1|10|array(0.0D)"))
    lake.update("id = 2", n="n + 1")
    lake.delete("id = 3")
    found = counted_alike(lake, monkeypatch)
    assert [(each.rows, each.nulls, each.distinct) for each in found.values()] == [(6, 0, 3), (6, 0, 3), (6, 2, 2)]
    assert (found["n"].least, found["n"].largest) == (0, 21)


def test_what_only_spark_reads_is_counted_by_spark(lake: Lake) -> None:
    """A column of another type in old files, one with a default of older rows, and a name that DuckDB has itself."""
    lake.schema = schema_of("a int", "file_index int")
    lake.values("1|7", "2|7")
    column = Column(3, "late", "string", initial_default="'x'")
    lake.schema = replace(lake.schema, columns=(Column(1, "a", "bigint"), lake.schema.columns[1], column))
    lake.values("1|8|'y'", "NULL|8|NULL")
    found = [(item.nulls, item.distinct, item.least) for item in counted(lake)]
    assert found == [(1, 2, 1), (0, 2, 7), (1, 2, "x")]


def test_a_field_made_anew_is_another_field(lake: Lake) -> None:
    first, anew = (f"struct<x#{number}:int>" for number in (2, 3))
    lake.schema = Schema((Column(1, "s", "struct<x:int>", nested=first),))
    lake.values("named_struct('x', 5)", "named_struct('x', 6)")
    lake.schema = Schema((Column(1, "s", "struct<x:int>", nested=anew),))
    assert lake.rows() == [[{"x": None}]] * 2
    assert [found.distinct for found in counted(lake)] == [1]


def test_frequent_values_come_first(lake: Lake) -> None:
    lake.schema = schema_of("n int", "d double", "t string")
    lake.values("1|0.0D|'a'", "2|-0.0D|'b'", "3|double('NaN')|'c'", "4|double('NaN')|'d'", "5|NULL|'e'", "6|NULL|'e'")
    assert [[(item.value, item.count) for item in found.top] for found in counted(lake)] == [
        [],
        [(0.0, 2), ("NaN", 2)],
        [("e", 2), ("a", 1), ("b", 1), ("c", 1), ("d", 1)],
    ]


def test_no_rows(lake: Lake) -> None:
    lake.schema = schema_of("a int", "t string")
    assert [(found.rows, found.nulls, found.distinct, found.least) for found in counted(lake)] == [(0, 0, 0, None)] * 2


def test_a_count_that_is_stopped_says_so(lake: Lake) -> None:
    lake.schema = schema_of("a bigint")
    rows = 3_000_000
    values = pa.array(np.random.default_rng(1).integers(0, 2**60, rows))
    lake.add(lake.engine.cells_write(TABLE, lake.schema, RowCells({1: values}, ()), np.arange(rows, dtype=np.int64)))

    def soon(stop: Callable[[], None]) -> None:
        threading.Timer(0.1, stop).start()

    with pytest.raises(EngineError, match="stopped"):
        list(lake.engine.profile(lake.scan(), soon))
