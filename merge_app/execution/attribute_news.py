"""Facts of attributes of both sides of a merge, of objects with news: their newest, and what P7 asks of the past."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.attribute_facts import AttributeFact, FactKind
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.selectors.attribute_facts import ObjectKey, attributes_to_compare, objects_changed
from catalog_app.selectors.attribute_pasts import Makers, Pasts, makers_load, pasts_load
from catalog_app.selectors.homes import Home
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.lineage.vectors import CommitsKnown
from merge_app.execution.version_vectors import Ranges, VersionVector, bounded, own_ranges
from merge_app.lineage.facts import Fact, Key, Kind
from merge_app.planning.attribute_sides import AttributeSides, key_of, stamp_apart

Stored = Mapping[ObjectKey, Mapping[str, AttributeFact]]
_Made = Mapping[Any, Mapping[Key, Fact]]
_EMPTY: Mapping[Any, Any] = {}


def objects_with_news(*sides: tuple[Snapshot, VersionVector]) -> list[set[ObjectKey]]:
    """By chain the objects of which facts came to it where the other side, given with it, does not reach."""
    return objects_changed(*(own_ranges(*side) for side in sides))


def attribute_sides_load(
    side: SourceSide, objects: Collection[ObjectKey], tables: Mapping[int, TableState], *, are_whole: bool = False
) -> AttributeSides:
    """The facts that both sides have of these objects, and of the databases around them. ``tables``: the target's;
    ``are_whole``: with all facts of columns.
    """
    homes = side.homes
    around = {
        (ObjectKind.DATABASE, states[i].database_id)
        for kind, i in objects
        if kind is ObjectKind.TABLE
        for states in (tables, side.tables)
        if i in states
    }
    asked = sorted({*objects, *around})
    source_facts, target_facts = attributes_to_compare(asked, side.front, side.destination, are_whole=are_whole)
    found = AttributeSides({}, {}, frozenset(), frozenset(), {}, side.own_branch)
    for place, (catalog_id, keys) in enumerate((homes.by_home(asked) or {homes.main: []}).items(), start=1):
        of_home = [{key: facts[key] for key in keys if key in facts} for facts in (source_facts, target_facts)]
        floors = homes.floors(catalog_id)
        known = bounded(side.version_vector, floors), bounded(side.target_vector, floors)
        number = 0 if catalog_id == homes.main else place
        found = found.beside(_of_home(homes.home(catalog_id), number, of_home[0], of_home[1], known))
    return found


def _of_home(
    home: Home, number: int, source_facts: Stored, target_facts: Stored, vectors: tuple[VersionVector, VersionVector]
) -> AttributeSides:
    """Of objects of one home, so that a stamp names one commit. ``number``: of the home."""
    differing = [set(_differing(source_facts, target_facts)), set(_differing(target_facts, source_facts))]
    stamps = {fact.stamp for side in (source_facts, target_facts) for of in side.values() for fact in of.values()}
    makers = makers_load(home, stamps)
    news = [_news(makers, vector, number) for vector in reversed(vectors)]
    ranges = Ranges.of_news(*vectors) + Ranges.of_news(*reversed(vectors))
    pasts = pasts_load(home, ranges.of, differing[0] | differing[1], makers)
    known = CommitsKnown({stamp: branch_id for stamp, (branch_id, _) in pasts.makers.items()})
    read = _Reading(pasts, stamps, known, number)
    source = read.side(source_facts, vectors[1])
    target = read.side(target_facts, vectors[0], source_facts, source)
    made = {stamp_apart(stamp, number): maker for stamp, maker in pasts.makers.items()}
    return AttributeSides(source, target, news[0], news[1], made)


def _differing(side: Stored, other: Stored) -> Iterator[tuple[ObjectKey, str]]:
    for thing, of in side.items():
        known = other.get(thing, {})
        yield from ((thing, name) for name, fact in of.items() if name not in known or known[name].stamp != fact.stamp)


def _news(makers: Makers, other: VersionVector, home: int) -> frozenset[int]:
    unknown = (stamp for stamp, (branch_id, _) in makers.items() if other.get(branch_id, 0) < stamp)
    return frozenset(stamp_apart(stamp, home) for stamp in unknown)


@dataclass(slots=True)
class _Reading:
    """Stored facts as those of a merge. ``stamps``: all of theirs; ``home``: the number of their home. Equal facts of
    many objects are made once.
    """

    pasts: Pasts
    stamps: Collection[int]
    commits: CommitsKnown
    home: int = 0
    keys: dict[str, Key] = field(default_factory=dict)
    made: dict[Any, Fact] = field(default_factory=dict)

    def side(self, stored: Stored, other: VersionVector, known: Stored = _EMPTY, made: _Made = _EMPTY) -> _Made:
        """A fact that the ``other`` side does not know has as its past the newest ones before it that it knows.
        ``known``: what is ``made`` already, of which facts without a past are shared.
        """
        makers = self.pasts.makers

        def knows(stamp: int) -> bool:
            return other.get(makers.get(stamp, (0, ""))[0], 0) >= stamp

        unknown = frozenset(stamp for stamp in self.stamps if not knows(stamp))
        found: dict[Any, dict[Key, Fact]] = {}
        keys = self.keys
        for thing, of in stored.items():
            facts: dict[Key, Fact] = {}
            known_of, made_of = known.get(thing, _EMPTY), made.get(thing, _EMPTY)
            for name, fact in of.items():
                key = keys.get(name) or self._key(name)
                if fact.stamp in unknown:
                    facts[key] = self._fact(name, fact, self._newest(self.pasts.known((thing, name), fact, knows)))
                elif _is_same(known_of.get(name), fact) and not made_of[key].past:
                    facts[key] = made_of[key]
                else:
                    facts[key] = self._fact(name, fact)
            found[thing] = facts
        return found

    def _key(self, name: str) -> Key:
        found = self.keys[name] = key_of(name)
        return found

    def _newest(self, known: Sequence[AttributeFact]) -> Sequence[AttributeFact]:
        """Those that no other one knew; one where all have one value. Branches that merged each other may have made
        several, each after a fact that the others lacked.
        """
        found = [fact for fact in known if fact.stamp in self.commits.made]
        if len(found) < 2 or all(fact.value == found[0].value for fact in found):
            return known[-1:]
        newest = self.commits.maxima(tuple(fact.stamp for fact in found))
        return [fact for fact in found if fact.stamp in newest]

    def _fact(self, name: str, fact: AttributeFact, was: Sequence[AttributeFact] = ()) -> Fact:
        value = fact_value(name, fact.value)
        past = tuple((stamp_apart(each.stamp, self.home), fact_value(name, each.value)) for each in was) if was else ()
        is_plain = value.__class__ in _PLAIN and not (past and any(of.__class__ not in _PLAIN for _, of in past))
        same = (name, value, fact.stamp, fact.kind, past) if is_plain else None
        found = self.made.get(same) if is_plain else None
        if found is None:
            kind = Kind.RESTORE if fact.kind == FactKind.RESTORE else Kind.SET
            found = Fact(value, stamp_apart(fact.stamp, self.home), kind, past=past)
            if is_plain:
                self.made[same] = found
        return found


def _is_same(known: AttributeFact | None, fact: AttributeFact) -> bool:
    """Whether both chains show one fact, without a comparison of all its fields."""
    return known is not None and known.stamp == fact.stamp and known.value == fact.value and known.kind == fact.kind


_PLAIN = frozenset({str, bool, type(None)})
"""Classes of values that are equal only where they are the same. A column's default may be 1 or true."""


def fact_value(name: str, value: Any) -> Any:
    """A home is a key of an object; lists have a hash."""
    if name == "home":
        return None if value is None else (ObjectKind.DATABASE, value)
    return tuple(value) if isinstance(value, list) else value


def attribute_news_load(
    side: SourceSide, databases: Mapping[int, DatabaseState], tables: Mapping[int, TableState]
) -> AttributeSides | None:
    """The facts of all objects of which a branch has news, and of these if the target has. None of a statement, which
    lies on no branch.
    """
    known = side.target
    if known is None:
        return None
    named = {*((ObjectKind.DATABASE, i) for i in databases), *((ObjectKind.TABLE, i) for i in tables)}
    found = {*known.source_news, *(known.news & named)}
    revived = databases_revived(side, databases)
    found |= {(ObjectKind.TABLE, i) for i, state in tables.items() if state.database_id in revived}
    return attribute_sides_load(side, found, tables)


def databases_revived(side: SourceSide, databases: Mapping[int, DatabaseState]) -> set[int]:
    """The databases that the target lacks and a branch has: with one of them come the tables that exist in it (R4)."""
    if side.snapshot is None:
        return set()
    return {
        i
        for i, state in databases.items()
        if state.is_dropped and i in side.databases and not side.databases[i].is_dropped
    }
