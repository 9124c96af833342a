"""Copy-on-write: files that a statement touched are written anew, each into one file, every row at its old place.

The rows that the statement updated or deleted are known by its delete files already. So this is a second step that
decides nothing: it takes files with their deletes, and new images, and puts the same live rows into plain files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import accumulate
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
    RowsFact,
    TableScan,
    is_outside,
)
from catalog_app.domain.layout import without_order
from catalog_app.domain.schema import Schema
from catalog_app.engine.rewriting import write_bins
from catalog_app.engine.targets import Staged
from catalog_app.engine.types import is_arrow_writable
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import (
    POSITION_COLUMN,
    Integers,
    StoredFacts,
    deleted_positions,
    live_rows,
    read_integers,
)
from catalog_app.storage.facts import FIELDS, fact_columns, facts_of, marks_read, rows_facts
from catalog_app.storage.facts import Marks as Marked
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import without_dictionary

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

HERE_BYTES = 512 * 1024 * 1024
"""Up to so many bytes of touched files are rewritten by this process, one or two at a time; more by Spark."""
HERE_IMAGES = 2_000_000
"""Up to so many new images are put back into the files that they came from. More stay in files of their own."""
BATCH_ROWS = 131_072
ROW_GROUP_ROWS = 1_048_576
_NESTED = ("array", "map", "struct")


@dataclass(frozen=True, slots=True)
class Marks:
    """What a statement staged. ``updated`` are the delete files of rows that ``images`` have new images of."""

    updated: tuple[NewDeleteFile, ...]
    deleted: tuple[NewDeleteFile, ...]
    images: tuple[NewDataFile, ...]


@dataclass(frozen=True, slots=True)
class Copied:
    """``files``: what was rewritten (by data file id), ``folded``: the places in ``images`` of files whose rows are
    now in ``added``. ``rows``: how many rows were copied unchanged. ``foreseen``: of a copy that is not made yet, the
    bytes of each file that it would add, taken to be those of the file that it replaces.
    """

    files: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    added: tuple[NewDataFile, ...] = ()
    rows: int = 0
    foreseen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Images:
    """New images in memory by the place that each row had: positions ascending in each file, rows of ``table``."""

    table: pa.Table | None
    places: Mapping[int, tuple[Integers, Integers]]


def copy_touched(spark: SparkSession, writer: FileWriter, scan: TableScan, marks: Marks) -> Copied:
    """Rewrite the files of the scan that the marks touch."""
    touched = _touched(scan, marks)
    if not touched:
        return Copied()
    kept = sum(live_rows(writer.warehouse, file) for file in touched)
    files = tuple(file.file_id for file in touched)
    if not _can_copy_here(scan.schema, touched):
        bins = [((file.partition, file.layout), [file]) for file in touched]
        return Copied(files, (), tuple(write_bins(spark, writer, scan, bins)), kept)
    folded = _foldable(writer, touched, marks) if _may_fold(marks) else ()
    images = _images(writer, touched, marks, folded)
    return Copied(files, folded, tuple(_copy_here(writer, scan.table_id, touched, images)), kept)


def copy_foresee(writer: FileWriter, scan: TableScan, marks: Marks) -> Copied:
    """What ``copy_touched`` would answer, without a row that is copied."""
    touched = _touched(scan, marks)
    if not touched:
        return Copied()
    live = [live_rows(writer.warehouse, file) for file in touched]
    files = tuple(file.file_id for file in touched)
    folded: tuple[int, ...] = ()
    are_counted = any(not image.path for image in marks.images)
    if _can_copy_here(scan.schema, touched) and _may_fold(marks):
        folded = _foldable_counted(touched, marks) if are_counted else _foldable(writer, touched, marks)
    places = {} if all(live) or are_counted else _images(writer, touched, marks, folded).places
    left = (file for file, count in zip(touched, live, strict=True) if count or len(places.get(file.file_id, ((),))[0]))
    return Copied(files, folded, (), sum(live), tuple(file.bytes for file in left))


def _may_fold(marks: Marks) -> bool:
    return sum(file.rows for file in marks.images) <= HERE_IMAGES


def _touched(scan: TableScan, marks: Marks) -> list[FileScan]:
    """The files that the marks touch, with these deletes."""
    paths: dict[int, tuple[str, ...]] = {}
    for item in (*marks.updated, *marks.deleted):
        paths[item.data_file_id] = (*paths.get(item.data_file_id, ()), item.path)
    return [
        replace(file, delete_paths=(*file.delete_paths, *paths[file.file_id]))
        for file in scan.files
        if file.file_id in paths
    ]


def _can_copy_here(schema: Schema, touched: Sequence[FileScan]) -> bool:
    """Whether the rows go from file to file as they lie there, and are not too many."""
    if any(file.is_moved or is_outside(file.path) for file in touched):
        return False
    is_plain = all(is_arrow_writable(column.type) and not column.type.startswith(_NESTED) for column in schema.columns)
    is_same = all(file.schema.columns == schema.columns for file in touched)
    return is_plain and is_same and sum(file.bytes for file in touched) <= HERE_BYTES


# -- images back to their places --------------------------------------------------------------------------------------


def _origins(writer: FileWriter, marks: Marks) -> tuple[Integers, Integers, Integers]:
    """Of every updated row its id (ascending), data file and position."""
    parts = []
    for item in marks.updated:
        row_ids = read_integers(writer.warehouse, item.path, ROW_ID_COLUMN)
        positions = read_integers(writer.warehouse, item.path, POSITION_COLUMN)
        parts.append((row_ids, np.full(len(row_ids), item.data_file_id, dtype=np.int64), positions))
    if not parts:
        return (np.empty(0, dtype=np.int64),) * 3
    row_ids, files, positions = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(row_ids, kind="stable")
    return row_ids[order], files[order], positions[order]


def _foldable(writer: FileWriter, touched: Sequence[FileScan], marks: Marks) -> tuple[int, ...]:
    """Image files all of whose rows stay in their partition and layout, by their places in ``marks.images``."""
    row_ids, files, _ = _origins(writer, marks)
    originals = {file.file_id: file for file in touched}
    found = []
    for index, image in enumerate(marks.images):
        own = read_integers(writer.warehouse, image.path, ROW_ID_COLUMN)
        places = np.searchsorted(row_ids, own)
        is_known = bool((places < len(row_ids)).all()) and bool((row_ids[places] == own).all())
        if is_known and all(_belongs_into(image, originals[int(origin)]) for origin in np.unique(files[places])):
            found.append(index)
    return tuple(found)


def _foldable_counted(touched: Sequence[FileScan], marks: Marks) -> tuple[int, ...]:
    """The same of images that are counted: each row of them stays in its partition. Where there are more of a partition
    than the touched files miss, some are of files that keep no row.
    """
    missing: Counter[PartitionValues] = Counter()
    partitions = {file.file_id: file.partition for file in touched}
    for item in marks.updated:
        missing[partitions[item.data_file_id]] += item.rows
    for image in marks.images:
        missing[image.partition] -= image.rows
    return tuple(
        index
        for index, image in enumerate(marks.images)
        if missing[image.partition] == 0
        and all(_belongs_into(image, file) for file in touched if file.partition == image.partition)
    )


def _belongs_into(image: NewDataFile, original: FileScan) -> bool:
    """Whether all that the original file says holds for the rows of the image."""
    return original.partition == image.partition and set(without_order(original.layout)) <= set(image.layout)


def _images(writer: FileWriter, touched: Sequence[FileScan], marks: Marks, folded: Sequence[int]) -> _Images:
    if not folded:
        return _Images(None, {})
    tables = [
        pq.read_table(
            writer.warehouse.absolute(marks.images[index].path),
            filesystem=writer.warehouse.filesystem,
            partitioning=None,
        )
        for index in folded
    ]
    table = pa.concat_tables(tables)
    row_ids, files, positions = _origins(writer, marks)
    places = np.searchsorted(row_ids, table.column(ROW_ID_COLUMN).to_numpy())
    origins, positions = files[places], positions[places]
    by_file = {}
    for file in touched:
        rows = np.flatnonzero(origins == file.file_id)
        rows = rows[np.argsort(positions[rows], kind="stable")]
        by_file[file.file_id] = (positions[rows], rows)
    return _Images(table, by_file)


# -- the copies -------------------------------------------------------------------------------------------------------


def _copy_here(writer: FileWriter, table_id: int, touched: Sequence[FileScan], images: _Images) -> list[NewDataFile]:
    """Each copy is written under the name that it keeps: it has no more rows than its file. None stays if one fails."""
    counts = [file.rows for file in touched]
    bases = accumulate(counts[:-1], initial=writer.addresses_take(table_id, sum(counts)))
    made: list[str] = []

    def copied(base_and_file: tuple[int, FileScan]) -> Staged | None:
        base, file = base_and_file
        return _copy_one(writer, _Place(table_id, base, made), file, images)

    try:
        with ThreadPoolExecutor(max_workers=2) as pool:
            copying = [pool.submit(copy_context().run, copied, one) for one in zip(bases, touched, strict=True)]
        return writer.place(table_id, [staged for one in copying if (staged := one.result()) is not None])
    except BaseException:
        writer.warehouse.remove_all(made)
        raise


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a copy goes: the address of its first row. Its path comes to those ``made``."""

    table_id: int
    base: int
    made: list[str]

    def new(self, warehouse: Warehouse) -> str:
        path = warehouse.new_data(table_id=self.table_id, base=self.base)
        self.made.append(path)
        return path


def _copy_one(writer: FileWriter, place: _Place, file: FileScan, images: _Images) -> Staged | None:
    """Write the file's rows, images in the places of the rows that they replace; None where no row is left."""
    gone = deleted_positions(writer.warehouse, file.delete_paths)
    facts = _Facts.load(writer, file) if len(gone) < file.rows else None
    positions, rows = images.places.get(file.file_id, (np.empty(0, dtype=np.int64),) * 2)
    if len(gone) == file.rows and not len(positions):
        return None
    with pq.ParquetFile(writer.warehouse.absolute(file.path), filesystem=writer.warehouse.filesystem) as source:
        schema = _with_hidden_fields(source.schema_arrow, stores_facts=facts is not None)
        path = place.new(writer.warehouse)
        with writer.open_data(path, schema, plain=without_dictionary(source.metadata)) as output:
            waiting: list[pa.Table] = []
            start = 0
            for batch in source.iter_batches(batch_size=BATCH_ROWS):
                table = pa.Table.from_batches([batch])
                end = start + table.num_rows
                table = _with_row_ids(table, file.base + start)
                table = _with_facts(table, schema, None if facts is None else facts.of(table, start))
                first, last = np.searchsorted(positions, [start, end])
                fresh = None
                if images.table is not None:
                    taken = images.table.take(pa.array(rows[first:last]))
                    fresh = _with_facts(taken, schema, None if facts is None else _image_facts(taken.num_rows))
                waiting.append(_merged(table, gone, start, positions[first:last], fresh))
                start = end
                if sum(item.num_rows for item in waiting) >= ROW_GROUP_ROWS:
                    output.write(pa.concat_tables(waiting))
                    waiting = []
            if waiting:
                output.write(pa.concat_tables(waiting))
    return Staged(path, file.partition, file.layout, facts=output.facts, base=place.base)


def _merged(table: pa.Table, gone: Integers, start: int, positions: Integers, fresh: pa.Table | None) -> pa.Table:
    """Rows from ``start`` on without those that are gone, with fresh rows at their positions."""
    order = np.arange(table.num_rows, dtype=np.int64)
    keep = np.ones(table.num_rows, dtype=bool)
    first, last = np.searchsorted(gone, [start, start + table.num_rows])
    keep[gone[first:last] - start] = False
    if fresh is None or not len(positions):
        return table if keep.all() else table.filter(pa.array(keep))
    keep[positions - start] = True
    order[positions - start] = table.num_rows + np.arange(len(positions))
    return pa.concat_tables([table, fresh]).take(pa.array(order[keep]))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the rows of a file store where they are copied to."""

    file: FileScan
    marks: Marked

    @classmethod
    def load(cls, writer: FileWriter, file: FileScan) -> _Facts:
        return cls(file, marks_read(writer.warehouse, file))

    def of(self, table: pa.Table, start: int) -> StoredFacts:
        """The facts of the rows from position ``start`` on, as ``table`` has them."""
        stored = facts_of(table) if self.file.stores_stamps else None
        end = start + table.num_rows
        marks = ((at[(at >= start) & (at < end)] - start, fact) for at, fact in self.marks)
        return rows_facts(self.file.fact, stored, marks, table.num_rows)


def _image_facts(count: int) -> StoredFacts:
    """New images have the stamp of the commit that takes the file."""
    return rows_facts(RowsFact(0, "update"), None, (), count)


def _with_hidden_fields(schema: pa.Schema, *, stores_facts: bool) -> pa.Schema:
    """The fields of the table's columns, of row ids, and of facts where rows have those of other commits."""
    hidden = {ROW_ID_COLUMN, *FACT_FIELDS}
    row_id = pa.field(ROW_ID_COLUMN, pa.int64(), metadata={"PARQUET:field_id": str(ROW_ID_FIELD)})
    columns = [field for field in schema if field.name not in hidden]
    return pa.schema([*columns, row_id, *(FIELDS if stores_facts else ())])


def _with_row_ids(table: pa.Table, first: int) -> pa.Table:
    if ROW_ID_COLUMN in table.column_names:
        return table
    row_ids = pa.array(np.arange(first, first + table.num_rows, dtype=np.int64))
    return table.append_column(ROW_ID_COLUMN, row_ids)


def _with_facts(table: pa.Table, schema: pa.Schema, facts: StoredFacts | None) -> pa.Table:
    """The rows under the schema, with these facts in place of those that they may bring."""
    table = table.select([name for name in table.column_names if name not in FACT_FIELDS])
    for field, column in zip(FIELDS, () if facts is None else fact_columns(facts), strict=False):
        table = table.append_column(field, column)
    return table.select(schema.names).cast(schema)
