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


def test_a_restored_deletion_speaks_for_the_deletion(lake: Lake) -> None:
    """Lineage §4b: b never knew the deletion that main went back to, so two people changed one row (A1)."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = 'row')")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    live = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 2")
    deleted = lake.head()
    for version in (live, deleted):
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_DELETE"}
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "o"), (2, "b"), (3, "o")]
    assert lake.breaches() == []
