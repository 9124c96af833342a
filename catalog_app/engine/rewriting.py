"""Files made from files: compaction, and parts of files.

All keep row ids. Except for compaction no Spark job is needed: one column, or one file, is read by this process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import (
    FACT_FIELDS,
    ROW_ID_COLUMN,
    ROW_ID_FIELD,
    FileScan,
    NewDataFile,
    NewDeleteFile,
    PartitionValues,
    TableScan,
)
from catalog_app.domain.layout import is_laid, without_order
from catalog_app.domain.transforms import FileLayout
from catalog_app.engine.facts import FactReader
from catalog_app.engine.ordering import RowOrder
from catalog_app.engine.reading import ADDRESS, table_dataframe
from catalog_app.engine.staging import staging_open
from catalog_app.engine.targets import Staged, Target
from catalog_app.engine.writing import FileWriter, whole_file
from catalog_app.storage.deletes import (
    Integers,
    StoredFacts,
    deleted_positions,
    stored_row_ids,
    write_deletes,
)
from catalog_app.storage.facts import FIELDS, fact_columns, field_id

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_BIN = "__lake_bin"


Place = tuple[PartitionValues, FileLayout]
"""Where the rows of a file lie: the partition, and what its layout says of them."""


def compact_files(
    spark: SparkSession, writer: FileWriter, scan: TableScan, target_bytes: int, order_by: Sequence[int] = ()
) -> list[NewDataFile]:
    """Rewrite the scan's files, deletes applied, each partition value into as few files as the target allows. Files of
    another layout than the scan's schema has are laid by that; with ``order_by`` (column ids) all are, in its order.
    """
    columns = tuple(column for i in order_by if (column := scan.schema.column(i)) is not None)
    anew = [file for file in scan.files if columns or not is_laid(file.layout, scan.schema)]
    rest = replace(scan, files=tuple(file for file in scan.files if file not in anew))
    staged = write_bins(spark, writer, scan, list(_bins(rest, target_bytes)))
    if not anew:
        return staged
    size = sum(file.bytes for file in anew)
    rows = sum(file.rows for file in anew)
    order = RowOrder.of(columns, rows=rows, size=size, target_bytes=target_bytes) if columns else None
    target = Target(scan.table_id, scan.schema, with_row_ids=True, with_facts=True)
    with staging_open(writer.warehouse, scan.table_id) as staging:
        frame = FactReader(spark, writer, scan, staging).dataframe(anew)
        return [*staged, *writer.write_spark(target, frame, order)]


def write_bins(
    spark: SparkSession, writer: FileWriter, scan: TableScan, bins: Sequence[tuple[Place, Sequence[FileScan]]]
) -> list[NewDataFile]:
    """The live rows of each bin of files as one file at its place, in the order of addresses. Each keeps
    its row id and its fact.
    """
    if not bins:
        return []
    with staging_open(writer.warehouse, scan.table_id) as staging:
        return _write_bins(writer, scan, bins, FactReader(spark, writer, scan, staging))


def _write_bins(
    writer: FileWriter,
    scan: TableScan,
    bins: Sequence[tuple[Place, Sequence[FileScan]]],
    reader: FactReader,
) -> list[NewDataFile]:
    target = Target(scan.table_id, scan.schema, with_row_ids=True, with_facts=True)
    with writer.job(target) as job:
        parts = []
        for number, (_, files) in enumerate(bins):
            rows = reader.dataframe(files)
            # One task per bin: it writes one file, in the order of addresses.
            ordered = rows.coalesce(1).sortWithinPartitions(ADDRESS)
            folder = job.folder_value(f"'{number}'")
            parts.append(ordered.selectExpr(*target.inputs, f"{folder} AS {_BIN}"))
        union = parts[0]
        for part in parts[1:]:
            union = union.unionAll(part)
        staged = []
        for file in job.run(target, union, [_BIN]):
            assert file.texts[0] is not None
            staged.append(Staged(file.path, *bins[int(file.texts[0])][0], file.content, file.facts, file.base))
        return writer.place(scan.table_id, staged)


def _bins(scan: TableScan, target_bytes: int) -> Iterator[tuple[Place, list[FileScan]]]:
    """Files of one place in order of address, packed up to the target size."""
    groups: dict[Place, list[FileScan]] = {}
    for file in sorted(scan.files, key=lambda item: item.base):
        groups.setdefault((file.partition, without_order(file.layout)), []).append(file)
    for partition, files in groups.items():
        packed: list[FileScan] = []
        size = 0
        for file in files:
            if packed and size + file.bytes > target_bytes:
                yield partition, packed
                packed, size = [], 0
            packed.append(file)
            size += file.bytes
        yield partition, packed


def mark_live_rows(writer: FileWriter, table_id: int, file: FileScan) -> NewDeleteFile | None:
    """Mark the file's live rows; None where it has none."""
    row_ids = stored_row_ids(writer.warehouse, file)
    is_live = np.ones(len(row_ids), dtype=bool)
    is_live[deleted_positions(writer.warehouse, file.delete_paths)] = False
    positions = np.flatnonzero(is_live).astype(np.int64)
    if not len(positions):
        return None
    return write_deletes(
        writer.warehouse, table_id=table_id, file=file, positions=positions, row_ids=row_ids[positions]
    )


def part_rows(
    writer: FileWriter, table_id: int, file: FileScan, positions: Integers, facts: StoredFacts
) -> NewDataFile:
    """The rows at these positions as a new file with row ids, and with their facts of ``facts``.

    The new file is written under the same schema definition and partition values as the old one.
    """
    table = _with_row_ids(_read_whole(writer, file), stored_row_ids(writer.warehouse, file))
    return _write_part(writer, table_id, file, table, positions, facts)


def outside_part_rows(
    spark: SparkSession,
    writer: FileWriter,
    table_id: int,
    file: FileScan,
    positions: Integers,
    facts: StoredFacts,
) -> NewDataFile:
    """The same of a file that was taken over: only Spark reads it as the schema says."""
    scan = TableScan(table_id, file.schema, (replace(file, delete_paths=()),))
    target = Target(table_id, file.schema, with_row_ids=True)
    with writer.job(target, keeps=False) as job:
        rows = table_dataframe(spark, writer.warehouse, scan, with_address=True)
        ordered = rows.coalesce(1).sortWithinPartitions(ADDRESS)
        written = job.run(target, ordered.selectExpr(*target.inputs).selectExpr(*target.columns), [])
        table = pa.concat_tables([writer.rows_of(found) for found in written])
        return _write_part(writer, table_id, file, table, positions, facts)


def _write_part(
    writer: FileWriter, table_id: int, file: FileScan, table: pa.Table, positions: Integers, facts: StoredFacts
) -> NewDataFile:
    stored = set(FACT_FIELDS.values())
    table = table.select([at for at, field in enumerate(table.schema) if field_id(field) not in stored]).take(positions)
    for field, column in zip(FIELDS, fact_columns(StoredFacts(*(values[positions] for values in facts))), strict=True):
        table = table.append_column(field, column)
    return _write_images(writer, table_id, file, table)


def _read_whole(writer: FileWriter, file: FileScan) -> pa.Table:
    return pq.read_table(
        writer.warehouse.absolute(file.path), filesystem=writer.warehouse.filesystem, partitioning=None
    )


def _write_images(writer: FileWriter, table_id: int, file: FileScan, table: pa.Table) -> NewDataFile:
    return writer.place(table_id, [Staged("", file.partition, file.layout, whole_file(table))])[0]


def _with_row_ids(table: pa.Table, row_ids: Integers) -> pa.Table:
    if ROW_ID_COLUMN in table.column_names:
        return table
    field = pa.field(ROW_ID_COLUMN, pa.int64(), metadata={"PARQUET:field_id": str(ROW_ID_FIELD)})
    return table.append_column(field, pa.array(row_ids))
