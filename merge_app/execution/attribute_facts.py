"""The facts of attributes that a commit writes: a statement's own, a restore's, and what a merge brings."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.attribute_facts import (
    AttributeFact,
    Facts,
    Knows,
    Merged,
    attributes_set,
    facts_merged,
    facts_restored,
    facts_set,
    is_implied_drop,
)
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import ObjectState, TableState
from catalog_app.selectors.attribute_facts import (
    History,
    attribute_histories,
    attribute_news,
    newest,
)
from catalog_app.selectors.attribute_pasts import makers_load
from catalog_app.selectors.homes import Homes, homes_load
from catalog_app.selectors.objects import databases_load, tables_dropped_with, tables_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.version_vectors import Ranges, VersionVector, own_ranges
from merge_app.lineage.segments import DOT
from merge_app.planning.merge_plan import Action, MergePlan, ObjectPlan
from merge_app.planning.net_changes import ObjectKey

Written = Mapping[ObjectKey, Facts]

_WRITE = """
INSERT INTO catalog_app_attributefacts (branch_id, version, object_kind, object_id, facts)
SELECT %(branch)s, %(version)s, object_kind, object_id, facts
FROM jsonb_to_recordset(%(rows)s::jsonb) AS w(object_kind text, object_id bigint, facts jsonb)
"""


@dataclass(frozen=True, slots=True)
class Restores:
    """A statement brings objects back: to ``version``, None: to before they were dropped."""

    version: int | None


def attributes_record(written: Written, *, branch_id: int, version: int) -> None:
    rows = [
        {
            "object_kind": kind.value,
            "object_id": object_id,
            "facts": {attribute: fact.as_json() for attribute, fact in facts.items()},
        }
        for (kind, object_id), facts in written.items()
        if facts
    ]
    if rows:
        fetch_all(f"{_WRITE} RETURNING id", {"branch": branch_id, "version": version, "rows": json.dumps(rows)})


def statement_facts(plan: MergePlan, version: int) -> Written:
    """What a statement sets, without a look at what there is."""
    return {key: facts_set(found, version) for key, (_, found) in _set(plan).items()}


def _set(plan: MergePlan) -> dict[ObjectKey, tuple[ObjectPlan, dict[str, Any]]]:
    """The objects of which a plan sets attributes."""
    dropped = _dropped_databases(plan)
    return {
        (item.kind, item.object_id): (item, found)
        for item in plan.objects
        if (found := attributes_set(item.before, item.after, item.operations, dropped))
    }


def _dropped_databases(plan: MergePlan) -> set[int]:
    return {item.object_id for item in plan.objects if item.kind is ObjectKind.DATABASE and item.after.is_dropped}


def restored_facts(plan: MergePlan, snapshot: Snapshot, version: int, restores: Restores) -> Written:
    changed = {key: (item.after, found) for key, (item, found) in _set(plan).items()}
    changed |= {(ObjectKind.TABLE, state.table_id): (state, {"exists": None}) for state in _left_behind(plan, snapshot)}
    histories = attribute_histories(snapshot, changed)
    return {
        key: _restored(state, histories.get(key, []), found, version, restores)
        for key, (state, found) in changed.items()
    }


def _left_behind(plan: MergePlan, snapshot: Snapshot) -> Iterator[TableState]:
    """Tables that went with a database and do not come back with it. Their own facts say that they exist (R4)."""
    present = {item.object_id for item in plan.objects if item.kind is ObjectKind.TABLE and not item.after.is_dropped}
    for item in plan.objects:
        if item.kind is ObjectKind.DATABASE and item.before is not None and item.before.is_dropped:
            states = () if item.after.is_dropped else tables_dropped_with(snapshot, item.object_id)
            yield from (state for state in states if state.table_id not in present)


def _restored(
    after: ObjectState, history: History, attributes: Mapping[str, Any], version: int, restores: Restores
) -> dict[str, AttributeFact]:
    present = newest(history)
    then = _before_the_drop(history) if restores.version is None else newest(history, restores.version)
    return facts_restored(after, present, then, attributes, version)


def _before_the_drop(history: History) -> dict[str, AttributeFact]:
    """By attribute its newest fact that has a value."""
    found: dict[str, AttributeFact] = {}
    for _, facts in history:
        found |= {attribute: fact for attribute, fact in facts.items() if fact.value is not None}
    return found


def merged_facts(plan: MergePlan, snapshot: Snapshot, source: SourceSide) -> Written:
    """What the merge leaves on the target of the facts of both sides, where its plan says what became of each object.

    ``snapshot`` is the target's before the merge. The merge has no version yet (``DOT``), and the commits of a
    transaction's workspace are one with it (R11). All of it is four queries, whatever it merges.
    """
    assert source.snapshot is not None
    version_vector = source.target_vector
    has_news = source.target is None or bool(source.target.source_news)
    ranges = own_ranges(source.snapshot, version_vector) if has_news else Ranges()
    source_facts: Mapping[ObjectKey, Facts] = attribute_news(source.snapshot, ranges)
    items = {(item.kind, item.object_id): item for item in plan.objects}
    wanted = dict.fromkeys((*source_facts, *_set(plan)))
    if not wanted:
        return {}
    target_facts = {key: newest(history) for key, history in attribute_histories(snapshot, list(wanted)).items()}
    homes = homes_load(source.snapshot, snapshot, (source.version_vector, version_vector))
    makers = {
        key: of_home for of_home in _Makers.of(homes, wanted, source_facts, target_facts) for key in of_home.objects
    }
    after = {**states_of(snapshot, [key for key in wanted if key not in items]), **_outcomes(items)}
    dropped = _dropped_databases(plan)
    found = {}
    for key in wanted:
        present, item = target_facts.get(key, {}), items.get(key)
        merged = Merged(
            after.get(key),
            DOT,
            source_knows=makers[key].knows(source.version_vector),
            target_knows=makers[key].knows(version_vector, own=DOT),
            is_implied=item is not None and is_implied_drop(item.before, item.after, dropped),
        )
        of_source = makers[key].of_commit(source_facts.get(key, {}), DOT, source.own_branch)
        found[key] = facts_merged(of_source, present, merged)
    return found


def states_of(snapshot: Snapshot, objects: Collection[ObjectKey]) -> dict[ObjectKey, ObjectState]:
    """The objects as a chain has them."""
    databases, tables = (
        [identity for kind, identity in objects if kind is wanted] for wanted in (ObjectKind.DATABASE, ObjectKind.TABLE)
    )
    found: dict[ObjectKey, ObjectState] = {}
    found |= {(ObjectKind.DATABASE, i): state for i, state in databases_load(snapshot, databases).items()}
    found |= {(ObjectKind.TABLE, i): state for i, state in tables_load(snapshot, tables).items()}
    return found


def _outcomes(items: Mapping[ObjectKey, ObjectPlan]) -> dict[ObjectKey, ObjectState]:
    """The states after the merge, but for objects that the target neither had nor gets."""
    return {key: item.after for key, item in items.items() if item.before is not None or item.action is Action.CREATE}


@dataclass(frozen=True, slots=True)
class _Makers:
    """By stamp of objects of one home, the branch that the stamp was made on."""

    objects: Collection[ObjectKey]
    branches: Mapping[int, int]

    @classmethod
    def of(cls, homes: Homes, objects: Collection[ObjectKey], *sides: Mapping[ObjectKey, Facts]) -> Iterator[_Makers]:
        for catalog_id, keys in homes.by_home(objects).items():
            stamps = {stamp for side in sides for stamp in _stamps({key: side[key] for key in keys if key in side})}
            makers = makers_load(homes.home(catalog_id), stamps)
            yield cls(keys, {stamp: branch_id for stamp, (branch_id, _) in makers.items()})

    def knows(self, version_vector: VersionVector, own: int | None = None) -> Knows:
        """Whether what reaches so far knows a stamp. ``own``: that of the merge, which is news."""

        def ask(stamp: int) -> bool:
            if stamp == own:
                return False
            return not stamp or version_vector.get(self.branches.get(stamp, 0), 0) >= stamp

        return ask

    def of_commit(self, facts: Facts, version: int, workspace: int | None) -> Facts:
        """What a transaction did has the stamp of its commit."""
        if workspace is None:
            return facts
        return {
            name: fact.of_commit(version, lambda stamp: self.branches.get(stamp) == workspace)
            for name, fact in facts.items()
        }


def _stamps(sides: Mapping[ObjectKey, Facts]) -> Iterator[int]:
    for facts in sides.values():
        for fact in facts.values():
            yield fact.stamp
            if fact.brings_stamp:
                yield fact.brings_stamp


def facts_made(written: Written, version: int) -> Written:
    """The facts of a commit that was not made when they were (``DOT``)."""
    return {
        key: {attribute: fact.made_by(version, DOT) for attribute, fact in facts.items()}
        for key, facts in written.items()
    }


def is_decided(written: Written) -> bool:
    """Whether one of the facts is of the commit that is not made yet."""
    return any(fact.stamp == DOT for facts in written.values() for fact in facts.values())
