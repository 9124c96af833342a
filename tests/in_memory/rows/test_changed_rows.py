"""Pages of the rows that one side changed: by facts, whatever both branches took from a third one."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.compare.row_comparing import ROW_ID, rows_read
from lakeui.api.http.paging import KeysetPage
from lakeui.common.errors import NotFound
from tests.in_memory.conftest import Begun
from tests.lineage.test_comparisons import compared, table_of
from tests.support.lake import Lake


def two_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two(begun: Begun) -> Lake:
    return begun(two_fill)


def pages(lake: Lake, side: str, limit: int = 50, change: str | None = None) -> list[list[list[Any]]]:
    """Pages of changed rows of b against main, without their row ids."""
    pair = compared(lake, "b", "main")
    table, after, found = table_of(pair), None, []
    while True:
        page = rows_read(pair, table, side, KeysetPage(limit, after), change=change)
        found.append([[row[0], *row[2:]] for row in page["rows"]])
        if not page["more"]:
            return found
        after = (page["rows"][-1][ROW_ID],)


def test_each_side_shows_its_own_work(two: Lake) -> None:
    two.sql("UPDATE d.t SET name = 'x' WHERE id = 2", "b")
    two.sql("DELETE FROM d.t WHERE id = 3")
    two.sql("INSERT INTO d.t VALUES (4, 'd')")
    assert pages(two, "source") == [[["update_before", 2, "b"], ["update_after", 2, "x"]]]
    assert pages(two, "destination") == [[["delete", 3, "c"], ["insert", 4, "d"]]]


def test_row_pulled_from_other_side_changes_neither(two: Lake) -> None:
    two.sql("INSERT INTO d.t VALUES (4, 'd')")
    two.merge("main", "b")
    two.sql("UPDATE d.t SET name = 'x' WHERE id = 4", "b")
    assert pages(two, "source") == [[["update_before", 4, "d"], ["update_after", 4, "x"]]]
    assert pages(two, "destination") == [[]]


def test_row_both_pulled_from_third_branch_changes_neither(two: Lake) -> None:
    two.sql("CREATE BRANCH c")
    two.sql("INSERT INTO d.t VALUES (9, 'c')", "c")
    two.sql("INSERT INTO d.t VALUES (4, 'd')")
    two.merge("main", "b")
    two.merge("c", "b")
    two.merge("c")
    assert pages(two, "source") == pages(two, "destination") == [[]]
    two.sql("UPDATE d.t SET name = 'x' WHERE id = 9", "b")
    assert pages(two, "source") == [[["update_before", 9, "c"], ["update_after", 9, "x"]]]


def test_page_limits_rows_and_never_splits_update(two: Lake) -> None:
    two.sql("UPDATE d.t SET name = upper(name)", "b")
    two.sql("INSERT INTO d.t VALUES (4, 'd'), (5, 'e')", "b")
    assert pages(two, "source", limit=2) == [
        [["update_before", 1, "a"], ["update_after", 1, "A"], ["update_before", 2, "b"], ["update_after", 2, "B"]],
        [["update_before", 3, "c"], ["update_after", 3, "C"], ["insert", 4, "d"]],
        [["insert", 5, "e"]],
    ]


def test_rows_of_many_files_come_in_order(two: Lake) -> None:
    for number in range(4, 10):
        two.sql(f"INSERT INTO d.t VALUES ({number}, 'n'), ({number * 10}, 'n')", "b")
    two.sql("DELETE FROM d.t WHERE id IN (5, 60, 7, 70)", "b")
    assert [row[1] for page in pages(two, "source", limit=3) for row in page] == [4, 40, 50, 6, 8, 80, 9, 90]
    two.sql("OPTIMIZE d.t", "b")
    assert [row[1] for page in pages(two, "source", limit=3) for row in page] == [4, 40, 50, 6, 8, 80, 9, 90]


def test_row_with_its_old_values_is_no_change(two: Lake) -> None:
    two.sql("UPDATE d.t SET name = 'x'", "b")
    two.sql("UPDATE d.t SET name = 'a' WHERE id = 1", "b")
    two.sql("DELETE FROM d.t WHERE id = 3", "b")
    assert pages(two, "source", limit=1) == [
        [["update_before", 2, "b"], ["update_after", 2, "x"]],
        [["delete", 3, "c"]],
    ]


def test_row_under_new_key_is_update(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET id = 7 WHERE id = 1", "b")
    lake.sql("DELETE FROM d.t WHERE id = 2", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'again')", "b")
    assert pages(lake, "source") == [
        [["update_before", 1, "a"], ["update_after", 7, "a"], ["update_before", 2, "b"], ["update_after", 2, "again"]]
    ]


def test_row_before_lies_in_partition_both_know(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, 'y')")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'z')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET id = 7 WHERE id = 1", "b")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'y') RENAME TO PARTITION (p = 'w')", "b")
    assert pages(lake, "source") == [
        [["update_before", 1, "z"], ["update_after", 7, "z"], ["update_before", 2, "y"], ["update_after", 2, "w"]]
    ]


def test_a_table_of_one_side_alone(two: Lake) -> None:
    two.sql("DROP TABLE d.t")
    two.sql("CREATE TABLE d.t (id INT, name STRING)", "main")
    two.sql("INSERT INTO d.t VALUES (5, 'n')")
    assert pages(two, "destination") == [[["insert", 5, "n"]]]
    with pytest.raises(NotFound):
        pages(two, "source")


def test_only_inserted_updated_or_deleted_can_be_requested(two: Lake) -> None:
    two.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    two.sql("DELETE FROM d.t WHERE id = 2")
    for number in (4, 5, 6):
        two.sql(f"INSERT INTO d.t VALUES ({number}, 'n')")
    two.sql("UPDATE d.t SET name = 'm' WHERE id = 5")
    assert pages(two, "destination", limit=2, change="insert") == [
        [["insert", 4, "n"], ["insert", 5, "m"]],
        [["insert", 6, "n"]],
    ]
    assert pages(two, "destination", change="update") == [[["update_before", 1, "a"], ["update_after", 1, "x"]]]
    assert pages(two, "destination", change="delete") == [[["delete", 2, "b"]]]
    assert pages(two, "source", change="insert") == [[]]


def test_row_with_changed_key_is_not_inserted(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET id = 7 WHERE id = 1")
    lake.sql("INSERT INTO d.t VALUES (8, 'n')")
    assert pages(lake, "destination", limit=1, change="insert") == [[["insert", 8, "n"]]]
    assert pages(lake, "destination", change="update") == [[["update_before", 1, "a"], ["update_after", 7, "a"]]]
