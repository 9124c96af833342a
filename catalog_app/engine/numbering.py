"""Numbers for identity columns: rows are counted before they are written, and get a range of their own.

Where Spark computes rows, they are frozen first. Each frozen row has a number, and how many there are is known. So one
range is taken for all of them, and no second computation of the query could give other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog_app.domain.identity_columns import columns_numbered, numbers_check
from catalog_app.engine.inputs_outputs import FileSource, QuerySource, ValuesSource
from catalog_app.engine.merge_source import NUMBER, TASK_BITS, freeze_rows, frozen_dataframe
from catalog_app.engine.merge_values import FrozenSource, SourceRows

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.domain.schema import Column, Schema
    from catalog_app.engine.describing import Described
    from catalog_app.engine.staging import Staging
    from catalog_app.engine.writing import FileWriter, Target

_ALIAS, _FILE = "__lake_source", "__lake_0"


@dataclass(frozen=True, slots=True)
class NumberedRows:
    """Rows that are frozen, with SQL of what identity columns become, by column id."""

    frame: DataFrame
    values: Mapping[int, str]


def columns_asked(
    schema: Schema,
    columns: Sequence[str] | None,
    partition: Mapping[str, str | None],
    described: Described | None = None,
) -> list[Column]:
    """The identity columns that rows have no value for. ``described``: the source's, where its columns go by name.
    Raises InvalidValue where one takes no value.
    """
    fixed = {name.casefold() for name, text in partition.items() if text is not None}
    if described is not None:
        return columns_numbered(schema, [*(name for name, _ in described), *fixed])
    own = [column.name for column in schema.columns if column.name.casefold() not in fixed]
    return columns_numbered(schema, [*(own if columns is None else columns), *fixed])


def values_numbered(
    writer: FileWriter,
    target: Target,
    source: ValuesSource,
    columns: tuple[str, ...] | None,
    partition: Mapping[str, str | None],
) -> tuple[ValuesSource, tuple[str, ...] | None]:
    """Literal rows with numbers where identity columns ask for them, and the columns that they have values for."""
    numbered = columns_asked(target.schema, columns, partition)
    if not numbered:
        return source, columns
    first = numbers_take(writer, target.table_id, numbered, len(source.rows))
    rows = (
        (*row, *(str(column.identity.value(first + place)) for column in numbered if column.identity is not None))
        for place, row in enumerate(source.rows)
    )
    return ValuesSource(tuple(rows)), (*(columns or ()), *(column.name for column in numbered))


def rows_numbered(
    spark: SparkSession,
    writer: FileWriter,
    table_id: int,
    source: QuerySource | FileSource,
    numbered: Sequence[Column],
    staging: Staging,
    *,
    may_be_small: bool,
) -> NumberedRows:
    """The source's rows, frozen, with numbers for these columns."""
    query = QuerySource(f"SELECT * FROM {_FILE}", {_FILE: source}) if isinstance(source, FileSource) else source
    frozen = freeze_rows(spark, writer, staging, SourceRows(query, _ALIAS), may_be_small=may_be_small)
    first = numbers_take(writer, table_id, numbered, frozen.rows)
    values = {column.id: number_value(column, frozen, first) for column in numbered}
    return NumberedRows(frozen_dataframe(spark, frozen), values)


def numbers_take(writer: FileWriter, table_id: int, numbered: Sequence[Column], count: int) -> int:
    """The first of so many numbers. Raises InvalidValue where a column cannot hold them."""
    first = writer.number(table_id, count)
    numbers_check(numbered, first, count)
    return first


def number_value(column: Column, frozen: FrozenSource, first: int) -> str:
    """SQL of the value of an identity column in frozen rows, whose numbers begin at ``first``."""
    assert column.identity is not None
    return f"CAST({column.identity.value(first)} + {column.identity.step} * ({_place(frozen)}) AS BIGINT)"


def _place(frozen: FrozenSource) -> str:
    """SQL of the place of a row among all frozen ones, counted without gaps."""
    if not frozen.rows_before:
        return NUMBER
    before = ", ".join(f"{count}L" for count in frozen.rows_before)
    task, row = f"CAST(shiftright({NUMBER}, {TASK_BITS}) AS INT)", f"({NUMBER} & {(1 << TASK_BITS) - 1}L)"
    return f"element_at(array({before}), {task} + 1) + {row}"
