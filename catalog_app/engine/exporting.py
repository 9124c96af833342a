"""The whole result of a query as a file: written while it arrives, so that memory holds a batch and not the result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from catalog_app.domain.results import names_apart
from catalog_app.engine.answers import json_rows, outputs_of
from catalog_app.engine.result_batches import batches
from lakeui.common.errors import ResultTooLarge
from lakeui.common.parquet import dictionary_columns

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

LARGEST_EXPORT_BYTES = 512 * 1024 * 1024
"""Of a result, as Arrow has it. ``spark.driver.maxResultSize`` is set to the same: Spark's memory holds the result."""

FORMULA_STARTS = "^[=+\\-@\t\r]"
"""Texts that begin like this are formulas to spreadsheets (OWASP, CSV injection)."""


class ExportFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """A file of this machine that is to hold a result. A result of more than ``most_rows`` is refused.

    ``escape_formulas``: in CSV, an apostrophe before texts that a spreadsheet would take for formulas.
    """

    path: Path
    format: ExportFormat
    most_rows: int
    escape_formulas: bool = False


def result_write(rows: DataFrame, target: ExportTarget) -> int:
    """Write all rows in the order of the query; answers how many. Raises ResultTooLarge."""
    names = names_apart([field.name for field in rows.schema.fields])
    # Counted first, and no further than needed: the server would hold the rows of a result without end.
    _require_few(rows.limit(target.most_rows + 1).count(), target)
    internal, outputs = outputs_of(rows)
    with closing(batches(rows.toDF(*internal).selectExpr(*outputs))) as coming:
        return _written(coming, names, target)


def _written(coming: Iterator[pa.Table], names: list[str], target: ExportTarget) -> int:
    count = size = 0
    first = next(coming)
    with _writer(first.schema, names, target) as writer:
        for batch in chain([first], coming):
            count += batch.num_rows
            size += batch.nbytes
            _require_few(count, target)
            if size > LARGEST_EXPORT_BYTES:
                raise _too_many_bytes()
            writer.write_table(_shown(batch, names, target))
    return count


def _require_few(count: int, target: ExportTarget) -> None:
    if count > target.most_rows:
        raise ResultTooLarge(
            f"The result has more than {target.most_rows:,} rows, the most that one file takes.",
            remedy="Narrow the query, or have the rows kept and fetch them as a stream: POST /api/v1/results/.",
        )


def _too_many_bytes() -> ResultTooLarge:
    return ResultTooLarge(
        f"The result has more than {LARGEST_EXPORT_BYTES // 1024**2} MiB, the most that one file takes.",
        remedy="Choose fewer columns, or have the rows kept and fetch them as a stream: POST /api/v1/results/.",
    )


def _writer(schema: pa.Schema, names: list[str], target: ExportTarget) -> AbstractContextManager[Any]:
    if target.format is ExportFormat.PARQUET:
        named = _renamed(schema, names)
        return pq.ParquetWriter(target.path, named, compression="zstd", use_dictionary=dictionary_columns(named))
    shown = _shown(schema.empty_table(), names, target).schema
    return pacsv.CSVWriter(target.path, shown)


def _renamed(schema: pa.Schema, names: list[str]) -> pa.Schema:
    return pa.schema([item.with_name(name) for item, name in zip(schema, names, strict=True)])


def _shown(batch: pa.Table, names: list[str], target: ExportTarget) -> pa.Table:
    if target.format is ExportFormat.PARQUET:
        return batch.cast(batch.schema).rename_columns(names)
    return csv_table(batch, names, escapes=target.escape_formulas)


def csv_table(rows: pa.Table, names: list[str], *, escapes: bool) -> pa.Table:
    """The rows as CSV holds them. ``escapes``: as ``escape_formulas`` of a target."""
    columns = [_text_column(rows.column(index), escapes) for index in range(rows.num_columns)]
    return pa.Table.from_arrays(columns, names=names)


def _text_column(column: pa.ChunkedArray, escapes: bool) -> pa.ChunkedArray:
    """A column as CSV holds it: numbers and booleans as they are, everything else as text in JSON's terms."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return column
    if pa.types.is_decimal(kind) or pa.types.is_date(kind):
        return pc.cast(column, pa.string())
    if not pa.types.is_string(kind):
        values = [row[0] for row in json_rows(pa.Table.from_arrays([column], names=["c"]))]
        texts = [value if value is None or isinstance(value, str) else _json(value) for value in values]
        column = pa.chunked_array([pa.array(texts, pa.string())])
    return _escaped(column) if escapes else column


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _escaped(column: pa.ChunkedArray) -> pa.ChunkedArray:
    is_formula = pc.match_substring_regex(column, FORMULA_STARTS)
    return pc.if_else(is_formula, pc.binary_join_element_wise("'", column, ""), column)
