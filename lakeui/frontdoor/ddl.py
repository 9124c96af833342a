"""Databases and tables as a whole: create, drop, rename, properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from catalog_app.domain.generated import checks_stated_shown, generated_shown
from catalog_app.domain.layout import clustering_shown
from catalog_app.domain.names import name_check
from catalog_app.domain.nested import numbered, unnumbered
from catalog_app.domain.operations import ObjectName, Operation, OperationKind
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState, comment_of
from catalog_app.domain.types import parse_type
from catalog_app.models import Branch, Database, Table
from catalog_app.selectors.objects import database_get, databases_named, tables_list
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot, catalog_get
from catalog_app.services import alterations
from catalog_app.services.files import column_ids_allocate, column_ids_reserve
from catalog_app.services.registered import registered_note
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound
from lakeui.frontdoor.checks import checks_stated
from lakeui.frontdoor.committing import commit_operations
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.generated import generated_stated
from lakeui.frontdoor.layout_properties import layout_stated, layout_stating
from lakeui.frontdoor.merge_settings import table_properties_check, unset_check
from lakeui.frontdoor.places import (
    Call,
    Place,
    TablePlace,
    branch_of,
    place_of,
    table_exists,
    table_for_reading,
    table_for_writing,
    view_find,
)
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql
from merge_app.execution.apply import Applied


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


def _commit_database(
    call: Call,
    place: DatabasePlace,
    operation: str,
    change: Operation | None,
    after: DatabaseState | None = None,
) -> StatementResult:
    state = after or place.state
    return commit_operations(
        call,
        branch=place.branch,
        seen=place.seen,
        operation=operation,
        operations=[change],
        databases={state.database_id: state},
    )


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
            f"Database {place.state.name} holds {len(tables)} tables, {tables[0].name} among them.",
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
    after = replace(place.state, name=statement.new_name)
    return _commit_database(call, place, "RENAME DATABASE", renamed, after)


def set_database_properties(call: Call, statement: sql.SetDatabaseProperties) -> StatementResult:
    place = database_place(call, statement.database)
    change = alterations.properties_set(place.state, dict(statement.properties))
    return _commit_database(call, place, "SET DBPROPERTIES", change)


def unset_database_properties(call: Call, statement: sql.UnsetDatabaseProperties) -> StatementResult:
    place = database_place(call, statement.database)
    change = alterations.properties_unset(place.state, statement.keys, if_exists=statement.if_exists)
    return _commit_database(call, place, "UNSET DBPROPERTIES", change)


def table_columns(table_id: int, definitions: Sequence[sql.ColumnDefinition], *, is_new: bool) -> list[Column]:
    """Columns with fresh ids, and fields inside of them with theirs. What rows written before read as is the default,
    where there can be such rows.
    """
    kinds = [parse_type(definition.type) for definition in definitions]
    ids = column_ids_allocate(table_id, len(definitions) + sum(map(unnumbered, kinds)))
    within = iter(ids[len(definitions) :])
    columns = [
        Column(
            id=identifier,
            name=definition.name,
            type=definition.type,
            nullable=definition.nullable,
            default=definition.default,
            initial_default=None if is_new else definition.default,
            comment=definition.comment,
        )
        for identifier, definition in zip(ids, definitions, strict=False)
    ]
    return [
        column.with_fields(numbered(kind, within)) if kind.fields else column
        for column, kind in zip(columns, kinds, strict=True)
    ]


def new_table(
    call: Call,
    statement: sql.CreateTable,
    definitions: Sequence[sql.ColumnDefinition],
    identified: Sequence[Column] = (),
) -> TablePlace:
    """The state of a table that is about to be created. ``identified``: its columns, where files gave them ids."""
    place = place_of(call, statement.table)
    refuse_taken(place, statement.table.table)
    identity = Table.objects.create(catalog_id=place.branch.catalog_id)
    registered_note(tables=[identity.pk])
    if identified:
        column_ids_reserve(identity.pk, identified)
    columns = list(identified) or table_columns(identity.pk, definitions, is_new=True)
    schema: Schema = alterations.schema_new(
        columns, statement.primary_key, statement.partition_by, statement.table.table
    )
    defaults_check(schema.columns)
    table_properties_check(dict(statement.properties), schema, place.branch)
    state = TableState(
        table_id=identity.pk,
        database_id=place.database.database_id,
        name=statement.table.table,
        schema=schema,
        schema_version=0,
        comment=statement.comment or "",
        properties={
            **dict(statement.properties),
            **checks_stated(statement.checks, schema, statement.table.table),
            **generated_stated(definitions, schema, statement.table.table),
            **layout_stated(statement.layout, statement.cluster_by, schema, statement.table.table),
        },
    )
    return TablePlace(place, state)


def defaults_check(columns: Sequence[Column]) -> None:
    """Refuse a default that its column cannot store. The engine is asked only where there is one."""
    given = [column for column in columns if column.default is not None]
    if given:
        engine().defaults_check(given)


def refuse_taken(place: Place, name: str) -> None:
    """Tables and views of a database share their names."""
    name_check("table", name)
    label = f"{place.database.name}.{name}"
    if table_exists(place, name):
        raise AlreadyExists("table", label)
    if view_find(place, name):
        raise AlreadyExists("view", label)


def create_operation(state: TableState) -> Operation:
    return alterations.operation(state, OperationKind.CREATE, created=alterations.create_describe(state))


def create_table(call: Call, statement: sql.CreateTable) -> StatementResult:
    if statement.if_not_exists and table_exists(place_of(call, statement.table), statement.table.table):
        return StatementResult()
    if statement.clone is not None:
        from lakeui.frontdoor.cloning import clone_table

        return clone_table(call, statement, statement.clone)
    if statement.taken is not None:
        from lakeui.frontdoor.taking_over import table_take_over

        return table_take_over(call, statement, statement.taken)
    if statement.query is not None:
        from lakeui.frontdoor.data import create_table_as

        return noted(statement, create_table_as(call, statement))
    return noted(statement, _create(call, statement))


def _create(call: Call, statement: sql.CreateTable) -> StatementResult:
    wanted = statement if statement.like is None else _like(call, statement, statement.like)
    created = new_table(call, wanted, wanted.columns)
    return commit_table(call, created, "CREATE TABLE", [create_operation(created.table)])


def _like(call: Call, statement: sql.CreateTable, like: sql.TableName) -> sql.CreateTable:
    """The statement with the columns, key, partitioning and comment of that table."""
    table = table_for_reading(call, like).table
    by_id = {column.id: column.name for column in table.schema.columns}
    generated = generated_shown(table)
    definitions = tuple(
        sql.ColumnDefinition(
            column.name,
            column.type,
            column.nullable,
            column.default,
            column.comment,
            generated=generated.get(column.name),
        )
        for column in table.schema.columns
    )
    return replace(
        statement,
        columns=definitions,
        primary_key=tuple(by_id[i] for i in table.schema.primary_key),
        partition_by=tuple(by_id[i] for i in table.schema.partition_by),
        layout=layout_stating(table),
        cluster_by=clustering_shown(table),
        comment=comment_of(table),
        checks=tuple(sql.CheckConstraint(condition, name) for name, condition in checks_stated_shown(table).items()),
    )


def noted(statement: sql.CreateTable, result: StatementResult) -> StatementResult:
    """The result, with a notice where the statement asked for another format than the table gets."""
    if statement.asked_format is None:
        return result
    notice = (
        f"USING {statement.asked_format}: the table is one of lakeui, stored as Parquet; "
        "it has branches, versions and MERGE INTO."
    )
    return with_notice(result, notice)


def with_notice(result: StatementResult, notice: str) -> StatementResult:
    return replace(result, extra={**result.extra, "notices": [notice]})


def commit_table(
    call: Call,
    target: TablePlace,
    operation: str,
    changes: Sequence[Operation | None],
    after: TableState | None = None,
    keep: Callable[[Applied], None] | None = None,
) -> StatementResult:
    """Commit metadata changes of one table."""
    state = after or target.table
    return commit_operations(
        call,
        branch=target.place.branch,
        seen=target.place.snapshot,
        operation=operation,
        operations=changes,
        databases={target.place.database.database_id: target.place.database},
        tables={state.table_id: state},
        keep=keep,
    )


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
    if catalog is not None and catalog_get(catalog).pk != target.place.branch.catalog_id:
        raise InvalidValue("A table cannot move to another catalog.", remedy="Use CREATE TABLE … AS SELECT.")
    database = database_get(target.place.snapshot, statement.new.database)
    there = replace(target.place, database=database)
    same = database.database_id == target.table.database_id
    if not (same and statement.new.table.casefold() == target.table.name.casefold()):
        refuse_taken(there, statement.new.table)
    renamed = alterations.rename(target.table, ObjectName(statement.new.table, database.database_id))
    after = replace(target.table, name=statement.new.table, database_id=database.database_id)
    return commit_table(call, target, "RENAME TABLE", [renamed], after)


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
