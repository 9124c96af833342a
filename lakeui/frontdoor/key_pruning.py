"""Which segments can hold one of many keys: each file's bounds against the sorted keys, before any file is read."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import ColumnStatistics, Statistics
from catalog_app.domain.schema import Column

_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})
_FAMILIES: tuple[frozenset[str], ...] = (
    _WHOLE,
    frozenset({*_WHOLE, "decimal"}),
    frozenset({*_WHOLE, "float", "double"}),
    frozenset({"string", "varchar", "char"}),
    frozenset({"date"}),
    frozenset({"timestamp"}),
    frozenset({"timestamp_ntz"}),
)
"""Types whose values compare with each other as their bounds do, in order of preference."""


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The distinct values that rows must have in a column to matter: ``values`` ascending, without NULL and NaN."""

    column: Column
    values: Sequence[Any]
    with_null: bool
    read_bound: Callable[[Any], Any]

    def may_be_in(self, statistics: Statistics) -> bool:
        """Whether a file can hold one of them. A column that the file lacks, or whose bounds are unknown, can."""
        known = next((statistics[i] for i in self.column.ids if i in statistics), None)
        if known is None:
            return True
        return (self.with_null and known.nulls > 0) or self._may_be_between(known)

    def _may_be_between(self, known: ColumnStatistics) -> bool:
        if known.minimum is None or known.maximum is None:
            return True
        low, high = self.read_bound(known.minimum), self.read_bound(known.maximum)
        if low is None or high is None:
            return True
        place = bisect_left(self.values, low)
        return place < len(self.values) and bool(self.values[place] <= high)


def known_keys(column: Column, type_text: str, keys: pa.Array, *, null_safe: bool) -> KnownKeys | None:
    """The keys of a source expression of that type as ``column`` can hold them; None where types do not compare.

    A NaN is in no bound of a file: only files with unknown bounds hold one, and those are kept.
    """
    name = {_family(column.type), _family(type_text)}
    family = next((item for item in _FAMILIES if name <= item), None)
    if family is None:
        return None
    present = keys.drop_null()
    if pa.types.is_floating(present.type):
        present = present.filter(pc.invert(pc.is_nan(present)))
    convert = _converter(family)
    if convert is None:
        return None
    return KnownKeys(column, sorted(present.to_pylist()), null_safe and keys.null_count > 0, convert)


def all_above(column: Column, type_text: str, values: pa.ChunkedArray, files: Iterable[Statistics]) -> bool:
    """Whether each of the values is higher than all that files of these statistics hold in the column. False where
    that is not known: of files without bounds, and of types with NaN, which is higher than all and in no bound.
    """
    if not len(values) or values.null_count or pa.types.is_floating(values.type):
        return False
    lowest = known_keys(column, type_text, pa.array([pc.min(values).as_py()], values.type), null_safe=False)
    if lowest is None or _family(column.type) in ("float", "double"):
        return False
    for statistics in files:
        known = next((statistics[i] for i in column.ids if i in statistics), None)
        bound = None if known is None or known.maximum is None else lowest.read_bound(known.maximum)
        if bound is None or bound >= lowest.values[0]:
            return False
    return True


def _family(type_text: str) -> str:
    return re.split(r"[(<\s]", type_text.lower(), maxsplit=1)[0]


def _converter(family: frozenset[str]) -> Callable[[Any], Any] | None:
    """How a bound of the statistics (a JSON scalar) becomes a value that keys compare with."""
    if "decimal" in family:
        return Decimal
    if "string" in family or "int" in family:
        return lambda bound: bound
    return {"date": _date, "timestamp": _moment, "timestamp_ntz": _moment}[next(iter(family))]


def _date(bound: Any) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(bound)
    except ValueError:
        return None


def _moment(bound: Any) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(bound)
    except ValueError:
        return None
