"""What a Parquet file says about itself: rows, bytes, and bounds per column id.

Bounds are safe for pruning: a minimum is never above, a maximum never below, any value of the file. Where that cannot
be promised (NaN, infinities, binary, nested columns, dates outside Python's calendar) the bound is unknown.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_FIELD, STAMP_FIELD, ColumnStatistics, Statistics
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import Seen, holds_nan

TEXT_BOUND_LENGTH = 64
PARQUET_FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """``row_ids`` are the smallest and largest stored row id, None where the file stores none. So are ``stamps``, of
    which the smallest is 0 where some row stores none.
    """

    rows: int
    bytes: int
    statistics: Statistics
    row_ids: tuple[int, int] | None
    stamps: tuple[int, int] | None = None


def read_facts(warehouse: Warehouse, path: str) -> FileFacts:
    """Read the footer of one file; of floating-point columns written by Arrow also the values, to find NaN."""
    # One file opened once also says its size. A path would be asked about three times.
    with warehouse.filesystem.open_input_file(warehouse.absolute(path)) as stored, pq.ParquetFile(stored) as file:
        return _facts(file, stored.size())


def facts_of(content: pa.Buffer, table: pa.Table | None = None) -> FileFacts:
    """The same of a file that is in memory. ``table``: its rows, where they are at hand; they are not read again."""
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        return _facts(file, content.size, None if table is None else Seen.of(table))


def facts_of_footer(footer: bytes, size: int, seen: Seen) -> FileFacts:
    """The same of a file of so many bytes that Arrow wrote, of which the footer and what was seen of its rows came."""
    with pq.ParquetFile(pa.BufferReader(footer)) as file:
        return _facts(file, size, seen)


def _facts(file: pq.ParquetFile, size: int, seen: Seen | None = None) -> FileFacts:
    metadata = file.metadata
    statistics: Statistics = {}
    for leaf, field, identifier in _identified_leaves(file.schema_arrow):
        if pa.types.is_nested(field.type):
            nulls = _nested_nulls(file, leaf, field) if seen is None else seen.nulls[field.name]
            statistics[identifier] = ColumnStatistics(None, None, nulls)
            continue
        bounds = leaf_statistics(metadata, leaf, field.type)
        if bounds is None:
            continue
        # Arrow leaves NaN out of its bounds, yet NaN is above every number for Spark.
        if pa.types.is_floating(field.type) and _written_by_arrow(metadata) and _holds_nan(file, field.name, seen):
            bounds = ColumnStatistics(None, None, bounds.nulls)
        statistics[identifier] = bounds
    rows = metadata.num_rows
    stored = statistics.pop(ROW_ID_FIELD, None)
    row_ids = None if stored is None or stored.minimum is None else (int(stored.minimum), int(stored.maximum))
    stamps = _stamps(statistics.get(STAMP_FIELD))
    for identifier in FACT_FIELDS.values():
        statistics.pop(identifier, None)
    return FileFacts(rows, size, statistics, row_ids, stamps)


def _stamps(bounds: ColumnStatistics | None) -> tuple[int, int] | None:
    if bounds is None:
        return None
    return (0 if bounds.nulls else int(bounds.minimum), int(bounds.maximum or 0))


def _written_by_arrow(metadata: pq.FileMetaData) -> bool:
    return str(metadata.created_by).startswith("parquet-cpp")


def _holds_nan(file: pq.ParquetFile, name: str, seen: Seen | None) -> bool:
    if seen is not None:
        return name in seen.nan
    index = file.schema_arrow.get_field_index(name)
    return index < 0 or holds_nan(file.read(columns=[name]).column(0))


def _nested_nulls(file: pq.ParquetFile, first: int, field: pa.Field) -> int:
    """Nulls of a nested column, from its values: a leaf's nulls are not the column's, an empty list counts as one. Any
    leaf tells where the column is NULL: the smallest of them is read, of which ``first`` is the first.
    """
    groups = [file.metadata.row_group(index) for index in range(file.metadata.num_row_groups)]
    below = range(first, first + leaves(field.type))
    smallest = min(below, key=lambda leaf: sum(group.column(leaf).total_compressed_size for group in groups))
    path = file.metadata.schema.column(smallest).path
    return sum(
        batch.column(batch.schema.get_field_index(field.name)).null_count for batch in file.iter_batches(columns=[path])
    )


def _identified_leaves(schema: pa.Schema) -> Iterator[tuple[int, pa.Field, int]]:
    """Top-level fields with a field id: index of the (first) leaf, field, id."""
    leaf = 0
    for field in schema:
        identifier = (field.metadata or {}).get(PARQUET_FIELD_ID)
        if identifier is not None:
            yield leaf, field, int(identifier)
        leaf += leaves(field.type)


def leaves(kind: pa.DataType) -> int:
    """How many columns Parquet has for a type."""
    if pa.types.is_nested(kind):
        return sum(leaves(kind.field(index).type) for index in range(kind.num_fields)) or 1
    return 1


def leaf_statistics(metadata: pq.FileMetaData, leaf: int, kind: pa.DataType) -> ColumnStatistics | None:
    """Bounds and null count over all row groups; None where the null count is unknown."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    stats = [group.column(leaf).statistics for group in groups if group.num_rows]
    if any(item is None or not item.has_null_count for item in stats):
        return None
    nulls = sum(item.null_count for item in stats)
    rows = sum(group.num_rows for group in groups)
    bounded = [item for item in stats if item.num_values]
    if nulls == rows or not all(item.has_min_max for item in bounded):
        return ColumnStatistics(None, None, nulls)
    try:
        lows, highs = [item.min for item in bounded], [item.max for item in bounded]
    except (ValueError, OverflowError, pa.ArrowException):
        return ColumnStatistics(None, None, nulls)
    if any(_is_nan(value) for value in (*lows, *highs)):
        return ColumnStatistics(None, None, nulls)
    return ColumnStatistics(_lower(min(lows)), _upper(max(highs)), nulls)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _lower(value: Any) -> Any:
    return _without_nul(value)[:TEXT_BOUND_LENGTH] if isinstance(value, str) else _scalar(value)


def _without_nul(value: str) -> str:
    """The text up to its first NUL, which jsonb cannot hold: not above the text."""
    return value.partition("\x00")[0]


def _upper(value: Any) -> Any:
    return text_above(value) if isinstance(value, str) else _scalar(value)


def text_above(value: str) -> str | None:
    """A short text without NUL that is not below ``value`` in code-point order; None where there is none."""
    value = _without_nul(value) + "\x01" if "\x00" in value else value
    if len(value) <= TEXT_BOUND_LENGTH:
        return value
    head = value[:TEXT_BOUND_LENGTH]
    while head:
        last = ord(head[-1])
        if last < 0x10FFFF:
            # Surrogates are no characters: the code point after U+D7FF is U+E000.
            return head[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        head = head[:-1]
    return None


def _scalar(value: Any) -> Any:
    """A bound as a JSON scalar, None where JSON has no such value."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="microseconds")
        return text if value.tzinfo is None else f"{text}Z"
    return value.isoformat() if isinstance(value, datetime.date) else None
