"""All rows of a query as Parquet files of the warehouse, in the order of the query.

A job writes them: neither Spark's server nor this process collects them, so there may be any number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, is_outside
from catalog_app.domain.results import KeptFile, KeptRows
from catalog_app.engine.decoding import file_name
from catalog_app.engine.inputs_outputs import PlainRead
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.types import is_arrow_writable, shown_type, storage_type, type_text
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

_ROW_GROUP_BYTES = 16 * 1024 * 1024
"""A page of rows that begins inside of a row group decodes what lies before it there."""
_MOST_FILES = 1_000
"""Footers that are opened before it is known whether the files of a table are the result."""
_NOTHING = {"kept": True}
"""What a column says of itself in place of the field id that it has in its table."""


def rows_keep(rows: DataFrame, warehouse: Warehouse, folder: str) -> KeptRows:
    """Write the rows into the folder, which is new."""
    from pyspark.sql.connect.functions import expr

    columns = tuple((field.name, type_text(field.dataType)) for field in rows.schema.fields)
    if not columns:
        raise InvalidValue("The result has no columns.", remedy="Name a column, or a constant.")
    names = [f"c{index}" for index in range(len(columns))]
    values = [
        expr(f"CAST({name} AS {shown_type(kind)})").alias(name, metadata=_NOTHING)
        for name, (_, kind) in zip(names, columns, strict=True)
    ]
    kept = rows.toDF(*names).select(*values)
    writer = kept.write.mode("overwrite").option("parquet.block.size", _ROW_GROUP_BYTES)
    writer.options(**warehouse.spark_options).parquet(warehouse.spark_path(folder))
    files = kept_files(warehouse, folder, names)
    if not files:
        warehouse.make_folder(folder)
        pq.write_table(
            arrow_rows(kept.limit(0)), warehouse.absolute(f"{folder}/part-0.parquet"), filesystem=warehouse.filesystem
        )
        files = kept_files(warehouse, folder, names)
    return KeptRows(columns, files)


def kept_files(warehouse: Warehouse, folder: str, names: list[str]) -> tuple[KeptFile, ...]:
    """What lies in the folder, in order. Spark numbers the parts of a query as they follow each other."""
    found = []
    for file in warehouse.files_under(folder):
        with pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem) as opened:
            found.append(KeptFile(file.path, opened.metadata.num_rows, file.bytes, tuple(names)))
    return tuple(found)


def plain_keep(warehouse: Warehouse, plain: PlainRead) -> KeptRows | None:
    """All rows of a table as they lie in its own files: nothing is written. None where a file says less, or other, than
    the table does.
    """
    scan = plain.scan
    if (
        plain.limit is not None
        or not scan.files
        or len(scan.files) > _MOST_FILES
        or not all(_is_plain(column.type) for _, column in plain.columns)
    ):
        return None
    found, types = [], set()
    for file in scan.files:
        names = _names_in(file, plain)
        if names is None:
            return None
        with pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem) as opened:
            schema = opened.schema_arrow
            if any(schema.get_field_index(name) < 0 for name in names):
                return None
            types.add(tuple(schema.field(name).type for name in names))
        found.append(KeptFile(file.path, file.rows, warehouse.size(file.path), names))
    columns = tuple((name, storage_type(column.type)) for name, column in plain.columns)
    return KeptRows(columns, tuple(found)) if len(types) == 1 else None


def _is_plain(kind: str) -> bool:
    return "<" not in kind and is_arrow_writable(kind)


def _names_in(file: FileScan, plain: PlainRead) -> tuple[str, ...] | None:
    """What the columns are called in the file, where it holds each as the table has it, and all its rows live."""
    if file.delete_paths or file.is_moved or file.by_name or is_outside(file.path):
        return None
    written = {column.id: column for column in file.schema.columns}
    held = [(column, written.get(column.id)) for _, column in plain.columns]
    if any(other is None or other.type != column.type for column, other in held):
        return None
    return tuple(file_name(other) for _, other in held if other is not None)
