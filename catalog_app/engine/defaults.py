"""Defaults of columns: what a column cannot store is refused where it is declared, before a row needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from catalog_app.domain.schema import Column
from catalog_app.engine.assigning import default_value
from catalog_app.engine.failures import translate
from catalog_app.engine.spark_calls import row_values, sql_dataframe
from lakeui.common.errors import InvalidDefault, InvalidValue, LakeError, NotNullViolation

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def defaults_check(spark: SparkSession, columns: Sequence[Column]) -> None:
    """Raise InvalidDefault for the first column whose default is no value of it. Every column has a default."""
    if _problem(spark, columns) is None:
        return
    for column in columns:
        problem = _problem(spark, [column])
        if problem is not None:
            raise InvalidDefault(
                f"Column {column.name} is {column.type} and cannot store its default {column.default}:"
                f" {_reason(column, problem)}",
                remedy="Give a default that the column can store, or leave DEFAULT out.",
                column=column.name,
                default=column.default,
                type=column.type,
            )


def _reason(column: Column, problem: LakeError) -> str:
    if isinstance(problem, NotNullViolation):
        return "the column is NOT NULL."
    message = problem.message.replace(f"A value for column {column.name} ", "the value ")
    return message[:1].lower() + message[1:] if message.startswith("A value ") else message


def _problem(spark: SparkSession, columns: Sequence[Column]) -> InvalidValue | NotNullViolation | None:
    """What Spark says of the columns' defaults; it computes them without a job."""
    from pyspark.errors import PySparkException

    texts = (f"length(CAST({default_value(column, column.default or 'NULL')} AS STRING))" for column in columns)
    try:
        row_values(sql_dataframe(spark, f"SELECT {', '.join(texts)}"))
    except PySparkException as error:
        problem = translate(error)
        if not isinstance(problem, InvalidValue | NotNullViolation):
            raise
        return problem
    return None
