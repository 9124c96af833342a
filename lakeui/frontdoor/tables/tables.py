"""Tables as a whole: drop, rename, properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ObjectName, Operation, OperationKind
from catalog_app.domain.state_diff import state_after
from catalog_app.selectors.objects import database_get
from catalog_app.services import alterations
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor.call import (
    Call,
    ResolvedTable,
    table_for_writing,
)
from lakeui.frontdoor.columns.merge_settings import table_properties_check, unset_check
from lakeui.frontdoor.columns.new_table import refuse_taken
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.committing import commit_operations
from lakeui.sql import statements as sql
from merge_app.execution.apply import Applied


def drop_table(call: Call, statement: sql.DropTable) -> StatementResult:
    try:
        target = table_for_writing(call, statement.table)
    except NotFound:
        if statement.if_exists:
            return StatementResult()
        raise
    dropped = commit_table(call, target, "DROP TABLE", [alterations.operation(target.table, OperationKind.DROP)])
    if not statement.purge:
        return dropped
    return with_notice(
        dropped, "PURGE: the table is dropped; its files stay for UNDROP TABLE until VACUUM removes them."
    )


def rename_table(call: Call, statement: sql.RenameTable) -> StatementResult:
    target = table_for_writing(call, statement.table)
    catalog = statement.new.catalog
    if catalog is not None and call.catalog_named(catalog).pk != target.place.branch.catalog_id:
        raise InvalidValue("A table cannot move to another catalog.", remedy="Use CREATE TABLE … AS SELECT.")
    database = database_get(target.place.snapshot, statement.new.database)
    new_place = replace(target.place, database=database)
    same = database.database_id == target.table.database_id
    if not (same and statement.new.table.casefold() == target.table.name.casefold()):
        refuse_taken(new_place, statement.new.table)
    renamed = alterations.rename(target.table, ObjectName(statement.new.table, database.database_id))
    return commit_table(call, target, "RENAME TABLE", [renamed])


def set_table_properties(call: Call, statement: sql.SetTableProperties) -> StatementResult:
    target = table_for_writing(call, statement.table)
    given, table = dict(statement.properties), target.table
    table_properties_check(given, table.schema, target.place.branch, table.properties)
    change = alterations.properties_set(table, given)
    return commit_table(call, target, "SET TBLPROPERTIES", [change])


def unset_table_properties(call: Call, statement: sql.UnsetTableProperties) -> StatementResult:
    target = table_for_writing(call, statement.table)
    unset_check(target.table, statement.keys, target.place.branch)
    change = alterations.properties_unset(target.table, statement.keys, if_exists=statement.if_exists)
    return commit_table(call, target, "UNSET TBLPROPERTIES", [change])


def commit_table(
    call: Call,
    target: ResolvedTable,
    operation: str,
    changes: Sequence[Operation | None],
    keep: Callable[[Applied], None] | None = None,
) -> StatementResult:
    """Commit metadata changes of one table."""
    return commit_operations(
        call,
        branch=target.place.branch,
        seen=target.place.snapshot,
        operation=operation,
        operations=changes,
        databases={target.place.database.database_id: target.place.database},
        tables={target.table.table_id: state_after(target.table, changes)},
        keep=keep,
    )


def with_notice(result: StatementResult, notice: str) -> StatementResult:
    return replace(result, extra={**result.extra, "notices": [notice]})
