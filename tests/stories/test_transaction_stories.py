"""Merges of what transactions did in several statements, which random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


def transact(lake: Lake, branch: str, *statements: str) -> None:
    opened = lake.sql("BEGIN", branch).extra["transaction"]
    for statement in (*statements, "COMMIT"):
        lake.sql(statement, branch, transaction=opened)


def test_overwritten_rows_are_not_the_later_updates(lake: Lake) -> None:
    transact(lake, "main", "INSERT OVERWRITE d.t VALUES (9, 'm')", "UPDATE d.t SET v = 'u'")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(9, "u")]


def test_updates_of_overwritten_rows_are_discarded(lake: Lake) -> None:
    transact(lake, "main", "INSERT OVERWRITE d.t VALUES (9, 'm')", "UPDATE d.t SET v = 'u'")
    lake.sql("UPDATE d.t SET v = 'b'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(9, "u")]


@pytest.mark.parametrize(
    "emptying", ["INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (9)", "ALTER TABLE d.p DROP PARTITION (k = 1)"]
)
def test_changes_of_dropped_partitions_are_discarded(lake: Lake, emptying: str) -> None:
    lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
    lake.sql("INSERT INTO d.p VALUES (1, 1), (2, 2)")
    lake.merge("main", "b")
    transact(lake, "main", emptying, "UPDATE d.p SET id = 5 WHERE k = 2")
    left = lake.rows("d.p")
    lake.sql("UPDATE d.p SET id = 7 WHERE k = 1", "b")
    lake.merge("b")
    assert lake.rows("d.p") == left


def test_rows_updated_twice_count_as_overwritten(lake: Lake) -> None:
    transact(lake, "main", "UPDATE d.t SET v = 'x'", "UPDATE d.t SET v = 'y'")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'b')", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(9, "b")]


def test_rows_that_were_updated_twice_come_to_a_third_branch_once(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    transact(lake, "b", "UPDATE d.t SET v = 'x'", "UPDATE d.t SET v = 'y'")
    lake.merge("b")
    lake.sql("INSERT INTO d.t VALUES (2, 'm')")
    lake.merge("main", "c")
    lake.merge("b", "c")
    assert lake.rows("d.t", "c") == [(1, "y"), (2, "m")]


def test_a_short_lived_row_never_arrives(lake: Lake) -> None:
    transact(lake, "main", "INSERT INTO d.t VALUES (2, 'm')", "DELETE FROM d.t WHERE id = 2")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.merge("main", "b")
    lake.merge("b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == []
