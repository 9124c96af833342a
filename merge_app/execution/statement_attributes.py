"""The attributes of what a statement changes and others altered since it looked: two sides, as of any merge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.attribute_facts import attributes_set
from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.state import ObjectState, TableState
from catalog_app.selectors.attribute_facts import ObjectKey
from merge_app.execution.attribute_facts import states_of
from merge_app.execution.attribute_news import attribute_sides_load, fact_value
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.planning.attribute_sides import AttributeSides, key_of
from merge_app.planning.net_changes import LIFECYCLE


def statement_attributes_load(
    side: SourceSide, tables: Mapping[int, TableState], since: Sequence[Operation]
) -> AttributeSides | None:
    """The facts of both sides, with what the statement sets as the source's news. None: it changes none that others
    altered. ``tables``: the target's; ``since``: what others did. Objects that a statement makes, drops or undrops are
    as it has them.
    """
    mine: dict[ObjectKey, list[Operation]] = defaultdict(list)
    for item in side.operations if side.altered else ():
        mine[item.object_kind, item.object_id].append(item)
    met = [key for key, items in mine.items() if _is_met(side, key, items)]
    if side.seen is None or not met:
        return None
    known = states_of(side.seen, met)
    sides = attribute_sides_load(side, met, tables, are_whole=True)
    for key, state in known.items():
        found = attributes_set(state, _staged(side, key), mine[key])
        values = {key_of(name): fact_value(name, value) for name, value in found.items()}
        sides = sides.with_news(key, values, sides.source.get(key, {}))
    others = {*mine, *((item.object_kind, item.object_id) for item in since)} - known.keys()
    return replace(sides, as_operations=frozenset(others))


def _is_met(side: SourceSide, key: ObjectKey, operations: Sequence[Operation]) -> bool:
    kind, identity = key
    return (kind.value, identity) in side.altered and not any(item.kind in LIFECYCLE for item in operations)


def _staged(side: SourceSide, key: ObjectKey) -> ObjectState:
    """The object as the statement leaves it."""
    kind, identity = key
    return side.databases[identity] if kind is ObjectKind.DATABASE else side.tables[identity]
