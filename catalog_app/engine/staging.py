"""Rows that are written down while a statement works, in staging, and read again by Spark.

Spark reads the files by their names: a folder would be looked for and listed each time, and what a dead attempt at a
task left there would be read too.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.engine.task_files import Places
from catalog_app.engine.write_jobs import rows_read, rows_written
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import parquet_writer

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True, slots=True)
class StagedRows:
    """A file of rows that a job wrote down."""

    path: str
    bytes: int
    metadata: pq.FileMetaData


@dataclass(slots=True)
class Staging:
    """A folder in staging."""

    warehouse: Warehouse
    folder: str
    is_used: bool = False

    def write(self, table: pa.Table) -> str:
        """Few rows as a file, which is read at once and thrown away; answers its path."""
        self.is_used = True
        self.warehouse.make_folder(self.folder)
        path = f"{self.folder}/{uuid.uuid4().hex}.parquet"
        place, filesystem = self.warehouse.absolute(path), self.warehouse.filesystem
        with parquet_writer(place, table.schema, filesystem=filesystem, compression="none") as output:
            output.write_table(table)
        return path

    def read(self, spark: SparkSession, path: str, schema: StructType) -> DataFrame:
        """The rows of a file that ``write`` wrote. In a store a task reads it by PyArrow: Spark looks for a file four
        times before it reads.
        """
        filesystem = self.warehouse.task_filesystem
        if filesystem is None:
            return self.read_many(spark, [path], schema)
        return rows_read(spark, filesystem, self.warehouse.absolute(path), schema)

    def write_many(self, rows: DataFrame, *, by_arrow: bool) -> list[StagedRows]:
        """The files of a job. ``by_arrow``: whether Arrow holds all of the columns."""
        self.is_used = True
        folder = f"{self.folder}/{uuid.uuid4().hex}"
        filesystem = self.warehouse.task_filesystem if by_arrow else None
        if filesystem is not None:
            places = Places(filesystem, self.warehouse.absolute(folder))
            answers = rows_written(rows, rows.columns, [], lambda read: read, places, answers=False)
            return [_staged(folder, said) for said in answers]
        rows.write.mode("error").options(**self.warehouse.spark_options).parquet(self.warehouse.spark_path(folder))
        found = []
        for file in self.warehouse.files_under(folder):
            with pq.ParquetFile(self.warehouse.absolute(file.path), filesystem=self.warehouse.filesystem) as opened:
                found.append(StagedRows(file.path, file.bytes, opened.metadata))
        return found

    def read_many(self, spark: SparkSession, paths: Sequence[str], schema: StructType) -> DataFrame:
        if not paths:
            return spark.createDataFrame([], schema)
        return spark.read.schema(schema).parquet(*(self.warehouse.spark_path(path) for path in paths))


def _staged(folder: str, said: dict[str, object]) -> StagedRows:
    path, size, footer = said["path"], said["bytes"], said["footer"]
    assert isinstance(path, str)
    assert isinstance(size, int)
    assert isinstance(footer, bytes)
    return StagedRows(f"{folder}/{path.rpartition('/')[2]}", size, pq.read_metadata(pa.BufferReader(footer)))


@contextmanager
def staging_open(warehouse: Warehouse, table_id: int) -> Iterator[Staging]:
    """A folder that goes when the work is done, where something was written there."""
    staging = Staging(warehouse, warehouse.new_staging(table_id))
    try:
        yield staging
    finally:
        if staging.is_used:
            warehouse.discard(staging.folder)
