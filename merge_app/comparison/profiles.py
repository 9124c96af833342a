"""What a change does to the values of each column, counted from the rows that it changed. Pure."""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from catalog_app.domain.histogram import TOP, Bin, Frequent, Intervals
from lakeui.common.counts import counted

Values = Sequence[Any] | None
"""A row by columns as JSON values; None where it is not there."""

RISEN = 0.05
"""By how much the share of NULL may rise before somebody looks at it."""


@dataclass(frozen=True, slots=True)
class ProfiledColumn:
    """A column of the rows. ``type`` is its SQL type."""

    id: int
    name: str
    type: str
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that the source changed: as both knew it, as the source has it, and as the merge makes it. ``is_open``: a
    conflict that nothing decides, so that it is open what the merge makes of it.
    """

    before: Values
    after: Values
    merged: Values
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Counts of a column in rows. The least, the largest and the mean are None where the type has none; NaN counts for
    neither of them. The least and the largest are values as the rows hold them. ``top`` has the most frequent values
    first. Of more than ``TOP`` values it leaves out those of one row. All states of a column share the intervals of
    ``histogram``, which is empty for other types than numbers.
    """

    rows: int
    nulls: int
    distinct: int
    least: Any = None
    largest: Any = None
    mean: float | None = None
    top: tuple[Frequent, ...] = ()
    histogram: tuple[Bin, ...] = ()

    @property
    def null_share(self) -> float:
        return self.nulls / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """``updated`` rows have a value before and after; in ``changed`` of them it differs."""

    column: ProfiledColumn
    updated: int
    changed: int
    before: ValueCounts
    after: ValueCounts
    merged: ValueCounts


@dataclass(frozen=True, slots=True)
class Risk:
    """Something to look at first. ``column`` is "" where it is about rows."""

    code: str
    message: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class TableProfile:
    """Counts of the rows that the source changed. The risks that matter most come first."""

    inserted: int
    updated: int
    deleted: int
    open: int
    columns: tuple[ColumnProfile, ...]
    risks: tuple[Risk, ...]


@dataclass(slots=True)
class _Counter:
    """Counts the values of one column in one state of the rows."""

    type: str
    rows: int = 0
    nulls: int = 0
    seen: dict[Any, list[Any]] = field(default_factory=dict)
    least: tuple[Any, Any] | None = None
    largest: tuple[Any, Any] | None = None
    total: Fraction = Fraction(0)
    summed: int = 0

    def add(self, value: Any) -> None:
        self.rows += 1
        if value is None:
            self.nulls += 1
            return
        ordered = _ordered(value, self.type)
        found = self.seen.setdefault(json.dumps(value, sort_keys=True) if ordered is None else ordered, [value, 0])
        found[1] += 1
        if ordered is None or (isinstance(ordered, float) and math.isnan(ordered)):
            return
        if self.least is None or ordered < self.least[0]:
            self.least = ordered, value
        if self.largest is None or ordered > self.largest[0]:
            self.largest = ordered, value
        if isinstance(ordered, int | Decimal) or (isinstance(ordered, float) and math.isfinite(ordered)):
            self.total += Fraction(ordered)
            self.summed += 1

    def numbers(self) -> Iterator[tuple[float, int]]:
        """The finite numbers, each with its count."""
        for key, (_, count) in self.seen.items():
            number = _as_float(key) if isinstance(key, int | float | Decimal) else None
            if number is not None and math.isfinite(number):
                yield number, count

    def top(self) -> tuple[Frequent, ...]:
        found = heapq.nlargest(TOP, self.seen.values(), key=lambda entry: entry[1])
        are_few = len(self.seen) <= TOP
        return tuple(Frequent(value, count) for value, count in found if are_few or count > 1)

    def counts(self, intervals: Intervals | None) -> ValueCounts:
        return ValueCounts(
            rows=self.rows,
            nulls=self.nulls,
            distinct=len(self.seen),
            least=self.least[1] if self.least else None,
            largest=self.largest[1] if self.largest else None,
            mean=_as_float(self.total / self.summed) if self.summed else None,
            top=self.top(),
            histogram=intervals.bins(self.numbers()) if intervals else (),
        )


def _counts(counters: Sequence[_Counter]) -> Iterator[ValueCounts]:
    """The states of one column, with the same intervals."""
    numbers = [number for counter in counters for number, _ in counter.numbers()]
    intervals = Intervals.between(min(numbers, default=None), max(numbers, default=None))
    return (counter.counts(intervals) for counter in counters)


def _as_float(value: Fraction | Decimal | float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


_INTEGERS = ("tinyint", "smallint", "int", "bigint", "byte", "short", "long", "integer")
_FLOATS = ("float", "double", "real")
_TEXTS = ("string", "varchar", "char", "date", "timestamp")
_NAN = float("nan")


def _ordered(value: Any, kind: str) -> Any:
    """The value as something that can be compared with others of its type; None where the type has no order here."""
    name = kind.casefold()
    if name.startswith(_INTEGERS) and not name.startswith("interval"):
        return int(value)
    if name.startswith("decimal"):
        return Decimal(str(value))
    if name.startswith(_FLOATS):
        number = float(value)
        # One NaN and one zero, as SQL counts them.
        return _NAN if math.isnan(number) else number + 0.0
    return str(value) if name.startswith(_TEXTS) else None


def rows_profiled(columns: Sequence[ProfiledColumn], rows: Iterable[ChangedRow]) -> TableProfile:
    """Count rows that the source changed. Rows that the merge leaves open are in ``before`` and ``after`` only."""
    counters = [[_Counter(column.type) for _ in range(3)] for column in columns]
    changed = [0] * len(columns)
    inserted = updated = deleted = left_open = 0
    for row in rows:
        inserted += row.before is None
        deleted += row.after is None
        left_open += row.is_open
        if row.before is not None and row.after is not None:
            updated += 1
            for place, (one, other) in enumerate(zip(row.before, row.after, strict=True)):
                changed[place] += one != other
        states = row.before, row.after, None if row.is_open else row.merged
        for state, values in enumerate(states):
            for place, value in enumerate(values or ()):
                counters[place][state].add(value)
    profiles = tuple(
        ColumnProfile(column, updated, changed[place], *_counts(counters[place]))
        for place, column in enumerate(columns)
    )
    return TableProfile(inserted, updated, deleted, left_open, profiles, tuple(_risks(profiles, deleted)))


def _risks(profiles: Sequence[ColumnProfile], deleted: int) -> Iterable[Risk]:
    if deleted:
        yield Risk("ROWS_LOST", f"{counted(deleted, 'row is', 'rows are')} deleted.")
    risen = sorted(profiles, key=lambda profile: profile.before.null_share - profile.after.null_share)
    for profile in risen:
        before, after = profile.before.null_share, profile.after.null_share
        if profile.before.rows and after - before > RISEN:
            message = f"NULL rises from {before:.0%} to {after:.0%} of the changed rows."
            yield Risk("NULLS_RISEN", message, profile.column.name)
    for profile in profiles:
        is_one = profile.after.distinct == 1 and profile.before.distinct > 1 and profile.after.nulls == 0
        if is_one and profile.changed:
            yield Risk("ONE_VALUE", f"{profile.before.distinct} different values become one.", profile.column.name)
