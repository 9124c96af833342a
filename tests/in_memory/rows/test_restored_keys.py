"""RESTORE to before an UPDATE of a primary key: the key that the row had since is gone, for every branch."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake

TABLES = ["(id INT PRIMARY KEY, v STRING)", "(id INT PRIMARY KEY, v STRING) PARTITIONED BY (v)"]


@pytest.mark.pairwise
@pytest.mark.parametrize("table", TABLES, ids=["one file", "partitions"])
@pytest.mark.parametrize("rows", ["(2, 'o')", "(1, 'o'), (2, 'o'), (3, 'x')"], ids=["alone", "beside others"])
@pytest.mark.parametrize("changed", ["id = 2", "id > 0"])
@pytest.mark.parametrize("later", ["OPTIMIZE d.t", "INSERT INTO d.t VALUES (9, 'b')"])
def test_no_row_lives_under_two_keys(lake: Lake, table: str, rows: str, changed: str, later: str) -> None:
    """b changed files too, so rows are looked at one by one: the restore says of each key what became of it."""
    lake.sql(f"CREATE TABLE d.t {table}")
    lake.sql(f"INSERT INTO d.t VALUES {rows}")
    lake.sql("CREATE BRANCH b")
    before, shown = lake.head(), lake.rows("d.t")
    lake.sql(f"UPDATE d.t SET id = id + 10 WHERE {changed}")
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    lake.sql(later, "b")
    lake.merge("main", "b")
    assert [row for row in lake.rows("d.t", "b") if row[0] != 9] == shown
    lake.merge("b")
    assert lake.rows("d.t") == lake.rows("d.t", "b")
    assert lake.breaches() == []
