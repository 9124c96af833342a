"""Names that two columns of the result would have (R6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import NO_FACT, Fact, Facts, Key, ObjectId
from merge_app.lineage.outcomes import Finding


def names_judge(facts: Facts, alive: Iterable[ObjectId]) -> Iterator[Finding]:
    """One finding for each table with columns of one name."""
    for thing in alive:
        if columns := _columns_of_one_name(facts[thing]):
            yield Finding(VerdictCode.COLUMN_NAME_TAKEN, thing, "R6", columns)


def _columns_of_one_name(facts: Mapping[Key, Fact]) -> tuple[Key, ...]:
    alive = [key[1] for key, fact in facts.items() if key[0] == "column" and key[2] == "exists" and fact.value]
    if len(alive) < 2:
        return ()
    by_name: dict[Hashable, list[Key]] = defaultdict(list)
    for column in alive:
        name: Key = ("column", column, "name")
        by_name[_folded(facts.get(name, NO_FACT).value)].append(name)
    return tuple(name for names in by_name.values() if len(names) > 1 for name in names)


def _folded(name: Hashable) -> Hashable:
    return name.casefold() if isinstance(name, str) else name
