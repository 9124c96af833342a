"""Rows of a query as JSON values."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.engine.describing import Described
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.engine.result_batches import gathered
from catalog_app.engine.types import shown_type, type_text
from lakeui.common.errors import answer_too_large

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame


LARGEST_ANSWER_BYTES = 32 * 1024 * 1024
"""An answer holds so much, as Arrow has it; a larger one is refused. Python's values and JSON take about three times as
much beside it.
"""


def collect(rows: DataFrame, *, limit: int, columns: Described | None = None) -> QueryResult:
    """Collect at most ``limit`` rows through Arrow, in the order of the query. Raises ResultTooLarge.

    ``columns`` are those of the rows where they are known; Spark is asked for them otherwise.
    """
    if columns is None:
        columns = tuple((field.name, type_text(field.dataType)) for field in rows.schema.fields)
    names, outputs = _outputs([kind for _, kind in columns])
    if not columns:
        return QueryResult(columns=columns, rows=[], truncated=False)
    shown = rows.toDF(*names).selectExpr(*outputs)
    kinds = {name: _shown_kind(kind) for name, (_, kind) in zip(names, columns, strict=True)}
    table = gathered(shown, kinds, limit=limit + 1, most_bytes=LARGEST_ANSWER_BYTES, counts=True)
    if table is None:
        raise answer_too_large(LARGEST_ANSWER_BYTES)
    return QueryResult(columns=columns, rows=json_rows(table.slice(0, limit)), truncated=table.num_rows > limit)


def outputs_of(rows: DataFrame) -> tuple[list[str], list[str]]:
    """Names for the columns of a result by place, and SQL that gives each in a type that Arrow has."""
    return _outputs([type_text(field.dataType) for field in rows.schema.fields])


def _outputs(kinds: Sequence[str]) -> tuple[list[str], list[str]]:
    # Names may repeat in a result.
    names = [f"c{index}" for index in range(len(kinds))]
    return names, [_output(name, kind) for name, kind in zip(names, kinds, strict=True)]


def _shown_kind(kind: str) -> str:
    return kind if kind == "void" else shown_type(kind)


def _output(name: str, kind: str) -> str:
    shown = _shown_kind(kind)
    # Spark says of a field that it is never NULL, and leaves it empty where the struct is NULL: Arrow refuses that.
    return f"CAST({name} AS {shown}) AS {name}" if shown != kind or "<" in kind else name


def json_rows(table: pa.Table) -> list[list[Any]]:
    """Rows as lists of JSON values: decimals as text, dates and times in ISO 8601, binary in base64."""
    columns = [_json_column(table.column(index)) for index in range(table.num_columns)]
    return [list(row) for row in zip(*columns, strict=True)]


def _json_column(column: pa.ChunkedArray) -> list[Any]:
    return [value for chunk in column.chunks for value in _json_values(chunk)]


def _json_values(values: pa.Array) -> list[Any]:
    """The values of an array of any type. Never as Python's own times, which end at the year 9999."""
    kind = values.type
    if pa.types.is_struct(kind):
        return _structs(values)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        return _collections(values)
    if pa.types.is_timestamp(kind):
        return _timestamps(values)
    if pa.types.is_date(kind):
        return list(pc.cast(values, pa.string()).to_pylist())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(values)
    found: list[Any] = values.to_pylist()
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return found
    return [None if value is None else _scalar(value) for value in found]


def _structs(values: pa.StructArray) -> list[Any]:
    names = [values.type.field(place).name for place in range(values.type.num_fields)]
    # Flattened, the fields know where the struct begins and that it is NULL.
    fields = [_json_values(field) for field in values.flatten()]
    is_there = values.is_valid().to_pylist()
    return [
        dict(zip(names, (field[row] for field in fields), strict=True)) if is_there[row] else None
        for row in range(len(values))
    ]


def _collections(values: pa.ListArray | pa.MapArray) -> list[Any]:
    """Arrays, and maps as objects whose keys are texts."""
    offsets = values.offsets.to_pylist()
    first, last = offsets[0], offsets[-1]
    if pa.types.is_map(values.type):
        keys, items = (_json_values(part.slice(first, last - first)) for part in (values.keys, values.items))
        parts: list[Any] = [(str(key), item) for key, item in zip(keys, items, strict=True)]
    else:
        parts = _json_values(values.values.slice(first, last - first))
    make: Callable[[list[Any]], Any] = dict if pa.types.is_map(values.type) else list
    is_there = values.is_valid().to_pylist()
    return [
        make(parts[start - first : end - first]) if is_set else None
        for start, end, is_set in zip(offsets, offsets[1:], is_there, strict=False)
    ]


def _timestamps(values: pa.Array) -> list[str | None]:
    """Text through Arrow, which knows years that Python's calendar does not."""
    zone = "Z" if values.type.tz is not None else ""
    texts = pc.cast(values.cast(pa.timestamp("us")), pa.string()).to_pylist()
    return [None if text is None else text.replace(" ", "T").removesuffix(".000000") + zone for text in texts]


def _texts(values: pa.Array) -> list[Any]:
    """Texts; bytes that are no UTF-8, which Spark takes for a text, show as U+FFFD."""
    try:
        return list(values.to_pylist())
    except UnicodeDecodeError:
        as_bytes = values.cast(pa.large_binary() if pa.types.is_large_string(values.type) else pa.binary())
        return [None if value is None else value.decode(errors="replace") for value in as_bytes.to_pylist()]


def _scalar(value: Any) -> Any:
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime.time) else str(value)


def _float(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
