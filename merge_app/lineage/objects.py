"""Attributes of objects: merged fact by fact, and judged (lineage §3, R4, R6; semantics A6.1, COLUMN_MISSING)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import NO_FACT, Aliveness, Fact, Facts, Key, News, ObjectId
from merge_app.lineage.names import names_judge
from merge_app.lineage.outcomes import Finding

Widens = Callable[[Any, Any], bool]
"""Whether a column type widens to another one, or is the same."""


class AttributesContradict(Exception):
    """Each side knows the other's fact of one attribute (§3 step 5), or a stamp names two facts (R1)."""

    def __init__(self, thing: ObjectId, key: Key) -> None:
        super().__init__(f"attribute {key} of {thing} has facts that contradict each other")
        self.object, self.key = thing, key


@dataclass(frozen=True, slots=True, eq=False)
class ObjectsOutcome:
    """``facts``: the attributes of the result. ``source_news``, ``target_news``: by object the attributes that a side
    changed, net.
    """

    facts: Facts
    alive: Mapping[ObjectId, Aliveness]
    source_news: Mapping[ObjectId, Mapping[Key, Fact]]
    target_news: Mapping[ObjectId, Mapping[Key, Fact]]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Sides:
    """What each side knows of the other, for stamps one by one."""

    of_source: frozenset[int]
    of_target: frozenset[int]
    stamp: int


_HOME: Key = ("home",)
_EXISTS: Key = ("exists",)
_NO_FACTS: Mapping[Key, Fact] = {}


def value_of(facts: Facts, thing: ObjectId, *key: object) -> Any:
    return facts.get(thing, {}).get(key, NO_FACT).value


def is_alive(facts: Facts, thing: ObjectId) -> bool:
    """A table is alive where its database is (R4)."""
    home = value_of(facts, thing, "home")
    return bool(value_of(facts, thing, "exists")) and (home is None or is_alive(facts, home))


def _living(facts: Facts, things: Iterable[ObjectId]) -> dict[ObjectId, bool]:
    """By object whether it is alive. A home is looked at once."""
    found: dict[ObjectId, bool] = {}
    homes: dict[ObjectId, bool] = {None: True}
    for thing in things:
        of = facts.get(thing, _NO_FACTS)
        home = of.get(_HOME, NO_FACT).value
        if home not in homes:
            homes[home] = is_alive(facts, home)
        found[thing] = homes[home] and bool(of.get(_EXISTS, NO_FACT).value)
    return found


def objects_merge(source: Facts, target: Facts, news: News, *, stamp: int, widens: Widens) -> ObjectsOutcome:
    """The attributes of the result, and the verdicts on those of columns. ``stamp``: the merge's."""
    sides = _Sides(frozenset(news.of_source.tolist()), frozenset(news.of_target.tolist()), stamp)
    things = list(dict.fromkeys([*target, *source]))
    living = _living(source, things), _living(target, things)
    merged: dict[ObjectId, dict[Key, Fact]] = {}
    narrowing: list[tuple[ObjectId, Key]] = []
    for thing in things:
        source_facts, target_facts = source.get(thing, {}), target.get(thing, {})
        result = merged[thing] = dict(target_facts)
        if source_facts == target_facts:
            continue
        keys = (
            target_facts
            if target_facts.keys() >= source_facts.keys()
            else dict.fromkeys([*target_facts, *source_facts])
        )
        for key in keys:
            pair = source_facts.get(key, NO_FACT), target_facts.get(key, NO_FACT)
            if pair[0] is pair[1]:
                continue
            result[key], by_rule = _newer(thing, key, pair, (_has(source_facts, key), _has(target_facts, key)), sides)
            if by_rule and _narrows(key, *pair, widens):
                narrowing.append((thing, key))
    of_result = _living(merged, things)
    alive = {thing: Aliveness(living[0][thing], living[1][thing], of_result[thing]) for thing in things}
    source_news = {thing: _net_news(source.get(thing, {}), sides.of_source) for thing in things}
    target_news = {thing: _net_news(target.get(thing, {}), sides.of_target) for thing in things}
    findings = [
        Finding(VerdictCode.COLUMN_TYPE_NARROWING, thing, "A6.1", (key,))
        for thing, key in narrowing
        if alive[thing].is_judged
    ]
    for thing in things:
        if alive[thing].is_judged and source_news[thing] and target_news[thing]:
            gone = {key for key, fact in target_news[thing].items() if fact.value is None}
            missing = tuple(k for k in source_news[thing] if _is_of_column(k, gone) and _has(source[thing], k))
            findings += [Finding(VerdictCode.COLUMN_MISSING, thing, "semantics §3", missing)] if missing else []
    findings += names_judge(merged, [thing for thing in things if alive[thing].result])
    return ObjectsOutcome(merged, alive, source_news, target_news, tuple(findings))


def _newer(
    thing: ObjectId, key: Key, pair: tuple[Fact, Fact], has: tuple[bool, bool], sides: _Sides
) -> tuple[Fact, bool]:
    """§3 for one attribute, and whether the rule of the pair decided: the source's value (P1).

    ``has``: whether a side has that to which the attribute belongs. Else it wins over nothing, asked before P7 (R7).
    """
    source, target = pair
    if source.stamp == target.stamp:
        if (source.value, source.kind) != (target.value, target.kind):
            raise AttributesContradict(thing, key)
        return target, False
    source_is_news, target_is_news = source.stamp in sides.of_source, target.stamp in sides.of_target
    if not (source_is_news or target_is_news):
        raise AttributesContradict(thing, key)
    if not source_is_news:
        return target, False
    if not target_is_news:
        return source, False
    if source.value == target.value:
        return (source if source.stamp > target.stamp else target), False
    if has[0] != has[1]:
        return _decided(source if has[0] else target, sides.stamp), False
    if _is_nothing(source, sides.of_source):
        return _decided(target, sides.stamp), False
    return _decided(source, sides.stamp), not _is_nothing(target, sides.of_target)


def _is_nothing(fact: Fact, news: frozenset[int]) -> bool:
    """P7: the value is again what it was at the newest of its changes that the other side knows. Where branches that
    merged each other decided otherwise, there are several newest ones, and no value is that of all of them.
    """
    known = [value for stamp, value in fact.past if stamp not in news]
    return bool(known) and all(value == fact.value for value in known)


def _decided(winner: Fact, stamp: int) -> Fact:
    return Fact(winner.value, stamp, winner.kind)


def _net_news(facts: Mapping[Key, Fact], news: frozenset[int]) -> dict[Key, Fact]:
    """What a side changed, net. Attributes of a column that is not there say nothing (R7)."""
    return {
        key: fact
        for key, fact in facts.items()
        if fact.stamp in news and not _is_nothing(fact, news) and _has(facts, key)
    }


def _has(facts: Mapping[Key, Fact], key: Key) -> bool:
    return key[0] != "column" or key[2] == "exists" or bool(facts.get(("column", key[1], "exists"), NO_FACT).value)


def _narrows(key: Key, source: Fact, target: Fact, widens: Widens) -> bool:
    """Types change only to what the target's widens to (A6.1)."""
    return key[0] == "column" and key[2] == "type" and not widens(target.value, source.value)


def _is_of_column(key: Key, gone: set[Key]) -> bool:
    return key[0] == "column" and key[2] != "exists" and ("column", key[1], "exists") in gone
