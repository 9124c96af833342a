"""The data plane: every method stages files or answers values; none makes anything visible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catalog_app.domain.checks import RowCheck, Violation
from catalog_app.domain.files import ROW_ID_COLUMN, FileScan, NewDataFile, NewDeleteFile, TableScan, is_outside
from catalog_app.domain.results import KeptRows
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.whole_values import json_text
from catalog_app.engine import delete_update, profiling, rewriting
from catalog_app.engine.analysis import analyse
from catalog_app.engine.answers import collect
from catalog_app.engine.appending import rows_append, rows_scanned
from catalog_app.engine.by_key import delete_by_key, update_by_key
from catalog_app.engine.cells import cells_computed, cells_read, cells_shown, cells_write
from catalog_app.engine.checking import cells_dataframe, rows_violating
from catalog_app.engine.copy_on_write import Copied, Marks, copy_foresee, copy_touched
from catalog_app.engine.counting import Counting
from catalog_app.engine.defaults import defaults_check
from catalog_app.engine.describing import columns_made, described
from catalog_app.engine.exporting import ExportTarget, result_write
from catalog_app.engine.expressions import Analysis
from catalog_app.engine.first_rows import first_rows
from catalog_app.engine.inputs_outputs import (
    PlainRead,
    QueryResult,
    QuerySource,
    RowChanges,
    RowSource,
    Tables,
)
from catalog_app.engine.kept_results import plain_keep, rows_keep
from catalog_app.engine.merge_into import merge_rows
from catalog_app.engine.merge_source import freeze_rows
from catalog_app.engine.merge_values import FrozenSource, MergeChanges, MergeTask, SourceRows
from catalog_app.engine.plain_cells import plain_cells, plain_shown
from catalog_app.engine.plain_changes import plain_changes
from catalog_app.engine.plans import plan_shown
from catalog_app.engine.reading import TARGET, query_dataframe, table_dataframe
from catalog_app.engine.row_diff import changes_dataframe
from catalog_app.engine.session import SparkSessions
from catalog_app.engine.small_joins import Joining
from catalog_app.engine.sources import Insertion
from catalog_app.engine.spark_calls import bound_dataframe, row_values, sql_dataframe
from catalog_app.engine.staging import staging_open
from catalog_app.engine.types import quoted, stored_value
from catalog_app.engine.write_jobs import Allocate, Release
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.cells import RowCells
from catalog_app.storage.deletes import (
    POSITION_COLUMN,
    Integers,
    StoredFacts,
    live_row_ids,
    live_rows,
    read_columns,
    stored_row_ids,
    write_deletes,
)
from catalog_app.storage.facts import file_rows, rows_find
from catalog_app.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

PROBABLY_MANY_ROWS = 5_000_000
"""Scanning more rows than this is not done twice, first in the hope of few."""


class Engine:
    """Row work on Spark over one warehouse. ``allocate`` gives the first of some fresh addresses of a table, and
    ``number`` of fresh numbers for its identity columns. ``release`` takes addresses back.

    What people ask runs in the sessions of ``queries``, all else in ``sessions``; without ``queries`` these serve both.
    """

    def __init__(
        self,
        sessions: SparkSessions,
        warehouse: Warehouse,
        allocate: Allocate,
        number: Allocate,
        *,
        release: Release = lambda *_: None,
        queries: SparkSessions | None = None,
    ) -> None:
        self._sessions = sessions
        self._queries = queries or sessions
        self._warehouse = warehouse
        self._writer = FileWriter(warehouse, allocate, number, release)

    def select(self, text: str, tables: Tables, *, limit: int, plain: PlainRead | None = None) -> QueryResult:
        """At most ``limit`` rows of checked SQL. Where the query is ``plain`` this process reads them, if it can."""
        found = first_rows(self._warehouse, plain, limit=limit) if plain is not None else None
        if found is not None:
            return found

        def work(spark: SparkSession) -> QueryResult:
            frame = query_dataframe(spark, self._warehouse, text, tables)
            return collect(frame, limit=limit, columns=described(frame, QuerySource(text, tables)))

        return self._queries.run(work)

    def profile(
        self, scan: TableScan, on_cancel: Callable[[Callable[[], None]], None]
    ) -> Iterator[profiling.ColumnCounts]:
        """Exact counts of each column, one after the other. ``on_cancel`` takes what stops the one that runs."""

        def ask(text: str) -> list[list[Any]]:
            return self.select(text.replace("{rows}", TARGET), {TARGET: scan}, limit=profiling.BINS).rows

        return profiling.columns_counted(self._warehouse, scan, ask, on_cancel)

    def plan(self, text: str, tables: Tables) -> list[str]:
        """What Spark would do for a query, for people (see ``plan_shown``)."""

        def work(spark: SparkSession) -> list[str]:
            frame = query_dataframe(spark, self._warehouse, text, tables)
            return plan_shown(frame._explain_string(mode="formatted"))  # noqa: SLF001 - explain() prints it

        return self._queries.run(work)

    def measure(self, text: str, tables: Tables) -> int:
        """Compute all rows of checked SQL, and answer how many they are."""
        from pyspark.sql.connect.functions import count, lit
        from pyspark.sql.connect.observation import Observation

        def work(spark: SparkSession) -> int:
            seen = Observation()
            rows = query_dataframe(spark, self._warehouse, text, tables).observe(seen, count(lit(1)).alias("rows"))
            rows.write.format("noop").mode("overwrite").save()
            return int(seen.get["rows"])

        return self._queries.run(work)

    def export(self, text: str, tables: Tables, target: ExportTarget) -> int:
        """All rows of checked SQL into a file of this machine; answers how many. Raises ResultTooLarge."""

        def work(spark: SparkSession) -> int:
            return result_write(query_dataframe(spark, self._warehouse, text, tables), target)

        return self._queries.run(work)

    def keep(self, text: str, tables: Tables, folder: str, *, plain: PlainRead | None = None) -> KeptRows:
        """All rows of checked SQL as files: of a new folder of the warehouse, or where the query is ``plain`` and they
        hold just these rows those of its table.
        """
        found = plain_keep(self._warehouse, plain) if plain is not None else None
        if found is not None:
            return found

        def work(spark: SparkSession) -> KeptRows:
            return rows_keep(query_dataframe(spark, self._warehouse, text, tables), self._warehouse, folder)

        return self._queries.run(work)

    def describe(self, text: str, tables: Tables) -> list[tuple[str, str]]:
        """Names and types that the query would answer with."""

        def work(spark: SparkSession) -> list[tuple[str, str]]:
            frame = query_dataframe(spark, self._warehouse, text, tables)
            return list(described(frame, QuerySource(text, tables)))

        return self._sessions.run(work)

    def columns_made(self, text: str, tables: Tables) -> list[tuple[str, str]]:
        """Names and types of the columns of a table that is made of the query (see ``describing.columns_made``)."""
        source = QuerySource(text, tables)
        return list(self._sessions.run(lambda spark: columns_made(spark, self._warehouse, source)))

    def analyse(self, analysis: Analysis) -> list[str]:
        """The Spark type text of every expression of a statement; reads no row. Raises InvalidValue."""
        return self._sessions.run(lambda spark: analyse(spark, self._warehouse, analysis))

    def changes(self, before: TableScan, after: TableScan, *, limit: int) -> QueryResult:
        """Rows that differ between two sets of files (see ``changes_dataframe``), at most ``limit``."""
        found = plain_changes(self._warehouse, before, after, limit=limit)
        if found is not None:
            return found

        def work(spark: SparkSession) -> QueryResult:
            return collect(changes_dataframe(spark, self._warehouse, before, after), limit=limit)

        return self._sessions.run(work)

    def append(
        self,
        table_id: int,
        schema: Schema,
        source: RowSource,
        *,
        columns: tuple[str, ...] | None,
        by_name: bool,
        partition: Sequence[tuple[str, str | None]] | None,
        fills_fields: bool = False,
        held: FrozenSource | None = None,
        counting: Counting | None = None,
    ) -> list[NewDataFile]:
        """Stage the source's rows: ANSI store assignment, defaults filled, identity columns numbered, NOT NULL and
        lengths enforced. With ``counting`` a job may count them instead.

        ``fills_fields``: fields that a struct of the source lacks are NULL, where the source goes by name. ``held`` as
        in Insertion.
        """
        insertion = Insertion(schema, source, columns, by_name, dict(partition or ()), fills_fields, held)
        return rows_append(self._sessions, self._writer, table_id, insertion, counting)

    def delete(self, scan: TableScan, condition: str | None, *, alias: str, tables: Tables | None = None) -> RowChanges:
        """Mark the rows for which ``condition``, over the target's columns and analysed, is true. ``tables``: what its
        subqueries read, None where it has none.
        """
        rows = delete_update.RowFilter(condition, alias, tables)
        found = delete_by_key(self._writer, scan, rows)
        if found is not None:
            return found
        return self._sessions.run(lambda spark: delete_update.delete_rows(spark, self._writer, scan, rows))

    def update(
        self,
        scan: TableScan,
        assignments: Sequence[tuple[str, str]],
        condition: str | None,
        *,
        alias: str,
        kinds: Mapping[str, str] = MappingProxyType({}),
        writes_equal: bool = False,
        tables: Tables | None = None,
        counting: Counting | None = None,
    ) -> RowChanges:
        """Mark the matching rows and stage their new images under the same row ids. SET sees old values. All texts are
        analysed, and ``kinds`` holds the types that were found, by column. Rows that have the new values already are
        left alone, unless ``writes_equal``. ``tables`` as in ``delete``, ``counting`` as in ``append``.
        """
        rows = delete_update.RowFilter(condition, alias, tables)
        found = update_by_key(self._writer, scan, rows, assignments, writes_equal=writes_equal)
        if found is not None:
            return found
        update = partial(delete_update.update_rows, kinds=kinds, writes_equal=writes_equal, counting=counting)
        return self._sessions.run(lambda spark: update(spark, self._writer, scan, rows, assignments))

    @contextmanager
    def frozen(self, table_id: int, source: SourceRows) -> Iterator[FrozenSource]:
        """The rows of a merge's source, computed once and kept in staging until the merge is done."""
        may_be_small = rows_scanned(source.query) <= PROBABLY_MANY_ROWS
        with staging_open(self._writer.warehouse, table_id) as staging:
            yield self._sessions.run(
                lambda spark: freeze_rows(spark, self._writer, staging, source, may_be_small=may_be_small)
            )

    def merge(self, task: MergeTask, source: FrozenSource) -> MergeChanges:
        """Mark, write and insert rows as the task's rules say. Raises Cardinality."""
        return self._sessions.run(lambda spark: merge_rows(spark, self._writer, task, source))

    def copy(self, scan: TableScan, marks: Marks) -> Copied:
        """Write the files that the marks touch anew, without deletes, images in the places of the rows they replace."""
        return self._sessions.run(lambda spark: copy_touched(spark, self._writer, scan, marks))

    def copy_foresee(self, scan: TableScan, marks: Marks) -> Copied:
        """What ``copy`` would answer, for a dry run: nothing is written."""
        return copy_foresee(self._writer, scan, marks)

    def compact(self, scan: TableScan, *, target_bytes: int, order_by: Sequence[int] = ()) -> list[NewDataFile]:
        """Rewrite the live rows into files of about ``target_bytes``, row ids kept. Their order is kept too where the
        files lie as the scan's schema says, and no ``order_by`` (ids of columns) asks for another.
        """
        return self._sessions.run(
            lambda spark: rewriting.compact_files(spark, self._writer, scan, target_bytes, order_by)
        )

    def file_rows(self, file: FileScan) -> tuple[Integers, StoredFacts | None]:
        """Row ids and stored facts of a data file, by position."""
        return file_rows(self._warehouse, file)

    def rows_find(self, file: FileScan, row_ids: Integers) -> tuple[Integers, Integers, StoredFacts | None]:
        """Positions, row ids and stored facts of the rows of a data file that have one of these ids."""
        return rows_find(self._warehouse, file, row_ids)

    def file_marks(self, path: str) -> tuple[Integers, Integers]:
        """The positions and row ids that a delete file names."""
        positions, row_ids = read_columns(self._warehouse, path, POSITION_COLUMN, ROW_ID_COLUMN)
        return positions, row_ids

    def cells_read(self, scan: TableScan, addresses: Integers, *, with_keys: bool = False) -> RowCells:
        """The rows of the scan's files at these addresses, deleted or not."""
        found = plain_cells(self._warehouse, scan, addresses, with_keys=with_keys)
        if found is not None:
            return found
        return self._sessions.run(lambda spark: cells_read(spark, self._writer, scan, addresses, with_keys=with_keys))

    def cells_show(self, scan: TableScan, addresses: Integers, *, with_keys: bool = False) -> list[list[Any]]:
        """The same rows as JSON values."""
        found = plain_shown(self._warehouse, scan, addresses, with_keys=with_keys)
        if found is not None:
            return found
        return self._sessions.run(
            lambda spark: cells_shown(spark, self._warehouse, scan, addresses, with_keys=with_keys)
        )

    def cells_write(self, table_id: int, schema: Schema, cells: RowCells, row_ids: Integers) -> list[NewDataFile]:
        """Stage rows under their row ids."""
        return cells_write(self._writer, table_id, schema, cells, row_ids)

    def mark_rows(self, table_id: int, file: FileScan, positions: Integers) -> NewDeleteFile:
        """A delete file that names the rows of ``file`` at these positions."""
        row_ids = stored_row_ids(self._warehouse, file)[positions]
        return write_deletes(self._warehouse, table_id=table_id, file=file, positions=positions, row_ids=row_ids)

    def part_rows(self, table_id: int, file: FileScan, positions: Integers, facts: StoredFacts) -> NewDataFile:
        """The rows of ``file`` at these positions as a file that stores their row ids, and their facts of ``facts``."""
        if is_outside(file.path):
            return self._sessions.run(
                lambda spark: rewriting.outside_part_rows(spark, self._writer, table_id, file, positions, facts)
            )
        return rewriting.part_rows(self._writer, table_id, file, positions, facts)

    def mark_live_rows(self, table_id: int, file: FileScan) -> NewDeleteFile | None:
        """A delete file that names all live rows of ``file``."""
        return rewriting.mark_live_rows(self._writer, table_id, file)

    def null_counts(self, scan: TableScan, names: Sequence[str]) -> dict[str, int]:
        """Live rows with NULL, per column."""
        counts = [f"count_if({quoted(name)} IS NULL)" for name in names]

        def work(spark: SparkSession) -> dict[str, int]:
            (found,) = row_values(table_dataframe(spark, self._warehouse, scan).selectExpr(*counts))
            return {name: int(count) for name, count in zip(names, found, strict=True)}

        return self._sessions.run(work)

    def live_row_ids(self, file: FileScan) -> list[int]:
        """Row ids that no delete marks."""
        return [int(row_id) for row_id in live_row_ids(self._warehouse, [file])]

    def live_rows(self, scan: TableScan) -> int:
        """Rows that no delete marks; reads delete files only."""
        return sum(live_rows(self._warehouse, file) for file in scan.files)

    def duplicate_keys(
        self, scan: TableScan, names: Sequence[str], *, staged: Sequence[NewDataFile], limit: int
    ) -> list[str]:
        """Keys, as text, that the scan and the staged files together hold more than once. NULL keys are no keys."""
        extra = tuple(
            FileScan(0, file.path, file.base, file.rows, scan.schema, stores_row_ids=file.stores_row_ids)
            for file in staged
        )
        wanted = ", ".join(quoted(name) for name in names)
        present = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in names)

        def text(tables: Mapping[str, str]) -> str:
            return f"""SELECT {json_text(f"struct({wanted})")} FROM {tables["t"]} WHERE {present}
                GROUP BY {wanted} HAVING count(*) > 1 LIMIT {limit:d}"""

        whole = replace(scan, files=(*scan.files, *extra))

        def work(spark: SparkSession) -> list[str]:
            rows = Joining.of(whole).together(table_dataframe(spark, self._warehouse, whole))
            found = bound_dataframe(spark, text, {"t": rows})
            return [str(key) for (key,) in row_values(found)]

        return self._sessions.run(work)

    def rows_check(self, scan: TableScan, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        """By name the constraints that live rows of the scan do not fit."""
        return self._sessions.run(
            lambda spark: rows_violating(spark, table_dataframe(spark, self._warehouse, scan), checks)
        )

    def cells_violating(self, schema: Schema, cells: RowCells, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        """The same of rows that lie in no file yet."""
        return self._sessions.run(lambda spark: rows_violating(spark, cells_dataframe(spark, schema, cells), checks))

    def cells_computed(self, schema: Schema, cells: RowCells, values: Mapping[int, str]) -> RowCells:
        """Rows that lie in no file yet, with other values in some columns."""
        return self._sessions.run(lambda spark: cells_computed(spark, self._writer, schema, cells, values))

    def defaults_check(self, columns: Sequence[Column]) -> None:
        """Refuse the first of these columns that cannot store its default. Raises InvalidDefault."""
        self._sessions.run(lambda spark: defaults_check(spark, columns))

    def partition_values(self, columns: Sequence[Column], texts: Mapping[str, str]) -> tuple[str | None, ...]:
        """What constant expressions are as partition values of these columns."""
        by_name = {name.casefold(): text for name, text in texts.items()}
        chosen = ", ".join(f"CAST({stored_value(c, by_name[c.name.casefold()])} AS string)" for c in columns)

        def work(spark: SparkSession) -> tuple[str | None, ...]:
            (found,) = row_values(sql_dataframe(spark, f"SELECT {chosen}"))
            return found

        return self._sessions.run(work)
