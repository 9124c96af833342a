"""Merges of rows and columns that a branch restored. Each statement runs on the reference model too."""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake


@pytest.fixture
def lake(modelled: Lake) -> Lake:
    return modelled


@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 1"])
def test_two_updates_conflict_despite_a_restored_file(lake: Lake, older: int, before: str) -> None:
    lake.sql(before)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {older}")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 1", "b")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}


@pytest.mark.parametrize("change", ["DELETE FROM d.t WHERE id = 3", "UPDATE d.t SET v = 's' WHERE id = 3"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
def test_deleting_the_last_row_spares_restored_rows(lake: Lake, change: str, after: str) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    version = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.merge("main", "b")
    lake.sql(change, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(after)
    lake.merge("b")
    last = [(3, "s")] if change.startswith("UPDATE") else []
    assert lake.rows("d.t") == [(1, "a"), (2, "a"), *last]


def test_restored_rows_deleted_again_go_everywhere(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a'), (4, 'a')")
    version = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.merge("main", "b")
    lake.sql("DELETE FROM d.t WHERE id = 3", "b")
    lake.sql("DELETE FROM d.t WHERE id = 4", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "a")]


@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 3", "UPDATE d.t SET v = 's'"])
def test_rows_that_both_sides_had_lost_arrive_when_one_brings_them_back(lake: Lake, after: str) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')", "b")
    lake.merge("b")
    version = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.sql("DELETE FROM d.t WHERE id >= 2", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(after)
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert len(lake.rows("d.t")) == (2 if after.startswith("DELETE") else 3)


def test_a_column_returned_twice_follows_the_source(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.w (id INT, v VARCHAR(3))")
    lake.sql("INSERT INTO d.w VALUES (1, 'a')")
    narrow = lake.head()
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.w ALTER COLUMN v TYPE STRING", "b")
    wide = lake.head("b")
    lake.sql("ALTER TABLE d.w DROP COLUMN v")
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.w TO VERSION AS OF {narrow}")
    lake.sql(f"RESTORE TABLE d.w TO VERSION AS OF {wide}", "b")
    lake.merge("b")
    assert [row[:2] for row in lake.sql("DESCRIBE TABLE d.w").rows] == [["id", "int"], ["v", "string"]]
    assert lake.rows("d.w") == [(1, "a")]


def merge_into_put_back_image(lake: Lake, changes: list[str], *, after: str, is_known: bool) -> None:
    """The changes happen on b, on rows of which main updated row 2, overwrote the table and restored it. ``is_known``:
    b had the update too, and its restore to what was before.
    """
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    before = lake.head()
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 2")
    version = lake.head()
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'z')")
    if is_known:
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
        lake.merge("main", "b")
    for text in changes:
        lake.sql(text, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(after)
    lake.merge("b")


@pytest.mark.pairwise
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(
    ("changes", "left"),
    [
        (["DELETE FROM d.t WHERE id = 2"], [(2, "m"), (3, "a")]),
        (["UPDATE d.t SET v = 's' WHERE id = 2", "DELETE FROM d.t WHERE v = 's'"], [(2, "m"), (3, "a")]),
        (["UPDATE d.t SET v = 's' WHERE id > 1", "DELETE FROM d.t WHERE v = 's'"], [(2, "m")]),
        (["UPDATE d.t SET v = 's' WHERE id > 1", "DELETE FROM d.t WHERE id = 2"], [(2, "m"), (3, "s")]),
        (["UPDATE d.t SET v = 's' WHERE id = 3", "DELETE FROM d.t WHERE id = 2"], [(2, "m"), (3, "s")]),
        (["UPDATE d.t SET v = 's' WHERE id > 1", "OPTIMIZE d.t", "DELETE FROM d.t WHERE id = 2"], [(2, "m"), (3, "s")]),
    ],
)
def test_a_delete_leaves_the_image_that_the_other_side_put_back(
    lake: Lake, changes: list[str], left: list[tuple[int, str]], after: str, is_known: bool
) -> None:
    merge_into_put_back_image(lake, changes, after=after, is_known=is_known)
    assert lake.rows("d.t") == [(1, "a"), *left]


@pytest.mark.pairwise
@pytest.mark.parametrize(
    "change",
    [f"{what}{where}" for what in ("UPDATE d.t SET v = 's'", "DELETE FROM d.t") for where in ("", " WHERE id = 2")],
)
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("later", ["SELECT * FROM d.t", "INSERT INTO d.t VALUES (4, 'a')"])
def test_changes_reach_rows_that_a_restore_returned(
    lake: Lake, later: str, before: str, change: str, after: str
) -> None:
    """Both sides had updated the row, and the restore took back only what came after that."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 2")
    version = lake.head()
    lake.sql(later)
    lake.merge("main", "b")
    for text in (before, change):
        lake.sql(text, "b")
    lake.sql("INSERT INTO d.t VALUES (9, 'z')")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(after)
    left = [row for row in lake.rows("d.t", "b") if row[0] != 4]
    lake.merge("b")
    assert lake.rows("d.t") == left


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("UPDATE d.t SET v = 'n' WHERE id = 2", "SAME_FILE_UPDATE_UPDATE"),
        ("DELETE FROM d.t WHERE id = 2", "SAME_FILE_UPDATE_DELETE"),
    ],
)
def test_updates_conflict_with_changes_of_restored_rows(lake: Lake, after: str, code: str, is_known: bool) -> None:
    """Neither change is lost, nor does the row live twice."""
    with pytest.raises(MergeConflict) as refusal:
        merge_into_put_back_image(lake, ["UPDATE d.t SET v = 's' WHERE id = 2"], after=after, is_known=is_known)
    assert [conflict["code"] for conflict in refusal.value.details["conflicts"]] == [code]


AS_WRITTEN_OR_COMPACTED = pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])


@AS_WRITTEN_OR_COMPACTED
def test_two_updates_conflict_despite_a_restored_table(lake: Lake, compact: str) -> None:
    """Else the older image of row 3 would stay, and nobody learned that row 2 has two."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    lake.sql(compact, "b")
    version = lake.head("b")
    lake.sql("INSERT INTO d.t VALUES (9, 'z')", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 2", "b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id > 1")
    assert lake.codes("main", "b") == {"SAME_FILE_UPDATE_UPDATE"}


@AS_WRITTEN_OR_COMPACTED
def test_rows_after_a_restore_survive_compaction(lake: Lake, compact: str) -> None:
    """The restore spares them, and what it is redone on has them in one file with what it takes away."""
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (6, 'b'), (7, 'b')", "b")
    lake.sql(compact, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.merge("b")
    lake.sql("DELETE FROM d.t WHERE id = 6")
    lake.merge("main", "b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == [(1, "a"), (7, "b")]


def test_a_restore_takes_back_what_another_branch_had_brought_once_more(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    before = lake.head("b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT", "b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('owner' = 'x')", "b")
    lake.merge("b")
    for text in ("ALTER COLUMN id TYPE BIGINT", "SET TBLPROPERTIES ('owner' = 'x')", "ADD COLUMN w INT"):
        lake.sql(f"ALTER TABLE d.t {text}", "c")
    lake.merge("c", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("b")
    described = (lake.sql("DESCRIBE TABLE EXTENDED d.t", branch).rows for branch in ("main", "b"))
    here, there = ([row[:2] for row in rows if row[0] != "Schema Version"] for rows in described)
    assert here == there
    assert ["id", "int"] in here


def test_a_file_restored_twice_is_emptied_whole(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    whole = lake.head("b"), lake.head()
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole[1]}")
    lake.merge("main", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'z')", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole[0]}", "b")
    lake.sql("UPDATE d.t SET v = 'm'")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "m"), (2, "m"), (3, "m")]


@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'c'", "DELETE FROM d.t"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm'", "DELETE FROM d.t"])
def test_a_merged_restore_overwrites_the_targets_changes(lake: Lake, change: str, before: str) -> None:
    """Otherwise the change of the row comes over beside the older image that the restore put back."""
    older = lake.head()
    lake.sql("UPDATE d.t SET v = 'b'")
    lake.merge("main", "b")
    lake.sql("CREATE BRANCH c")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {older}", "c")
    lake.sql("INSERT INTO d.t VALUES (2, 'a')", "b")
    lake.merge("b", "c")
    lake.merge("b")
    lake.sql(f"{change} WHERE id = 1", "b")
    lake.sql(f"{before} WHERE id = 1")
    lake.merge("c")
    result = lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "a")]
    assert [note["code"] for note in result["notes"]] == [f"DISCARDED_{change[:6]}"]


def test_a_restore_undoes_merged_changes_elsewhere(lake: Lake) -> None:
    """Two branches widened a column alike. What one of them tells of it by way of a third begins anew where the other's
    widening came in, not at its own.
    """
    lake.sql("CREATE TABLE d.w (id INT, v VARCHAR(3))")
    lake.sql("INSERT INTO d.w VALUES (1, 'a')")
    lake.sql("CREATE BRANCH c")
    narrow = lake.head("c")
    lake.sql("ALTER TABLE d.w ALTER COLUMN v TYPE VARCHAR(9)", "c")
    lake.sql("CREATE BRANCH e", "c")
    lake.sql("ALTER TABLE d.w ALTER COLUMN v TYPE VARCHAR(9)")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.w ALTER COLUMN v TYPE STRING", "b")
    lake.merge("main", "c")
    lake.sql(f"RESTORE TABLE d.w TO VERSION AS OF {narrow}", "c")
    assert lake.codes("c", "b") == {"COLUMN_TYPE_NARROWING"}
    lake.merge("c", "e")
    assert lake.codes("e", "b") == {"COLUMN_TYPE_NARROWING"}


@pytest.mark.parametrize("change", ["ALTER TABLE d.p DROP PARTITION (k = 1)", "ALTER TABLE d.p ADD PARTITION (k = 7)"])
def test_nothing_is_left_of_partitions_that_a_restore_took_back(lake: Lake, change: str) -> None:
    lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
    lake.sql("INSERT INTO d.p VALUES (1, 1), (2, 2)")
    lake.merge("main", "b")
    version = lake.head("b")
    lake.sql(change, "b")
    lake.sql("DELETE FROM d.p WHERE id = 2", "b")
    lake.sql(f"RESTORE TABLE d.p TO VERSION AS OF {version}", "b")
    lake.sql("DROP TABLE d.p")
    lake.merge("b")
    assert [row[1] for row in lake.sql("SHOW TABLES").rows] == ["t"]


@pytest.mark.parametrize("rewrite", ["OPTIMIZE d.t", "UPDATE d.t SET v = 'm' WHERE id = 3"])
def test_updates_reach_rows_of_two_restores(lake: Lake, rewrite: str) -> None:
    """The merged restore had swept what wrote the rows anew, and the target's own went back to that."""
    before = lake.head("b")
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    lake.sql(rewrite)
    written = lake.head()
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {written}")
    lake.sql("UPDATE d.t SET v = 'b'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "b"), (2, "a"), (3, "a" if rewrite.startswith("OPTIMIZE") else "m")]


def test_updates_pass_a_branch_with_a_restore(three_rows: Lake) -> None:
    three_rows.sql("CREATE BRANCH w")
    three_rows.merge("b")
    before = three_rows.head("b")
    three_rows.sql("INSERT INTO d.t VALUES (9, 'b')", "b")
    three_rows.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    three_rows.sql("UPDATE d.t SET v = 'w' WHERE id = 2", "w")
    for source, destination in (("main", "b"), ("b", "main"), ("w", "main"), ("main", "w"), ("w", "b")):
        three_rows.merge(source, destination)
    assert three_rows.rows("d.t", "b") == three_rows.rows("d.t", "w")


def test_earlier_updates_pass_without_the_old_row(
    three_rows: Lake,
) -> None:
    three_rows.sql("INSERT INTO d.t VALUES (7, 'a')")
    three_rows.merge("main", "b")
    three_rows.sql("CREATE BRANCH w")
    before = three_rows.head()
    three_rows.sql("UPDATE d.t SET v = 'c' WHERE id = 2")
    three_rows.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    three_rows.merge("main", "w")
    three_rows.sql("UPDATE d.t SET v = 'b' WHERE id = 7", "b")
    for source, destination in (("b", "main"), ("main", "b"), ("b", "w")):
        three_rows.merge(source, destination)
    assert three_rows.rows("d.t", "w") == [(1, "a"), (2, "a"), (3, "a"), (7, "b")]
