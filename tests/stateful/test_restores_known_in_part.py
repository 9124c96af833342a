"""A restore to what its reader knew is nothing to that reader. Who knows half of what was taken back may not merge with
that reader before it has heard of the restore: it would keep that half for good, with rows in files of its own.
"""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake

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
BY_RESTORE = "RESTORE_KNOWN_IN_PART"


@pytest.fixture(params=[True, False], ids=["keyed", "unkeyed"])
def lake(request: pytest.FixtureRequest, database: None, memory_engine: object) -> Lake:
    """Table d.k with two partitions; branches b and x know it."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql(f"CREATE TABLE d.k (id INT{' PRIMARY KEY' * request.param}, v INT, p INT) PARTITIONED BY (p)")
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


def codes(lake: Lake, source: str, destination: str) -> set[str]:
    return {item["code"] for item in lake.refused(source, destination)}


@pytest.mark.pairwise
@pytest.mark.parametrize("since", SINCE.values(), ids=SINCE)
@pytest.mark.parametrize("statement", TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_merges_are_refused_until_it_has_heard_of_the_restore(lake: Lake, statement: str, since: str) -> None:
    taken_back(lake, statement)
    assert codes(lake, "b", "w") == {BY_RESTORE}
    lake.merge("w", "b")
    lake.sql(since, "w")
    assert BY_RESTORE in codes(lake, "w", "b")
    assert BY_RESTORE in codes(lake, "b", "w")
    for source, destination in (("main", "w"), ("b", "w"), ("w", "b"), ("w", "main"), ("main", "b")):
        lake.merge(source, destination)
    expected = lake.rows("d.k", "w")
    assert [row for row in expected if row[0] in (3, 6)] == [(3, 5, 1), (6, 0, 0)]
    assert lake.rows("d.k") == lake.rows("d.k", "b") == expected
    assert lake.breaches() == []


@pytest.mark.parametrize("overwritten", ["b", "w"])
def test_they_are_not_where_one_side_has_overwritten_the_table(lake: Lake, overwritten: str) -> None:
    taken_back(lake, TAKEN_BACK["update"])
    lake.sql("INSERT OVERWRITE d.k VALUES (9, 0, 0)", overwritten)
    lake.merge("b", "w")
    lake.merge("w", "main")
    assert (9, 0, 0) in lake.rows("d.k", "w")
    assert lake.rows("d.k") == lake.rows("d.k", "w")
    assert lake.breaches() == []


def test_they_are_not_where_the_table_was_dropped(lake: Lake) -> None:
    taken_back(lake, TAKEN_BACK["update"])
    lake.sql("DROP TABLE d.k", "b")
    lake.merge("b", "w")
    assert "k" not in [row[1] for row in lake.sql("SHOW TABLES IN d", "w").rows]


def test_they_are_not_where_the_restored_branch_merged_an_overwrite_since(lake: Lake) -> None:
    """What it took back is nothing by then; the overwrite, itself taken back by now, is what the others are told of."""
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
    assert (5, 0, 0) in lake.rows("d.k", "w")
    assert lake.rows("d.k") == lake.rows("d.k", "w")
    assert (5, 0, 0) not in lake.rows("d.k", "a")
    assert codes(lake, "main", "a") == {BY_RESTORE}
    lake.merge("w", "a")
    lake.merge("main", "a")
    assert lake.rows("d.k", "a") == lake.rows("d.k")
    assert lake.breaches() == []


def test_a_branch_that_knew_nothing_of_it_hears_of_nothing_and_tells_of_nothing(lake: Lake) -> None:
    taken_back(lake, TAKEN_BACK["update"])
    lake.merge("b", "x")
    assert lake.rows("d.k", "x") == lake.rows("d.k", "b")
    assert codes(lake, "x", "w") == {BY_RESTORE}
    lake.merge("x", "main")
    lake.merge("main", "w")
    assert lake.rows("d.k", "w") == lake.rows("d.k", "b")


@pytest.mark.parametrize("restored", ["TABLE d.k", "DATABASE d", "BRANCH main"])
def test_what_it_says(lake: Lake, restored: str) -> None:
    before = lake.head()
    taken_back(lake, TAKEN_BACK["update"], restored)
    (refusal,) = lake.refused("b", "w")
    assert refusal["details"] == {
        "restored_branch": "main",
        "version": lake.head(),
        "known_in_part_by": "destination",
    }
    assert refusal["message"] == (
        f"Branch main took back by RESTORE (version {lake.head()}) what it had done to d.k since version {before}. The"
        " source knows of both; the destination knows some of what was done, and not that it was taken back."
    )
    assert refusal["remedy"].startswith("Merge the branch that was restored into the side")
