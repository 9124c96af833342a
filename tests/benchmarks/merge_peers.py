"""Other ways to merge the same batches into the same rows, in as many files. What is not installed is left out."""

from __future__ import annotations

import importlib.util
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Input:
    """Paths of the table's files, of each batch's files, and a folder for what peers write."""

    target: list[str]
    batches: dict[str, list[str]]
    home: Path

    def target_tables(self) -> Iterator[pa.Table]:
        """The rows of the table, file by file."""
        return (pq.read_table(path, partitioning=None) for path in self.target)

    def batch_table(self, name: str) -> pa.Table:
        """The rows of one batch."""
        return pa.concat_tables([pq.read_table(path, partitioning=None) for path in self.batches[name]])


class Peer(Protocol):
    """Every merge starts from the same state, however often it is done."""

    name: str

    def merge(self, batch: str) -> float:
        """Seconds of one merge, commit included."""


def is_installed(name: str) -> bool:
    """Whether the package can be imported."""
    return importlib.util.find_spec(name) is not None


def other_peers(given: Input) -> Iterator[Peer]:
    """Those beside ``deltalake`` with ``streamed_exec=False``, by which goals are set."""
    if is_installed("deltalake"):
        yield DeltaTable(given, is_streamed=True)
    yield SparkRewrite(given)
    yield DuckRewrite(given)
    yield DuckTable(given)
    if is_installed("pyiceberg"):
        yield IcebergTable(given)


class DeltaTable:
    """MERGE of ``deltalake``; later runs follow a restore."""

    def __init__(self, given: Input, *, is_streamed: bool) -> None:
        from deltalake import write_deltalake

        self.name = f"deltalake{', streamed' if is_streamed else ''}"
        self._is_streamed = is_streamed
        self._path = str(given.home / f"delta-{is_streamed}")
        for rows in given.target_tables():
            write_deltalake(self._path, rows, mode="append")
        self._sources = {name: given.batch_table(name) for name in given.batches}
        self._version = self._table().version()

    def _table(self) -> Any:
        from deltalake import DeltaTable as Table

        return Table(self._path)

    def merge(self, batch: str) -> float:
        table = self._table()
        if table.version() != self._version:
            table.restore(self._version)
            table = self._table()
        began = time.perf_counter()
        merger = table.merge(
            self._sources[batch],
            predicate="t.id = s.id",
            source_alias="s",
            target_alias="t",
            streamed_exec=self._is_streamed,
        )
        merger.when_matched_update_all().when_not_matched_insert_all().execute()
        return time.perf_counter() - began


class SparkRewrite:
    """The whole table written anew by the Spark that lakeui uses."""

    name = "Spark, table rewritten"

    def __init__(self, given: Input) -> None:
        self._given = given

    def merge(self, batch: str) -> float:
        from django.conf import settings
        from pyspark.sql.connect.session import SparkSession

        spark = SparkSession.builder.remote(settings.LAKEUI["SPARK_REMOTE"]).create()
        output = self._given.home / "spark-rewritten"
        try:
            began = time.perf_counter()
            target = spark.read.parquet(*self._given.target).drop("base")
            source = spark.read.parquet(*self._given.batches[batch]).drop("base")
            kept = target.join(source.select("id").hint("broadcast"), "id", "left_anti")
            kept.unionByName(source).write.mode("overwrite").parquet(str(output))
            return time.perf_counter() - began
        finally:
            spark.stop()
            shutil.rmtree(output, ignore_errors=True)


class DuckRewrite:
    """All Parquet files written anew by DuckDB."""

    name = "DuckDB, files rewritten"

    def __init__(self, given: Input) -> None:
        self._given = given

    def merge(self, batch: str) -> float:
        import duckdb

        output = self._given.home / "duck-rewritten"
        with duckdb.connect() as connection:
            connection.register("s", self._given.batch_table(batch))
            began = time.perf_counter()
            connection.execute(
                f"""COPY (SELECT * FROM read_parquet({self._given.target!r}, hive_partitioning = false) AS t
                WHERE NOT EXISTS (FROM s WHERE s.id = t.id) UNION ALL BY NAME FROM s)
                TO '{output}' (FORMAT parquet, COMPRESSION zstd, PER_THREAD_OUTPUT)"""
            )
            taken = time.perf_counter() - began
        shutil.rmtree(output)
        return taken


class DuckTable:
    """MERGE INTO a table in DuckDB's own format; every run has a fresh copy of the database."""

    name = "DuckDB, own table"

    def __init__(self, given: Input) -> None:
        import duckdb

        self._given = given
        self._database = given.home / "peer.duckdb"
        with duckdb.connect(str(self._database)) as connection:
            connection.execute(
                f"CREATE TABLE t AS FROM read_parquet({given.target!r}, hive_partitioning = false); CHECKPOINT"
            )

    def merge(self, batch: str) -> float:
        import duckdb

        copy = self._given.home / "run.duckdb"
        shutil.copyfile(self._database, copy)
        try:
            with duckdb.connect(str(copy)) as connection:
                connection.register("s", self._given.batch_table(batch))
                began = time.perf_counter()
                connection.execute(
                    "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT BY NAME"
                )
                return time.perf_counter() - began
        finally:
            copy.unlink()


class IcebergTable:
    """``upsert`` of PyIceberg; every run starts from the metadata as they were."""

    name = "PyIceberg"
    _identifier = "d.t"

    def __init__(self, given: Input) -> None:
        from pyiceberg.catalog.sql import SqlCatalog

        home = given.home / "iceberg"
        home.mkdir()
        self._given = given
        self._catalog = SqlCatalog("peer", uri=f"sqlite:///{home}/catalog.db", warehouse=home.as_uri())
        self._catalog.create_namespace("d")
        table = None
        for rows in given.target_tables():
            known = _known_types(rows)
            table = table or self._catalog.create_table(self._identifier, known.schema)
            table.append(known)
        assert table is not None
        self._metadata = table.metadata_location

    def merge(self, batch: str) -> float:
        self._catalog.drop_table(self._identifier)
        table = self._catalog.register_table(self._identifier, self._metadata)
        source = _known_types(self._given.batch_table(batch))
        began = time.perf_counter()
        table.upsert(source, join_cols=["id"])
        return time.perf_counter() - began


def _known_types(rows: pa.Table) -> pa.Table:
    """Without field ids, and with the integers that Iceberg has."""
    fields = [
        pa.field(field.name, pa.int32() if pa.types.is_int16(field.type) else field.type) for field in rows.schema
    ]
    return rows.cast(pa.schema(fields))
