"""Stories of ``tests/in_memory`` on real files, at least one for each way in which a merge rewrites or marks files."""

from __future__ import annotations

import pytest

from lakeui.common.errors import DuplicateKey
from tests.in_memory.branches.test_restore import (
    test_rows_updated_after_a_restore_stay,
)
from tests.in_memory.columns.test_required_columns import (
    empty,
    filled,
    test_nulls_filled_by_the_strict_side_never_conflict,
)
from tests.in_memory.merges import test_concurrent_merges
from tests.in_memory.merges.test_concurrent_merges import numbers, test_two_merges_do_not_insert_one_key_twice
from tests.in_memory.rows.test_concurrent_statements import (
    test_update_follows_rows_into_files_compacted_meanwhile,
)
from tests.in_memory.rows.test_emptied_files import (
    test_update_of_all_rows_replaces_file,
    two_files,
)
from tests.in_memory.rows.test_primary_keys import (
    keyed,
    test_keys_may_move_onto_keys_same_update_frees,
)
from tests.in_memory.rows.test_row_work import (
    parted,
    test_compaction_and_rename_reach_files_target_changed,
    test_filtered_images_in_renamed_partition_come_once,
)
from tests.in_memory.rows.test_rows_on_both_sides import stories_tell
from tests.support.lake import Lake
from tests.support.rows import MODES, properties

__all__ = [
    "empty",
    "filled",
    "keyed",
    "numbers",
    "parted",
    "test_compaction_and_rename_reach_files_target_changed",
    "test_filtered_images_in_renamed_partition_come_once",
    "test_keys_may_move_onto_keys_same_update_frees",
    "test_nulls_filled_by_the_strict_side_never_conflict",
    "test_rows_updated_after_a_restore_stay",
    "test_two_merges_do_not_insert_one_key_twice",
    "test_update_follows_rows_into_files_compacted_meanwhile",
    "test_update_of_all_rows_replaces_file",
    "two_files",
]

SOME_STORIES = ("A2", "delete meets update", "A4 and A5")
"""Compactions on both sides, deletes and updates that follow their rows, and rows of files that an overwrite took."""


def test_stories_of_rows_on_both_sides(lake: Lake) -> None:
    stories_tell(lake, SOME_STORIES)


def test_files_written_anew_beside_other_writers(numbers: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ({properties(MODES[1])})")
    test_concurrent_merges.test_updates_follow_their_rows_into_files_compacted_meanwhile(numbers, monkeypatch)
    numbers.sql("DROP TABLE d.t")
    numbers.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ({properties(MODES[1])})")
    numbers.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o')")
    numbers.sql("INSERT INTO d.t VALUES (3, 'o'), (4, 'o')")
    test_concurrent_merges.test_an_update_of_anothers_updated_file_is_refused(numbers, monkeypatch)


def test_key_of_several_columns_counts_as_a_whole(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (a DECIMAL(9,2), b STRING, v INT, PRIMARY KEY (a, b))")
    lake.sql("INSERT INTO d.k VALUES (-1.50, 'x', 1), (20.00, 'x', 2)")
    lake.sql("INSERT INTO d.k VALUES (3.00, 'y', 3)")
    lake.sql("UPDATE d.k SET a = 3.00 WHERE v = 1")
    with pytest.raises(DuplicateKey):
        lake.sql("UPDATE d.k SET b = 'y' WHERE v = 1")
    assert lake.rows("d.k") == [("20.00", "x", 2), ("3.00", "x", 1), ("3.00", "y", 3)]
