"""Merges of partitions that one side emptied, which random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake
from tests.support.stored_databases import Begin

emptied = pytest.mark.parametrize(
    ("emptying", "written"),
    [("INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (9)", [(9, 1)]), ("ALTER TABLE d.p DROP PARTITION (k = 1)", [])],
)


@pytest.fixture
def parts(begin: Begin) -> Lake:
    """Table d.p on both branches: rows 1, 2 in one file of partition 1, 3 in another of it, row 4 in partition 2."""
    return begin(
        "CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)",
        "INSERT INTO d.p VALUES (1, 1), (2, 1), (4, 2)",
        "INSERT INTO d.p VALUES (3, 1)",
        "MERGE BRANCH main TO b",
    )


@emptied
def test_a_compacted_emptied_partition_is_empty_everywhere(
    parts: Lake, emptying: str, written: list[tuple[int, int]]
) -> None:
    parts.sql("CREATE BRANCH c")
    parts.sql("OPTIMIZE d.p", "b")
    parts.sql(emptying, "b")
    parts.merge("b")
    parts.sql("UPDATE d.p SET id = 7 WHERE id = 1", "c")
    parts.merge("c")
    assert parts.rows("d.p") == [(4, 2), *written]


@emptied
@pytest.mark.parametrize("moved", ["id = 1", "k = 1", "id < 5"])
def test_moved_rows_of_emptied_partitions_are_gone(
    parts: Lake, emptying: str, written: list[tuple[int, int]], moved: str
) -> None:
    parts.sql(emptying, "b")
    parts.sql(f"UPDATE d.p SET k = 3 WHERE {moved}")
    parts.merge("main", "b")
    parts.merge("b")
    left = [(4, 3 if moved == "id < 5" else 2), *written]
    assert parts.rows("d.p") == parts.rows("d.p", "b") == sorted(left, key=repr)


@emptied
@pytest.mark.parametrize(
    ("later", "kept"),
    [
        ("UPDATE d.p SET id = 5 WHERE id = 1", [(5, 3)]),
        ("INSERT INTO d.p VALUES (5, 3)", [(5, 3)]),
        ("DELETE FROM d.p WHERE id = 2", []),
        ("OPTIMIZE d.p", []),
    ],
)
def test_what_was_done_to_moved_rows_after_the_pull_stays(
    parts: Lake, emptying: str, written: list[tuple[int, int]], later: str, kept: list[tuple[int, int]]
) -> None:
    parts.sql(emptying, "b")
    parts.sql("UPDATE d.p SET k = 3 WHERE k = 1")
    parts.merge("main", "b")
    parts.sql(later)
    parts.merge("b")
    assert parts.rows("d.p") == sorted([(4, 2), *kept, *written], key=repr)


@pytest.mark.pairwise
@emptied
@pytest.mark.parametrize("mover", ["main", "b", "c"])
@pytest.mark.parametrize(("sweeper", "other"), [("main", "b"), ("b", "main")])
@pytest.mark.parametrize("passes_c", [False, True], ids=["straight", "by way of c"])
def test_rows_moved_before_emptying_stay(
    parts: Lake, emptying: str, written: list[tuple[int, int]], mover: str, sweeper: str, other: str, passes_c: bool
) -> None:
    parts.sql("CREATE BRANCH c")
    parts.sql("UPDATE d.p SET k = 3 WHERE id = 1", mover)
    for branch in {"main", "b", "c"} - {mover}:
        parts.merge(mover, branch)
    parts.sql(emptying, sweeper)
    parts.sql("INSERT INTO d.p VALUES (5, 2)", other)
    if passes_c:
        parts.merge(sweeper, "c")
    passing = "c" if passes_c else sweeper
    parts.merge(other, passing)
    parts.merge(passing, other)
    assert parts.rows("d.p", other) == parts.rows("d.p", passing) == sorted([(1, 3), (4, 2), (5, 2), *written])


left = pytest.mark.parametrize("left", ["id = 1", "id > 1"])
changed = pytest.mark.parametrize("changed", ["id < 9", "id < 4"])


@pytest.fixture
def thinned(parts: Lake, left: str) -> Lake:
    """Rows left partition 1, whose files hold them yet, masked."""
    parts.sql(f"UPDATE d.p SET k = 2 WHERE {left}")
    parts.merge("main", "b")
    return parts


@pytest.mark.pairwise
@emptied
@left
@changed
@pytest.mark.parametrize("before", ["SELECT * FROM d.p", "OPTIMIZE d.p"])
def test_updates_count_for_rows_moved_before(
    thinned: Lake, emptying: str, written: list[tuple[int, int]], before: str, changed: str
) -> None:
    for text in (before, f"UPDATE d.p SET id = id + 10 WHERE {changed}"):
        thinned.sql(text, "b")
    updated = [row for row in thinned.rows("d.p", "b") if row[1] == 2]
    thinned.sql(emptying)
    thinned.merge("b")
    assert thinned.rows("d.p") == sorted([*updated, *written], key=repr)


@left
@changed
@pytest.mark.parametrize("before", ["SELECT * FROM d.p", "OPTIMIZE d.p"])
def test_a_restore_leaves_earlier_deletes_alone(thinned: Lake, before: str, changed: str) -> None:
    """A restore is its changes (lineage §1), so the update meets the delete (A1)."""
    for text in (before, f"UPDATE d.p SET id = id + 10 WHERE {changed}"):
        thinned.sql(text, "b")
    thinned.sql("DELETE FROM d.p WHERE k = 1")
    version = thinned.head()
    thinned.sql("INSERT INTO d.p VALUES (8, 5)")
    thinned.sql(f"RESTORE TABLE d.p TO VERSION AS OF {version}")
    rows = thinned.rows("d.p")
    assert thinned.codes("b") == {"SAME_FILE_UPDATE_DELETE"}
    assert thinned.rows("d.p") == rows


@emptied
@left
@changed
def test_so_does_one_in_a_transaction_that_is_committed_after_it(
    thinned: Lake, emptying: str, written: list[tuple[int, int]], changed: str
) -> None:
    opened = thinned.sql("BEGIN").extra["transaction"]
    thinned.sql(f"UPDATE d.p SET id = id + 10 WHERE {changed}", transaction=opened)
    found = thinned.sql("SELECT * FROM d.p WHERE k = 2", transaction=opened).rows
    updated = [tuple(row) for row in found]
    thinned.sql(emptying)
    thinned.sql("COMMIT", transaction=opened)
    assert thinned.rows("d.p") == sorted([*updated, *written], key=repr)


@emptied
@pytest.mark.parametrize("between", ["SELECT * FROM d.p", "OPTIMIZE d.p"])
@pytest.mark.parametrize(
    ("moved", "later", "kept"),
    [("id = 1", "SET k = 3 WHERE id = 2", (2, 3)), ("k = 1", "SET id = 5 WHERE id = 1", (5, 3))],
)
def test_changes_after_a_pull_survive_compaction(
    parts: Lake,
    emptying: str,
    written: list[tuple[int, int]],
    between: str,
    moved: str,
    later: str,
    kept: tuple[int, int],
) -> None:
    parts.sql("INSERT INTO d.p VALUES (6, 3)", "b")
    parts.sql(emptying)
    parts.sql(f"UPDATE d.p SET k = 3 WHERE {moved}", "b")
    parts.merge("b")
    parts.sql(between, "b")
    parts.sql(f"UPDATE d.p {later}", "b")
    parts.sql("OPTIMIZE d.p", "b")
    parts.merge("main", "b")
    assert parts.rows("d.p", "b") == sorted([kept, (4, 2), (6, 3), *written])


@pytest.mark.parametrize(
    "overwrite", ["TRUNCATE TABLE d.p", "INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (8)"], ids=["table", "partition"]
)
def test_a_dropped_partition_takes_later_rows(parts: Lake, overwrite: str) -> None:
    """The drop is a scope: it takes what main has not seen (lineage §4). What the merge brought to main stays."""
    parts.sql("ALTER TABLE d.p DROP PARTITION (k = 1)")
    parts.sql(overwrite, "b")
    parts.merge("b")
    merged = parts.rows("d.p")
    assert merged == parts.rows("d.p", "b")
    parts.sql("INSERT INTO d.p VALUES (9, 1)", "b")
    parts.merge("main", "b")
    assert parts.rows("d.p", "b") == merged
    parts.merge("b")
    assert parts.rows("d.p") == merged


def test_a_dropped_partition_goes_despite_an_overwrite(
    parts: Lake,
) -> None:
    parts.sql("INSERT OVERWRITE d.p VALUES (5, 5)")
    parts.sql("INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (9)", "b")
    parts.merge("b")
    assert parts.rows("d.p") == [(5, 5), (9, 1)]
    parts.sql("ALTER TABLE d.p DROP PARTITION (k = 1)", "b")
    parts.merge("main", "b")
    parts.merge("b")
    assert parts.rows("d.p") == parts.rows("d.p", "b") == [(5, 5)]


def test_partition_overwrites_leave_other_partitions_alone(parts: Lake) -> None:
    parts.sql("DELETE FROM d.p WHERE k = 1", "b")
    parts.sql("INSERT INTO d.p VALUES (7, 1)", "b")
    parts.sql("INSERT INTO d.p VALUES (8, 1)")
    parts.merge("main", "b")
    parts.sql("OPTIMIZE d.p")
    parts.sql("OPTIMIZE d.p", "b")
    parts.sql("INSERT OVERWRITE d.p PARTITION (k = 2) VALUES (9)")
    parts.merge("b")
    parts.merge("main", "b")
    assert parts.rows("d.p") == parts.rows("d.p", "b") == [(7, 1), (8, 1), (9, 2)]


@emptied
def test_compacted_rows_of_a_dropped_partition_stay_gone(
    parts: Lake, emptying: str, written: list[tuple[int, int]]
) -> None:
    parts.sql("INSERT INTO d.p VALUES (6, 1), (5, 2)", "b")
    parts.sql("OPTIMIZE d.p", "b")
    parts.sql(emptying)
    parts.merge("main", "b")
    parts.merge("b")
    assert parts.rows("d.p") == parts.rows("d.p", "b") == sorted([(4, 2), (5, 2), *written])


@pytest.mark.parametrize(("side", "other"), [("b", "main"), ("main", "b")])
@pytest.mark.parametrize("write", ["INSERT INTO d.p VALUES (NULL, 1)", "UPDATE d.p SET id = NULL WHERE id = 3"])
@pytest.mark.parametrize("after", ["SELECT * FROM d.p", "OPTIMIZE d.p"])
class TestRowsWithoutAValue:
    """One side wrote them, then merged what the other did to their partition; then the other made the column NOT NULL
    (A6.2).
    """

    @pytest.mark.pairwise
    @emptied
    def test_refuse_nothing_once_they_went_with_their_partition(
        self, parts: Lake, side: str, other: str, write: str, after: str, emptying: str, written: list[tuple[int, int]]
    ) -> None:
        parts.sql(write, side)
        parts.sql(after, side)
        parts.sql(emptying, other)
        parts.merge(other, side)
        parts.sql("ALTER TABLE d.p ALTER COLUMN id SET NOT NULL", other)
        parts.merge("b")
        assert parts.rows("d.p") == sorted([(4, 2), *written])

    def test_refuse_the_merge_where_their_partition_was_renamed(
        self, parts: Lake, side: str, other: str, write: str, after: str
    ) -> None:
        parts.sql(write, side)
        parts.sql(after, side)
        parts.sql("ALTER TABLE d.p PARTITION (k = 1) RENAME TO PARTITION (k = 7)", other)
        parts.merge(other, side)
        parts.sql("ALTER TABLE d.p ALTER COLUMN id SET NOT NULL", other)
        assert parts.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


class TestPartitionsThatWereCompactedTogether:
    """Main compacts partitions 1 and 2 in one operation. What becomes of one is nothing to the rows of the other."""

    @pytest.fixture(autouse=True)
    def both(self, parts: Lake) -> None:
        parts.sql("INSERT INTO d.p VALUES (5, 2)")
        parts.merge("main", "b")
        parts.sql("OPTIMIZE d.p")

    @pytest.mark.parametrize(
        "emptying", ["ALTER TABLE d.p DROP PARTITION (k = 2)", "INSERT OVERWRITE d.p PARTITION (k = 2) VALUES (9)"]
    )
    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE d.p SET id = 6 WHERE id = 1",
            "UPDATE d.p SET id = 6 WHERE id = 3",
            "UPDATE d.p SET id = id + 10 WHERE k = 1",
            "DELETE FROM d.p WHERE id = 3",
        ],
    )
    def test_rows_changed_in_one_stay_where_the_other_was_emptied(
        self, parts: Lake, emptying: str, change: str
    ) -> None:
        parts.sql(emptying)
        parts.sql(change, "b")
        rows = [row for row in parts.rows("d.p", "b") if row[1] == 1]
        rows += [row for row in parts.rows("d.p") if row[1] == 2]
        parts.merge("b")
        assert parts.rows("d.p") == sorted(rows, key=repr)
        parts.merge("main", "b")
        assert parts.rows("d.p", "b") == sorted(rows, key=repr)

    @pytest.mark.parametrize(("source", "destination"), [("main", "b"), ("b", "main")])
    def test_both_sides_may_update_one_of_them_each(self, parts: Lake, source: str, destination: str) -> None:
        parts.sql("UPDATE d.p SET id = 6 WHERE id = 3")
        parts.sql("UPDATE d.p SET id = 7 WHERE id = 5", "b")
        parts.merge(source, destination)
        parts.merge(destination, source)
        assert parts.rows("d.p") == parts.rows("d.p", "b") == [(1, 1), (2, 1), (4, 2), (6, 1), (7, 2)]

    def test_dropped_new_rows_stay_gone(self, parts: Lake) -> None:
        parts.sql("INSERT INTO d.p VALUES (7, 1), (8, 2)")
        parts.sql("OPTIMIZE d.p")
        parts.sql("ALTER TABLE d.p DROP PARTITION (k = 1)")
        parts.sql("DELETE FROM d.p WHERE id = 5", "b")
        parts.merge("main", "b")
        assert parts.rows("d.p", "b") == [(4, 2), (8, 2)]


@pytest.mark.parametrize("other", ["UPDATE d.p SET id = 9 WHERE id = 2", "DELETE FROM d.p WHERE id = 2"])
def test_a_row_that_went_back_to_its_first_partition_lies_there(parts: Lake, other: str) -> None:
    """Its partition goes with its image, which has a new stamp though the partition is the one that it began in."""
    parts.sql("UPDATE d.p SET k = 2 WHERE id = 1")
    parts.merge("main", "b")
    parts.sql("UPDATE d.p SET k = 1 WHERE id = 1", "b")
    parts.sql(other)
    left = [row for row in parts.rows("d.p") if row[0] != 1]
    parts.merge("b")
    assert parts.rows("d.p") == sorted([*left, (1, 1)], key=repr)
    parts.merge("main", "b")
    assert parts.rows("d.p", "b") == parts.rows("d.p")
