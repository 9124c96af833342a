"""Random tables and batches: every implementation does what the row-by-row model does."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.soak import IS_SOAK
from tests.upsert.conftest import MANAGED
from tests.upsert.engines import Counts, KeyedTable
from tests.upsert.model import Row, as_bag, exact, merged

MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))  # noqa: DTZ001
INSTANTS = MOMENTS.map(lambda moment: moment.replace(tzinfo=datetime.UTC))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
KEY_TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int64(): st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1]),
    pa.float64(): st.sampled_from([0.0, -0.0, float("nan"), 1.5, float("inf"), -float("inf")]),
    pa.string(): st.sampled_from(["", "a", "b", "ä", "\U0001f600"]) | TEXTS,
    pa.decimal128(12, 2): st.decimals(-2, 2, places=2),
    pa.timestamp("us", "UTC"): INSTANTS | st.sampled_from([datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)]),
    pa.date32(): st.dates(datetime.date(2026, 1, 1), datetime.date(2026, 1, 4)),
    pa.bool_(): st.booleans(),
}
VALUE_TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = KEY_TYPES | {
    pa.list_(pa.int64()): st.lists(st.none() | st.integers(0, 9), max_size=3),
    pa.struct([("x", pa.float64()), ("y", pa.list_(pa.string()))]): st.fixed_dictionaries(
        {"x": st.none() | st.floats(allow_nan=True), "y": st.none() | st.lists(TEXTS, max_size=2)}
    ),
    pa.map_(pa.string(), pa.int64()): st.dictionaries(TEXTS, st.integers(0, 9), max_size=2).map(
        lambda pairs: list(pairs.items())
    ),
    pa.binary(): st.binary(max_size=3),
}


def _column(types: dict[pa.DataType, st.SearchStrategy[Any]]) -> st.SearchStrategy[pa.DataType]:
    return st.sampled_from(list(types))


@st.composite
def _rows(draw: st.DrawFn, types: dict[str, pa.DataType], most: int) -> list[Row]:
    columns = {name: st.none() | VALUE_TYPES[kind] for name, kind in types.items()}
    return draw(st.lists(st.fixed_dictionaries(columns), max_size=most))


@st.composite
def _cases(draw: st.DrawFn) -> dict[str, Any]:
    """A target in one to four files, a batch with one row a key, and perhaps columns that only one of them has."""
    keys = {f"k{i}": kind for i, kind in enumerate(draw(st.lists(_column(KEY_TYPES), min_size=1, max_size=2)))}
    values = {f"v{i}": kind for i, kind in enumerate(draw(st.lists(_column(VALUE_TYPES), min_size=1, max_size=3)))}
    evolves = draw(st.booleans())
    missing = draw(st.sets(st.sampled_from(list(values)))) if evolves else set()
    added = {"more": draw(_column(VALUE_TYPES))} if evolves and draw(st.booleans()) else {}
    given_types = {name: kind for name, kind in (keys | values | added).items() if name not in missing}
    files = draw(st.lists(_rows(keys | values, 6), min_size=1, max_size=4))
    batch = draw(_rows(given_types, 8))
    stored = [row for file in files for row in file]
    for row in batch:
        # Half of the batch takes its key from the target, or else hardly any would match.
        if stored and draw(st.booleans()):
            row.update({key: draw(st.sampled_from(stored))[key] for key in keys})
    by_key = {tuple(exact(0.0 if row[key] == 0 else row[key]) for key in keys): row for row in batch}
    return {
        "files": [pa.Table.from_pylist(file, pa.schema(keys | values)) for file in files],
        "batch": pa.Table.from_pylist(list(by_key.values()), pa.schema(given_types)),
        "strategy": draw(st.sampled_from(["insert", "update", "upsert"])),
        "keys": list(keys),
        "columns": list(keys | values | added),
        "evolves": evolves,
    }


@settings(
    deadline=None, max_examples=500 if IS_SOAK else 50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case=_cases())
def test_an_implementation_does_what_the_model_does(engine: Callable[[Path], KeyedTable], case: dict[str, Any]) -> None:
    agree(engine, case)


@settings(max_examples=100 if IS_SOAK else 4, derandomize=True, database=None, deadline=None, phases=(Phase.generate,))
@given(case=_cases())
def test_a_managed_table_does_what_the_model_does(services: None, modes: Iterator[str], case: dict[str, Any]) -> None:
    """One case in the one mode of Spark, the next in the other."""
    agree(MANAGED[next(modes)], case)


@pytest.fixture(scope="module")
def modes() -> Iterator[str]:
    return cycle(MANAGED)


def agree(engine: Callable[[Path], KeyedTable], case: dict[str, Any]) -> None:
    stored = [row for file in case["files"] for row in file.to_pylist()]
    batch = case["batch"].to_pylist()
    expected = merged(stored, batch, case["strategy"], case["keys"])
    with tempfile.TemporaryDirectory() as folder:
        table = engine(Path(folder))
        table.fill(*case["files"])
        counts = table.merge(case["batch"], case["strategy"], case["keys"], schema_evolution=case["evolves"])
        assert counts == Counts(expected.inserted, expected.updated)
        assert as_bag(table.rows(), case["columns"]) == as_bag(expected.rows, case["columns"])


@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
def test_many_rows_in_many_files_merge_as_modelled(cheap_table: KeyedTable, strategy: str) -> None:
    many_agree(cheap_table, strategy)


def test_many_rows_in_many_files_upsert_as_modelled(table: KeyedTable) -> None:
    many_agree(table, "upsert")


def many_agree(table: KeyedTable, strategy: str) -> None:
    files = [
        [{"id": (number * 37) % 211, "v": number} for number in range(first, first + 50)] for first in range(0, 400, 50)
    ]
    batch = [{"id": id_, "v": -id_} for id_ in range(100, 300, 3)]
    expected = merged([row for file in files for row in file], batch, strategy, ["id"])
    table.fill(*(pa.Table.from_pylist(file) for file in files))
    assert table.merge(pa.Table.from_pylist(batch), strategy, "id") == Counts(expected.inserted, expected.updated)
    assert as_bag(table.rows(), ["id", "v"]) == as_bag(expected.rows, ["id", "v"])
