"""Values that rows make too large are refused by the engine, and those of use are made."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake

TOO_LARGE = (
    ("SELECT repeat('x', n) FROM (SELECT 2000000000 AS n)", "repeat"),
    ("SELECT repeat(repeat('x', 10000), n) FROM (SELECT 10000 AS n)", "repeat"),
    ("SELECT length(lpad('x', n, 'y')) FROM (SELECT 2000000000 AS n)", "lpad"),
    ("SELECT size(sequence(1, n)) FROM (SELECT 2000000000 AS n)", "sequence"),
    (
        "SELECT size(sequence(a, a + INTERVAL 1 YEAR, INTERVAL 1 SECOND)) FROM (SELECT now() AS a)",
        "sequence",
    ),
    ("SELECT size(array_repeat(s, 1000)) FROM (SELECT repeat('x', 100000) AS s)", "array_repeat"),
)
OF_USE = """SELECT repeat(c, n), lpad(c, n, '-'), array_repeat(c, n), sequence(1, n), sequence(1, 9, n),
    sequence(a, a + INTERVAL 2 HOUR, INTERVAL 1 HOUR), sequence(DATE '2026-01-01', DATE '2026-01-03'),
    size(sequence(DATE '2020-01-01', DATE '2026-01-01', INTERVAL 1 DAY))
    FROM (SELECT 'ab' AS c, 3 AS n, TIMESTAMP '2026-01-01 00:00:00' AS a)"""


def test_row_that_asks_for_too_much_is_refused(lake: Lake) -> None:
    for statement, function in TOO_LARGE:
        with pytest.raises(InvalidValue, match=f"^{function} would make a value of more than"):
            lake.sql(statement)


def test_values_of_use_are_made(lake: Lake) -> None:
    ((repeated, padded, array, numbers, steps, hours, days, many),) = lake.sql(OF_USE).rows
    assert (repeated, padded, array) == ("ababab", "-ab", ["ab", "ab", "ab"])
    assert (numbers, steps) == ([1, 2, 3], [1, 4, 7])
    assert (len(hours), len(days), many) == (3, 3, 2193)
