"""Small builders of planner inputs: database 1 ``shop`` with table 10 ``orders`` (a int, b int), files by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from catalog_app.domain.attribute_facts import attributes_of
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    AddedFile,
    AttachedDelete,
    Change,
    ColumnAttribute,
    ColumnChange,
    FileEffects,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    OverwriteScope,
    PartitionChange,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.state_diff import state_after
from merge_app.lineage.facts import Fact, Key, Kind
from merge_app.planning.attribute_sides import AttributeSides, key_of
from merge_app.planning.merge_plan import Finding, MergePlan, ObjectPlan, PlanInput, Verdict
from merge_app.planning.net_changes import ATTRIBUTE_KINDS
from merge_app.planning.plan import plan

DB, TABLE = 1, 10
_ORDERS = (ObjectKind.TABLE, TABLE)
A, B = Column(1, "a", "int"), Column(2, "b", "int")
SHOP = DatabaseState(DB, "shop", properties={"p": "1", "q": "1"})
ORDERS = TableState(TABLE, DB, "orders", Schema((A, B)), 1, properties={"p": "1", "q": "1"})


def table_operation(kind: OperationKind, *changes: Change, table: int = TABLE, **fields: Any) -> Operation:
    return Operation(kind, ObjectKind.TABLE, table, tuple(changes), **fields)


def database_operation(kind: OperationKind, *changes: Change, database: int = DB) -> Operation:
    return Operation(kind, ObjectKind.DATABASE, database, tuple(changes))


def side(branch: str, operations: Iterable[Operation], first: int) -> tuple[Operation, ...]:
    """The operations as commits of a branch, one version each, recorded under ids equal to their versions."""
    return tuple(
        replace(operation, branch=branch, version=version, operation_id=version, origin_id=version)
        for version, operation in enumerate(operations, first)
    )


def merge_input(source: Iterable[Operation], destination: Iterable[Operation] = (), **fields: Any) -> PlanInput:
    """An input with ``orders`` in ``shop`` on the target, unless fields say otherwise."""
    fields = {"databases": {DB: SHOP}, "tables": {TABLE: ORDERS}, "source_head": 199, "destination_head": 299, **fields}
    given = PlanInput(side("dev", source, 100), side("main", destination, 200), **fields)
    databases, tables = (_on_source(given, kind) for kind in (ObjectKind.DATABASE, ObjectKind.TABLE))
    return replace(
        given,
        source_databases={**databases, **given.source_databases},
        source_tables={**tables, **given.source_tables},
    )


def merged(source: Iterable[Operation], destination: Iterable[Operation] = (), **fields: Any) -> MergePlan:
    """The plan by facts where both sides change attributes of ``orders``; else it is as the source has it."""
    given = merge_input(source, destination, **fields)
    return plan(with_facts(given) if _is_met(given.source) and _is_met(given.destination) else given)


def _is_met(operations: Iterable[Operation]) -> bool:
    return any(item.kind in ATTRIBUTE_KINDS and (item.object_kind, item.object_id) == _ORDERS for item in operations)


def _on_source(given: PlanInput, kind: ObjectKind) -> dict[int, Any]:
    """The objects that both sides have, as the source's operations leave what there was at base."""
    found: dict[int, Any] = {}
    known = given.databases if kind is ObjectKind.DATABASE else given.tables
    for identity, state in known.items():
        mine, others = (
            [item for item in operations if (item.object_kind, item.object_id) == (kind, identity)]
            for operations in (given.source, given.destination)
        )
        if any(item.changes for item in mine):
            found[identity] = _after(_after(state, map(_undone, reversed(others))), mine)
    return found


def _after(state: Any, operations: Iterable[Operation]) -> Any:
    """The state with what the operations change of the columns that it has. Not each case states all that it has."""
    for operation in operations:
        shown = (change for change in operation.changes if _shows(state, change))
        state = state_after(state, [replace(operation, changes=tuple(shown))])
    return state


def _shows(state: Any, change: Change) -> bool:
    if not isinstance(change, ColumnChange) or (change.attribute is ColumnAttribute.EXISTS and not change.before):
        return True
    return state.schema.column(change.column_id) is not None


def _undone(operation: Operation) -> Operation:
    changes = (replace(change, before=change.after, after=change.before) for change in reversed(operation.changes))
    return replace(operation, changes=tuple(changes))


def table_of(result: MergePlan, table: int = TABLE) -> ObjectPlan:
    return next(item for item in result.objects if (item.kind, item.object_id) == (ObjectKind.TABLE, table))


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def cells(result: MergePlan, verdict: Verdict) -> list[tuple[str, str]]:
    return [(f.source_operation, f.destination_operation) for f in result.findings if f.verdict is verdict]


# Operations ----------------------------------------------------------------------------------------------------------


def create(table: int = TABLE) -> Operation:
    return table_operation(OperationKind.CREATE, table=table, created={})


def drop(table: int = TABLE) -> Operation:
    return table_operation(OperationKind.DROP, table=table)


def undrop(table: int = TABLE) -> Operation:
    return table_operation(OperationKind.UNDROP, table=table)


def rename(before: str, after: str, table: int = TABLE, database: int = DB, to_database: int = DB) -> Operation:
    change = Rename(ObjectName(before, database), ObjectName(after, to_database))
    return table_operation(OperationKind.RENAME, change, table=table)


def set_property(key: str, before: str | None, after: str) -> Operation:
    return table_operation(OperationKind.SET_PROPERTIES, PropertyChange(key, before, after))


def unset_property(key: str, before: str = "1") -> Operation:
    return table_operation(OperationKind.UNSET_PROPERTIES, PropertyChange(key, before, None))


def column(column_id: int, attribute: ColumnAttribute, before: Any, after: Any) -> Operation:
    return table_operation(OperationKind.COLUMN, ColumnChange(column_id, attribute, before, after))


def add_column(item: Column) -> Operation:
    return column(item.id, ColumnAttribute.EXISTS, None, item.as_json())


def drop_column(item: Column) -> Operation:
    return column(item.id, ColumnAttribute.EXISTS, item.as_json(), None)


def rename_column(column_id: int, before: str, after: str) -> Operation:
    return column(column_id, ColumnAttribute.NAME, before, after)


def retype(column_id: int, before: str, after: str) -> Operation:
    return column(column_id, ColumnAttribute.TYPE, before, after)


def added(file_id: int, partition: PartitionValues = ()) -> AddedFile:
    return AddedFile(file_id, file_id * 1000, 10, partition, False, file_id * 1000, file_id * 1000 + 9)


def _effects(
    new: Iterable[int], removed: Iterable[int], deletes: Iterable[tuple[int, int]], partition: PartitionValues
) -> FileEffects:
    return FileEffects(
        tuple(added(file_id, partition) for file_id in new),
        tuple(removed),
        tuple(AttachedDelete(delete, file_id, 3) for delete, file_id in deletes),
    )


def insert(*files: int, partition: PartitionValues = ()) -> Operation:
    return table_operation(OperationKind.INSERT, effects=_effects(files, (), (), partition))


def delete(*deletes: tuple[int, int], removed: Iterable[int] = ()) -> Operation:
    return table_operation(OperationKind.DELETE, effects=_effects((), removed, deletes, ()))


def update(
    *images: int,
    deletes: Iterable[tuple[int, int]] = (),
    removed: Iterable[int] = (),
    partition: PartitionValues = (),
) -> Operation:
    return table_operation(OperationKind.UPDATE, effects=_effects(images, removed, deletes, partition))


def overwrite(
    *files: int,
    removed: Iterable[int] = (),
    deletes: Iterable[tuple[int, int]] = (),
    partitions: tuple[PartitionValues, ...] | None = None,
    **fields: Any,
) -> Operation:
    values = partitions[0] if partitions else ()
    return table_operation(
        OperationKind.OVERWRITE,
        overwrite=OverwriteScope(partitions),
        effects=_effects(files, removed, deletes, values),
        **fields,
    )


def compaction(*outputs: int, inputs: Iterable[int]) -> Operation:
    return table_operation(OperationKind.COMPACTION, effects=_effects(outputs, inputs, (), ()))


def partition(
    before: PartitionValues | None,
    after: PartitionValues | None,
    *,
    new: Iterable[int] = (),
    removed: Iterable[int] = (),
) -> Operation:
    return table_operation(
        OperationKind.PARTITION, PartitionChange(before, after), effects=_effects(new, removed, (), after or ())
    )


# Facts ---------------------------------------------------------------------------------------------------------------

_Known = dict[Key, Fact]


def with_facts(given: PlanInput) -> PlanInput:
    """The input with facts of ``orders`` that say what the operations of both sides do to its attributes."""
    key, home = (ObjectKind.TABLE, TABLE), (ObjectKind.DATABASE, DB)
    base: _Known = {attribute: Fact(value, 1) for attribute, value in _values(given.tables[TABLE]).items()}
    base[("home",)] = Fact(home, 1)
    for change in (change for item in given.destination if item.object_id == TABLE for change in item.changes):
        if isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.EXISTS and change.before:
            base |= {attribute: Fact(value, 1) for attribute, value in _of_column(change.before).items()}
        for attribute, before, _ in _settings(change):
            base.pop(attribute, None)
            if before is not None:
                base[attribute] = Fact(before, 1)
    sides = [
        {key: _changed(base, operations), home: {("exists",): Fact(True, 1)}}
        for operations in (given.source, given.destination)
    ]
    news = [frozenset(item.version for item in operations) for operations in (given.source, given.destination)]
    makers = {stamp: (number, name) for number, name in ((2, "dev"), (1, "main")) for stamp in news[2 - number]}
    others = frozenset({(item.object_kind, item.object_id) for item in given.source} - {key})
    attributes = AttributeSides(sides[0], sides[1], *news, makers=makers, as_operations=others)
    tables = {TABLE: given.tables[TABLE], **given.source_tables}
    return replace(given, attributes=attributes, source_tables=tables)


def _changed(base: _Known, operations: Iterable[Operation]) -> _Known:
    found = dict(base)
    for operation in (item for item in operations if item.object_id == TABLE):
        for change in operation.changes:
            for attribute, before, after in _settings(change):
                found[attribute] = Fact(after, operation.version, Kind.SET, past=((1, before),))
    return found


def _settings(change: Change) -> Iterable[tuple[Key, Any, Any]]:
    """The attributes that a change sets, each with its value before and after."""
    if isinstance(change, PropertyChange):
        yield ("property", change.key), change.before or None, change.after
    elif isinstance(change, Rename):
        yield ("name",), change.before.name, change.after.name
    elif isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.NULLABLE:
        yield ("column", change.column_id, "required"), not change.before, not change.after
    elif isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.NESTED:
        yield ("column", change.column_id, "type"), change.before, change.after
    elif isinstance(change, ColumnChange) and change.attribute is not ColumnAttribute.EXISTS:
        yield ("column", change.column_id, change.attribute.value), change.before, change.after
    elif isinstance(change, ColumnChange) and change.before is None:
        yield from ((attribute, None, value) for attribute, value in _of_column(change.after).items())
    elif isinstance(change, ColumnChange):
        exists = ("column", change.column_id, "exists")
        yield exists, _of_column(change.before)[exists], None


def _of_column(stored: Any) -> dict[Key, Any]:
    values = _values(replace(ORDERS, schema=Schema((Column.from_json(stored),))))
    return {attribute: value for attribute, value in values.items() if attribute[0] == "column"}


def _values(table: TableState) -> dict[Key, Any]:
    found = attributes_of(table).items()
    return {key_of(name): tuple(value) if isinstance(value, list) else value for name, value in found}
