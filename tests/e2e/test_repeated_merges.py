"""Merges again and again where earlier ones rewrote files: the branches hold one row in different files."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake

RENAME = "ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')"


@pytest.fixture
def parted(lake: Lake) -> Lake:
    """Table d.t with rows 1, 2 and 3, 4 in two files of partition x, 5, 6 in one of y, and branch b."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 'x'), (2, 'o', 'x'), (5, 'o', 'y'), (6, 'o', 'y')")
    lake.sql("INSERT INTO d.t VALUES (3, 'o', 'x'), (4, 'o', 'x')")
    lake.sql("CREATE BRANCH b")
    return lake


def run(lake: Lake, branch: str, *statements: str) -> None:
    for statement in statements:
        lake.sql(statement, branch)


def rows(lake: Lake, branch: str = "main") -> str:
    found = lake.sql("SELECT * FROM d.t ORDER BY id", branch).rows
    return " ".join("".join(str(value) for value in row) for row in found)


@pytest.fixture
def moved(parted: Lake) -> Lake:
    """b renamed x to w over a delete of main: main holds w in files of its own. Then b deleted, updated, compacted."""
    run(parted, "b", RENAME)
    run(parted, "main", "DELETE FROM d.t WHERE id = 1")
    parted.merge("b")
    assert rows(parted) == "2ow 3ow 4ow 5oy 6oy"
    return parted


def test_changes_follow_into_a_partition_that_an_earlier_merge_moved(moved: Lake) -> None:
    run(moved, "b", "DELETE FROM d.t WHERE id IN (1, 2)", "UPDATE d.t SET v = 'B' WHERE id IN (3, 5)", "OPTIMIZE d.t")
    moved.merge("b")
    assert rows(moved) == "3Bw 4ow 5By 6oy"


def test_a_partition_that_an_earlier_merge_moved_moves_again(moved: Lake) -> None:
    run(moved, "b", "ALTER TABLE d.t PARTITION (p = 'w') RENAME TO PARTITION (p = 'v')", "DELETE FROM d.t WHERE id = 4")
    run(moved, "main", "INSERT INTO d.t SELECT 7, 'm', 'w' WHERE false", "OPTIMIZE d.t")
    moved.merge("b")
    assert rows(moved) == "2ov 3ov 5oy 6oy"


def test_rows_under_the_old_name_of_a_partition_stay_there_although_they_were_compacted_with_those_renamed(
    parted: Lake,
) -> None:
    run(parted, "main", "INSERT INTO d.t VALUES (7, 'm', 'x')", "UPDATE d.t SET v = 'M' WHERE id = 3", "OPTIMIZE d.t")
    run(parted, "b", RENAME)
    parted.merge("main", "b")
    assert rows(parted, "b") == "1ow 2ow 3Mw 4ow 5oy 6oy 7mx"
    parted.merge("b")
    assert rows(parted) == "1ow 2ow 3Mw 4ow 5oy 6oy 7mx"
    run(parted, "b", "DELETE FROM d.t WHERE id IN (2, 7)")
    parted.merge("b")
    assert rows(parted) == "1ow 3Mw 4ow 5oy 6oy"


def test_a1_and_a3_see_through_what_an_earlier_merge_rewrote(moved: Lake) -> None:
    run(moved, "b", "UPDATE d.t SET v = 'B' WHERE id = 2")
    run(moved, "main", "UPDATE d.t SET v = 'M' WHERE id = 3")
    assert "SAME_FILE_UPDATE_UPDATE" in moved.codes("b")


def test_what_an_overwrite_filtered_goes_on_being_updated(parted: Lake) -> None:
    run(parted, "b", "UPDATE d.t SET v = 'B', p = 'z' WHERE id IN (1, 5, 6)")
    run(parted, "main", "INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (9, 'over')")
    parted.merge("b")
    assert rows(parted) == "5Bz 6Bz 9overx"
    run(parted, "b", "DELETE FROM d.t WHERE id = 5", "UPDATE d.t SET v = 'C' WHERE id IN (1, 6)")
    parted.merge("b")
    assert rows(parted) == "6Cz 9overx"


def test_branches_that_compact_and_merge_in_turn_stay_the_same(parted: Lake) -> None:
    for turn in range(1, 4):
        run(parted, "b", f"UPDATE d.t SET v = 'b{turn}' WHERE id = 1", "OPTIMIZE d.t")
        run(parted, "main", f"INSERT INTO d.t SELECT 1{turn}, 'm', 'x' WHERE false", "OPTIMIZE d.t")
        parted.merge("b")
        parted.merge("main", "b")
        assert rows(parted) == rows(parted, "b") == f"1b{turn}x 2ox 3ox 4ox 5oy 6oy"
        run(parted, "main", f"UPDATE d.t SET v = 'm{turn}' WHERE id = 5", "OPTIMIZE d.t")
        run(parted, "b", f"DELETE FROM d.t WHERE id = 1{turn}", "OPTIMIZE d.t")
        parted.merge("main", "b")
        parted.merge("b")
        assert rows(parted) == rows(parted, "b") == f"1b{turn}x 2ox 3ox 4ox 5m{turn}y 6oy"
        run(parted, "main", "UPDATE d.t SET v = 'o' WHERE id = 5")
        parted.merge("main", "b")


def test_a_sideways_merge_of_a_skipped_compaction_arrives_once(parted: Lake) -> None:
    parted.sql("CREATE BRANCH c")
    run(parted, "b", "INSERT INTO d.t VALUES (7, 'b', 'x')", "OPTIMIZE d.t")
    run(parted, "c", "DELETE FROM d.t WHERE id = 1")
    parted.merge("b", "c")
    assert rows(parted, "c") == "2ox 3ox 4ox 5oy 6oy 7bx"
    parted.merge("b")
    parted.merge("c")
    assert rows(parted) == "2ox 3ox 4ox 5oy 6oy 7bx"
    run(parted, "c", "DELETE FROM d.t WHERE id IN (2, 7)")
    parted.merge("c")
    assert rows(parted) == "3ox 4ox 5oy 6oy"
