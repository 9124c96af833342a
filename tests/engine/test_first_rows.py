"""First rows of a table, read without Spark: they are rows that Spark reads, and all else is Spark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.engine import first_rows as reading
from catalog_app.engine.inputs_outputs import PlainRead, QueryResult
from catalog_app.storage.cells import RowCells
from catalog_app.storage.deletes import Integers
from catalog_app.storage.warehouse import Warehouse
from tests.engine.lake import Lake, schema_of
from tests.engine.test_plain_changes import history

__all__ = ["history"]

EVERY = 100_000
History = tuple[Lake, Sequence[TableScan]]


def plain(scan: TableScan, limit: int | None = None) -> PlainRead:
    return PlainRead(scan, tuple((column.name, column) for column in scan.schema.columns), limit)


def by_spark(lake: Lake, scan: TableScan) -> QueryResult:
    return lake.engine.select("SELECT * FROM __lake_0", {"__lake_0": scan}, limit=EVERY)


def test_all_rows_are_those_of_spark(history: History) -> None:
    lake, seen = history
    for number, scan in enumerate(seen):
        found, expected = reading.first_rows(lake.warehouse, plain(scan), limit=EVERY), by_spark(lake, scan)
        assert found is not None
        assert (found.columns, found.truncated) == (expected.columns, False), number
        assert sorted(map(repr, found.rows)) == sorted(map(repr, expected.rows)), number


@pytest.mark.parametrize(
    ("said", "limit", "truncated"), [(None, 3, True), (3, 10, False), (11, 10, True), (0, 10, False)]
)
def test_a_limit_gives_the_first_rows(history: History, said: int | None, limit: int, truncated: bool) -> None:
    lake, seen = history
    scan = seen[5]
    whole = reading.first_rows(lake.warehouse, plain(scan), limit=EVERY)
    found = reading.first_rows(lake.warehouse, plain(scan, said), limit=limit)
    assert found is not None
    assert whole is not None
    assert len(whole.rows) > 11
    shown = min(limit, limit if said is None else said)
    assert (repr(found.rows), found.truncated) == (repr(whole.rows[:shown]), truncated)


def test_columns_come_under_the_names_of_the_query(history: History) -> None:
    lake, seen = history
    scan = seen[2]
    chosen = [scan.schema.named(name) for name in ("n", "id", "n")]
    read = PlainRead(scan, tuple((name, c) for name, c in zip(("a", "b", "a"), chosen, strict=True) if c is not None))
    found = reading.first_rows(lake.warehouse, read, limit=EVERY)
    expected = lake.engine.select("SELECT n AS a, id AS b, n AS a FROM __lake_0", {"__lake_0": scan}, limit=EVERY)
    assert found is not None
    assert found.columns == expected.columns
    assert sorted(map(repr, found.rows)) == sorted(map(repr, expected.rows))


def test_only_files_with_wanted_rows_are_opened(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, seen = history
    opened: list[int] = []
    real = reading.plain_cells

    def counting(warehouse: Warehouse, scan: TableScan, addresses: Integers, **named: int) -> RowCells | None:
        opened.append(len(scan.files))
        return real(warehouse, scan, addresses, most_bytes=named["most_bytes"])

    monkeypatch.setattr(reading, "plain_cells", counting)
    assert len(seen[3].files) > 1
    assert reading.first_rows(lake.warehouse, plain(seen[3], 1), limit=10) is not None
    assert opened == [1]


def test_the_engine_asks_spark_for_nothing(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, seen = history
    scan = seen[5]
    monkeypatch.setattr(lake.engine, "_queries", None)
    found = lake.engine.select("SELECT * FROM __lake_0", {"__lake_0": scan}, limit=2, plain=plain(scan))
    assert len(found.rows) == 2


def test_what_needs_decoding_is_left_to_spark(lake: Lake) -> None:
    lake.schema = schema_of("id int", "s struct<a:int>")
    lake.query("SELECT 1 AS id, named_struct('a', 2) AS s")
    scan = lake.scan()
    assert reading.first_rows(lake.warehouse, plain(scan), limit=10) is None
    assert lake.engine.select("SELECT * FROM __lake_0", {"__lake_0": scan}, limit=10, plain=plain(scan)).rows == [
        [1, {"a": 2}]
    ]
    gone = replace(scan, files=tuple(replace(file, path="t/none.parquet") for file in scan.files))
    assert reading.first_rows(lake.warehouse, plain(gone), limit=10) is None


def test_too_many_bytes_are_left_to_spark(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, seen = history
    monkeypatch.setattr(reading, "LARGEST_ANSWER_BYTES", 10)
    assert reading.first_rows(lake.warehouse, plain(seen[5]), limit=10) is None
