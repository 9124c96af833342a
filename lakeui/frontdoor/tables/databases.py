"""Databases as a whole: create, drop, rename, properties."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.names import name_check
from catalog_app.domain.operations import ObjectName, Operation, OperationKind
from catalog_app.domain.state import DatabaseState
from catalog_app.domain.state_diff import state_after
from catalog_app.models import Branch, Database
from catalog_app.selectors.objects import database_get, databases_named, tables_list
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services import alterations
from lakeui.common.counts import counted
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound
from lakeui.frontdoor.call import (
    Call,
    branch_of,
)
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.committing import commit_operations
from lakeui.sql import statements as sql


@dataclass(frozen=True, slots=True)
class DatabasePlace:
    branch: Branch
    seen: Snapshot
    state: DatabaseState


def database_place(call: Call, name: sql.DatabaseName) -> DatabasePlace:
    branch = branch_of(call, name)
    seen = branch_snapshot(branch)
    return DatabasePlace(branch, seen, database_get(seen, name.database))


def create_database(call: Call, statement: sql.CreateDatabase) -> StatementResult:
    branch = branch_of(call, statement.database)
    seen = branch_snapshot(branch)
    name = statement.database.database
    name_check("database", name)
    if databases_named(seen, [name]):
        if statement.if_not_exists:
            return StatementResult(version=seen.version)
        raise AlreadyExists("database", name, where=f"on branch {branch.name}")
    identity = Database.objects.create(catalog_id=branch.catalog_id)
    state = DatabaseState(identity.pk, name, statement.comment or "", dict(statement.properties))
    created = alterations.operation(state, OperationKind.CREATE, created=alterations.create_describe(state))
    place = DatabasePlace(branch, seen, state)
    return _commit_database(call, place, "CREATE DATABASE", created)


def drop_database(call: Call, statement: sql.DropDatabase) -> StatementResult:
    try:
        place = database_place(call, statement.database)
    except NotFound:
        if statement.if_exists:
            return StatementResult()
        raise
    tables = tables_list(place.seen, [place.state.database_id])
    if tables and not statement.cascade:
        raise InvalidValue(
            f"Database {place.state.name} holds {counted(len(tables), 'table')}, {tables[0].name} among them.",
            remedy="Add CASCADE to drop them with it.",
        )
    return _commit_database(call, place, "DROP DATABASE", alterations.operation(place.state, OperationKind.DROP))


def rename_database(call: Call, statement: sql.RenameDatabase) -> StatementResult:
    place = database_place(call, statement.database)
    name_check("database", statement.new_name)
    taken = databases_named(place.seen, [statement.new_name])
    if any(other != place.state.database_id for other in taken):
        raise AlreadyExists("database", statement.new_name, where=f"on branch {place.branch.name}")
    renamed = alterations.rename(place.state, ObjectName(statement.new_name))
    return _commit_database(call, place, "RENAME DATABASE", renamed)


def set_database_properties(call: Call, statement: sql.SetDatabaseProperties) -> StatementResult:
    place = database_place(call, statement.database)
    change = alterations.properties_set(place.state, dict(statement.properties))
    return _commit_database(call, place, "SET DBPROPERTIES", change)


def unset_database_properties(call: Call, statement: sql.UnsetDatabaseProperties) -> StatementResult:
    place = database_place(call, statement.database)
    change = alterations.properties_unset(place.state, statement.keys, if_exists=statement.if_exists)
    return _commit_database(call, place, "UNSET DBPROPERTIES", change)


def _commit_database(
    call: Call,
    place: DatabasePlace,
    operation: str,
    change: Operation | None,
) -> StatementResult:
    return commit_operations(
        call,
        branch=place.branch,
        seen=place.seen,
        operation=operation,
        operations=[change],
        databases={place.state.database_id: state_after(place.state, [change])},
    )
