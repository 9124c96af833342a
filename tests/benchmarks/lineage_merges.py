"""Merges by lineage of tables of many rows, from the two branches to the commit. Files are written by pyarrow and
registered by the product's services: nothing needs Spark, and neither does a merge that reads no data column.

Each case is merged in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from tests.benchmarks.lake import Figure, peak_memory

FILES = 20
ROUNDS = 3
LINEAGE_COLUMNS = frozenset({"_row_id", "pos"})
COLUMNS = {"id": "BIGINT", "amount": "DOUBLE", "customer": "STRING"}


def figures(*, rows: int) -> Iterator[Figure]:
    yield from _figures(f"{rows:,} rows compacted x 1% updated", _compacted(rows), (3.0, 500))
    changed = min(100_000, rows // 40)
    what = f"{changed:,} x {changed:,} changed rows beside"
    many = list(_figures(f"{what} {rows:,}", _both_changed(rows, changed), (2.0, 300)))
    few = list(_figures(f"{what} {rows // 10:,}", _both_changed(rows // 10, changed), (None, None)))
    yield from (*many, *few)
    yield Figure("the same change beside 10x more rows, ratio", many[0].value / few[0].value, at_most=1.3)


def _figures(what: str, table: RowTable, at_most: tuple[float | None, float | None]) -> Iterator[Figure]:
    for number in range(ROUNDS):
        table.sql(f"CREATE BRANCH into{number}")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, busy, grown, statements, read = pool.apply(_merges, (table.catalog,))
    yield Figure(f"merge, {what}: s", seconds, at_most=at_most[0])
    yield Figure(f"merge, {what}: s of the processor in the worker", busy)
    yield Figure(f"merge, {what}: MB above the peak before", grown, at_most=at_most[1])
    yield Figure(f"merge, {what}: statements", statements)
    yield Figure(f"merge, {what}: data columns read", len(read), at_most=0)


def _merges(catalog: str) -> tuple[float, float, float, int, frozenset[str]]:
    """Median seconds, those of the processor, the growth of the peak of memory in MB, statements, and columns of the
    table that were read.
    """
    import django
    import pyarrow.parquet as pq

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
    django.setup()
    from django.db import connection

    from catalog_app.selectors.snapshots import branch_get, catalog_get
    from lakeui.frontdoor.compute import engine
    from merge_app.execution.apply import CommitHeader
    from merge_app.execution.merge import merge_run
    from merge_app.execution.merge_command import MergeCommand
    from merge_app.jobs.context import Context

    read: set[str] = set()
    statements: list[str] = []
    whole = pq.ParquetFile.read

    def noted(file: Any, *arguments: Any, columns: Sequence[str] | None = None, **options: Any) -> Any:
        read.update(file.schema_arrow.names if columns is None else columns)
        return whole(file, *arguments, columns=columns, **options)

    def counted(execute: Any, query: str, *rest: Any) -> Any:
        statements.append(query)
        return execute(query, *rest)

    source = branch_get(catalog_get(catalog), "changed").pk
    taken, busy, before = [], [], peak_memory()
    with patch.object(pq.ParquetFile, "read", noted), connection.execute_wrapper(counted):
        for number in range(ROUNDS):
            command = MergeCommand(source, branch_get(catalog_get(catalog), f"into{number}").pk, CommitHeader("MERGE"))
            statements.clear()
            began, worked = time.perf_counter(), time.process_time()
            done = merge_run(command, engine, Context())
            taken.append(time.perf_counter() - began)
            busy.append(time.process_time() - worked)
            assert done["outcome"] == "merged"
    grown = (peak_memory() - before) / 1e6
    return statistics.median(taken), statistics.median(busy), grown, len(statements), frozenset(read & COLUMNS.keys())


class RowTable:
    """One catalog with table d.t of ``rows`` rows in ``FILES`` files; branches are changed by row id, which is the
    number of the row.
    """

    def __init__(self, rows: int) -> None:
        from catalog_app.models import Table

        self.catalog = f"bench_{secrets.token_hex(4)}"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        self.sql(f"CREATE TABLE d.t ({columns}) TBLPROPERTIES ('merge.conflicts' = 'row')")
        newest = Table.objects.order_by("-pk").first()
        assert newest is not None
        self.table_id = newest.pk
        for ids in np.split(np.arange(rows), FILES):
            self.commit("main", "insert", added=self._written([ids], None))
        self.files = self._shown("main")

    def sql(self, text: str, branch: str = "main") -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog, branch=branch))

    def update(self, branch: str, ids: Any) -> None:
        """The rows get new images, in one file."""
        self.commit(branch, "update", added=self._written([ids], 0), deletes=self._marked(ids))

    def delete(self, branch: str, ids: Any) -> None:
        self.commit(branch, "delete", deletes=self._marked(ids))

    def compact(self, branch: str, into: int) -> None:
        """All rows as they were inserted, in so many files with their stamps."""
        shown = self._shown(branch)
        stamps = np.concatenate([np.full(file.rows, segment.stamp) for file, segment in shown])
        added = self._written(np.split(np.arange(len(stamps)), into), stamps)
        self.commit(branch, "compaction", added=added, removed=tuple(file.pk for file, _ in shown))

    def commit(self, branch_name: str, kind: str, **effects: Any) -> None:
        from catalog_app.domain.operations import FileEffects, ObjectKind, Operation, OperationKind
        from catalog_app.selectors.objects import databases_load, tables_load
        from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
        from lakeui.frontdoor.compute import engine
        from merge_app.execution.apply import CommitHeader
        from merge_app.execution.commit import StatementDraft, statement_commit
        from merge_app.execution.staged import StagedDefinition

        branch = branch_get(catalog_get(self.catalog), branch_name)
        seen = branch_snapshot(branch)
        states = tables_load(seen, [self.table_id])
        state = states[self.table_id]
        operation = Operation(OperationKind(kind), ObjectKind.TABLE, self.table_id, effects=FileEffects(**effects))
        staged = StatementDraft(
            branch.pk,
            seen,
            (operation,),
            databases_load(seen, [state.database_id]),
            states,
            {self.table_id: StagedDefinition(self._definition(state.schema_version), state.schema_version)},
        )
        statement_commit(staged, CommitHeader(kind.upper()), engine)

    def _definition(self, version: int) -> int:
        from catalog_app.models import TableSchemaHistory

        return TableSchemaHistory.objects.get(table_id=self.table_id, version=version).definition_id

    def _shown(self, branch_name: str) -> list[tuple[Any, Any]]:
        from catalog_app.models import Segment

        shown = Segment.objects.filter(table_id=self.table_id, branch__name=branch_name).select_related("file")
        return [(segment.file, segment) for segment in shown.order_by("file__base")]

    def _written(self, parts: Sequence[Any], stamps: Any) -> Any:
        """Files of rows; ``stamps``: None where the rows are new, 0 where they have the stamp of the commit."""
        from django.conf import settings

        from catalog_app.engine.decoding import internal_name
        from catalog_app.engine.writing import FileWriter, Target
        from catalog_app.selectors.objects import tables_load
        from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
        from catalog_app.services.files import addresses_allocate, data_files_register, identity_numbers_allocate
        from catalog_app.storage.warehouse import Warehouse

        snapshot = branch_snapshot(branch_get(catalog_get(self.catalog), "main"))
        schema = tables_load(snapshot, [self.table_id])[self.table_id].schema
        has_ids = stamps is not None
        has_stamps = has_ids and not np.isscalar(stamps)
        target = Target(self.table_id, schema, with_row_ids=has_ids, with_facts=has_stamps)
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        writer = FileWriter(warehouse, addresses_allocate, identity_numbers_allocate)
        made = []
        for ids in parts:
            values = pa.array(ids), pa.array(ids / 7), pa.array(ids % 1000).cast("string")
            columns = dict(zip(map(internal_name, schema.columns), values, strict=True))
            if has_ids:
                columns["_row_id"] = pa.array(ids)
            if has_stamps:
                facts = (stamps[ids], np.full(len(ids), 1), np.zeros(len(ids), int), np.zeros(len(ids), int))
                columns |= {
                    name: pa.array(values, mask=values == 0)
                    for name, values in zip(target.columns[-4:], facts, strict=True)
                }
            made += writer.write_arrow(target, pa.table(columns))
        return data_files_register(self.table_id, made)

    def _marked(self, ids: Any) -> Any:
        from django.conf import settings

        from catalog_app.domain.files import FileScan
        from catalog_app.domain.schema import Schema
        from catalog_app.services.files import delete_files_register
        from catalog_app.storage.deletes import write_deletes
        from catalog_app.storage.warehouse import Warehouse

        write = partial(write_deletes, Warehouse(settings.LAKEUI["WAREHOUSE"]), table_id=self.table_id)
        made = []
        for file, _ in self.files:
            chosen = ids[(ids >= file.base) & (ids < file.base + file.rows)]
            if len(chosen):
                scan = FileScan(file.pk, file.path, file.base, file.rows, Schema())
                made.append(write(file=scan, positions=chosen - file.base, row_ids=chosen))
        return delete_files_register(self.table_id, made)


def _compacted(rows: int) -> RowTable:
    table = RowTable(rows)
    table.sql("CREATE BRANCH changed")
    table.update("changed", np.arange(0, rows, 100))
    table.compact("main", 4)
    return table


def _both_changed(rows: int, changed: int) -> RowTable:
    """Each side updated half of ``changed`` rows and deleted half, none of them the other side's."""
    table, step = RowTable(rows), rows // changed
    ids = np.arange(changed) * step
    table.sql("CREATE BRANCH changed")
    for branch, at in (("changed", ids), ("main", ids + 1)):
        table.update(branch, at[::2])
        table.delete(branch, at[1::2])
    return table
