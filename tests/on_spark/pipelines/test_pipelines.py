"""Pipelines on Spark: the story of runs that the strategies are held to, and values that only Spark has."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings

from catalog_app.engine import merge_into, merge_source
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import LakeError
from lakeui.frontdoor.entries import pipeline_runs as pipelines
from merge_app.pipelines.definition.templates import template_render
from merge_app.pipelines.landing import landing_put
from tests.pipelines.strategies.cases import ROWS
from tests.pipelines.strategies.pipes import Pipes, batch
from tests.pipelines.strategies.test_against_the_model import STORY, STRATEGIES, VARIANTS, agree, agree_by_run, story
from tests.pipelines.strategies.test_named_partitions import found_by_value
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

SOME_RUNS = ("a first run, with NULL as key and as value", "late rows")
"""The whole story runs in memory by each ``make test``."""


@pytest.fixture(autouse=True)
def rendered_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process for each template takes a second; tests of templates have it, and the pipelines of the demo lake."""
    monkeypatch.setattr(pipelines, "bounded_render", template_render)


@pytest.mark.parametrize("strategy", [*STRATEGIES, *VARIANTS] if IS_SOAK else STRATEGIES)
def test_a_story_of_runs(lake: Lake, strategy: str) -> None:
    runs = story(strategy)
    pipe = agree(Pipes(lake), strategy, runs if IS_SOAK else {name: runs[name] for name in SOME_RUNS})
    before = (lake.head(), pipe.rows())
    with pytest.raises(LakeError):
        pipe.run(batch([("one", "a", 9)], ("id STRING", "value STRING", "at INT")))
    assert (lake.head(), pipe.rows()) == before, "a value that does not fit changes nothing"


@pytest.mark.parametrize("gone", ["invalidate", "new_record"] if IS_SOAK else ["new_record"])
def test_keys_that_are_gone(lake: Lake, gone: str) -> None:
    """Many rows have the other way."""
    whole = [ROWS, [], ROWS[1:], [*ROWS[1:], (4, None, 1)], ROWS]
    agree_by_run(Pipes(lake), gone, whole if IS_SOAK else [ROWS, ROWS[1:], ROWS])


def test_many_rows_end_like_few(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch waits in files that Spark wrote."""
    monkeypatch.setattr(merge_source, "FEW_ROWS", 0)
    monkeypatch.setattr(merge_into, "FEW_ROWS", 0)
    agree(Pipes(lake), "scd2", dict([*STORY.items()][::6]))
    if IS_SOAK:
        agree_by_run(Pipes(lake), "invalidate", [ROWS, [(1, "x", 2), *ROWS[1:], (4, "d", 1)]])


@pytest.mark.parametrize("strategy", ["incremental", "scd2"] if IS_SOAK else ["scd2"])
def test_many_rows_come_from_tables_with_duplicate_columns(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    monkeypatch.setattr(merge_source, "FEW_ROWS", 0)
    pipe = Pipes(lake)(f"merge_strategy: {strategy}", "unique_key: id")
    origin = f"{pipe.table}_origin"
    lake.sql(f"CREATE TABLE {origin} AS SELECT 1 AS id, 'a' AS value")
    pipe.run(f"SELECT id, value, value AS again FROM {origin}")
    lake.sql(f"INSERT INTO {origin} VALUES (2, 'b')")
    pipe.start()
    assert pipe.rows(columns="id, value, again") == [(1, "a", "a"), (2, "b", "b")]


@pytest.mark.parametrize("change", ["append", "fail"] if IS_SOAK else ["append"])
def test_an_all_null_column_stays_unchanged(lake: Lake, change: str) -> None:
    pipe = Pipes(lake)("merge_strategy: incremental", "unique_key: id", f"on_schema_change: {change}")
    pipe.run("SELECT 1 AS id, 5 AS n, NULL AS v")
    pipe.run("SELECT 2 AS id, NULL AS n, NULL AS v")
    assert pipe.rows(columns="id, n, v") == [(1, 5, None), (2, None, None)]
    if change == "append":
        pipe.run("SELECT 3 AS id, 6 AS n, NULL AS v, NULL AS w")
        assert pipe.rows(columns="id, n, v, w") == [(1, 5, None, None), (2, None, None, None), (3, 6, None, None)]


def test_values_of_every_kind_are_compared(lake: Lake) -> None:
    """Neither NaN nor a map makes a new version, an instant of a microsecond does."""
    pipe = Pipes(lake)("merge_strategy: scd2", "unique_key: id")
    source = """SELECT 1 AS id, double('NaN') AS d, map('a', 1) AS m, array(named_struct('x', CAST(NULL AS INT))) AS s,
        TIMESTAMP '2026-01-01 00:00:00.00000{}+00:00' AS t, CAST(1.5 AS DECIMAL(9, 2)) AS n, CAST('x' AS BINARY) AS b"""
    pipe.run(source.format(1))
    before = lake.head()
    assert pipe.run(source.format(1)).version == before
    assert pipe.run(source.format(2)).version > before
    assert len(pipe.rows(columns="id")) == 2


def test_a_watermark_in_time_goes_through_quotes(lake: Lake) -> None:
    pipe = Pipes(lake)("merge_strategy: incremental", "unique_key: id", "watermark_column: t")
    rows = """SELECT id, TIMESTAMP '2026-01-01 10:00:00.000001+00:00' + make_interval(0, 0, 0, id) AS t
        FROM VALUES (1), (2), (3) AS v(id)"""
    later = "{% if is_incremental() %}WHERE t > {{ watermark_value }}{% endif %}"
    source = f"SELECT * FROM ({rows}) {later}"
    pipe.run(source)
    before = lake.head()
    assert pipe.start().version == before
    assert [row[0] for row in pipe.rows(columns="id")] == [1, 2, 3]


def test_only_files_of_the_batch_are_touched(lake: Lake) -> None:
    pipe = Pipes(lake)("merge_strategy: incremental", "unique_key: id")
    for first in (0, 100, 200):
        pipe.run(batch([(first + step, "a", 1) for step in range(3)]))
    metrics = pipe.run(batch([(101, "b", 1)])).metrics
    assert (metrics["files_scanned"], metrics["files_skipped"]) == (1, 2)
    assert (metrics["rows_updated"], metrics["rows_inserted"], metrics["files_removed"]) == (1, 0, 0)


def test_versions_by_run_time_hold_until_a_marker(lake: Lake) -> None:
    config = ("merge_strategy: scd2", "unique_key: id", "hard_deletes: invalidate", "scd_open_marker: 9999-12-31")
    pipe = Pipes(lake)(*config)
    pipe.run(batch(ROWS))
    before = lake.head()
    assert pipe.run(batch(ROWS)).version == before
    pipe.run(batch([(1, "x", 1), *ROWS[1:2]]))
    held = pipe.rows(columns="id, value, valid_to = TIMESTAMP '9999-12-31 00:00:00Z'")
    assert held == [(1, "a", False), (1, "x", True), (2, "b", True), (3, "c", False)]


TYPES = (("DECIMAL(5, 2)", "1.50", "2.5"), ("DATE", "2026-01-31", "2026-02-01"), ("INT", "7", "8"))


@pytest.mark.parametrize(("kind", "value", "other"), TYPES if IS_SOAK else TYPES[:1])
def test_named_partitions_of_every_type_are_replaced(lake: Lake, kind: str, value: str, other: str) -> None:
    found_by_value(Pipes(lake), kind, value, other)


def test_deletes_of_keys_of_every_kind_are_kept(lake: Lake) -> None:
    """Two keys that differ in one column each; the row of the one that was deleted stays out."""
    kinds = {
        "c": ("'x'", "'y'"),
        "n": ("1.50BD", "1.51BD"),
        "t": ("TIMESTAMP '2026-01-01 00:00:00.000001Z'", "TIMESTAMP '2026-01-01 00:00:00.000002Z'"),
        "d": ("DATE '0001-01-01'", "DATE '9999-12-31'"),
        "f": ("-0.0D", "double('NaN')"),
        "b": ("X'00'", "X'0000'"),
        "s": ("named_struct('x', 'a', 'y', CAST(NULL AS STRING))", "named_struct('x', 'a', 'y', 'NULL')"),
        "z": ("CAST(NULL AS STRING)", "'NULL'"),
    }
    first = {name: values[0] for name, values in kinds.items()}
    others = [{**first, name: values[1]} for name, values in kinds.items()]

    def rows(gone: str, at: str, keys: list[dict[str, str]]) -> str:
        values = ", ".join(f"({', '.join(key.values())})" for key in keys)
        named = ", ".join("CAST(c AS CHAR(3)) AS c" if name == "c" else name for name in kinds)
        return f"SELECT {named}, {gone} AS gone, {at} AS at FROM VALUES {values} AS v({', '.join(kinds)})"

    names = ", ".join(kinds)
    pipe = Pipes(lake)(
        "merge_strategy: incremental", f"unique_key: [{names}]", "watermark_column: at", "delete_when: gone"
    )
    late, deleted = (f"TIMESTAMP '2026-01-01 00:00:00.00000{digit}Z'" for digit in (1, 2))
    pipe.run(rows("false", late, [first, *others[:1]]))
    pipe.run(rows("true", deleted, [{**first, "f": "0.0D"}]))
    pipe.run(rows("false", late, [first, *others]))
    assert lake.sql(
        f"SELECT count(*), count_if(c = 'x' AND n = 1.5 AND f = 0 AND b = X'00' AND z IS NULL "
        f"AND day(d) = 1 AND s.y IS NULL AND t < {deleted}) FROM {pipe.table}"
    ).rows == [[len(others), 0]]
    pipe.run(rows("false", deleted, [first]))
    assert lake.sql(f"SELECT count(*) FROM {pipe.table}").rows == [[len(others) + 1]]


def test_files_of_a_landing_zone_are_one_relation(lake: Lake, tmp_path: Path) -> None:
    """Each format has types of its own; columns are found by name."""
    pipe = Pipes(lake)("merge_strategy: append_only", "archive_landing_zones: true")
    source = "SELECT id, amount, at, tags FROM {{ landing('in') }}"
    pipe.run(source)
    day = datetime.date(2026, 1, 31)
    typed = pa.table({"at": [day], "amount": pa.array([2.5], pa.float32()), "id": pa.array([2], pa.int32())})
    pq.write_table(typed, tmp_path / "b.parquet")
    (tmp_path / "a.csv").write_text("id,amount,at\n1,1,2026-01-30\n")
    (tmp_path / "c.json").write_text('{"tags": ["x", null], "id": 3}\n')
    assert pipe.pipeline is not None
    for name in ("a.csv", "b.parquet", "c.json"):
        landing_put(
            pipe.pipeline,
            zone="in",
            name=name,
            file=tmp_path / name,
            declared=None,
            user_id=None,
            warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]),
        )
    pipe.start()
    assert sorted(pipe.rows(), key=str) == [
        (1, 1.0, "2026-01-30", None),
        (2, 2.5, "2026-01-31", None),
        (3, None, None, ["x", None]),
    ]
    pipe.start()
    assert len(pipe.rows()) == 3
