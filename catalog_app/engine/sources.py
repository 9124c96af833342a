"""Rows to be written, as a DataFrame with the target's columns: matched, cast, defaulted, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog_app.domain.assignment import is_assignable
from catalog_app.domain.checks import condition_shown
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.assigning import Matching, assigned_value, default_value
from catalog_app.engine.constants import stored_constants_check
from catalog_app.engine.describing import Described, described
from catalog_app.engine.failures import null_refused
from catalog_app.engine.inputs_outputs import FileSource, QuerySource, RowSource, ValuesSource
from catalog_app.engine.literals import common_kind, literal_kind
from catalog_app.engine.merge_source import NUMBER
from catalog_app.engine.numbering import NumberedRows
from catalog_app.engine.reading import file_dataframe, query_dataframe
from catalog_app.engine.spark_calls import sql_dataframe
from catalog_app.engine.types import (
    is_default,
    quoted,
    storage_type,
    type_text,
)
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, NotFound

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.engine.merge_values import FrozenSource
    from catalog_app.storage.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class Insertion:
    """Rows on their way into a table. ``partition`` fixes columns that the source does not carry. With ``by_name``
    fields inside of columns go by name too; ``fills_fields``: those that are missing are NULL. ``held``: the rows and
    the columns of the source, where this process has them and they go by name.
    """

    schema: Schema
    source: RowSource
    columns: tuple[str, ...] | None
    by_name: bool
    partition: Mapping[str, str | None]
    fills_fields: bool = False
    held: FrozenSource | None = None

    @property
    def fixed(self) -> dict[str, str]:
        """Texts of the columns that the partition fixes, by folded name."""
        return {name.casefold(): text for name, text in self.partition.items() if text is not None}

    @property
    def matching(self) -> Matching:
        by_fields = Matching.FILLED if self.fills_fields else Matching.BY_NAME
        return by_fields if self.by_name else Matching.BY_PLACE


def target_dataframe(
    spark: SparkSession, warehouse: Warehouse, insertion: Insertion, numbered: NumberedRows | None = None
) -> DataFrame:
    """The insertion's rows in the shape of its schema. ``numbered``: the rows, where identity columns get numbers."""
    schema, source = insertion.schema, insertion.source
    targets = _targets(schema, insertion.columns, insertion.fixed)
    frame, targets, kinds = _matched(spark, warehouse, source, schema, targets, by_name=insertion.by_name)
    names = [f"s{index}" for index in range(len(targets))]
    frame = frame.toDF(*names) if numbered is None else numbered.frame.toDF(*names, NUMBER)
    given = {column.id: index for index, column in enumerate(targets)}
    if len(given) != len(targets):
        raise InvalidValue("A column is named twice in the INSERT.", remedy="Name each column once.")
    computed = {column.id for column in schema.columns if _is_computed(column, given, insertion.fixed)}
    expressions = [
        f"{_column_value(column, insertion, kinds, given, numbered)} AS {quoted(column.name)}"
        for column in schema.columns
        if column.id not in computed
    ]
    if isinstance(source, QuerySource):
        typed = list(zip(targets, kinds, strict=True))
        stored_constants_check(spark, warehouse, source, typed, by_place=not insertion.by_name)
    frame = frame.selectExpr(*expressions)
    return _with_computed(frame, schema, computed) if computed else frame


def _column_value(
    column: Column,
    insertion: Insertion,
    kinds: Sequence[str],
    given: Mapping[int, int],
    numbered: NumberedRows | None,
) -> str:
    """SQL of what the column stores. ``given``: the place in the source, by column id; ``kinds``: types by place."""
    if column.id not in given:
        return _filled_value(column, insertion.fixed, numbered)
    index = given[column.id]
    require_assignable(column, kinds[index])
    return assigned_value(column, f"s{index}", kinds[index], insertion.matching)


def _matched(
    spark: SparkSession,
    warehouse: Warehouse,
    source: RowSource,
    schema: Schema,
    targets: list[Column],
    *,
    by_name: bool,
) -> tuple[DataFrame, list[Column], list[str]]:
    """The source's rows, and by place the column that takes a value and the value's type. ``targets``: these columns,
    where the source does not go by name.
    """
    frame = _rows(spark, warehouse, source, targets)
    kinds = _literal_kinds(source, targets) if isinstance(source, ValuesSource) and not by_name else None
    if kinds is None:
        found = _described(frame, source)
        kinds = [kind for _, kind in found]
        if by_name:
            targets = [named_column(schema, name) for name, _ in found]
    if len(kinds) != len(targets):
        raise InvalidValue(
            f"The source has {counted(len(kinds), 'column')}, the target takes {len(targets)}.",
            remedy="Name the columns: INSERT INTO t (a, b) ..",
        )
    return frame, targets, kinds


def _filled_value(column: Column, fixed: Mapping[str, str], numbered: NumberedRows | None) -> str:
    """SQL of the value of a column that the source does not give."""
    if numbered is not None and column.id in numbered.values:
        return numbered.values[column.id]
    text = fixed.get(column.name.casefold()) or column.default
    if text is None and not column.nullable:
        raise null_refused(column.name)
    return default_value(column, text or "NULL")


def _is_computed(column: Column, given: Mapping[int, int], fixed: Mapping[str, str]) -> bool:
    return column.generated is not None and column.id not in given and column.name.casefold() not in fixed


def _with_computed(frame: DataFrame, schema: Schema, computed: set[int]) -> DataFrame:
    """Generated columns that the source does not give, computed of the values that are stored."""
    chosen = []
    for column in schema.columns:
        text = quoted(column.name)
        if column.id in computed and column.generated is not None:
            text = f"{default_value(column, condition_shown(column.generated, schema))} AS {text}"
        chosen.append(text)
    return frame.selectExpr(*chosen)


def source_described(spark: SparkSession, warehouse: Warehouse, source: QuerySource | FileSource) -> Described:
    """The source's columns."""
    return _described(_rows(spark, warehouse, source, []), source)


def _described(frame: DataFrame, source: RowSource) -> Described:
    if isinstance(source, QuerySource):
        return described(frame, source)
    return tuple((field.name, type_text(field.dataType)) for field in frame.schema.fields)


def _targets(schema: Schema, columns: tuple[str, ...] | None, fixed: Mapping[str, str]) -> list[Column]:
    if columns is not None:
        return [named_column(schema, name) for name in columns]
    return [column for column in schema.columns if column.name.casefold() not in fixed]


def named_column(schema: Schema, name: str) -> Column:
    """The column of that name; raises NotFound."""
    column = schema.named(name)
    if column is None:
        raise NotFound("column", name, where="in the target table")
    return column


def _rows(spark: SparkSession, warehouse: Warehouse, source: RowSource, targets: list[Column]) -> DataFrame:
    if isinstance(source, FileSource):
        return file_dataframe(spark, warehouse, source)
    if isinstance(source, QuerySource):
        return query_dataframe(spark, warehouse, source.text, source.tables)
    return sql_dataframe(spark, _values_text(source, targets))


def _values_text(source: ValuesSource, targets: list[Column]) -> str:
    for row in source.rows:
        if len(row) != len(targets):
            raise InvalidValue(
                f"A row has {counted(len(row), 'value')}, the target takes {len(targets)}.",
                remedy="Name the columns: INSERT INTO t (a, b) ..",
            )
    rows = ", ".join("(" + ", ".join(map(_value, row, targets)) + ")" for row in source.rows)
    return f"SELECT * FROM VALUES {rows}"


def _literal_kinds(source: ValuesSource, targets: list[Column]) -> list[str] | None:
    """The types of literal rows by column; None where Spark has to say one."""
    found = []
    for place, column in enumerate(targets):
        values = (row[place] for row in source.rows)
        kinds = (storage_type(column.type) if is_default(value) else literal_kind(value) for value in values)
        found.append(common_kind(kinds))
    return None if None in found else [kind for kind in found if kind is not None]


def _value(text: str, column: Column) -> str:
    if not is_default(text):
        return text
    return f"CAST({column.default or 'NULL'} AS {storage_type(column.type)})"


def require_assignable(column: Column, kind: str) -> None:
    """Raise InvalidValue where a value of that type can never be stored in the column. Of nested ones
    ``assigned_value`` does, field by field.
    """
    if "<" not in column.type and not is_assignable(kind, column.type):
        raise InvalidValue(
            f"Column {column.name} is {column.type}; a value of type {kind} does not go into it.",
            remedy="Cast the value.",
            column=column.name,
        )
