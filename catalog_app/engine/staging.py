"""Rows that are written down while a statement works, in staging, and read again by Spark.

Spark reads the files by their names: a folder would be looked for and listed each time, and what a dead attempt at a
task left there would be read too.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.engine.task_files import SENT_BYTES, Places, SmallFile
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


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Few rows that Spark is about to read: ``content`` that comes along with a job, or the file at ``path``."""

    path: str = ""
    content: bytes = b""


@dataclass(slots=True)
class Staging:
    """A folder in staging. ``written`` are its files; None where it may have others."""

    warehouse: Warehouse
    folder: str
    written: list[str] | None = field(default_factory=list)

    def hold(self, table: pa.Table) -> HeldRows:
        """Few rows, which are read at once and thrown away. In a store no file is made of very few."""
        path = f"{self.folder}/{uuid.uuid4().hex}.parquet"
        is_sent = self.warehouse.task_filesystem is not None
        content = _file_of(table, compression="zstd" if is_sent else "none")
        if is_sent and content.size <= SENT_BYTES:
            return HeldRows(content=bytes(content))
        self._note(path)
        self.warehouse.write(path, content)
        return HeldRows(path)

    def read(self, spark: SparkSession, held: HeldRows, schema: StructType) -> DataFrame:
        """In a store a task reads a file by PyArrow: Spark looks for it four times before it reads."""
        filesystem = self.warehouse.task_filesystem
        if filesystem is None:
            return self.read_many(spark, [held.path], schema)
        if held.content:
            return rows_read(spark, SmallFile(held.content), schema)
        return rows_read(spark, SmallFile(b"", filesystem, self.warehouse.absolute(held.path)), schema)

    def write_many(self, rows: DataFrame, *, by_arrow: bool) -> list[StagedRows]:
        """The files of a job. ``by_arrow``: whether Arrow holds all of the columns."""
        folder = f"{self.folder}/{uuid.uuid4().hex}"
        filesystem = self.warehouse.task_filesystem if by_arrow else None
        if filesystem is not None:
            return self._written_by_tasks(rows, filesystem, folder)
        self.written = None
        rows.write.mode("error").options(**self.warehouse.spark_options).parquet(self.warehouse.spark_path(folder))
        found = []
        for file in self.warehouse.files_under(folder):
            with pq.ParquetFile(self.warehouse.absolute(file.path), filesystem=self.warehouse.filesystem) as opened:
                found.append(StagedRows(file.path, file.bytes, opened.metadata))
        return found

    def _written_by_tasks(self, rows: DataFrame, filesystem: pafs.FileSystem, folder: str) -> list[StagedRows]:
        """What an attempt left that does not count is found by VACUUM, unless the job fails."""
        before, self.written = self.written, None
        places = Places(filesystem, self.warehouse.absolute(folder))
        answers = rows_written(rows, rows.columns, [], lambda read: read, places, answers=False)
        found = [_staged(folder, said) for said in answers]
        self.written = before
        self._note(*(file.path for file in found))
        return found

    def _note(self, *paths: str) -> None:
        if self.written is not None:
            self.written += paths

    def discard(self) -> None:
        """Its files go, where there are some."""
        if self.written is None:
            self.warehouse.discard(self.folder)
        elif self.written:
            self.warehouse.discard_files(self.folder, self.written)

    def read_many(self, spark: SparkSession, paths: Sequence[str], schema: StructType) -> DataFrame:
        if not paths:
            return spark.createDataFrame([], schema)
        return spark.read.schema(schema).parquet(*(self.warehouse.spark_path(path) for path in paths))


def _file_of(table: pa.Table, *, compression: str) -> pa.Buffer:
    content = pa.BufferOutputStream()
    with parquet_writer(content, table.schema, compression=compression) as output:
        output.write_table(table)
    return content.getvalue()


def _staged(folder: str, said: dict[str, object]) -> StagedRows:
    path, size, footer = said["path"], said["bytes"], said["footer"]
    assert isinstance(path, str)
    assert isinstance(size, int)
    assert isinstance(footer, bytes)
    return StagedRows(f"{folder}/{path.rpartition('/')[2]}", size, pq.read_metadata(pa.BufferReader(footer)))


def file_given(warehouse: Warehouse, path: str, names: tuple[str, ...], rows: int, local: Path) -> FileSource:
    """Rows of a Parquet file of this machine. In a store a small one goes along with each job; another one is put at
    its path.
    """
    is_small = warehouse.task_filesystem is not None and local.stat().st_size <= SENT_BYTES
    content = local.read_bytes() if is_small else b""
    schema = pq.read_schema(pa.BufferReader(content)) if content else pa.schema([])
    if not content or not all(map(_is_plain, schema.types)):
        warehouse.put(local, path)
        return FileSource(path, names, rows)

    def read(spark: SparkSession) -> DataFrame:
        from pyspark.sql.pandas.types import from_arrow_schema

        return rows_read(spark, SmallFile(content), from_arrow_schema(schema))

    return FileSource(path, names, rows, read, content)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether Spark's own reader and Arrow find values of one type in a file."""
    is_signed = pa.types.is_signed_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    is_text = kind in (pa.string(), pa.binary())
    is_time = kind == pa.date32() or (pa.types.is_timestamp(kind) and kind.unit == "us")
    return is_signed or is_text or is_time or pa.types.is_decimal128(kind)


@contextmanager
def staging_open(warehouse: Warehouse, table_id: int) -> Iterator[Staging]:
    """A folder whose files go when the work is done."""
    staging = Staging(warehouse, warehouse.new_staging(table_id))
    try:
        yield staging
    finally:
        staging.discard()
