"""Merges again and again where earlier ones rewrote files: the branches hold one row in different files."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import rows, run

RENAME = "ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')"


def two_partitions_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 'x'), (2, 'o', 'x'), (5, 'o', 'y'), (6, 'o', 'y')")
    lake.sql("INSERT INTO d.t VALUES (3, 'o', 'x'), (4, 'o', 'x')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_partitions(begun: Begun) -> Lake:
    """Table d.t with rows 1, 2 and 3, 4 in two files of partition x, 5, 6 in one of y, and branch b."""
    return begun(two_partitions_fill)


@pytest.fixture
def moved(two_partitions: Lake) -> Lake:
    """b renamed x to w over a delete of main: main holds w in files of its own. Then b deleted, updated, compacted."""
    run(two_partitions, "b", RENAME)
    run(two_partitions, "main", "DELETE FROM d.t WHERE id = 1")
    two_partitions.merge("b")
    assert rows(two_partitions) == "2ow 3ow 4ow 5oy 6oy"
    return two_partitions


def test_changes_follow_into_a_partition_that_an_earlier_merge_moved(moved: Lake) -> None:
    run(moved, "b", "DELETE FROM d.t WHERE id IN (1, 2)", "UPDATE d.t SET v = 'B' WHERE id IN (3, 5)", "OPTIMIZE d.t")
    moved.merge("b")
    assert rows(moved) == "3Bw 4ow 5By 6oy"


def test_a_partition_that_an_earlier_merge_moved_moves_again(moved: Lake) -> None:
    run(moved, "b", "ALTER TABLE d.t PARTITION (p = 'w') RENAME TO PARTITION (p = 'v')", "DELETE FROM d.t WHERE id = 4")
    run(moved, "main", "INSERT INTO d.t SELECT 7, 'm', 'w' WHERE false", "OPTIMIZE d.t")
    moved.merge("b")
    assert rows(moved) == "2ov 3ov 5oy 6oy"


def test_compacted_rows_keep_the_old_partition_name(
    two_partitions: Lake,
) -> None:
    run(
        two_partitions,
        "main",
        "INSERT INTO d.t VALUES (7, 'm', 'x')",
        "UPDATE d.t SET v = 'M' WHERE id = 3",
        "OPTIMIZE d.t",
    )
    run(two_partitions, "b", RENAME)
    two_partitions.merge("main", "b")
    assert rows(two_partitions, "b") == "1ow 2ow 3Mw 4ow 5oy 6oy 7mx"
    two_partitions.merge("b")
    assert rows(two_partitions) == "1ow 2ow 3Mw 4ow 5oy 6oy 7mx"
    run(two_partitions, "b", "DELETE FROM d.t WHERE id IN (2, 7)")
    two_partitions.merge("b")
    assert rows(two_partitions) == "1ow 3Mw 4ow 5oy 6oy"


@pytest.mark.parametrize(
    ("ours", "codes"),
    [
        # Row 1 of that file is deleted on main; row 3 lies in the other file. A rename of their partition moves no row.
        (2, {"SAME_FILE_UPDATE_DELETE"}),
        (4, {"SAME_FILE_UPDATE_UPDATE"}),
    ],
)
def test_a1_and_a3_go_by_the_files_of_before_an_earlier_merge(moved: Lake, ours: int, codes: set[str]) -> None:
    run(moved, "b", f"UPDATE d.t SET v = 'B' WHERE id = {ours}")
    run(moved, "main", "UPDATE d.t SET v = 'M' WHERE id = 3")
    assert moved.codes("b") == codes


def test_what_an_overwrite_filtered_goes_on_being_updated(two_partitions: Lake) -> None:
    run(two_partitions, "b", "UPDATE d.t SET v = 'B', p = 'z' WHERE id IN (1, 5, 6)")
    run(two_partitions, "main", "INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (9, 'over')")
    two_partitions.merge("b")
    assert rows(two_partitions) == "5Bz 6Bz 9overx"
    run(two_partitions, "b", "DELETE FROM d.t WHERE id = 5", "UPDATE d.t SET v = 'C' WHERE id IN (1, 6)")
    two_partitions.merge("b")
    assert rows(two_partitions) == "6Cz 9overx"


def test_branches_that_compact_and_merge_in_turn_stay_the_same(two_partitions: Lake) -> None:
    for turn in range(1, 4):
        run(two_partitions, "b", f"UPDATE d.t SET v = 'b{turn}' WHERE id = 1", "OPTIMIZE d.t")
        run(two_partitions, "main", f"INSERT INTO d.t SELECT 1{turn}, 'm', 'x' WHERE false", "OPTIMIZE d.t")
        two_partitions.merge("b")
        two_partitions.merge("main", "b")
        assert rows(two_partitions) == rows(two_partitions, "b") == f"1b{turn}x 2ox 3ox 4ox 5oy 6oy"
        run(two_partitions, "main", f"UPDATE d.t SET v = 'm{turn}' WHERE id = 5", "OPTIMIZE d.t")
        run(two_partitions, "b", f"DELETE FROM d.t WHERE id = 1{turn}", "OPTIMIZE d.t")
        two_partitions.merge("main", "b")
        two_partitions.merge("b")
        assert rows(two_partitions) == rows(two_partitions, "b") == f"1b{turn}x 2ox 3ox 4ox 5m{turn}y 6oy"
        run(two_partitions, "main", "UPDATE d.t SET v = 'o' WHERE id = 5")
        two_partitions.merge("main", "b")


def test_a_sideways_merge_of_a_skipped_compaction_arrives_once(two_partitions: Lake) -> None:
    two_partitions.sql("CREATE BRANCH c")
    run(two_partitions, "b", "INSERT INTO d.t VALUES (7, 'b', 'x')", "OPTIMIZE d.t")
    run(two_partitions, "c", "DELETE FROM d.t WHERE id = 1")
    two_partitions.merge("b", "c")
    assert rows(two_partitions, "c") == "2ox 3ox 4ox 5oy 6oy 7bx"
    two_partitions.merge("b")
    two_partitions.merge("c")
    assert rows(two_partitions) == "2ox 3ox 4ox 5oy 6oy 7bx"
    run(two_partitions, "c", "DELETE FROM d.t WHERE id IN (2, 7)")
    two_partitions.merge("c")
    assert rows(two_partitions) == "3ox 4ox 5oy 6oy"
