"""Rows that two snapshots of a table do not share, by row id: exact across update, compaction, rename and widening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import same_value
from catalog_app.engine.deleted_positions import few_addresses, is_among
from catalog_app.engine.reading import ADDRESS, ROW_ID, deleted_addresses, table_dataframe
from catalog_app.engine.small_joins import Joining
from catalog_app.engine.types import quoted

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse


def changes_dataframe(spark: SparkSession, warehouse: Warehouse, before: TableScan, after: TableScan) -> DataFrame:
    """``change``, ``row_id`` and the columns of ``after``, ordered by row id; an update gives the row before and after.

    Both scans are read as the schema of ``after`` and hold only files that the other has not, or has with other
    deletes. Of a file that both have, the rows that only one side's deletes mark are read, and no others.
    """
    columns = after.schema.columns
    joining = Joining.of(before, after)
    one = joining.together(_side(spark, warehouse, before, files_masked(before, after), columns, "b"))
    other = joining.beside(_side(spark, warehouse, after, files_masked(after, before), columns, "a"))
    same = " AND ".join(same_value(column.type, f"b_{i}", f"a_{i}") for i, column in enumerate(columns))
    both = joining.together(one.join(other, one["b_id"] == other["a_id"], "full_outer"))
    joined = both.where(f"b_id IS NULL OR a_id IS NULL OR NOT ({same})")
    changed = joined.selectExpr(f"""inline(CASE
        WHEN a_id IS NULL THEN array({_row("delete", "b", len(columns))})
        WHEN b_id IS NULL THEN array({_row("insert", "a", len(columns))})
        ELSE array({_row("update_before", "b", len(columns))}, {_row("update_after", "a", len(columns))}) END)""")
    return changed.orderBy("row_id", "is_after").selectExpr(
        "change", "row_id", *(f"c{index} AS {quoted(column.name)}" for index, column in enumerate(columns))
    )


def files_masked(one: TableScan, other: TableScan) -> dict[int, FileScan]:
    """By id the files of ``one`` that both have; each with the deletes alone that only ``other`` has."""
    there = {file.file_id: file for file in other.files}
    found = {}
    for file in one.files:
        same = there.get(file.file_id)
        if same is not None and (file.partition, file.is_moved) == (same.partition, same.is_moved):
            more = tuple(path for path in same.delete_paths if path not in file.delete_paths)
            found[file.file_id] = replace(same, delete_paths=more)
    return found


def _side(
    spark: SparkSession,
    warehouse: Warehouse,
    scan: TableScan,
    masked: Mapping[int, FileScan],
    columns: tuple[Column, ...],
    prefix: str,
) -> DataFrame:
    """The rows of the scan; of its files that are ``masked`` those that the deletes there mark."""
    marked = {identifier: file for identifier, file in masked.items() if file.delete_paths}
    kept = tuple(file for file in scan.files if file.file_id not in masked)
    frames = [table_dataframe(spark, warehouse, replace(scan, files=kept), with_address=True)] if kept else []
    if marked:
        files = tuple(file for file in scan.files if file.file_id in marked)
        frame = table_dataframe(spark, warehouse, replace(scan, files=files), with_address=True)
        frames.append(_rows_marked(spark, warehouse, frame, list(marked.values())))
    if not frames:
        frames.append(table_dataframe(spark, warehouse, replace(scan, files=()), with_address=True))
    return reduce(lambda some, more: some.unionAll(more), (_valued(frame, columns, prefix) for frame in frames))


def _rows_marked(spark: SparkSession, warehouse: Warehouse, frame: DataFrame, marking: Sequence[FileScan]) -> DataFrame:
    few = few_addresses(warehouse, marking)
    if few is None:
        gone = deleted_addresses(spark, warehouse, marking).hint("broadcast")
        return frame.join(gone, ADDRESS, "left_semi")
    return frame.filter(is_among(ADDRESS, few))


def _valued(frame: DataFrame, columns: tuple[Column, ...], prefix: str) -> DataFrame:
    values = (f"{quoted(column.name)} AS {prefix}_{index}" for index, column in enumerate(columns))
    return frame.selectExpr(f"{ROW_ID} AS {prefix}_id", *values)


def _row(change: str, prefix: str, columns: int) -> str:
    values = "".join(f", 'c{index}', {prefix}_{index}" for index in range(columns))
    is_after = "true" if prefix == "a" else "false"
    return f"named_struct('change', '{change}', 'is_after', {is_after}, 'row_id', {prefix}_id{values})"
