"""A batch and its table are compared in the table's types: what a rerun would store again is the same (rows §1.5)."""

from __future__ import annotations

import pytest

from tests.pipelines.strategies.pipes import Pipe, Pipes
from tests.support.lake import Lake

COLUMNS = "k CHAR(3), day DATE, f FLOAT, n DECIMAL(5, 2)"
BATCH = "SELECT '{}' AS k, TIMESTAMP_NTZ '2024-01-01 10:00:00' AS day, 0.1D AS f, 1.259BD AS n"
STORED = [("x  ", "2024-01-01", pytest.approx(0.1), "1.26")]


def narrow(lake: Lake, strategy: str, *more: str, key: str = "[k, day]") -> Pipe:
    """A pipeline into a table of narrower types than its query has."""
    settings = (f"merge_strategy: {strategy}", f"unique_key: {key}", "on_schema_change: ignore", *more)
    pipe = Pipes(lake)(*settings)
    versions = ", valid_from TIMESTAMP, valid_to TIMESTAMP" if strategy == "scd2" else ""
    lake.sql(f"CREATE TABLE {pipe.table} ({COLUMNS}{versions})")
    return pipe


@pytest.mark.parametrize("strategy", ["incremental", "scd2"])
def test_a_repeated_batch_of_wider_types_changes_nothing(lake: Lake, strategy: str) -> None:
    pipe = narrow(lake, strategy)
    pipe.run(BATCH.format("x"))
    assert pipe.rows(columns="k, day, f, n") == STORED
    head = lake.head()
    assert pipe.run(BATCH.format("x ")).version == head
    assert pipe.rows(columns="k, day, f, n") == STORED


def test_batch_rows_share_keys_as_the_table_does(lake: Lake) -> None:
    """Of rows with one day and several times the latest counts, though the table keeps the day alone."""
    pipe = narrow(lake, "incremental", "watermark_column: day", key="k")
    later = BATCH.replace("10:00", "11:00").replace("0.1D", "0.5D")
    both = f"{BATCH.format('x')} UNION ALL {later.format('x ')}"
    pipe.run(both)
    assert pipe.rows(columns="k, f") == [("x  ", 0.5)]
    head = lake.head()
    assert pipe.run(both).version == head
