"""INSERT INTO and INSERT OVERWRITE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.files import NewDataFile, PartitionValues
from catalog_app.domain.generated import writing_schema
from catalog_app.domain.layout import layout_shown
from catalog_app.domain.operations import (
    FileEffects,
    OperationKind,
    OverwriteScope,
)
from catalog_app.engine.counting import Counting
from catalog_app.engine.inputs_outputs import RowSource, ValuesSource
from catalog_app.services.files import data_files_register
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.evolving import Evolved, evolved_by_insert
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import appended_rows_check, staged_rows_check
from lakeui.frontdoor.expressions.generated import values_without_generated
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.rows.writes import bytes_of, commit_rows, counting_of, has_tombstones, staging, write_metrics
from lakeui.sql import statements as sql


def insert(call: Call, statement: sql.Insert) -> StatementResult:
    target = table_for_writing(call, statement.table)
    _require_partition_columns(target, [name for name, _ in statement.partition or ()])
    _refuse_overwrite_by_layout(target, statement)
    fresh = _evolved(call, target, statement)
    written = replace(target, table=fresh.table)
    reads = statement.overwrite or statement.with_schema_evolution or target.table.schema.primary_key
    staged = insert_stage(call, written, statement, None if reads else counting_of(call, target))
    added = data_files_register(target.table.table_id, staged)
    rows = sum(file.rows for file in added)
    metrics = write_metrics(rows_inserted=rows, files_added=len(added), bytes_written=bytes_of(staged))
    if not statement.overwrite:
        if not added:
            return StatementResult(version=target.place.snapshot.version, metrics=metrics)
        appended_rows_check(written, staged)
        return commit_rows(call, target, "INSERT", OperationKind.INSERT, FileEffects(added), metrics, fresh=fresh)
    segments = call.segments(target.place.snapshot, target.table.table_id)
    scope = _scope(target, statement, [segment.partition for segment in segments], [f.partition for f in staged])
    replaced = [s for s in segments if scope.partitions is None or s.partition in scope.partitions]
    removed = tuple(segment.file_id for segment in replaced)
    staged_rows_check(written, staged, [segment for segment in segments if segment not in replaced])
    metrics["files_removed"] = len(removed)
    if not (added or removed or (scope.partitions is None and has_tombstones(target))):
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(added, removed)
    return commit_rows(call, target, "INSERT OVERWRITE", OperationKind.OVERWRITE, effects, metrics, scope, fresh=fresh)


def _evolved(call: Call, target: ResolvedTable, statement: sql.Insert) -> Evolved:
    """The table with the columns that the query brings, where the statement asks for them."""
    if not statement.with_schema_evolution:
        return Evolved(target.table)
    assert statement.query is not None
    source = query_source(call, statement.query)
    with staging(call):
        described = engine().describe(source.text, source.tables)
    return evolved_by_insert(target.table, statement, described)


def insert_stage(
    call: Call, target: ResolvedTable, statement: sql.Insert, counting: Counting | None = None
) -> list[NewDataFile]:
    """The rows of the source as files of the table. With ``counting`` a job may count them instead."""
    call.context.step("write", f"rows of {target.label}")
    table = target.table
    with staging(call):
        schema = writing_schema(table)
        given = values_without_generated(statement, schema)
        return engine().append(
            table.table_id,
            schema,
            _source(call, given),
            columns=given.columns,
            by_name=given.by_name,
            partition=given.partition,
            fills_fields=given.with_schema_evolution,
            counting=counting,
        )


def _source(call: Call, statement: sql.Insert) -> RowSource:
    if statement.values is not None:
        return ValuesSource(statement.values)
    assert statement.query is not None
    return query_source(call, statement.query)


def _scope(
    target: ResolvedTable, statement: sql.Insert, present: Sequence[PartitionValues], written: Sequence[PartitionValues]
) -> OverwriteScope:
    """Static partition values narrow an overwrite to the partitions that have them. Without them it replaces the table,
    as in Spark's static mode. In the dynamic mode it replaces the partitions of which there are rows.
    """
    fixed = {name.casefold(): text for name, text in statement.partition or () if text is not None}
    columns = target.table.schema.partition_columns
    if statement.is_dynamic and columns and len(fixed) < len(columns):
        return OverwriteScope(tuple(dict.fromkeys(written)))
    if not fixed:
        return OverwriteScope()
    places = [place for place, column in enumerate(columns) if column.name.casefold() in fixed]
    values = engine().partition_values([columns[place] for place in places], fixed)
    if len(places) == len(columns):
        return OverwriteScope((values,))
    named = [have for have in (*present, *written) if tuple(have[place] for place in places) == values]
    return OverwriteScope(tuple(dict.fromkeys(named)))


def _require_partition_columns(target: ResolvedTable, names: Sequence[str]) -> None:
    """Refuse what PARTITION names and the table is not partitioned by."""
    columns = [column.name for column in target.table.schema.partition_columns]
    known = {column.casefold() for column in columns}
    for name in names:
        if name.casefold() not in known:
            raise InvalidValue(
                f"PARTITION names {name}, which is no partition column of {target.label}.",
                remedy=f"Its partition columns are {', '.join(columns)}." if columns else "Leave PARTITION out.",
                column=name,
                nearest=nearest_name(name, columns),
            )


def _refuse_overwrite_by_layout(target: ResolvedTable, statement: sql.Insert) -> None:
    """In the dynamic mode the rows say what is replaced. Values of transforms cannot: they are no facts of rows."""
    layout, columns = layout_shown(target.table), target.table.schema.partition_columns
    fixed = [name for name, text in statement.partition or () if text is not None]
    if statement.overwrite and statement.is_dynamic and layout and not (columns and len(fixed) == len(columns)):
        raise NotSupported(
            f"INSERT OVERWRITE cannot replace partitions of {target.label} by its rows: it is partitioned by"
            f" {', '.join(layout)}, and older files may be laid otherwise.",
            remedy="Use INSERT INTO .. REPLACE WHERE with a condition on the column, or the mode STATIC.",
        )
