"""What Spark is asked in one call, where PySpark's own methods make two.

``toArrow`` asks for the schema, which the rows bring along; ``spark.sql`` has the text analysed, which any use of it
does again. Neither has a public way around it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType

_VIEW = "_pyspark_connect_temp_view_"


def sql_dataframe(spark: SparkSession, text: str) -> DataFrame:
    """A query without tables; Spark reads the text when rows or types are asked for."""
    return bound_dataframe(spark, lambda _: text, {})


def bound_dataframe(
    spark: SparkSession, text_of: Callable[[Mapping[str, str]], str], tables: Mapping[str, DataFrame]
) -> DataFrame:
    """A query over ``tables``. ``text_of`` writes it with the name under which each of them is found."""
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import SQL, SubqueryAlias

    # Threads share the session, and its views have one room of names.
    names = {name: f"{_VIEW}{uuid.uuid4().hex}" for name in tables}
    views = [SubqueryAlias(frame._plan, names[name]) for name, frame in tables.items()]  # noqa: SLF001 - see above
    return DataFrame(SQL(text_of(names), [], {}, views), spark)


def arrow_rows(rows: DataFrame) -> pa.Table:
    """All rows, with the types that ``toArrow`` gives them."""
    table, schema = rows._to_table()  # noqa: SLF001 - see above
    assert schema is not None
    return as_declared(table, schema)


def as_declared(table: pa.Table, schema: StructType) -> pa.Table:
    """The rows as Arrow's types for the schema; the server writes some others."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return table.cast(to_arrow_schema(schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC"))


def row_values(rows: DataFrame) -> list[tuple[Any, ...]]:
    """All rows as Python's values, for answers of few rows."""
    table = arrow_rows(rows)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
