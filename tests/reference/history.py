"""Random histories: steps by chance on several branches and a mirror of main."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.reference.chance import PARTITIONS, statement_by_chance
from tests.reference.facts import Refused
from tests.reference.lake import Lake
from tests.reference.sides import Decisions
from tests.reference.state import State
from tests.reference.statements import NewRow, insert, put_attributes

BRANCHES = ("main", "b1", "b2", "b3")
TABLES = {"T1": "D1", "T2": "D2", "T3": "D1"}
"""Tables of the start and their databases. T3 has a primary key."""
STEPS = 40


class Law:
    """What must hold in every history. A broken law is an AssertionError."""

    def history(self, seed: int, steps: Sequence[int]) -> History:
        return History(seed, steps, self)

    def merging(self, history: History, source: str, target: str, decisions: Decisions) -> None:
        """Before a merge."""

    def merged(self, history: History, merge: Merged) -> None:
        """After a merge that was not refused, or found nothing."""

    def refused(self, history: History, merge: Merged) -> None:
        """After a merge that was refused."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        """After every step, which changed branch `b` if anything."""

    def ended(self, history: History) -> None: ...


@dataclass(frozen=True)
class Merged:
    source: str
    target: str
    done: str
    """merged, nothing or refused."""
    before: State
    """Of the source."""
    into: State
    """Of the target, before."""
    after: State


@dataclass
class History:
    """Each step has chances of its own, from seed and number: a history without some steps is a history."""

    seed: int
    steps: Sequence[int] = tuple(range(STEPS))
    law: Law = field(default_factory=Law)
    compacts: bool = True
    readable: int | None = None
    """How many states of each branch are readable. None: all."""
    forgets: bool = False
    journal: list[str] = field(default_factory=list)
    """What the steps did, for people."""
    counts: dict[str, int] = field(default_factory=dict)

    def play(self) -> History:
        self.lake = Lake(("file", "row", "cell")[self.seed % 3])
        self.names = BRANCHES[: 3 + self.seed % 2]
        self.discarded: list[str] = []
        """What branches were before they were reset. Nothing is written to them, and others merge them."""
        self._start(Random(self.seed))
        for number in self.steps:
            rng = Random(f"{self.seed}/{number}")
            b = rng.choice(self.names)
            try:
                self.journal.append(f"{number}: {b}: {self._step(rng, b, f's{number}')}")
            except Refused as refused:
                self.journal.append(f"{number}: {b}: refused {' '.join(refused.codes)}")
            self._compact(Random(f"{self.seed}/{number}/files"), b)
            self.lake.merge("main", "mirror")
            if self.readable is not None:
                self.lake.horizon(self.readable)
            if self.forgets:
                self.counts["forgotten"] = self.counts.get("forgotten", 0) + self.lake.forget(Random(number))
            self.law.stepped(self, b, rng)
        self.law.ended(self)
        return self

    def _start(self, rng: Random) -> None:
        lake = self.lake
        columns = {"column__0__exists": (None,), "column__0__name": "v", "column__0__type": 1}
        columns |= {"column__0__required": True}
        columns |= {"column__1__exists": (None,), "column__1__name": "w", "column__1__type": 1}
        lake.commit("main", *(put_attributes(d, exists=True, name=d) for d in ("D1", "D2")))
        for t, home in TABLES.items():
            made: dict[str, Any] = {"exists": True, "name": t, "home": home, "keyed": t == "T3" or None}
            rows = [NewRow(key, {"v": (f"v{key}", 1), "w": (f"w{key}", 1)}, rng.choice(PARTITIONS)) for key in range(3)]
            lake.commit("main", put_attributes(t, **made, **columns))
            lake.commit("main", insert(t, rows))
        for b in (*self.names[1:], "mirror"):
            lake.branch(b, lake.branches["main"])

    def _step(self, rng: Random, b: str, step: str) -> str:
        kind = rng.random()
        if kind < 0.35:
            return self._merge(rng, rng.choice([name for name in (*self.names, *self.discarded) if name != b]), b)
        if kind < 0.43:
            objects = rng.choice([None, [rng.choice(list(self.lake.branches[b].facts))]])
            version = rng.randrange(len(self.lake.past[b]))
            self.lake.restore(b, version, objects)
            return f"restores {objects or 'all'} to {version}"
        if kind < 0.46 and b != "main":
            return self._reset(b, f"{b} until {step}")
        return self._write(rng, b, step)

    def _reset(self, b: str, kept: str) -> str:
        self.lake.reset(b, "main", kept)
        self.discarded.append(kept)
        self._count("reset")
        assert self.lake.branches[b].seen() == self.lake.branches["main"].seen(), "a reset branch is not its parent"
        return "is reset"

    def _write(self, rng: Random, b: str, step: str) -> str:
        """A statement, a transaction of several, or either on a head that has moved since."""
        head = self.lake.branches[b]
        seen = rng.choice([head, head, head, head, self.lake.past[b][-2:][0]])
        tried = [
            statement_by_chance(rng, seen, f"{step}{i or ''}", self.lake.columns)
            for i in range(rng.choice([1, 1, 1, 2, 3]))
        ]
        statements = [statement for statement in tried if statement]
        self.lake.commit(b, *statements, seen=seen)
        moved = " on a head that moved" if seen is not head else ""
        return ", ".join(statement.__qualname__.split(".")[0] for statement in statements) + moved

    def _merge(self, rng: Random, source: str, b: str) -> str:
        """Where only keys clash, a person often decides them."""
        try:
            return self._merge_decided(source, b, {})
        except Refused as refused:
            if refused.codes != ("PRIMARY_KEY_CLASH",) or rng.random() < 0.3:
                raise
        decisions = {("T3", key): rng.choice(["source", "target"]) for key in range(6)}
        return self._merge_decided(source, b, decisions) + " by decisions"

    def _merge_decided(self, source: str, b: str, decisions: Decisions) -> str:
        before, into = self.lake.branches[source], self.lake.branches[b]
        self.law.merging(self, source, b, decisions)
        try:
            done = self.lake.merge(source, b, decisions)
        except Refused:
            self._count("refused")
            self.law.refused(self, Merged(source, b, "refused", before, into, self.lake.branches[b]))
            raise
        self._count(done)
        if source in self.discarded:
            self._count(f"discarded {done}")
        self.law.merged(self, Merged(source, b, done, before, into, self.lake.branches[b]))
        return f"merges {source}: {done}"

    def _compact(self, rng: Random, b: str) -> None:
        tables = [t for t in self.lake.branches[b].facts if t.startswith("T") and self.lake.branches[b].rows(t)]
        if self.compacts and tables and rng.random() < 0.2:
            self.lake.compact(b, rng.choice(tables))

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
