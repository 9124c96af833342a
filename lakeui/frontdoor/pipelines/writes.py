"""A batch becomes rows of its table: one commit, by the operations that statements have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from catalog_app.domain.files import NewDataFile, PartitionValues
from catalog_app.domain.generated import writing_schema
from catalog_app.domain.operations import FileEffects, OperationKind, OverwriteScope
from catalog_app.domain.state import TableState
from catalog_app.engine.held_rows import held_columns, held_with_keys
from catalog_app.engine.merge_values import FrozenSource
from catalog_app.pruning.keys import all_above
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.services.files import data_files_register
from lakeui.common.errors import NotFound
from lakeui.frontdoor.call import Call, table_for_writing
from lakeui.frontdoor.columns.evolving import Evolved, with_columns
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import appended_rows_check, staged_rows_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.pipelines.batches import are_alike
from lakeui.frontdoor.pipelines.deletes import deletes_bound, deletes_keep
from lakeui.frontdoor.pipelines.stored_versions import may_hold_open
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.rows.merge_into import Kept, merge_from
from lakeui.frontdoor.rows.writes import commit_rows, write_metrics
from lakeui.frontdoor.tables.create_table import create_table_as
from lakeui.sql import statements as sql
from lakeui.sql.parse import parse
from lakeui.sql.query import build_query
from merge_app.pipelines.definition import merge_statements, versions, writes
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.writes import BatchWrite


def write_batch(
    call: Call, write: BatchWrite, table: TableState | None, target: sql.TableName, batch: FrozenSource
) -> StatementResult:
    """Write the batch as the strategy says. A batch without rows changes nothing, unless it may empty."""
    if table is None:
        return _create(call, write, target, batch)
    strategy = write.configuration.strategy
    if not batch.rows and not write.may_empty:
        return StatementResult(version=call.snapshot.version, metrics=write_metrics())
    match strategy:
        case Strategy.FULL_REFRESH:
            return _insert(call, write, target, batch, overwrites=True)
        case Strategy.APPEND_ONLY:
            return _insert(call, write, target, batch, overwrites=False)
        case Strategy.SNAPSHOT:
            return _snapshot(call, write, table, target, batch)
        case Strategy.INCREMENTAL:
            later = replace(write, is_later=_is_later(call, write, table, batch))
            with deletes_bound(call, later, table) as (bound, known):
                return _merge(
                    bound,
                    known,
                    merge_statements.merge_latest(known),
                    batch,
                    kept=deletes_keep(bound, known, batch.rows),
                )
        case Strategy.DELETE_INSERT:
            text = merge_statements.replace_keys(write, write.keys)
            return _merge(call, write, text, batch, computed=_with_keys(write, batch))
        case Strategy.SCD2:
            return _versions(call, write, table, batch)


def _create(call: Call, write: BatchWrite, target: sql.TableName, batch: FrozenSource) -> StatementResult:
    """The first run makes the table."""
    partition = write.configuration.text("partition_column")
    match write.configuration.strategy:
        case Strategy.INCREMENTAL:
            if write.key_strategy == "update":
                raise NotFound("table", f"{target.database}.{target.table}", where="whose rows could be updated")
            text = writes.lasting_rows(write)
        case Strategy.SCD2:
            text = versions.versions(write, with_stored=False)
        case _:
            text = writes.plain_rows(write)
    partition_by = (partition,) if write.configuration.strategy is Strategy.SNAPSHOT and partition else ()
    statement = sql.CreateTable(target, partition_by=partition_by, query=build_query(text))
    kept = deletes_keep(call, write, batch.rows)
    return create_table_as(call, statement, keep=None if kept is None else kept.write)


def _is_later(call: Call, write: BatchWrite, table: TableState, batch: FrozenSource) -> bool:
    """Whether statistics say that no stored row is as late as any of the batch."""
    name = write.configuration.text("watermark_column")
    column = table.schema.named(name) if name else None
    if column is None or batch.table is None:
        return False
    places = [index for index, (given, _) in enumerate(batch.columns) if given.casefold() == column.name.casefold()]
    segments = segments_list(call.snapshot, table.table_id)
    kind, values = batch.columns[places[0]][1], batch.table.column(places[0])
    return all_above(column, kind, values, (segment.statistics for segment in segments))


def _versions(call: Call, write: BatchWrite, table: TableState, batch: FrozenSource) -> StatementResult:
    # Two open versions of a key begin at different times: the key alone says that others wrote one too.
    keys = frozenset(map(str.casefold, write.keys))
    if write.needs_versions:
        return _merge(call, write, versions.merge_versions(write), batch, told_apart_by=keys)
    until = table.schema.named(write.times[1])
    return _merge(
        call,
        write,
        versions.merge_successors(write),
        batch,
        told_apart_by=keys,
        supersedes=True,
        concerns=lambda segment: may_hold_open(write, segment, until),
    )


def _merge(
    call: Call,
    write: BatchWrite,
    text: str,
    batch: FrozenSource,
    *,
    computed: FrozenSource | None = None,
    told_apart_by: frozenset[str] | None = None,
    supersedes: bool = False,
    concerns: Callable[[SegmentState], bool] = lambda _: True,
    kept: Kept | None = None,
) -> StatementResult:
    """``computed``: the rows of the statement's source, where they are here. Else that may be the batch itself."""
    statement = parse(text)
    assert isinstance(statement, sql.MergeInto)
    target = table_for_writing(call, statement.table)
    return merge_from(
        call,
        statement,
        target,
        query_source(call, statement.source),
        told_apart_by=told_apart_by,
        dropped=_dropped(write, target.table),
        supersedes=supersedes,
        computed=batch if write.takes_batch else computed,
        concerns=concerns,
        fills_fields=True,
        kept=kept,
    )


def _with_keys(write: BatchWrite, batch: FrozenSource) -> FrozenSource | None:
    """What ``replace_keys`` reads, made of rows that are here: Spark would compute and write down the same ones."""
    rows = held_columns(batch, write.names)
    wanted = {name.casefold() for name in write.keys}
    if rows is None or not are_alike(kind for name, kind in rows.columns if name.casefold() in wanted):
        return None
    return held_with_keys(rows, write.keys, mark=writes.PART, row="row", key="key")


def _snapshot(
    call: Call, write: BatchWrite, table: TableState, target: sql.TableName, batch: FrozenSource
) -> StatementResult:
    """Partitions are replaced as a whole; where the table is partitioned otherwise, rows of the same values are."""
    column = str(write.configuration.text("partition_column"))
    names = [partition.name.casefold() for partition in table.schema.partition_columns]
    if names == [column.casefold()]:
        named = [
            engine().partition_values(table.schema.partition_columns, {column: value.sql}) for value in write.partitions
        ]
        return _insert(call, write, target, batch, overwrites=True, only_present=True, named=named)
    return _merge(call, write, merge_statements.replace_keys(write, (column,)), batch)


# -- INSERT and INSERT OVERWRITE --------------------------------------------------------------------------------------


def _insert(
    call: Call,
    write: BatchWrite,
    name: sql.TableName,
    batch: FrozenSource,
    *,
    overwrites: bool,
    only_present: bool = False,
    named: Sequence[PartitionValues] = (),
) -> StatementResult:
    """Append the batch, in place of the table's rows or of those of its partitions if it ``overwrites``. These are
    the ``named`` ones, if any are.
    """
    target = table_for_writing(call, name)
    fresh = _evolved(write, target.table)
    staged = _staged(call, write, target.table.table_id, fresh.table, batch)
    segments = segments_list(target.place.snapshot, target.table.table_id) if overwrites else []
    present = tuple(named) or tuple(dict.fromkeys(file.partition for file in staged))
    replaced = [s for s in segments if not only_present or s.partition in present]
    seen = replace(target, table=fresh.table)
    if overwrites:
        staged_rows_check(seen, staged, [s for s in segments if s not in replaced])
    else:
        appended_rows_check(seen, staged)
    if only_present and not staged and not replaced:
        return StatementResult(version=call.snapshot.version, metrics=write_metrics())
    effects = FileEffects(data_files_register(target.table.table_id, staged), tuple(s.file_id for s in replaced))
    metrics = write_metrics(
        rows_inserted=sum(file.rows for file in staged),
        files_added=len(staged),
        files_removed=len(replaced),
        bytes_written=sum(file.bytes for file in staged),
    )
    if not overwrites:
        return commit_rows(call, target, "INSERT", OperationKind.INSERT, effects, metrics, fresh=fresh)
    scope = OverwriteScope(present) if only_present else OverwriteScope()
    return commit_rows(call, target, "INSERT OVERWRITE", OperationKind.OVERWRITE, effects, metrics, scope, fresh=fresh)


def _staged(call: Call, write: BatchWrite, table_id: int, table: TableState, batch: FrozenSource) -> list[NewDataFile]:
    """Files with the rows of the batch, in the columns of ``table``."""
    return engine().append(
        table_id,
        writing_schema(table),
        query_source(call, build_query(writes.plain_rows(write))),
        columns=None,
        by_name=True,
        partition=None,
        fills_fields=True,
        held=held_columns(batch, write.names),
    )


def _evolved(write: BatchWrite, table: TableState) -> Evolved:
    if not write.evolves:
        return Evolved(table)
    return with_columns(table, dict(write.columns), dropped=_dropped(write, table))


def _dropped(write: BatchWrite, table: TableState) -> tuple[str, ...]:
    """The columns that the query does not give any more, where they are to go with that. Generated and identity columns
    stay: no query gives these.
    """
    if write.configuration.text("on_schema_change") != "sync":
        return ()
    given = {name.casefold() for name in write.names}
    if write.configuration.strategy is Strategy.SCD2:
        given |= {name.casefold() for name in write.configuration.filled.values()}
    columns = (column for column in writing_schema(table).columns if not (column.generated or column.identity))
    return tuple(column.name for column in columns if column.name.casefold() not in given)
