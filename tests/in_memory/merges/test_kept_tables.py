"""A merge in which a person keeps the target's table: what it says that it does."""

from __future__ import annotations

from tests.support.lake import Lake


def test_marks_of_kept_rows_are_no_change(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET v = 'main' WHERE id = 1")
    planned = lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t TAKE TARGET) DRY RUN").extra["plan"]
    assert [item["action"] for item in planned["objects"]] == ["untouched"]
    taken = lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t TAKE SOURCE) DRY RUN").extra["plan"]
    assert [item["action"] for item in taken["objects"]] == ["alter"]


def test_rows_that_are_left_out_bring_no_file(lake: Lake) -> None:
    """Their facts lie in a file that comes and goes with the merge."""
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 1", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b'), (3, 'b')", "b")
    lake.sql("UPDATE d.t SET v = 'main' WHERE id = 1")
    before = lake.sql("DESCRIBE DETAIL d.t").rows[0][6:9]
    merged = lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t TAKE TARGET)").extra
    (recorded,) = lake.audit(merged["merge_id"])["tables"]
    assert (recorded["new_segment_count"], recorded["new_segments"], recorded["removed_segments"]) == (0, [], [])
    assert lake.sql("DESCRIBE DETAIL d.t").rows[0][6:9] == before
    assert lake.rows("d.t") == [(1, "main")]
