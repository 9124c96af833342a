"""A removal that a newer one supersedes, which both sides know: not of rows that lived on after the newer one."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]

TABLES = {
    "rows": "(id INT, v STRING, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('merge.conflicts' = 'row')",
    "a key": "(id INT PRIMARY KEY, v STRING, p STRING) PARTITIONED BY (p)",
}
MOVES = {
    "an update": ["UPDATE d.t SET v = 'm', p = 'z' WHERE id = 2"],
    "a rename": [
        "ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')",
        "UPDATE d.t SET v = 'm' WHERE id = 2",
    ],
}


@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("rows", ["(2, 'o', 'a')", "(2, 'o', 'a'), (4, 'o', 'a')"])
@pytest.mark.parametrize("table", TABLES)
def test_a_kept_row_goes_by_the_removing_branch(lake: Lake, table: str, rows: str, moves: str) -> None:
    """Law 1: b knows all that main knows, and shows no row. The removal of x is newer than that of b, but main kept
    row 2 where it merged x.
    """
    lake.sql(f"CREATE TABLE d.t {TABLES[table]}")
    lake.sql(f"INSERT INTO d.t VALUES {rows}")
    for branch in ("b", "x"):
        lake.sql(f"CREATE BRANCH {branch}")
    lake.sql("TRUNCATE TABLE d.t", "b")
    lake.sql("ALTER TABLE d.t DROP PARTITION (p = 'a')", "x")
    for move in MOVES[moves]:
        lake.sql(move)
    lake.merge("x")
    assert lake.rows("d.t") == [(2, "m", "z")]
    (note,) = lake.merge("main", "b")["notes"]
    assert (note["code"], lake.rows("d.t", "b")) == ("DISCARDED_UPDATE", [])
    lake.merge("b")
    assert lake.rows("d.t") == []
    assert lake.breaches() == []


@pytest.mark.parametrize("table", TABLES)
def test_a_shared_removal_is_the_removed_rows_fact(lake: Lake, table: str) -> None:
    """Both took the partition away, each by itself: main's later rows of it are no news to the older removal."""
    lake.sql(f"CREATE TABLE d.t {TABLES[table]}")
    lake.sql("INSERT INTO d.t VALUES (2, 'o', 'a'), (4, 'o', 'a'), (5, 'o', 'c')")
    before = lake.head()
    for branch in ("b", "x"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch in ("b", "x"):
        lake.sql("DELETE FROM d.t WHERE p = 'a'", branch)
    lake.merge("x")
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    lake.merge("b")
    assert [row[0] for row in lake.rows("d.t")] == [2, 4, 5]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.breaches() == []
