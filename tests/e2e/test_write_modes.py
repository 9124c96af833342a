"""Merge-on-read and copy-on-write: other files, the same rows, row ids, merges and row diffs (rows §2)."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.e2e.test_row_rules import delete, row_ids, rows, run, set_v

MODES = ("merge-on-read", "copy-on-write")
OPTIMIZE = "OPTIMIZE d.t"


def properties(mode: str) -> str:
    return ", ".join(f"'write.{statement}.mode' = '{mode}'" for statement in ("merge", "update", "delete"))


@pytest.fixture(params=MODES)
def three_files(lake: Lake, request: pytest.FixtureRequest) -> Lake:
    """Table d.t with rows 1 and 2, 3 and 4, 5 and 6 in a file each, and branch b."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ({properties(request.param)})")
    for first in (1, 3, 5):
        lake.sql(f"INSERT INTO d.t VALUES ({first}, 'o'), ({first + 1}, 'o')")
    lake.sql("CREATE BRANCH b")
    return lake


def upsert(value: str, *numbers: int) -> str:
    """Rows of these numbers get the value; those that are not there are inserted."""
    source = ", ".join(f"({number}, '{value}')" for number in numbers)
    return (
        f"MERGE INTO d.t USING (VALUES {source}) s(id, v) ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def remove(*numbers: int) -> str:
    source = ", ".join(f"({number})" for number in numbers)
    return f"MERGE INTO d.t USING (VALUES {source}) s(id) ON t.id = s.id WHEN MATCHED THEN DELETE"


def is_copy_on_write(lake: Lake) -> bool:
    return any("copy-on-write" in str(row) for row in lake.sql("DESCRIBE TABLE EXTENDED d.t").rows)


def test_row_ids_survive_and_row_diffs_are_exact(three_files: Lake) -> None:
    before, version = row_ids(three_files), three_files.head()
    result = three_files.sql(upsert("U", 2, 3, 9))
    assert rows(three_files) == "1o 2U 3U 4o 5o 6o 9U"
    after = row_ids(three_files)
    assert before.items() <= after.items()
    changes = three_files.sql(f"SHOW CHANGES d.t FROM VERSION {version} TO VERSION {result.version}").rows
    assert sorted((row[0], row[2], row[3]) for row in changes) == [
        ("insert", 9, "U"),
        ("update_after", 2, "U"),
        ("update_after", 3, "U"),
        ("update_before", 2, "o"),
        ("update_before", 3, "o"),
    ]


def test_only_touched_files_are_rewritten_and_old_versions_stay_readable(three_files: Lake) -> None:
    version = three_files.head()
    result = three_files.sql(upsert("U", 2, 3))
    segments = three_files.sql("SHOW SEGMENTS d.t").rows
    metrics = result.metrics
    assert metrics["files_reused"] + metrics["files_removed"] == 3
    assert metrics["files_scanned"] == 2
    if is_copy_on_write(three_files):
        assert (metrics["files_rewritten"], metrics["rows_copied"], metrics["files_added"]) == (2, 2, 2)
        assert len(segments) == 3
    else:
        assert (metrics["files_rewritten"], metrics["rows_copied"], metrics["files_added"]) == (0, 0, 1)
        assert len(segments) == 4
    assert three_files.rows(f"d.t VERSION AS OF {version}") == [(number, "o") for number in range(1, 7)]


def test_copies_keep_the_order_of_the_rows(three_files: Lake) -> None:
    three_files.sql("INSERT OVERWRITE d.t SELECT id, 'o' FROM range(0, 1000, 1, 1) t(id)")
    three_files.sql(upsert("U", 500, 3, 999))
    found = [row[0] for row in three_files.sql("SELECT id FROM d.t").rows]
    if is_copy_on_write(three_files):
        assert found == list(range(1000))
    assert sorted(found) == list(range(1000))


def test_update_and_delete_follow_the_mode_too(three_files: Lake) -> None:
    before = row_ids(three_files)
    run(three_files, "main", set_v("U", 1), delete(4))
    assert rows(three_files) == "1U 2o 3o 5o 6o"
    assert row_ids(three_files) == {number: before[number] for number in (1, 2, 3, 5, 6)}
    assert len(three_files.sql("SHOW SEGMENTS d.t").rows) == (3 if is_copy_on_write(three_files) else 4)


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ([upsert("B", 1)], [remove(2)], "SAME_FILE_UPDATE_DELETE"),
        ([upsert("B", 1)], [upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
        ([upsert("B", 1), OPTIMIZE], [OPTIMIZE, set_v("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
        ([set_v("B", 1)], [OPTIMIZE, upsert("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
        ([upsert("B", 1)], ["INSERT INTO d.t VALUES (9, 'm')"], "PREDICATE_DML_VS_INSERT"),
    ],
)
def test_merges_of_branches_are_judged_by_base_files(
    three_files: Lake, source: list[str], destination: list[str], code: str
) -> None:
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    assert code in three_files.codes("b")


@pytest.mark.parametrize(
    ("source", "destination", "left"),
    [
        ([upsert("B", 1)], [remove(3)], "1B 2o 4o 5o 6o"),
        ([upsert("B", 1, 7)], [upsert("M", 3)], "1B 2o 3M 4o 5o 6o 7B"),
        ([remove(1, 2, 5)], [upsert("M", 2, 3)], "2M 3M 4o 6o"),
        ([remove(1)], [remove(1, 2), OPTIMIZE], "3o 4o 5o 6o"),
        ([upsert("B", 1), upsert("C", 1, 2)], [OPTIMIZE], "1C 2C 3o 4o 5o 6o"),
        ([remove(1), upsert("B", 2, 3), OPTIMIZE], [delete(5)], "2B 3B 4o 6o"),
    ],
)
def test_changes_of_both_branches_come_together_row_by_row(
    three_files: Lake, source: list[str], destination: list[str], left: str
) -> None:
    before = row_ids(three_files)
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    three_files.merge("b")
    assert rows(three_files) == left
    after = row_ids(three_files)
    assert {number: after[number] for number in after if number in before}.items() <= before.items()
    three_files.merge("main", "b")
    assert rows(three_files, "b") == left


def test_a4_and_a5_rows_new_on_the_branch_survive_an_overwrite_and_base_rows_do_not(three_files: Lake) -> None:
    run(three_files, "b", upsert("B", 3, 7, 8, 9), remove(4, 8), upsert("C", 3, 7, 9))
    run(three_files, "main", upsert("M", 1), "INSERT OVERWRITE d.t VALUES (0, 'over')")
    result = three_files.merge("b")
    assert rows(three_files) == "0over 7C 9C"
    assert {"DISCARDED_UPDATE", "DISCARDED_DELETE"} <= {note["code"] for note in result["notes"]}


def test_a_merge_inside_a_transaction_is_judged_like_any_other(three_files: Lake) -> None:
    run(three_files, "b", set_v("B", 2))
    opened = three_files.sql("BEGIN").extra["transaction"]
    three_files.sql(upsert("M", 1, 9), transaction=opened)
    three_files.sql("COMMIT", transaction=opened)
    assert rows(three_files) == "1M 2o 3o 4o 5o 6o 9M"
    assert "SAME_FILE_UPDATE_UPDATE" in three_files.codes("b")


def test_a_row_that_moves_to_another_partition_keeps_its_id(lake: Lake) -> None:
    lake.sql(f"CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ({properties(MODES[1])})")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')")
    before = row_ids(lake)
    result = lake.sql(upsert("b", 1, 3).replace("(id, v)", "(id, p)"))
    assert lake.rows("d.t") == [(1, "b"), (2, "a"), (3, "b"), (4, "b")]
    assert row_ids(lake) == before
    assert result.metrics["files_rewritten"] == 1
