"""CHECK constraints asked of rows: how many do not fit, and the first of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa

from catalog_app.domain.checks import VIOLATIONS_SHOWN, RowCheck, Violation
from catalog_app.domain.schema import Schema
from catalog_app.domain.whole_values import json_text
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.failures import translate
from catalog_app.engine.reading import named
from catalog_app.engine.spark_calls import row_values
from catalog_app.engine.types import quoted, storage_type
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import InvalidValue

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession


def rows_violating(spark: SparkSession, rows: DataFrame, checks: Sequence[RowCheck]) -> dict[str, Violation]:
    """By name the constraints that rows do not fit. One that has no value for a row, such as 1/0, has a reason."""
    from pyspark.errors import PySparkException

    if not checks:
        return {}
    try:
        return _counted(rows, checks)
    except PySparkException as error:
        problem = translate(error)
        if not isinstance(problem, InvalidValue):
            raise
        if len(checks) == 1:
            return {checks[0].name: Violation(0, reason=problem.message)}
    found: dict[str, Violation] = {}
    for check in checks:
        found |= rows_violating(spark, rows, [check])
    return found


def _counted(rows: DataFrame, checks: Sequence[RowCheck]) -> dict[str, Violation]:
    # A line break ends what may be a comment at the end of a condition.
    fails = [f"NOT ({check.condition}\n)" for check in checks]
    asked = []
    for check, fail in zip(checks, fails, strict=True):
        asked += [f"count_if({fail})", f"min(CASE WHEN {fail} THEN {_example(check)} END)"]
    # Statistics of files and of parts of them leave out what fits.
    (values,) = row_values(rows.where(" OR ".join(fails)).selectExpr(*asked))
    counts, examples = values[::2], values[1::2]
    return {
        check.name: Violation(int(count), example, examples=_first(rows, check, int(count), example))
        for check, count, example in zip(checks, counts, examples, strict=True)
        if count
    }


def _first(rows: DataFrame, check: RowCheck, count: int, example: str) -> tuple[str, ...]:
    """The first rows that do not fit, by their text."""
    if count == 1:
        return (example,)
    found = rows.where(f"NOT ({check.condition}\n)").selectExpr(f"{_example(check)} AS example")
    return tuple(text for (text,) in row_values(found.orderBy("example").limit(VIOLATIONS_SHOWN)))


def _example(check: RowCheck) -> str:
    return json_text(f"struct({', '.join(map(quoted, check.shown))})")


def cells_dataframe(
    spark: SparkSession, schema: Schema, cells: RowCells, further: Mapping[str, pa.Array] = MappingProxyType({})
) -> DataFrame:
    """The rows under the schema's names and types. ``further``: columns beside, by name."""
    columns = {internal_name(column): cells.columns[column.id] for column in schema.columns}
    table = pa.table({**columns, **further})
    values = [f"CAST({internal_name(column)} AS {storage_type(column.type)})" for column in schema.columns]
    return named(spark.createDataFrame(table), schema, values, {name: name for name in further})
