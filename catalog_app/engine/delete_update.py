"""DELETE and UPDATE: matched rows become position deletes and, for UPDATE, new images that keep their row ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import ROW_ID_COLUMN, FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.assigning import Matching, assigned_value
from catalog_app.engine.counting import Counting, can_count, images_count
from catalog_app.engine.inputs_outputs import RowChanges, Tables
from catalog_app.engine.literals import literal_kind
from catalog_app.engine.reading import ADDRESS, ROW_ID, selected, table_dataframe
from catalog_app.engine.sources import named_column, require_assignable
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.types import as_condition, is_default, quoted, storage_type, stored_value, type_text
from catalog_app.engine.unchanged import changed_only
from catalog_app.engine.writing import SMALL_ROWS, FileWriter
from catalog_app.storage.deletes import Integers, deleted_positions, read_integers, stored_row_ids, write_deletes
from lakeui.common.errors import InvalidValue

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

ROWS_PER_PASS = 30_000_000
"""Addresses are fetched for files of at most so many rows at once, to bound this process's memory."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Rows that a statement takes away: address and row id of each, in no order."""

    addresses: Integers
    row_ids: Integers


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The rows that a statement names: an SQL condition (None: all) over the table under an alias. ``tables``: what
    subqueries of the statement read, None where it has none.
    """

    condition: str | None
    alias: str
    tables: Tables | None = None

    def of(self, spark: SparkSession, writer: FileWriter, scan: TableScan) -> DataFrame:
        """The rows with their addresses."""
        from pyspark.sql.connect.functions import expr

        table = table_dataframe(spark, writer.warehouse, scan, with_address=True).alias(self.alias)
        if self.condition is None:
            return table
        if self.tables is None:
            return table.filter(expr(as_condition(self.condition)))
        chosen = selected(spark, writer.warehouse, table, self.alias, ["*"], self.tables, self.condition)
        return chosen.alias(self.alias)

    def values(self, spark: SparkSession, writer: FileWriter, rows: DataFrame, texts: Sequence[str]) -> DataFrame:
        """Expressions, with their names, over these rows."""
        if self.tables is None:
            return rows.selectExpr(*texts)
        return selected(spark, writer.warehouse, rows, self.alias, texts, self.tables)


def delete_rows(spark: SparkSession, writer: FileWriter, scan: TableScan, rows: RowFilter) -> RowChanges:
    """Stage the deletes of a DELETE statement."""
    return mask_rows(writer, scan, list(matched_rows(spark, writer, scan, rows)))


def matched_rows(spark: SparkSession, writer: FileWriter, scan: TableScan, rows: RowFilter) -> Iterator[Matched]:
    """Find the rows that the filter names, in one Spark job per pass."""
    for part in scan_parts(scan):
        yield _matched(arrow_rows(rows.of(spark, writer, part).select(ADDRESS, ROW_ID)))


def _matched(table: pa.Table) -> Matched:
    return Matched(table.column(ADDRESS).to_numpy(), table.column(ROW_ID).to_numpy())


def scan_parts(scan: TableScan) -> Iterator[TableScan]:
    """The scan in parts whose addresses fit into this process."""
    files: list[FileScan] = []
    rows = 0
    for file in scan.files:
        if files and rows + file.rows > ROWS_PER_PASS:
            yield replace(scan, files=tuple(files))
            files, rows = [], 0
        files.append(file)
        rows += file.rows
    if files:
        yield replace(scan, files=tuple(files))


def mask_rows(writer: FileWriter, scan: TableScan, matched: list[Matched]) -> RowChanges:
    """Write one delete file per data file that keeps rows, and say which files keep none."""
    delete_files: list[NewDeleteFile] = []
    emptied: list[int] = []
    rows = 0
    for file, positions, row_ids in _by_file(scan, matched):
        rows += len(positions)
        if leaves_nothing(writer, file, positions):
            emptied.append(file.file_id)
            continue
        delete_files.append(
            write_deletes(writer.warehouse, table_id=scan.table_id, file=file, positions=positions, row_ids=row_ids)
        )
    return RowChanges(
        delete_files=tuple(delete_files), emptied=tuple(emptied), rows=rows, files_scanned=len(scan.files)
    )


def replaced_rows(writer: FileWriter, scan: TableScan, images: Sequence[NewDataFile]) -> Iterator[Matched]:
    """The live rows of the scan whose row ids these images have."""
    wanted = image_ids(writer, images)
    for file in scan.files:
        row_ids = stored_row_ids(writer.warehouse, file)
        hit = np.isin(row_ids, wanted)
        hit[deleted_positions(writer.warehouse, file.delete_paths)] = False
        positions = np.flatnonzero(hit).astype(np.int64)
        if len(positions):
            yield Matched(positions + file.base, row_ids[positions])


def image_ids(writer: FileWriter, images: Sequence[NewDataFile]) -> Integers:
    """The row ids of images."""
    parts = [read_integers(writer.warehouse, image.path, ROW_ID_COLUMN) for image in images]
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _by_file(scan: TableScan, matched: list[Matched]) -> Iterator[tuple[FileScan, Integers, Integers]]:
    """Positions and row ids of the matched rows of each file that has any."""
    if not matched:
        return
    addresses = np.concatenate([part.addresses for part in matched])
    row_ids = np.concatenate([part.row_ids for part in matched])
    order = np.argsort(addresses, kind="stable")
    addresses, row_ids = addresses[order], row_ids[order]
    for file in sorted(scan.files, key=lambda item: item.base):
        start, end = np.searchsorted(addresses, [file.base, file.base + file.rows])
        if start < end:
            yield file, addresses[start:end] - file.base, row_ids[start:end]


def leaves_nothing(writer: FileWriter, file: FileScan, positions: Integers) -> bool:
    """Whether the file has no live row besides these."""
    if len(positions) == file.rows:
        return True
    if not file.delete_paths:
        return False
    return len(positions) + len(deleted_positions(writer.warehouse, file.delete_paths)) == file.rows


def update_rows(
    spark: SparkSession,
    writer: FileWriter,
    scan: TableScan,
    rows: RowFilter,
    assignments: Sequence[tuple[str, str]],
    *,
    kinds: Mapping[str, str],
    writes_equal: bool,
    counting: Counting | None = None,
) -> RowChanges:
    """Stage the deletes and the new images of an UPDATE statement, or count the images. SET sees the old values. Rows
    that have the new values already are left alone, unless ``writes_equal``. ``kinds``: Spark's types of new values, by
    column, as far as they are known.
    """
    given = _by_column(scan.schema, assignments)
    known = _known_kinds(scan.schema, given, kinds)
    matching = rows.of(spark, writer, scan)
    images = _images(
        lambda texts: rows.values(spark, writer, matching, texts),
        scan.schema,
        given,
        known,
        rows.alias,
        writes_equal=writes_equal,
    )
    target = Target(scan.table_id, scan.schema, with_row_ids=True)
    counted = _changes_counted(writer, scan, target, images, counting) if counting is not None else None
    if counted is not None:
        return counted
    small = writer.fetch(target, images, extra=(ADDRESS,), limit=SMALL_ROWS)
    if small is not None:
        matched = [Matched(small.column(ADDRESS).to_numpy(), small.column(ROW_ID_COLUMN).to_numpy())]
        files = writer.write_arrow(target, small)
    else:
        files = writer.write_spark(target, images)
        matched = list(replaced_rows(writer, scan, files))
    return replace(mask_rows(writer, scan, matched), images=tuple(files))


def _changes_counted(
    writer: FileWriter, scan: TableScan, target: Target, images: DataFrame, counting: Counting
) -> RowChanges | None:
    """The changes with images that are counted; None where they have to be written."""
    is_held = sum(file.rows for file in scan.files) <= ROWS_PER_PASS
    counted = images_count(target, images, ADDRESS) if is_held and can_count(target) and counting.is_enough() else None
    if counted is None:
        return None
    shown = counted.some.slice(0, counting.most)
    counting.added = tuple(writer.write_arrow(target, shown))
    some = Matched(shown.column(ADDRESS).to_numpy(), shown.column(ROW_ID_COLUMN).to_numpy())
    counting.deletes = tuple(
        write_deletes(writer.warehouse, table_id=scan.table_id, file=file, positions=positions, row_ids=row_ids)
        for file, positions, row_ids in _by_file(scan, [some])
    )
    counting.is_done = True
    changes = mask_rows(writer, scan, [Matched(counted.addresses, counted.row_ids)])
    return replace(changes, images=tuple(counted.files))


def _known_kinds(schema: Schema, given: Mapping[int, str], kinds: Mapping[str, str]) -> dict[int, str] | None:
    """The types of all new values by column id; None where one is not known."""
    found = {
        column.id: kinds.get(column.name) or literal_kind(given[column.id])
        for column in schema.columns
        if column.id in given
    }
    return None if None in found.values() else {key: kind for key, kind in found.items() if kind is not None}


def _images(
    select: Callable[[Sequence[str]], DataFrame],
    schema: Schema,
    given: Mapping[int, str],
    kinds: Mapping[int, str] | None,
    alias: str,
    *,
    writes_equal: bool,
) -> DataFrame:
    """New images of the rows that ``select`` computes expressions over, with row id and address: of those that change,
    or of all.
    """
    olds = {column.id: f"{quoted(alias)}.{quoted(column.name)}" for column in schema.columns}
    # A line break ends what may be a comment at the end of an expression.
    outputs = [f"({given.get(column.id, olds[column.id])}\n) AS n{column.id}" for column in schema.columns]
    assigned_columns = [column for column in schema.columns if column.id in given]
    before = [f"{olds[column.id]} AS o{column.id}" for column in assigned_columns]
    assigned = select([*outputs, *before, ROW_ID, ADDRESS])
    if kinds is None:
        fields = assigned.schema.fields
        kinds = {column.id: type_text(field.dataType) for column, field in zip(schema.columns, fields, strict=False)}
    finals = []
    for column in schema.columns:
        value = stored_value(column, f"n{column.id}")
        if column.id in given:
            require_assignable(column, kinds[column.id])
            value = assigned_value(column, f"n{column.id}", kinds[column.id], Matching.BY_NAME)
        finals.append(f"{value} AS f{column.id}")
    stored = assigned.selectExpr(*finals, *(f"o{column.id}" for column in assigned_columns), ROW_ID, ADDRESS)
    named = [f"f{column.id} AS {quoted(column.name)}" for column in schema.columns]
    changed = stored if writes_equal else changed_only(stored, assigned_columns, "o", "f")
    return changed.selectExpr(*named, ROW_ID, ADDRESS)


def _by_column(schema: Schema, assignments: Sequence[tuple[str, str]]) -> dict[int, str]:
    """SET clauses by column id, DEFAULT replaced by its text."""
    given: dict[int, str] = {}
    for name, text in assignments:
        column = named_column(schema, name)
        if column.id in given:
            raise InvalidValue(f"Column {column.name} is assigned twice.", remedy="Assign each column once.")
        default = f"CAST({column.default or 'NULL'} AS {storage_type(column.type)})"
        given[column.id] = default if is_default(text) else text
    return given
