"""What a merge leaves out without a conflict: counted and named in dry run, comparison, result and audit record."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.audit.selectors import audit_get
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import lake, object_id, rows

__all__ = ["lake"]
pytestmark = pytest.mark.usefixtures("local_worker")

KEYS = pytest.mark.parametrize("key", ["", " PRIMARY KEY"], ids=["no key", "primary key"])


def set_up(lake: ReviewLake, key: str) -> None:
    lake.write(f"CREATE TABLE d.v (k INT NOT NULL{key}, a STRING, b STRING)", "alice")
    lake.write("INSERT INTO d.v VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")


def discarded(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item for item in notes if item["code"] == "DISCARDED_VALUE"]


@pytest.mark.parametrize(
    ("key", "further"),
    [("", None), (" PRIMARY KEY", None), (" PRIMARY KEY", "DELETE FROM d.v WHERE k = 2")],
    ids=["no key", "primary key", "rows merged by key"],
)
def test_changed_values_of_target_dropped_columns_are_named(lake: ReviewLake, key: str, further: str | None) -> None:
    set_up(lake, key)
    if further:
        lake.write(further, "dora")
    lake.write("ALTER TABLE d.v DROP COLUMN b", "dora")
    lake.write("UPDATE d.v SET b = 'edit' WHERE k = 1", "alice", "c")
    dry = lake.write("MERGE BRANCH c DRY RUN", "alice").extra
    found = lake.read(f"compare/c...main/objects/table/{object_id(lake, 'main', 'v')}/")
    result = lake.write("MERGE BRANCH c", "alice").extra
    assert rows(lake, table="d.v") == ([(1, "a1")] if further else [(1, "a1"), (2, "a2")])
    record = audit_get(result["merge_id"])
    row = 'k 1, b "edit"' if key else 'k 1, a "a1", b "edit"'
    for notes in (dry["notes"], found["cells"], result["notes"], record["notes"]):
        (note,) = discarded(notes)
        assert note["message"].endswith(
            f"1 changed value of column b is left out: c wrote it, and the merged table has no such column: {row}."
        )
        assert (note["details"]["rows"], note["details"]["examples"][0]["b"]) == (1, "edit")


@KEYS
def test_target_values_of_dropped_columns_are_named(lake: ReviewLake, key: str) -> None:
    set_up(lake, key)
    lake.write("ALTER TABLE d.v DROP COLUMN b", "alice", "c")
    lake.write("INSERT INTO d.v VALUES (3, 'a3', 'b3'), (4, 'a4', NULL)", "dora")
    lake.write("UPDATE d.v SET b = 'new' WHERE k = 1", "dora")
    (note,) = discarded(lake.write("MERGE BRANCH c", "alice").extra["notes"])
    assert (note["source_op"], note["details"]["side"], note["details"]["rows"]) == ("column", "destination", 2)
    assert [item["b"] for item in note["details"]["examples"]] == ["new", "b3"]


@KEYS
def test_nothing_is_said_where_no_value_is_lost(lake: ReviewLake, key: str) -> None:
    set_up(lake, key)
    lake.write("ALTER TABLE d.v DROP COLUMN b", "dora")
    lake.write("INSERT INTO d.v VALUES (3, 'a3', NULL)", "alice", "c")
    lake.write("UPDATE d.v SET a = 'new' WHERE k = 1", "alice", "c")
    assert discarded(lake.write("MERGE BRANCH c", "alice").extra["notes"]) == []
    assert rows(lake, table="d.v") == [(1, "new"), (2, "a2"), (3, "a3")]


def dropped(lake: ReviewLake) -> list[tuple[str, str, str, Any]]:
    """Cell, message and rows of each note about changes of main that go."""
    notes = lake.write("MERGE BRANCH c", "alice").extra["notes"]
    return [
        (item["source_op"], item["dest_op"], item["message"].partition(". ")[2], item["details"])
        for item in notes
        if item["code"] == "DROPS_DEST_CHANGES"
    ]


@KEYS
def test_target_rows_lost_to_overwrites_are_counted(lake: ReviewLake, key: str) -> None:
    set_up(lake, key)
    lake.write("INSERT OVERWRITE d.v VALUES (9, 'a9', 'b9')", "alice", "c")
    lake.write("DROP TABLE d.r", "alice", "c")
    lake.write("INSERT INTO d.v VALUES (3, 'a3', 'b3'), (4, 'a4', 'b4')", "dora")
    lake.write("DELETE FROM d.v WHERE k = 1", "dora")
    lake.write("UPDATE d.r SET v = 'new'", "dora")
    found = dropped(lake)
    assert [item[:2] for item in found] == [("drop", "update"), ("overwrite", "insert")]
    assert found[0][3] == {"operations": ["update"], "rows_updated": 1}
    # Without a key the row that is written may be the one that was deleted.
    deleted = "" if key else " The source's overwrite wrote rows where the target deleted 1 row since."
    assert found[1][3] == {"rows": 2 if key else 3}
    assert found[1][2] == f"The source's overwrite takes or replaces 2 rows that the target wrote since.{deleted}"
    assert rows(lake, table="d.v") == [(9, "a9", "b9")]


@pytest.mark.parametrize(
    ("statement", "axis"),
    [
        ("ALTER TABLE d.p DROP PARTITION (p = 'x')", "partition"),
        ("INSERT OVERWRITE d.p PARTITION (p = 'x') VALUES (9)", "overwrite"),
    ],
)
def test_target_rows_lost_with_partitions_are_counted(lake: ReviewLake, statement: str, axis: str) -> None:
    lake.write("CREATE TABLE d.p (k INT, p STRING) PARTITIONED BY (p)", "alice")
    lake.write("INSERT INTO d.p VALUES (1, 'x'), (1, 'y')", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write(statement, "alice", "c")
    lake.write("INSERT INTO d.p VALUES (2, 'x'), (3, 'x'), (2, 'y')", "dora")
    ((source, destination, message, details),) = dropped(lake)
    assert (source, destination, details) == (axis, "insert", {"partition": ["x"], "rows": 2})
    assert "the partition (x), where the target wrote 2 rows since; they go with it." in message
