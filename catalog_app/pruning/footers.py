"""Bounds of a column from the footer of a Parquet file, as values of one Arrow type."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.pruning.intervals import ONLY_NULL, UNKNOWN, Bounds

_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


def footer_bounds(statistics: pq.Statistics | None, rows: int, stored: pa.DataType, wanted: pa.DataType) -> Bounds:
    """What statistics of so many rows say of values of type ``stored``, none of them in a dictionary, as ``wanted``."""
    if statistics is None:
        return UNKNOWN
    if statistics.has_null_count and statistics.null_count == rows:
        return ONLY_NULL
    may_have_null = not statistics.has_null_count or statistics.null_count > 0
    if not statistics.has_min_max:
        return Bounds(None, None, may_have_null)
    return Bounds(*_as_type(statistics, stored, wanted), may_have_null)


def _as_type(statistics: pq.Statistics, stored: pa.DataType, wanted: pa.DataType) -> tuple[Any, Any]:
    """Both bounds as scalars; None where they cannot be read."""
    try:
        # As whole numbers: Python's own moments end at the year 9999 and know no nanoseconds.
        is_moment = pa.types.is_temporal(stored)
        raw = (statistics.min_raw, statistics.max_raw) if is_moment else (statistics.min, statistics.max)
        kind = _moment_type(statistics, stored) if is_moment else stored
        whole = pa.int32() if statistics.physical_type == "INT32" else pa.int64()
        scalars = (pa.scalar(value, whole).cast(kind) if is_moment else pa.scalar(value, kind) for value in raw)
        low, high = (scalar.cast(wanted) for scalar in scalars)
    except (pa.ArrowException, ValueError, OverflowError, TypeError, KeyError):
        return None, None
    return low, high


def _moment_type(statistics: pq.Statistics, stored: pa.DataType) -> pa.DataType:
    """The type in whose unit the file counts; Arrow's own of the column may be coarser (seconds, date64)."""
    meaning = json.loads(statistics.logical_type.to_json())
    if meaning["Type"] == "Date":
        return pa.date32()
    if meaning["Type"] == "Timestamp":
        return pa.timestamp(_UNITS[meaning["timeUnit"]], stored.tz)
    if meaning["Type"] == "Time":
        unit = _UNITS[meaning["timeUnit"]]
        return pa.time32(unit) if unit == "ms" else pa.time64(unit)
    return stored
