"""The merge of two states: attributes, rows, scopes, then what no state may be."""

from __future__ import annotations

from tests.reference.attributes import attribute, columns_judge, object_judge
from tests.reference.breaches import breaches
from tests.reference.facts import Refused
from tests.reference.rows import files_judge, partitions_follow, predicates_judge, row, row_id, row_partition
from tests.reference.scopes import scope_carry_out, standing_scopes
from tests.reference.sides import Decisions, Sides
from tests.reference.stamps import Stamp
from tests.reference.state import State

RULES = {"row": row, "partition": row_partition, "id": row_id}


def merge(
    source: State, target: State, stamp: Stamp, conflicts: str = "file", decisions: Decisions | None = None
) -> State:
    """The merged state, without its files; neither side is changed. `Refused` has all verdicts.

    The merge knows its own stamp only if it decided a fact (§2).
    """
    sides = sides_merge(source, target, stamp, conflicts, decisions)
    result = sides.result
    sides.verdicts |= breaches(result)
    result.known = target.known.join(source.known)
    if sides.verdicts:
        raise Refused(*sides.verdicts)
    if any(fact.stamp == stamp for o in result.own for fact in result.facts[o].values()):
        result.known = result.known.at(stamp)
    return result


def sides_merge(
    source: State, target: State, stamp: Stamp, conflicts: str = "file", decisions: Decisions | None = None
) -> Sides:
    """The facts of the result and the verdicts of rules. What no state may be is not yet judged."""
    sides = Sides(source, target, stamp, conflicts, decisions or {})
    objects = list({**target.facts, **source.facts})
    changed = [o for o in objects if source.facts.get(o) is not target.facts.get(o)]
    for o in changed:
        _facts_merge(sides, o, is_of_rows=False)
    for o in objects:
        object_judge(sides, o)
        if not o.startswith("D"):
            _table_merge(sides, o)
    return sides


def _facts_merge(sides: Sides, o: str, *, is_of_rows: bool) -> None:
    for key in {**sides.target.facts.get(o, {}), **sides.source.facts.get(o, {})}:
        if (key[0] in RULES) == is_of_rows:
            fact = sides.newer(o, key, RULES.get(key[0], attribute))
            if fact is not sides.target.fact(o, *key):
                sides.result.put_fact(o, key, fact)


def _table_merge(sides: Sides, t: str) -> None:
    if sides.source.facts.get(t) is not sides.target.facts.get(t):
        _facts_merge(sides, t, is_of_rows=True)
        partitions_follow(sides, t)
    if sides.is_judged(t):
        columns_judge(sides, t)
    standing = standing_scopes(sides.source, sides.target, t)
    if sides.is_judged(t) and not sides.target.is_keyed(t):
        predicates_judge(sides, t, standing)
        if sides.conflicts == "file":
            files_judge(sides, t)
    if sides.result.is_alive(t) and sides.target.is_alive(t):
        for scope in standing:
            scope_carry_out(sides, scope)
    if any(table == t for table, _ in sides.clashes):
        sides.verdicts.add("PRIMARY_KEY_CLASH")
