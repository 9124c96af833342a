"""Reads of branches and times, values that do not fit, and files that are left out."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue, NotNullViolation
from tests.in_memory.queries.test_front_door import table
from tests.support.lake import Lake

__all__ = ["table"]


def test_not_null_and_bad_values_write_nothing(table: Lake) -> None:
    head = table.head()
    for statement, error in (
        ("INSERT INTO d.people VALUES (3, 'x'), (NULL, 'y')", NotNullViolation),
        ("UPDATE d.people SET id = NULL WHERE id = 1", NotNullViolation),
        ("INSERT INTO d.people VALUES ('many', 'x')", InvalidValue),
        ("INSERT INTO d.people VALUES (99999999999, 'x')", InvalidValue),
    ):
        with pytest.raises(error):
            table.sql(statement)
    assert table.head() == head
    assert table.rows("d.people") == [(1, "Ann"), (2, "nobody")]


def test_reads_cross_branches_and_time(table: Lake) -> None:
    version = table.head()
    table.sql("CREATE BRANCH b")
    table.sql("UPDATE d.people SET name = 'Eve' WHERE id = 1", "b")
    time = table.sql("SHOW HISTORY", "b").rows[0][1]
    query = "SELECT m.name, b.name FROM d.people m JOIN d.`people@b` b ON m.id = b.id WHERE m.id = 1"
    assert table.sql(query).rows == [["Ann", "Eve"]]
    table.sql("DELETE FROM d.people", "b")
    assert len(table.rows(f"d.people VERSION AS OF {version}", "b")) == 2
    assert table.rows(f"d.people TIMESTAMP AS OF '{time}'", "b", "name") == [("Eve",), ("nobody",)]


def test_files_that_cannot_match_are_not_read(table: Lake) -> None:
    table.sql("INSERT INTO d.people VALUES (100, 'Zoe')")
    metrics = table.sql("DELETE FROM d.people WHERE id >= 100").metrics
    assert (metrics["files_scanned"], metrics["files_skipped"], metrics["rows_deleted"]) == (1, 1, 1)
