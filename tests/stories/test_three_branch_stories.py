"""Three branches that pass on to each other what they merged: found by random histories of a table with a key."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake
from tests.support.stored_databases import Begin


def three_branches(begin: Begin, key: str) -> Lake:
    """Table d.k on main, b and w: keys 1 and 3 in a file of partition 1, key 2 in one of partition 0."""
    return begin(
        f"CREATE TABLE d.k (id INT {key}, v INT, n INT, p INT) PARTITIONED BY (p)",
        "INSERT INTO d.k VALUES (1, 0, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)",
        "MERGE BRANCH main TO b",
        "CREATE BRANCH w",
    )


@pytest.fixture(params=["PRIMARY KEY", ""])
def lake3(begin: Begin, request: pytest.FixtureRequest) -> Lake:
    return three_branches(begin, request.param)


@pytest.fixture
def keyed3(begin: Begin) -> Lake:
    return three_branches(begin, "PRIMARY KEY")


def test_updates_of_dropped_partitions_stay_gone(
    lake3: Lake,
) -> None:
    lake3.sql("UPDATE d.k SET v = 5 WHERE id = 1")
    lake3.sql("ALTER TABLE d.k DROP PARTITION (p = 1)", "b")
    lake3.merge("b", "w")
    lake3.sql("OPTIMIZE d.k")
    lake3.merge("w")
    assert lake3.rows("d.k") == [(2, 0, 0, 0)]
    lake3.merge("main", "w")
    assert lake3.rows("d.k", "w") == [(2, 0, 0, 0)]


def test_inputs_of_a_compaction_come_from_where_they_were_written(lake3: Lake) -> None:
    lake3.sql("UPDATE d.k SET v = 5 WHERE id = 1")
    lake3.merge("main", "w")
    lake3.sql("UPDATE d.k SET v = 6 WHERE id = 3")
    lake3.sql("OPTIMIZE d.k")
    lake3.sql("OPTIMIZE d.k", "w")
    lake3.merge("main", "b")
    lake3.merge("w", "b")
    assert lake3.rows("d.k", "b") == [(1, 5, 0, 1), (2, 0, 0, 0), (3, 6, 0, 1)]
    lake3.merge("b", "w")
    assert lake3.rows("d.k", "w") == lake3.rows("d.k", "b")


def test_equal_changes_of_a_third_branch_are_known(keyed3: Lake) -> None:
    keyed3.sql("UPDATE d.k SET v = 5 WHERE id = 1")
    keyed3.sql("UPDATE d.k SET v = 5 WHERE id = 1", "w")
    keyed3.merge("w", "b")
    keyed3.merge("main", "b")
    keyed3.merge("b")
    keyed3.merge("w")
    keyed3.merge("main", "w")
    assert keyed3.rows("d.k", "w") == keyed3.rows("d.k") == [(1, 5, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)]


def test_merging_by_key_and_file_gives_one_row(keyed3: Lake) -> None:
    keyed3.sql("UPDATE d.k SET n = 0 WHERE id = 1", "b")
    keyed3.sql("DELETE FROM d.k WHERE id = 3")
    keyed3.merge("b", "w")
    keyed3.merge("main", "b")
    keyed3.merge("b")
    keyed3.merge("main", "w")
    keyed3.sql("UPDATE d.k SET p = 1 WHERE id = 1", "w")
    keyed3.merge("w")
    assert keyed3.rows("d.k") == keyed3.rows("d.k", "w") == [(1, 0, 0, 1), (2, 0, 0, 0)]


def test_a_row_that_came_by_key_is_changed_on_the_way_back(keyed3: Lake) -> None:
    keyed3.sql("UPDATE d.k SET n = 0 WHERE id = 3", "b")
    keyed3.sql("DELETE FROM d.k WHERE id = 2", "w")
    keyed3.merge("w", "b")
    keyed3.merge("b")
    keyed3.merge("main", "b")
    keyed3.sql("UPDATE d.k SET p = 0 WHERE id = 1", "b")
    keyed3.merge("main", "b")
    keyed3.merge("b")
    assert keyed3.rows("d.k") == keyed3.rows("d.k", "b") == [(1, 0, 0, 0), (3, 0, 0, 1)]


def test_a_moved_row_outlives_a_later_partition_drop(keyed3: Lake) -> None:
    keyed3.sql("DELETE FROM d.k WHERE id = 2", "w")
    keyed3.sql("ALTER TABLE d.k DROP PARTITION (p = 0)", "b")
    keyed3.sql("UPDATE d.k SET p = 0 WHERE id = 3")
    keyed3.merge("main", "w")
    keyed3.merge("w")
    keyed3.merge("w", "b")
    keyed3.merge("b", "w")
    keyed3.merge("main", "w")
    keyed3.merge("w")
    assert keyed3.rows("d.k") == keyed3.rows("d.k", "w") == [(1, 0, 0, 1), (3, 0, 0, 0)]


@pytest.mark.parametrize("write", ["INSERT INTO d.k VALUES (4, 0, 0, 0)", "UPDATE d.k SET v = 5 WHERE id = 2"])
def test_rows_compacted_before_they_were_merged_come_over_to_a_third_branch(lake3: Lake, write: str) -> None:
    lake3.sql(write)
    lake3.sql("OPTIMIZE d.k")
    lake3.merge("main", "b")
    lake3.merge("b", "w")
    assert lake3.rows("d.k", "w") == lake3.rows("d.k", "b") == lake3.rows("d.k")


def test_deletes_merge_across_two_merge_bases(keyed3: Lake) -> None:
    keyed3.sql("INSERT INTO d.k VALUES (5, 0, 0, 1)", "b")
    keyed3.sql("DELETE FROM d.k WHERE id = 3", "w")
    keyed3.merge("w")
    keyed3.merge("b")
    keyed3.sql("DELETE FROM d.k WHERE id = 5", "b")
    keyed3.merge("w", "b")
    keyed3.merge("b")
    assert keyed3.rows("d.k") == keyed3.rows("d.k", "b") == [(1, 0, 0, 1), (2, 0, 0, 0)]
