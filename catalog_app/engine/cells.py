"""Single rows of files, read by address, deleted or not, and rows written column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import ROW_ID_COLUMN, NewDataFile, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.domain.whole_values import row_text
from catalog_app.engine.answers import collect
from catalog_app.engine.assigning import default_value
from catalog_app.engine.checking import cells_dataframe
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.deleted_positions import FEW_MARKS, is_among
from catalog_app.engine.merge_source import FEW_ROWS
from catalog_app.engine.reading import ADDRESS, table_dataframe
from catalog_app.engine.targets import Target
from catalog_app.engine.types import is_arrow_writable, quoted, text_literal
from catalog_app.engine.writing import PARTITION, FileWriter
from catalog_app.storage.cells import RowCells, cells_check
from catalog_app.storage.deletes import Integers
from lakeui.common.errors import NotSupported

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

_WANTED = "__lake_wanted"
_KEY = "__lake_key"


def cells_read(
    spark: SparkSession, writer: FileWriter, scan: TableScan, addresses: Integers, *, with_keys: bool
) -> RowCells:
    """The rows at these addresses, in their order, one for each time that an address is named."""
    _refuse_types(scan.schema)
    wanted, places = np.unique(addresses, return_inverse=True)
    if not len(wanted):
        # Types alone: nothing is read.
        scan = replace(scan, files=())
    rows = _rows(spark, writer.warehouse, scan, with_keys=with_keys)
    extra = (ADDRESS, _KEY) if with_keys else (ADDRESS,)
    target = Target(scan.table_id, replace(scan.schema, layout=()))
    table = _together(writer, target, wanted, lambda chunk: _at(spark, rows, chunk), extra)
    found = pc.cast(table.column(ADDRESS), pa.int64()).to_numpy()
    order = np.argsort(found, kind="stable")
    if not np.array_equal(found[order], wanted):
        raise ValueError("rows of data files are not where the catalog says")
    return _cells(scan.schema, table.take(pa.array(order[places])), with_keys=with_keys)


def cells_computed(
    spark: SparkSession, writer: FileWriter, schema: Schema, cells: RowCells, values: Mapping[int, str]
) -> RowCells:
    """The rows with other values in some columns, each an SQL expression over the columns of the schema; with their
    texts where rows have those of their partition.
    """
    # Whether a required column may stay empty is judged where the rows are known.
    nullable = tuple(replace(column, nullable=True) for column in schema.columns if column.id in values)
    computed = Schema(nullable, partition_by=tuple(i for i in schema.partition_by if i in values))
    chosen = [f"{default_value(column, values[column.id])} AS {quoted(column.name)}" for column in computed.columns]
    places = np.arange(len(next(iter(cells.columns.values()))))

    def rows_at(chunk: Integers) -> DataFrame:
        rows = cells_dataframe(spark, schema, cells.take(chunk), {ADDRESS: pa.array(chunk)})
        return rows.selectExpr(*chosen, ADDRESS)

    table = _together(writer, Target(0, computed), places, rows_at, (ADDRESS,))
    order = np.argsort(pc.cast(table.column(ADDRESS), pa.int64()).to_numpy(), kind="stable")
    found = _cells(computed, table.take(pa.array(order)), with_keys=False)
    texts = dict(zip(schema.partition_by, cells.partition, strict=False))
    if texts:
        texts |= dict(zip(computed.partition_by, found.partition, strict=True))
    return replace(cells, columns={**cells.columns, **found.columns}, partition=tuple(texts.values()))


def cells_shown(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, addresses: Integers, *, with_keys: bool
) -> list[list[Any]]:
    """The same as JSON values, with the key behind them. Values that Arrow does not have are texts."""
    rows = _rows(spark, warehouse, scan, with_keys=with_keys)
    names = [ADDRESS, *(quoted(column.name) for column in scan.schema.columns), *([_KEY] if with_keys else [])]
    found: dict[int, list[Any]] = {}
    for chunk in _chunks(np.unique(addresses)):
        if len(chunk):
            shown = _at(spark, rows, chunk).selectExpr(*names)
            found |= {row[0]: row[1:] for row in collect(shown, limit=len(chunk)).rows}
    return [found[address] for address in addresses.tolist()]


def _rows(spark: SparkSession, warehouse: Warehouse, scan: TableScan, *, with_keys: bool) -> DataFrame:
    """All rows of the files, deleted or not, with their addresses."""
    files = tuple(replace(file, delete_paths=()) for file in scan.files)
    rows = table_dataframe(spark, warehouse, replace(scan, files=files), with_address=True)
    if not with_keys:
        return rows
    keys = [scan.schema.column(identifier) for identifier in scan.schema.primary_key]
    text = row_text((text_literal(column.name), quoted(column.name)) for column in keys if column is not None)
    return rows.selectExpr("*", f"{text} AS {_KEY}")


def _at(spark: SparkSession, rows: DataFrame, addresses: Integers) -> DataFrame:
    """The rows at these addresses; few are listed, as a join takes Spark a job of its own."""
    from pyspark.sql.connect.functions import expr

    if len(addresses) <= FEW_MARKS:
        return rows.filter(is_among(ADDRESS, addresses.tolist()))
    named = spark.createDataFrame(pa.table({_WANTED: pa.array(addresses)})).hint("broadcast")
    return rows.join(named, expr(f"{ADDRESS} = {_WANTED}")).drop(_WANTED)


def cells_write(
    writer: FileWriter, table_id: int, schema: Schema, cells: RowCells, row_ids: Integers
) -> list[NewDataFile]:
    """Stage rows under their row ids, a file for each partition. The files say nothing of a layout."""
    cells_check(schema, cells)
    schema = replace(schema, layout=())
    columns = {internal_name(column): cells.columns[column.id] for column in schema.columns}
    columns |= {f"{PARTITION}{place}": values for place, values in enumerate(cells.partition)}
    columns[ROW_ID_COLUMN] = pa.array(row_ids)
    return writer.write_arrow(Target(table_id, schema, with_row_ids=True), pa.table(columns))


def _refuse_types(schema: Schema) -> None:
    for column in schema.columns:
        if not is_arrow_writable(column.type):
            raise NotSupported(
                f"Rows are not merged by cells beside column {column.name} of type {column.type}.",
                remedy="Set merge.conflicts to row, or change the rows on one branch alone.",
            )


def _chunks(addresses: Integers) -> Iterator[Integers]:
    for start in range(0, max(len(addresses), 1), FEW_ROWS):
        yield addresses[start : start + FEW_ROWS]


def _together(
    writer: FileWriter,
    target: Target,
    places: Integers,
    rows_at: Callable[[Integers], DataFrame],
    extra: tuple[str, ...],
) -> pa.Table:
    """The rows at these places, which this process holds."""
    return pa.concat_tables(
        [part for chunk in _chunks(places) for part in _fetched(writer, target, chunk, rows_at, extra)]
    )


def _fetched(
    writer: FileWriter,
    target: Target,
    places: Integers,
    rows_at: Callable[[Integers], DataFrame],
    extra: tuple[str, ...],
) -> Iterator[pa.Table]:
    """The rows in tables that this process holds: where they are wide, fewer at once."""
    table = writer.fetch(target, rows_at(places), extra=extra, limit=max(len(places), 1))
    if table is not None:
        yield table
    elif len(places) > 1:
        half = len(places) // 2
        for part in (places[:half], places[half:]):
            yield from _fetched(writer, target, part, rows_at, extra)
    else:
        raise NotSupported(
            "A row is too wide to be merged by cells.", remedy="Change the row on one branch alone, and merge again."
        )


def _cells(schema: Schema, table: pa.Table, *, with_keys: bool) -> RowCells:
    def whole(name: str) -> pa.Array:
        column = table.column(name).combine_chunks()
        return column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)

    return RowCells(
        {column.id: whole(internal_name(column)) for column in schema.columns},
        tuple(whole(f"{PARTITION}{place}") for place in range(len(schema.partition_by))),
        table.column(_KEY).to_pylist() if with_keys else (),
    )
