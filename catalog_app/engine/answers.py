"""Rows of a query as JSON values."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.engine.types import type_text
from catalog_app.engine.values import QueryResult

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame


def collect(rows: DataFrame, *, limit: int) -> QueryResult:
    """Collect at most ``limit`` rows through Arrow, in the order of the query."""
    fields = rows.schema.fields
    names, outputs = outputs_of(rows)
    table = rows.toDF(*names).limit(limit + 1).selectExpr(*outputs).toArrow() if fields else None
    columns = tuple((field.name, type_text(field.dataType)) for field in fields)
    if table is None:
        return QueryResult(columns=columns, rows=[], truncated=False)
    return QueryResult(columns=columns, rows=json_rows(table.slice(0, limit)), truncated=table.num_rows > limit)


def outputs_of(rows: DataFrame) -> tuple[list[str], list[str]]:
    """Names for the columns of a result by place, and SQL that gives each in a type that Arrow has."""
    names = [f"c{index}" for index in range(len(rows.schema.fields))]
    # Names may repeat in a result, and Arrow has no intervals of months nor variants.
    kinds = (type_text(field.dataType) for field in rows.schema.fields)
    return names, [_output(name, kind) for name, kind in zip(names, kinds, strict=True)]


def _output(name: str, kind: str) -> str:
    if kind.startswith(("interval", "variant")):
        return f"CAST({name} AS STRING) AS {name}"
    # Spark says of a field that it is never NULL, and leaves it empty where the struct is NULL: Arrow refuses that.
    return f"CAST({name} AS {kind}) AS {name}" if "<" in kind else name


def json_rows(table: pa.Table) -> list[list[Any]]:
    """Rows as lists of JSON values: decimals as text, dates and times in ISO 8601, binary in base64."""
    columns = [_json_column(table.column(index)) for index in range(table.num_columns)]
    return [list(row) for row in zip(*columns, strict=True)]


def _json_column(column: pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind):
        return _timestamps(column)
    if pa.types.is_date(kind):
        return pc.cast(column, pa.string()).to_pylist()
    values: list[Any] = column.to_pylist(maps_as_pydicts=None) if pa.types.is_nested(kind) else column.to_pylist()
    if _is_plain(kind):
        return values
    convert = _converter(kind)
    return [None if value is None else convert(value) for value in values]


def _is_plain(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_boolean(kind))


def _timestamps(column: pa.ChunkedArray) -> list[str | None]:
    """Text through Arrow, which knows years that Python's calendar does not."""
    zone = "Z" if column.type.tz is not None else ""
    texts = pc.cast(column.cast(pa.timestamp("us")), pa.string()).to_pylist()
    return [None if text is None else text.replace(" ", "T").removesuffix(".000000") + zone for text in texts]


def _converter(kind: pa.DataType) -> Callable[[Any], Any]:
    if pa.types.is_map(kind):
        key, item = _converter(kind.key_type), _converter(kind.item_type)
        return lambda value: {str(key(k)): _optional(item, v) for k, v in value}
    if pa.types.is_struct(kind):
        members = {kind.field(index).name: _converter(kind.field(index).type) for index in range(kind.num_fields)}
        return lambda value: {name: _optional(members[name], v) for name, v in value.items()}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = _converter(kind.value_type)
        return lambda value: [_optional(element, item) for item in value]
    return _scalar


def _optional(convert: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else convert(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat()
        return text if value.tzinfo is None else f"{text}Z"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value if isinstance(value, bool | int | str) else str(value)


def _float(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
