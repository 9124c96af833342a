"""One column from two: which column of the source is which one of the target, and facts under the target's ids.

A column that merges made of several has one id that leads and aliases, and branches may differ in which one leads.
Facts of either id are facts of the column: of one attribute the newest speaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from lakeui.common.records import record
from merge_app.lineage.facts import NO_FACT, Fact, Key, column_of

OfObject = Mapping[Key, Fact]
_ID_LISTS = ("primary_key", "partition_by")


@record(frozen=True, slots=True, eq=False)
class Paired:
    """Facts of one table on both sides, a column under one id: the target's where it has the column. Facts of aliases
    are left out. ``leads``: by any id the one of the result. ``own``: by id of the result the one
    that leads on the source; ``joined``: those that are the same addition. ``aliases``: by id of the result the others.
    ``parted``: columns that one side has as several and the other as one, by the ids that lead on the former.
    """

    source: OfObject
    target: OfObject
    leads: Mapping[int, int]
    own: Mapping[int, int]
    joined: AbstractSet[int]
    aliases: Mapping[int, tuple[int, ...]]
    parted: tuple[tuple[int, ...], ...] = ()


def columns_pair(
    source: OfObject,
    target: OfObject,
    of_source: AbstractSet[int],
    of_target: AbstractSet[int],
    shown: tuple[AbstractSet[int], AbstractSet[int]] = (frozenset(), frozenset()),
) -> Paired:
    """``of_source``, ``of_target``: the stamps that are news to the other side. The same addition on both sides, that
    is under one name, is one column (semantics §3). ``shown``: the ids of the columns that each side shows.
    """
    if not any(key[0] == "column" or key[0] in _ID_LISTS for facts in (source, target) for key in facts):
        return Paired(source, target, {}, {}, frozenset(), {})
    source_aliases, target_aliases = _aliases(source, shown[0]), _aliases(target, shown[1])
    led = {alias: lead for lead, others in target_aliases.items() for alias in others}
    leads = dict(led)
    joined: set[int] = set()
    added: set[int] = set()
    taken: dict[int, int] = {}
    for lead in sorted(_leading(source, source_aliases), key=lambda column: not _exists(source, column)):
        ids = (lead, *source_aliases.get(lead, ()))
        known = [found for i in ids if _is_known(target, found := led.get(i, i))]
        result = next((i for i in known if _exists(target, i)), known[0] if known else None)
        if result is None:
            result = _same_addition(source, target, lead, of_source, of_target, target_aliases) or lead
            if result != lead:
                joined.add(result)
                added.add(lead)
        leads |= dict.fromkeys(ids, result)
        taken.setdefault(result, lead)
    return Paired(
        _viewed(source, leads),
        _viewed(target, leads),
        leads,
        taken,
        joined,
        _joined_aliases(taken, source_aliases, target_aliases),
        (*_parted(source, source_aliases, leads, of_source, added), *_parted(target, target_aliases, leads, of_target)),
    )


def _joined_aliases(
    taken: Mapping[int, int],
    source_aliases: Mapping[int, tuple[int, ...]],
    target_aliases: Mapping[int, tuple[int, ...]],
) -> dict[int, tuple[int, ...]]:
    """By id of the result the other ids of both sides. ``taken``: by id of the result the one that leads on the
    source.
    """
    others: dict[int, dict[int, None]] = {lead: dict.fromkeys(ids) for lead, ids in target_aliases.items()}
    for result, lead in taken.items():
        others.setdefault(result, {}).update(dict.fromkeys((lead, *source_aliases.get(lead, ()))))
    aliases = {lead: tuple(i for i in ids if i != lead) for lead, ids in others.items()}
    return {lead: ids for lead, ids in aliases.items() if ids}


def _parted(
    facts: OfObject,
    aliases: Mapping[int, tuple[int, ...]],
    leads: Mapping[int, int],
    news: AbstractSet[int],
    added: AbstractSet[int] = frozenset(),
) -> Iterator[tuple[int, ...]]:
    """Several columns of one side, at least one of them shown, that are one in the result. Who made them one did not
    know what this side did to them: it is among ``news``, the stamps that the other side does not know. ``added``:
    those that this merge joins as the same addition. Such a one may take the place of a column that was dropped before.
    """
    fresh = {key[1] for key, fact in facts.items() if key[0] == "column" and fact.stamp in news}
    columns: dict[int, list[int]] = {}
    for lead in _leading(facts, aliases):
        columns.setdefault(leads.get(lead, lead), []).append(lead)
    for several in columns.values():
        shown = [column for column in several if _exists(facts, column)]
        is_one = len(several) < 2 or not shown or fresh.isdisjoint(several)
        if not is_one and (len(shown) > 1 or shown[0] not in added):
            yield tuple(several)


def _aliases(facts: OfObject, shown: AbstractSet[int]) -> dict[int, tuple[int, ...]]:
    """By id that leads the others. A branch has the facts of branches on which another id leads: the column that it
    shows leads, else the newest fact speaks.
    """
    stated = {column_of(key): fact for key, fact in facts.items() if _is_aliases(key) and fact.value}
    leader: dict[int, int] = {}
    found: dict[int, dict[int, None]] = {}
    for column in sorted(stated, key=lambda column: (column in shown, stated[column].stamp), reverse=True):
        lead = leader.setdefault(column, column)
        for alias in stated[column].value:
            if leader.setdefault(alias, lead) == lead != alias:
                found.setdefault(lead, {})[alias] = None
    return {lead: tuple(aliases) for lead, aliases in found.items()}


def has_aliases(facts: OfObject) -> bool:
    """Whether an id leads others."""
    return any(_is_aliases(key) and fact.value for key, fact in facts.items())


def _is_aliases(key: Key) -> bool:
    return key[0] == "column" and key[2] == "aliases"


def _leading(facts: OfObject, aliases: Mapping[int, tuple[int, ...]]) -> Iterator[int]:
    hidden = {alias for others in aliases.values() for alias in others}
    for key in facts:
        if key[0] == "column" and key[2] == "exists" and key[1] not in hidden:
            yield column_of(key)


def _fact(facts: OfObject, column: int, of: str) -> Fact:
    return facts.get(("column", column, of), NO_FACT)


def _exists(facts: OfObject, column: int) -> bool:
    return bool(_fact(facts, column, "exists").value)


def _is_known(facts: OfObject, column: int) -> bool:
    return bool(_fact(facts, column, "exists").stamp)


def _same_addition(
    source: OfObject,
    target: OfObject,
    lead: int,
    of_source: AbstractSet[int],
    of_target: AbstractSet[int],
    aliases: Mapping[int, tuple[int, ...]],
) -> int | None:
    name = _folded(source, lead)
    if not _exists(source, lead) or _fact(source, lead, "exists").stamp not in of_source:
        return None
    for column in _leading(target, aliases):
        is_new = _fact(target, column, "exists").stamp in of_target and not _is_known(source, column)
        if is_new and _exists(target, column) and _folded(target, column) == name:
            return column
    return None


def _folded(facts: OfObject, column: int) -> str:
    return str(_fact(facts, column, "name").value).casefold()


def _viewed(facts: OfObject, leads: Mapping[int, int]) -> dict[Key, Fact]:
    found: dict[Key, Fact] = {}
    for key, fact in facts.items():
        if key[0] in _ID_LISTS:
            found[key] = replace(fact, value=_renamed(fact.value, leads))
        elif key[0] != "column":
            found[key] = fact
        elif not _is_aliases(key):
            value = leads.get(fact.value, fact.value) if key[2] == "position" else fact.value
            column = column_of(key)
            result: Key = ("column", leads.get(column, column), key[2])
            if result not in found or fact.stamp > found[result].stamp:
                found[result] = replace(fact, value=value)
    return found


def _renamed(value: Any, leads: Mapping[int, int]) -> Any:
    return None if value is None else tuple(leads.get(column, column) for column in value)
