"""The two sides of a merge, and the rule of §3 that finds one fact of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.reference.facts import Fact, Key
from tests.reference.stamps import Stamp
from tests.reference.state import State

Rule = Callable[["Sides", str, Key, Fact, Fact], Fact]
"""Decides between concurrent facts of the source and of the target."""


Decisions = Mapping[tuple[str, Any], Any]
"""What a person chose, by table and primary key: "source", "target", or an image."""


@dataclass
class Sides:
    """A merge of `source` into `target` under way. What a rule decides gets `stamp`."""

    source: State
    target: State
    stamp: Stamp
    conflicts: str = "file"
    """How fine two changes meet, in tables without a primary key: file, row or cell (§5)."""
    decisions: Decisions = field(default_factory=dict)
    verdicts: set[str] = field(default_factory=set)
    clashes: set[tuple[str, Any]] = field(default_factory=set)
    """By table, the keys that both sides wrote differently and that no scope of the source took from the target yet."""
    narrowed: set[str] = field(default_factory=set)
    """Objects with a column whose type by the source does not hold all values of the target's."""
    winners: dict[tuple[str, Any], tuple[State, State]] = field(default_factory=dict)
    """By table and row: where a rule leaves the whole row to one side, that side and the other."""
    places: dict[tuple[str, Any], Any] = field(default_factory=dict)
    """By table, keys that both sides wrote: where scopes of the source put the target's row."""
    result: State = field(init=False)

    def __post_init__(self) -> None:
        self.result = self.target.copy()
        for (o, key), items in self.source.equals.items():
            self.result.leave_equal(o, key, items)

    def newer(self, o: str, key: Key, rule: Rule) -> Fact:
        """§3, steps 1 to 5. Before P7: an attribute of a column or row that a side lacks wins over nothing (R7).

        A decision came after all that either side knows of the row.
        """
        s, d = self.source.fact(o, *key), self.target.fact(o, *key)
        if s is d:
            return d
        if s.stamp == d.stamp:
            assert s == d, ("R1: a stamp names two facts", s, d)
            return d
        source, target = self.source.known, self.target.known
        if key[0] == "id" and self.source.has(o, key) != self.target.has(o, key):
            # The id of a row that is not there says nothing, not even as news (R7).
            lives, lacks = (s, d) if self.source.has(o, key) else (d, s)
            is_known = (source if lives is d else target).knows(lives.stamp)
            return self.decided(lives, lacks) if is_known else lives
        if target.knows(s.stamp):
            assert not source.knows(d.stamp), ("step 5: each side knows the other's fact", o, key, s, d)
            return d
        if source.knows(d.stamp):
            return s
        if s.value == d.value:
            return self._equal(o, key, s, d)
        of_source, of_target = self.source.joined(o, *key), self.target.joined(o, *key)
        if self.source.has(o, key) != self.target.has(o, key):
            is_source = self.source.has(o, key) != self._is_back(o, key)
            return self.decided(of_source, of_target) if is_source else self.decided(of_target, of_source)
        if s.is_unchanged_for(target) and not self._is_moved(self.source, self.target, o, key):
            return self.decided(of_target, of_source)
        if d.is_unchanged_for(source) and not self._is_moved(self.target, self.source, o, key):
            return self.decided(of_source, of_target)
        return rule(self, o, key, of_source, of_target)

    def _equal(self, o: str, key: Key, s: Fact, d: Fact) -> Fact:
        """The fact with the larger stamp, as it is. What is written on the branch later came after both."""
        loser, winner = sorted((s, d), key=lambda fact: fact.stamp)
        if key[0] == "row":
            self.result.leave_equal(o, key, loser.ever)
        return winner

    def _is_back(self, o: str, key: Key) -> bool:
        """Whether the fact is the partition of a row that one side alone has, since a restore, where both know it."""
        side, other = (self.source, self.target) if self.source.has(o, key) else (self.target, self.source)
        if key[0] != "partition" or side.fact(o, "row", key[1]).kind != "restore":
            return False
        return side.fact(o, *key).is_unchanged_for(other.known)

    def _is_moved(self, side: State, other: State, o: str, key: Key) -> bool:
        """Whether an update moved a row that the other side took away: of a key, an insert after a delete too."""
        if key[0] != "row" or other.value(o, *key) is not None:
            return False
        placed = side.fact(o, "partition", key[1])
        is_news = placed.kind in ("update", "insert") and not other.known.knows(placed.stamp)
        return is_news and not placed.is_unchanged_for(other.known)

    def decided(self, winner: Fact, loser: Fact) -> Fact:
        return winner.decided(loser, winner.value, self.stamp)

    def is_judged(self, o: str) -> bool:
        """Nothing is judged below a drop: what is concurrent there is decided for the source (R4). A table that the
        target moved out of a database, which the source drops, stays, with what the source did to it before.
        """
        return self.target.is_alive(o) and (self.source.is_alive(o) or self.result.is_alive(o))


def net_news(side: State, other: State, o: str) -> Iterator[tuple[Key, Fact]]:
    """The net changes of a side to an object: facts that `other` does not know and that differ from what it knows."""
    for key, fact in side.facts.get(o, {}).items():
        if not other.known.knows(fact.stamp) and not fact.is_unchanged_for(other.known) and side.has(o, key):
            yield key, fact
