"""Rows of either side that may lack a value of a required column (A6.2), judged on live rows only.

Statistics answer for most files. The engine is asked only where deletes hide which rows are left, or statistics are
missing, and only for columns that a side made required.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.operations import ObjectKind, OperationKind
from catalog_app.domain.schema import Column, Schema
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.added_rows import EngineSource, added_rows_load, coming_rows_load
from merge_app.planning.files import effects_of
from merge_app.planning.needs import columns_required
from merge_app.planning.sides import sides_of
from merge_app.planning.spared import derived_of_spared
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import ArrivedFile, DivergedFile, PlanInput, SchemaCoverage

_EMPTYING = (OperationKind.DELETE, OperationKind.UPDATE)


def coverage_load(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    tables: Collection[int],
    diverged: Mapping[int, tuple[DivergedFile, ...]],
    arrived: Mapping[int, tuple[ArrivedFile, ...]],
    masks: Mapping[int, Collection[int]],
    engine: EngineSource,
) -> dict[int, tuple[SchemaCoverage, ...]]:
    """By table, the coverage of the rows that each side added or updated; of the source's, those that come over, of the
    destination's, those that stay. ``diverged``, ``arrived`` and ``masks`` are those of ``TableFacts``.
    """
    if not tables:
        return {}
    required = columns_required(planned)
    found = {}
    for table_id in tables:
        mine = coming_rows_load(planned, table_id, source, destination, diverged.get(table_id, ()), engine)
        theirs = _staying(planned, destination, table_id, arrived.get(table_id, ()), masks.get(table_id, {}), engine)
        found[table_id] = tuple(
            item
            for side, files in (("source", mine), ("destination", theirs))
            for item in _side_coverage(table_id, side, files, required[table_id], engine)
        )
    return found


def _staying(
    planned: PlanInput,
    destination: Snapshot,
    table_id: int,
    arrived: Sequence[ArrivedFile],
    masks: Collection[int],
    engine: EngineSource,
) -> Sequence[FileScan]:
    """What the destination added and the merge leaves: where the source overwrote the whole table, what that spares,
    and of files that a restore put back, the rows that the source did not delete.
    """
    sides, key = sides_of(planned), (ObjectKind.TABLE, table_id)
    source, past = sides.source[key], sides.destination_of(*key).past
    deletes = [item.delete_file_id for operation in source.history for item in effects_of(operation).deletes]
    table = planned.tables[table_id]
    files = added_rows_load(table_id, planned.destination, destination, table, engine, further_deletes=deletes)
    by_facts = table_id in planned.lineage_tables
    if source.sweeps_all if by_facts else source.overwrites_all:
        kept = derived_of_spared(past, arrived)
        return [file for file in files if file.file_id in kept]
    emptied = {
        file_id
        for operation in source.history
        for file_id in effects_of(operation).removed
        if operation.kind in _EMPTYING or (by_facts and RESTORED_VERSION in operation.metrics)
    }
    return [file for file in files if file.file_id not in emptied or file.file_id in masks]


def _side_coverage(
    table_id: int, side: str, files: Sequence[FileScan], required: frozenset[int], engine: EngineSource
) -> list[SchemaCoverage]:
    by_schema: dict[Schema, list[FileScan]] = {}
    for file in files:
        by_schema.setdefault(file.schema, []).append(file)
    covered = []
    for schema, group in by_schema.items():
        live = _live_rows(table_id, schema, group, required, engine)
        covered.append(SchemaCoverage(side, schema, live, _nulls(table_id, schema, group, required, engine)))
    return covered


def _live_rows(
    table_id: int, schema: Schema, files: Sequence[FileScan], required: frozenset[int], engine: EngineSource
) -> int:
    """How many rows the files have left; deletes are read only where the schema lacks a required column."""
    masked = tuple(file for file in files if file.delete_paths)
    if masked and any(schema.column(identifier) is None for identifier in required):
        whole = sum(file.rows for file in files if not file.delete_paths)
        return whole + engine().live_rows(TableScan(table_id, schema, masked))
    return sum(file.rows for file in files)


def _nulls(
    table_id: int, schema: Schema, files: Sequence[FileScan], required: frozenset[int], engine: EngineSource
) -> Mapping[int, int]:
    """Live rows with NULL by the id under which the files hold a required column."""
    columns = {column.id: column for i in required if (column := schema.column(i)) is not None}
    doubtful = tuple(file for file in files if any(_is_doubtful(file, column) for column in columns.values()))
    sure = [file for file in files if file not in doubtful]
    nulls = {i: sum((file.statistics or {})[i].nulls for file in sure) for i in columns}
    if doubtful:
        names = {column.name: column.id for column in columns.values()}
        counted = engine().null_counts(TableScan(table_id, schema, doubtful), list(names))
        for name, count in counted.items():
            nulls[names[name]] += count
    return {identifier: count for identifier, count in nulls.items() if count}


def _is_doubtful(file: FileScan, column: Column) -> bool:
    known = (file.statistics or {}).get(column.id)
    return known is None or bool(known.nulls and file.delete_paths)
