"""From a DataFrame to staged files: field ids, one file per partition value until size splits, footers read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from catalog_app.domain.files import ROW_ID_COLUMN, ROW_ID_FIELD, FileScan, NewDataFile, NewDeleteFile
from catalog_app.domain.schema import Schema
from catalog_app.engine.reading import (
    ADDRESS,
    BASE,
    DELETE_PATH_FIELD,
    DELETE_POSITION_FIELD,
    FILE,
    ROW_ID,
)
from catalog_app.engine.types import quoted
from catalog_app.storage.footers import read_facts

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

    from catalog_app.storage.warehouse import Warehouse

Allocate = Callable[[int, int], int]
_PARTITION = "__partition"


def data_write(
    frame: DataFrame, warehouse: Warehouse, allocate: Allocate, *, table_id: int, schema: Schema, stores_row_ids: bool
) -> list[NewDataFile]:
    """Stage the rows of ``frame``, which has the schema's columns by name and ``__row_id`` where ids are stored."""
    columns = [
        frame[quoted(column.name)].alias(column.name, metadata={"parquet.field.id": column.id})
        for column in schema.columns
    ]
    if stores_row_ids:
        columns.append(frame[ROW_ID].alias(ROW_ID_COLUMN, metadata={"parquet.field.id": ROW_ID_FIELD}))
    folder = warehouse.new_staging(table_id)
    try:
        if schema.partition_by:
            texts = ", ".join(f"CAST({quoted(column.name)} AS string)" for column in schema.partition_columns)
            chosen = frame.select(*columns).selectExpr("*", f"to_json(array({texts})) AS {_PARTITION}")
            writer = chosen.hint("rebalance", _PARTITION).write.partitionBy(_PARTITION)
        else:
            writer = frame.select(*columns).hint("rebalance").write
        writer.parquet(warehouse.spark_path(folder))
        return _place(warehouse, allocate, folder, table_id, partitioned=bool(schema.partition_by))
    finally:
        warehouse.discard(folder)


def _place(
    warehouse: Warehouse, allocate: Allocate, folder: str, table_id: int, *, partitioned: bool
) -> list[NewDataFile]:
    facts = [(file.path, read_facts(warehouse, file.path)) for file in warehouse.files_under(folder)]
    facts = [(path, found) for path, found in facts if found.rows]
    if not facts:
        return []
    base = allocate(table_id, sum(found.rows for _, found in facts))
    placed = []
    for path, found in facts:
        smallest, largest = found.row_ids or (None, None)
        placed.append(
            NewDataFile(
                path=warehouse.place_data(path, table_id=table_id, base=base),
                base=base,
                rows=found.rows,
                bytes=found.bytes,
                partition=_partition_values(path) if partitioned else (),
                statistics=found.statistics,
                stores_row_ids=found.row_ids is not None,
                smallest_row_id=smallest,
                largest_row_id=largest,
            )
        )
        base += found.rows
    return placed


def _partition_values(path: str) -> tuple[str | None, ...]:
    folder = next(part for part in path.split("/") if part.startswith(f"{_PARTITION}="))
    return tuple(json.loads(unquote(folder.removeprefix(f"{_PARTITION}="))))


def deletes_write(
    addressed: DataFrame, warehouse: Warehouse, *, table_id: int, files: Sequence[FileScan]
) -> list[NewDeleteFile]:
    """Stage one delete file per data file that ``addressed`` (``__address``, ``__base``, ``__row_id``, ``__file``)
    names rows of, in the layout of Iceberg v2 position deletes.
    """
    columns: list[Any] = [
        addressed[FILE].alias("file_path", metadata={"parquet.field.id": DELETE_PATH_FIELD}),
        (addressed[ADDRESS] - addressed[BASE]).alias("pos", metadata={"parquet.field.id": DELETE_POSITION_FIELD}),
        addressed[ROW_ID].alias(ROW_ID_COLUMN, metadata={"parquet.field.id": ROW_ID_FIELD}),
        addressed[BASE].alias("base"),
    ]
    folder = warehouse.new_staging(table_id)
    by_base: Mapping[int, FileScan] = {file.base: file for file in files}
    try:
        chosen = addressed.select(*columns).repartition("base")
        chosen.sortWithinPartitions("base", "pos").write.partitionBy("base").parquet(warehouse.spark_path(folder))
        staged = []
        for file in warehouse.files_under(folder):
            base = int(next(part for part in file.path.split("/") if part.startswith("base=")).removeprefix("base="))
            facts = read_facts(warehouse, file.path)
            path = warehouse.place_deletes(file.path, table_id=table_id, base=base)
            staged.append(NewDeleteFile(path, by_base[base].file_id, facts.rows, facts.bytes))
        return staged
    finally:
        warehouse.discard(folder)
