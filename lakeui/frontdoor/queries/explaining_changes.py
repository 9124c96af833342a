"""``EXPLAIN`` of statements on databases and tables: what each would change. It is done and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from django.conf import settings

from catalog_app.domain.checks import check_name, condition_shown, is_check, is_stored, property_shown
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    Operation,
    OperationKind,
    PartitionChange,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Schema
from catalog_app.services.registered import registered_taken_back
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.counts import counted
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rehearsal import Rehearsal
from lakeui.sql import statements as sql
from merge_app.execution.commit import run_back

CHANGES = (
    *(sql.CreateDatabase, sql.DropDatabase, sql.RenameDatabase),
    *(sql.SetDatabaseProperties, sql.UnsetDatabaseProperties),
    *(sql.CreateTable, sql.DropTable, sql.RenameTable, sql.SetTableProperties, sql.UnsetTableProperties),
    *(sql.AddColumns, sql.DropColumns, sql.RenameColumn, sql.AlterColumn, sql.AlterColumns, sql.ReplaceColumns),
    *(sql.AddConstraint, sql.DropConstraint, sql.AddPartition, sql.DropPartition, sql.RenamePartition),
    *(sql.ChangeLayout, sql.ClusterBy),
)
"""Statements that write metadata alone. A table that is made of a query is explained by what the query reads."""

Step = tuple[str, str]
_ATTRIBUTES = {
    ColumnAttribute.TYPE: "change type",
    ColumnAttribute.NESTED: "change type",
    ColumnAttribute.DEFAULT: "change default",
    ColumnAttribute.INITIAL_DEFAULT: "change what older rows read",
    ColumnAttribute.COMMENT: "change comment",
}


def change_steps(call: Call, run: Callable[[Call], StatementResult]) -> Iterator[Step]:
    """Raises what the statement would."""
    rehearsal = Rehearsal(foresees=False)
    with registered_taken_back(Warehouse(settings.LAKEUI["WAREHOUSE"])):
        result = run_back(lambda: run(replace(call, rehearsal=rehearsal)))
    found = [step for name, schema, operation in rehearsal.operations for step in _steps(name, schema, operation)]
    yield from found or [("nothing", "it is so already")]
    yield from (("notice", notice) for notice in result.extra.get("notices", ()))


def _steps(name: str, schema: Schema, operation: Operation) -> Iterator[Step]:
    kind = operation.object_kind.value
    if operation.kind in (OperationKind.CREATE, OperationKind.DROP):
        yield f"{operation.kind.value} {kind}", name
    if operation.kind is OperationKind.CREATE and operation.object_kind is ObjectKind.TABLE:
        yield from (("add column", f"{column.name} {column.type}") for column in schema.columns)
    if operation.kind is OperationKind.OVERWRITE:
        files = len(operation.effects.removed) if operation.effects is not None else 0
        yield "take all rows away", f"{name}: {_files(files)}"
    for change in operation.changes:
        match change:
            case Rename():
                yield f"rename {kind}", f"{change.before.name} to {change.after.name}"
            case PropertyChange():
                yield _property(change, schema)
            case ColumnChange():
                yield _column(change, schema)
            case PartitionChange():
                effects = operation.effects
                yield _partition(change, 0 if effects is None else len(effects.removed))


def _property(change: PropertyChange, schema: Schema) -> Step:
    if is_check(change.key):
        condition = condition_shown(change.after or change.before or "", schema)
        word = "drop" if change.after is None else "add"
        return f"{word} constraint", f"{check_name(change.key)} CHECK ({condition})"
    if is_stored(change.key):
        shown = condition_shown(change.after or "", schema)
        return f"change {property_shown(change.key)}", shown or "none"
    if change.after is None:
        return "unset property", change.key
    before = "" if change.before is None else f", before {change.before!r}"
    return "set property", f"{change.key} = {change.after!r}{before}"


def _column(change: ColumnChange, schema: Schema) -> Step:
    if change.attribute is ColumnAttribute.EXISTS:
        definition = change.after or change.before
        return "drop column" if change.after is None else "add column", f"{definition['name']} {definition['type']}"
    column = schema.column(change.column_id)
    name = column.name if column is not None else f"with id {change.column_id}"
    if change.attribute is ColumnAttribute.NAME:
        return "rename column", f"{change.before} to {change.after}"
    if change.attribute is ColumnAttribute.POSITION:
        previous = schema.column(change.after)
        return "move column", f"{name} to the front" if previous is None else f"{name} behind {previous.name}"
    if change.attribute is ColumnAttribute.NULLABLE:
        return "change nullability", f"{name} {'may be null' if change.after else 'is NOT NULL'}"
    return _ATTRIBUTES[change.attribute], f"{name}: {_value(change.before)} to {_value(change.after)}"


def _value(value: object) -> str:
    return "none" if value is None else str(value)


def _partition(change: PartitionChange, files: int) -> Step:
    if change.before is None:
        return "add partition", _values(change.after)
    if change.after is None:
        return "drop partition", f"{_values(change.before)}: {_files(files)}"
    return "rename partition", f"{_values(change.before)} to {_values(change.after)}"


def _files(count: int) -> str:
    return counted(count, "file")


def _values(values: PartitionValues | None) -> str:
    return "(" + ", ".join("NULL" if value is None else value for value in values or ()) + ")"
