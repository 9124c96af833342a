"""Which files can hold one of many keys: their bounds against the sorted keys, before any file is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import Statistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.comparison import Domain, bound_reader, domain_of, may_hold_nan, value_in
from catalog_app.pruning.constants import DAY
from catalog_app.pruning.intervals import UNKNOWN, Bounds, Flags, compared_column
from catalog_app.pruning.predicates import known_of


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The distinct values that rows must have in a column to matter: ``values`` ascending, as they are compared with
    the column, without NULL and NaN.
    """

    column: Column
    values: Sequence[Any]
    with_null: bool
    read_bound: Callable[[Any], Any]

    def reached(self, files: Sequence[Statistics]) -> Flags:
        """Per file, whether it can hold one of them. A column that it lacks, or whose bounds are unknown, can."""
        bounds = [self._bounds(statistics) for statistics in files]
        column = compared_column(self.values, [item or UNKNOWN for item in bounds], with_null=self.with_null)
        return column.reached | np.array([item is None for item in bounds], np.bool_)

    def _bounds(self, statistics: Statistics) -> Bounds | None:
        """What the file says of the column; None where it cannot be left out."""
        known = known_of(self.column, statistics)
        if known is None:
            return None
        low, high = self.read_bound(known.minimum), self.read_bound(known.maximum)
        return None if low is None or high is None else Bounds(low, high, known.nulls > 0)


def files_with_keys(keys: Iterable[KnownKeys], files: Sequence[Statistics]) -> Flags:
    """Per file, whether it can hold one value of each."""
    found = np.ones(len(files), np.bool_)
    for item in keys:
        found &= item.reached(files)
    return found


def known_keys(column: Column, type_text: str, keys: pa.Array, *, null_safe: bool) -> KnownKeys | None:
    """The keys of a source expression of that type as they are compared with ``column``; None where bounds do not
    answer for that, or a key is a text that is not understood.

    A NaN is in no bound of a file: only files with unknown bounds hold one, and those are kept.
    """
    domain = domain_of(column.type, type_text)
    if domain is None:
        return None
    values = _values(domain, column, keys.drop_null())
    if values is None:
        return None
    return KnownKeys(column, values, null_safe and keys.null_count > 0, bound_reader(domain, column.type))


def _values(domain: Domain, column: Column, present: pa.Array) -> list[Any] | None:
    """The keys, ascending; None where one of them is not understood."""
    if pa.types.is_floating(present.type):
        present = present.filter(pc.invert(pc.is_nan(present)))
    if pa.types.is_temporal(present.type):
        # Not as Python's own times, which end at the year 9999.
        return sorted(set(_microseconds(present)))
    if domain is Domain.EXACT and pa.types.is_integer(present.type):
        return list(pc.unique(present).sort().to_pylist())
    values = {value_in(domain, column.type, value) for value in present.to_pylist()}
    return None if None in values else sorted(values)


def _microseconds(times: pa.Array) -> list[int]:
    if pa.types.is_date32(times.type):
        return [day * DAY for day in times.cast(pa.int32()).to_pylist()]
    return list(times.cast(pa.timestamp("us", times.type.tz), safe=False).cast(pa.int64()).to_pylist())


def all_above(column: Column, type_text: str, values: pa.ChunkedArray, files: Iterable[Statistics]) -> bool:
    """Whether each of the values is higher than all that files of these statistics hold in the column. False where
    that is not known: of files without bounds, and of types with NaN, which is higher than all and in no bound.
    """
    if not len(values) or values.null_count or pa.types.is_floating(values.type) or may_hold_nan(column.type):
        return False
    found = known_keys(column, type_text, pc.unique(values), null_safe=False)
    if found is None or not found.values:
        return False
    for statistics in files:
        known = known_of(column, statistics)
        bound = None if known is None else found.read_bound(known.maximum)
        if bound is None or bound >= found.values[0]:
            return False
    return True
