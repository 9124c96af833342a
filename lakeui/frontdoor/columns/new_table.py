"""A table that is about to be made: its columns, its state, and the operation that makes it."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.names import name_check
from catalog_app.domain.nested import numbered, unnumbered
from catalog_app.domain.operations import Operation, OperationKind
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.types import parse_type
from catalog_app.models import Table
from catalog_app.services import alterations
from catalog_app.services.files import column_ids_allocate, column_ids_reserve
from catalog_app.services.registered import registered_note
from lakeui.common.errors import AlreadyExists, InvalidValue
from lakeui.frontdoor.call import (
    Call,
    Place,
    ResolvedTable,
    place_of,
    table_exists,
    view_find,
)
from lakeui.frontdoor.columns.layout_properties import layout_stated
from lakeui.frontdoor.columns.merge_settings import table_properties_check
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import checks_stated
from lakeui.frontdoor.expressions.generated import generated_stated
from lakeui.sql import statements as sql


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
) -> ResolvedTable:
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
    _types_check(schema)
    defaults_check(schema.columns)
    generated = generated_stated(definitions, schema, statement.table.table)
    table_properties_check(dict(statement.properties), schema, place.branch, generated)
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
            **generated,
            **layout_stated(statement.layout, statement.cluster_by, schema, statement.table.table),
        },
    )
    return ResolvedTable(place, state)


def _types_check(schema: Schema) -> None:
    """Refuse columns that tell neither rows nor partitions apart. A partition is known by the texts of its values."""
    for column in schema.partition_columns:
        if column.parsed.fields or column.type == "binary":
            raise InvalidValue(
                f"{column.name} is {column.type}, and no partition column can be {column.parsed.name.upper()}.",
                remedy=f"Leave {column.name} out of PARTITIONED BY, or name a column with a text, a number or a time.",
                column=column.name,
            )
    for column in schema.columns:
        if column.id in schema.primary_key and "map<" in column.type:
            raise InvalidValue(
                f"{column.name} is {column.type}, and no key can hold a MAP: maps are not compared.",
                remedy=f"Leave {column.name} out of PRIMARY KEY, or keep the text that to_json({column.name}) gives.",
                column=column.name,
            )


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
