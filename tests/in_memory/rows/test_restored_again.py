"""A row that was restored more than once: a branch that knows an earlier one of its changes compares with that."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


@pytest.mark.parametrize("key", ["", " PRIMARY KEY"])
@pytest.mark.parametrize("knows_delete", [False, True])
def test_two_restores_are_nothing_to_a_branch_that_knows_the_row(lake: Lake, key: str, knows_delete: bool) -> None:
    """Main deletes row 1 and restores it, updates it and restores it: it is as it was. So what b did to it stays, but
    where b knows that main deleted it: then the row is back.
    """
    lake.sql(f"CREATE TABLE d.t (id INT{key}, n INT)")
    lake.sql("INSERT INTO d.t VALUES (9, 0)")
    lake.sql("CREATE BRANCH b")
    before = lake.head("b")
    lake.sql("INSERT INTO d.t VALUES (1, 0)")
    lake.merge("main", "b")
    for text in ("DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET n = 1 WHERE id = 1"):
        version = lake.head()
        lake.sql(text)
        if knows_delete and "DELETE" in text:
            lake.merge("main", "b")
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    if not knows_delete:
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == ([(1, 0), (9, 0)] if knows_delete else [(9, 0)])
    lake.merge("b")
    assert lake.rows("d.t") == lake.rows("d.t", "b")
    assert lake.breaches() == []
