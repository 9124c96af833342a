"""What a merge by lineage says of rows that it leaves out."""

from __future__ import annotations

from typing import Any

from tests.support.lake import Lake


def made() -> Lake:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, 'd')")
    lake.sql("CREATE BRANCH b")
    return lake


def discarded(merged: dict[str, Any]) -> list[dict[str, Any]]:
    return [note for note in merged["notes"] if note["code"].startswith("DISCARDED")]


def test_discarded_rows_and_files_are_counted_apart(services: None) -> None:
    lake = made()
    lake.sql("DELETE FROM d.t WHERE id <= 2", "b")
    lake.sql("DELETE FROM d.t WHERE id = 3", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'over')")
    (note,) = discarded(lake.merge("b"))
    assert (note["details"]["rows"], note["details"]["emptied_files"]) == (1, 1)
    assert "1 row and 1 whole file" in note["message"]


def test_rows_kept_by_target_updates_are_counted_once(services: None) -> None:
    lake = made()
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET v = 'main' WHERE id = 1")
    foreseen = discarded(lake.dry_run("b"))
    merged = lake.merge("b")
    assert discarded(merged) == foreseen
    (note,) = foreseen
    assert (note["source_op"], note["dest_op"], note["details"]["rows"]) == ("delete", "update", 1)
    audit = lake.audit(merged["merge_id"])
    assert [table["kept_updated_rows"] for table in audit["tables"]] == [1]
    assert discarded(audit) == foreseen


def test_rows_that_a_restore_keeps_are_no_updates(services: None) -> None:
    """The target restored the row that the source deleted: a discarded delete (A5), and no update that stays."""
    lake = made()
    lake.sql("UPDATE d.t SET v = 'then' WHERE id <= 2")
    lake.sql("CREATE BRANCH c")
    lake.sql("DELETE FROM d.t WHERE id = 1", "c")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {lake.head('main') - 1}")
    merged = lake.merge("c")
    assert [note["details"]["rows"] for note in discarded(merged)] == [1]
    assert [table["kept_updated_rows"] for table in lake.audit(merged["merge_id"])["tables"]] == [0]
    assert (1, "a") in lake.rows("d.t")
