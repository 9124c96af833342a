"""DELETE and UPDATE by a subquery that names keys: carried out as a merge it does what the join on Spark does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog_app.engine import merge_into
from catalog_app.engine.merge_by_key import pairs_by_key
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import segments_list, table_scan
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import LakeError
from lakeui.frontdoor import compute
from lakeui.frontdoor.rows import delete_update
from tests.sql.test_semi_joins import MERGED
from tests.support.lake import Lake, OwnBranch
from tests.support.soak import IS_SOAK


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Tables d.t with deleted and updated rows, and d.s with keys that are NULL, twice, and of no row."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING, n BIGINT)")
    of = "SELECT CAST(id AS INT) AS id, concat('v', id % 40) AS v, id AS n"
    lake.sql(f"INSERT INTO d.t {of} FROM range(0, 60)")
    lake.sql(f"INSERT INTO d.t {of} FROM range(60, 90)")
    lake.sql("INSERT INTO d.t VALUES (200, 'V1', 1), (NULL, NULL, NULL)")
    lake.sql("DELETE FROM d.t WHERE id IN (7, 61)")
    lake.sql("UPDATE d.t SET n = 1000 WHERE id IN (8, 62)")
    lake.sql("CREATE TABLE d.s (k INT, v STRING, w BIGINT)")
    lake.sql(
        "INSERT INTO d.s VALUES (3, 'v3', 3), (3, 'v3', 61), (NULL, NULL, NULL), (8, 'V1', 200),"
        " (61, 'v8 ', 5000000000), (62, 'none', 62), (500, 'v22', 8)"
    )
    lake.sql("DELETE FROM d.s WHERE k = 500")
    lake.sql("CREATE TABLE d.none (k INT, v STRING)")
    lake.sql("CREATE BRANCH other")
    lake.sql("INSERT INTO d.s VALUES (10, 'v10', 10)", "other")
    yield lake
    assert lake.breaches() == []


REFUSED = [
    "d.t WHERE id IN (SELECT k FROM d.s WHERE sum(k) > 3)",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE v)",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE 1 / 0 > k)",
]
UPDATED = [
    "d.t SET v = 'x' WHERE id IN (SELECT k FROM d.s)",
    "d.t SET n = n + 1, v = NULL WHERE EXISTS (SELECT 1 FROM d.s WHERE s.k = t.id) AND v = 'v3'",
    "d.t AS a SET v = 'v3', n = 3 WHERE a.id IN (SELECT k FROM d.s WHERE w > 0)",
    "d.t SET id = 5, n = DEFAULT WHERE v IN (SELECT v FROM d.s)",
    "d.t SET n = t.n - 10 WHERE id IN (SELECT id FROM d.t)",
    "d.t SET v = 'y' WHERE id IN (SELECT k FROM d.none)",
]
NOT_UPDATED = [
    "d.t SET v = upper(v) WHERE id IN (SELECT k FROM d.s)",
    "d.t SET n = (SELECT max(w) FROM d.s) WHERE id IN (SELECT k FROM d.s)",
]
COPIED = [*MERGED[:1], "d.t WHERE id IN (SELECT id FROM d.t)"]


def live(lake: Lake) -> list[int]:
    """The ids of the rows of d.t."""
    snapshot = branch_snapshot(lake.branch(lake.main))
    table = table_get(snapshot, database_get(snapshot, "d"), "t")
    files = table_scan(snapshot, table, segments_list(snapshot, table.table_id)).files
    return sorted(row_id for file in files for row_id in compute.engine().live_row_ids(file))


def done(lake: Lake, statement: str) -> Any:
    """How many rows were changed, by what files, and which are left; or what refuses it."""
    try:
        found = lake.sql(statement).metrics
    except LakeError as error:
        return type(error), error.message, error.remedy
    names = ("rows_deleted", "rows_updated", "files_added", "files_removed", "rows_copied")
    return found["rows_deleted"] + found["rows_updated"], [found[name] for name in names], lake.rows("d.t"), live(lake)


def spark_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_update, "semi_join_meant", lambda *_: None)


WRITES = [f"DELETE FROM {text}" for text in MERGED] + [f"UPDATE {text}" for text in UPDATED]
PLAYED = WRITES if IS_SOAK else WRITES[::3]
COPIES = [f"DELETE FROM {COPIED[0]}", f"DELETE FROM {COPIED[1]}", f"UPDATE {UPDATED[0]}"]


@pytest.mark.parametrize(
    ("statement", "mode"),
    [*((text, "merge-on-read") for text in PLAYED), *((text, "copy-on-write") for text in COPIES)],
)
def test_both_ways_do_the_same(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str, mode: str) -> None:
    ways = OwnBranch(shared), OwnBranch(shared)
    for lake in ways:
        lake.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.delete.mode' = '{mode}', 'write.update.mode' = '{mode}')")
    found: list[Any] = []
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *given: found.append(pairs_by_key(*given)) or found[-1])
    merged = done(ways[0], statement)
    assert [pairs is not None for pairs in found] == [True]
    spark_alone(monkeypatch)
    assert done(ways[1], statement) == merged
    assert len(found) == 1


@pytest.mark.parametrize("statement", [WRITES[12], f"UPDATE {UPDATED[0]}"])
def test_a_merge_that_needs_spark_does_the_same(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    ways = OwnBranch(shared), OwnBranch(shared)
    monkeypatch.setattr(merge_into, "pairs_by_key", lambda *_: None)
    merged = done(ways[0], statement)
    spark_alone(monkeypatch)
    assert done(ways[1], statement) == merged
    assert merged[0] > 0


@pytest.mark.parametrize("statement", NOT_UPDATED)
def test_other_values_are_left_to_spark(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    def unwanted(*_: Any) -> Any:
        raise AssertionError(statement)

    monkeypatch.setattr(merge_into, "pairs_by_key", unwanted)
    assert done(OwnBranch(shared), f"UPDATE {statement}")[0] > 0


@pytest.mark.parametrize("statement", REFUSED)
def test_both_ways_refuse_the_same(shared: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    lake = OwnBranch(shared)
    refused = done(lake, f"DELETE FROM {statement}")
    spark_alone(monkeypatch)
    assert done(lake, f"DELETE FROM {statement}") == refused
    assert isinstance(refused[0], type)
