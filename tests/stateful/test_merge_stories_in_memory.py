"""Merges that random histories found wrong, told as stories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.lake import Lake
from tests.stateful.memory_engine import MemoryEngine


@pytest.fixture
def lake(database: None, memory_engine: MemoryEngine) -> Iterator[Lake]:
    """Table d.t with one row, and branch b."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, v STRING)")
    fresh.sql("INSERT INTO d.t VALUES (1, 'a')")
    fresh.sql("CREATE BRANCH b")
    yield fresh
    assert fresh.breaches() == []


@pytest.mark.parametrize("drop", ["DROP TABLE d.t", "DROP DATABASE d CASCADE"])
def test_what_a_branch_did_to_a_table_ends_with_a_drop_that_it_merged(lake: Lake, drop: str) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'm')")
    lake.sql(drop, "b")
    lake.merge("b")
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    assert [row[0] for row in lake.sql("SHOW TABLES", "b").rows] == []
    assert lake.dry_run("b")["conflicts"] == []


def test_what_a_branch_did_to_a_column_ends_with_a_drop_that_it_merged(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
    lake.sql("ALTER TABLE d.t DROP COLUMN id", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [("a",)]


def test_rows_do_not_come_to_a_branch_that_merged_the_table_after_its_drop(lake: Lake) -> None:
    lake.sql("CREATE BRANCH old VERSION AS OF 1")
    lake.sql("CREATE BRANCH c")
    lake.sql("DROP TABLE d.t", "c")
    lake.merge("c", "old")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    assert lake.codes("b", "old") == {"OBJECT_DROPPED_ON_DEST"}
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b", "old")
    assert lake.sql("SHOW TABLES", "old").rows == []
