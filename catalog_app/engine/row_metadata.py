"""What a scan shows of its rows beside their columns: the version that decided each row, and the path of its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import FACT_KINDS, SHOWN_COMMIT, SHOWN_FILE, SHOWN_ROW_ID, TableScan, kind_number
from catalog_app.engine.types import quoted
from catalog_app.storage.facts import marks_read

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

_RESTORE = FACT_KINDS.index("restore")
_BASE, _STAMP, _KIND = "__lake_of_file", "__lake_file_stamp", "__lake_file_kind"
_MARKED, _GIVEN = "__lake_of_row", "__lake_row_stamp"


def stamp_text(stored: str, own: str, kind: str) -> str:
    """SQL of the stamp of a row that no mark is of, 0 as NULL: the one that the file stores, else its own."""
    return f"nullif(CASE WHEN {kind} = {_RESTORE} THEN {own} ELSE coalesce({stored}, {own}) END, 0L)"


def with_row_metadata(
    spark: SparkSession, warehouse: Warehouse, rows: DataFrame, scan: TableScan, *, address: str, base: str, stamp: str
) -> DataFrame:
    """The columns of the scan and what it shows. ``rows`` have also these: address, base and stored stamp."""
    rows = rows.join(_files(spark, scan).hint("broadcast"), rows[base] == _column(_BASE))
    shown = {SHOWN_ROW_ID: SHOWN_ROW_ID, SHOWN_COMMIT: stamp_text(stamp, _STAMP, _KIND), SHOWN_FILE: SHOWN_FILE}
    marks = list(_marks(warehouse, scan)) if SHOWN_COMMIT in scan.shows else []
    if marks:
        given = spark.createDataFrame(pa.concat_tables(marks)).hint("broadcast")
        rows = rows.join(given, rows[address] == _column(_MARKED), "left")
        own = shown[SHOWN_COMMIT]
        shown[SHOWN_COMMIT] = f"CASE WHEN {_MARKED} IS NULL THEN {own} ELSE nullif({_GIVEN}, 0L) END"
    columns = [quoted(column.name) for column in scan.schema.columns]
    return rows.selectExpr(*columns, *(f"{shown[name]} AS {name}" for name in scan.shows))


def _column(name: str) -> Any:
    from pyspark.sql.connect.functions import col

    return col(name)


def _files(spark: SparkSession, scan: TableScan) -> DataFrame:
    def numbers(values: Iterator[int]) -> pa.Array:
        return pa.array(values, pa.int64())

    return spark.createDataFrame(
        pa.table(
            {
                _BASE: numbers(file.base for file in scan.files),
                _STAMP: numbers(file.fact.stamp for file in scan.files),
                _KIND: numbers(kind_number(file.fact.kind) for file in scan.files),
                SHOWN_FILE: pa.array((file.path for file in scan.files), pa.string()),
            }
        )
    )


def _marks(warehouse: Warehouse, scan: TableScan) -> Iterator[pa.Table]:
    """By address the stamps of rows that single events decided: of several events the last one's."""
    for file in scan.files:
        marks = marks_read(warehouse, file)
        if marks:
            at = np.unique(np.concatenate([positions for positions, _ in marks]))
            stamps = np.zeros(len(at), dtype=np.int64)
            for positions, fact in marks:
                stamps[np.searchsorted(at, positions)] = fact.stamp
            yield pa.table([pa.array(at + file.base), pa.array(stamps)], names=[_MARKED, _GIVEN])
