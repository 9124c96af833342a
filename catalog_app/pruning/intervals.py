"""Which files, or row groups, can hold one of many keys: bounds become intervals of the numbers of the sorted keys.

Each column of the keys is numbered by its distinct values in order, so that bounds become an interval of numbers. A
part is worth reading if one key lies in its intervals of all columns at once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_NULL, _NAN = -1, -2


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of one column in one part: an unknown bound is None, ``is_null`` says that it has no value."""

    minimum: Any
    maximum: Any
    may_have_null: bool
    is_null: bool = False


UNKNOWN = Bounds(None, None, may_have_null=True)
ONLY_NULL = Bounds(None, None, may_have_null=True, is_null=True)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One key column. ``codes``: of each key the number of its value. Per part: the interval ``lows`` to ``highs``
    (exclusive) of numbers that it may hold, and whether it may hold NULL and NaN.
    """

    codes: Integers
    lows: Integers
    highs: Integers
    nulls: Flags
    nans: Flags

    @property
    def reached(self) -> Flags:
        """Per part, whether a value of the keys lies in it."""
        # Numbers begin at 0 without gaps, so an interval that is not empty holds a value.
        has_null, has_nan = (bool((self.codes == code).any()) for code in (_NULL, _NAN))
        found: Flags = (self.lows < self.highs) | (self.nulls & has_null) | (self.nans & has_nan)
        return found

    def may_hold(self, part: int, codes: Integers) -> Flags:
        held: Flags = (codes >= self.lows[part]) & (codes < self.highs[part])
        held |= (codes == _NULL) & self.nulls[part]
        held |= (codes == _NAN) & self.nans[part]
        return held


def parts_with_a_key(columns: Sequence[KeyColumn]) -> Flags:
    """Per part, whether one key lies in its intervals of all columns; keys are the rows of the columns together."""
    chosen: Flags = np.logical_and.reduce([column.reached for column in columns])
    if len(columns) > 1:
        sorted_by = [_Sorted.of(column) for column in columns]
        for part in np.flatnonzero(chosen):
            chosen[part] = _holds_one_key(columns, sorted_by, int(part))
    return chosen


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The keys in the order of one column, so that those of a part lie beside each other."""

    order: Integers
    codes: Integers

    @classmethod
    def of(cls, column: KeyColumn) -> _Sorted:
        order = np.argsort(column.codes, kind="stable")
        return cls(order, column.codes[order])

    def runs(self, column: KeyColumn, part: int) -> list[slice]:
        spans = [(int(column.lows[part]), int(column.highs[part]))]
        spans += [(_NULL, _NULL + 1)] if column.nulls[part] else []
        spans += [(_NAN, _NAN + 1)] if column.nans[part] else []
        return [slice(*np.searchsorted(self.codes, span).tolist()) for span in spans]


def _holds_one_key(columns: Sequence[KeyColumn], sorted_by: Sequence[_Sorted], part: int) -> bool:
    """Whether one key lies in the part's interval of every column, starting where fewest keys do."""
    runs = [keys.runs(column, part) for column, keys in zip(columns, sorted_by, strict=True)]
    narrowest = min(range(len(columns)), key=lambda place: sum(run.stop - run.start for run in runs[place]))
    rows = np.concatenate([sorted_by[narrowest].order[run] for run in runs[narrowest]])
    for place, column in enumerate(columns):
        if place != narrowest:
            rows = rows[column.may_hold(part, column.codes[rows])]
    return bool(len(rows))


# -- values of one Arrow type -----------------------------------------------------------------------------------------


def arrow_column(keys: pa.Array, minima: pa.Array, maxima: pa.Array, bounds: Sequence[Bounds]) -> KeyColumn:
    """Keys and bounds of one type that Arrow sorts; a bound that is NULL or NaN is unknown."""
    codes, lows, highs, distinct = _numbered(keys, minima, maxima)
    empty = np.array([item.is_null for item in bounds], np.bool_)
    return KeyColumn(
        codes=codes,
        lows=np.where(empty | _is_unknown(minima), 0, lows),
        highs=np.where(empty, 0, np.where(_is_unknown(maxima), distinct, highs)),
        nulls=np.array([item.may_have_null for item in bounds], np.bool_),
        nans=~empty,
    )


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


# -- values as a statement compares them ------------------------------------------------------------------------------


def compared_column(values: Sequence[Any], bounds: Sequence[Bounds], *, with_null: bool) -> KeyColumn:
    """Distinct ``values``, ascending and without NaN, which is in no bound: only parts with unknown bounds hold one."""
    known = np.array([item.minimum is not None and item.maximum is not None for item in bounds], np.bool_)
    empty = np.array([item.is_null for item in bounds], np.bool_)
    return KeyColumn(
        codes=np.concatenate([np.arange(len(values)), np.full(int(with_null), _NULL)]),
        lows=np.array([0 if item.minimum is None else bisect_left(values, item.minimum) for item in bounds], np.int64),
        highs=np.array(
            [len(values) if item.maximum is None else bisect_right(values, item.maximum) for item in bounds], np.int64
        ),
        nulls=np.array([item.may_have_null for item in bounds], np.bool_),
        nans=~(known | empty),
    )
