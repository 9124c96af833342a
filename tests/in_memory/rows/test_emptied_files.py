"""A DELETE or UPDATE that leaves a file no row hides the file; merges judge it as deleted rows."""

from __future__ import annotations

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def two_files_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, 'd')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_files(begun: Begun) -> Lake:
    """Table d.t with rows 1, 2 in one file and 3, 4 in another, and branch b."""
    return begun(two_files_fill)


FIRST_FILE = "id <= 2"
DELETED = f"DELETE FROM d.t WHERE {FIRST_FILE}"
UPDATED = f"UPDATE d.t SET v = upper(v) WHERE {FIRST_FILE}"


def segments(lake: Lake, branch: str = "main") -> int:
    return len(lake.sql("SHOW SEGMENTS d.t", branch).rows)


def test_delete_of_all_rows_removes_file(two_files: Lake) -> None:
    before = two_files.head()
    metrics = two_files.sql(DELETED).metrics
    assert (metrics["rows_deleted"], metrics["files_removed"], metrics["files_reused"]) == (2, 1, 1)
    assert segments(two_files) == 1
    assert two_files.rows("d.t") == [(3, "c"), (4, "d")]
    assert len(two_files.rows(f"d.t VERSION AS OF {before}")) == 4


def test_rows_deleted_one_by_one_empty_file_too(two_files: Lake) -> None:
    two_files.sql("DELETE FROM d.t WHERE id = 1")
    assert segments(two_files) == 2
    two_files.sql("DELETE FROM d.t WHERE id = 2")
    assert segments(two_files) == 1
    assert two_files.sql("DELETE FROM d.t WHERE id = 2").metrics["rows_deleted"] == 0


def test_update_of_all_rows_replaces_file(two_files: Lake) -> None:
    metrics = two_files.sql(UPDATED).metrics
    assert (metrics["rows_updated"], metrics["files_added"], metrics["files_removed"]) == (2, 1, 1)
    assert segments(two_files) == 2
    assert two_files.rows("d.t") == [(1, "A"), (2, "B"), (3, "c"), (4, "d")]


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        (UPDATED, "DELETE FROM d.t WHERE id = 2", "SAME_FILE_UPDATE_DELETE"),
        ("UPDATE d.t SET v = 'B' WHERE id = 2", DELETED, "SAME_FILE_UPDATE_DELETE"),
        (UPDATED, DELETED, "SAME_FILE_UPDATE_DELETE"),
        (UPDATED, "UPDATE d.t SET v = 'M' WHERE id = 2", "SAME_FILE_UPDATE_UPDATE"),
        ("UPDATE d.t SET v = 'B' WHERE id = 2", UPDATED, "SAME_FILE_UPDATE_UPDATE"),
    ],
)
def test_a1_and_a3_compare_emptied_files(two_files: Lake, source: str, destination: str, code: str) -> None:
    two_files.sql(source, "b")
    two_files.sql(destination)
    assert two_files.codes("b") == {code}


@pytest.mark.parametrize(
    ("source", "destination", "left"),
    [
        (DELETED, "UPDATE d.t SET v = 'M' WHERE id = 2", ["2M", "3c", "4d"]),
        (DELETED, UPDATED, ["1A", "2B", "3c", "4d"]),
        ("DELETE FROM d.t WHERE id = 1", UPDATED, ["1A", "2B", "3c", "4d"]),
        (DELETED, "DELETE FROM d.t WHERE id IN (2, 3)", ["4d"]),
        ("DELETE FROM d.t WHERE id IN (1, 3)", DELETED, ["4d"]),
        (DELETED, DELETED, ["3c", "4d"]),
        (DELETED, "INSERT OVERWRITE d.t VALUES (9, 'over')", ["9over"]),
        (UPDATED, "INSERT OVERWRITE d.t VALUES (9, 'over')", ["9over"]),
        (DELETED, "OPTIMIZE d.t", ["3c", "4d"]),
        (UPDATED, "OPTIMIZE d.t", ["1A", "2B", "3c", "4d"]),
        ("OPTIMIZE d.t", DELETED, ["3c", "4d"]),
        ("OPTIMIZE d.t", UPDATED, ["1A", "2B", "3c", "4d"]),
    ],
)
def test_emptied_files_merge(two_files: Lake, source: str, destination: str, left: list[str]) -> None:
    two_files.sql(source, "b")
    two_files.sql(destination)
    two_files.merge("b")
    assert ["".join(map(str, row)) for row in two_files.rows("d.t")] == left


def test_file_is_emptied_after_skipped_compaction(two_files: Lake) -> None:
    two_files.sql("INSERT INTO d.t VALUES (5, 'e')", "b")
    two_files.sql("OPTIMIZE d.t", "b")
    two_files.sql("DELETE FROM d.t", "b")
    two_files.sql("DELETE FROM d.t WHERE id = 1")
    two_files.merge("b")
    assert two_files.rows("d.t") == []


def test_note_of_overwrite_names_emptied_files(two_files: Lake) -> None:
    two_files.sql(DELETED, "b")
    two_files.sql("DELETE FROM d.t WHERE id = 3", "b")
    two_files.sql("INSERT OVERWRITE d.t VALUES (9, 'over')")
    (note,) = [item for item in two_files.merge("b")["notes"] if item["code"] == "DISCARDED_DELETE"]
    assert (note["details"]["rows"], note["details"]["emptied_files"]) == (1, 1)
    assert "1 row and 1 whole file" in note["message"]
