"""Plays a random history on a lake, and tells laws of each step and merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lakeui.common.errors import LakeError, MergeConflict, NotSupported
from tests.lineage.histories.chance import THEMES, statement_by_chance, table_created
from tests.lineage.histories.states import Reader, State
from tests.support.lake import Lake

STEPS = 16
MIRROR = "mirror"
REFUSALS = {
    "ALREADY_EXISTS", "DUPLICATE_KEY", "INVALID_VALUE", "MERGE_CONFLICT", "NOT_FOUND", "NOT_NULL_VIOLATION",
    "NOT_SUPPORTED", "PROPERTY_NOT_FOUND", "TYPE_NARROWING",
}  # fmt: skip
"""Of statements that do not fit. Any other error breaks a history."""


@dataclass(frozen=True)
class Merged:
    """A merge with the states around it. ``codes``: by which it was refused; none where it was not."""

    source: str
    target: str
    before: State
    into: State
    after: State
    codes: frozenset[str]
    number: int

    @property
    def is_refused(self) -> bool:
        return bool(self.codes)


class Law:
    """What holds of every history. A law overrides what it asks about."""

    def begun(self, history: History) -> None: ...
    def merging(self, history: History, source: str, target: str) -> None: ...
    def merged(self, history: History, merge: Merged) -> None: ...
    def changed(self, history: History, b: str, sql: str, before: State, after: State) -> None: ...
    def stepped(self, history: History, b: str, rng: Random) -> None: ...
    def ended(self, history: History) -> None: ...


class History:
    """``steps``: numbers; each draws by itself, so any may be left out. ``layout``: what becomes of compactions: as
    drawn, none, or many.
    """

    reader_of: type[Reader] = Reader

    def __init__(self, seed: str, steps: Sequence[int], laws: Sequence[Law], *, layout: str = "drawn") -> None:
        self.seed, self.steps, self.laws, self.layout = seed, steps, laws, layout
        self.journal: list[str] = []
        self.outcomes: list[Any] = []
        self.counts: dict[str, int] = {}
        self.forks = 0
        rng = Random(f"{seed} begin")
        self.theme = rng.choice(list(THEMES))
        self.names: tuple[str, ...] = ("main", "b1", "b2", "b3", "b4")[: rng.choice([3, 3, 3, 4, 5])]
        self.merges = rng.choice([0.25, 0.35, 0.45])
        self.rng = rng

    def begin(self) -> None:
        paths = ["d1.t0", "d2.t1"][: self.rng.choice([1, 1, 2])]
        sql = ["CREATE DATABASE d1", "CREATE DATABASE d2", *(table_created(self.rng, path) for path in paths)]
        for path in paths:
            rows = [f"({i}, 'o', 'o', 0, array('o'), '{'ab'[i % 2]}')" for i in range(1, 5)]
            sql += [f"INSERT INTO {path} (id, v, w, n, tags, p) VALUES {', '.join(rows[at : at + 2])}" for at in (0, 2)]
        self.begin_by(sql, self.names)

    def begin_by(self, sql: Sequence[str], names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.lake = Lake()
        self.reader = self.reader_of(self.lake)
        self.states: dict[str, State] = {}
        self.versions: dict[str, list[int]] = {}
        for text in sql:
            self.say("main", text)
            self.lake.sql(text)
        for name in (*names[1:], MIRROR):
            self.lake.sql(f"CREATE BRANCH {name}")
        head, state = self.lake.head(), self.reader.state("main")
        for name in (*names, MIRROR):
            self.versions[name], self.states[name] = [head], state
        for law in self.laws:
            law.begun(self)

    def play(self) -> History:
        self.begin()
        for number in self.steps:
            self.step(number)
        self.end()
        return self

    def end(self) -> None:
        for law in self.laws:
            law.ended(self)
        assert self.lake.breaches() == []

    def say(self, b: str, text: str) -> None:
        self.journal.append(f"{b}: {text}")

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} step {number}")
        b, chance = rng.choice(self.names), rng.random()
        if chance < self.merges:
            self.merge(rng.choice([name for name in self.names if name != b]), b, number)
        elif chance < self.merges + 0.08:
            self.restore(b, rng)
        elif chance < self.merges + 0.16:
            if self.layout != "none":
                self.compact(b)
        elif chance < self.merges + 0.24:
            self.transaction(b, rng, number)
        elif text := statement_by_chance(rng, self.states[b], f"s{number}", self.theme):
            self.run(b, text)
        self.stepped(b, number)

    def stepped(self, b: str, number: int) -> None:
        if self.layout == "many":
            self.compact(Random(f"{self.seed} layout {number}").choice(self.names))
        if b == "main":
            self.merge("main", MIRROR, number)
        self.versions[b].append(self.lake.head(b))
        for law in self.laws:
            law.stepped(self, b, Random(f"{self.seed} law {number}"))

    def look(self, b: str) -> State:
        self.states[b] = self.reader.state(b)
        return self.states[b]

    def run(self, b: str, *texts: str) -> None:
        """A statement, or several as a transaction."""
        before = self.states[b]
        self.say(b, "; ".join(texts))
        try:
            if len(texts) == 1:
                self.lake.sql(texts[0], b)
            else:
                self._transact(b, texts)
        except LakeError as refused:
            if refused.code not in REFUSALS:
                raise
            self.journal[-1] += f"  -- {refused.code}"
            self.outcomes.append(refused.code)
            self.count(f"refused {refused.code}")
            assert self.look(b) == before, "a refused statement changed a branch"
            return
        for text in texts:
            self.count(" ".join(text.split()[:2]) if not text.startswith(("UPDATE", "DELETE")) else text.split()[0])
        after = self.look(b)
        for law in self.laws:
            law.changed(self, b, "; ".join(texts), before, after)

    def _transact(self, b: str, texts: Sequence[str]) -> None:
        identity = str(self.lake.sql("BEGIN", b).extra["transaction"])
        try:
            for text in texts:
                self.lake.sql(text, b, transaction=identity)
        except LakeError:
            self.lake.sql("ROLLBACK", b, transaction=identity)
            raise
        self.lake.sql("COMMIT", b, transaction=identity)

    def transaction(self, b: str, rng: Random, number: int) -> None:
        """Two statements that fit what the branch shows before."""
        words = (f"s{number}", f"z{number}")
        drawn = [statement_by_chance(rng, self.states[b], word, self.theme) for word in words]
        if texts := [text for text in drawn if text]:
            self.run(b, *texts)

    def restore(self, b: str, rng: Random) -> None:
        version = rng.choice(self.versions[b][-6:])
        tables = sorted(table.path for table in self.states[b].tables.values())
        databases = sorted(self.states[b].databases)
        what = rng.choice(
            [f"TABLE {path}" for path in tables] * 6 + [f"DATABASE {d}" for d in databases] + [f"BRANCH {b}"]
        )
        self.run(b, f"RESTORE {what} TO VERSION AS OF {version}")

    def compact(self, b: str) -> None:
        for table in list(self.states[b].tables.values()):
            self.say(b, f"OPTIMIZE {table.path}")
            self.lake.sql(f"OPTIMIZE {table.path}", b)
            self.count("OPTIMIZE")

    def merge(self, source: str, target: str, number: int) -> Merged:
        before, into = self.states[source], self.states[target]
        if target != MIRROR:
            self.say(target, f"MERGE BRANCH {source}")
        for law in self.laws:
            law.merging(self, source, target)
        codes = self.merged(source, target)
        if codes and target != MIRROR:
            self.journal[-1] += f"  -- {', '.join(sorted(codes))}"
        self.outcomes.append(sorted(codes))
        for code in codes or ("merged",):
            self.count(code)
        merge = Merged(source, target, before, into, self.look(target), codes, number)
        for law in self.laws:
            law.merged(self, merge)
        return merge

    def merged(self, source: str, target: str) -> frozenset[str]:
        """The codes by which it is refused. What a history does of a merge beyond it."""
        return self.refusals(source, target)

    def refusals(self, source: str, target: str) -> frozenset[str]:
        """The codes by which a merge is refused that is tried."""
        try:
            self.lake.merge(source, target)
        except MergeConflict as refused:
            return frozenset(item["code"] for item in refused.details["conflicts"])
        except NotSupported as refused:
            return frozenset({refused.code})
        return frozenset()

    def fork(self, b: str) -> str:
        """A branch that is cut at the head of another one."""
        self.forks += 1
        name = f"fork{self.forks}"
        self.lake.sql(f"CREATE BRANCH {name} FROM {b}")
        return name

    def outcome(self, source: str, target: str) -> Any:
        """What a merge comes to: the state, or the codes that refuse it. Neither branch is changed."""
        name = self.fork(target)
        return sorted(self.refusals(source, name)) or self.reader.state(name).plain()
