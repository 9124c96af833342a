"""Operations, object records and schema versions of a commit, written in bulk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from django.db import connection

from catalog_app.domain.operation_json import change_as_json, scope_as_json
from catalog_app.domain.operations import (
    COLUMN_FIELDS,
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    Operation,
    PropertyChange,
    attributes_changed,
)
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import (
    DatabaseRecord,
    SchemaDefinition,
    TableRecord,
    TableSchema,
    TableSchemaHistory,
)
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot
from merge_app.planning.merge_plan import Action, MergePlan, ObjectPlan

Recorded = dict[tuple[ObjectKind, int], list[tuple[Operation, int]]]
"""By object: the plan's operations with the ids of the rows that record them."""


Pairs = list[tuple[ObjectPlan, Operation]]
"""The operations that a commit records, each with the plan of its object."""


def operations_of(plan: MergePlan) -> Pairs:
    """The operations that the plan carries out or finds done."""
    return [(item, operation) for item in plan.objects for operation in _from_here(item)]


def operations_as_json(pairs: Pairs, *, is_replay: bool) -> str:
    """The operations as the statement that writes the commit wants them, in a merge each pointing at the operation it
    replays. Those of a transaction point at what they were in its workspace, for the sake of its files; for
    reachability they are new.
    """
    return json.dumps([_described(item, operation, is_replay=is_replay) for item, operation in pairs])


def recorded_under(pairs: Pairs, ids: Sequence[int]) -> Recorded:
    """The operations by object, with the ids that they were written under."""
    recorded: Recorded = {}
    for (item, operation), identity in zip(pairs, ids, strict=True):
        recorded.setdefault((item.kind, item.object_id), []).append((operation, identity))
    return recorded


def _described(item: ObjectPlan, operation: Operation, *, is_replay: bool) -> dict[str, Any]:
    """An operation without an origin begins in the commit that records it."""
    is_of_workspace = operation.operation_id is not None and not is_replay
    origin_branch, origin_version = (None if is_of_workspace else operation.origin) or (None, None)
    return {
        "object_kind": operation.object_kind.value,
        "object_id": operation.object_id,
        "kind": operation.kind.value,
        "changes": [change_as_json(change) for change in operation.changes],
        "created": operation.created,
        "overwrite": scope_as_json(operation.overwrite),
        "metrics": operation.metrics,
        "origin_id": operation.origin_id,
        "origin_branch_id": origin_branch,
        "origin_version": origin_version,
        "already_done": item.action is Action.UNTOUCHED,
    }


def _from_here(item: ObjectPlan) -> Iterator[Operation]:
    """The object's operations, their changes from what this branch had to what it has then. The addition of a column
    that was there also says what it made of it. Columns bear the ids that they have here, where both sides may have
    added the same one.
    """
    if item.before is None:
        yield from item.operations
        return
    named = [[_named_here(item, change) for change in each.changes] for each in item.operations]
    stated = {change.setting for changes in named for change in changes if _sets_value(change)}
    for operation, own in zip(item.operations, named, strict=True):
        changes: list[Change] = []
        for change in own:
            if _sets_value(change):
                was, value = _value(item.before, change, change.before), _value(item.after, change, change.after)
                changes.append(replace(change, before=was, after=value))
            else:
                changes += [change, *(given for given in _given(item, change) if given.setting not in stated)]
        yield operation if tuple(changes) == operation.changes else replace(operation, changes=tuple(changes))


def _named_here(item: ObjectPlan, change: Change) -> Change:
    """The change under the id that this branch has the column under, and all of the column where it is dropped. An
    addition keeps its id: it is what makes this one of the column's.
    """
    if not (isinstance(item.before, TableState) and isinstance(item.after, TableState)):
        return change
    if not isinstance(change, ColumnChange) or _adds_column(change):
        return change
    if change.attribute is ColumnAttribute.EXISTS:
        found = (item.before.schema.column(column_id) for column_id in change.column_ids)
        gone = next((column for column in found if column is not None), None)
        return change if gone is None else replace(change, column_id=gone.id, before=gone.as_json())
    column = item.after.schema.column(change.column_id)
    return change if column is None else replace(change, column_id=column.id)


def _given(item: ObjectPlan, change: Change) -> Iterator[ColumnChange]:
    """The attributes of a column that was there which its addition by the source changed."""
    if not (isinstance(item.before, TableState) and isinstance(item.after, TableState) and _adds_column(change)):
        return
    column = item.after.schema.column(change.column_id)
    known = None if column is None else item.before.schema.column(column.id)
    if column is None or known is None:
        return
    yield from attributes_changed(column.id, known, column)


def _adds_column(change: Change) -> TypeGuard[ColumnChange]:
    return isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.EXISTS and change.after is not None


def _sets_value(change: Change) -> TypeGuard[PropertyChange | ColumnChange]:
    """Not one that makes or ends a thing, moves a column or renames."""
    return isinstance(change, PropertyChange) or (
        isinstance(change, ColumnChange) and change.attribute in COLUMN_FIELDS
    )


def _value(state: DatabaseState | TableState, change: PropertyChange | ColumnChange, absent: Any) -> Any:
    """``absent``: of a column that is not there."""
    if isinstance(change, PropertyChange):
        return state.properties.get(change.key)
    column = state.schema.column(change.column_id) if isinstance(state, TableState) else None
    return absent if column is None else getattr(column, change.attribute.value)


def objects_record(plan: MergePlan, *, branch_id: int, version: int, recorded: Recorded) -> None:
    """Write a new record for each object whose attributes change, and stamp the ones that they supersede."""
    changed = [
        item for item in plan.objects if item.before is None or attributes(item.before) != attributes(item.after)
    ]
    databases = [item for item in changed if item.kind is ObjectKind.DATABASE]
    tables = [item for item in changed if item.kind is ObjectKind.TABLE]
    _supersede("databaserecord", "database_id", databases, branch_id, version)
    _supersede("tablerecord", "table_id", tables, branch_id, version)
    DatabaseRecord.objects.bulk_create(
        [DatabaseRecord(**_record(item, branch_id, version, recorded)) for item in databases], batch_size=1000
    )
    TableRecord.objects.bulk_create(
        [TableRecord(**_record(item, branch_id, version, recorded)) for item in tables], batch_size=1000
    )


def attributes(state: DatabaseState | TableState) -> dict[str, Any]:
    """What a record of this state holds."""
    shared = {
        "name": state.name,
        "name_key": state.name.casefold(),
        "comment": state.comment,
        "properties": state.properties,
        "is_dropped": state.is_dropped,
    }
    if isinstance(state, DatabaseState):
        return {"database_id": state.database_id, **shared}
    declared = sorted((list(values) for values in state.declared_partitions), key=repr)
    return {
        "table_id": state.table_id,
        "database_id": state.database_id,
        "declared_partitions": declared,
        **shared,
    }


def _record(item: ObjectPlan, branch_id: int, version: int, recorded: Recorded) -> dict[str, Any]:
    operations = recorded.get((item.kind, item.object_id))
    return {
        "branch_id": branch_id,
        "version": version,
        "operation_id": operations[-1][1] if operations else None,
        **attributes(item.after),
    }


def _supersede(table: str, column: str, items: list[ObjectPlan], branch_id: int, version: int) -> None:
    if not items:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE catalog_app_{table} SET superseded_version = %s"
            f" WHERE branch_id = %s AND superseded_version IS NULL AND {column} = ANY(%s)",
            [version, branch_id, [item.object_id for item in items]],
        )


def schemas_record(plan: MergePlan, *, branch_id: int, version: int) -> dict[int, int]:
    """Write one visible schema version per table whose schema changes (semantics §4.2); table id → definition id."""
    changed = [item for item in plan.objects if item.schema_changes]
    if not changed:
        return {}
    definitions = SchemaDefinition.objects.bulk_create(
        [SchemaDefinition(table_id=item.object_id, content=_schema_json(item)) for item in changed], batch_size=1000
    )
    entries = [
        {"branch_id": branch_id, "table_id": item.object_id, "version": version, "definition": definition}
        for item, definition in zip(changed, definitions, strict=True)
    ]
    TableSchemaHistory.objects.bulk_create([TableSchemaHistory(**entry) for entry in entries], batch_size=1000)
    TableSchema.objects.bulk_create(
        [TableSchema(**entry) for entry in entries],
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["branch", "table"],
        update_fields=["version", "definition"],
    )
    return {item.object_id: definition.pk for item, definition in zip(changed, definitions, strict=True)}


def _schema_json(item: ObjectPlan) -> dict[str, Any]:
    assert isinstance(item.after, TableState)
    return item.after.schema.as_json()


_DEFINITIONS = """
SELECT DISTINCT ON (h.table_id) h.table_id, h.definition_id, h.version
FROM unnest(%(branch_ids)s::bigint[], %(limits)s::bigint[]) AS l(branch_id, max_version)
JOIN catalog_app_tableschemahistory h ON h.branch_id = l.branch_id AND h.version <= l.max_version
WHERE h.table_id = ANY(%(tables)s) ORDER BY h.table_id, h.version DESC
"""


def definitions_of_merged(plan: MergePlan, snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """By table whose rows are merged by key or cell or changed by statements that are run again: definition and schema
    version that the branch has them under now.
    """
    works = ((item.object_id, item.data) for item in plan.objects)
    tables = [table_id for table_id, data in works if data is not None and (data.row_work or data.steps.images)]
    rows = fetch_all(_DEFINITIONS, {**snapshot.parameters, "tables": tables}) if tables else []
    return {table_id: (definition_id, version) for table_id, definition_id, version in rows}
