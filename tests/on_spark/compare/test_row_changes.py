"""SHOW CHANGES: the row diff of two versions by row id (interfaces §1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog_app.engine import small_joins
from lakeui.common.errors import NotFound
from tests.support.lake import Lake, OwnBranch


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id int, name string)")
    for first in (1, 3, 5):
        lake.sql(f"INSERT INTO d.t VALUES ({first}, 'a'), ({first + 1}, 'b')")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def table(shared: Lake) -> Lake:
    return OwnBranch(shared)


def changes(lake: Lake, since: int, until: int | None = None, table: str = "d.t") -> list[list[Any]]:
    """The changes without their row ids."""
    found = lake.sql(f"SHOW CHANGES {table} FROM VERSION {since} TO VERSION {until or lake.head()}")
    assert [name for name, _ in found.columns][:2] == ["change", "row_id"]
    return [[row[0], *row[2:]] for row in found.rows]


def test_added_removed_and_changed_rows(table: Lake) -> None:
    since = table.head()
    table.sql("INSERT INTO d.t VALUES (7, 'new')")
    table.sql("DELETE FROM d.t WHERE id = 1")
    table.sql("UPDATE d.t SET name = 'x' WHERE id = 4")
    assert sorted(changes(table, since)) == [
        ["delete", 1, "a"],
        ["insert", 7, "new"],
        ["update_after", 4, "x"],
        ["update_before", 4, "b"],
    ]


def test_row_before_precedes_row_after_under_one_id(table: Lake) -> None:
    since = table.head()
    table.sql("UPDATE d.t SET name = upper(name)")
    rows = table.sql(f"SHOW CHANGES d.t FROM VERSION {since} TO VERSION {table.head()}").rows
    assert [row[0] for row in rows] == ["update_before", "update_after"] * 6
    assert all(before[1] == after[1] for before, after in zip(rows[::2], rows[1::2], strict=True))


def test_going_back_shows_the_opposite(table: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where rows are too many to be joined in one partition."""
    since = table.head()
    table.sql("DELETE FROM d.t WHERE id = 1")
    for most in (small_joins.FEW_TOGETHER, 0):
        monkeypatch.setattr(small_joins, "FEW_TOGETHER", most)
        assert changes(table, table.head(), since) == [["insert", 1, "a"]]


def test_compaction_rename_and_widening_change_no_row(table: Lake) -> None:
    since = table.head()
    table.sql("OPTIMIZE d.t")
    table.sql("ALTER TABLE d.t RENAME COLUMN name TO label")
    table.sql("ALTER TABLE d.t ALTER COLUMN id TYPE bigint")
    table.sql("ALTER TABLE d.t ADD COLUMN extra int")
    table.sql("ALTER TABLE d.t RENAME TO u")
    assert changes(table, since, table="d.u") == []
    table.sql("UPDATE d.u SET extra = 1 WHERE id = 2")
    assert sorted(changes(table, since, table="d.u")) == [["update_after", 2, "b", 1], ["update_before", 2, "b", None]]


def test_update_that_is_taken_back_is_no_change(table: Lake) -> None:
    since = table.head()
    table.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    table.sql(f"RESTORE TABLE d.t TO VERSION AS OF {since}")
    assert changes(table, since) == []


def test_only_files_that_differ_are_read(table: Lake) -> None:
    since = table.head()
    table.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    found = table.sql(f"SHOW CHANGES d.t FROM VERSION {since} TO VERSION {table.head()}")
    assert found.metrics == {"files_scanned": 2, "files_skipped": 2}


def test_only_two_differing_of_thousand_files_are_read(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.wide (id int, part int) PARTITIONED BY (part)")
    lake.sql("INSERT INTO d.wide SELECT id, id FROM range(0, 1000, 1, 1) t(id)")
    since = lake.head()
    lake.sql("UPDATE d.wide SET id = -1 WHERE part = 500")
    found = lake.sql(f"SHOW CHANGES d.wide FROM VERSION {since} TO VERSION {lake.head()}")
    assert [[row[0], *row[2:]] for row in found.rows] == [["update_before", 500, 500], ["update_after", -1, 500]]
    assert found.metrics == {"files_scanned": 2, "files_skipped": 999}


def test_changes_of_a_merge_and_of_a_branch(table: Lake) -> None:
    since = table.head()
    table.sql("CREATE BRANCH dev")
    table.sql("INSERT INTO d.t VALUES (9, 'dev')", "dev")
    table.sql("INSERT INTO d.t VALUES (8, 'main')")
    between = table.head()
    table.merge("dev")
    assert changes(table, between) == [["insert", 9, "dev"]]
    assert sorted(changes(table, since)) == [["insert", 8, "main"], ["insert", 9, "dev"]]


def test_values_without_plain_equality_are_compared(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.m (id int, tags map<string,int>, nested struct<a: map<string,int>>, x double)")
    lake.sql("INSERT INTO d.m SELECT 1, map('a', 1), named_struct('a', map('b', 2)), double('NaN')")
    since = lake.head()
    lake.sql("UPDATE d.m SET id = id")
    assert changes(lake, since, table="d.m") == []
    lake.sql("UPDATE d.m SET tags = map('a', 2)")
    assert [row[0] for row in changes(lake, since, table="d.m")] == ["update_before", "update_after"]


def test_versions_outside_of_the_branch_are_not_found(table: Lake) -> None:
    with pytest.raises(NotFound):
        changes(table, 0, table.head() + 10)


def test_before_the_table_existed_every_row_is_new(table: Lake) -> None:
    assert len(changes(table, 1)) == 6
