"""Statements on rows: read, insert, overwrite, delete, update, truncate, compact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from catalog_app.domain.checks import CLUSTERING
from catalog_app.domain.files import NewDataFile, NewDeleteFile, PartitionValues, TableScan
from catalog_app.domain.generated import writing_schema
from catalog_app.domain.layout import clustering_of, is_laid, layout_shown, order_of, with_layout
from catalog_app.domain.operations import (
    FileEffects,
    Operation,
    OperationKind,
    OverwriteScope,
)
from catalog_app.domain.state import TableState
from catalog_app.domain.transforms import FileLayout
from catalog_app.domain.types import untyped_path, value_type
from catalog_app.engine.copying import Copied, Marks
from catalog_app.engine.values import QuerySource, RowSource, ValuesSource
from catalog_app.pruning.predicates import ANYTHING, Predicate
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register, delete_files_register
from catalog_app.services.publishing import files_refused
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.common.faults import fault_point
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.analysis import assigned_columns, rows_analyse
from lakeui.frontdoor.checks import appended_rows_check, staged_fit, staged_rows_check
from lakeui.frontdoor.committing import commit_operations
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.ddl import commit_table, create_operation, new_table
from lakeui.frontdoor.evolving import Evolved
from lakeui.frontdoor.field_values import all_columns
from lakeui.frontdoor.generated import values_without_generated, with_generated
from lakeui.frontdoor.keys import assigns_key, refuse_duplicate_keys, without_changed_rows
from lakeui.frontdoor.layout_properties import clustering_kept
from lakeui.frontdoor.places import Call, TablePlace, scan_for_copies, table_for_writing
from lakeui.frontdoor.pruning import pruned
from lakeui.frontdoor.queries import query_source, subquery_tables
from lakeui.frontdoor.values import StatementResult
from lakeui.frontdoor.write_modes import FileCopies, copied_files, copies_files
from lakeui.sql import statements as sql
from lakeui.sql.query import condition_columns
from merge_app.execution.apply import Applied, StagedDefinition
from merge_app.execution.deleted_keys import tombstones_find

ROW_LIMIT = 10_000
"""A SELECT answers with at most so many rows, and says when there were more."""

TARGET_BYTES = 128 * 1024 * 1024
"""What OPTIMIZE aims at; files of at least half of it are left alone."""


def select(call: Call, statement: sql.Select) -> StatementResult:
    source = query_source(call, statement.query)
    with interruptible(call.context):
        found = engine().select(source.text, source.tables, limit=ROW_LIMIT)
    return StatementResult(
        columns=list(found.columns),
        rows=found.rows,
        row_count=len(found.rows),
        truncated=found.truncated,
        version=call.snapshot.version if call.session.catalog else None,
    )


@contextmanager
def staging(call: Call) -> Iterator[None]:
    """Work on Spark that stages files."""
    fault_point("write.begin")
    with interruptible(call.context):
        yield
    fault_point("write.staged")


def definition_of(target: TablePlace) -> dict[int, StagedDefinition]:
    """The schema version that files written now lie under."""
    assert target.definition_id, "a table that is being made has no definition yet"
    return {target.table.table_id: StagedDefinition(target.definition_id, target.table.schema_version)}


def _source(call: Call, statement: sql.Insert) -> RowSource:
    if statement.values is not None:
        return ValuesSource(statement.values)
    assert statement.query is not None
    return query_source(call, statement.query)


def insert(call: Call, statement: sql.Insert) -> StatementResult:
    target = table_for_writing(call, statement.table)
    _require_partition_columns(target, [name for name, _ in statement.partition or ()])
    _refuse_overwrite_by_layout(target, statement)
    staged = insert_stage(call, target, statement)
    added = data_files_register(target.table.table_id, staged)
    rows = sum(file.rows for file in added)
    metrics = write_metrics(rows_inserted=rows, files_added=len(added), bytes_written=bytes_of(staged))
    if not statement.overwrite:
        if not added:
            return StatementResult(version=target.place.snapshot.version, metrics=metrics)
        appended_rows_check(target, staged)
        return commit_rows(call, target, "INSERT", OperationKind.INSERT, FileEffects(added), metrics)
    scope = _scope(target, statement, staged)
    segments = segments_list(target.place.snapshot, target.table.table_id)
    replaced = [s for s in segments if scope.partitions is None or s.partition in scope.partitions]
    removed = tuple(segment.file_id for segment in replaced)
    staged_rows_check(target, staged, [segment for segment in segments if segment not in replaced])
    metrics["files_removed"] = len(removed)
    if not (added or removed or (scope.partitions is None and _has_tombstones(target))):
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(added, removed)
    return commit_rows(call, target, "INSERT OVERWRITE", OperationKind.OVERWRITE, effects, metrics, scope)


def _has_tombstones(target: TablePlace) -> bool:
    """Whether deletes of a pipeline or files of COPY INTO count, which go with all rows, also where there are none."""
    return bool(tombstones_find(target.place.snapshot, target.table.table_id))


def _require_partition_columns(target: TablePlace, names: Sequence[str]) -> None:
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


def _refuse_overwrite_by_layout(target: TablePlace, statement: sql.Insert) -> None:
    """In the dynamic mode the rows say what is replaced. Values of transforms cannot: they are no facts of rows."""
    layout, columns = layout_shown(target.table), target.table.schema.partition_columns
    fixed = [name for name, text in statement.partition or () if text is not None]
    if statement.overwrite and statement.is_dynamic and layout and not (columns and len(fixed) == len(columns)):
        raise NotSupported(
            f"INSERT OVERWRITE cannot replace partitions of {target.label} by its rows: it is partitioned by"
            f" {', '.join(layout)}, and older files may be laid otherwise.",
            remedy="Use INSERT INTO .. REPLACE WHERE with a condition on the column, or the mode STATIC.",
        )


def insert_stage(call: Call, target: TablePlace, statement: sql.Insert) -> list[NewDataFile]:
    """The rows of the source as files of the table."""
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
        )


def _scope(target: TablePlace, statement: sql.Insert, staged: Sequence[NewDataFile]) -> OverwriteScope:
    """Static partition values narrow an overwrite to their partitions; without them it replaces the table, as in
    Spark's static mode, and in its dynamic mode the partitions of which there are rows.
    """
    fixed = [(name, text) for name, text in statement.partition or () if text is not None]
    columns = target.table.schema.partition_columns
    if statement.is_dynamic and columns and len(fixed) < len(columns):
        return OverwriteScope(tuple(dict.fromkeys(file.partition for file in staged)))
    if not fixed:
        return OverwriteScope()
    if len(fixed) == len(columns):
        texts = engine().partition_values(columns, dict(fixed))
        return OverwriteScope((texts,))
    raise InvalidValue(
        "An overwrite names either every partition column or none.",
        remedy="Write PARTITION (" + ", ".join(f"{column.name} = .." for column in columns) + ").",
    )


METRICS = (
    "rows_inserted",
    "rows_updated",
    "rows_deleted",
    "rows_copied",
    "files_scanned",
    "files_skipped",
    "files_rewritten",
    "files_added",
    "files_removed",
    "files_reused",
    "bytes_written",
)
"""What every write names (interfaces §2)."""


def write_metrics(**known: int) -> dict[str, int]:
    """Every metric of a write, those that are not said as 0."""
    return dict.fromkeys(METRICS, 0) | known


def bytes_of(*staged: Sequence[NewDataFile | NewDeleteFile]) -> int:
    return sum(file.bytes for files in staged for file in files)


def commit_rows(
    call: Call,
    target: TablePlace,
    name: str,
    kind: OperationKind,
    effects: FileEffects,
    metrics: dict[str, int],
    scope: OverwriteScope | None = None,
    copies: Operation | None = None,
    fresh: Evolved | None = None,
) -> StatementResult:
    """Commit one data operation on the table, its files staged under the table's present schema version, or under the
    ``fresh`` one that comes with it. ``copies`` is the compaction by which copy-on-write puts the touched files right.
    """
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    table, fresh = target.table, fresh or Evolved(target.table)
    own = {name: count - (copies.metrics.get(name, 0) if copies else 0) for name, count in metrics.items()}
    done = alterations.operation(table, kind, effects=effects, overwrite=scope, metrics=own)
    return commit_operations(
        call,
        branch=target.place.branch,
        seen=target.place.snapshot,
        operation=name,
        operations=[fresh.change, done, copies],
        databases={target.place.database.database_id: target.place.database},
        tables={table.table_id: fresh.table},
        definitions=definition_of(target),
        metrics=metrics,
    )


def delete(call: Call, statement: sql.Delete) -> StatementResult:
    target = table_for_writing(call, statement.table)
    segments = segments_list(target.place.snapshot, target.table.table_id)
    chosen = pruned(segments, target.table.schema.columns, _predicate(statement.where))
    call.context.step("find rows", f"{len(chosen)} of {len(segments)} files of {target.label}")
    scan = table_scan(target.place.snapshot, target.table, chosen)
    text, alias = statement.where.text if statement.where else None, statement.alias or target.table.name
    tables = subquery_tables(call, statement.subqueries)
    with staging(call):
        rows_analyse(call.text, target.table.schema, alias, statement.where, tables=tables)
        changes = engine().delete(scan, text, alias=alias, tables=tables)
        copied = touched_copy(target, "delete", scan, Marks((), changes.delete_files, ()))
    deletes = delete_files_register(target.table.table_id, changes.delete_files)
    copies = copied_files(target.table, copied, ())
    metrics = row_metrics(
        segments,
        chosen,
        changes.emptied,
        copies,
        rows_deleted=changes.rows,
        bytes_written=bytes_of(changes.delete_files),
    )
    if not changes.rows:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(removed=changes.emptied, deletes=deletes)
    return commit_rows(call, target, "DELETE", OperationKind.DELETE, effects, metrics, copies=copies.operation)


def _predicate(where: sql.Condition | None) -> Predicate:
    return where.predicate if where is not None else ANYTHING


def touched_copy(target: TablePlace, statement: str, scan: TableScan, marks: Marks) -> Copied:
    """The touched files written anew, where the table asks for that."""
    if not copies_files(target.table, statement):
        return Copied()
    return engine().copy(scan_for_copies(target.place, scan), marks)


def row_metrics(
    segments: Sequence[SegmentState],
    chosen: Sequence[SegmentState],
    removed: Sequence[int],
    copies: FileCopies | None = None,
    **known: int,
) -> dict[str, int]:
    """Metrics of a statement that looked at ``chosen``, took ``removed`` away and made ``copies`` of others."""
    own = write_metrics(
        files_scanned=len(chosen),
        files_skipped=len(segments) - len(chosen),
        files_removed=len(removed),
        files_reused=len(segments) - len(removed) - (copies.removed if copies else 0),
        **known,
    )
    more = copies.operation.metrics if copies and copies.operation else {}
    return {name: count + more.get(name, 0) for name, count in own.items()}


def update(call: Call, statement: sql.Update) -> StatementResult:
    target = table_for_writing(call, statement.table)
    table = target.table
    segments = segments_list(target.place.snapshot, table.table_id)
    chosen = pruned(segments, table.schema.columns, _predicate(statement.where))
    call.context.step("rewrite rows", f"{len(chosen)} of {len(segments)} files of {target.label}")
    scan = table_scan(target.place.snapshot, table, chosen)
    text, alias = statement.where.text if statement.where else None, statement.alias or table.name
    assignments = with_generated(writing_schema(table), all_columns(table.schema, statement, alias), alias)
    assigned = assigned_columns(table.schema, assignments, target.label)
    tables = subquery_tables(call, statement.subqueries)
    with staging(call):
        kinds = rows_analyse(call.text, table.schema, alias, statement.where, assigned, tables=tables)
        changes = engine().update(scan, assignments, text, alias=alias, kinds=kinds, tables=tables)
        staged_fit(target, changes.images)
        if assigns_key(table.schema, [name for name, _ in assignments]):
            refuse_duplicate_keys(target, changes.images, without_changed_rows(segments, changes))
        copied = touched_copy(target, "update", scan, Marks(changes.delete_files, (), changes.images))
    deletes = delete_files_register(table.table_id, changes.delete_files)
    images = data_files_register(table.table_id, changes.images)
    copies = copied_files(table, copied, images)
    metrics = row_metrics(
        segments,
        chosen,
        changes.emptied,
        copies,
        rows_updated=changes.rows,
        files_added=len(images) - len(copies.folded),
        bytes_written=bytes_of(changes.delete_files, changes.images),
    )
    if not changes.rows:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    effects = FileEffects(added=images, removed=changes.emptied, deletes=deletes)
    return commit_rows(call, target, "UPDATE", OperationKind.UPDATE, effects, metrics, copies=copies.operation)


def truncate(call: Call, statement: sql.Truncate) -> StatementResult:
    target = table_for_writing(call, statement.table)
    segments = segments_list(target.place.snapshot, target.table.table_id)
    if not segments and not _has_tombstones(target):
        return StatementResult(version=target.place.snapshot.version, metrics=write_metrics())
    removed = tuple(segment.file_id for segment in segments)
    metrics = write_metrics(files_removed=len(removed))
    effects = FileEffects(removed=removed)
    return commit_rows(call, target, "TRUNCATE", OperationKind.OVERWRITE, effects, metrics, OverwriteScope())


def optimize(call: Call, statement: sql.Optimize) -> StatementResult:
    """Compact small files and files with deletes, partition by partition. Files that other engines would read
    otherwise than lakeui (column ids, moved partitions) are written anew, too.
    """
    target = table_for_writing(call, statement.table)
    table = target.table
    if statement.where is not None:
        _refuse_other_columns(target, statement.where)
    segments = segments_list(target.place.snapshot, table.table_id)
    looked_at = pruned(segments, table.schema.columns, _predicate(statement.where))
    order = _order_asked(target, statement) or clustering_of(table.properties)
    if statement.order_by:
        chosen = looked_at
    else:
        due = files_refused(table.schema, looked_at) | _laid_otherwise(table, looked_at, order)
        chosen = _worth_compacting(looked_at, due)
    metrics = row_metrics(segments, chosen, [segment.file_id for segment in chosen])
    if not chosen:
        return StatementResult(version=target.place.snapshot.version, metrics=metrics)
    call.context.step("compact", f"{len(chosen)} of {len(segments)} files of {target.label}")
    with staging(call):
        scan = scan_for_copies(target.place, table_scan(target.place.snapshot, table, chosen))
        staged = engine().compact(scan, target_bytes=TARGET_BYTES, order_by=order)
    added = data_files_register(table.table_id, staged)
    metrics |= {"files_added": len(added), "bytes_written": bytes_of(staged)}
    effects = FileEffects(added, tuple(segment.file_id for segment in chosen))
    return commit_rows(call, target, "OPTIMIZE", OperationKind.COMPACTION, effects, metrics)


def _order_asked(target: TablePlace, statement: sql.Optimize) -> tuple[int, ...]:
    """The ids of the columns of ZORDER BY."""
    if len(set(map(str.casefold, statement.order_by))) < len(statement.order_by):
        raise InvalidValue("ZORDER BY names a column twice.", remedy="Name it once.")
    stored = clustering_kept(statement.order_by, target.table.schema, target.label)
    return clustering_of({CLUSTERING: stored})


def _laid_otherwise(table: TableState, segments: Sequence[SegmentState], order: tuple[int, ...]) -> frozenset[int]:
    """Files that lie otherwise than the table says by now."""
    schema = with_layout(table.schema, table.properties)
    return frozenset(
        segment.file_id
        for segment in segments
        if not is_laid(segment.layout, schema) or (order and order_of(segment.layout) != order)
    )


def _refuse_other_columns(target: TablePlace, where: sql.Condition) -> None:
    """What is compacted is chosen by partition."""
    names = {column.name.casefold() for column in target.table.schema.partition_columns}
    others = sorted(condition_columns(where) - names)
    if others:
        raise InvalidValue(
            f"OPTIMIZE chooses by partition, and {others[0]} is no partition column of {target.label}.",
            remedy="Compare partition columns only, or leave WHERE out.",
        )


def _worth_compacting(segments: Sequence[SegmentState], refused: Collection[int]) -> list[SegmentState]:
    """Files with deletes, those that are due otherwise, and small files that are not alone at their place."""
    small: dict[tuple[PartitionValues, FileLayout], list[SegmentState]] = {}
    due = {segment.file_id for segment in segments if segment.delete_paths} | set(refused)
    for segment in segments:
        if segment.file_id in due or segment.bytes < TARGET_BYTES // 2:
            small.setdefault((segment.partition, segment.layout), []).append(segment)
    return [s for group in small.values() if len(group) > 1 or group[0].file_id in due for s in group]


def _refuse_untyped(described: Sequence[tuple[str, str]]) -> None:
    """Refuse columns and fields of a query of which nothing says what type they are."""
    for name, kind in described:
        path = untyped_path(value_type(kind), name)
        if path is not None:
            raise InvalidValue(
                f"{path} has no type: the query gives nothing but NULL, or no element.",
                remedy="Give it one, for example CAST(NULL AS STRING) or CAST(array() AS ARRAY<INT>).",
                column=path,
            )


def query_columns(source: QuerySource) -> list[sql.ColumnDefinition]:
    """The columns of a table that is made of a query."""
    described = engine().columns_made(source.text, source.tables)
    _refuse_untyped(described)
    return [sql.ColumnDefinition(name, kind) for name, kind in described]


def query_stage(call: Call, table: TableState, source: QuerySource) -> list[NewDataFile]:
    """The rows of a query as files of the table that is made of it."""
    with staging(call):
        return engine().append(
            table.table_id, writing_schema(table), source, columns=None, by_name=False, partition=None
        )


def create_table_as(
    call: Call, statement: sql.CreateTable, *, keep: Callable[[TablePlace, Applied], None] | None = None
) -> StatementResult:
    """``keep`` writes more of the table in the transaction that makes it."""
    assert statement.query is not None
    source = query_source(call, statement.query)
    created = new_table(call, statement, query_columns(source))
    table = created.table
    staged = query_stage(call, table, source)
    staged_rows_check(created, staged, [])
    added = data_files_register(table.table_id, staged)
    inserted_rows = sum(file.rows for file in added)
    metrics = write_metrics(rows_inserted=inserted_rows, files_added=len(added), bytes_written=bytes_of(staged))
    rows: list[Operation | None] = [create_operation(table)]
    if added:
        inserted = alterations.operation(table, OperationKind.INSERT, effects=FileEffects(added), metrics=metrics)
        rows.append(inserted)
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    kept = None if keep is None else partial(keep, created)
    result = commit_table(call, created, "CREATE TABLE AS SELECT", rows, keep=kept)
    return replace(result, metrics=metrics)
