"""Rows that two snapshots of a table do not share, counted in one query of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import TableScan
from catalog_app.domain.row_counts import EXAMPLES_SHOWN, Counted, RowCounts, telling_columns
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import json_text, same_value
from catalog_app.engine.asking import row_values
from catalog_app.engine.joining import Joining
from catalog_app.engine.reading import ROW_ID, table_dataframe
from catalog_app.engine.types import quoted, text_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

_KIND = "CASE WHEN a_id IS NULL THEN 'delete' WHEN b_id IS NULL THEN 'insert' ELSE 'update' END"


def changes_counted(
    spark: SparkSession, warehouse: Warehouse, before: TableScan, after: TableScan, watched: Sequence[int]
) -> RowCounts:
    """Count the rows in which the scans differ; ``watched`` are ids of columns whose changed values are counted too.

    Both scans are read as the schema of ``after`` and hold only files that the other lacks or has with other deletes.
    Rows are one by the primary key, as a merge by key may give a row another id; without a key by their ids.
    """
    from pyspark.sql.connect.functions import expr

    columns = after.schema.columns
    joining = Joining.of(before, after)
    one = joining.together(_side(spark, warehouse, before, columns, "b"))
    other = joining.beside(_side(spark, warehouse, after, columns, "a"))
    joined = joining.together(one.join(other, expr(_is_one(after, columns)), "full_outer"))
    same = " AND ".join(same_value(column.type, f"b_{i}", f"a_{i}") for i, column in enumerate(columns))
    places = [place for place, column in enumerate(columns) if column.id in set(watched)]
    named = [columns.index(column) for column in telling_columns(after.schema)]
    changed = joined.where(f"b_id IS NULL OR a_id IS NULL OR NOT ({same})").selectExpr(
        f"{_KIND} AS kind",
        f"{_text(columns, named)} AS named",
        *(f"{_has_new_value(columns[place], place)} AS w_{place}" for place in places),
        *(f"{_text(columns, [*named, place])} AS v_{place}" for place in places),
    )
    aggregated = [expr("count(*)"), expr(f"min_by(named, named, {EXAMPLES_SHOWN})")]
    for place in places:
        aggregated.append(expr(f"count_if(w_{place})"))
        aggregated.append(expr(f"min_by(v_{place}, v_{place}, {EXAMPLES_SHOWN}) FILTER (WHERE w_{place})"))
    return _counts(row_values(changed.groupBy("kind").agg(*aggregated)), [columns[place].id for place in places])


def _side(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, columns: Sequence[Column], prefix: str
) -> DataFrame:
    frame = table_dataframe(spark, warehouse, scan, with_address=True)
    values = (f"{quoted(column.name)} AS {prefix}_{place}" for place, column in enumerate(columns))
    return frame.selectExpr(f"{ROW_ID} AS {prefix}_id", *values)


def _is_one(scan: TableScan, columns: Sequence[Column]) -> str:
    """SQL of whether two rows are the same one."""
    if not scan.schema.is_keyed:
        return "b_id = a_id"
    places = [columns.index(column) for column in telling_columns(scan.schema)]
    return " AND ".join(f"b_{place} = a_{place}" for place in places)


def _text(columns: Sequence[Column], places: Sequence[int]) -> str:
    """SQL of the JSON object by which a row is named: as the later snapshot has it, a deleted one as it was."""
    chosen = list(dict.fromkeys(places))
    sides = (
        f"named_struct({', '.join(f'{text_literal(columns[p].name)}, {side}_{p}' for p in chosen)})"
        for side in ("b", "a")
    )
    one, other = sides
    return json_text(f"CASE WHEN a_id IS NULL THEN {one} ELSE {other} END")


def _has_new_value(column: Column, place: int) -> str:
    one, other = f"b_{place}", f"a_{place}"
    return f"""CASE WHEN a_id IS NULL THEN false WHEN b_id IS NULL THEN {other} IS NOT NULL
        ELSE NOT ({same_value(column.type, one, other)}) END"""


def _counts(groups: Sequence[Any], watched: Sequence[int]) -> RowCounts:
    by_kind = {group[0]: Counted(int(group[1]), tuple(group[2] or ())) for group in groups}
    values = {}
    for place, column_id in enumerate(watched):
        found = [(int(group[3 + 2 * place]), tuple(group[4 + 2 * place] or ())) for group in groups]
        texts = sorted(text for _, examples in found for text in examples)
        values[column_id] = Counted(sum(rows for rows, _ in found), tuple(texts[:EXAMPLES_SHOWN]))
    inserted, updated, deleted = (by_kind.get(kind, Counted()) for kind in ("insert", "update", "delete"))
    return RowCounts(inserted, updated, deleted, values)
