"""Rows that two snapshots of a table do not share, by row id: exact across update, compaction, rename and widening."""

from __future__ import annotations

from collections.abc import Mapping
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
    deletes. Of a file that only has more deletes after, the rows that these mark are read, and no others.
    """
    columns = after.schema.columns
    masked = files_masked(before, after)
    kept = tuple(file for file in before.files if file.file_id not in masked)
    joining = Joining.of(before, after)
    parts = [_side(spark, warehouse, replace(before, files=kept), columns, "b")] if kept or not masked else []
    if masked:
        parts.append(_rows_gone(spark, warehouse, before, masked, columns))
        after = replace(after, files=tuple(file for file in after.files if file.file_id not in masked))
    one = joining.together(reduce(lambda some, more: some.unionAll(more), parts))
    other = joining.beside(_side(spark, warehouse, after, columns, "a"))
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


def files_masked(before: TableScan, after: TableScan) -> dict[int, FileScan]:
    """By id the files that differ in that they have more deletes after; each with these alone."""
    later = {file.file_id: file for file in after.files}
    found = {}
    for file in before.files:
        then = later.get(file.file_id)
        if then is None or (file.partition, file.is_moved) != (then.partition, then.is_moved):
            continue
        more = tuple(path for path in then.delete_paths if path not in file.delete_paths)
        if set(file.delete_paths) <= set(then.delete_paths) and more:
            found[file.file_id] = replace(then, delete_paths=more)
    return found


def _rows_gone(
    spark: SparkSession,
    warehouse: Warehouse,
    before: TableScan,
    masked: Mapping[int, FileScan],
    columns: tuple[Column, ...],
) -> DataFrame:
    """The rows of files of ``before`` that the deletes of ``masked`` mark."""
    scan = replace(before, files=tuple(file for file in before.files if file.file_id in masked))
    frame = table_dataframe(spark, warehouse, scan, with_address=True)
    few = few_addresses(warehouse, list(masked.values()))
    if few is None:
        gone = deleted_addresses(spark, warehouse, list(masked.values())).hint("broadcast")
        return _valued(frame.join(gone, ADDRESS, "left_semi"), columns, "b")
    return _valued(frame.filter(is_among(ADDRESS, few)), columns, "b")


def _side(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, columns: tuple[Column, ...], prefix: str
) -> DataFrame:
    return _valued(table_dataframe(spark, warehouse, scan, with_address=True), columns, prefix)


def _valued(frame: DataFrame, columns: tuple[Column, ...], prefix: str) -> DataFrame:
    values = (f"{quoted(column.name)} AS {prefix}_{index}" for index, column in enumerate(columns))
    return frame.selectExpr(f"{ROW_ID} AS {prefix}_id", *values)


def _row(change: str, prefix: str, columns: int) -> str:
    values = "".join(f", 'c{index}', {prefix}_{index}" for index in range(columns))
    is_after = "true" if prefix == "a" else "false"
    return f"named_struct('change', '{change}', 'is_after', {is_after}, 'row_id', {prefix}_id{values})"
