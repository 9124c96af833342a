"""Notes on partitions, and a wider partition column. ``tests/stories/partition_rules.toml`` has the rules."""

from __future__ import annotations

from typing import Any

import pytest

from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def parted_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'y'), (5, 'e', NULL)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def parted(begun: Begun) -> Lake:
    """Table d.t with rows 1, 2 in partition x, 3, 4 in y, 5 in that of NULL, and branch b."""
    return begun(parted_fill)


def run(lake: Lake, branch: str, *statements: str) -> None:
    for statement in statements:
        lake.sql(statement, branch)


def ids(lake: Lake, branch: str = "main") -> dict[str | None, list[int]]:
    """Ids by partition value."""
    found: dict[str | None, list[int]] = {}
    for number, value in lake.sql("SELECT id, p FROM d.t ORDER BY id", branch).rows:
        found.setdefault(value, []).append(number)
    return found


def partitions(lake: Lake) -> list[str]:
    return [row[0] for row in lake.sql("SHOW PARTITIONS d.t").rows]


def rename(before: str, after: str) -> str:
    return f"ALTER TABLE d.t PARTITION (p = '{before}') RENAME TO PARTITION (p = '{after}')"


def drop(value: str) -> str:
    return f"ALTER TABLE d.t DROP PARTITION (p = '{value}')"


def lost_renames(notes: list[Any]) -> list[Any]:
    return [note["details"] for note in notes if note["code"] == "DISCARDED_RENAME"]


@pytest.mark.parametrize("keyed", [False, True])
def test_of_two_partition_names_the_targets_stays(lake: Lake, keyed: bool) -> None:
    key = ", PRIMARY KEY (id)" if keyed else ""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING, p STRING{key}) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", rename("x", "u"), rename("u", "w"), "INSERT INTO d.t VALUES (6, 'f', 'w')")
    run(lake, "main", rename("x", "z"))
    lost = [{"partition": ["x"], "renamed_to": ["w"], "stays": ["z"], "rows": 2}]
    assert lost_renames(lake.dry_run("b")["notes"]) == lost
    assert lost_renames(lake.merge("b")["notes"]) == lost
    assert ids(lake) == {"z": [1, 2], "w": [6], "y": [3]}


def test_updates_and_deletes_in_dropped_partition_find_nothing(parted: Lake) -> None:
    run(parted, "b", "UPDATE d.t SET v = 'B' WHERE id IN (1, 3)", "DELETE FROM d.t WHERE id IN (2, 4)")
    run(parted, "main", drop("x"))
    result = parted.merge("b")
    assert ids(parted) == {"y": [3], None: [5]}
    assert parted.rows("d.t WHERE id = 3", columns="v") == [("B",)]
    noted = {note["code"]: note["note"] for note in result["notes"]}
    assert noted == {"DISCARDED_UPDATE": "P", "DISCARDED_DELETE": "P"}


def test_widened_partition_column_meets_partitions_of_other_side(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p INT) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 1), (2, 2)")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "ALTER TABLE d.t ALTER COLUMN p TYPE BIGINT", "INSERT INTO d.t VALUES (3, 1), (4, 5000000000)")
    run(lake, "main", "INSERT INTO d.t VALUES (5, 1), (6, 2)", "ALTER TABLE d.t DROP PARTITION (p = 2)")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, 1), (3, 1), (4, 5000000000), (5, 1)]
    assert sorted(partitions(lake)) == ["p=1", "p=5000000000"]
    lake.sql("ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = 7000000000)")
    assert lake.rows("d.t WHERE p = 7000000000", columns="id") == [(1,), (3,), (5,)]
