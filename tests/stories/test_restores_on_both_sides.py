"""Both sides restored a table: one took back what it had, or had merged, before it merged the other's work; the other
took that work back afterwards. Each restore is its changes: rows that both have may not go with it.
"""

from __future__ import annotations

import pytest

from tests.support.lake import Lake

NOTHING = "SELECT * FROM d.t"
OWN = ["INSERT INTO d.t VALUES (9, 'x')", "DELETE FROM d.t WHERE id = 2", "UPDATE d.t SET v = 'q'"]
MERGED = [
    *("UPDATE d.t SET v = 'z'", "UPDATE d.t SET v = 'z' WHERE id = 2", "DELETE FROM d.t WHERE id = 2"),
    *("INSERT OVERWRITE d.t VALUES (5, 'n')", "INSERT INTO d.t VALUES (4, 'n')", "OPTIMIZE d.t"),
]


@pytest.mark.pairwise
@pytest.mark.parametrize("restored", ["TABLE d.t", "BRANCH b"])
@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("merged", MERGED)
def test_own_restored_work_is_no_change(lake: Lake, restored: str, own: str, merged: str) -> None:
    """Semantics P7: a restore to the base state is nothing; it swept the target's table."""
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")
    lake.merge("main", "b")
    base, before = lake.head("b"), lake.head()
    lake.sql(own, "b")
    lake.sql(f"RESTORE {restored} TO VERSION AS OF {base}", "b")
    lake.sql(merged)
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def restore_both(lake: Lake, second: str, merged: str) -> None:
    """Branch b takes back a row of main's and merges an update of main's, which main takes back then."""
    lake.sql(f"INSERT INTO d.t VALUES {second}")
    lake.merge("main", "b")
    base = lake.head("b")
    lake.sql("INSERT INTO d.t VALUES (3, 'c')")
    before = lake.head()
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {base}", "b")
    lake.sql(merged)
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")


@pytest.fixture
def both_restored(lake: Lake, merged: str, later: str, on_b: str) -> Lake:
    """Both went on after that."""
    restore_both(lake, "(2, 'b')", merged)
    lake.sql(later)
    lake.sql(on_b, "b")
    return lake


@pytest.mark.pairwise
@pytest.mark.parametrize("merged", ["UPDATE d.t SET v = 'z'", "UPDATE d.t SET v = 'z' WHERE id < 3"])
@pytest.mark.parametrize("on_b", [NOTHING, "OPTIMIZE d.t", "UPDATE d.t SET v = 'k' WHERE id = 2"])
@pytest.mark.parametrize(
    ("later", "left"),
    [
        (NOTHING, [(1, "a"), (2, "b")]),
        ("OPTIMIZE d.t", [(1, "a"), (2, "b")]),
        ("UPDATE d.t SET v = 'm'", [(1, "m"), (2, "m")]),
        ("UPDATE d.t SET v = 'm' WHERE id = 1", [(1, "m"), (2, "b")]),
        ("DELETE FROM d.t WHERE id = 1", [(2, "b")]),
    ],
)
def test_rows_after_a_restore_keep_the_others_state(
    both_restored: Lake, later: str, on_b: str, left: list[tuple[int, str]]
) -> None:
    """The restore took row 3 away, and says nothing of the others (lineage §1). Two updates of row 2 are a conflict."""
    lake = both_restored
    if (later, on_b) == ("UPDATE d.t SET v = 'm'", "UPDATE d.t SET v = 'k' WHERE id = 2"):
        assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
        return
    lake.merge("b")
    assert lake.rows("d.t") == left
    assert_alike_from_now_on(lake)


@pytest.mark.parametrize("merged", ["UPDATE d.t SET v = 'z' WHERE id = 2"])
@pytest.mark.parametrize("on_b", [NOTHING, "OPTIMIZE d.t"])
@pytest.mark.parametrize(
    ("later", "refused"),
    [
        (NOTHING, set()),
        ("OPTIMIZE d.t", set()),
        ("UPDATE d.t SET v = 'b'", {"SAME_FILE_UPDATE_UPDATE"}),
        ("DELETE FROM d.t WHERE id = 1", {"SAME_FILE_UPDATE_DELETE"}),
    ],
)
def test_updates_of_unrestored_rows_are_judged_normally(both_restored: Lake, refused: set[str]) -> None:
    """A1, A3: both restores were of rows 2 and 3."""
    lake = both_restored
    lake.sql("UPDATE d.t SET v = 'e' WHERE id = 1", "b")
    if refused:
        assert lake.codes("b") == refused
        return
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "e"), (2, "b")]
    assert_alike_from_now_on(lake)


def assert_alike_from_now_on(lake: Lake) -> None:
    """Merged back, and changed once more, both branches hold the same."""
    rows = lake.rows("d.t")
    lake.merge("b")
    assert lake.rows("d.t") == rows
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == rows
    lake.sql("UPDATE d.t SET v = 'y'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == [(row[0], "y") for row in rows]


@pytest.mark.parametrize("merged", ["UPDATE d.t SET v = 'z'", "UPDATE d.t SET v = 'z' WHERE id = 2"])
def test_older_rows_without_required_values_refuse_merges(lake: Lake, merged: str) -> None:
    restore_both(lake, "(2, NULL)", merged)
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL", "b")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}
