"""``CREATE OR REPLACE TABLE``: a new version of the same table, as the overwrite and the alters that it amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.checks import CLUSTERING, LAYOUT
from catalog_app.domain.generated import identities_of
from catalog_app.domain.identity import Identity
from catalog_app.domain.operations import FileEffects, Operation, OperationKind, OverwriteScope
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import COMMENT, TableState
from catalog_app.domain.state_diff import state_operations
from catalog_app.domain.types import parse_type, widens
from catalog_app.rules.codes import VerdictCode
from catalog_app.selectors.segments import segments_list
from catalog_app.services import alterations
from catalog_app.services.field_alterations import type_grown
from catalog_app.services.files import data_files_register
from lakeui.common.errors import AlreadyExists, MergeConflict, NotSupported
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, place_of, table_exists, table_for_writing, view_find
from lakeui.frontdoor.columns.fields import with_ids
from lakeui.frontdoor.columns.layout_properties import layout_stated
from lakeui.frontdoor.columns.merge_settings import table_properties_check
from lakeui.frontdoor.columns.new_table import defaults_check, table_columns
from lakeui.frontdoor.expressions.checks import checks_stated, staged_rows_check
from lakeui.frontdoor.expressions.generated import generated_stated
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.rows.writes import bytes_of, rows_commit, write_metrics
from lakeui.frontdoor.tables.create_table import noted, query_columns, query_stage, table_make
from lakeui.sql import statements as sql
from merge_app.execution.commit import SerializationConflict

_LOOK_AGAIN = {VerdictCode.NAME_EXISTS, VerdictCode.OBJECT_DROPPED_ON_DEST}


def create_table(call: Call, statement: sql.CreateTable) -> StatementResult:
    if not statement.replaces:
        return table_make(call, statement)
    try:
        return _create_or_replace(call, statement)
    except MergeConflict as refusal:
        # Others made or dropped the table meanwhile: the statement means either.
        if {conflict["code"] for conflict in refusal.details["conflicts"]} <= _LOOK_AGAIN:
            raise SerializationConflict from refusal
        raise


def _create_or_replace(call: Call, statement: sql.CreateTable) -> StatementResult:
    place, name = place_of(call, statement.table), statement.table.table
    if statement.must_exist or table_exists(place, name):
        return noted(statement, _replace(call, statement, table_for_writing(call, statement.table)))
    if view_find(place, name):
        raise AlreadyExists("view", f"{place.database.name}.{name}")
    return table_make(call, statement)


def _replace(call: Call, statement: sql.CreateTable, target: ResolvedTable) -> StatementResult:
    source = None if statement.query is None else query_source(call, statement.query)
    after = _replaced(target, statement, statement.columns if source is None else query_columns(source))
    staged = [] if source is None else query_stage(call, after, source)
    staged_rows_check(replace(target, table=after), staged, [])
    added = data_files_register(after.table_id, staged)
    removed = tuple(item.file_id for item in segments_list(target.place.snapshot, after.table_id))
    metrics = write_metrics(
        rows_inserted=sum(file.rows for file in added),
        files_added=len(added),
        files_removed=len(removed),
        bytes_written=bytes_of(staged),
    )
    overwrite = alterations.operation(
        after,
        OperationKind.OVERWRITE,
        effects=FileEffects(added, removed),
        overwrite=OverwriteScope(),
        metrics=metrics,
    )
    changes: tuple[Operation, ...] = (*state_operations(target.table, after), overwrite)
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    operation = "CREATE OR REPLACE TABLE" + ("" if source is None else " AS SELECT")
    return rows_commit(call, target, operation, changes, metrics=metrics)


# -- the state that the statement asks for ----------------------------------------------------------------------------


def _replaced(
    target: ResolvedTable, statement: sql.CreateTable, definitions: Sequence[sql.ColumnDefinition]
) -> TableState:
    """The table with the columns, properties and comment of the statement; its key and partitioning stay."""
    table = target.table
    columns = _columns(table, definitions)
    schema = alterations.schema_new(columns, statement.primary_key, statement.partition_by, table.name)
    _require_same(
        target.label, "primary key", "PRIMARY KEY", table.schema, table.schema.primary_key, schema.primary_key
    )
    _require_same(
        target.label, "partitioning", "PARTITIONED BY", table.schema, table.schema.partition_by, schema.partition_by
    )
    defaults_check(schema.columns)
    stated = dict(statement.properties)
    generated = generated_stated(definitions, schema, table.name)
    table_properties_check(stated, schema, target.place.branch, generated)
    stated |= checks_stated(statement.checks, schema, table.name)
    stated |= generated
    stated |= layout_stated(statement.layout, statement.cluster_by, schema, table.name)
    # That there is none is a value, so that a merge sees it beside what the other side chose.
    stated |= {key: "" for key in (LAYOUT, CLUSTERING) if key in table.properties and key not in stated}
    return replace(
        table,
        schema=schema,
        properties=_with_comment(table, stated, statement.comment or ""),
        declared_partitions=frozenset(),
    )


def _columns(table: TableState, definitions: Sequence[sql.ColumnDefinition]) -> list[Column]:
    """A column of a name that the table has keeps its id, where its type stays or may become the stated one."""
    kept = {item.name.casefold(): _kept(table, item) for item in definitions}
    fresh = [item for item in definitions if kept[item.name.casefold()] is None]
    new = iter(table_columns(table.table_id, fresh, is_new=False) if fresh else ())
    return [kept[item.name.casefold()] or next(new) for item in definitions]


def _kept(table: TableState, wanted: sql.ColumnDefinition) -> Column | None:
    """The table's column as stated; None where it would need another type than alterations give it, or count anew."""
    column = table.schema.named(wanted.name)
    # With another way to count, or none before, values of other branches could be given again.
    if column is None or (wanted.identity and not wanted.identity.counts_like(_identity(table, column))):
        return None
    stated = replace(column, name=wanted.name, nullable=wanted.nullable, default=wanted.default, comment=wanted.comment)
    if wanted.type == column.type:
        return stated
    if column.nested is None:
        return replace(stated, type=wanted.type) if widens(column.type, wanted.type) else None
    grown = type_grown(column.parsed, parse_type(wanted.type))
    return stated.with_fields(with_ids(table.table_id, grown)) if grown.text == wanted.type else None


def _identity(table: TableState, column: Column) -> Identity | None:
    return identities_of(table.properties, table.schema).get(column.id)


def _require_same(
    label: str, what: str, clause: str, schema: Schema, present: Sequence[int], stated: Sequence[int]
) -> None:
    """Refuse another key or partitioning: files of other branches hold rows by the present one."""
    if tuple(present) == tuple(stated):
        return
    names = [column.name for identifier in present if (column := schema.column(identifier)) is not None]
    if names:
        remedy = f"State {clause} ({', '.join(names)}), with types that the columns have or may widen to"
    else:
        remedy = f"Leave {clause} out"
    raise NotSupported(
        f"CREATE OR REPLACE TABLE keeps the {what} of {label}, which branches share.",
        remedy=f"{remedy}; or create another table, drop this one and rename.",
    )


def _with_comment(table: TableState, stated: dict[str, str], comment: str) -> dict[str, str]:
    """The stated properties. A comment that the table was not made with is its property ``comment``."""
    if COMMENT in stated or comment == table.comment:
        return stated
    return {**stated, COMMENT: comment}
