"""File pruning: it may keep too much, it may never leave out a row that matches."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeui.sql.predicates import Term, may_match


@dataclass(frozen=True, slots=True)
class Bounds:
    minimum: Any
    maximum: Any
    nulls: int = 0


CASES: list[tuple[str, tuple[Any, ...], Bounds, bool]] = [
    ("=", (5,), Bounds(1, 9), True),
    ("=", (5,), Bounds(6, 9), False),
    ("=", (5,), Bounds(1, 4), False),
    ("=", (5,), Bounds(5, 5), True),
    ("<", (5,), Bounds(5, 9), False),
    ("<=", (5,), Bounds(5, 9), True),
    ("<=", (5,), Bounds(6, 9), False),
    (">", (5,), Bounds(1, 5), False),
    (">=", (5,), Bounds(1, 5), True),
    (">=", (5,), Bounds(1, 4), False),
    ("in", (1, 5), Bounds(2, 4), False),
    ("in", (1, 3), Bounds(2, 4), True),
    ("isnull", (), Bounds(1, 2, 0), False),
    ("isnull", (), Bounds(1, 2, 1), True),
    ("isnotnull", (), Bounds(None, None, 10), False),
    ("isnotnull", (), Bounds(1, 2, 9), True),
    ("=", (5,), Bounds(None, None, 10), False),
    ("=", (5,), Bounds(None, None, 0), True),
    ("=", ("b",), Bounds("c", "d"), False),
    ("=", ("c",), Bounds("c", "d"), True),
    ("=", (5,), Bounds("1", "4"), True),
    ("=", ("5",), Bounds(1, 4), True),
    ("=", (True,), Bounds(False, False), False),
    ("=", (True,), Bounds(0, 0), True),
    ("=", (Decimal("0.1"),), Bounds(0.1, 0.1), True),
    ("=", (Decimal("1.5"),), Bounds(2, 3), False),
    (">", (5,), Bounds(1.0, 2.0), True),
    ("<", (5,), Bounds(6.0, 7.0), False),
    ("=", ("2026-01-05",), Bounds("2026-01-06", "2026-01-09"), False),
    ("=", ("2026-1-7",), Bounds("2026-01-08", "2026-01-09"), True),
    ("<", ("2026-01-05 00:00:00",), Bounds("2026-01-05T10:00:00+00:00", "2026-01-09T00:00:00+00:00"), True),
    ("<", ("2026-01-05 00:00:00",), Bounds("2026-01-08T00:00:00+00:00", "2026-01-09T00:00:00+00:00"), False),
    (">", ("2026-01-05",), Bounds("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"), False),
    ("=", ("9999-12-31T00:00:00",), Bounds("9999-12-30T00:00:00+00:00", "9999-12-31T00:00:00+00:00"), True),
    ("=", ("9999-12-31T00:00:00",), Bounds("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"), False),
]


@pytest.mark.parametrize(("sign", "values", "bounds", "expected"), CASES)
def test_one_term(sign: str, values: tuple[Any, ...], bounds: Bounds, expected: bool) -> None:
    assert may_match([Term("A", sign, values)], {"a": bounds}, 10) is expected


def test_all_terms_must_be_possible_and_unknown_columns_keep_the_file() -> None:
    statistics = {"a": Bounds(1, 2), "b": Bounds(1, 2)}
    assert may_match([], statistics, 10)
    assert may_match([Term("c", "=", (9,))], statistics, 10)
    assert not may_match([Term("a", "=", (1,)), Term("b", "=", (3,))], statistics, 10)


def test_decimals_are_compared_where_the_type_is_known() -> None:
    statistics = {"a": Bounds("9.50", "10.25")}
    assert may_match([Term("a", "=", (11,))], statistics, 10)
    assert not may_match([Term("a", "=", (11,))], statistics, 10, types={"A": "decimal(10,2)"})
    assert may_match([Term("a", "=", (Decimal("9.75"),))], statistics, 10, types={"A": "decimal(10,2)"})


SIGNS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
COLUMNS = st.one_of(
    st.lists(st.none() | st.integers(-9, 9), min_size=1),
    st.lists(st.none() | st.text("abc-2026", max_size=3), min_size=1),
    st.lists(st.none() | st.dates().map(str), min_size=1),
    st.lists(st.none() | st.datetimes().map(lambda moment: moment.isoformat(" ")), min_size=1),
)


@given(COLUMNS, st.sampled_from([*SIGNS, "in", "isnull", "isnotnull"]), st.data())
def test_no_file_with_a_matching_row_is_left_out(column: list[Any], sign: str, data: st.DataObject) -> None:
    known = [value for value in column if value is not None]
    literal = data.draw(st.sampled_from(known) if known else st.just(3))
    bounds = Bounds(min(known, default=None), max(known, default=None), len(column) - len(known))
    matching: bool
    values: tuple[Any, ...]
    match sign:
        case "isnull":
            matching, values = len(known) < len(column), ()
        case "isnotnull":
            matching, values = bool(known), ()
        case "in":
            matching, values = literal in known, (literal,)
        case _:
            matching, values = any(SIGNS[sign](value, literal) for value in known), (literal,)
    if matching:
        assert may_match([Term("a", sign, values)], {"a": bounds}, len(column))
