"""A row that was restored more than once: a branch that knows an earlier one of its changes compares with that."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


@pytest.mark.parametrize("key", ["", " PRIMARY KEY"])
@pytest.mark.parametrize("knows_delete", [False, True])
def test_two_restores_change_nothing_for_branch_with_row(lake: Lake, key: str, knows_delete: bool) -> None:
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


@pytest.mark.parametrize("files", [1, 3])
def test_a_restored_deletion_speaks_for_the_deletion(lake: Lake, files: int) -> None:
    """Lineage §4b: b never knew the deletion that main went back to, so two people changed one row (A1). With a file a
    row, the deletion takes a whole file away.
    """
    lake.sql("CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = 'row')")
    for values in ("(1, 'o'), (2, 'o'), (3, 'o')",) if files == 1 else ("(1, 'o')", "(2, 'o')", "(3, 'o')"):
        lake.sql(f"INSERT INTO d.t VALUES {values}")
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


@pytest.mark.parametrize("files", [1, 2])
def test_a_restored_overwrite_speaks_for_the_overwrite(lake: Lake, files: int) -> None:
    """b deleted a row that main overwrote, restored and deleted again: the note is that of the overwrite (A5)."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = 'row')")
    for values in ("(1, 'o'), (2, 'o')",) if files == 1 else ("(1, 'o')", "(2, 'o')"):
        lake.sql(f"INSERT INTO d.t VALUES {values}")
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 2", "b")
    live = lake.head()
    lake.sql("INSERT OVERWRITE d.t SELECT 5, 'm'")
    overwritten = lake.head()
    expected = [note["code"] for note in lake.dry_run("b")["notes"]]
    for version in (live, overwritten):
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert [note["code"] for note in lake.dry_run("b")["notes"]] == expected == ["DISCARDED_DELETE"]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t") == [(5, "m")]
    assert lake.breaches() == []
