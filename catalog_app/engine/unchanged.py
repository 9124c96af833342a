"""Rows that a statement would set to the values that they have: they are not written, and are no update (rows §1.5).

Spark compares values whole (``same_value``): NULL is NULL, NaN is NaN, -0.0 is 0.0. Of rows that wait in this process
most differ in a column that costs little to read: what that shows Spark is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import same_value
from catalog_app.engine.reading import ADDRESS, table_dataframe
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.staging import Staging
from catalog_app.engine.types import arrow_type, quoted, spark_type, storage_type
from catalog_app.engine.writing import FileWriter, internal_name
from catalog_app.pruning.keys import all_above
from catalog_app.storage.deletes import Integers

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

_NUMBER = "__lake_n"
ENOUGH = 0.99
"""A column in which so many rows of one file differ is read of the others first."""


def changed_only(rows: DataFrame, columns: Sequence[Column], old: str, new: str) -> DataFrame:
    """The rows whose values in some column differ; ``old`` and ``new`` are prefixes of their columns, by column id.

    Values are computed once, of rows that were chosen before: Spark moves nothing past a number of each row.
    """
    same = " AND ".join(same_value(storage_type(c.type), f"{old}{c.id}", f"{new}{c.id}") for c in columns) or "true"
    numbered = rows.selectExpr("*", f"monotonically_increasing_id() AS {_NUMBER}")
    return numbered.filter(f"{_NUMBER} >= 0 AND NOT ({same})")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one file on their way: positions, ascending, and where their new values are."""

    file: FileScan
    positions: Integers
    places: Integers


def unchanged_images(
    spark: SparkSession,
    writer: FileWriter,
    scan: TableScan,
    images: pa.Table,
    columns: Sequence[Column],
    staging: Staging,
) -> Flags:
    """Of new images, as ``FileWriter.fetch`` gives them with ``ADDRESS``, those that have in these columns the values
    of the rows that they replace.
    """
    open_places = np.concatenate([np.empty(0, np.int64), *_open_places(writer, scan, images, columns)])
    same = np.zeros(images.num_rows, dtype=np.bool_)
    if len(open_places):
        chosen = images.take(pa.array(open_places))
        addresses = _same_addresses(spark, writer, scan, chosen, columns, staging)
        same[open_places] = np.isin(chosen.column(ADDRESS).to_numpy(), addresses)
    return same


# -- what this process sees -------------------------------------------------------------------------------------------


def _open_places(writer: FileWriter, scan: TableScan, images: pa.Table, columns: Sequence[Column]) -> list[Integers]:
    """The images that neither statistics nor a column read here proves to differ. The first file that is read says
    which columns are worth it.
    """
    plain = [column for column in columns if arrow_type(column.type) is not None]
    found: list[Integers] = []
    order: list[Column] | None = None
    for rows in sorted(_by_file(scan, images), key=lambda item: item.file.rows):
        if any(_is_above(rows, images, column) for column in plain):
            continue
        if order is None:
            shares = _shares(writer, rows, images, plain)
            order = sorted((c for c in plain if shares.get(c.id)), key=lambda c: -shares[c.id])
        left = rows
        for column in order:
            if not len(left.places):
                break
            left = _same_here(writer, left, images, column)
        found.append(left.places)
    return found


def _is_above(rows: _Rows, images: pa.Table, column: Column) -> bool:
    """Whether statistics say that all new values of the column are higher than all that the file holds: as a watermark
    is, or the time of a write. Nothing is read for that.
    """
    kind = images.schema.field(internal_name(column)).type
    if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind)):
        return False
    if rows.file.statistics is None or (rows.file.is_moved and column.id in rows.file.schema.partition_by):
        return False
    new = images.column(internal_name(column)).take(pa.array(rows.places))
    if new.null_count:
        return False
    # The scalar as it is: Python's own times end at the year 9999.
    lowest = pa.chunked_array([pa.repeat(pc.min(new), 1)])
    return all_above(column, column.type, lowest, [rows.file.statistics])


def _by_file(scan: TableScan, images: pa.Table) -> list[_Rows]:
    addresses = images.column(ADDRESS).to_numpy()
    order = np.argsort(addresses, kind="stable")
    found = []
    for file in scan.files:
        start, end = np.searchsorted(addresses[order], [file.base, file.base + file.rows])
        if start < end:
            places = order[start:end]
            found.append(_Rows(file, addresses[places] - file.base, places))
    return found


def _shares(writer: FileWriter, rows: _Rows, images: pa.Table, columns: Sequence[Column]) -> dict[int, float]:
    """How many of the rows differ in each column, up to the first that tells nearly all apart."""
    shares: dict[int, float] = {}
    for column in columns:
        shares[column.id] = 1 - len(_same_here(writer, rows, images, column).places) / len(rows.places)
        if shares[column.id] >= ENOUGH:
            break
    return shares


def _same_here(writer: FileWriter, rows: _Rows, images: pa.Table, column: Column) -> _Rows:
    """The rows that may have the same value in the column."""
    old = _values_at(writer, rows.file, rows.positions, column)
    new = images.column(internal_name(column)).take(pa.array(rows.places))
    if old is None or old.type != new.type:
        return rows
    may_be_same = ~_differ(old, new)
    return replace(rows, positions=rows.positions[may_be_same], places=rows.places[may_be_same])


def _values_at(writer: FileWriter, file: FileScan, positions: Integers, column: Column) -> pa.ChunkedArray | None:
    """The column's values at these positions; None where the file holds them in another form."""
    written = next((item for item in file.schema.columns if item.id == column.id), None)
    if written is None or storage_type(written.type) != storage_type(column.type):
        return None
    if file.by_name or (file.is_moved and column.id in file.schema.partition_by):
        return None
    with pq.ParquetFile(writer.warehouse.absolute(file.path), filesystem=writer.warehouse.filesystem) as opened:
        identifier = str(column.id).encode()
        names = [f.name for f in opened.schema_arrow if (f.metadata or {}).get(b"PARQUET:field_id") == identifier]
        if len(names) != 1 or "." in names[0]:
            return None
        counts = [opened.metadata.row_group(index).num_rows for index in range(opened.metadata.num_row_groups)]
        starts = np.concatenate([[0], np.cumsum(counts)])
        groups = np.unique(np.searchsorted(starts, positions, side="right") - 1)
        values = opened.read_row_groups([int(group) for group in groups], columns=names).column(0)
        kept = np.concatenate([np.arange(starts[group], starts[group + 1]) for group in groups])
        return values.take(pa.array(np.searchsorted(kept, positions)))


def _differ(old: pa.ChunkedArray, new: pa.ChunkedArray) -> Flags:
    """Where plain values surely differ."""
    unlike = pc.fill_null(pc.not_equal(old, new), fill_value=False)
    if pa.types.is_floating(old.type):
        are_nan = pc.fill_null(pc.and_(pc.is_nan(old), pc.is_nan(new)), fill_value=False)
        unlike = pc.and_(unlike, pc.invert(are_nan))
    flags: Flags = pc.or_(unlike, pc.xor(pc.is_null(old), pc.is_null(new))).to_numpy()
    return flags


# -- what Spark says --------------------------------------------------------------------------------------------------


def _same_addresses(
    spark: SparkSession,
    writer: FileWriter,
    scan: TableScan,
    images: pa.Table,
    columns: Sequence[Column],
    staging: Staging,
) -> Integers:
    """The addresses of rows that hold the values of these images."""
    from pyspark.sql.types import LongType, StructField, StructType

    addresses = images.column(ADDRESS)
    named = {f"n{column.id}": images.column(internal_name(column)) for column in columns}
    held = staging.hold(pa.table({"a": addresses, **named}))
    fields = [StructField(f"n{c.id}", spark_type(spark, storage_type(c.type))) for c in columns]
    schema = StructType([StructField("a", LongType()), *fields])
    given = staging.read(spark, held, schema)
    files = tuple(rows.file for rows in _by_file(scan, images))
    table = table_dataframe(spark, writer.warehouse, replace(scan, files=files), with_address=True)
    old = table.selectExpr(ADDRESS, *(f"{quoted(c.name)} AS o{c.id}" for c in columns))
    same = " AND ".join(same_value(storage_type(c.type), f"o{c.id}", f"n{c.id}") for c in columns)
    joined = old.join(given.hint("broadcast"), old[ADDRESS] == given["a"])
    found: Integers = arrow_rows(joined.filter(same).select(ADDRESS)).column(0).to_numpy()
    return found
