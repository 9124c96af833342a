"""Both sides of a plan: net changes by object, with drops of databases carried to their tables (semantics §3)."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import cast

from catalog_app.domain.operations import ObjectKind, OperationKind
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.domain.state_diff import State
from merge_app.lineage.outcomes import Finding
from merge_app.planning.attributes import MergedAttributes, attributes_merge
from merge_app.planning.fact_changes import NetFacts, of_rows
from merge_app.planning.merge_plan import PlanInput
from merge_app.planning.net_changes import (
    ObjectChanges,
    ObjectKey,
    implied_drop,
    net_changes,
    undropped_with,
)


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """``attributes``: what facts say of objects with news, where attributes are merged by lineage."""

    source: Mapping[ObjectKey, ObjectChanges]
    destination: Mapping[ObjectKey, ObjectChanges]
    attributes: MergedAttributes | None = None
    _nothing: dict[ObjectKey, ObjectChanges] = field(default_factory=dict, init=False, repr=False, compare=False)

    def source_of(self, kind: ObjectKind, object_id: int) -> ObjectChanges:
        """What the source did to one object: nothing, where nothing is left of it (P7)."""
        known = self.source.get((kind, object_id))
        return ObjectChanges(kind, object_id) if known is None else known

    def destination_of(self, kind: ObjectKind, object_id: int) -> ObjectChanges:
        """What the target did to one object: nothing, where it is unknown."""
        key = kind, object_id
        known = self.destination.get(key)
        if known is None:
            known = self._nothing.get(key)
        if known is None:
            known = self._nothing[key] = ObjectChanges(kind, object_id)
        return known

    def findings_of(self, kind: ObjectKind, object_id: int) -> tuple[Finding, ...]:
        return self.attributes.findings.get((kind, object_id), ()) if self.attributes is not None else ()


def change_sets_of(given: PlanInput) -> ChangeSets:
    """The net of both sides. Tables whose database a side dropped count as dropped by it, unless it moved them out;
    whatever the target's state says is dropped counts as dropped by the target. What the source did to an
    object ends where the object does, also by a drop of its database or one that it merged from the target.

    An input's change sets are made once.
    """
    known = given._change_sets  # noqa: SLF001 - kept in the input, which is its key; filled here alone
    if not known:
        known.append(_change_sets(given))
    found: ChangeSets = known[0]
    return found


def database_merged(given: PlanInput, database_id: int) -> DatabaseState:
    """What the merge leaves of a database that the target has. Only its drop or undrop is not in it."""
    key = ObjectKind.DATABASE, database_id
    return _merged(given, key, given.databases[database_id], given.source_databases.get(database_id))


def table_merged(given: PlanInput, table_id: int) -> TableState:
    """The same of a table."""
    before, key = given.tables[table_id], (ObjectKind.TABLE, table_id)
    merged = _merged(given, key, before, given.source_tables.get(table_id))
    # The number of the schema is the target's, until the merge is recorded.
    is_targets = merged.schema_version == before.schema_version
    return merged if is_targets else replace(merged, schema_version=before.schema_version)


def _merged(given: PlanInput, key: ObjectKey, before: State, state: State | None) -> State:
    """As facts have the object. Without them it becomes what it is on the source where a person chose that, or where
    others left it alone since a statement saw it.
    """
    attributes, merged = given.attributes, change_sets_of(given).attributes
    found = None if merged is None else merged.states.get(key)
    if found is not None:
        return cast("State", found)
    if state is None or not (attributes is None or key in attributes.as_operations):
        return before
    return replace(state, is_dropped=before.is_dropped)


def _change_sets(given: PlanInput) -> ChangeSets:
    kept = given.attributes.as_operations if given.attributes is not None else None
    merged = attributes_merge(given, given.attributes) if given.attributes is not None else None
    source = net_changes(given.source, restores=given.source_restores, kept=kept)
    destination = net_changes(given.destination, restores=given.destination_restores, kept=kept)
    rows_of_target = destination
    if merged is not None and kept is not None:
        source, destination = by_facts(source, merged.source, kept), by_facts(destination, merged.target, kept)
        _undrop_members(given, source, merged)
    _drop_members(given, source)
    source = {key: item for key, item in source.items() if item.dropped or not _is_gone(given, key, merged)}
    # What a decision left out of the source is on neither side.
    source = {key: changes for key, changes in source.items() if _is_known(given, key)}
    if merged is not None:
        _forget_answered_drops(source, destination, merged, rows_of_target)
    for key, changes in source.items():
        if not (changes.created or changes.undropped or _is_dropped_by(destination.get(key))):
            dropped = _destination_drop(given, source, destination, key)
            if dropped is not None:
                destination[key] = dropped
    for key, state in merged.states.items() if merged is not None else ():
        if key not in source and state != given.states_of(key)[0]:
            # Facts that came in another way than those that the target knows.
            source[key] = ObjectChanges(*key)
    return ChangeSets(source, destination, merged)


def _drop_members(given: PlanInput, source: dict[ObjectKey, ObjectChanges]) -> None:
    for (kind, object_id), changes in list(source.items()):
        if kind is ObjectKind.DATABASE and changes.dropped:
            for table_id in _tables_in(given, object_id):
                known = source.get((ObjectKind.TABLE, table_id))
                if known is None or not (known.dropped or _leaves(known, object_id)):
                    source[ObjectKind.TABLE, table_id] = implied_drop(table_id, changes)


def by_facts(
    found: Mapping[ObjectKey, ObjectChanges], net: Mapping[ObjectKey, NetFacts], kept: AbstractSet[ObjectKey]
) -> dict[ObjectKey, ObjectChanges]:
    """The changes of one side, of attributes by facts. An object without facts here has no news of any. ``kept``:
    objects of which operations say all.
    """
    result: dict[ObjectKey, ObjectChanges] = {}
    for key in dict.fromkeys((*found, *net)):
        changes = found.get(key)
        if key in net and key not in kept:
            changes = net[key].changes(changes)
        elif changes is not None and key not in kept:
            changes = of_rows(changes)
        if changes is not None:
            result[key] = changes
    return result


def _is_known(given: PlanInput, key: ObjectKey) -> bool:
    """Whether a side has or had the object."""
    return given.states_of(key) != (None, None)


def _undrop_members(given: PlanInput, source: dict[ObjectKey, ObjectChanges], merged: MergedAttributes) -> None:
    """A table is alive with its database (R4): one that comes back brings the tables that exist by their own facts, and
    no other. The target may never have had them. A table comes back too that the source moved out of a database which
    the target dropped.
    """
    undropped = {i: item for (kind, i), item in source.items() if kind is ObjectKind.DATABASE and item.undropped}
    for table_id, table in {**given.source_tables, **given.tables}.items():
        key, database = (ObjectKind.TABLE, table_id), undropped.get(table.database_id)
        is_known = table_id in given.tables
        if table.is_dropped == is_known and (merged.revives(key) if is_known else database is not None):
            source[key] = undropped_with(source.get(key) or ObjectChanges(*key), database)
    for key, changes in list(source.items()):
        if key[0] is ObjectKind.TABLE and changes.undropped and key in merged.alive and key not in merged.existing:
            source[key] = replace(changes, undropped=False)


def _forget_answered_drops(
    source: Mapping[ObjectKey, ObjectChanges],
    destination: dict[ObjectKey, ObjectChanges],
    merged: MergedAttributes,
    rows: Mapping[ObjectKey, ObjectChanges],
) -> None:
    """What the source brings back was gone when both sides last met: that the target had dropped it too is nothing
    (P7), and what it did to it otherwise counts. ``rows``: what the target did to rows.
    """
    for key, changes in source.items():
        if changes.undropped and key in merged.existing and _is_dropped_by(destination.get(key)):
            del destination[key]
            left = merged.target[key].without_drop().changes(rows.get(key))
            if left is not None:
                destination[key] = left


def _is_dropped_by(changes: ObjectChanges | None) -> bool:
    return changes is not None and changes.dropped


def _is_gone(given: PlanInput, key: ObjectKey, merged: MergedAttributes | None) -> bool:
    """Whether the source's own state lacks the object. What the source did to a table counts where the table stays: the
    source drops its database, out of which the target moved it (R5).
    """
    state = given.states_of(key)[1]
    if state is None or (merged is not None and merged.outlives(key)):
        return False
    return not is_alive(state, given.source_databases)


def is_alive(state: ObjectState, databases: Mapping[int, DatabaseState]) -> bool:
    """Whether the object and its database exist."""
    home = databases.get(state.database_id)
    return not (state.is_dropped or (home is not None and home.is_dropped))


def _tables_in(given: PlanInput, database_id: int) -> list[int]:
    """The target's valid tables in a database."""
    found = dict.fromkeys(given.database_tables.get(database_id, ()))
    found.update({i: None for i, state in given.tables.items() if state.database_id == database_id})
    return [i for i in found if i in given.tables and not given.tables[i].is_dropped]


def _leaves(changes: ObjectChanges, database_id: int) -> bool:
    rename = changes.rename
    if rename is None or rename.after.database_id == rename.before.database_id:
        return False
    return rename.after.database_id not in (None, database_id)


def _destination_drop(
    given: PlanInput,
    source: Mapping[ObjectKey, ObjectChanges],
    destination: Mapping[ObjectKey, ObjectChanges],
    key: ObjectKey,
) -> ObjectChanges | None:
    """The drop that the target's state shows though no operation on the object itself does. An object that the
    source did not make and the target lacks came and went in history that the target knows. A table whose
    database the source brings back comes back with it.
    """
    kind, object_id = key
    if kind is ObjectKind.DATABASE:
        database = given.databases.get(object_id)
        return _old_drop(kind, object_id) if database is None or database.is_dropped else None
    table = given.tables.get(object_id)
    if table is None:
        return _old_drop(kind, object_id)
    of_source = source.get((ObjectKind.DATABASE, table.database_id))
    if of_source is not None and of_source.undropped:
        return _old_drop(kind, object_id) if table.is_dropped else None
    changes = destination.get((ObjectKind.DATABASE, table.database_id))
    if changes is not None and changes.dropped and changes.operations:
        return implied_drop(object_id, changes)
    return None if is_alive(table, given.databases) else _old_drop(kind, object_id)


def _old_drop(kind: ObjectKind, object_id: int) -> ObjectChanges:
    """A drop from before the merge base."""
    return ObjectChanges(kind, object_id, dropped=True, versions={OperationKind.DROP.value: ()})
