"""Attributes merged by facts: what each side did to an object, net, and the states that the merge leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from catalog_app.domain.column_order import ORDER, in_order
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.domain.types import field_ids, parse_identified, widens
from catalog_app.rules.codes import VerdictCode
from lakeui.common.records import record
from merge_app.lineage.columns import OfObject, Paired, columns_pair, has_aliases
from merge_app.lineage.facts import NO_FACT, Aliveness, Fact, Key, Kind, News, ObjectId, column_of
from merge_app.lineage.objects import objects_merge
from merge_app.lineage.outcomes import Finding
from merge_app.planning.attribute_sides import AttributeSides, known_fact
from merge_app.planning.fact_changes import NetFacts
from merge_app.planning.merge_plan import PlanInput
from merge_app.planning.nested_columns import fields_apply, fields_join
from merge_app.planning.net_changes import ObjectKey

_STAMP = 0x7FFF_FFFF_FFFF_FFFF
"""That of the merge, which has no version yet."""

_ORDER: Key = (ORDER,)


@dataclass(frozen=True, slots=True, eq=False)
class MergedAttributes:
    """``states``: of objects that both sides have. ``findings``: of the core, by object. ``alive``: of each object
    with news, whether it exists together with its database. ``existing``: those that exist in the result by their own
    fact (R4), or because a person chose the source's state.
    """

    states: Mapping[ObjectKey, ObjectState]
    source: Mapping[ObjectKey, NetFacts]
    target: Mapping[ObjectKey, NetFacts]
    findings: Mapping[ObjectId, tuple[Finding, ...]] = field(default_factory=dict)
    alive: Mapping[ObjectId, Aliveness] = field(default_factory=dict)
    existing: frozenset[ObjectId] = frozenset()

    def outlives(self, thing: ObjectKey) -> bool:
        """Whether the source lacks the object, and both the target and the result have it."""
        alive = self.alive.get(thing)
        return alive is not None and alive.result and alive.target and not alive.source

    def revives(self, thing: ObjectKey) -> bool:
        """Whether the target lacks the object, and the result has it."""
        alive = self.alive.get(thing)
        return alive is not None and alive.result and not alive.target


def attributes_merge(given: PlanInput, sides: AttributeSides) -> MergedAttributes:
    """The facts of both sides merged (lineage §3), as far as objects have news."""
    things: list[Any] = list(dict.fromkeys((*sides.target, *sides.source)))
    paired: dict[ObjectKey, Paired] = {thing: _paired(thing, sides, given) for thing in things}
    outcome = objects_merge(
        {thing: pair.source for thing, pair in paired.items()},
        {thing: pair.target for thing, pair in paired.items()},
        News(*(np.array(sorted(each), dtype=np.int64) for each in (sides.of_source, sides.of_target))),
        stamp=_STAMP,
        widens=_widens,
    )
    states: dict[ObjectKey, ObjectState] = {}
    net: tuple[dict[ObjectKey, NetFacts], dict[ObjectKey, NetFacts]] = ({}, {})
    for thing, pair in paired.items():
        before, state = given.states_of(thing)
        if before is not None and thing not in sides.as_operations:
            states[thing] = _merged(before, state, outcome.facts[thing], pair, _orders(thing, sides))
        source, target = outcome.source_news[thing], outcome.target_news[thing]
        net[0][thing] = NetFacts(thing, pair.source, source, state, sides.makers, sides.own, pair.own)
        net[1][thing] = NetFacts(thing, pair.target, target, before, sides.makers)
    findings: dict[ObjectId, list[Finding]] = {}
    for finding in (*outcome.findings, *_parted(paired, outcome.alive)):
        findings.setdefault(finding.object, []).append(finding)
    return MergedAttributes(
        states,
        *net,
        {thing: tuple(found) for thing, found in findings.items()},
        outcome.alive,
        sides.as_operations.union(
            thing for thing, facts in outcome.facts.items() if facts.get(("exists",), NO_FACT).value
        ),
    )


def _parted(paired: Mapping[ObjectKey, Paired], alive: Mapping[ObjectId, Aliveness]) -> Iterator[Finding]:
    """Values of two columns cannot lie in one (semantics §3, A6)."""
    for thing, pair in paired.items():
        if alive[thing].is_judged:
            for columns in pair.parted:
                keys = tuple(("column", column, "exists") for column in columns)
                yield Finding(VerdictCode.COLUMNS_JOINED, thing, "A6", keys)


def base_state(given: PlanInput, thing: ObjectKey) -> ObjectState | None:
    """The object by the newest facts that both sides know; None where it did not exist by these."""
    before, state = given.states_of(thing)
    shown, sides = before or state, given.attributes
    if shown is None or sides is None:
        return None
    if thing in sides.source or thing in sides.target:
        pair = _paired(thing, sides, given)
        facts = {
            key: _shared(pair.source.get(key, NO_FACT), pair.target.get(key, NO_FACT), sides)
            for key in dict.fromkeys((*pair.target, *pair.source))
        }
        shown = _merged(replace(shown, is_dropped=False), state, facts, pair, _Orders())
    return None if shown.is_dropped else shown


def kept_columns(
    given: PlanInput, thing: ObjectKey, merged: Schema, *, is_restored: bool = False
) -> tuple[Column, ...]:
    """The columns of the merged table that one side had once, and lacks by its facts. A statement wrote without those
    that came since it saw the table; a restore brings back those that the table lacks now.
    """
    if given.attributes is None or thing not in given.attributes.target:
        target, source = given.states_of(thing)
        states = [state for state in (source, target if is_restored else None) if isinstance(state, TableState)]
        return tuple(c for c in merged.columns if any(_lacks(state.schema, c) for state in states))
    sides = [facts.get(thing, {}) for facts in (given.attributes.source, given.attributes.target)]
    return tuple(column for column in merged.columns if any(_is_dropped(facts, column) for facts in sides))


def _lacks(schema: Schema, column: Column) -> bool:
    return all(schema.column(i) is None for i in column.ids)


def kept_fields(given: PlanInput, thing: ObjectKey, merged: Schema, *, is_restored: bool = False) -> frozenset[int]:
    """The same of fields inside of columns, by id."""
    nested = [column for column in merged.columns if column.nested is not None]
    target, source = given.states_of(thing)
    if given.attributes is None and is_restored:
        held = ((_field_ids(column), _fields_of(target, column)) for column in nested)
        return frozenset().union(*(wanted - own for wanted, own in held if own is not None))
    if given.attributes is None or not nested:
        return frozenset()
    base = base_state(given, thing)
    found: set[int] = set()
    for column in nested:
        wanted, known = _field_ids(column), _fields_of(base, column)
        for state, others in ((source, given.attributes.target), (target, given.attributes.source)):
            own = _fields_of(state, column)
            if own is not None:
                # A restore brings back what both sides know to be gone.
                is_back = any(_is_restored(others.get(thing, {}), i) for i in column.ids)
                found |= (wanted - own) & (wanted if is_back else known or frozenset())
    return frozenset(found)


def _fields_of(state: ObjectState | None, column: Column) -> frozenset[int] | None:
    held = (state.schema.column(i) for i in column.ids) if isinstance(state, TableState) else ()
    return next((_field_ids(item) for item in held if item is not None), None)


def _field_ids(column: Column) -> frozenset[int]:
    return field_ids(column.parsed)


def _is_restored(facts: OfObject, column: int) -> bool:
    return facts.get(("column", column, "type"), NO_FACT).kind == Kind.RESTORE


def tables_with_columns_back(given: PlanInput) -> set[int]:
    """The tables of which the source brings a column back that the target dropped."""
    if given.attributes is None:
        return set()
    found = set()
    for thing, facts in given.attributes.source.items():
        target = given.attributes.target.get(thing, {})
        for key, fact in facts.items():
            if key[0] == "column" and key[2] == "exists" and fact.value and fact.stamp in given.attributes.of_source:
                known = target.get(key, NO_FACT)
                if known.stamp and not known.value:
                    found.add(int(thing[1]))
    return found


def _is_dropped(facts: OfObject, column: Column) -> bool:
    known = [facts.get(("column", i, "exists"), NO_FACT) for i in column.ids]
    return any(fact.stamp for fact in known) and not any(fact.value for fact in known)


def _shared(source: Fact, target: Fact, sides: AttributeSides) -> Fact:
    """The newest fact that both sides know. One that is no news is known to both."""
    known = (
        known_fact(fact) if fact.stamp in news else fact
        for fact, news in ((source, sides.of_source), (target, sides.of_target))
    )
    return max(known, key=lambda fact: (fact.stamp != 0, fact.stamp))


def _without_order(facts: OfObject) -> OfObject:
    """The facts that the core merges. Orders are merged with the columns that they name."""
    return {key: fact for key, fact in facts.items() if key != _ORDER} if _ORDER in facts else facts


def _paired(thing: ObjectKey, sides: AttributeSides, given: PlanInput) -> Paired:
    source, target = _without_order(sides.source.get(thing, {})), _without_order(sides.target.get(thing, {}))
    if thing[0] is ObjectKind.DATABASE or not (_has_schema(source) or _has_schema(target)):
        return Paired(source, target, {}, {}, frozenset(), {})
    before, state = given.states_of(thing)
    has_leads = has_aliases(source) or has_aliases(target)
    shown = (_shown(state), _shown(before)) if has_leads else (frozenset(), frozenset())
    pair = columns_pair(source, target, sides.of_source, sides.of_target, shown)
    facts = dict(pair.source)
    for key, fact in pair.source.items():
        other = pair.target.get(key, NO_FACT)
        is_concurrent = fact.stamp in sides.of_source and other.stamp in sides.of_target
        if not is_concurrent or key[0] != "column" or fact.value == other.value:
            continue
        if key[2] == "exists" and key[1] in pair.joined and other.value and other.value[0] is not None:
            # Rows of the target that read as a value keep it.
            facts[key] = replace(fact, value=other.value)
        if key[2] == "type" and _is_nested(fact.value) and _is_nested(other.value):
            facts[key] = replace(fact, value=_fields_merged(fact, other, is_joined=key[1] in pair.joined))
    return replace(pair, source=facts)


def _has_schema(facts: OfObject) -> bool:
    # Quicker than any() with a generator: very many objects have few facts, and none of a schema.
    for key in facts:  # noqa: SIM110
        if key[0] in _OF_SCHEMA:
            return True
    return False


def _shown(state: ObjectState | None) -> frozenset[int]:
    """The ids of the columns that a side shows."""
    return frozenset(column.id for column in state.schema.columns) if isinstance(state, TableState) else frozenset()


def _is_nested(value: Any) -> bool:
    return isinstance(value, str) and "#" in value and bool(parse_identified(value).fields)


def _fields_merged(source: Fact, target: Fact, *, is_joined: bool) -> str:
    """A type with fields inside of which both sides changed some (see ``nested_columns``)."""
    present, wanted = parse_identified(target.value), parse_identified(source.value)
    before = source.past[-1][1] if source.past else None
    if is_joined or not _is_nested(before):
        return fields_join(present, wanted, column="").kind.identified
    if before == source.value:
        return str(source.value)
    applied = fields_apply(parse_identified(before), wanted, present, column="", source=wanted)
    # A field that may not be made as the source has it is found where the change is judged.
    return str(source.value) if applied.problems else applied.kind.identified


def _widens(narrow: Any, wide: Any) -> bool:
    """Fields inside of a column are judged one by one, where their changes are applied."""
    if narrow is None or wide is None or _is_nested(narrow) or _is_nested(wide):
        return True
    return widens(narrow, wide)


@record(frozen=True, slots=True)
class _Orders:
    """What both sides say of the order of a table's columns. ``has_target_news``: whether the target added, dropped or
    moved one since the source knows it.
    """

    source: Fact = NO_FACT
    target: Fact = NO_FACT
    is_source_news: bool = False
    is_target_news: bool = False
    has_target_news: bool = True

    @property
    def newest(self) -> Fact:
        """The fact that the result has, before columns are moved that both sides put elsewhere."""
        return self.source if self.is_source_news and not self.is_target_news else self.target


_NO_ORDERS = _Orders(has_target_news=False)


def _orders(thing: ObjectKey, sides: AttributeSides) -> _Orders:
    source, target = sides.source.get(thing, {}), sides.target.get(thing, {})
    if _ORDER not in source and _ORDER not in target and not _has_schema(target):
        return _NO_ORDERS
    source_order, target_order = source.get(_ORDER, NO_FACT), target.get(_ORDER, NO_FACT)
    is_other = source_order.stamp != target_order.stamp
    return _Orders(
        source_order,
        target_order,
        is_other and source_order.stamp in sides.of_source,
        is_other and target_order.stamp in sides.of_target,
        any(fact.stamp in sides.of_target for key, fact in target.items() if key == _ORDER or _is_order(key)),
    )


def _merged(
    before: ObjectState, source: ObjectState | None, facts: OfObject, pair: Paired, orders: _Orders
) -> ObjectState:
    shared: dict[str, Any] = {
        "name": before.name if (named := facts.get(("name",))) is None else named.value,
        "comment": facts.get(("comment",), NO_FACT).value or "",
        "properties": {
            str(key[1]): fact.value for key, fact in facts.items() if key[0] == "property" and fact.value is not None
        },
        "is_dropped": before.is_dropped or ((lives := facts.get(("exists",))) is not None and not lives.value),
    }
    if isinstance(before, DatabaseState):
        return replace(before, **shared)
    home = facts.get(("home",), NO_FACT).value
    declared = [json.loads(str(key[1])) for key, fact in facts.items() if key[0] == "declared" and fact.value]
    # ``replace`` takes longer, and very many tables are merged.
    return TableState(
        **shared,
        table_id=before.table_id,
        database_id=before.database_id if home is None else home[1],
        declared_partitions=frozenset(tuple(values) for values in declared) if declared else frozenset(),
        schema=_schema(before.schema, source if isinstance(source, TableState) else None, facts, pair, orders),
        schema_version=before.schema_version,
    )


_OF_SCHEMA = frozenset({"column", "primary_key", "partition_by"})


def _schema(before: Schema, other: TableState | None, facts: OfObject, pair: Paired, orders: _Orders) -> Schema:
    """The columns of the result in their order. A schema of which nothing changes is not read."""
    is_same = not _has_schema(facts) or all(
        fact == pair.target.get(key) for key, fact in facts.items() if key[0] in _OF_SCHEMA
    )
    if is_same and not pair.aliases and orders.newest is orders.target:
        return before
    source = None if other is None else other.schema
    columns = {column.id: column for column in _columns(before, source, facts, pair)}
    schema = Schema(
        _arranged(before, columns, orders),
        tuple(facts.get(("primary_key",), NO_FACT).value or ()),
        tuple(facts.get(("partition_by",), NO_FACT).value or ()),
    )
    named = [pair.leads.get(column.id, column.id) for column in source.columns] if source is not None else []
    # Two columns of the source may be one of the target.
    order = list(dict.fromkeys(named))
    if not orders.has_target_news and set(order) == set(columns):
        schema = replace(schema, columns=tuple(columns[i] for i in order))
    elif orders.is_source_news and orders.is_target_news:
        for identity in order:
            key: Key = ("column", identity, "position")
            placed = facts.get(key, NO_FACT)
            if placed.value is not None and placed.stamp != pair.target.get(key, NO_FACT).stamp:
                schema = schema.moved(identity, placed.value)
    return before if schema == before else schema


def _arranged(before: Schema, columns: Mapping[int, Column], orders: _Orders) -> tuple[Column, ...]:
    """The columns in the order of the newest fact. Without one, those of the target stand as they stood: lakes that
    were made before there was such a fact have tables whose columns were moved.
    """
    said = orders.newest.value
    if said is None and before.columns != in_order(before.columns, None):
        said = [column.id for column in before.columns]
    return in_order(columns.values(), said)


def _is_order(key: Key) -> bool:
    return key[0] == "column" and key[2] in ("position", "exists")


def _columns(before: Schema, source: Schema | None, facts: OfObject, pair: Paired) -> Iterator[Column]:
    for key, exists in facts.items():
        if key[0] != "column" or key[2] != "exists" or not exists.value:
            continue
        identity = column_of(key)

        def value(of: str, column: int = identity) -> Any:
            return facts.get(("column", column, of), NO_FACT).value

        known = before.column(identity)
        made = Column(
            identity,
            value("name"),
            "",
            nullable=not value("required"),
            default=value("default"),
            initial_default=exists.value[0],
            comment=value("comment"),
            aliases=_aliases(identity, known, pair),
        )
        others = (known, source.column(identity) if source is not None else None)
        yield _typed(made, value("type"), [column for column in others if column is not None])


def _aliases(identity: int, known: Column | None, pair: Paired) -> tuple[int, ...]:
    own = known.aliases if known is not None else ()
    return (*own, *(i for i in pair.aliases.get(identity, ()) if i not in own))


def _typed(column: Column, value: str, others: list[Column]) -> Column:
    same = next((other for other in others if (other.nested or other.type) == value), None)
    if same is not None:
        return replace(column, type=same.type, nested=same.nested)
    return column.with_fields(parse_identified(value)) if _is_nested(value) else replace(column, type=value)
