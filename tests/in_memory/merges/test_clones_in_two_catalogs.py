"""Merges of two catalogs that both hold a clone: of a table of their own, and of one of the other catalog."""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.in_memory.merges.test_tables_of_two_catalogs import codes, there_and_back
from tests.support.lake import Lake
from tests.support.two_catalogs import breaches, made, take

Pair = tuple[Lake, Lake]
TWO = [(1, 0), (2, 0)]


@pytest.fixture
def clones(lake: Lake) -> Pair:
    """``a.c`` of the first catalog has the files of its own ``a.x``, ``e.c`` of the second those of that table too."""
    one, other = made(lake, "a.x"), made(Lake(), "e.t")
    one.sql("DELETE FROM a.x WHERE id = 3")
    one.sql("CREATE TABLE a.c CLONE a.x")
    other.sql(f"CREATE TABLE e.c CLONE {one.catalog}.a.x")
    return one, other


def test_both_come_over_as_tables_of_their_own(clones: Pair) -> None:
    one, other = clones
    there_and_back(one, other, "a.x", "a.c", "e.t", "e.c")
    assert one.rows("a.c") == one.rows("e.c") == one.rows("a.x") == TWO
    one.sql("UPDATE a.x SET v = 5")
    take(other, one)
    assert other.rows("a.c") == other.rows("e.c") == TWO
    assert other.rows("a.x") == [(1, 5), (2, 5)]


@pytest.mark.parametrize("table", ["a.c", "e.c"])
def test_a_clones_original_rows_merge_row_by_row(clones: Pair, table: str) -> None:
    one, other = clones
    take(one, other)
    take(other, one)
    one.sql(f"UPDATE {table} SET v = 1 WHERE id = 1")
    other.sql(f"INSERT INTO {table} VALUES (4, 4)")
    other.sql(f"OPTIMIZE {table}")
    assert codes(other, one) == {"PREDICATE_DML_VS_INSERT"}
    one.sql(f"RESTORE TABLE {table} TO VERSION AS OF {one.head() - 1}")
    there_and_back(one, other, "a.c", "e.c", "a.x")
    assert other.rows(table) == [*TWO, (4, 4)]
    one.sql(f"UPDATE {table} SET v = 1 WHERE id = 1")
    other.sql(f"DELETE FROM {table} WHERE id = 2")
    other.sql(f"UPDATE {table} SET v = 9 WHERE id = 4")
    there_and_back(one, other, "a.c", "e.c", "a.x")
    assert one.rows(table) == [(1, 1), (4, 9)]


@pytest.mark.parametrize("table", ["a.c", "e.c"])
def test_one_row_changed_in_both_is_refused(clones: Pair, table: str) -> None:
    one, other = clones
    take(one, other)
    take(other, one)
    one.sql(f"UPDATE {table} SET v = 1 WHERE id = 1")
    other.sql(f"UPDATE {table} SET v = 2 WHERE id = 1")
    assert codes(one, other) == codes(other, one) == {"SAME_FILE_UPDATE_UPDATE"}
    other.sql(f"UPDATE {table} SET v = 0 WHERE id = 1")
    other.sql(f"DELETE FROM {table} WHERE id = 1")
    with pytest.raises(MergeConflict):
        take(other, one)
    assert breaches(one, other) == []


def test_clones_made_on_either_side_after_the_join(clones: Pair) -> None:
    one, other = clones
    take(one, other)
    take(other, one)
    one.sql("CREATE TABLE a.d CLONE e.c")
    other.sql("CREATE TABLE e.d CLONE a.c")
    one.sql("INSERT INTO e.c VALUES (7, 7)")
    other.sql("UPDATE a.c SET v = 3 WHERE id = 2")
    there_and_back(one, other, "a.c", "a.d", "e.c", "e.d")
    assert one.rows("a.d") == one.rows("e.d") == TWO
    assert one.rows("e.c") == [*TWO, (7, 7)]
    assert one.rows("a.c") == [(1, 0), (2, 3)]
