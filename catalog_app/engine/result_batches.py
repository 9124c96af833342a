"""Rows as they arrive from Spark. Neither this process nor Spark ever holds more of them than it can.

Spark's server puts the whole result of a partition together before it sends a batch of it. So rows that are fetched at
once are checked inside of Spark: a row that is wider than the average that fits ends the job before they are collected.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa

from catalog_app.engine.spark_calls import arrow_rows, as_declared

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.types import StructType

SPARK_BYTES = 256 * 1024 * 1024
"""Rows that are fetched at once take at most so much of Spark's memory, by their texts and nested values."""
_WIDE = "__LAKE_WIDE_ROW__"


def batches(rows: DataFrame) -> Generator[pa.Table, None, None]:
    """The rows as Arrow tables, at least one. Who stops early closes the iterator, and Spark lets go of the rest."""
    found = False
    with closing(_coming(rows)) as coming:
        for item in coming:
            if isinstance(item, pa.Table):
                found = True
                yield item
    if not found:
        yield arrow_rows(rows.limit(0))


def _coming(rows: DataFrame) -> Generator[StructType | pa.Table, None, None]:
    """The schema of the rows, and their Arrow tables as Spark sends them."""
    client = rows.sparkSession.client
    plan = rows._plan.to_proto(client)  # noqa: SLF001 - the public toLocalIterator makes Python's rows of the batches
    yield from client.to_table_as_iterator(plan, {})


def gathered(
    rows: DataFrame, kinds: Mapping[str, str], *, limit: int, most_bytes: int, counts: bool = False
) -> pa.Table | None:
    """The first ``limit`` rows as one table; None where they take more than ``most_bytes``.

    ``kinds`` are Spark's types of the columns that may be long. With ``counts`` the bytes of rows among which some are
    wide are counted, which takes another job. Without, None is the answer then.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.functions import expr

    sizes = row_sizes(kinds)
    first, size = rows.limit(limit), " + ".join(sizes.values())
    if not sizes:
        return _read(first, most_bytes)
    # In a column below the limit: a filter above would need a stage of its own, and one below could move further.
    name = next(iter(sizes))
    narrow = expr(f"IF({size} > {SPARK_BYTES // limit}, RAISE_ERROR('{_WIDE}'), {name})")
    try:
        return _read(rows.withColumn(name, narrow).limit(limit), most_bytes)
    except PySparkException as error:
        if _WIDE not in str(error):
            raise
    if not counts or int(first.selectExpr(f"sum({size}) AS size").collect()[0][0] or 0) > most_bytes:
        return None
    return _read(first, most_bytes)


def _read(rows: DataFrame, most_bytes: int) -> pa.Table | None:
    from pyspark.sql.types import StructType

    schema, arrived, size = StructType(), [], 0
    with closing(_coming(rows)) as coming:
        for item in coming:
            if not isinstance(item, pa.Table):
                schema = item
                continue
            size += item.nbytes
            if size > most_bytes:
                return None
            arrived.append(item)
    return as_declared(pa.concat_tables(arrived), schema) if arrived else arrow_rows(rows.limit(0))


def row_sizes(kinds: Mapping[str, str]) -> dict[str, str]:
    """SQL of the bytes of each value that may be long, by column."""
    sizes = {}
    for name, kind in kinds.items():
        text = f"CAST({name} AS STRING)" if "<" in kind else name
        if "<" in kind or kind == "binary" or kind.startswith(("string", "char", "varchar")):
            sizes[name] = f"CAST(COALESCE(OCTET_LENGTH({text}), 0) AS BIGINT)"
    return sizes
