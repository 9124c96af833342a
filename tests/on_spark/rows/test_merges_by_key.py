"""MERGE INTO by the values of one column, decided without Spark: it does what the join on Spark does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from catalog_app.engine import merge_into
from catalog_app.engine.merge_by_key import pairs_by_key
from lakeui.common.errors import LakeError
from tests.support.lake import Lake, OwnBranch

BOTH = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Tables d.t with a deleted and an updated row and a column that came later, and d.p with partitions."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    columns = "(id INT, v STRING, n BIGINT, x DOUBLE, at TIMESTAMP)"
    lake.sql(f"CREATE TABLE d.t {columns}")
    of = "SELECT CAST(id AS INT) AS id, concat('v', id % 40) AS v, id AS n, id / 3 AS x, timestamp_seconds(id) AS at"
    lake.sql(f"INSERT INTO d.t {of} FROM range(0, 60)")
    lake.sql(f"INSERT INTO d.t {of} FROM range(60, 90)")
    lake.sql("INSERT INTO d.t VALUES (NULL, NULL, NULL, double('NaN'), NULL)")
    lake.sql("DELETE FROM d.t WHERE id IN (7, 61)")
    lake.sql("UPDATE d.t SET n = 1000 WHERE id IN (8, 62)")
    lake.sql(f"CREATE TABLE d.s AS {of} FROM range(0, 5)")
    lake.sql(f"INSERT INTO d.s {of} FROM range(55, 65)")
    lake.sql("UPDATE d.s SET v = 'new' WHERE id >= 3")
    lake.sql(f"INSERT INTO d.s {of} FROM range(85, 95)")
    lake.sql("CREATE TABLE d.wide AS SELECT CAST(id AS BIGINT) AS id, v, n, x, at FROM d.s")
    lake.sql(f"CREATE TABLE d.p {columns} PARTITIONED BY (v)")
    lake.sql("INSERT INTO d.p SELECT * FROM d.t")
    lake.sql("CREATE TABLE d.strict (id INT, v STRING NOT NULL, n BIGINT, x DOUBLE, at TIMESTAMP)")
    lake.sql("INSERT INTO d.strict SELECT * FROM d.t WHERE v IS NOT NULL")
    yield lake
    assert lake.breaches() == []


HERE = [
    f"MERGE INTO d.t USING d.s ON t.id = s.id {BOTH}",
    f"MERGE INTO d.t USING d.s ON s.id = t.id {BOTH}",
    f"MERGE INTO d.t USING d.s USING (id) {BOTH}",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v, n = t.n + 1, x = 0.5D",
    "MERGE INTO d.t USING (SELECT * FROM d.t WHERE id IS NULL) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN NOT MATCHED AND s.v = 'new' THEN INSERT *",
    "MERGE INTO d.t USING d.wide AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO d.t USING (SELECT DISTINCT v FROM d.s) s ON t.v = s.v WHEN MATCHED THEN DELETE",
    "MERGE INTO d.t USING (SELECT * FROM d.s WHERE id < 0) s ON t.id = s.id WHEN MATCHED THEN DELETE",
]
BY_SPARK = [
    f"MERGE INTO d.t USING d.s ON t.id = s.id AND t.n = s.n {BOTH}",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v)",
    f"MERGE INTO d.t USING d.s ON t.id = s.id AND t.n > 3 {BOTH}",
    f"MERGE INTO d.t USING d.s ON t.id = s.id + 1 {BOTH}",
    f"MERGE INTO d.t USING d.s ON t.x = s.x {BOTH}",
    f"MERGE INTO d.t USING d.s ON t.v = s.v {BOTH}",
    f"MERGE INTO d.t USING (SELECT * FROM d.t WHERE id IS NULL OR id = 3) s ON t.id <=> s.id {BOTH}",
    f"MERGE INTO d.t USING (SELECT * FROM d.s UNION ALL SELECT * FROM d.s) s ON t.id = s.id {BOTH}",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED AND s.n > 3 THEN DELETE",
    "MERGE INTO d.t USING d.s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
    f"MERGE INTO d.t USING d.wide AS s ON t.id = s.id {BOTH}",
    f"MERGE INTO d.p AS t USING d.s ON t.id = s.id {BOTH}",
    f"MERGE INTO d.strict AS t USING (SELECT id, nullif(v, 'new') AS v, n, x, at FROM d.s) s ON t.id = s.id {BOTH}",
]


def row_ids(lake: Lake) -> set[int]:
    return {row[0] for row in lake.sql("SELECT _row_id FROM d.t").rows}


def merged(lake: Lake, statement: str, mode: str, known: set[int]) -> tuple[Any, Any]:
    """Metrics but those of bytes, and the rows, those that were there with their row ids."""
    lake.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")
    metrics = lake.sql(statement).metrics
    rows = [(row[:-1], row[-1] if row[-1] in known else None) for row in lake.sql("SELECT *, _row_id FROM d.t").rows]
    return {key: value for key, value in metrics.items() if not key.startswith("bytes")}, sorted(map(repr, rows))


@pytest.mark.parametrize(
    ("statement", "mode"),
    [*((statement, "merge-on-read") for statement in HERE), *((statement, "copy-on-write") for statement in HERE[:1])],
)
def test_both_ways_do_the_same(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str, mode: str) -> None:
    found: list[Any] = []
    known = row_ids(shared)
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *given: found.append(pairs_by_key(*given)) or found[-1])
    by_key = merged(OwnBranch(shared), statement, mode, known)
    assert [one is not None for one in found] == [True]
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *_: None)
    assert merged(OwnBranch(shared), statement, mode, known) == by_key


@pytest.mark.parametrize("statement", BY_SPARK)
def test_all_else_is_left_to_spark(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    found: list[Any] = []
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *given: found.append(pairs_by_key(*given)) or found[-1])
    with suppress(LakeError):
        OwnBranch(shared).sql(statement)
    assert found == [None]


def test_rows_beyond_the_bound_are_spark_s(shared: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("catalog_app.engine.merge_by_key.MOST_ROWS", 10)
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *given: asked.append(pairs_by_key(*given)))
    OwnBranch(shared).sql(f"MERGE INTO d.t USING d.s ON t.id = s.id {BOTH}")
    assert asked == [None]
