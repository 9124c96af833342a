"""Which row groups can hold a key of the batch, from footers and partition folders, before any row is read (rows §2).

Each key column of the batch is numbered by its distinct values in order, so that bounds of a row group become an
interval of numbers. A row group is read if one key of the batch lies in its intervals of all columns at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from merge_app.keyed.dataset import DataFile, Dataset
from merge_app.keyed.keys import normal
from merge_app.keyed.partitions import partition_value
from merge_app.keyed.schemas import decoded
from merge_app.keyed.values import Flags, Integers

_NULL, _NAN = -1, -2
_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group by the numbers of its file and of itself, with the position of its first row in the file."""

    file: int
    group: int
    first: int
    rows: int


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What is known of one column in one row group: an unknown bound is None, ``is_null`` says that it has no value."""

    minimum: Any
    maximum: Any
    may_have_null: bool
    is_null: bool = False


_UNKNOWN = _Bounds(None, None, may_have_null=True)


def row_groups(dataset: Dataset) -> list[RowGroup]:
    found = []
    for number, file in enumerate(dataset.files):
        first = 0
        for group in range(file.footer.num_row_groups):
            rows = file.footer.row_group(group).num_rows
            if rows:
                found.append(RowGroup(number, group, first, rows))
            first += rows
    return found


def may_match(dataset: Dataset, key_columns: Sequence[str], schema: pa.Schema, batch: pa.Table) -> list[RowGroup]:
    """The row groups worth reading for the keys of ``batch``, whose columns are those of the schema."""
    groups = row_groups(dataset)
    if not groups or not batch.num_rows:
        return []
    columns = [_Column.of(dataset, groups, schema.field(name), batch.column(name)) for name in key_columns]
    chosen = np.logical_and.reduce([column.reached for column in columns])
    if len(columns) > 1:
        for number in np.flatnonzero(chosen):
            chosen[number] = _holds_one_key(columns, int(number))
    return [group for group, is_chosen in zip(groups, chosen, strict=True) if is_chosen]


def _holds_one_key(columns: Sequence[_Column], number: int) -> bool:
    """Whether one key lies in the row group's interval of every column, starting where fewest keys do."""
    narrowest = min(columns, key=lambda column: column.count(number))
    rows = narrowest.rows(number)
    for column in columns:
        if column is not narrowest:
            rows = rows[column.may_hold(number, rows)]
    return bool(len(rows))


@dataclass(frozen=True, slots=True)
class _Column:
    """One key column. ``codes``: of each key of the batch the number of its value. Per row group: the interval
    ``lows`` to ``highs`` (exclusive) of numbers that it may hold, and whether it may hold NULL and NaN.
    """

    codes: Integers
    order: Integers
    sorted_codes: Integers
    lows: Integers
    highs: Integers
    nulls: Flags
    nans: Flags

    @classmethod
    def of(cls, dataset: Dataset, groups: Sequence[RowGroup], field: pa.Field, values: pa.ChunkedArray) -> _Column:
        bounds = [_bounds(dataset.files[group.file], group, field) for group in groups]
        keys = normal(values).combine_chunks()
        minima, maxima = (
            _bound_keys([getattr(item, name) for item in bounds], field) for name in ("minimum", "maximum")
        )
        codes, lows, highs, distinct = _numbered(keys, minima, maxima)
        empty = np.array([item.is_null for item in bounds])
        order = np.argsort(codes, kind="stable")
        return cls(
            codes=codes,
            order=order,
            sorted_codes=codes[order],
            lows=np.where(empty, 0, np.where(_is_unknown(minima), 0, lows)),
            highs=np.where(empty, 0, np.where(_is_unknown(maxima), distinct, highs)),
            nulls=np.array([item.may_have_null for item in bounds]),
            nans=~empty,
        )

    @property
    def reached(self) -> Flags:
        """Per row group, whether a value of the batch lies in it."""
        # Numbers begin at 0 without gaps, so an interval that is not empty holds a value.
        has_null, has_nan = (bool((self.codes == code).any()) for code in (_NULL, _NAN))
        reached: Flags = (self.lows < self.highs) | (self.nulls & has_null) | (self.nans & has_nan)
        return reached

    def count(self, number: int) -> int:
        return sum(stop - start for start, stop in self._runs(number))

    def rows(self, number: int) -> Integers:
        """Rows of the batch whose value may be in the row group."""
        return np.concatenate([self.order[start:stop] for start, stop in self._runs(number)])

    def may_hold(self, number: int, rows: Integers) -> Flags:
        codes = self.codes[rows]
        held: Flags = (codes >= self.lows[number]) & (codes < self.highs[number])
        held |= (codes == _NULL) & self.nulls[number]
        held |= (codes == _NAN) & self.nans[number]
        return held

    def _runs(self, number: int) -> list[tuple[int, int]]:
        spans = [(int(self.lows[number]), int(self.highs[number]))]
        spans += [(_NULL, _NULL + 1)] if self.nulls[number] else []
        spans += [(_NAN, _NAN + 1)] if self.nans[number] else []
        return [
            (int(np.searchsorted(self.sorted_codes, start)), int(np.searchsorted(self.sorted_codes, stop)))
            for start, stop in spans
        ]


def _numbered(keys: pa.Array, minima: pa.Array, maxima: pa.Array) -> tuple[Integers, Integers, Integers, int]:
    """The number of each key, of the first value not below each minimum, and of the first value above each maximum;
    and how many distinct values there are. NULL and NaN have numbers of their own.
    """
    is_null = keys.is_null().to_numpy(zero_copy_only=False)
    is_nan = _is_nan(keys)
    is_value = ~(is_null | is_nan)
    # Arrow ranks every type that it sorts; one ranking of keys and bounds makes all of them whole numbers.
    ranks = (
        pc.rank(pa.concat_arrays([keys, minima, maxima]), "ascending", tiebreaker="dense").to_numpy().astype(np.int64)
    )
    key_ranks, low_ranks, high_ranks = np.split(ranks, [len(keys), len(keys) + len(minima)])
    distinct = np.unique(key_ranks[is_value])
    codes = np.searchsorted(distinct, key_ranks)
    codes[is_null], codes[is_nan] = _NULL, _NAN
    return (
        codes,
        np.searchsorted(distinct, low_ranks, side="left"),
        np.searchsorted(distinct, high_ranks, side="right"),
        len(distinct),
    )


def _is_nan(keys: pa.Array) -> Flags:
    if not pa.types.is_floating(keys.type):
        return np.zeros(len(keys), np.bool_)
    found: Flags = pc.fill_null(pc.is_nan(keys), False).to_numpy(zero_copy_only=False)
    return found


def _is_unknown(bounds: pa.Array) -> Flags:
    unknown: Flags = bounds.is_null().to_numpy(zero_copy_only=False)
    return unknown | _is_nan(bounds)


# -- bounds of one column in one row group ----------------------------------------------------------------------------


def _bounds(file: DataFile, group: RowGroup, field: pa.Field) -> _Bounds:
    if field.name in file.partition_texts:
        return _partition_bounds(partition_value(file, field))
    if field.name not in file.schema.names:
        return _Bounds(None, None, may_have_null=True, is_null=True)
    statistics = _statistics(file, group, field.name)
    if statistics is None:
        return _UNKNOWN
    may_have_null = not statistics.has_null_count or statistics.null_count > 0
    if statistics.has_null_count and statistics.null_count == group.rows:
        return _Bounds(None, None, may_have_null=True, is_null=True)
    if not statistics.has_min_max:
        return _Bounds(None, None, may_have_null)
    low, high = _as_key_type(statistics, file.schema.field(field.name).type, field)
    return _Bounds(low, high, may_have_null)


def _partition_bounds(value: pa.Scalar) -> _Bounds:
    if not value.is_valid:
        return _Bounds(None, None, may_have_null=True, is_null=True)
    return _Bounds(value, value, may_have_null=False)


def _statistics(file: DataFile, group: RowGroup, name: str) -> pq.Statistics | None:
    chunks = file.footer.row_group(group.group)
    leaf = file.leaf(name)
    return chunks.column(leaf).statistics if leaf is not None else None


def _as_key_type(statistics: pq.Statistics, stored: pa.DataType, field: pa.Field) -> tuple[Any, Any]:
    """Both bounds as scalars of the column's type in the data set; None where they cannot be read."""
    try:
        # As whole numbers: Python's own moments end at the year 9999 and know no nanoseconds.
        is_moment = pa.types.is_temporal(stored)
        raw = (statistics.min_raw, statistics.max_raw) if is_moment else (statistics.min, statistics.max)
        kind = _moment_type(statistics, stored) if is_moment else decoded(stored)
        whole = pa.int32() if statistics.physical_type == "INT32" else pa.int64()
        scalars = (pa.scalar(value, whole).cast(kind) if is_moment else pa.scalar(value, kind) for value in raw)
        low, high = (scalar.cast(decoded(field.type)) for scalar in scalars)
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


def _bound_keys(bounds: Sequence[Any], field: pa.Field) -> pa.Array:
    kind = decoded(field.type)
    return normal(pa.array(bounds, kind))
