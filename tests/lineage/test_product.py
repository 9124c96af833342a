"""Random histories of rows on lakeui and on the reference model: same verdicts, same rows."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from lakeui.common.errors import MergeConflict
from tests.lineage.journal import journal_noted
from tests.reference.facts import Refused, RowId
from tests.reference.lake import Lake as Model
from tests.reference.state import State
from tests.reference.statements import (
    add_partition,
    delete,
    journal,
    overwrite,
    put_attributes,
    rename_partition,
    update,
)
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

STEPS = 24
SEEDS = range(500) if IS_SOAK else (0, 1, 2, 3, 4, 5, 9, 10, 13, 18, 19, 23)
"""Of the first 24, those that together pass each pair of following lines of the product that any of them passes."""


def model_insert(ids: list[int], value: str, part: str) -> Any:
    def run(state: State, stamp: Any) -> None:
        for i in ids:
            r = RowId(stamp.version, part, i)
            image = (("0", (str(i), 1)), ("1", (value, 1)))
            state.put("T1", ("row", r), image, stamp, "insert")
            state.put("T1", ("partition", r), part, stamp, "insert")

    return run


def model_overwrite(ids: list[int], value: str, part: str | None = None) -> Any:
    def run(state: State, stamp: Any) -> None:
        for r in state.in_scope("T1", part):
            state.put("T1", ("row", r), None, stamp, "overwrite")
        journal(state, stamp, "T1", "overwrite", partition=part)
        model_insert(ids, value, part or "a")(state, stamp)

    return run


def of_third(third: int) -> Callable[[RowId], bool]:
    """The model's form of the statements' ``id IN (..)``."""
    return lambda r: r.number % 3 == third


class Both:
    """A lake and its model."""

    lake: Lake
    lake_kind: type[Lake] = Lake

    def __init__(self, seed: int | str) -> None:
        self.rng = Random(seed)
        self.next = 1
        self.versions: dict[str, list[int]] = {}
        self.journal: list[str] = []
        self.begin()
        for name in ("b1", "b2", "mirror"):
            self.lake.sql(f"CREATE BRANCH {name}")
            self.model.branch(name, self.model.branches["main"])
            self.versions[name] = [self.lake.head()]

    def begin(self) -> None:
        """The table on main."""
        self.lake, self.model = self.lake_kind(), Model("file")
        self.lake.sql("CREATE DATABASE d")
        self.lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
        self.model.commit("main", put_attributes("D1", exists=True, name="D1"))
        columns = {
            f"column__{c}__{of}": value
            for c, name in (("0", "id"), ("1", "v"))
            for of, value in {"exists": (None,), "name": name, "type": 1}.items()
        }
        self.model.commit("main", put_attributes("T1", exists=True, name="T1", home="D1", **columns))
        self.versions["main"] = [0, 1, self.lake.head()]
        self.insert("main", 4)

    def say(self, b: str, sql: str) -> None:
        self.journal.append(f"{b}: {sql}")

    def both(self, b: str, sql: str, *statements: Any) -> None:
        self.say(b, sql)
        before = self.lake.head(b)
        self.lake.sql(sql, b)
        after = self.lake.head(b)
        if after == before:
            return
        self.model.commit(b, *statements)
        self.versions[b].append(after)

    def insert(self, b: str, count: int, part: str = "a") -> None:
        ids = list(range(self.next, self.next + count))
        self.next += count
        rows = ", ".join(f"({i}, 'n', '{part}')" for i in ids)
        self.both(b, f"INSERT INTO d.t VALUES {rows}", model_insert(ids, "n", part))

    def step(self, number: int) -> None:
        rng, b = self.rng, self.rng.choice(("main", "b1", "b2"))
        third = rng.randrange(3)
        kind = rng.choice(
            ["insert"] * 3
            + ["update"] * 4
            + ["delete"] * 3
            + ["truncate", "overwrite", "optimize", "optimize", "restore"]
            + ["partition"] * 4
            + ["merge"] * 6
        )
        value = f"s{number}"
        ids = ", ".join(str(i) for i in range(self.next) if i % 3 == third)
        where = of_third(third)
        if kind == "insert":
            self.insert(b, rng.choice([1, 1, 2]), rng.choice("aab"))
        elif kind in ("partition", "restore"):
            getattr(self, kind)(b)
        elif kind == "update":
            sql = f"UPDATE d.t SET v = '{value}' WHERE id IN ({ids})"
            self.both(b, sql, update("T1", where, {"v": (value, 1)}))
        elif kind == "delete":
            self.both(b, f"DELETE FROM d.t WHERE id IN ({ids})", delete("T1", where))
        elif kind == "truncate":
            self.both(b, "TRUNCATE TABLE d.t", model_overwrite([], ""))
        elif kind == "overwrite":
            i, self.next = self.next, self.next + 1
            self.both(b, f"INSERT OVERWRITE d.t VALUES ({i}, 'o', 'a')", model_overwrite([i], "o"))
        elif kind == "optimize":
            self.say(b, "OPTIMIZE")
            self.lake.sql("OPTIMIZE d.t", b)
        else:
            self.merge(rng.choice([n for n in ("main", "b1", "b2") if n != b]), b)
        self.merge("main", "mirror")
        self.compare(b, "mirror")

    def compare(self, *branches: str) -> None:
        for name in branches:
            assert self.rows(name) == self.model_rows(name), f"rows of {name}"

    def restore(self, b: str) -> None:
        at = self.rng.randrange(2 if b == "main" else 0, len(self.versions[b]))
        sql = f"RESTORE TABLE d.t TO VERSION AS OF {self.versions[b][at]}"
        self.say(b, sql)
        before = self.lake.head(b)
        self.lake.sql(sql, b)
        if self.lake.head(b) != before:
            self.model.restore(b, at, ["T1"])
            self.versions[b].append(self.lake.head(b))

    def partition(self, b: str) -> None:
        """A statement on partitions, where it makes sense."""
        old, new = self.rng.choice("abc"), self.rng.choice("abcd")
        table, state = "ALTER TABLE d.t", self.model.branches[b]
        kind = self.rng.choice(["rename"] * 4 + ["drop", "add", "overwrite"])
        if kind == "overwrite":
            self.overwrite_partition(b, old)
        elif kind == "drop" and state.has_partition("T1", old):
            gone = overwrite("T1", old, kind="drop partition")
            self.both(b, f"{table} DROP IF EXISTS PARTITION (p = '{old}')", gone)
        elif kind == "add" and not state.has_partition("T1", new):
            self.both(b, f"{table} ADD IF NOT EXISTS PARTITION (p = '{new}')", add_partition("T1", new))
        elif kind == "rename" and state.has_partition("T1", old) and not state.has_partition("T1", new):
            sql = f"{table} PARTITION (p = '{old}') RENAME TO PARTITION (p = '{new}')"
            self.both(b, sql, rename_partition("T1", old, new))

    def overwrite_partition(self, b: str, part: str) -> None:
        i, self.next = self.next, self.next + 1
        sql = f"INSERT OVERWRITE d.t PARTITION (p = '{part}') VALUES ({i}, 'o')"
        self.both(b, sql, model_overwrite([i], "o", part))

    def merge(self, source: str, target: str) -> None:
        if target != "mirror":
            self.say(target, f"MERGE BRANCH {source}")
        try:
            self.model.merge(source, target)
            expected: object = "merged"
        except Refused as refused:
            expected = set(refused.codes)
        before = self.lake.head(target)
        try:
            self.lake.merge(source, target)
            got: object = "merged"
        except MergeConflict as refused:
            got = {item["code"] for item in refused.details["conflicts"]}
        assert got == expected, f"{source} into {target}"
        after = self.lake.head(target)
        if expected == "merged" and len(self.model.past[target]) > len(self.versions[target]):
            self.versions[target].append(after)
        assert after >= before

    def rows(self, b: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in self.lake.sql("SELECT id, v, p FROM d.t", b).rows)

    def model_rows(self, b: str) -> list[tuple[Any, ...]]:
        state = self.model.branches[b]
        return sorted(
            (int(dict(f.value)["0"][0]), dict(f.value)["1"][0], state.partition("T1", r))
            for r, f in state.rows("T1").items()
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_merged_as_by_the_model(services: None, seed: int) -> None:
    both = Both(seed)
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)
        both.compare("main", "b1", "b2")
        assert both.lake.breaches() == []


RESETTING = range(12) if IS_SOAK else range(3)


class Resetting(Both):
    """At times a branch is reset, and what it was comes back under a name that others merge."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.chance = Random(f"{seed}/resets")
        self.kept: list[str] = []
        self.merged_of_kept = 0

    def step(self, number: int) -> None:
        kind = self.chance.random()
        if kind < 0.2:
            self.reset(self.chance.choice(("b1", "b2")), f"kept{number}")
        elif kind < 0.4 and self.kept:
            self.merge(self.chance.choice(self.kept), self.chance.choice(("main", "b1", "b2")))
            self.merged_of_kept += 1
        super().step(number)

    def reset(self, b: str, kept: str) -> None:
        text = f"ALTER BRANCH {b} RESET TO PARENT"
        self.say(b, text)
        found = self.lake.sql(text).extra["reset"]
        assert self.rows(b) == self.rows("main")
        if not found["is_done"]:
            return
        self.lake.sql(f"UNDROP BRANCH {b} WITH ID '{found['discarded']['branch_id']}' AS {kept}")
        self.model.reset(b, "main", kept)
        self.versions[kept], self.versions[b] = self.versions[b], [self.lake.head(b)]
        self.kept.append(kept)
        self.compare(b, kept)


@pytest.mark.parametrize("seed", RESETTING)
def test_resets_are_merged_as_by_the_model(services: None, seed: int) -> None:
    both = Resetting(seed)
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)
        both.compare("main", "b1", "b2", *both.kept)
        assert both.lake.breaches() == []
    assert len(both.kept) >= 2
    assert both.merged_of_kept
