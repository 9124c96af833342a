"""From a scan to a DataFrame: decode by schema version, mask deleted rows, address every row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import ROW_ID_COLUMN, ROW_ID_FIELD, FileScan, TableScan
from catalog_app.domain.schema import Column
from catalog_app.engine.types import quoted, spark_type, storage_type
from catalog_app.engine.values import QuerySource

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

ADDRESS, ROW_ID, BASE, FILE = "__address", "__row_id", "__base", "__file"
DELETE_POSITION_FIELD, DELETE_PATH_FIELD = 2147483545, 2147483546
_PLACEHOLDER = re.compile(r"\b__lake_\d+\b")

Mapped = tuple[tuple[int, str] | None, ...]
"""Per column of the schema read: the field id and type under which a group of files holds it."""


def table_dataframe(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, *, with_address: bool = False
) -> DataFrame:
    """The live rows of the scan, with ``__address``, ``__row_id``, ``__base`` and ``__file`` if wanted.

    Files without deletes are read plainly; only the others pass through an anti-join on the address.
    """
    groups: dict[tuple[Mapped, bool], list[FileScan]] = {}
    for file in scan.files:
        key = (tuple(_held(column, file) for column in scan.schema.columns), bool(file.delete_paths))
        groups.setdefault(key, []).append(file)
    parts = [
        _group(spark, warehouse, scan, mapped, files, with_address=with_address)
        for (mapped, _), files in groups.items()
    ]
    return reduce(lambda one, other: one.unionAll(other), parts) if parts else _empty(spark, scan, with_address)


def _held(column: Column, file: FileScan) -> tuple[int, str] | None:
    for identifier in column.ids:
        written = next((item for item in file.schema.columns if item.id == identifier), None)
        if written is not None:
            return identifier, written.type
    for identifier in column.ids:
        # The file's own schema may know the column under an id that it only aliases.
        written = file.schema.column(identifier)
        if written is not None:
            return written.id, written.type
    return None


def _group(
    spark: SparkSession,
    warehouse: Warehouse,
    scan: TableScan,
    mapped: Mapped,
    files: Sequence[FileScan],
    *,
    with_address: bool,
) -> DataFrame:
    from pyspark.sql.types import LongType, StructField, StructType

    fields = [
        StructField(f"c{index}", spark_type(spark, held[1]), True, {"parquet.field.id": held[0]})
        for index, held in enumerate(mapped)
        if held is not None
    ]
    fields.append(StructField(ROW_ID_COLUMN, LongType(), True, {"parquet.field.id": ROW_ID_FIELD}))
    fields.append(StructField("base", LongType()))
    masked = any(file.delete_paths for file in files)
    frame = (
        spark.read.schema(StructType(fields))
        .option("basePath", warehouse.spark_path(f"{scan.table_id}/data"))
        .parquet(*(warehouse.spark_path(file.path) for file in files))
    )
    columns = [_expression(index, column, mapped[index]) for index, column in enumerate(scan.schema.columns)]
    if with_address or masked:
        columns += [
            f"base + _metadata.row_index AS {ADDRESS}",
            f"coalesce({ROW_ID_COLUMN}, base + _metadata.row_index) AS {ROW_ID}",
            f"base AS {BASE}",
            f"_metadata.file_path AS {FILE}",
        ]
    frame = frame.selectExpr(*columns)
    if masked:
        frame = _without_deleted(spark, warehouse, scan.table_id, frame, files)
        # A join by name puts its key first: choose the columns anew, in order.
        names = [column.name for column in scan.schema.columns]
        names += [ADDRESS, ROW_ID, BASE, FILE] if with_address else []
        frame = frame.select(*(frame[quoted(name)] for name in names))
    return frame


def _expression(index: int, column: Column, held: tuple[int, str] | None) -> str:
    kind = storage_type(column.type)
    if held is None:
        return f"CAST({column.initial_default or 'NULL'} AS {kind}) AS {quoted(column.name)}"
    source = f"c{index}" if storage_type(held[1]) == kind else f"CAST(c{index} AS {kind})"
    return f"{source} AS {quoted(column.name)}"


def _without_deleted(
    spark: SparkSession, warehouse: Warehouse, table_id: int, frame: DataFrame, files: Sequence[FileScan]
) -> DataFrame:
    from pyspark.sql.connect.functions import broadcast

    paths = [path for file in files for path in file.delete_paths]
    deleted = deletes_dataframe(spark, warehouse, table_id, paths).selectExpr(f"base + pos AS {ADDRESS}")
    return frame.join(broadcast(deleted), ADDRESS, "left_anti")


def deletes_dataframe(spark: SparkSession, warehouse: Warehouse, table_id: int, paths: Sequence[str]) -> DataFrame:
    """``base``, ``pos`` and ``_row_id`` of every row in these delete files."""
    from pyspark.sql.types import LongType, StructField, StructType

    fields = [
        StructField("pos", LongType(), True, {"parquet.field.id": DELETE_POSITION_FIELD}),
        StructField(ROW_ID_COLUMN, LongType(), True, {"parquet.field.id": ROW_ID_FIELD}),
        StructField("base", LongType()),
    ]
    return (
        spark.read.schema(StructType(fields))
        .option("basePath", warehouse.spark_path(f"{table_id}/deletes"))
        .parquet(*(warehouse.spark_path(path) for path in paths))
    )


def _empty(spark: SparkSession, scan: TableScan, with_address: bool) -> DataFrame:
    columns = [f"CAST(NULL AS {storage_type(c.type)}) AS {quoted(c.name)}" for c in scan.schema.columns]
    if with_address:
        columns += [f"CAST(NULL AS bigint) AS {name}" for name in (ADDRESS, ROW_ID, BASE)]
        columns.append(f"CAST(NULL AS string) AS {FILE}")
    return spark.range(0).selectExpr(*columns)


def query_dataframe(
    spark: SparkSession, warehouse: Warehouse, text: str, tables: Mapping[str, TableScan | QuerySource]
) -> DataFrame:
    """Checked SQL with its placeholders bound to scans, or to the queries of views."""
    bound: dict[str, Any] = {
        name: table_dataframe(spark, warehouse, relation)
        if isinstance(relation, TableScan)
        else query_dataframe(spark, warehouse, relation.text, relation.tables)
        for name, relation in tables.items()
    }
    # Spark's own parameter syntax is in braces; those of the statement are doubled to stay text.
    escaped = text.replace("{", "{{").replace("}", "}}")
    return (
        spark.sql(_PLACEHOLDER.sub(lambda match: "{" + match[0] + "}", escaped), **bound) if bound else spark.sql(text)
    )
