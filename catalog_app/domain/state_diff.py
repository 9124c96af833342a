"""What turns one state of an object into another, as operations (semantics §5); and the state that these leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from catalog_app.domain.operations import (
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PartitionChange,
    PropertyChange,
    Rename,
    attributes_changed,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.domain.types import parse_identified

State = TypeVar("State", bound=ObjectState)


def schema_changes(before: Schema, after: Schema) -> tuple[ColumnChange, ...]:
    """Drops, then changes of columns that stay, then additions, then, where the order differs, every position."""
    kept = {column.id: before.column(column.id) for column in after.columns}
    staying = {column.id for column in kept.values() if column is not None}
    changes = [
        ColumnChange(column.id, ColumnAttribute.EXISTS, column.as_json(), None)
        for column in before.columns
        if column.id not in staying
    ]
    for column in after.columns:
        old = kept[column.id]
        if old is not None:
            changes += attributes_changed(old.id, old, column)
    added = [column for column in after.columns if kept[column.id] is None]
    changes += [ColumnChange(column.id, ColumnAttribute.EXISTS, None, column.as_json()) for column in added]
    if _order(before, staying) + [column.id for column in added] != _order(after, None):
        previous = [0, *(column.id for column in after.columns)]
        changes += [
            ColumnChange(column.id, ColumnAttribute.POSITION, None, previous[index])
            for index, column in enumerate(after.columns)
        ]
    return tuple(changes)


def _order(schema: Schema, chosen: set[int] | None) -> list[int]:
    return [column.id for column in schema.columns if chosen is None or column.id in chosen]


def property_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[PropertyChange, ...]:
    keys = dict.fromkeys((*before, *after))
    changes = (PropertyChange(key, before.get(key), after.get(key)) for key in keys)
    return tuple(change for change in changes if change.before != change.after)


DECLARES = "partitions_declared"
"""Among the metrics of an operation that changes what is declared of partitions, and takes no row."""


def state_operations(now: DatabaseState | TableState, then: DatabaseState | TableState | None) -> tuple[Operation, ...]:
    """Everything but the rows. ``then`` None: there was no such object."""
    if then is None or then.is_dropped:
        return () if now.is_dropped else (_operation(now, OperationKind.DROP),)
    found = [_operation(now, OperationKind.UNDROP)] if now.is_dropped else []
    before, after = _object_name(now), _object_name(then)
    if before != after:
        found.append(_operation(now, OperationKind.RENAME, Rename(before, after)))
    properties = property_changes(now.properties, then.properties)
    for kind, is_set in ((OperationKind.SET_PROPERTIES, True), (OperationKind.UNSET_PROPERTIES, False)):
        chosen = [change for change in properties if (change.after is not None) == is_set]
        if chosen:
            found.append(_operation(now, kind, *chosen))
    if isinstance(now, TableState) and isinstance(then, TableState):
        columns = schema_changes(now.schema, then.schema)
        if columns:
            found.append(_operation(now, OperationKind.COLUMN, *columns))
        partitions = _declared_changes(now, then)
        if partitions:
            undeclared = _operation(now, OperationKind.PARTITION, *partitions)
            found.append(replace(undeclared, metrics={DECLARES: len(partitions)}))
    return tuple(found)


def _declared_changes(now: TableState, then: TableState) -> list[PartitionChange]:
    gone = sorted(now.declared_partitions - then.declared_partitions, key=repr)
    come = sorted(then.declared_partitions - now.declared_partitions, key=repr)
    return [PartitionChange(values, None) for values in gone] + [PartitionChange(None, values) for values in come]


def _object_name(state: DatabaseState | TableState) -> ObjectName:
    return ObjectName(state.name, state.database_id if isinstance(state, TableState) else None)


def _operation(state: DatabaseState | TableState, kind: OperationKind, *changes: Any) -> Operation:
    if isinstance(state, TableState):
        return Operation(kind, ObjectKind.TABLE, state.table_id, changes)
    return Operation(kind, ObjectKind.DATABASE, state.database_id, changes)


def state_after(state: State, operations: Iterable[Operation | None]) -> State:
    """What the changes of a statement make of the state that it saw. Columns are moved when all of them are there."""
    changes = [change for operation in operations if operation is not None for change in operation.changes]
    for change in sorted(changes, key=_moves):
        state = _changed(state, change)
    return state


def _moves(change: Change) -> bool:
    return isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.POSITION


def _changed(state: State, change: Change) -> State:
    if isinstance(change, Rename):
        renamed, home = replace(state, name=change.after.name), change.after.database_id
        return renamed if home is None else replace(renamed, database_id=home)
    if isinstance(change, PropertyChange):
        properties = {**state.properties, change.key: change.after}
        return replace(state, properties={key: value for key, value in properties.items() if value is not None})
    assert isinstance(state, TableState)
    if isinstance(change, ColumnChange):
        return replace(state, schema=_schema_changed(state.schema, change))
    declared = state.declared_partitions
    # A renamed partition stays declared only if it was.
    comes = change.before is None or change.before in declared
    left = frozenset(values for values in declared if values != change.before)
    return replace(state, declared_partitions=left | {change.after} if comes and change.after is not None else left)


def _schema_changed(schema: Schema, change: ColumnChange) -> Schema:
    if change.attribute is ColumnAttribute.POSITION:
        return schema.moved(change.column_id, change.after)
    if change.attribute is ColumnAttribute.EXISTS and change.after is not None:
        return replace(schema, columns=(*schema.columns, Column.from_json(change.after)))
    column = schema.column(change.column_id)
    assert column is not None
    if change.attribute is ColumnAttribute.EXISTS:
        return replace(schema, columns=tuple(other for other in schema.columns if other is not column))
    if change.attribute is ColumnAttribute.NESTED and change.after is not None:
        return schema.with_column(column.with_fields(parse_identified(change.after)))
    return schema.with_column(replace(column, **{change.attribute.value: change.after}))
