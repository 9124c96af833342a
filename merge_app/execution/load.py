"""From the history to a plan's input: only what the source changed, and file facts only where cells need them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Transaction
from catalog_app.selectors.objects import (
    databases_list,
    databases_load,
    databases_named,
    states_load,
    tables_dropped,
    tables_list,
    tables_load,
    tables_named,
)
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.selectors.views import views_list
from merge_app.execution.attribute_news import (
    attribute_news_load,
    databases_revived,
    objects_with_news,
)
from merge_app.execution.claimed_names import places_claimed
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.input_facts import with_facts
from merge_app.execution.left_out_before import left_out_before_load
from merge_app.execution.lineage.source_side import SourceSide, TargetKnown, tables_met, tables_written
from merge_app.execution.loaded_twice import loaded_twice_load
from merge_app.execution.operations import are_of_rows, operations_load
from merge_app.execution.reads import stale_reads_load
from merge_app.execution.replacements import replacements_load
from merge_app.execution.statement_attributes import statement_attributes_load
from merge_app.execution.version_vectors import (
    Ranges,
    VersionVector,
    has_merged,
    own_ranges,
    version_vectors_load,
)
from merge_app.planning.merge_plan import (
    NamedByView,
    PlanInput,
    Resolution,
    ViewNames,
)
from merge_app.planning.net_changes import NO_RESTORES, RESTORED_VERSION, Restores, TakenBack

Objects = tuple[Collection[int], Collection[int]]
"""Ids of databases, and of tables."""


def merge_source_load(
    source: Snapshot,
    destination: Snapshot,
    *,
    is_workspace: bool = False,
    objects: Objects | None = None,
    version_vectors: Sequence[VersionVector] | None = None,
) -> SourceSide:
    """The source's own operations that the target does not reach, with the source's states of their objects.
    ``objects``: these databases and tables, whose operations alone are wanted. ``version_vectors``: those of both,
    where they are known.
    """
    version_vector, destination_version_vector = version_vectors or version_vectors_load(source, destination)
    only = {} if objects is None else {"databases": objects[0], "tables": objects[1]}
    operations = operations_load(own_ranges(source, destination_version_vector), destination_version_vector, **only)
    databases, tables = _named_objects(operations) if objects is None else (set(objects[0]), set(objects[1]))
    news, target_news = map(
        frozenset, objects_with_news((source, destination_version_vector), (destination, version_vector))
    )
    databases |= {identity for kind, identity in news if kind is ObjectKind.DATABASE}
    tables |= {identity for kind, identity in news if kind is ObjectKind.TABLE}
    schemas: dict[int, Schema] = {}
    source_states, known = states_load(databases, tables, schemas, source, destination)
    in_databases = [{state.database_id for state in states.tables.values()} for states in (source_states, known)]
    asked = frozenset(databases.union(*in_databases)), frozenset(tables)
    own = databases | in_databases[0]
    return SourceSide(
        operations,
        {i: state for i, state in source_states.databases.items() if i in own},
        source_states.tables,
        source,
        version_vector,
        destination,
        own_branch=source.branch_ids[0] if is_workspace else None,
        schemas=schemas,
        target=TargetKnown(destination_version_vector, known, asked, news, target_news),
    )


def merge_input_load(
    source: Branch, destination: Branch, engine: EngineSource, resolutions: tuple[Resolution, ...] = ()
) -> tuple[SourceSide, PlanInput]:
    """The merge of two branches as they are in these rows: the source's side, and the plan's input."""
    side = merge_source_load(branch_snapshot(source), branch_snapshot(destination))
    return side, plan_input_load(side, engine=engine, resolutions=resolutions)


def findings_input_load(source: Branch, destination: Branch, engine: EngineSource) -> PlanInput | None:
    """The input of the same plan as far as its findings go: the target changed no row of the tables that are not looked
    into, so no rule judges their rows. None for a fast forward of rows alone, which has no finding (law 1).
    """
    own, target = branch_snapshot(source), branch_snapshot(destination)
    version_vectors = version_vectors_load(own, target)
    if _forwards_rows(own, *version_vectors):
        return None
    side = merge_source_load(own, target, version_vectors=version_vectors)
    return plan_input_load(side, engine=engine, only=tables_met(side))


def is_forward_of_rows(source: Branch, destination: Branch) -> bool:
    """Whether the merge is a fast forward of rows alone, and stays one where the source changes more rows."""
    own, target = branch_snapshot(source), branch_snapshot(destination)
    return _forwards_rows(own, *version_vectors_load(own, target))


def _forwards_rows(source: Snapshot, known: VersionVector, of_target: VersionVector) -> bool:
    """Whether the source knows all of the target, merged nothing, and changed rows alone."""
    is_forward = not (has_merged(source, known) or Ranges.of_news(of_target, known))
    return is_forward and are_of_rows(own_ranges(source, of_target))


def plan_input_load(
    side: SourceSide,
    *,
    engine: EngineSource,
    resolutions: tuple[Resolution, ...] = (),
    only: AbstractSet[int] | None = None,
) -> PlanInput:
    """Everything that planning ``side`` onto its target depends on, with what people decided of its conflicts.
    ``only``: files and rows of these tables alone are looked at, for a plan of which no other object is used.

    ``engine`` is asked only for keys of keyed tables that both sides wrote. A statement's branch still holds what
    neither the statement nor a commit since altered as the statement saw it, so that is not read again.
    """
    planned = plan_without_facts(side, resolutions=resolutions)
    return with_facts(planned, side, engine, only)


def plan_without_facts(side: SourceSide, *, resolutions: tuple[Resolution, ...] = ()) -> PlanInput:
    """The same without facts of files and rows."""
    destination, seen = side.destination, side.version_vector
    database_ids, table_ids = _named_objects(side.operations)
    news = side.target.source_news if side.target is not None else ()
    database_ids |= {identity for kind, identity in news if kind is ObjectKind.DATABASE}
    table_ids |= {identity for kind, identity in news if kind is ObjectKind.TABLE}
    database_ids |= {state.database_id for state in side.tables.values()}
    tables, databases, members = _states_load(side, destination, database_ids, table_ids)
    attributes = attribute_news_load(side, databases, tables)
    claimed = attributes.names_claimed() if attributes is not None else frozenset()
    tables |= tables_named(destination, places_claimed(side, ObjectKind.TABLE, tables, claimed, resolutions))
    places = places_claimed(side, ObjectKind.DATABASE, databases, claimed, resolutions)
    databases |= databases_named(destination, sorted({name for _, name in places}))
    operations = operations_load(own_ranges(destination, seen), seen, databases=list(databases), tables=list(tables))
    if side.snapshot is None:
        attributes = statement_attributes_load(side, tables, operations)
    planned = PlanInput(
        source=side.operations,
        destination=operations,
        databases=databases,
        tables=tables,
        source_databases=side.databases,
        source_tables=side.tables,
        database_tables=members,
        destination_restores=_restores(operations, seen),
        destination_head=destination.version,
        resolutions=resolutions,
        attributes=attributes,
    )
    return planned if side.snapshot is None else _with_history(planned, side, side.snapshot)


def _with_history(planned: PlanInput, side: SourceSide, source: Snapshot) -> PlanInput:
    """With what branches have and statements lack: a history of merges, of reads and of loaded files."""
    destination, known = side.destination, side.target_vector
    changed = tables_written(side) | side.news.tables if side.has_merged else set()
    # Without a merge, commits of the source knew all of the target that the source knows.
    may_be_stale = (side.has_merged or side.target_news) and side.news.reads
    # Rows break no view.
    may_break = not all(item.is_data for item in side.operations)
    return replace(
        planned,
        source_restores=_restores(side.operations, known),
        left_out_before=left_out_before_load(source, side.version_vector, destination, changed),
        stale_reads=stale_reads_load(side.version_vector, destination, known) if may_be_stale else (),
        loaded_twice=loaded_twice_load(source, destination, side.operations, planned.destination),
        views=_views(destination) if may_break else (),
        source_head=source.version,
        replacements=replacements_load(planned, source, destination) if planned.resolutions else {},
    )


def _states_load(
    side: SourceSide, destination: Snapshot, database_ids: set[int], table_ids: set[int]
) -> tuple[dict[int, TableState], dict[int, DatabaseState], dict[int, tuple[int, ...]]]:
    """The target's states of these objects, and by database that a side dropped the tables in it."""
    tables, databases = _unaltered(side) if side.seen is not None else ({}, {})
    asked: tuple[AbstractSet[int], AbstractSet[int]] = databases.keys(), tables.keys()
    if (known := side.target) is not None:
        databases, tables, asked = dict(known.states.databases), dict(known.states.tables), known.asked
    tables |= tables_load(destination, table_ids - asked[1], schemas=side.schemas)
    in_databases = {state.database_id for state in tables.values()}
    databases |= databases_load(destination, (database_ids | in_databases) - asked[0])
    dropped = _dropped_databases(side, databases)
    members = tables_list(destination, dropped) if dropped else []
    tables |= {state.table_id: state for state in members}
    for database_id in databases_revived(side, databases):
        gone = tables_dropped(destination, database_id)
        tables |= {state.table_id: state for state in gone if state.table_id not in tables}
    return tables, databases, {d: tuple(t.table_id for t in members if t.database_id == d) for d in dropped}


def _unaltered(side: SourceSide) -> tuple[dict[int, TableState], dict[int, DatabaseState]]:
    """The states that the branch has as the statement saw them: neither its operations nor a commit since altered them.
    It altered none of tables whose rows alone it changes.
    """
    altered = {(item.object_kind.value, item.object_id) for item in side.operations if not item.is_data} | side.altered
    tables = {i: state for i, state in side.tables.items() if (ObjectKind.TABLE.value, i) not in altered}
    databases = {i: state for i, state in side.databases.items() if (ObjectKind.DATABASE.value, i) not in altered}
    return tables, databases


def _restores(operations: Sequence[Operation], other: VersionVector) -> Restores:
    """The RESTOREs among them that take back nothing which the other side reaches (P7). What one takes back its own
    branch says, by whatever way it came.
    """
    restored = (item for item in operations if RESTORED_VERSION in item.metrics)
    made = {(*item.origin, item.metrics[RESTORED_VERSION]) for item in restored if item.origin is not None}
    if not made:
        return NO_RESTORES
    chains = {branch.pk: branch_snapshot(branch) for branch in Branch.objects.filter(pk__in={b for b, *_ in made})}
    # A transaction knew what was there when it began, whatever the branch did until its commit.
    opened = Transaction.objects.filter(target__in=chains, version__in={version for _, version, _ in made})
    begun = {
        (b, version): base for b, version, base in opened.values_list("target", "version", "workspace__fork_version")
    }
    version_vectors = version_vectors_load(
        *(chains[b].at(begun.get((b, version), version - 1)) for b, version, _ in made),
        *(chains[b].at(then) for b, _, then in made),
    )
    known, back = version_vectors[: len(made)], version_vectors[len(made) :]
    taken = zip(made, map(TakenBack, known, back), strict=True)
    return {key: item for key, item in taken if item.is_unknown_to(other)}


def _views(destination: Snapshot) -> tuple[ViewNames, ...]:
    names = {state.database_id: state.name for state in databases_list(destination)}
    return tuple(
        ViewNames(
            names[view.database_id],
            view.name,
            tuple(
                NamedByView(read.database.casefold(), read.table.casefold(), frozenset(read.columns))
                for read in view.reads
            ),
        )
        for view in views_list(destination, names)
    )


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
