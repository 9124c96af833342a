"""Sizes that a statement may ask for: judged in the text where it gives them, by the engine where rows do."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.sql.query import build_query


@pytest.mark.parametrize(
    "expression",
    [
        "repeat('x', 2000000000)",
        "repeat('0123456789', 2 * 1000000)",
        "space(16777217)",
        "lpad('x', 5000000, 'y')",
        "rpad('x', 5000000)",
        "randstr(20000000)",
        "array_repeat('x', 1000001)",
        "sequence(1, 1000002)",
        "sequence(-1000002, 1)",
    ],
)
def test_a_size_in_the_text_is_refused_before_the_engine_sees_it(expression: str) -> None:
    with pytest.raises(InvalidValue, match="would make a value of more than"):
        build_query(f"SELECT {expression}")


@pytest.mark.parametrize(
    "expression",
    ["repeat('x', int(pow(10, 9)))", "repeat('x', int(rand() * 1e9))", "space((SELECT 2000000000))"],
)
def test_a_size_that_cannot_be_checked_is_refused(expression: str) -> None:
    with pytest.raises(InvalidValue, match="The size that"):
        build_query(f"SELECT {expression}")


LARGE = "repeat('x', 16000000)"


@pytest.mark.parametrize(
    "expression",
    [
        " || ".join([LARGE] * 5),
        f"concat({', '.join([LARGE] * 5)})",
        f"concat_ws('', {', '.join([LARGE] * 5)})",
        f"format_string('%s%s%s%s%s', {', '.join([LARGE] * 5)})",
        f"CAST({LARGE} || {LARGE} AS STRING) || upper(concat({', '.join([LARGE] * 3)}))",
        " || ".join(["lpad(c, n)"] * 5),
        " || ".join([LARGE] * 1900),
    ],
)
def test_values_that_one_expression_joins_are_bounded_together(expression: str) -> None:
    with pytest.raises(InvalidValue, match="joins values that together have more than 67108864 bytes"):
        build_query(f"SELECT {expression} FROM d.t")


@pytest.mark.parametrize(
    "expression",
    [
        " || ".join(["lpad(c, 20, '0')"] * 100),
        ", ".join([LARGE] * 5),
        f"{LARGE} || {LARGE}",
        " AND ".join(["lpad(c, n) = 'x'"] * 20),
    ],
)
def test_small_values_and_values_of_their_own_are_joined_freely(expression: str) -> None:
    assert build_query(f"SELECT {expression} FROM d.t")


def test_values_that_grow_inside_of_each_other_have_a_limit() -> None:
    deep = "c"
    for _ in range(4):
        deep = f"repeat({deep}, n)"
    with pytest.raises(InvalidValue, match="in more than 3 functions"):
        build_query(f"SELECT {deep} FROM d.t")


@pytest.mark.parametrize("expression", ["repeat('x', 3)", "space(3)", "lpad('x', 3)", "repeat(1, 3)"])
def test_a_size_in_the_text_costs_no_check(expression: str) -> None:
    assert build_query(f"SELECT {expression}").text == f"SELECT {expression}"


def test_a_size_of_a_row_is_checked_in_the_argument_itself() -> None:
    """In the argument: an optimizer that knows the row computes ``repeat`` of it before it looks at a condition."""
    text = build_query("SELECT repeat('x', n) AS r FROM d.t").text
    assert text.startswith("SELECT repeat('x', IF(CAST(`n` AS DOUBLE) > 16777216, RAISE_ERROR(")


def test_a_checked_column_keeps_its_name() -> None:
    assert " AS `repeat(c, n)`" in build_query("SELECT repeat(c, n) FROM d.t").text
