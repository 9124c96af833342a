"""From the history to a plan's input: only what the source changed, and file facts only where cells need them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from django.conf import settings

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind, Rename
from catalog_app.domain.schema import Schema, has_key_in_partition
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.objects import (
    databases_load,
    databases_named,
    tables_list,
    tables_load,
    tables_named,
)
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.arrived import arrived_files, tables_merged_after_drops
from merge_app.execution.brought_back import BroughtBack, brought_back_load
from merge_app.execution.effects import effects_load, met_by_replays_load
from merge_app.execution.facts import facts_load
from merge_app.execution.known_in_part import known_in_part_load
from merge_app.execution.left_out_before import left_out_before_load
from merge_app.execution.lineage.attribute_news import attribute_sides_load, objects_with_news, one_catalog
from merge_app.execution.lineage.granularity import merge_settings
from merge_app.execution.lineage.planning import Parties, RowsDecision, TableCase, rows_plan
from merge_app.execution.lineage.restoring import RestoredFiles
from merge_app.execution.lineage.sides import Ranges, moves_rows, tables_changed
from merge_app.execution.operations import operations_load
from merge_app.execution.reach import Reach, merges_since, own_ranges, reach_load
from merge_app.execution.reads import stale_reads_load
from merge_app.execution.replacements import replacements_load
from merge_app.execution.row_merges import tables_apart
from merge_app.lineage.steps import RowsPlan
from merge_app.planning.attribute_sides import AttributeSides
from merge_app.planning.left_out import tables_leaving_values
from merge_app.planning.needs import needs
from merge_app.planning.row_merges import choices_of, columns_merged
from merge_app.planning.sides import sides_of
from merge_app.planning.surviving import NO_BASE, RESTORED_VERSION, ObjectKey, RestoreBase
from merge_app.planning.values import (
    Decision,
    FactKind,
    LeftOutBefore,
    PlanInput,
    Resolution,
    ResolutionPart,
    RestoreKnownInPart,
    TableFacts,
)


@dataclass(frozen=True, slots=True)
class SourceSide:
    """What is to be redone: operations, and the states of the objects that they end in. ``brought_back`` are those of
    them that the destination lacks. ``schemas``, by the ids of their definitions, are shared with the destination's
    states. ``seen``: of a statement, the snapshot that it saw; ``own_branch``: of a transaction, its workspace.
    """

    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState]
    tables: Mapping[int, TableState]
    lineage: Lineage | None
    reach: Reach
    brought_back: BroughtBack | None = None
    seen: Lineage | None = None
    own_branch: int | None = None
    restored: Mapping[int, RestoredFiles] = field(default_factory=dict)
    schemas: dict[int, Schema] = field(default_factory=dict)


def merge_source_load(source: Lineage, destination: Lineage, *, is_workspace: bool = False) -> SourceSide:
    """The source's own operations that the destination does not reach, with the source's states of their objects."""
    reach = reach_load(source)
    destination_reach = reach_load(destination)
    operations = operations_load(own_ranges(source, destination_reach), destination_reach)
    brought_back = brought_back_load(operations, source, destination)
    operations = brought_back.source_operations(operations)
    databases, tables = _named_objects(operations)
    schemas: dict[int, Schema] = {}
    table_states = tables_load(source, tables, schemas=schemas)
    databases |= {state.database_id for state in table_states.values()}
    states = databases_load(source, databases)
    own = source.branch_ids[0] if is_workspace else None
    return SourceSide(operations, states, table_states, source, reach, brought_back, own_branch=own, schemas=schemas)


def plan_input_load(
    side: SourceSide,
    destination: Lineage,
    *,
    engine: EngineSource,
    has_moved: bool = True,
    resolutions: tuple[Resolution, ...] = (),
) -> PlanInput:
    """Everything that planning ``side`` onto ``destination`` depends on, with what people decided of its conflicts.

    ``engine`` is asked only for keys of keyed tables that both sides wrote. A destination that has not moved since
    the side saw it still holds what the side did not alter as the side saw it, so that is not read again.
    """
    seen = side.reach
    database_ids, table_ids = _named_objects(side.operations)
    known_in_part = _known_in_part(side, destination)
    side, news = _with_news(side, destination)
    database_ids |= {identity for kind, identity in news.objects if kind is ObjectKind.DATABASE}
    table_ids |= {identity for kind, identity in news.objects if kind is ObjectKind.TABLE}
    if known_in_part:
        known = {item.table_id for item in known_in_part}
        table_ids |= known
        side = replace(side, tables={**side.tables, **_source_tables(side, known)})
    database_ids |= {state.database_id for state in side.tables.values()}
    tables, databases = ({}, {}) if has_moved else _unaltered(side)
    tables |= tables_load(destination, table_ids - tables.keys(), schemas=side.schemas)
    database_ids |= {state.database_id for state in tables.values()}
    databases |= databases_load(destination, database_ids - databases.keys())
    dropped = _dropped_databases(side, databases)
    members = tables_list(destination, dropped) if dropped else []
    tables |= {state.table_id: state for state in members}
    attributes = news.load(side, destination, databases, tables)
    claimed = attributes.names_claimed() if attributes is not None else frozenset()
    places = [*_claimed_tables(side, tables, claimed), *_named_tables(side, resolutions)]
    names = [*_claimed_databases(side, databases, claimed), *_named_databases(side, resolutions)]
    tables |= tables_named(destination, places)
    databases |= databases_named(destination, names)
    theirs = operations_load(own_ranges(destination, seen), seen, databases=list(databases), tables=list(tables))
    back = side.brought_back
    if back is not None:
        theirs = back.destination_operations(theirs)
    planned = PlanInput(
        source=side.operations,
        destination=theirs,
        databases=databases,
        tables=tables,
        source_databases=side.databases,
        source_tables=side.tables,
        database_tables={d: tuple(t.table_id for t in members if t.database_id == d) for d in dropped},
        source_base=_restore_base(side.operations, side.lineage, destination, back.known if back else {}),
        destination_base=_restore_base(theirs, destination, seen, back.known_by_source if back else {}),
        known_in_part=known_in_part,
        left_out_before=_left_out_before(side, destination),
        stale_reads=stale_reads_load(seen, destination, reach_load(destination)) if side.lineage else (),
        source_head=side.lineage.version if side.lineage else 0,
        destination_head=destination.version,
        resolutions=resolutions,
        attributes=attributes,
    )
    if resolutions and side.lineage is not None:
        planned = replace(planned, replacements=replacements_load(planned, resolutions, side.lineage, destination))
    return _with_facts(planned, side, destination, engine)


@dataclass(frozen=True, slots=True)
class _News:
    """``objects``: those of which facts are news on the source. ``catalog_id`` None: no facts are merged."""

    catalog_id: int | None = None
    objects: frozenset[ObjectKey] = frozenset()

    def load(
        self,
        side: SourceSide,
        destination: Lineage,
        databases: Mapping[int, DatabaseState],
        tables: Mapping[int, TableState],
    ) -> AttributeSides | None:
        """The facts of all these objects that have news on either side, with those of the databases around them."""
        if self.catalog_id is None or side.lineage is None:
            return None
        named = {*((ObjectKind.DATABASE, i) for i in databases), *((ObjectKind.TABLE, i) for i in tables)}
        found = {*self.objects, *(objects_with_news(destination, side.reach) & named)}
        homes = {
            (ObjectKind.DATABASE, states[i].database_id)
            for kind, i in found
            if kind is ObjectKind.TABLE
            for states in (tables, side.tables)
            if i in states
        }
        reaches = side.reach, reach_load(destination)
        return attribute_sides_load(
            self.catalog_id, side.lineage, destination, reaches, sorted(found | homes), own=side.own_branch
        )


def _with_news(side: SourceSide, destination: Lineage) -> tuple[SourceSide, _News]:
    """The side with the states of all objects of which it has news by facts, where attributes are merged by these."""
    if not settings.LAKEUI["MERGE_BY_LINEAGE"] or side.lineage is None:
        return side, _News()
    catalog_id = one_catalog(side.lineage, destination)
    if catalog_id is None:
        return side, _News()
    found = objects_with_news(side.lineage, reach_load(destination))
    tables = {**side.tables, **_source_tables(side, {i for kind, i in found if kind is ObjectKind.TABLE})}
    homes = {i for kind, i in found if kind is ObjectKind.DATABASE} | {state.database_id for state in tables.values()}
    databases = {**side.databases, **databases_load(side.lineage, homes - side.databases.keys())}
    return replace(side, tables=tables, databases=databases), _News(catalog_id, frozenset(found))


def _unaltered(side: SourceSide) -> tuple[dict[int, TableState], dict[int, DatabaseState]]:
    """The states that the side's operations leave as they are: of tables whose rows alone change, and of databases."""
    altered = {(item.object_kind, item.object_id) for item in side.operations if not item.is_data}
    tables = {i: state for i, state in side.tables.items() if (ObjectKind.TABLE, i) not in altered}
    databases = {i: state for i, state in side.databases.items() if (ObjectKind.DATABASE, i) not in altered}
    return tables, databases


def _restore_base(
    operations: Sequence[Operation],
    lineage: Lineage | None,
    other: Reach | Lineage,
    known: Mapping[ObjectKey, Reach],
) -> RestoreBase:
    """From what the other side reaches, of objects brought back what is ``known``, and what the side pulled. Looked up
    only where a RESTORE may lead back to it (P7).
    """
    restored = [item.metrics[RESTORED_VERSION] for item in operations if RESTORED_VERSION in item.metrics]
    if lineage is None or not restored:
        return NO_BASE
    other = reach_load(other) if isinstance(other, Lineage) else other
    chain = list(zip(lineage.branch_ids, lineage.limits, strict=True))

    def base(reach: Reach) -> int:
        return max(min(limit, reach.get(branch, 0)) for branch, limit in chain)

    known_of = {key: base(reach) for key, reach in known.items()}
    return RestoreBase(base(other), known_of, merges_since(lineage, min(restored)))


def _source_tables(side: SourceSide, table_ids: set[int]) -> dict[int, TableState]:
    """Those that the side's operations do not name."""
    wanted = table_ids - side.tables.keys()
    return tables_load(side.lineage, wanted, schemas=side.schemas) if side.lineage is not None else {}


def _known_in_part(side: SourceSide, destination: Lineage) -> tuple[RestoreKnownInPart, ...]:
    """Of restores that only the destination knows of, those of tables whose rows the source changed."""
    if side.lineage is None:
        return ()
    reach = reach_load(destination)
    found = (
        *known_in_part_load(side.lineage, side.reach, reach, is_source=True),
        *known_in_part_load(destination, reach, side.reach, is_source=False, tables=_tables_changed(side)),
    )
    if not (found and settings.LAKEUI["MERGE_BY_LINEAGE"]):
        return found
    # Rows that are merged by lineage have nothing that could be known in part (lineage §4a).
    tables = tables_load(destination, {item.table_id for item in found}, schemas=side.schemas)
    replayed = {table_id for table_id, state in tables.items() if has_key_in_partition(state.schema)}
    return tuple(item for item in found if item.table_id in replayed)


def _left_out_before(side: SourceSide, destination: Lineage) -> tuple[LeftOutBefore, ...]:
    if side.lineage is None:
        return ()
    return left_out_before_load(side.lineage, side.reach, destination, _tables_changed(side))


def _tables_changed(side: SourceSide) -> set[int]:
    """The tables whose rows the side changed."""
    return {
        item.object_id
        for item in side.operations
        if item.object_kind is ObjectKind.TABLE and (item.is_data or item.kind is OperationKind.PARTITION)
    }


def _with_facts(planned: PlanInput, side: SourceSide, destination: Lineage, engine: EngineSource) -> PlanInput:
    wanted = needs(planned, tables_apart(planned, side.lineage, destination))
    arrived = arrived_files(planned, side.lineage)
    moved = tables_merged_after_drops(planned, side.lineage)
    for table_id in arrived.keys() | moved:
        wanted.setdefault(table_id, set()).update((FactKind.SOURCE_EFFECTS, FactKind.DESTINATION_EFFECTS))
    for table_id in moved:
        wanted[table_id].add(FactKind.MOVED_ROWS)
    # A statement's rows lie on no branch that could be compared.
    lacking = tables_leaving_values(planned) if side.lineage is not None else {}
    for table_id in lacking:
        wanted.setdefault(table_id, set())
    stepped: list[TableCase] = []
    if settings.LAKEUI["MERGE_BY_LINEAGE"]:
        planned = _with_tables(planned, side, destination)
        stepped = _lineage_tables(planned, side, destination)
        # Rows by key are judged by their facts.
        for case in stepped:
            if case.has_key and case.table_id in wanted:
                wanted[case.table_id] &= {FactKind.COVERAGE}
    else:
        # Refuses settings that only merges by lineage know.
        changed = _tables_changed(side)
        merge_settings([table for table in planned.tables.values() if table.table_id in changed], destination)
    if not (wanted or stepped):
        return planned
    source = _effects_where(planned.source, wanted, FactKind.SOURCE_EFFECTS)
    theirs = _effects_where(planned.destination, wanted, FactKind.DESTINATION_EFFECTS)
    planned = replace(planned, source=source, destination=met_by_replays_load(theirs, destination))
    facts = dict(facts_load(planned, side.lineage, destination, wanted, arrived, lacking, engine))
    for table_id, (merged, decided) in _merged_rows(stepped, side, destination, engine).items():
        known = facts.get(table_id, TableFacts())
        facts[table_id] = replace(known, lineage=merged, lineage_decided=decided, rows=merged.judged)
    return replace(planned, facts=facts)


def _with_tables(planned: PlanInput, side: SourceSide, destination: Lineage) -> PlanInput:
    """With the states of all tables whose rows the source's news changed, whatever is left of these changes."""
    if side.lineage is None:
        return planned
    changed = tables_changed(Ranges.of_news(side.reach, reach_load(destination)))
    tables = {**planned.tables, **tables_load(destination, changed - planned.tables.keys(), schemas=side.schemas)}
    sources = {**planned.source_tables, **_source_tables(side, changed)}
    homes = {state.database_id for states in (tables, sources) for state in states.values()}
    databases = {**planned.databases, **databases_load(destination, homes - planned.databases.keys())}
    known = planned.source_databases
    return replace(
        planned,
        tables=tables,
        source_tables=sources,
        databases=databases,
        source_databases={**known, **databases_load(side.lineage, homes - known.keys())},
        lineage_tables=frozenset(changed),
    )


def _lineage_tables(planned: PlanInput, side: SourceSide, destination: Lineage) -> list[TableCase]:
    """The tables on both sides whose rows the source changed. A table whose key is a partition value is merged the
    older way: the rename of a partition changes its keys.
    """
    is_whole = side.lineage is not None or (side.seen is not None and side.seen != destination)
    moved = {item.object_id for item in side.operations if side.lineage is None and moves_rows(item)}
    by_statement = {*side.restored, *moved}
    if not (is_whole or by_statement):
        return []
    sides = sides_of(planned)
    changed = set(planned.lineage_tables) if side.lineage is not None else _tables_changed(side)
    found = []
    for object_id in sorted(changed):
        before, state = planned.tables.get(object_id), planned.source_tables.get(object_id)
        key = ObjectKind.TABLE, object_id
        if before is None or not (is_whole or object_id in by_statement) or has_key_in_partition(before.schema):
            continue
        is_gone = _is_gone(before, planned.databases) or (
            state is not None and _is_gone(state, planned.source_databases)
        )
        if not (is_gone or sides.source_of(*key).dropped or sides.destination_of(*key).dropped):
            columns = columns_merged(sides.source_of(*key), sides.destination_of(*key), before, state)
            found.append(
                TableCase(
                    object_id,
                    schema=state.schema if state else None,
                    merged=columns.schema,
                    choices=choices_of(planned.resolutions, object_id) if before.schema.is_keyed else (),
                    decision=_rows_decision(planned.resolutions, object_id),
                )
            )
    settings_of = merge_settings([planned.tables[case.table_id] for case in found], destination)
    return [
        replace(case, granularity=settings_of[case.table_id].granularity, how=settings_of[case.table_id].how)
        for case in found
    ]


def _rows_decision(resolutions: Sequence[Resolution], table_id: int) -> RowsDecision:
    chosen = [item for item in resolutions if item.key_of_object == (ObjectKind.TABLE, table_id)]
    return RowsDecision(
        any(item.decision is Decision.TAKE_SOURCE and item.part is ResolutionPart.OBJECT for item in chosen),
        frozenset(tuple(json.loads(item.part_key)) for item in chosen if item.part is ResolutionPart.PARTITION),
    )


def _is_gone(table: TableState, databases: Mapping[int, DatabaseState]) -> bool:
    home = databases.get(table.database_id)
    return table.is_dropped or (home is not None and home.is_dropped)


def _merged_rows(
    cases: Sequence[TableCase], side: SourceSide, destination: Lineage, engine: EngineSource
) -> dict[int, tuple[RowsPlan, RowsPlan | None]]:
    seen = side.lineage or side.seen
    if not cases or seen is None:
        return {}
    staged = side.operations if side.lineage is None else ()
    own = side.own_branch
    reached = reach_load(destination)
    # The chain alone is told of a statement whose branch has not moved.
    reach = reached if seen == destination else side.reach
    parties = Parties(seen, destination, reach, reached, own=own, staged=staged, restored=side.restored)
    return rows_plan(cases, parties, engine)


def _effects_where(
    operations: Sequence[Operation], wanted: Mapping[int, set[FactKind]], kind: FactKind
) -> tuple[Operation, ...]:
    chosen = [
        item
        for item in operations
        if item.object_kind is ObjectKind.TABLE
        and kind in wanted.get(item.object_id, ())
        and (item.is_data or item.kind is OperationKind.PARTITION)
    ]
    loaded = {item.operation_id: item for item in effects_load(chosen) if item.operation_id is not None}
    return tuple(loaded.get(item.operation_id, item) if item.operation_id else item for item in operations)


def _named_objects(operations: Sequence[Operation]) -> tuple[set[int], set[int]]:
    databases = {item.object_id for item in operations if item.object_kind is ObjectKind.DATABASE}
    tables = {item.object_id for item in operations if item.object_kind is ObjectKind.TABLE}
    return databases, tables


def _dropped_databases(side: SourceSide, databases: Mapping[int, DatabaseState]) -> set[int]:
    by_source = {
        item.object_id
        for item in side.operations
        if item.object_kind is ObjectKind.DATABASE and item.kind is OperationKind.DROP
    }
    return by_source | {i for i, state in databases.items() if state.is_dropped}


def _claims(operations: Sequence[Operation], kind: ObjectKind) -> set[int]:
    return {
        item.object_id
        for item in operations
        if item.object_kind is kind
        and (
            item.kind in (OperationKind.CREATE, OperationKind.UNDROP)
            or any(isinstance(change, Rename) for change in item.changes)
        )
    }


def _claimed_tables(
    side: SourceSide, here: Mapping[int, TableState], news: AbstractSet[ObjectKey]
) -> list[tuple[int, str]]:
    """Where the tables may come to lie that the source made, brought back or renamed: ``here`` are the destination's
    states, which may bear another name or lie elsewhere, ``news`` the objects whose names facts may change.
    """
    claimed = [
        [states[i] for states in (side.tables, here) if i in states]
        for i in _claims(side.operations, ObjectKind.TABLE) | {i for kind, i in news if kind is ObjectKind.TABLE}
    ]
    return [(home.database_id, state.name) for states in claimed for home in states for state in states]


def _claimed_databases(side: SourceSide, here: Mapping[int, DatabaseState], news: AbstractSet[ObjectKey]) -> list[str]:
    """The same of databases."""
    claimed = _claims(side.operations, ObjectKind.DATABASE) | {i for kind, i in news if kind is ObjectKind.DATABASE}
    return [states[i].name for states in (side.databases, here) for i in claimed if i in states]


def _named_tables(side: SourceSide, resolutions: Sequence[Resolution]) -> list[tuple[int, str]]:
    """The names that resolutions give to tables, where they lie, and of tables taken whole from the source."""
    found = []
    for item in resolutions:
        state = side.tables.get(item.object_id) if item.object_kind is ObjectKind.TABLE else None
        if state is not None and item.decision in (Decision.RENAME, Decision.TAKE_SOURCE):
            found.append((state.database_id, item.name or state.name))
    return found


def _named_databases(side: SourceSide, resolutions: Sequence[Resolution]) -> list[str]:
    """The same of databases."""
    found = []
    for item in resolutions:
        state = side.databases.get(item.object_id) if item.object_kind is ObjectKind.DATABASE else None
        if state is not None and item.decision in (Decision.RENAME, Decision.TAKE_SOURCE):
            found.append(item.name or state.name)
    return found
