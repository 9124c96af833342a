"""Facts of attributes of both sides of a merge, as a plan is given them, and what people decided of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from merge_app.lineage.facts import NO_FACT, Fact, Key, Kind
from merge_app.planning.net_changes import ObjectKey

OfObjects = Mapping[ObjectKey, Mapping[Key, Fact]]
DECIDED = -1
"""Stamp of what a person chose, and of what a statement sets: it is the source's news, and has no version."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributeSides:
    """By object with news its facts on both sides, keyed by ``(kind, id)``. The past of a fact that is news is what the
    other side knows: the newest fact, or those of which none knew the others. ``of_source``, ``of_target``: the
    stamps that are news. ``makers``: by stamp the branch of its commit, id and name; ``own``: the workspace of a
    transaction, whose commits are the merge itself.
    ``as_operations``: objects of which a person chose the source, or that others left alone since a statement saw
    them: the source's operations say what becomes of them.
    """

    source: OfObjects
    target: OfObjects
    of_source: frozenset[int]
    of_target: frozenset[int]
    makers: Mapping[int, tuple[int, str]]
    own: int | None = None
    as_operations: frozenset[ObjectKey] = field(default=frozenset())

    def beside(self, other: AttributeSides) -> AttributeSides:
        """With the facts of other objects."""
        return replace(
            self,
            source={**self.source, **other.source},
            target={**self.target, **other.target},
            of_source=self.of_source | other.of_source,
            of_target=self.of_target | other.of_target,
            makers={**self.makers, **other.makers},
        )

    def names_claimed(self) -> frozenset[ObjectKey]:
        """The objects to which the source's news may give another name or home, or which it brings."""
        return frozenset(
            thing
            for thing, facts in self.source.items()
            if any(facts[key].stamp in self.of_source for key in (("name",), ("home",), ("exists",)) if key in facts)
        )

    def left_out(self, thing: ObjectKey, concerns: Callable[[Key], bool] = lambda key: True) -> AttributeSides:
        """The target's facts stay. An object without news has no facts here, and gets none."""
        if thing not in self.source and thing not in self.target:
            return self
        target = self.target.get(thing, {})
        kept = {key: fact for key, fact in self.source.get(thing, {}).items() if not concerns(key)}
        chosen = {key: fact for key, fact in target.items() if concerns(key)}
        return replace(self, source={**self.source, thing: {**kept, **chosen}})

    def taken(self, thing: ObjectKey, concerns: Callable[[Key], bool]) -> AttributeSides:
        """What the target did to these attributes is not judged."""
        if thing not in self.target:
            return self
        target = {
            key: known_fact(fact) if concerns(key) and fact.stamp in self.of_target else fact
            for key, fact in self.target.get(thing, {}).items()
        }
        return replace(self, target={**self.target, thing: target})

    def by_operations(self, thing: ObjectKey) -> AttributeSides:
        return replace(self.left_out(thing), as_operations=self.as_operations | {thing})

    def renamed(self, thing: ObjectKey, name: str) -> AttributeSides:
        known = self.target.get(thing, {}).get(("name",)) or self.source.get(thing, {}).get(("name",))
        return self if known is None else self.with_news(thing, {("name",): name}, {("name",): known})

    def with_news(self, thing: ObjectKey, values: Mapping[Key, Any], known: Mapping[Key, Fact]) -> AttributeSides:
        """The source gives the attributes these values, in place of those that both sides know."""
        source = dict(self.source.get(thing, {}))
        for key, value in values.items():
            before = known.get(key, NO_FACT)
            source[key] = Fact(value, DECIDED, Kind.SET, past=((before.stamp, before.value),))
        return replace(self, source={**self.source, thing: source}, of_source=self.of_source | {DECIDED})


_SPAN = 1 << 48
"""More than any version."""


def stamp_apart(stamp: int, home: int) -> int:
    """A number is a version of each home, so that stamps of all homes but 0 are moved out of the way. They stay in
    order, and ``version_of`` gives the version back.
    """
    return stamp - _SPAN * home if stamp else stamp


def version_of(stamp: int) -> int:
    """The version that a stamp is; 0: it has none (``DECIDED``)."""
    return stamp % _SPAN if stamp < DECIDED else max(stamp, 0)


def known_fact(fact: Fact) -> Fact:
    """The fact as the other side knows it."""
    stamp, value = fact.past[-1] if fact.past else (0, None)
    return Fact(value, stamp, fact.kind)


def key_of(attribute: str) -> Key:
    """The key of an attribute by its stored name, such as ``column/3/type``."""
    first, _, rest = attribute.partition("/")
    if first == "column":
        column, _, of = rest.partition("/")
        return first, int(column), of
    return (first, rest) if rest else (first,)
