"""A restore is its changes, and says nothing of other rows (lineage §1, §3, §4b). Each statement runs on the reference
model too.
"""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.stories.test_recovery_stories import AS_WRITTEN_OR_COMPACTED, merge_into_put_back_image
from tests.support.lake import Lake


@pytest.fixture
def lake(modelled: Lake) -> Lake:
    return modelled


@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 1"])
def test_updates_after_a_restore_conflict(lake: Lake, older: int, before: str) -> None:
    """§1: the restore changes what differs, and overwrites no other row. A3."""
    lake.sql(before, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {older}", "b")
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}


@pytest.mark.pairwise
@pytest.mark.parametrize("which", ["id = 2", "id > 1"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize("is_known", [False, True])
def test_an_update_meets_the_restored_row(lake: Lake, which: str, before: str, after: str, is_known: bool) -> None:
    """§4b: an update that comes back is an update to a branch that does not know it (A3). To one that knows it, its row
    is restored, and the update of the source is discarded (A4).
    """
    changes = [before, f"UPDATE d.t SET v = 's' WHERE {which}"]
    if not is_known:
        with pytest.raises(MergeConflict) as refusal:
            merge_into_put_back_image(lake, changes, after=after, is_known=is_known)
        assert [item["code"] for item in refusal.value.details["conflicts"]] == ["SAME_FILE_UPDATE_UPDATE"]
        return
    merge_into_put_back_image(lake, changes, after=after, is_known=is_known)
    assert lake.rows("d.t") == [(1, "a"), (2, "m"), (3, "s" if which == "id > 1" else "a")]


@pytest.mark.pairwise
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@AS_WRITTEN_OR_COMPACTED
@pytest.mark.parametrize(
    ("theirs", "mine", "left"),
    [
        # What is left, or the code of the refusal.
        ("SELECT * FROM d.t", "UPDATE d.t SET v = 's' WHERE id = 2", [(2, "s"), (3, "a")]),
        ("SELECT * FROM d.t", "DELETE FROM d.t WHERE id = 2", [(3, "a")]),
        ("UPDATE d.t SET v = 'm' WHERE id = 2", "UPDATE d.t SET v = 's' WHERE id > 1", "SAME_FILE_UPDATE_UPDATE"),
        ("UPDATE d.t SET v = 'm' WHERE id = 2", "DELETE FROM d.t WHERE id > 1", [(2, "m")]),
        ("DELETE FROM d.t WHERE id = 2", "UPDATE d.t SET v = 's' WHERE id > 1", "SAME_FILE_UPDATE_DELETE"),
        ("DELETE FROM d.t WHERE id = 2", "DELETE FROM d.t WHERE id = 3", []),
    ],
)
def test_restores_leave_shared_rows_to_the_other_side(
    lake: Lake, before: str, theirs: str, compact: str, mine: str, left: list[tuple[int, str]] | str
) -> None:
    """§1: it changes none of them. What main did to them before meets what b did, as without the restore (A1, A3)."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    for text in (before, theirs, compact):
        lake.sql(text)
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (9, 'z')")
    lake.sql(mine, "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    if isinstance(left, str):
        assert lake.codes("b") == {left}
        return
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), *left]


@AS_WRITTEN_OR_COMPACTED
def test_restored_rows_stay_beside_updates(lake: Lake, compact: str) -> None:
    """§3, update against restored: the update is discarded (A4)."""
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
    result = lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a"), (2, "a"), (3, "a")]
    assert "DISCARDED_UPDATE" in {note["code"] for note in result["notes"]}


@pytest.mark.pairwise
@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'c'", "DELETE FROM d.t"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm'", "DELETE FROM d.t"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "UPDATE d.t SET v = 'm' WHERE id = 2"])
def test_what_was_done_to_rows_that_a_restore_put_back_is_discarded(
    lake: Lake, change: str, before: str, after: str
) -> None:
    """§3, against restored: discarded (A4, A5). An update after the restore is an update: against another one a
    conflict (A3), against a delete its image stays.
    """
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    merged = lake.merge("b")
    lake.sql(f"{change} WHERE id = 2", "b")
    lake.sql(before)
    lake.sql(f"RESTORE MERGE '{merged['merge_id']}'")
    lake.sql(after)
    is_updated = after.startswith("UPDATE")
    if is_updated and change.startswith("UPDATE"):
        assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
        return
    result = lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "m" if is_updated else "a")]
    assert [note["code"] for note in result["notes"]] == ([] if is_updated else [f"DISCARDED_{change[:6]}"])


@pytest.fixture
def put_back(lake: Lake) -> None:
    """Branch c restored the table, which differed by row 5, and then merged rows 6 and 7 of b."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    lake.sql("CREATE BRANCH c")
    lake.sql("INSERT INTO d.t VALUES (5, 'c')", "c")
    version = lake.head("c")
    lake.sql("DELETE FROM d.t WHERE id = 5", "c")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "c")
    lake.sql("INSERT INTO d.t VALUES (6, 'b'), (7, 'b')", "b")
    lake.merge("b", "c")


_BESIDE = [
    ("INSERT OVERWRITE d.t VALUES (9, 'b')", [(5, "c"), (9, "b")]),
    ("DELETE FROM d.t", [(5, "c")]),
    ("DELETE FROM d.t WHERE id >= 3 AND id < 7", [(1, "a"), (2, "a"), (5, "c"), (7, "b")]),
    ("UPDATE d.t SET v = 'u' WHERE id >= 3", [(1, "a"), (2, "a"), (3, "u"), (5, "c"), (6, "u"), (7, "u")]),
]


@pytest.mark.parametrize(("change", "left"), _BESIDE)
@pytest.mark.parametrize("destination", ["c", "main"])
def test_changes_of_rows_that_a_merged_restore_left_alone_stay(
    lake: Lake, put_back: None, change: str, left: list[tuple[int, str]], destination: str
) -> None:
    lake.sql(change, "b")
    lake.merge("c", "b")
    assert lake.rows("d.t", "b") == left
    lake.merge("b", destination)
    assert lake.rows("d.t", destination) == left


@pytest.mark.parametrize(("change", "left"), _BESIDE)
@pytest.mark.parametrize("last", ["UPDATE d.t SET v = 'c' WHERE id = 3", "DELETE FROM d.t WHERE id = 3"])
def test_rows_untouched_by_restores_are_judged_later(
    lake: Lake, put_back: None, change: str, left: list[tuple[int, str]], last: str
) -> None:
    """Row 3 was changed on both branches: A1, A3. What was overwritten stays overwritten (A4, A5), and an update stays
    against a delete.
    """
    lake.sql(change, "b")
    lake.merge("c", "b")
    lake.sql(last, "c")
    if last.startswith("UPDATE") and not change.startswith("INSERT"):
        assert lake.codes("c", "b") == {f"SAME_FILE_UPDATE_{change[:6]}"}
        return
    lake.merge("c", "b")
    assert lake.rows("d.t", "b") == left


@pytest.mark.parametrize(("change", "left"), _BESIDE)
def test_a_restore_and_later_changes_travel_together(
    lake: Lake, put_back: None, change: str, left: list[tuple[int, str]]
) -> None:
    lake.sql(change, "b")
    lake.merge("c", "b")
    lake.merge("b", "c")
    lake.merge("c")
    assert lake.rows("d.t") == left


def test_a_row_inserted_meanwhile_stays_beside_restores_on_both_sides(lake: Lake) -> None:
    """§1: a restore takes away only what its branch had. What was updated and restored is nothing (P7)."""
    shown = lake.head()
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {shown - 1}", "b")
    merged = lake.merge("b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.sql(f"RESTORE MERGE '{merged['merge_id']}'")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a"), (2, "b")]
    version = lake.head("b")
    lake.sql("UPDATE d.t SET v = 'c'", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    lake.sql("DELETE FROM d.t")
    lake.merge("b")
    assert lake.rows("d.t") == [(2, "b")]
