"""Facts of attributes: what an object is called and holds, with the stamp of the commit that decided it (lineage §1).

An attribute is named ``exists``, ``name``, ``home`` (of a table), ``comment``, ``property/<key>``, ``primary_key``,
``partition_by``, ``order`` (see ``column_order``), ``declared/<values as JSON>`` or ``column/<id>/<attribute>``. A fact
without a value is absent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from catalog_app.domain.column_order import ORDER, is_in_order, order_set
from catalog_app.domain.operations import ColumnAttribute, ColumnChange, Operation
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from lakeui.common.records import record


class FactKind(StrEnum):
    SET = "set"
    RESTORE = "restore"


Knows = Callable[[int], bool]
"""Whether a stamp is known to a side, or one of a transaction's own."""


@record(frozen=True, slots=True)
class AttributeFact:
    """``brings_stamp`` and ``brings_kind``: of a restored fact, the fact that it brings back; 0: none. ``joins``: of a
    merge's decision, the stamp of the source's fact. The target's is the one before it on the branch.
    """

    value: Any = None
    stamp: int = 0
    kind: str = ""
    brings_stamp: int = 0
    brings_kind: str = ""
    joins: int = field(default=0, compare=False)

    def as_json(self) -> list[Any]:
        found = [self.value, self.stamp, self.kind, self.brings_stamp, self.brings_kind, self.joins]
        return found if self.joins else found[:5] if self.brings_stamp else found[:3]

    def restored(self, stamp: int) -> AttributeFact:
        """The fact that brings this one back; of one that was restored itself, what that one brought."""
        brings = (self.brings_stamp, self.brings_kind) if self.brings_stamp else (self.stamp, self.kind)
        return AttributeFact(self.value, stamp, FactKind.RESTORE.value, *brings)

    def of_commit(self, stamp: int, is_own: Knows) -> AttributeFact:
        """What a transaction did has the one stamp of its commit (R11)."""
        if not is_own(self.stamp):
            return self
        brings = (0, "") if is_own(self.brings_stamp) else (self.brings_stamp, self.brings_kind)
        return AttributeFact(self.value, stamp, self.kind, *brings, 0 if is_own(self.joins) else self.joins)

    def made_by(self, stamp: int, unmade: int) -> AttributeFact:
        """The fact with the stamp of a commit in place of ``unmade``, which stands for one that was not made yet."""
        if unmade not in (self.stamp, self.brings_stamp, self.joins):
            return self
        stamps = (stamp if known == unmade else known for known in (self.stamp, self.brings_stamp, self.joins))
        own, brings, joins = stamps
        return replace(self, stamp=own, brings_stamp=brings, joins=joins)

    def foreign(self, stamp: int) -> AttributeFact:
        """Of another catalog, whose versions name nothing here."""
        return AttributeFact(self.value, stamp, self.kind)


NO_FACT = AttributeFact()
Facts = Mapping[str, AttributeFact]


def attributes_of(state: ObjectState) -> dict[str, Any]:
    """The attributes that have a value, but for the places of columns."""
    found: dict[str, Any] = {} if state.is_dropped else {"exists": True}
    found["name"] = state.name
    if state.comment:
        found["comment"] = state.comment
    found |= {f"property/{key}": value for key, value in state.properties.items()}
    if isinstance(state, DatabaseState):
        return found
    found["home"] = state.database_id
    found |= {f"declared/{json.dumps(list(values))}": True for values in state.declared_partitions}
    return found | schema_attributes(state.schema)


def schema_attributes(schema: Schema) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, ids in (("primary_key", schema.primary_key), ("partition_by", schema.partition_by)):
        if ids:
            found[name] = list(ids)
    for column in schema.columns:
        found |= column_attributes(column)
    return found


def column_attributes(column: Column) -> dict[str, Any]:
    """``exists`` holds what rows read that are older than the column."""
    given = {
        "name": column.name,
        "type": column.nested or column.type,
        "required": None if column.nullable else True,
        "default": column.default,
        "comment": column.comment,
        "aliases": list(column.aliases) or None,
    }
    found: dict[str, Any] = {f"column/{column.id}/exists": [column.initial_default]}
    return found | {f"column/{column.id}/{name}": value for name, value in given.items() if value is not None}


def is_observed(state: ObjectState, attribute: str) -> bool:
    """Whether the state shows the attribute. It does not show what a column has that is not there (R7), or that merges
    made one with another, nor that a column was put in its place.
    """
    if attribute == ORDER:
        return False
    if not isinstance(state, TableState) or not attribute.startswith("column/"):
        return True
    _, identity, name = attribute.split("/", 2)
    column = state.schema.column(int(identity))
    if column is None:
        return name == "exists"
    return column.id == int(identity) and name != "position"


def attributes_set(
    before: ObjectState | None,
    after: ObjectState,
    operations: Iterable[Operation] = (),
    dropped: Collection[int] = (),
) -> dict[str, Any]:
    """What makes ``after`` of ``before``: the attributes that differ, with their new values. ``operations`` say which
    columns were put in another place, ``dropped`` are the databases that went.
    """
    if before is after:
        return {}
    found = dict(_differences(before, after))
    if is_implied_drop(before, after, dropped):
        del found["exists"]
    if isinstance(after, TableState):
        known = before.schema if isinstance(before, TableState) else Schema()
        if known is not after.schema:
            found |= _places(known, after.schema, columns_moved(operations))
            found |= _aliases_gone(known, after.schema)
            if (order := order_set(known, after.schema)) is not None:
                found[ORDER] = order
    return found


def _differences(before: ObjectState | None, after: ObjectState) -> Iterator[tuple[str, Any]]:
    if isinstance(before, TableState) and isinstance(after, TableState) and _same(before.schema, after.schema):
        before, after = replace(before, schema=Schema()), replace(after, schema=Schema())
    old = attributes_of(before) if before is not None else {}
    new = attributes_of(after)
    for attribute in dict.fromkeys((*old, *new)):
        if old.get(attribute) != new.get(attribute) and is_observed(after, attribute):
            yield attribute, new.get(attribute)


def _same(before: Schema, after: Schema) -> bool:
    """Of one schema nothing is read to say yes."""
    return before is after or before == after


def _places(before: Schema, after: Schema, moved: Collection[int]) -> Iterator[tuple[str, Any]]:
    """The id of the column before each column that came or moved; 0: it is the first."""
    previous = 0
    for column in after.columns:
        if column.id in moved or before.column(column.id) is None:
            yield f"column/{column.id}/position", previous
        previous = column.id


def _aliases_gone(before: Schema, after: Schema) -> Iterator[tuple[str, Any]]:
    """With a column go all the columns that merges made one with it: each has facts under its own id."""
    for column in before.columns:
        for identifier in column.aliases:
            if after.column(identifier) is None:
                yield f"column/{identifier}/exists", None


def columns_moved(operations: Iterable[Operation]) -> set[int]:
    return {
        change.column_id
        for operation in operations
        for change in operation.changes
        if isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.POSITION
    }


def facts_set(attributes: Mapping[str, Any], stamp: int) -> dict[str, AttributeFact]:
    return {name: AttributeFact(value, stamp, FactKind.SET.value) for name, value in attributes.items()}


def facts_restored(
    after: ObjectState, present: Facts, then: Facts, attributes: Mapping[str, Any], stamp: int
) -> dict[str, AttributeFact]:
    """Each fact that differs from the restored state gets its value, and remembers the fact of ``then``.
    ``attributes``: what the restore sets of the state before it, places of columns among it.
    """
    if isinstance(after, TableState) and not is_in_order(after.schema, present.get(ORDER, NO_FACT).value):
        attributes = {**attributes, ORDER: [column.id for column in after.schema.columns]}
    attributes = {
        # A place is what its fact said, not the column that comes before it now: that may be another one.
        name: then[name].value if name.endswith("/position") and name in then else value
        for name, value in attributes.items()
    }
    wanted = {**attributes_of(after), **attributes}
    found: dict[str, AttributeFact] = {}
    for attribute in dict.fromkeys((*present, *wanted)):
        value = wanted.get(attribute)
        is_shown = attribute in attributes or (attribute != "exists" and is_observed(after, attribute))
        if is_shown and value != present.get(attribute, NO_FACT).value:
            brought = then.get(attribute, NO_FACT)
            # A new name, or what then had without a fact: nothing is restored.
            known = brought if brought.value == value else AttributeFact(value)
            found[attribute] = known.restored(stamp)
    return found


@dataclass(frozen=True, slots=True)
class Merged:
    """What is known of a merge: ``after`` is the target's state as it came out, None where it has none. ``is_implied``:
    the drop of the database took the object along, which is no fact of the object (R4).
    """

    after: ObjectState | None
    stamp: int
    source_knows: Knows
    target_knows: Knows
    is_implied: bool = False

    def shows(self, attribute: str) -> bool:
        if attribute == "exists":
            return not self.is_implied
        return self.after is not None and is_observed(self.after, attribute)


def is_implied_drop(before: ObjectState | None, after: ObjectState, dropped: Collection[int]) -> bool:
    """Whether a table went as one of the databases that were ``dropped``: it is what it was, below that (R4)."""
    if not isinstance(after, TableState) or after.database_id not in dropped or not after.is_dropped:
        return False
    return before is not None and not before.is_dropped


def facts_merged(source: Facts, target: Facts, merged: Merged) -> dict[str, AttributeFact]:
    """The facts of the result that are not the target's (§3). Where the result is not what the fact says that comes or
    stays, the merge decided.
    """
    values = attributes_of(merged.after) if merged.after is not None else {}
    found: dict[str, AttributeFact] = {}
    for attribute in dict.fromkeys((*target, *source, *values)):
        source_fact, target_fact = source.get(attribute, NO_FACT), target.get(attribute, NO_FACT)
        is_shown, value = merged.shows(attribute), values.get(attribute)
        fact = _newer(source_fact, target_fact, merged)
        joins = source_fact.stamp if source_fact.stamp not in (target_fact.stamp, merged.stamp) else 0
        if fact is None:
            fact = AttributeFact(
                value if is_shown else source_fact.value, merged.stamp, FactKind.SET.value, joins=joins
            )
        elif is_shown and fact.value != value:
            fact = AttributeFact(value, merged.stamp, FactKind.SET.value, joins=joins)
        if fact is not target_fact:
            found[attribute] = fact
    return found | dict(_columns_decided(merged, values, target, found)) | _order_decided(merged, target, found)


def _order_decided(merged: Merged, target: Facts, found: Facts) -> dict[str, AttributeFact]:
    """Where the columns do not stand as the fact says that comes or stays, the merge decided."""
    if not isinstance(merged.after, TableState):
        return {}
    said = found.get(ORDER) or target.get(ORDER) or NO_FACT
    if is_in_order(merged.after.schema, said.value):
        return {}
    ids = [column.id for column in merged.after.schema.columns]
    return {ORDER: AttributeFact(ids, merged.stamp, FactKind.SET.value, joins=said.joins)}


_BY_ID = ("position", "aliases")
"""Attributes whose values name columns by id."""


def _columns_decided(
    merged: Merged, values: Mapping[str, Any], target: Facts, found: Facts
) -> Iterator[tuple[str, AttributeFact]]:
    """Of a column with aliases the newest fact of any id speaks. Where that is not what the column shows, the merge
    decided, and the id that leads says so.
    """
    schema = merged.after.schema if isinstance(merged.after, TableState) else None
    for column in schema.columns if schema is not None else ():
        if not column.aliases:
            continue
        own = f"column/{column.id}/"
        for of in (name.removeprefix(own) for name in values if name.startswith(own)):
            if of in _BY_ID:
                continue
            names = [f"column/{i}/{of}" for i in column.ids]
            facts = [found.get(name) or target.get(name) or NO_FACT for name in names]
            newest = max(facts, key=lambda fact: fact.stamp)
            if newest is not facts[0] and newest.value != values[names[0]]:
                decided = AttributeFact(values[names[0]], merged.stamp, FactKind.SET.value, joins=newest.stamp)
                yield names[0], decided


def _newer(source: AttributeFact, target: AttributeFact, merged: Merged) -> AttributeFact | None:
    """Steps 1 to 4 of §3. None: the pair is concurrent and differs."""
    if source.stamp == target.stamp or merged.target_knows(source.stamp):
        return target
    if merged.source_knows(target.stamp):
        return source
    if source.value == target.value:
        return source if source.stamp > target.stamp else target
    return None
