"""Merges of branches that went back, which random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.e2e.lake import Lake
from tests.stored import Begin


@pytest.mark.parametrize(
    ("drop", "undrop"),
    [
        ("DROP TABLE f.u", "UNDROP TABLE f.u"),
        ("DROP DATABASE f CASCADE", "UNDROP DATABASE f"),
        ("DROP DATABASE f CASCADE", "RESTORE BRANCH b TO VERSION AS OF {}"),
    ],
)
def test_a_table_that_came_and_went_before_a_merge_brings_its_rows_when_it_is_back(
    lake: Lake, drop: str, undrop: str
) -> None:
    lake.sql("CREATE DATABASE f", "b")
    lake.sql("CREATE TABLE f.u (id INT)", "b")
    lake.sql("INSERT INTO f.u VALUES (1), (2)", "b")
    lake.sql("DELETE FROM f.u WHERE id = 2", "b")
    version = lake.head("b")
    lake.sql(drop, "b")
    lake.sql("CREATE DATABASE e", "b")
    lake.merge("b")
    lake.sql(undrop.format(version), "b")
    lake.merge("b")
    assert lake.rows("f.u") == [(1,)]


def test_a_table_of_a_dropped_database_that_the_other_side_never_had_comes_back_with_it(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.u (id INT)", "b")
    lake.sql("INSERT INTO d.u VALUES (1)", "b")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("b")
    lake.sql("UNDROP DATABASE d", "b")
    lake.merge("b")
    assert (lake.rows("d.t"), lake.rows("d.u")) == ([(1, "a")], [(1,)])


@pytest.fixture
def older(lake: Lake) -> int:
    """The version of one row in d.t; both branches have a second since, in a file of its own."""
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    return version


@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 1"])
def test_an_update_after_a_restore_goes_with_it_over_what_the_other_side_did(
    lake: Lake, older: int, before: str
) -> None:
    lake.sql(before, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {older}", "b")
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "s")]


@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 1"])
def test_two_updates_of_a_file_are_in_conflict_although_one_side_put_it_back(
    lake: Lake, older: int, before: str
) -> None:
    lake.sql(before)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {older}")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 1", "b")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}


@pytest.mark.parametrize("change", ["DELETE FROM d.t WHERE id = 3", "UPDATE d.t SET v = 's' WHERE id = 3"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
def test_the_last_row_of_a_file_goes_without_those_that_the_other_side_put_back(
    lake: Lake, change: str, after: str
) -> None:
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


def test_rows_deleted_again_after_a_restore_put_them_back_are_deleted_on_the_other_side_too(lake: Lake) -> None:
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


def test_a_column_that_both_sides_brought_back_takes_what_the_source_says_of_it(lake: Lake) -> None:
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


def test_a_drop_is_forgotten_when_the_other_side_brought_the_table_back_to_both(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def test_a_drop_counts_that_follows_an_undrop_and_a_drop_and_the_other_side_s_undrop(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    assert lake.sql("SHOW TABLES").rows == []


def _merge_into_put_back_image(lake: Lake, changes: list[str], *, after: str, is_known: bool) -> None:
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
@pytest.mark.parametrize("which", ["id = 2", "id > 1"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("is_known", [False, True])
def test_an_update_replaces_the_image_of_its_row_that_the_other_side_put_back(
    lake: Lake, which: str, before: str, after: str, is_known: bool
) -> None:
    changes = [before, f"UPDATE d.t SET v = 's' WHERE {which}"]
    _merge_into_put_back_image(lake, changes, after=after, is_known=is_known)
    assert lake.rows("d.t") == [(1, "a"), (2, "s"), (3, "s" if which == "id > 1" else "a")]


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
    _merge_into_put_back_image(lake, changes, after=after, is_known=is_known)
    assert lake.rows("d.t") == [(1, "a"), *left]


@pytest.mark.pairwise
@pytest.mark.parametrize(
    "change",
    [f"{what}{where}" for what in ("UPDATE d.t SET v = 's'", "DELETE FROM d.t") for where in ("", " WHERE id = 2")],
)
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("later", ["SELECT * FROM d.t", "INSERT INTO d.t VALUES (4, 'a')"])
def test_what_is_done_to_a_row_is_done_to_the_image_that_a_restore_put_back_as_it_was(
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
def test_an_update_is_in_conflict_with_what_the_other_side_did_to_the_image_of_its_row_that_it_put_back(
    lake: Lake, after: str, code: str, is_known: bool
) -> None:
    """Neither change is lost, nor does the row live twice."""
    with pytest.raises(MergeConflict) as refusal:
        _merge_into_put_back_image(lake, ["UPDATE d.t SET v = 's' WHERE id = 2"], after=after, is_known=is_known)
    assert [conflict["code"] for conflict in refusal.value.details["conflicts"]] == [code]


AS_WRITTEN_OR_COMPACTED = pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])


@pytest.mark.pairwise
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@AS_WRITTEN_OR_COMPACTED
@pytest.mark.parametrize(
    ("theirs", "mine", "left"),
    [
        ("SELECT * FROM d.t", "UPDATE d.t SET v = 's' WHERE id = 2", [(2, "s"), (3, "a")]),
        ("SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 2", [(3, "a")]),
        ("UPDATE d.t SET v = 'm' WHERE id = 2", "UPDATE d.t SET v = 's' WHERE id > 1", [(2, "s"), (3, "s")]),
        ("UPDATE d.t SET v = 'm' WHERE id = 2", "DELETE FROM d.t WHERE id > 1", [(2, "m")]),
        ("DELETE FROM d.t WHERE id = 2", "UPDATE d.t SET v = 's' WHERE id > 1", [(3, "s")]),
        ("DELETE FROM d.t WHERE id = 2", "DELETE FROM d.t WHERE id = 3", []),
    ],
)
def test_a_restore_to_what_was_left_of_shared_rows_leaves_them_to_the_other_side_whatever_files_hold_them(
    lake: Lake, before: str, theirs: str, compact: str, mine: str, left: list[tuple[int, str]]
) -> None:
    """It took none of them away. What main had deleted by then stays deleted."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    for text in (before, theirs, compact):
        lake.sql(text)
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (9, 'z')")
    lake.sql(mine, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), *left]


@AS_WRITTEN_OR_COMPACTED
def test_updates_of_one_file_are_in_conflict_although_one_side_restored_the_table_before_its_own(
    lake: Lake, compact: str
) -> None:
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
def test_rows_that_a_restore_put_back_beside_updated_ones_stay_when_the_updates_come_over(
    lake: Lake, compact: str
) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    version = lake.head("b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 2")
    lake.sql(compact)
    for row in (2, 3):
        lake.sql(f"DELETE FROM d.t WHERE id = {row}", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "m")]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a"), (2, "m"), (3, "a")]


@AS_WRITTEN_OR_COMPACTED
def test_rows_that_arrived_after_a_restore_stay_when_it_comes_to_where_they_were_compacted(
    lake: Lake, compact: str
) -> None:
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


@pytest.fixture
def dropped_by_both(lake: Lake, drop: str) -> Lake:
    """The drop happened on both branches before they met."""
    lake.sql(drop)
    lake.sql(drop, "b")
    lake.merge("main", "b")
    return lake


UNDROPS = [("DROP TABLE d.t", "UNDROP TABLE d.t"), ("DROP DATABASE d CASCADE", "UNDROP DATABASE d")]


@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
@pytest.mark.parametrize(
    "change",
    [
        *("DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET v = 'z'", "INSERT INTO d.t VALUES (2, 'b')"),
        *("ALTER TABLE d.t ADD COLUMN w INT", "ALTER DATABASE d SET DBPROPERTIES ('a' = '1')"),
    ],
)
def test_a_table_that_both_sides_dropped_comes_back_with_what_was_done_to_it_since(
    dropped_by_both: Lake, undrop: str, change: str
) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql(change)
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.sql("DESCRIBE DATABASE EXTENDED d", "b").rows == lake.sql("DESCRIBE DATABASE EXTENDED d").rows


@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
def test_a_table_that_both_sides_dropped_comes_back_under_no_name_that_is_taken(
    dropped_by_both: Lake, drop: str, undrop: str
) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql("CREATE TABLE d.t (id INT)" if "TABLE" in drop else "CREATE DATABASE d", "b")
    assert lake.codes("main", "b") == {"NAME_EXISTS"}


def test_a_table_that_both_sides_dropped_does_not_come_back_into_a_database_that_is_gone(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    assert lake.codes("main", "b") == {"OBJECT_DROPPED_ON_DEST"}


@pytest.mark.parametrize("destination", ["main", "c"])
def test_an_overwrite_of_a_table_that_was_brought_back_counts_wherever_it_is_known(
    lake: Lake, destination: str
) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("DROP TABLE d.t", "c")
    lake.sql("INSERT OVERWRITE d.t VALUES (2, 'b')")
    lake.merge("c")
    lake.sql("UNDROP TABLE d.t")
    lake.sql("INSERT OVERWRITE d.t VALUES (3, 'c')")
    lake.merge("main", "c")
    lake.sql("UPDATE d.t SET v = 'z'", "b")
    result = lake.merge("b", destination)
    assert lake.rows("d.t", destination) == [(3, "c")]
    assert [note["code"] for note in result["notes"]] == ["DISCARDED_UPDATE"]


_UNDROPS_ON_B = [("DROP TABLE d.u", "UNDROP TABLE d.u"), ("DROP DATABASE d CASCADE", "UNDROP DATABASE d")]


@pytest.fixture
def shared(lake: Lake, maker: str) -> Lake:
    """Branches b and c hold d.u; main does too where it made it, and else never saw it."""
    lake.sql("CREATE TABLE d.u (id INT)", maker)
    lake.sql("INSERT INTO d.u VALUES (1)", maker)
    if maker == "main":
        lake.merge("main", "b")
    lake.sql("CREATE BRANCH c", "b")
    return lake


@pytest.mark.pairwise
@pytest.mark.parametrize("maker", ["main", "b"])
@pytest.mark.parametrize(("drop", "undrop"), _UNDROPS_ON_B)
@pytest.mark.parametrize(
    "change", ["SELECT * FROM d.u", "INSERT INTO d.u VALUES (2)", "ALTER TABLE d.u ADD COLUMN w INT"]
)
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_branch_that_merged_a_drop_gets_the_table_back_from_one_to_which_that_was_nothing(
    shared: Lake, drop: str, undrop: str, change: str, rounds: int
) -> None:
    """Else the table would stay lost there, and what was done to it since could not be merged."""
    lake = shared
    for _ in range(rounds):
        lake.sql(drop, "b")
        lake.merge("b", "c")
        lake.sql(undrop, "b")
    lake.sql(change, "b")
    lake.merge("b")
    lake.merge("main", "c")
    assert lake.rows("d.u", "c") == lake.rows("d.u", "b") == lake.rows("d.u")
    lake.sql("INSERT INTO d.u (id) VALUES (3)", "c")
    for source, destination in (("c", "b"), ("b", "main"), ("main", "c")):
        lake.merge(source, destination)
    assert lake.rows("d.u", "c") == lake.rows("d.u", "b") == lake.rows("d.u")
    assert (3,) in lake.rows("d.u", columns="id")


@pytest.mark.parametrize("maker", ["main", "b"])
@pytest.mark.parametrize(("drop", "undrop"), _UNDROPS_ON_B)
def test_a_drop_stands_against_another_branch_s_drop_and_undrop_that_come_by_a_third(
    shared: Lake, drop: str, undrop: str
) -> None:
    lake = shared
    for text in (drop, undrop):
        lake.sql(text, "b")
    lake.merge("b")
    lake.sql(drop, "c")
    lake.merge("main", "c")
    assert "u" not in {row[1] for row in lake.sql("SHOW TABLES", "c").rows}
    lake.merge("c")
    assert "u" not in {row[1] for row in lake.sql("SHOW TABLES").rows}


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


def test_a_file_that_both_put_back_is_emptied_whole_although_it_had_been_masked_before(lake: Lake) -> None:
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


@pytest.mark.pairwise
@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'c'", "DELETE FROM d.t"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm'", "DELETE FROM d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm' WHERE id = 2"])
def test_what_was_done_to_rows_that_a_restore_took_away_is_discarded_although_it_put_older_ones_back(
    lake: Lake, change: str, before: str, after: str
) -> None:
    """As with any overwrite (A4, A5), which absorbs what its side did before (P7). What was done to the older ones
    since is no conflict: nobody else touched their file (A3).
    """
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    merged = lake.merge("b")
    lake.sql(f"{change} WHERE id = 2", "b")
    lake.sql(before)
    lake.sql(f"RESTORE MERGE '{merged['merge_id']}'")
    lake.sql(after)
    result = lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "m" if after.startswith("UPDATE") else "a")]
    assert [note["code"] for note in result["notes"]] == [f"DISCARDED_{change[:6]}"]


@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'c'", "DELETE FROM d.t"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm'", "DELETE FROM d.t"])
def test_a_merged_restore_that_spared_other_rows_overwrote_what_its_destination_had_changed(
    lake: Lake, change: str, before: str
) -> None:
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


def test_a_restore_counts_with_a_branch_that_has_only_the_other_branch_s_change_which_it_undid(lake: Lake) -> None:
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


@pytest.fixture
def put_back(lake: Lake) -> list[tuple[int, str]]:
    """The rows that branch c went back to, which merged those of b, 6 and 7, afterwards; c began as main and b are."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    lake.sql("CREATE BRANCH c")
    lake.sql("INSERT INTO d.t VALUES (5, 'c')", "c")
    version, rows = lake.head("c"), lake.rows("d.t", "c")
    lake.sql("DELETE FROM d.t WHERE id = 5", "c")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "c")
    lake.sql("INSERT INTO d.t VALUES (6, 'b'), (7, 'b')", "b")
    lake.merge("b", "c")
    return rows


_BESIDE = [
    ("INSERT OVERWRITE d.t VALUES (9, 'b')", []),
    ("DELETE FROM d.t", []),
    ("DELETE FROM d.t WHERE id >= 3 AND id < 7", [(7, "b")]),
    ("UPDATE d.t SET v = 'u' WHERE id >= 3", [(6, "u"), (7, "u")]),
]
"""What b did to rows that the merged restore put back and to rows that it spared, and what is left of these."""


@pytest.mark.parametrize(("change", "left"), _BESIDE)
@pytest.mark.parametrize("destination", ["c", "main"])
def test_rows_that_a_merged_restore_put_back_stay_when_what_it_spared_is_merged(
    lake: Lake, put_back: list[tuple[int, str]], change: str, left: list[tuple[int, str]], destination: str
) -> None:
    lake.sql(change, "b")
    lake.merge("c", "b")
    assert lake.rows("d.t", "b") == [*put_back, *left]
    lake.merge("b", destination)
    assert lake.rows("d.t", destination) == [*put_back, *left]


@pytest.mark.parametrize(("change", "left"), _BESIDE)
@pytest.mark.parametrize("last", ["UPDATE d.t SET v = 'c' WHERE id = 3", "DELETE FROM d.t WHERE id = 3"])
def test_rows_that_a_merged_restore_put_back_are_changed_by_what_its_branch_does_next(
    lake: Lake, put_back: list[tuple[int, str]], change: str, left: list[tuple[int, str]], last: str
) -> None:
    lake.sql(change, "b")
    lake.merge("c", "b")
    lake.sql(last, "c")
    lake.merge("c", "b")
    changed = [(3, "c")] if last.startswith("UPDATE") else []
    assert lake.rows("d.t", "b") == sorted([*[row for row in put_back if row[0] != 3], *changed, *left])


@pytest.mark.parametrize(("change", "left"), _BESIDE)
def test_rows_that_a_restore_put_back_go_on_to_a_third_branch_beside_what_was_spared(
    lake: Lake, put_back: list[tuple[int, str]], change: str, left: list[tuple[int, str]]
) -> None:
    lake.sql(change, "b")
    lake.merge("c", "b")
    lake.merge("b", "c")
    lake.merge("c")
    assert lake.rows("d.t") == [*put_back, *left]


@pytest.fixture
def three_rows(begin: Begin) -> Lake:
    """Main and b hold rows 1 to 3 of d.t, 2 and 3 in one file."""
    return begin("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')", "MERGE BRANCH main TO b")


@pytest.mark.pairwise
@pytest.mark.parametrize(
    "absorbed",
    [
        *("UPDATE d.t SET v = 'b' WHERE id = 2", "DELETE FROM d.t WHERE id = 2", "INSERT INTO d.t VALUES (4, 'b')"),
        *("INSERT OVERWRITE d.t VALUES (4, 'b')", "ALTER TABLE d.t ADD COLUMN w INT"),
    ],
)
@pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
@pytest.mark.parametrize(("source", "destination"), [("b", "main"), ("main", "b")])
def test_what_a_merged_drop_absorbed_comes_with_the_undrop(
    three_rows: Lake, source: str, destination: str, drop: str, undrop: str, compact: str, absorbed: str
) -> None:
    """Else deleted rows are back on one branch, inserted ones lost, and updated ones live twice after a merge."""
    lake = three_rows
    for text in (absorbed, compact, drop):
        lake.sql(text, source)
    lake.merge(source, destination)
    lake.sql(undrop, source)
    rows = lake.rows("d.t", source)
    lake.merge(source, destination)
    assert lake.rows("d.t", destination) == rows
    lake.sql("UPDATE d.t SET v = 'c' WHERE id > 1", destination)
    lake.merge(destination, source)
    lake.sql("DELETE FROM d.t WHERE id = 3", source)
    lake.merge(source, destination)
    assert lake.rows("d.t", destination) == lake.rows("d.t", source)


def test_a_row_that_was_updated_before_a_drop_and_deleted_after_the_undrop_does_not_come_back_by_a_third_branch(
    three_rows: Lake,
) -> None:
    lake = three_rows
    for text in ("UPDATE d.t SET v = 'b' WHERE id = 2", "OPTIMIZE d.t", "DROP TABLE d.t"):
        lake.sql(text, "b")
    lake.sql("CREATE BRANCH w", "b")
    lake.merge("w")
    for text in ("UNDROP TABLE d.t", "DELETE FROM d.t WHERE v = 'b'", "OPTIMIZE d.t"):
        lake.sql(text, "b")
    lake.merge("main", "b")
    lake.merge("b", "w")
    lake.merge("w")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == lake.rows("d.t", "w") == [(1, "a"), (3, "a")]


def test_a_restore_that_undoes_the_drop_and_what_it_absorbed_leaves_what_the_other_side_made_of_the_rows(
    lake: Lake,
) -> None:
    """It leads back to what both had, so nothing is left of it (P7)."""
    lake.merge("main", "b")
    version = lake.head()
    lake.sql("INSERT OVERWRITE d.t VALUES (5, 'b')", "b")
    lake.sql("UPDATE d.t SET v = 'm'")
    lake.sql("DROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(5, "b")]


def test_what_a_merged_drop_absorbed_is_judged_when_it_comes_with_the_undrop(three_rows: Lake) -> None:
    lake = three_rows
    lake.sql("INSERT INTO d.t VALUES (4, 'm')")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    lake.sql("UNDROP TABLE d.t", "b")
    assert lake.codes("b") == {"PREDICATE_DML_VS_INSERT"}


@pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
def test_a_row_updated_before_a_drop_that_both_sides_took_back_does_not_live_on_as_it_was(
    three_rows: Lake, compact: str
) -> None:
    """What masks it on the one branch masks nothing on the other, which brought the table back without the update."""
    lake = three_rows
    for text in ("UPDATE d.t SET v = 'b' WHERE id = 2", compact, "DROP TABLE d.t"):
        lake.sql(text, "b")
    lake.merge("b")
    lake.sql("UNDROP TABLE d.t")
    for text in ("UNDROP TABLE d.t", "DELETE FROM d.t WHERE v = 'b'"):
        lake.sql(text, "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (3, "a")]


@pytest.mark.parametrize("rewrite", ["OPTIMIZE d.t", "UPDATE d.t SET v = 'm' WHERE id = 3"])
def test_an_update_reaches_rows_that_a_restore_brought_back_as_they_were_before_a_merged_restore(
    lake: Lake, rewrite: str
) -> None:
    """The merged restore had swept what wrote the rows anew, and the destination's own went back to that."""
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


def test_a_restore_to_after_a_merged_one_brings_back_nothing_that_this_had_swept(lake: Lake) -> None:
    shown = lake.head()
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {shown - 1}", "b")
    merged = lake.merge("b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.sql(f"RESTORE MERGE '{merged['merge_id']}'")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a")]
    version = lake.head("b")
    lake.sql("UPDATE d.t SET v = 'c'", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    lake.sql("DELETE FROM d.t")
    lake.merge("b")
    assert lake.rows("d.t") == []


def test_an_update_goes_on_by_a_branch_that_merged_a_restore_after_it(three_rows: Lake) -> None:
    three_rows.sql("CREATE BRANCH w")
    three_rows.merge("b")
    before = three_rows.head("b")
    three_rows.sql("INSERT INTO d.t VALUES (9, 'b')", "b")
    three_rows.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    three_rows.sql("UPDATE d.t SET v = 'w' WHERE id = 2", "w")
    for source, destination in (("main", "b"), ("b", "main"), ("w", "main"), ("main", "w"), ("w", "b")):
        three_rows.merge(source, destination)
    assert three_rows.rows("d.t", "b") == three_rows.rows("d.t", "w")


def test_an_update_that_its_branch_had_before_it_merged_a_restore_goes_on_without_the_row_as_it_was(
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
