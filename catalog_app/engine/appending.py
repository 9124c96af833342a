"""Rows of an INSERT, staged: literal rows without Spark where they can be, others by a job that numbers them first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from catalog_app.domain.files import NewDataFile, TableScan
from catalog_app.domain.schema import Column
from catalog_app.engine.counting import Counting, can_count, rows_count
from catalog_app.engine.held_rows import held_for_insert
from catalog_app.engine.inputs_outputs import FileSource, QuerySource, RowSource, ValuesSource
from catalog_app.engine.numbering import columns_asked, rows_numbered, values_numbered
from catalog_app.engine.plain_values import plain_values
from catalog_app.engine.sources import Insertion, source_described, target_dataframe
from catalog_app.engine.staging import staging_open
from catalog_app.engine.targets import Target
from catalog_app.engine.writing import FileWriter

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.engine.session import SparkSessions

SMALL_SCAN_ROWS = 200_000
"""A query over fewer rows than this probably gives few: they are fetched first rather than written by a job."""


def rows_append(
    sessions: SparkSessions,
    writer: FileWriter,
    table_id: int,
    insertion: Insertion,
    counting: Counting | None = None,
) -> list[NewDataFile]:
    """Stage the rows of the insertion into files of the table, or count those of a job."""
    target = Target(table_id, insertion.schema)
    if isinstance(insertion.source, ValuesSource):
        source, columns = values_numbered(writer, target, insertion.source, insertion.columns, insertion.partition)
        is_plain = not insertion.by_name and not insertion.partition
        plain = plain_values(target, source, columns) if is_plain else None
        if plain is not None:
            return writer.write_arrow(target, plain)
        insertion = replace(insertion, source=source, columns=columns)
    held = None if insertion.held is None else held_for_insert(target, insertion.held)
    if held is not None:
        return writer.write_arrow(target, held)
    return sessions.run(lambda spark: _appended_by_job(spark, writer, target, insertion, counting))


def _appended_by_job(
    spark: SparkSession, writer: FileWriter, target: Target, insertion: Insertion, counting: Counting | None
) -> list[NewDataFile]:
    """Rows that identity columns number are frozen until they are written. Literal rows have their numbers already."""
    source, few = insertion.source, _may_be_small(insertion.source)
    asked = [] if isinstance(source, ValuesSource) else _columns_asked(spark, writer, source, insertion)
    if isinstance(source, ValuesSource) or not asked:
        frame = target_dataframe(spark, writer.warehouse, insertion)
        return _written(writer, target, frame, counting, may_be_small=few)
    with staging_open(writer.warehouse, target.table_id) as staging:
        numbered = rows_numbered(spark, writer, target.table_id, source, asked, staging, may_be_small=few)
        frame = target_dataframe(spark, writer.warehouse, insertion, numbered)
        return _written(writer, target, frame, counting, may_be_small=few)


def _written(
    writer: FileWriter, target: Target, rows: DataFrame, counting: Counting | None, *, may_be_small: bool
) -> list[NewDataFile]:
    """Files of the rows; those that are counted only have no path."""
    if counting is not None and can_count(target) and counting.is_enough():
        counted = rows_count(writer, target, rows, counting, may_be_small=may_be_small)
        if counted is not None:
            return counted
    return writer.write(target, rows, may_be_small=may_be_small)


def _columns_asked(
    spark: SparkSession, writer: FileWriter, source: QuerySource | FileSource, insertion: Insertion
) -> list[Column]:
    if not any(column.identity for column in insertion.schema.columns):
        return []
    described = source_described(spark, writer.warehouse, source) if insertion.by_name else None
    return columns_asked(insertion.schema, insertion.columns, insertion.partition, described)


def rows_scanned(source: QuerySource) -> int:
    """Rows of the files that a query reads."""
    return sum(_rows_of(relation) for relation in source.tables.values())


def _may_be_small(source: RowSource) -> bool:
    if isinstance(source, FileSource):
        return source.rows <= SMALL_SCAN_ROWS
    return not isinstance(source, QuerySource) or rows_scanned(source) <= SMALL_SCAN_ROWS


def _rows_of(relation: TableScan | FileSource | QuerySource) -> int:
    if isinstance(relation, TableScan):
        return sum(file.rows for file in relation.files)
    return relation.rows if isinstance(relation, FileSource) else rows_scanned(relation)
