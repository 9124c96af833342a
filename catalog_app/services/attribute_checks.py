"""What facts of attributes must be on all branches of a catalog together (lineage §3 step 5, R1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from catalog_app.domain.attribute_facts import (
    NO_FACT,
    AttributeFact,
    Facts,
    attributes_of,
    is_observed,
)
from catalog_app.domain.column_order import ORDER, is_in_order
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.models import Branch
from catalog_app.selectors.attribute_facts import ObjectKey, attribute_histories, facts_from_json, newest
from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services.attribute_lines import Line, Lines, Recorded, rows_of

Group = tuple[list[Line], dict[str, AttributeFact]]
"""Branches that show the same facts of an object."""


_FACTS = """
SELECT f.branch_id, f.version, f.object_kind, f.object_id, f.facts
FROM catalog_app_attributefacts f JOIN catalog_app_branch b ON b.id = f.branch_id
WHERE b.catalog_id = %(catalog)s ORDER BY f.version
"""


def facts_check(catalog_id: int) -> list[str]:
    """Every pair of valid branches whose facts contradict each other."""
    lines = Lines.load(catalog_id)
    valid = [line for line in lines.lines.values() if line.is_valid]
    breaches: list[str] = []
    floors = _floors(catalog_id)
    for key, recorded in _recorded(catalog_id).items():
        groups = _groups(recorded, valid, lines)
        for one, other in combinations(groups, 2):
            breaches += _breaches(key, one, other, lines, floors.get(key, 0))
    return breaches


def _recorded(catalog_id: int) -> dict[ObjectKey, Recorded[Facts]]:
    found: dict[ObjectKey, Recorded[Facts]] = {}
    for branch_id, version, kind, identity, facts in rows_of(_FACTS, catalog_id):
        recorded = found.setdefault((ObjectKind(kind), identity), Recorded())
        recorded.add(branch_id, version, facts_from_json(json_value(facts)))
    return found


def _groups(recorded: Recorded[Facts], valid: Sequence[Line], lines: Lines) -> list[Group]:
    together: dict[tuple[int, ...], Group] = {}
    for line in valid:
        found = list(recorded.all_of(lines.chain(line.branch_id, line.head)))
        versions = tuple(version for version, _ in found)
        if versions not in together:
            facts: dict[str, AttributeFact] = {}
            for _, of_commit in reversed(found):
                facts |= of_commit
            together[versions] = ([], facts)
        together[versions][0].append(line)
    return list(together.values())


_FOREIGN = """
SELECT {kind}, o.id, j.version FROM catalog_app_{model} o
JOIN catalog_app_catalogjoin j ON j.catalog_id = o.catalog_id AND j.other_id = %(catalog)s
"""
_FLOORS = " UNION ALL ".join(
    _FOREIGN.format(kind=f"'{kind.value}'", model=kind.value) for kind in (ObjectKind.TABLE, ObjectKind.DATABASE)
)


def _floors(catalog_id: int) -> dict[ObjectKey, int]:
    """By object of another catalog, the version up to which its stamps are versions of that one."""
    return {(ObjectKind(kind), i): version for kind, i, version in fetch_all(_FLOORS, {"catalog": catalog_id})}


def _breaches(key: ObjectKey, one: Group, other: Group, lines: Lines, floor: int) -> Iterator[str]:
    thing = f"{key[0]} {key[1]}"
    for attribute in dict.fromkeys((*one[1], *other[1])):
        fact, other_fact = one[1].get(attribute, NO_FACT), other[1].get(attribute, NO_FACT)
        if fact == other_fact:
            continue
        where = f"{attribute} of {thing} on branches {one[0][0].name} and {other[0][0].name}"
        if fact.stamp == other_fact.stamp:
            yield f"one stamp names two facts: {where} (stamp {fact.stamp})"
            continue
        if 0 < fact.stamp <= floor or 0 < other_fact.stamp <= floor:
            # A version of another catalog: no branch of this one made it.
            continue
        for branch in one[0]:
            for other_branch in other[0]:
                knows_other = lines.knows(branch.branch_id, branch.head, other_branch.catalog_id, other_fact.stamp)
                if knows_other and lines.knows(
                    other_branch.branch_id, other_branch.head, branch.catalog_id, fact.stamp
                ):
                    where = f"{attribute} of {thing} on branches {branch.name} and {other_branch.name}"
                    yield f"each branch knows the other's fact: {where} (stamps {fact.stamp} and {other_fact.stamp})"


def states_check(branch: Branch) -> list[str]:
    """The objects of a branch that are not what their facts say."""
    snapshot = branch_snapshot(branch)
    databases = {state.database_id: state for state in databases_list(snapshot)}
    states: list[ObjectState] = [*databases.values(), *tables_list(snapshot, list(databases))]
    return [f"on branch {branch.name}: {wrong}" for wrong in _states_check(states, snapshot)]


def _states_check(states: Sequence[ObjectState], snapshot: Snapshot) -> Iterator[str]:
    keys = [_key(state) for state in states]
    histories = attribute_histories(snapshot, keys)
    for key, state in zip(keys, states, strict=True):
        facts, values = newest(histories.get(key, [])), attributes_of(state)
        wrong = sorted(
            attribute
            for attribute in {*facts, *values}
            if is_observed(state, attribute) and facts.get(attribute, NO_FACT).value != values.get(attribute)
        )
        said = facts.get(ORDER)
        if said is not None and isinstance(state, TableState) and not is_in_order(state.schema, said.value):
            wrong.append(ORDER)
        if wrong:
            yield f"{key[0]} {state.name} is not what its facts say: {', '.join(wrong)}"


def _key(state: ObjectState) -> ObjectKey:
    if isinstance(state, DatabaseState):
        return ObjectKind.DATABASE, state.database_id
    return ObjectKind.TABLE, state.table_id
