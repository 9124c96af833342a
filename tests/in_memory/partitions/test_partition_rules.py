"""P: partitions by value, both sides at work (semantics §3). Every sentence of the rule, end to end."""

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


REST = {"y": [3, 4], None: [5]}


def test_a_value_both_sides_add_is_one_partition(parted: Lake) -> None:
    for branch in ("b", "main"):
        run(parted, branch, "ALTER TABLE d.t ADD PARTITION (p = 'n')")
    run(parted, "b", "INSERT INTO d.t VALUES (6, 'f', 'n')")
    run(parted, "main", "INSERT INTO d.t VALUES (7, 'g', 'n')")
    parted.merge("b")
    assert partitions(parted).count("p=n") == 1
    assert ids(parted)["n"] == [6, 7]


def test_a_sources_drop_takes_rows_written_since(parted: Lake) -> None:
    run(parted, "b", drop("x"))
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', 'x')", "UPDATE d.t SET v = 'M' WHERE id = 1")
    result = parted.merge("b")
    assert ids(parted) == REST
    assert [note["code"] for note in result["notes"]] == ["DROPS_DEST_CHANGES"]
    assert "p=x" not in partitions(parted)


def test_a_drop_takes_no_row_the_target_moved(parted: Lake) -> None:
    run(parted, "b", drop("x"))
    run(parted, "main", "UPDATE d.t SET p = 'y' WHERE id = 1")
    parted.merge("b")
    assert ids(parted) == {"y": [1, 3, 4], None: [5]}


def test_a_refilled_partition_holds_what_the_source_wrote(parted: Lake) -> None:
    run(parted, "b", drop("x"), "INSERT INTO d.t VALUES (8, 'h', 'x')")
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', 'x')")
    parted.merge("b")
    assert ids(parted) == {"x": [8], **REST}


def test_renaming_a_partition_the_target_dropped_is_refused(parted: Lake) -> None:
    run(parted, "b", rename("x", "w"))
    run(parted, "main", drop("x"))
    assert parted.codes("b") == {"PARTITION_DROPPED_ON_DEST"}


@pytest.mark.parametrize(
    "filling",
    [
        "INSERT INTO d.t VALUES (6, 'f', 'w')",
        "ALTER TABLE d.t ADD PARTITION (p = 'w')",
        "UPDATE d.t SET p = 'w' WHERE id = 3",
        "INSERT OVERWRITE d.t PARTITION (p = 'w') VALUES (6, 'f')",
        "ALTER TABLE d.t PARTITION (p = 'y') RENAME TO PARTITION (p = 'w')",
    ],
)
def test_renames_onto_values_the_target_filled_are_refused(parted: Lake, filling: str) -> None:
    run(parted, "b", rename("x", "w"))
    run(parted, "main", filling)
    if "ADD PARTITION" in filling:
        # R15: what is only declared is not filled.
        parted.merge("b")
        assert ids(parted) == {"w": [1, 2], **REST}
    else:
        assert parted.codes("b") == {"PARTITION_EXISTS"}


def test_renaming_onto_an_emptied_partition_is_fine(parted: Lake) -> None:
    run(parted, "b", rename("x", "w"))
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', 'w')", drop("w"))
    parted.merge("b")
    assert ids(parted) == {"w": [1, 2], **REST}


def test_one_rename_on_both_sides_is_one_rename(parted: Lake) -> None:
    for branch in ("b", "main"):
        run(parted, branch, rename("x", "w"))
    run(parted, "b", "INSERT INTO d.t VALUES (6, 'f', 'w')")
    run(parted, "main", "INSERT INTO d.t VALUES (7, 'g', 'w')")
    parted.merge("b")
    assert ids(parted) == {"w": [1, 2, 6, 7], **REST}


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


def test_renames_to_the_same_name_are_kept(parted: Lake) -> None:
    run(parted, "b", rename("x", "w"), rename("w", "z"))
    run(parted, "main", rename("x", "u"), rename("u", "z"))
    assert lost_renames(parted.merge("b")["notes"]) == []
    assert ids(parted) == {"z": [1, 2], **REST}


def test_a_rename_takes_rows_written_since_along(parted: Lake) -> None:
    run(parted, "b", rename("x", "w"))
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', 'x')", "DELETE FROM d.t WHERE id = 1")
    parted.merge("b")
    assert ids(parted) == {"w": [2, 6], **REST}
    assert "p=x" not in partitions(parted)


def test_changes_reach_rows_of_a_renamed_partition(parted: Lake) -> None:
    run(parted, "b", "DELETE FROM d.t WHERE id = 1")
    run(parted, "main", rename("x", "w"))
    parted.merge("b")
    assert ids(parted) == {"w": [2], **REST}


def test_null_partition_is_a_partition_of_its_own(parted: Lake) -> None:
    run(parted, "b", "INSERT OVERWRITE d.t PARTITION (p = NULL) VALUES (8, 'h')")
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', NULL), (7, 'g', 'x')")
    parted.merge("b")
    assert ids(parted) == {"x": [1, 2, 7], "y": [3, 4], None: [8]}


def test_inserts_make_partition_again_that_target_dropped(parted: Lake) -> None:
    run(parted, "b", "INSERT INTO d.t VALUES (6, 'f', 'x')")
    run(parted, "main", drop("x"))
    parted.merge("b")
    assert ids(parted) == {"x": [6], **REST}


def test_updates_and_deletes_in_dropped_partition_find_nothing(parted: Lake) -> None:
    run(parted, "b", "UPDATE d.t SET v = 'B' WHERE id IN (1, 3)", "DELETE FROM d.t WHERE id IN (2, 4)")
    run(parted, "main", drop("x"))
    result = parted.merge("b")
    assert ids(parted) == {"y": [3], None: [5]}
    assert parted.rows("d.t WHERE id = 3", columns="v") == [("B",)]
    noted = {note["code"]: note["note"] for note in result["notes"]}
    assert noted == {"DISCARDED_UPDATE": "P", "DISCARDED_DELETE": "P"}


def test_a_moved_row_goes_with_its_dropped_partition(parted: Lake) -> None:
    run(parted, "b", "UPDATE d.t SET p = 'z' WHERE id = 1")
    run(parted, "main", drop("x"))
    parted.merge("b")
    assert ids(parted) == REST


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


def test_a_partition_column_that_was_renamed_still_parts(parted: Lake) -> None:
    run(parted, "b", "ALTER TABLE d.t RENAME COLUMN p TO part", rename("x", "w").replace("p =", "part ="))
    run(parted, "main", "INSERT INTO d.t VALUES (6, 'f', 'x')")
    parted.merge("b")
    assert parted.rows("d.t WHERE part = 'w'", columns="id") == [(1,), (2,), (6,)]
