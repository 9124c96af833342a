"""Rows on both sides: A1 to A5, and rows followed by their ids through compactions (semantics §3)."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, row_ids, rows, run, set_v, three_files_create


@pytest.fixture
def three_files(begun: Begun) -> Lake:
    return begun(three_files_create)


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ([set_v("B", 1)], [delete(2)], "SAME_FILE_UPDATE_DELETE"),
        ([OPTIMIZE, set_v("B", 1)], [delete(2)], "SAME_FILE_UPDATE_DELETE"),
        ([set_v("B", 1)], [OPTIMIZE, delete(2)], "SAME_FILE_UPDATE_DELETE"),
        ([set_v("B", 1), OPTIMIZE], [delete(2), OPTIMIZE], "SAME_FILE_UPDATE_DELETE"),
        ([set_v("B", 1)], [set_v("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
        ([OPTIMIZE, set_v("B", 1), OPTIMIZE], [OPTIMIZE, set_v("M", 2)], "SAME_FILE_UPDATE_UPDATE"),
    ],
)
def test_a1_and_a3_compare_base_files_through_compactions(
    three_files: Lake, source: list[str], destination: list[str], code: str
) -> None:
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    assert code in three_files.codes("b")


@pytest.mark.parametrize(
    ("source", "destination", "left"),
    [
        ([set_v("B", 1)], [delete(3)], "1B 2o 4o 5o 6o"),
        ([set_v("B", 1)], [set_v("M", 3)], "1B 2o 3M 4o 5o 6o"),
        ([set_v("B", 1), set_v("C", 1), set_v("D", 1, 2)], [set_v("M", 3), delete(3)], "1D 2D 4o 5o 6o"),
    ],
    ids=["A1", "A3", "images of images"],
)
def test_a1_and_a3_changes_of_different_files_merge(
    three_files: Lake, source: list[str], destination: list[str], left: str
) -> None:
    before = row_ids(three_files)
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    three_files.merge("b")
    assert rows(three_files) == left
    assert row_ids(three_files).items() <= before.items()


def test_a1_new_updated_rows_touch_no_base_file(three_files: Lake) -> None:
    run(three_files, "b", "INSERT INTO d.t VALUES (7, 'b')", set_v("B", 7), OPTIMIZE)
    run(three_files, "main", delete(1, 3, 5))
    three_files.merge("b")
    assert rows(three_files) == "2o 4o 6o 7B"


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ([delete(1, 2, 3)], [delete(2, 3, 5)]),
        ([OPTIMIZE, delete(1, 2, 3)], [delete(2, 3, 5)]),
        ([delete(1, 2, 3)], [OPTIMIZE, delete(2, 3, 5)]),
        ([OPTIMIZE, delete(1, 2, 3), OPTIMIZE], [delete(2, 3), OPTIMIZE, delete(5), OPTIMIZE]),
    ],
)
def test_a2_rows_both_deleted_count_once_through_compactions(
    three_files: Lake, source: list[str], destination: list[str]
) -> None:
    before = row_ids(three_files)
    run(three_files, "b", *source)
    run(three_files, "main", *destination)
    three_files.merge("b")
    assert rows(three_files) == "4o 6o"
    assert row_ids(three_files) == {number: before[number] for number in (4, 6)}
    assert three_files.sql("SELECT count(*) FROM d.t").rows == [[2]]


@pytest.mark.parametrize("compacted", ["never", "before", "after"])
@pytest.mark.parametrize("source", [[delete(1, 2, 5)], [OPTIMIZE, delete(1, 2, 5)], [delete(1, 2, 5), OPTIMIZE]])
def test_delete_meets_update_through_compactions_and_image_stays(
    three_files: Lake, source: list[str], compacted: str
) -> None:
    before = row_ids(three_files)
    run(three_files, "b", *source)
    change = set_v("M", 2, 3)
    run(three_files, "main", *{"never": [change], "before": [OPTIMIZE, change], "after": [change, OPTIMIZE]}[compacted])
    three_files.merge("b")
    assert rows(three_files) == "2M 3M 4o 6o"
    assert row_ids(three_files) == {number: before[number] for number in (2, 3, 4, 6)}


@pytest.mark.parametrize("source_tail", [[], [OPTIMIZE]])
@pytest.mark.parametrize("destination_head", [[], [OPTIMIZE], [set_v("M", 1)], [delete(5)]])
def test_a4_a5_new_rows_survive_an_overwrite(
    three_files: Lake, source_tail: list[str], destination_head: list[str]
) -> None:
    run(
        three_files,
        "b",
        "INSERT INTO d.t VALUES (7, 'new'), (8, 'new'), (9, 'new')",
        set_v("B", 3, 7),
        delete(4, 8),
        set_v("C", 3, 7, 9),
        *source_tail,
    )
    run(three_files, "main", *destination_head, "INSERT OVERWRITE d.t VALUES (0, 'over')")
    result = three_files.merge("b")
    assert rows(three_files) == "0over 7C 9C"
    assert {"DISCARDED_UPDATE", "DISCARDED_DELETE"} <= {note["code"] for note in result["notes"]}


def test_a4_a_truncate_counts_as_an_overwrite(three_files: Lake) -> None:
    run(three_files, "b", set_v("B", 1), delete(3))
    run(three_files, "main", "TRUNCATE TABLE d.t")
    three_files.merge("b")
    assert rows(three_files) == ""


def test_source_overwrite_takes_everything_that_target_has(three_files: Lake) -> None:
    run(three_files, "b", set_v("B", 1), "INSERT OVERWRITE d.t VALUES (0, 'over')", set_v("B", 0))
    run(three_files, "main", OPTIMIZE)
    three_files.merge("b")
    assert rows(three_files) == "0B"


def test_updates_follow_rows_into_compacted_files_keeping_ids(three_files: Lake) -> None:
    before = row_ids(three_files)
    run(three_files, "b", set_v("B", 1, 4), delete(5), OPTIMIZE, set_v("C", 4))
    run(three_files, "main", OPTIMIZE, "INSERT INTO d.t SELECT 7, 'm' WHERE false")
    three_files.merge("b")
    assert rows(three_files) == "1B 2o 3o 4C 6o"
    assert row_ids(three_files) == {number: before[number] for number in (1, 2, 3, 4, 6)}


def test_compactions_on_both_sides_leave_every_row_once(three_files: Lake) -> None:
    before = row_ids(three_files)
    run(three_files, "b", "INSERT INTO d.t VALUES (7, 'b')", OPTIMIZE)
    run(three_files, "main", "INSERT INTO d.t VALUES (8, 'm')", OPTIMIZE)
    result = three_files.merge("b")
    assert rows(three_files) == "1o 2o 3o 4o 5o 6o 7b 8m"
    assert row_ids(three_files).items() >= before.items()
    assert "COMPACTION_SKIPPED" in {note["code"] for note in result["notes"]}


def test_merge_after_skipped_compaction_brings_only_new_rows(three_files: Lake) -> None:
    run(three_files, "b", "INSERT INTO d.t VALUES (7, 'b')", OPTIMIZE)
    run(three_files, "main", delete(1))
    three_files.merge("b")
    assert rows(three_files) == "2o 3o 4o 5o 6o 7b"
    run(three_files, "b", delete(2, 7), "INSERT INTO d.t VALUES (9, 'b')")
    three_files.merge("b")
    assert rows(three_files) == "3o 4o 5o 6o 9b"


def test_pulled_compactions_keep_changes_of_both(three_files: Lake) -> None:
    run(three_files, "b", set_v("B", 1))
    run(three_files, "main", OPTIMIZE, delete(4))
    three_files.merge("main", "b")
    assert rows(three_files, "b") == "1B 2o 3o 5o 6o"
    run(three_files, "b", delete(1), set_v("B", 6), OPTIMIZE)
    three_files.merge("b")
    assert rows(three_files) == rows(three_files, "b") == "2o 3o 5o 6B"
