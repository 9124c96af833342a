"""Conditions as far as statistics answer for them, and whether a file may hold a row for which one is true.

A predicate may be true of more rows than the condition it was made of, never of fewer. Columns go by their bare names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.files import ColumnStatistics, Statistics
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import BUCKET, bucket_hash, bucket_of, is_taken
from catalog_app.pruning.comparison import Domain, bound_reader, domain_of, may_hold_nan, stored_value, value_in
from catalog_app.pruning.constants import Constant


@dataclass(frozen=True, slots=True)
class Compared:
    """``column operator constants``: one of ``= <> < <= > >=`` with one constant, ``in`` or ``not in`` with several.

    ``is_between``: it stands for one end of BETWEEN, beside which Spark does not pad CHAR.
    """

    column: str
    operator: str
    constants: tuple[Constant, ...]
    is_between: bool = False


@dataclass(frozen=True, slots=True)
class NullTest:
    """``column IS NULL``, or ``IS NOT NULL``."""

    column: str
    is_null: bool


@dataclass(frozen=True, slots=True)
class Beginning:
    """A text ``column`` begins with ``prefix``. Of columns of other types it says that they are not NULL."""

    column: str
    prefix: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Each part is true. Without parts it says nothing of a row."""

    parts: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part is true."""

    parts: tuple[Predicate, ...]


Predicate = Compared | NullTest | Beginning | AllOf | AnyOf
ANYTHING = AllOf()
_Test = Callable[[Statistics, int], bool]


def all_of(parts: Iterable[Predicate]) -> Predicate:
    """The conjunction, flat and without parts that say nothing."""
    found: list[Predicate] = []
    for part in parts:
        found += part.parts if isinstance(part, AllOf) else [part]
    return found[0] if len(found) == 1 else AllOf(tuple(found))


def any_of(parts: Iterable[Predicate]) -> Predicate:
    """The disjunction; it says nothing where a part says nothing."""
    found = tuple(parts)
    return ANYTHING if any(part == ANYTHING for part in found) else AnyOf(found)


def names_column(predicate: Predicate, name: str) -> bool:
    """Whether the predicate says something of the column of this name."""
    if isinstance(predicate, AllOf | AnyOf):
        return any(names_column(part, name) for part in predicate.parts)
    return predicate.column.casefold() == name.casefold()


def without_null_tests(predicate: Predicate) -> Predicate:
    """What is left where rows without match show as NULL: that a column IS NULL says nothing of the file's rows."""
    match predicate:
        case NullTest(is_null=True):
            return ANYTHING
        case AllOf(parts):
            return all_of(map(without_null_tests, parts))
        case AnyOf(parts):
            return any_of(map(without_null_tests, parts))
        case _:
            return predicate


class Pruner:
    """A predicate over columns of a table, for a statement that runs about ``now`` (microseconds since 1970). What it
    takes to answer for a file is settled once.
    """

    def __init__(self, predicate: Predicate, columns: Iterable[Column], *, now: int) -> None:
        self._now = now
        self._columns = {column.name.casefold(): column for column in columns}
        self._test = self._test_of(predicate)

    def may_match(self, statistics: Statistics, rows: int) -> bool:
        """Whether a file of these statistics and so many rows can hold a row of which the predicate is true."""
        return self._test(statistics, rows)

    def _test_of(self, predicate: Predicate) -> _Test:
        match predicate:
            case AllOf(parts):
                tests = [self._test_of(part) for part in parts]
                return lambda statistics, rows: all(test(statistics, rows) for test in tests)
            case AnyOf(parts):
                tests = [self._test_of(part) for part in parts]
                return lambda statistics, rows: any(test(statistics, rows) for test in tests)
        column = self._columns.get(predicate.column.casefold())
        if column is None:
            return lambda _statistics, _rows: True
        if isinstance(predicate, NullTest):
            return _null_test(column, is_null=predicate.is_null)
        if isinstance(predicate, Beginning):
            return _beginning_test(column, predicate.prefix)
        return self._comparison(predicate, column)

    def _comparison(self, predicate: Compared, column: Column) -> _Test:
        domains = {domain_of(column.type, constant.type) for constant in predicate.constants}
        domain = next(iter(domains))
        if domain is None or len(domains) > 1 or (domain is Domain.PADDED and predicate.is_between):
            return _null_test(column, is_null=False)
        read, has_nan = bound_reader(domain, column.type), may_hold_nan(column.type)
        ranges = [_range_of(domain, column, constant.at(self._now)) for constant in predicate.constants]
        operator = "<>" if predicate.operator == "not in" else predicate.operator
        needed = all if predicate.operator == "not in" else any
        hashes = _hashes(domain, column, ranges) if operator in ("=", "in") else None

        def test(statistics: Statistics, rows: int) -> bool:
            known = known_of(column, statistics)
            if known is None:
                return True
            if rows > 0 and known.nulls >= rows:
                return False
            if hashes is not None and known.buckets and _in_no_bucket(hashes, known, column):
                return False
            low, high = read(known.minimum), read(known.maximum)
            if low is None or high is None:
                return True
            return needed(_is_possible(operator, low, high, one, has_nan=has_nan) for one in ranges)

        return test


_LONGEST_BITS = 63


def _null_test(column: Column, *, is_null: bool) -> _Test:
    def test(statistics: Statistics, rows: int) -> bool:
        known = known_of(column, statistics)
        if known is None:
            return True
        return known.nulls > 0 if is_null else rows <= 0 or known.nulls < rows

    return test


def _beginning_test(column: Column, prefix: str) -> _Test:
    is_present = _null_test(column, is_null=False)
    if domain_of(column.type, "string") is not Domain.TEXT or value_in(Domain.TEXT, column.type, prefix) is None:
        return is_present
    read = bound_reader(Domain.TEXT, column.type)

    def test(statistics: Statistics, rows: int) -> bool:
        known = known_of(column, statistics)
        if known is None or not is_present(statistics, rows):
            return known is None
        low, high = read(known.minimum), read(known.maximum)
        return low is None or high is None or bool(low[: len(prefix)] <= prefix <= high)

    return test


def known_of(column: Column, statistics: Statistics) -> ColumnStatistics | None:
    """What the file says of the column, under whichever id it has it."""
    return next((statistics[identifier] for identifier in column.ids if identifier in statistics), None)


def _hashes(domain: Domain, column: Column, ranges: Sequence[tuple[Any, Any]]) -> list[int] | None:
    """Iceberg's hashes of the values, one of which the column is; None where one of them is not known."""
    if not is_taken(BUCKET, column.type) or any(low is None or low != high for low, high in ranges):
        return None
    found = [stored_value(domain, column.type, low) for low, _ in ranges]
    return None if not all(map(_is_hashed, found)) else [bucket_hash(column.type, value) for value in found]


def _is_hashed(value: Any) -> bool:
    """Whether the value is known, and no whole number that is longer than BIGINT."""
    return value is not None and not (isinstance(value, int) and value.bit_length() > _LONGEST_BITS)


def _in_no_bucket(hashes: Sequence[int], known: ColumnStatistics, column: Column) -> bool:
    """Whether the file's bucket, of which all its values are, is that of none of the hashes."""
    return any(
        laid.holds_for(column.type)
        and isinstance(laid.value, int)
        and all(bucket_of(laid.transform.number, hashed) != laid.value for hashed in hashes)
        for laid in known.buckets
    )


def _range_of(domain: Domain, column: Column, constant: Constant) -> tuple[Any, Any]:
    return (
        value_in(domain, column.type, constant.low),
        value_in(domain, column.type, constant.high),
    )


def _is_possible(operator: str, low: Any, high: Any, other: tuple[Any, Any], *, has_nan: bool) -> bool:
    """Whether some value from ``low`` to ``high`` can stand as the operator says to one within ``other``."""
    least, most = other
    if least is None or most is None:
        return True
    match operator:
        case "=" | "in":
            return bool(low <= most and least <= high)
        case "<":
            return bool(low < most)
        case "<=":
            return bool(low <= most)
        case ">":
            return has_nan or bool(high > least)
        case ">=":
            return has_nan or bool(high >= least)
        case _:
            return has_nan or not low == high == least == most
