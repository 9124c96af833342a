"""A merge that was reverted comes back by a branch that restores what was there before the revert."""

from __future__ import annotations

from tests.support.lake import Lake


def test_a_reverted_merge_is_merged_again(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("CREATE BRANCH b FROM main")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", branch="b")
    merge = lake.sql("MERGE BRANCH b TO main").extra["merge_id"]
    lake.sql("INSERT INTO d.t VALUES (3, 'after the merge')")
    revert = lake.sql(f"RESTORE MERGE '{merge}'").extra["version"]
    lake.sql("INSERT INTO d.t VALUES (4, 'after the revert')")
    assert lake.sql("MERGE BRANCH b TO main").extra["outcome"] == "nothing to merge"
    lake.sql(f"CREATE BRANCH again FROM main VERSION AS OF {revert}")
    lake.sql(f"RESTORE BRANCH again TO VERSION AS OF {revert - 1}", branch="again")
    assert lake.sql("MERGE BRANCH again TO main").extra["outcome"] == "merged"
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 4]
