"""Generated and identity columns of a table that a pipeline writes: no query gives them, and every run fills them."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.pipelines.strategies.pipes import Pipes, batch
from tests.pipelines.strategies.test_behaviour import CONFIGS

COLUMNS = ("id INT", "value STRING", "at INT")
TABLE = (
    "CREATE TABLE {} (n BIGINT GENERATED ALWAYS AS IDENTITY, tens INT GENERATED ALWAYS AS (id * 10), id INT,"
    " value STRING, at INT{}){}"
)


@pytest.mark.parametrize("change", ["append", "sync", "fail", "ignore"])
@pytest.mark.parametrize("strategy", CONFIGS)
def test_every_strategy_fills_them(pipes: Pipes, strategy: str, change: str) -> None:
    pipe = pipes(*CONFIGS[strategy], f"on_schema_change: {change}")
    times = ", valid_from INT, valid_to INT" if strategy == "scd2" else ""
    parted = " PARTITIONED BY (at)" if strategy == "snapshot" else ""
    pipes.lake.sql(TABLE.format(pipe.table, times, parted))
    pipe.run(batch([(1, "a", 1), (2, "b", 1)], COLUMNS))
    pipe.run(batch([(1, "a", 2), (2, "c", 2), (3, "d", 2)], COLUMNS))
    found = pipe.rows(columns="n, tens, id, value")
    assert {(tens, value) for _, tens, _, value in found} >= {(10, "a"), (20, "c"), (30, "d")}
    assert all(tens == 10 * key for _, tens, key, _ in found)
    numbers = [number for number, *_ in found]
    assert None not in numbers
    assert len(set(numbers)) == len(numbers)


def test_a_query_gives_no_number(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: append_only")
    pipes.lake.sql(f"CREATE TABLE {pipe.table} (n BIGINT GENERATED ALWAYS AS IDENTITY, id INT)")
    with pytest.raises(InvalidValue, match="n is GENERATED ALWAYS AS IDENTITY"):
        pipe.run("SELECT CAST(5 AS BIGINT) AS n, 1 AS id")
    pipe.run("SELECT 1 AS id")
    assert pipe.rows() == [(1, 1)]


def test_sync_keeps_the_column_a_generated_one_reads(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: full_refresh", "on_schema_change: sync")
    pipes.lake.sql(TABLE.format(pipe.table, "", ""))
    with pytest.raises(InvalidValue, match="reads column id"):
        pipe.run(batch([("a", 1)], COLUMNS[1:]))
