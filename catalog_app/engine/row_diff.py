"""Rows that two snapshots of a table do not share, by row id: exact across update, compaction, rename and widening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import same_value
from catalog_app.engine.reading import ROW_ID, table_dataframe
from catalog_app.engine.small_joins import Joining
from catalog_app.engine.types import quoted

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse


def changes_dataframe(spark: SparkSession, warehouse: Warehouse, before: TableScan, after: TableScan) -> DataFrame:
    """``change``, ``row_id`` and the columns of ``after``, ordered by row id; an update gives the row before and after.

    Both scans are read as the schema of ``after`` and hold only files that the other has not, or has with other
    deletes.
    """
    columns = after.schema.columns
    joining = Joining.of(before, after)
    one = joining.together(_side(spark, warehouse, before, columns, "b"))
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


def _side(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, columns: tuple[Column, ...], prefix: str
) -> DataFrame:
    frame = table_dataframe(spark, warehouse, scan, with_address=True)
    values = (f"{quoted(column.name)} AS {prefix}_{index}" for index, column in enumerate(columns))
    return frame.selectExpr(f"{ROW_ID} AS {prefix}_id", *values)


def _row(change: str, prefix: str, columns: int) -> str:
    values = "".join(f", 'c{index}', {prefix}_{index}" for index in range(columns))
    is_after = "true" if prefix == "a" else "false"
    return f"named_struct('change', '{change}', 'is_after', {is_after}, 'row_id', {prefix}_id{values})"
