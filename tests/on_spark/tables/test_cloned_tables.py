"""CREATE TABLE .. CLONE over files: one file is read, changed and removed for each of the tables that share it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.integrity import catalog_check
from catalog_app.storage.warehouse import Warehouse
from tests.support.lake import Lake

ROWS = [(1, "a", {"x": 1}, 7), (2, "B", {"x": 2}, 7), (4, "d", {"x": 4}, 4)]


@pytest.fixture
def made(lake: Lake) -> Lake:
    """Files of two schemas, with images that store row ids and stamps, and with deletes."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING, s STRUCT<x: INT>)")
    lake.sql("INSERT INTO d.t SELECT id, v, named_struct('x', id) FROM VALUES (1, 'a'), (2, 'b'), (3, 'c') AS r(id, v)")
    lake.sql("UPDATE d.t SET v = 'B' WHERE id = 2")
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT DEFAULT 7")
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
    lake.sql("INSERT INTO d.t VALUES (4, 'd', named_struct('x', 4), 4)")
    lake.sql("DELETE FROM d.t WHERE id = 3")
    return lake


def size_of(path: str) -> int | None:
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    return warehouse.size(path) if warehouse.exists(path) else None


def in_order(lake: Lake) -> bool:
    return catalog_check(catalog_get(lake.catalog), size_of=size_of) == []


def files() -> set[Path]:
    return set(Path(settings.LAKEUI["WAREHOUSE"]).rglob("*.parquet"))


def test_shared_files_are_read_and_changed_per_table(made: Lake) -> None:
    before = files()
    made.sql("CREATE TABLE d.c CLONE d.t")
    assert files() == before
    assert made.rows("d.c") == made.rows("d.t") == ROWS
    made.sql("UPDATE d.c SET n = n + 1 WHERE id < 3")
    made.sql("DELETE FROM d.t WHERE id = 1")
    made.sql("INSERT INTO d.c VALUES (5, 'e', named_struct('x', 5), 5)")
    changed = [(1, "a", {"x": 1}, 8), (2, "B", {"x": 2}, 8), (4, "d", {"x": 4}, 4), (5, "e", {"x": 5}, 5)]
    assert made.rows("d.c") == changed
    assert made.rows("d.t") == ROWS[1:]
    made.sql("OPTIMIZE d.c")
    assert made.rows("d.c") == changed
    assert in_order(made)


def test_compacted_tables_with_stored_stamps_merge_as_clones(made: Lake) -> None:
    made.sql("OPTIMIZE d.t")
    made.sql("CREATE BRANCH b")
    made.sql("CREATE TABLE d.c CLONE d.t TBLPROPERTIES ('merge.conflicts' = 'row')", "b")
    made.merge("b")
    assert made.rows("d.c") == ROWS
    made.sql("UPDATE d.c SET n = 1 WHERE id = 1", "b")
    made.sql("UPDATE d.c SET n = 2 WHERE id = 2")
    made.merge("b")
    assert [row[3] for row in made.rows("d.c")] == [1, 2, 4]
    assert in_order(made)


def test_vacuum_removes_shared_files_with_the_last_table(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    made.sql("CREATE TABLE d.c CLONE d.t")
    made.sql("DROP TABLE d.t")
    made.sql("VACUUM")
    assert made.rows("d.c") == ROWS
    assert in_order(made)
    before = files()
    made.sql("TRUNCATE TABLE d.c")
    removed = made.sql("VACUUM").metrics["files_removed"]
    assert removed > 0
    assert len(before) - len(files()) == removed
    assert in_order(made)
