"""The data plane: every method stages files or answers values; none makes anything visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.answers import json_rows
from catalog_app.engine.reading import (
    ADDRESS,
    BASE,
    FILE,
    ROW_ID,
    deletes_dataframe,
    query_dataframe,
    table_dataframe,
)
from catalog_app.engine.session import SparkSessions
from catalog_app.engine.sources import target_dataframe
from catalog_app.engine.types import quoted, storage_type, stored_value, text_literal
from catalog_app.engine.values import QueryResult, QuerySource, RowChanges, RowSource
from catalog_app.engine.writing import Allocate, data_write, deletes_write
from catalog_app.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

Tables = Mapping[str, TableScan | QuerySource]


class Engine:
    """Row work on Spark over one warehouse. ``allocate`` gives the first of some fresh addresses of a table."""

    def __init__(self, sessions: SparkSessions, warehouse: Warehouse, allocate: Allocate) -> None:
        self._sessions = sessions
        self._warehouse = warehouse
        self._allocate = allocate

    def select(self, text: str, tables: Tables, *, limit: int) -> QueryResult:
        """At most ``limit`` rows of checked SQL."""

        def work(spark: SparkSession) -> QueryResult:
            frame = query_dataframe(spark, self._warehouse, text, tables)
            columns = tuple((field.name, field.dataType.simpleString()) for field in frame.schema.fields)
            rows = json_rows(frame.limit(limit + 1).toArrow())
            return QueryResult(columns, rows[:limit], len(rows) > limit)

        return self._sessions.run(work)

    def describe(self, text: str, tables: Tables) -> list[tuple[str, str]]:
        """Names and types that the query would answer with."""

        def work(spark: SparkSession) -> list[tuple[str, str]]:
            frame = query_dataframe(spark, self._warehouse, text, tables)
            return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]

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
    ) -> list[NewDataFile]:
        """Stage the source's rows: ANSI store assignment, defaults filled, NOT NULL and lengths enforced."""

        def work(spark: SparkSession) -> list[NewDataFile]:
            frame = target_dataframe(
                spark,
                self._warehouse,
                source,
                schema=schema,
                columns=columns,
                by_name=by_name,
                partition=dict(partition or ()),
            )
            return self._write(frame, table_id, schema, stores_row_ids=False)

        return self._sessions.run(work)

    def _write(self, frame: DataFrame, table_id: int, schema: Schema, *, stores_row_ids: bool) -> list[NewDataFile]:
        return data_write(
            frame, self._warehouse, self._allocate, table_id=table_id, schema=schema, stores_row_ids=stores_row_ids
        )

    def _matching(self, spark: SparkSession, scan: TableScan, condition: str | None, alias: str) -> DataFrame:
        from pyspark.sql.connect.functions import expr

        frame = table_dataframe(spark, self._warehouse, scan, with_address=True).alias(alias)
        return frame if condition is None else frame.filter(expr(condition))

    def delete(self, scan: TableScan, condition: str | None, *, alias: str) -> RowChanges:
        """Mark the rows for which ``condition``, over the target's columns, is true."""
        if not scan.files:
            return RowChanges()

        def work(spark: SparkSession) -> RowChanges:
            deletes = self._mark(self._matching(spark, scan, condition, alias), scan)
            return RowChanges(tuple(deletes), rows=sum(item.rows for item in deletes), files_scanned=len(scan.files))

        return self._sessions.run(work)

    def _mark(self, frame: DataFrame, scan: TableScan) -> list[NewDeleteFile]:
        return deletes_write(
            frame.select(ADDRESS, BASE, ROW_ID, FILE), self._warehouse, table_id=scan.table_id, files=scan.files
        )

    def update(
        self, scan: TableScan, assignments: Sequence[tuple[str, str]], condition: str | None, *, alias: str
    ) -> RowChanges:
        """Mark the matching rows and stage their new images under the same row ids. SET sees old values."""
        if not scan.files:
            return RowChanges()
        given = {name.casefold(): text for name, text in assignments}

        def work(spark: SparkSession) -> RowChanges:
            matching = self._matching(spark, scan, condition, alias)
            images = self._write(
                matching.selectExpr(*(_assigned(column, given, alias) for column in scan.schema.columns), ROW_ID),
                scan.table_id,
                scan.schema,
                stores_row_ids=True,
            )
            if not images:
                return RowChanges(files_scanned=len(scan.files))
            deletes = self._mark(matching, scan)
            rows = sum(item.rows for item in deletes)
            return RowChanges(tuple(deletes), tuple(images), rows=rows, files_scanned=len(scan.files))

        return self._sessions.run(work)

    def compact(self, scan: TableScan, *, target_bytes: int) -> list[NewDataFile]:
        """Rewrite the live rows of these files into files of about ``target_bytes``, row ids kept."""

        def work(spark: SparkSession) -> list[NewDataFile]:
            spark.conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", str(target_bytes))
            frame = table_dataframe(spark, self._warehouse, scan, with_address=True)
            return self._write(frame, scan.table_id, scan.schema, stores_row_ids=True)

        return self._sessions.run(work)

    def follow_deletes(
        self,
        table_id: int,
        delete_paths: Sequence[str],
        from_file: FileScan,
        to_files: Sequence[FileScan],
        *,
        spared_paths: Sequence[str] = (),
    ) -> list[NewDeleteFile]:
        """Mark in ``to_files`` the rows that ``delete_paths`` (every row without them) mark in ``from_file``, but
        not those that ``spared_paths`` mark.
        """

        def work(spark: SparkSession) -> list[NewDeleteFile]:
            if delete_paths:
                marked = deletes_dataframe(spark, self._warehouse, table_id, delete_paths)
                wanted = marked.selectExpr(f"coalesce(_row_id, base + pos) AS {ROW_ID}").distinct()
            else:
                whole = _plain_scan(table_id, [from_file])
                wanted = table_dataframe(spark, self._warehouse, whole, with_address=True).select(ROW_ID)
            if spared_paths:
                spared = deletes_dataframe(spark, self._warehouse, table_id, spared_paths)
                wanted = wanted.join(
                    spared.selectExpr(f"coalesce(_row_id, base + pos) AS {ROW_ID}"), ROW_ID, "left_anti"
                )
            scan = _plain_scan(table_id, to_files)
            rows = table_dataframe(spark, self._warehouse, scan, with_address=True)
            return self._mark(rows.join(wanted, ROW_ID, "left_semi"), scan)

        return self._sessions.run(work)

    def filter_images(self, table_id: int, file: FileScan, discarded: Sequence[FileScan]) -> NewDataFile | None:
        """``file`` without its deleted rows and without rows whose ids lie in ``discarded``."""

        def work(spark: SparkSession) -> NewDataFile | None:
            kept = table_dataframe(spark, self._warehouse, TableScan(table_id, file.schema, (file,)), with_address=True)
            gone = table_dataframe(spark, self._warehouse, _plain_scan(table_id, discarded), with_address=True)
            frame = kept.join(gone.select(ROW_ID), ROW_ID, "left_anti")
            staged = self._write(frame, table_id, file.schema, stores_row_ids=True)
            return staged[0] if staged else None

        return self._sessions.run(work)

    def repartition(self, table_id: int, file: FileScan, partition: Sequence[str | None]) -> NewDataFile | None:
        """The live rows of ``file`` under other partition values, row ids kept; None when no row is live."""
        columns = file.schema.partition_columns
        values = {
            column.name.casefold(): "NULL" if value is None else text_literal(value)
            for column, value in zip(columns, partition, strict=True)
        }

        def work(spark: SparkSession) -> NewDataFile | None:
            scan = TableScan(table_id, file.schema, (file,))
            rows = table_dataframe(spark, self._warehouse, scan, with_address=True).alias("t")
            moved = rows.selectExpr(*(_assigned(column, values, "t") for column in file.schema.columns), ROW_ID)
            staged = self._write(moved, table_id, file.schema, stores_row_ids=True)
            return staged[0] if staged else None

        return self._sessions.run(work)

    def null_counts(self, scan: TableScan, names: Sequence[str]) -> dict[str, int]:
        """Live rows with NULL, per column."""
        counts = ", ".join(f"count_if({quoted(name)} IS NULL)" for name in names)

        def work(spark: SparkSession) -> dict[str, int]:
            found = spark.sql(f"SELECT {counts} FROM {{t}}", t=table_dataframe(spark, self._warehouse, scan)).collect()
            return {name: int(found[0][index]) for index, name in enumerate(names)}

        return self._sessions.run(work)

    def live_rows(self, scan: TableScan) -> int:
        return self._sessions.run(lambda spark: int(table_dataframe(spark, self._warehouse, scan).count()))

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
        query = f"""SELECT to_json(struct({wanted})) FROM {{t}} WHERE {present}
            GROUP BY {wanted} HAVING count(*) > 1 LIMIT {limit:d}"""

        def work(spark: SparkSession) -> list[str]:
            frame = table_dataframe(spark, self._warehouse, replace(scan, files=(*scan.files, *extra)))
            return [str(row[0]) for row in spark.sql(query, t=frame).collect()]

        return self._sessions.run(work)

    def common_keys(self, first: TableScan, second: TableScan, names: Sequence[str], *, limit: int) -> list[str]:
        """Keys, as text, that both scans hold in rows of different ids. NULL keys are no keys."""
        wanted = ", ".join(f"a.{quoted(name)}" for name in names)
        same = " AND ".join(f"a.{quoted(name)} = b.{quoted(name)}" for name in names)
        query = f"""SELECT DISTINCT to_json(struct({wanted})) FROM {{a}} AS a JOIN {{b}} AS b
            ON {same} AND a.{ROW_ID} <> b.{ROW_ID} LIMIT {limit:d}"""

        def work(spark: SparkSession) -> list[str]:
            frames = [table_dataframe(spark, self._warehouse, scan, with_address=True) for scan in (first, second)]
            return [str(row[0]) for row in spark.sql(query, a=frames[0], b=frames[1]).collect()]

        return self._sessions.run(work)

    def partition_values(self, columns: Sequence[Column], texts: Mapping[str, str]) -> tuple[str | None, ...]:
        """What constant expressions are as partition values of these columns."""
        by_name = {name.casefold(): text for name, text in texts.items()}
        chosen = ", ".join(f"CAST({stored_value(c, by_name[c.name.casefold()])} AS string)" for c in columns)

        def work(spark: SparkSession) -> tuple[str | None, ...]:
            row: Any = spark.sql(f"SELECT {chosen}").collect()[0]
            return tuple(row[index] for index in range(len(columns)))

        return self._sessions.run(work)


def _assigned(column: Column, given: Mapping[str, str], alias: str) -> str:
    text = given.get(column.name.casefold())
    if text is None:
        return f"{quoted(alias)}.{quoted(column.name)} AS {quoted(column.name)}"
    if text.strip().upper() == "DEFAULT":
        text = column.default or f"CAST(NULL AS {storage_type(column.type)})"
    return f"{stored_value(column, f'({text})')} AS {quoted(column.name)}"


def _plain_scan(table_id: int, files: Sequence[FileScan]) -> TableScan:
    """Files for the sake of their row ids alone: no column is read, no delete applied."""
    return TableScan(table_id, Schema(), tuple(replace(file, delete_paths=()) for file in files))
