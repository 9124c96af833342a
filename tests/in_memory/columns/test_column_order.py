"""The order of columns is a fact: branches that know the same facts show the same order."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from lakeui.common.errors import LakeError, MergeConflict
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

HISTORIES = 200 if IS_SOAK else 6


def order(lake: Lake, branch: str = "main", table: str = "d.t") -> list[str]:
    return [row[0] for row in lake.sql(f"DESCRIBE TABLE {table}", branch).rows]


def outcome(lake: Lake, source: str, target: str) -> str:
    return str(lake.sql(f"MERGE BRANCH {source} TO {target}").rows[0][1])


def version(lake: Lake, branch: str = "main") -> int:
    return int(lake.sql("DESCRIBE HISTORY d.t", branch).rows[0][0])


def merged_both_ways(lake: Lake) -> list[str]:
    """What both branches show, once merges bring nothing more; two are enough."""
    assert [outcome(lake, *pair) for pair in (("b", "main"), ("main", "b"))] == ["merged", "merged"]
    assert [outcome(lake, *pair) for pair in (("b", "main"), ("main", "b"))] == ["nothing to merge"] * 2
    assert order(lake) == order(lake, "b")
    return order(lake)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("ADD COLUMN n INT", "ADD COLUMN m INT", "id x y n m"),
        ("ADD COLUMN n INT FIRST", "ADD COLUMN m INT", "n id x y m"),
        ("ADD COLUMN n INT", "ADD COLUMN m INT AFTER id", "id m x y n"),
        ("ADD COLUMN n INT FIRST", "ADD COLUMN m INT FIRST", "n m id x y"),
        ("ALTER COLUMN y FIRST", "ALTER COLUMN x FIRST", "y x id"),
        ("ALTER COLUMN y FIRST", "ADD COLUMN m INT", "y id x m"),
        ("DROP COLUMN x", "ALTER COLUMN y FIRST", "y id"),
        ("ALTER COLUMN id AFTER y", "RENAME COLUMN x TO z", "z y id"),
    ],
)
def test_both_branches_show_one_order(lake: Lake, source: str, target: str, expected: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, x INT, y INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql(f"ALTER TABLE d.t {source}", "b")
    lake.sql(f"ALTER TABLE d.t {target}")
    assert merged_both_ways(lake) == expected.split()


@pytest.mark.parametrize("trip", ["DROP COLUMN y", "ALTER COLUMN y FIRST"])
def test_a_column_back_in_place_did_not_move(lake: Lake, trip: str) -> None:
    """Main dropped the column before it, so another one stands there now: the round trip is no change of y (law 6)."""
    lake.sql("CREATE TABLE d.t (id INT, v INT, x INT, y INT)")
    lake.sql("CREATE BRANCH b")
    for column in ("x", "y"):
        lake.sql(f"ALTER TABLE d.t DROP COLUMN {column}", "b")
    lake.sql("ALTER TABLE d.t DROP COLUMN x")
    before = version(lake)
    lake.sql(f"ALTER TABLE d.t {trip}")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert order(lake) == ["id", "v", "y"]
    assert merged_both_ways(lake) == ["id", "v"]


def test_a_restored_column_stands_where_it_stood(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, x INT, y INT)")
    lake.sql("CREATE BRANCH b")
    before = version(lake)
    lake.sql("ALTER TABLE d.t DROP COLUMN x", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN y FIRST", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN m INT")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    assert order(lake, "b") == ["id", "x", "y"]
    assert merged_both_ways(lake) == ["id", "x", "y", "m"]


def test_a_branch_behind_gets_the_others_order(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, x INT, y INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t DROP COLUMN x", "b")
    before = version(lake, "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN z INT FIRST", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN y FIRST", "b")
    assert outcome(lake, "b", "main") == "merged"
    assert order(lake) == order(lake, "b") == ["y", "z", "id"]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("b")
    assert order(lake) == order(lake, "b") == ["id", "y"]


def test_a_lake_without_order_fact_keeps_the_targets(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """As lakes are that were made before it: from its next merge on the table has one."""
    lake.sql("CREATE TABLE d.t (id INT, x INT)")
    with monkeypatch.context() as before:
        before.setattr("catalog_app.domain.attribute_facts.order_set", lambda *_: None)
        lake.sql("ALTER TABLE d.t ALTER COLUMN x FIRST")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN m INT")
    assert merged_both_ways(lake) == ["x", "id", "m", "n"]


def test_fields_inside_of_a_column_share_one_order(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, s STRUCT<a: INT, b: INT, c: INT>)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN s.c FIRST", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN s.m INT", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN s.b FIRST")
    lake.sql("ALTER TABLE d.t ADD COLUMN s.n INT")
    merged_both_ways(lake)
    (here,), (there,) = (
        [row[1] for row in lake.sql("DESCRIBE TABLE d.t", branch).rows if row[0] == "s"] for branch in ("main", "b")
    )
    assert here == there


class History:
    """Random changes of columns on three branches, and merges between them."""

    def __init__(self, lake: Lake, seed: int) -> None:
        self._lake, self._rng = lake, random.Random(seed)
        self._table = f"d.t{seed}"
        self._made = 0
        self.branches = ["main", f"b{seed}", f"c{seed}"]
        lake.sql(f"CREATE TABLE {self._table} (c0 INT, c1 INT, c2 INT)")
        for branch in self.branches[1:]:
            lake.sql(f"CREATE BRANCH {branch}")

    def step(self) -> None:
        branch = self._rng.choice(self.branches)
        if self._rng.random() < 0.3:
            self.merge(*self._rng.sample(self.branches, 2))
            return
        # Refused: a place after the column itself, the last column, a version before the table.
        with suppress(LakeError):
            self._lake.sql(self._statement(branch), branch)

    def _statement(self, branch: str) -> str:
        columns = order(self._lake, branch, self._table)
        column = self._rng.choice(columns)
        place = self._rng.choice(["", "FIRST", f"AFTER {self._rng.choice(columns)}"])
        match self._rng.randrange(5):
            case 0 | 1:
                self._made += 1
                return f"ALTER TABLE {self._table} ADD COLUMN n{self._made} INT {place}"
            case 2:
                return f"ALTER TABLE {self._table} ALTER COLUMN {column} {place or 'FIRST'}"
            case 3 if len(columns) > 1:
                return f"ALTER TABLE {self._table} DROP COLUMN {column}"
            case _:
                versions = [row[0] for row in self._lake.sql(f"DESCRIBE HISTORY {self._table}", branch).rows]
                return f"RESTORE TABLE {self._table} TO VERSION AS OF {self._rng.choice(versions)}"

    def merge(self, source: str, target: str) -> bool:
        """Whether it brought something."""
        try:
            return outcome(self._lake, source, target) == "merged"
        except MergeConflict:
            self._lake.sql(f"MERGE BRANCH {source} TO {target} RESOLVE (TABLE {self._table} TAKE SOURCE)")
            return True

    def come_to_rest(self) -> list[list[str]]:
        """The orders of the branches, once none has anything for another."""
        pairs = [(one, other) for one in self.branches for other in self.branches if one != other]
        for _ in range(4):
            brought = [self.merge(*pair) for pair in pairs]
            if not any(brought):
                return [order(self._lake, branch, self._table) for branch in self.branches]
        raise AssertionError("merges do not come to an end")


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_random_histories_come_to_one_order(lake: Lake, seed: int) -> None:
    history = History(lake, seed)
    for _ in range(25):
        history.step()
    first, *others = history.come_to_rest()
    assert others == [first, first]
