"""Runs of pipelines in an object store: their rows, and which requests they take besides those that read the table."""

from __future__ import annotations

import pytest

from catalog_app.engine import staging
from tests.pipelines.strategies.pipes import Pipe
from tests.stores.test_tour import breaches, files_of, requests_of
from tests.support.lake import Lake
from tests.support.object_store import ObjectStore
from tests.support.soak import IS_SOAK

MOST_FOR_A_FILE = 2
FIRST = "SELECT id, concat('n', id) AS name, id % 4 AS p, id * 0.5D AS x FROM range(0, 3000)"
LATER = "SELECT id, concat('m', id) AS name, id % 4 AS p, id * 0.5D AS x FROM range(2000, 4000)"
REPLACED = (4000, 2000, 7998000)
"""Rows, those of the second run among them, and the sum of ids, where rows of known keys are replaced."""
STRATEGIES = {
    "full_refresh": ("", (2000, 2000, 5999000)),
    "append_only": ("", (5000, 2000, 10497500)),
    "snapshot": ("partition_column: p", (2000, 2000, 5999000)),
    "incremental": ("unique_key: id\nwatermark_column: x", REPLACED),
    "delete_insert": ("unique_key: id", REPLACED),
    "scd2": ("unique_key: id", (5000, 2000, 10497500)),
}

RUNS = [(strategy, is_partitioned) for strategy in STRATEGIES for is_partitioned in (False, True)]
"""``make test`` plays each strategy once, by turns into one file and into partitions."""
if not IS_SOAK:
    RUNS = [run for place, run in enumerate(RUNS) if place % 4 in (0, 3)]


@pytest.mark.parametrize(("strategy", "is_partitioned"), RUNS)
def test_a_run_takes_two_requests_a_file(
    lake: Lake, store: ObjectStore, warehouse_in_store: str, strategy: str, is_partitioned: bool
) -> None:
    """However few files it writes."""
    config, totals = STRATEGIES[strategy]
    pipe = _pipe(lake, strategy, config, is_partitioned=is_partitioned)
    before = len(files_of(lake))
    bucket = warehouse_in_store.split("/")[2]
    found = requests_of(store, bucket, lambda: pipe.run(LATER))
    written = len(files_of(lake)) - before
    placed = found["PUT", "data"] + found["PUT", "deletes"]
    others = sum(
        count for (method, folder), count in found.items() if folder == "staging" or method in ("POST", "DELETE")
    )
    assert placed == written > 0
    assert placed + others <= MOST_FOR_A_FILE * written
    assert _totals(lake, pipe) == totals
    assert breaches(lake) == []


@pytest.mark.parametrize("strategy", ["delete_insert", "incremental", "scd2"] if IS_SOAK else ["delete_insert"])
def test_a_larger_batch_is_one_staged_file(
    lake: Lake, store: ObjectStore, warehouse_in_store: str, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    """It goes with no job. It is written, and removed, by one request; each job that needs it takes two."""
    config, totals = STRATEGIES[strategy]
    pipe = _pipe(lake, strategy, config, is_partitioned=True)
    monkeypatch.setattr(staging, "SENT_BYTES", 0)
    found = requests_of(store, warehouse_in_store.split("/")[2], lambda: pipe.run(LATER))
    staged = {method: count for (method, folder), count in found.items() if folder == "staging"}
    removed = staged.pop("DELETE", 0) + found["POST", ""]
    assert staged["PUT"] <= 2
    assert staged["GET"] == staged["HEAD"] <= 3
    assert removed == 1
    assert _totals(lake, pipe) == totals


def _pipe(lake: Lake, strategy: str, config: str, *, is_partitioned: bool) -> Pipe:
    """After a first run."""
    pipe = Pipe(lake, f"merge_strategy: {strategy}\n{config}\n")
    times = ", valid_from TIMESTAMP, valid_to TIMESTAMP" if strategy == "scd2" else ""
    partitioned = " PARTITIONED BY (p)" if is_partitioned or strategy == "snapshot" else ""
    lake.sql(f"CREATE TABLE {pipe.table} (id BIGINT, name STRING, p BIGINT, x DOUBLE{times}){partitioned}")
    pipe.run(FIRST)
    return pipe


def _totals(lake: Lake, pipe: Pipe) -> tuple[int, ...]:
    (row,) = lake.sql(f"SELECT count(*), count_if(name LIKE 'm%'), sum(id) FROM {pipe.table}").rows
    return tuple(row)
