"""A row that an UPDATE put into another partition: the partition is a cell, whichever merge brought it there."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake

COLUMNS = "v STRING, p STRING) PARTITIONED BY (p)"
TABLES = {
    "a key": (f"(id INT PRIMARY KEY, {COLUMNS}", "PRIMARY_KEY_CLASH"),
    "cells": (f"(id INT, {COLUMNS} TBLPROPERTIES ('merge.conflicts' = 'cell')", "SAME_FILE_UPDATE_UPDATE"),
}


@pytest.mark.parametrize("other", ["", "UPDATE d.t SET v = 'y' WHERE id = 3"])
@pytest.mark.parametrize("rows", ["(2, 'o', 'a')", "(1, 'o', 'a'), (2, 'o', 'a'), (3, 'o', 'a')"])
@pytest.mark.parametrize("table", TABLES)
def test_moves_meet_after_one_merged_beside_another_cell(lake: Lake, table: str, rows: str, other: str) -> None:
    """Main has the cell ``v`` of its own and the move of b: that is a move still, and c moved the row elsewhere."""
    columns, code = TABLES[table]
    lake.sql(f"CREATE TABLE d.t {columns}")
    lake.sql(f"INSERT INTO d.t VALUES {rows}")
    for branch in ("b", "c"):
        lake.sql(f"CREATE BRANCH {branch}")
    lake.sql("UPDATE d.t SET v = 'x' WHERE id = 2")
    lake.sql("UPDATE d.t SET p = 'b' WHERE id = 2", "b")
    lake.sql("UPDATE d.t SET p = 'c' WHERE id = 2", "c")
    if other:
        lake.sql(other)
    lake.merge("b")
    assert [row[1:] for row in lake.rows("d.t") if row[0] == 2] == [("x", "b")]
    assert lake.codes("c") == lake.codes("main", "c") == {code}
    assert lake.breaches() == []


def test_a_decided_move_is_a_move_still(lake: Lake) -> None:
    """Main took the row of b by a decision, and c moved it elsewhere: neither is left out in silence."""
    columns, code = TABLES["a key"]
    lake.sql(f"CREATE TABLE d.t {columns}")
    lake.sql("INSERT INTO d.t VALUES (2, 'o', 'a')")
    for branch in ("b", "c"):
        lake.sql(f"CREATE BRANCH {branch}")
    for branch, part in (("main", "m"), ("b", "b"), ("c", "c")):
        lake.sql(f"UPDATE d.t SET p = '{part}' WHERE id = 2", branch)
    lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t TAKE SOURCE)")
    assert lake.rows("d.t") == [(2, "o", "b")]
    assert lake.codes("c") == lake.codes("main", "c") == {code}
