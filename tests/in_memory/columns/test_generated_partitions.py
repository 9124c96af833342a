"""A partition column that is generated is no cell of its own: a merged row lies where its cells say."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]

COLUMNS = "a INT, b INT, w STRING, p STRING, high INT GENERATED ALWAYS AS (CASE WHEN a + b > 10 THEN 1 ELSE 0 END)"
TABLES = {
    "a key": f"(id INT PRIMARY KEY, {COLUMNS}) PARTITIONED BY (p, high)",
    "cells": f"(id INT, {COLUMNS}) PARTITIONED BY (p, high) TBLPROPERTIES ('merge.conflicts' = 'cell')",
}


@pytest.fixture(params=TABLES)
def cells(lake: Lake, request: pytest.FixtureRequest) -> Lake:
    lake.sql(f"CREATE TABLE d.t {TABLES[request.param]}")
    lake.sql("INSERT INTO d.t (id, a, b, w, p) VALUES (1, 4, 4, 'o', 'x'), (2, 9, 9, 'o', 'x'), (3, 4, 4, 'o', 'x')")
    lake.sql("CREATE BRANCH b")
    return lake


def merged_both_ways(lake: Lake) -> list[tuple[object, ...]]:
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.merge("b")["version"] is None
    wrong = "SELECT id FROM d.t WHERE high <> (CASE WHEN a + b > 10 THEN 1 ELSE 0 END)"
    assert lake.sql(wrong).rows == []
    return [tuple(row) for row in lake.sql("SELECT id, a, b, w, p, high FROM d.t ORDER BY id").rows]


def test_a_row_moves_where_neither_side_had_it(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 6 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 5 WHERE id = 1")
    assert cells.dry_run("b")["mergeable"]
    assert merged_both_ways(cells)[0] == (1, 6, 5, "o", "x", 1)
    assert cells.sql("SELECT id FROM d.t WHERE high = 1 ORDER BY id").rows == [[1], [2]]


def test_a_row_both_moved_stays_where_cells_say(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 90, w = 'b' WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 90 WHERE id = 1")
    assert merged_both_ways(cells)[0] == (1, 90, 90, "b", "x", 1)


def test_a_row_both_sides_moved_may_go_back(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 90 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = -90 WHERE id = 1")
    assert merged_both_ways(cells)[0] == (1, 90, -90, "o", "x", 0)


def test_a_plain_partition_column_moves_beside_it(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 6, p = 'y' WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 5, w = 'm' WHERE id = 1")
    assert merged_both_ways(cells)[0] == (1, 6, 5, "m", "y", 1)


def test_a_plain_column_changed_on_both_sides_conflicts(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 90, p = 'y' WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 90, p = 'z' WHERE id = 1")
    assert not cells.dry_run("b")["mergeable"]
    assert cells.codes("b") <= {"PRIMARY_KEY_CLASH", "SAME_FILE_UPDATE_UPDATE"}


def test_cells_that_add_up_move_a_row(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, many INT GENERATED ALWAYS AS (CASE WHEN n > 9 THEN 1 ELSE 0 END))"
        " PARTITIONED BY (many) TBLPROPERTIES ('merge.column.n' = 'sum')"
    )
    lake.sql("INSERT INTO d.t (id, n) VALUES (1, 4)")
    lake.sql("CREATE BRANCH b")
    for branch in ("b", "main"):
        lake.sql("UPDATE d.t SET n = n + 4", branch)
    lake.merge("b")
    assert lake.rows("d.t") == [(1, 12, 1)]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, 12, 1)]


@pytest.mark.parametrize("taken", ["SOURCE", "TARGET"])
def test_a_decided_cell_moves_a_row(lake: Lake, taken: str) -> None:
    lake.sql(f"CREATE TABLE d.t {TABLES['a key']}")
    lake.sql("INSERT INTO d.t (id, a, b, w, p) VALUES (1, 4, 4, 'o', 'x')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET a = 9", "b")
    lake.sql("UPDATE d.t SET a = 5, b = 2")
    assert lake.codes("b") == {"PRIMARY_KEY_CLASH"}
    lake.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t ROWS TAKE {taken})")
    assert lake.rows("d.t", columns="a, b, high") == ([(9, 2, 1)] if taken == "SOURCE" else [(5, 2, 0)])
