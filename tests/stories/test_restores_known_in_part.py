"""A restore is its changes, each with a stamp (lineage §1, §4a). A branch that knows half of what was taken back merges
as any other; that half goes with the restore.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.stored_databases import StoredDatabases

TAKEN_BACK = {
    "update": "UPDATE d.k SET v = 1 WHERE id < 3",
    "move": "UPDATE d.k SET p = 1 WHERE id = 1",
    "delete": "DELETE FROM d.k WHERE id = 1",
    "insert": "INSERT INTO d.k VALUES (5, 0, 1)",
    "overwrite": "INSERT OVERWRITE d.k VALUES (4, 0, 1)",
    "overwritten partition": "INSERT OVERWRITE d.k PARTITION (p = 0) VALUES (5, 0)",
    "dropped partition": "ALTER TABLE d.k DROP PARTITION (p = 0)",
    "renamed partition": "ALTER TABLE d.k PARTITION (p = 0) RENAME TO PARTITION (p = 9)",
    "compaction": "OPTIMIZE d.k",
}
SINCE = {
    "update": "UPDATE d.k SET v = 2 WHERE id < 9",
    "delete": "DELETE FROM d.k WHERE id = 4",
    "insert": "INSERT INTO d.k VALUES (7, 0, 1)",
    "renamed partition": "ALTER TABLE d.k PARTITION (p = 1) RENAME TO PARTITION (p = 8)",
}


@pytest.fixture(params=[True, False], ids=["keyed", "unkeyed"])
def lake(request: pytest.FixtureRequest, stored: StoredDatabases, memory_engine: MemoryEngine) -> Lake:
    """Table d.k with two partitions; branches b and x know it."""
    return stored.once(request.param, lambda: _lake_make(is_keyed=request.param), memory_engine)


def _lake_make(*, is_keyed: bool) -> Lake:
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql(f"CREATE TABLE d.k (id INT{' PRIMARY KEY' * is_keyed}, v INT, p INT) PARTITIONED BY (p)")
    for row in ("(1, 0, 0), (2, 0, 0)", "(3, 0, 1)", "(4, 0, 1)"):
        fresh.sql(f"INSERT INTO d.k VALUES {row}")
    fresh.sql("CREATE BRANCH b")
    fresh.sql("CREATE BRANCH x")
    return fresh


def taken_back(lake: Lake, statement: str, restored: str = "TABLE d.k") -> None:
    """Branch w knows what main did, and b that it was taken back, beside what it did itself."""
    before = lake.head()
    lake.sql("UPDATE d.k SET v = 5 WHERE id = 3", "b")
    lake.sql(statement)
    lake.sql("CREATE BRANCH w")
    lake.sql(f"RESTORE {restored} TO VERSION AS OF {before}")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.k VALUES (6, 0, 0)", "b")


@pytest.mark.pairwise
@pytest.mark.parametrize("restored", ["TABLE d.k", "DATABASE d", "BRANCH main"])
@pytest.mark.parametrize("statement", TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_a_branch_that_knows_half_of_it_becomes_what_knows_it_all(lake: Lake, statement: str, restored: str) -> None:
    """Law 1, fast forward: also by way of a branch that knew nothing of it."""
    taken_back(lake, statement, restored)
    lake.merge("b", "x")
    lake.merge("x", "w")
    left = [(1, 0, 0), (2, 0, 0), (3, 5, 1), (4, 0, 1), (6, 0, 0)]
    assert lake.rows("d.k", "w") == lake.rows("d.k", "b") == left
    lake.merge("w", "main")
    assert lake.rows("d.k") == left
    assert lake.breaches() == []


def _by_id(rows: list[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    return {row[0]: row for row in rows}


@pytest.mark.pairwise
@pytest.mark.parametrize("since", SINCE.values(), ids=SINCE)
@pytest.mark.parametrize("statement", TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_what_it_did_since_stays_but_on_what_was_restored(
    lake: Lake, statement: str, since: str, request: pytest.FixtureRequest
) -> None:
    """§3: the source's restore against an update or delete. A rename changes no image, and so does its restore (§1)."""
    has_key = "unkeyed" not in request.node.callspec.id
    before = _by_id(lake.rows("d.k"))
    taken_back(lake, statement)
    after = _by_id(lake.rows("d.k", "w"))
    lake.sql(since, "w")
    expected = _by_id(lake.rows("d.k", "w"))
    for key in {*before, *after}:
        # Without a key, the row that an overwrite wrote is another one, which goes with its restore.
        if before.get(key) == after.get(key) and (has_key or statement != TAKEN_BACK["overwrite"]):
            continue
        expected.pop(key, None)
        if key in before:
            expected[key] = before[key]
    if "RENAME" in statement and since.startswith("UPDATE"):
        expected |= {key: (key, 2, 0) for key in (1, 2)}
    lake.merge("main", "w")
    assert _by_id(lake.rows("d.k", "w")) == expected
    lake.merge("w", "main")
    assert _by_id(lake.rows("d.k")) == expected
    assert lake.breaches() == []


@pytest.mark.parametrize("overwritten", ["b", "w"])
def test_an_overwrite_on_either_side_takes_the_rows(lake: Lake, overwritten: str) -> None:
    taken_back(lake, TAKEN_BACK["update"])
    lake.sql("INSERT OVERWRITE d.k VALUES (9, 0, 0)", overwritten)
    lake.merge("b", "w")
    lake.merge("w", "main")
    assert (9, 0, 0) in lake.rows("d.k", "w")
    assert lake.rows("d.k") == lake.rows("d.k", "w")
    assert lake.breaches() == []


def test_a_drop_beside_it_comes_over(lake: Lake) -> None:
    taken_back(lake, TAKEN_BACK["update"])
    lake.sql("DROP TABLE d.k", "b")
    lake.merge("b", "w")
    assert "k" not in [row[1] for row in lake.sql("SHOW TABLES IN d", "w").rows]


def test_restores_of_restores_on_two_branches_come_to_one_state(lake: Lake) -> None:
    """The last word on row 5 is the restore on w, to the version that has it."""
    before = lake.head()
    lake.sql("CREATE BRANCH w")
    lake.sql("INSERT INTO d.k VALUES (5, 0, 0)")
    lake.sql("CREATE BRANCH a")
    merged = lake.merge("a", "w")
    lake.sql(f"RESTORE TABLE d.k TO VERSION AS OF {before}", "a")
    lake.sql(f"RESTORE MERGE '{merged['merge_id']}'", "w")
    lake.merge("w", "a")
    lake.sql(f"RESTORE TABLE d.k TO VERSION AS OF {merged['version']}", "w")
    lake.merge("a", "w")
    lake.merge("w", "main")
    lake.merge("main", "a")
    assert (5, 0, 0) in lake.rows("d.k", "w")
    assert lake.rows("d.k", "a") == lake.rows("d.k") == lake.rows("d.k", "w")
    assert lake.breaches() == []
