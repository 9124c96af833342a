"""Single comparisons: which files are left out, by the type of the column and what stands beside it."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.constants import moment_of
from catalog_app.pruning.predicates import Pruner
from lakeui.sql.query import build_condition
from lakeui.sql.statements import TableName

NOW = moment_of("2026-11-25 10:00:00") or 0
ROWS = 10


def may_match(kind: str, condition: str, minimum: Any, maximum: Any, nulls: int = 0) -> bool:
    where = build_condition(condition, TableName("t", "d"), None)
    pruner = Pruner(where.predicate, [Column(1, "a", kind)], now=NOW)
    return pruner.may_match({1: ColumnStatistics(minimum, maximum, nulls)}, ROWS)


KEPT_AND_LEFT = [
    ("bigint", 1, 9, ["a = 5", "a = 1", "A <= 1", "a >= 9", "a in (0, 9)", "a <> 1", "a between 9 and 12", "a <=> 9"]),
    ("bigint", 1, 9, ["a = 5 or a = 50", "not a > 5", "not (a > 20 and a < 30)", "a = null", "a is not null"]),
    ("bigint", 1, 9, ["a = 9.0", "a = '9'", "a < '9.5'", "a = 9e0", "a in (1, 2.5e0)", "a in (20, null, 9)"]),
    ("bigint", 1, 9, ["a + 0 = 50", "abs(a) = 50", "a = b", "b = 50", "a = 'x'", "a = true", "a is true"]),
    ("double", 9007199254740992.0, 9007199254740992.0, ["a = 9007199254740993", "a = '9007199254740993'"]),
    ("double", 1.0, 2.0, ["a > 5", "a >= 5", "a <> 1", "a = 1.5"]),
    # Bounds leave NaN out, which is above every number.
    ("double", 5.0, 5.0, ["a <> 5", "a not in (4, 5)", "not a = 5"]),
    ("float", 0.10000000149011612, 0.10000000149011612, ["a > 0.1", "a <> 0.1"]),
    (
        "decimal(10,2)",
        "9.00",
        "10.00",
        ["a = '9.5'", "a between '9' and '9.99'", "a >= '10'", "a in ('9.5')", "a = 9.5"],
    ),
    ("decimal(38,30)", "0.1", "0.2", ["a = 5000000000"]),
    ("string", "2024-01-10", "2024-12-31", ["a = date '2024-01-05'", "a < date '2024-01-07'", "a = 5", "a = 1.5"]),
    ("string", "b", "d", ["a = 'b'", "a = 'c\U0001f600'", "a >= 'd'", "a > 'c'"]),
    ("date", "2024-01-05", "2024-01-09", ["a = '2024-1-5'", "a = timestamp '2024-01-09 00:00:00'", "a = '2024'"]),
    ("timestamp", "2024-01-05T10:00:00Z", "2024-01-05T11:00:00.000001Z", ["a > '2024-01-05 11:00:00'"]),
    ("timestamp", "2024-01-05T10:00:00Z", "2024-01-05T11:00:00Z", ["a = timestamp '2024-01-05 12:30:00+02:00'"]),
    ("timestamp", "2024-01-05T10:00:00Z", "2024-01-05T11:00:00Z", ["a <= timestamp_ntz '2024-01-05 10:00:00'"]),
    ("char(3)", "x  ", "y  ", ["a = 'x'", "a = 'x     '", "a in ('y')", "a >= 'y '", "a between 'x' and 'x'"]),
    ("boolean", False, False, ["a = false", "not a", "a"]),
    ("date", "2026-11-20", "2026-11-21", ["a > current_date - 7", "a > dateadd(month, -1, current_date())"]),
    ("timestamp", "2026-11-24T10:00:00Z", "2026-11-25T09:00:00Z", ["a >= now() - interval 1 hour", "a > current_date"]),
]
LEFT_OUT = [
    (
        "bigint",
        1,
        9,
        ["a = 10", "a < 1", "a > 9", "a in (0, 10)", "a between 10 and 12", "a <=> 0", "5 = a and a = 10"],
    ),
    (
        "bigint",
        1,
        9,
        ["a = 0 or a = 50", "not a >= 1", "not (a < 20 or a > 30)", "not a between 0 and 10", "a is null"],
    ),
    ("bigint", 1, 9, ["a = 9.5", "a = '10'", "a > 9.5", "a = 9.5e0", "a = -5L", "a = 12345678901234567890"]),
    ("bigint", 5, 5, ["a <> 5", "not a = 5", "a not in (4, 5)"]),
    ("double", 1.0, 2.0, ["a = 5", "a < 1", "a = '0.5'"]),
    ("float", 0.10000000149011612, 0.10000000149011612, ["a = 0.1", "a <= 0.1"]),
    ("decimal(10,2)", "9.00", "10.00", ["a = '10.5'", "a > 10", "a = 11", "a < 9e0", "a in ('8', '11')"]),
    ("string", "b", "d", ["a = 'a'", "a > 'd'", "a = 'e' and b = 1"]),
    ("string", "\ue000", "\U0001f600", ["a > '\U0001f601'", "a < '\ud7ff'"]),
    ("date", "2024-01-05", "2024-01-09", ["a = '2024-1-4'", "a > timestamp '2024-01-09 00:00:00'", "a < '2024-01-05'"]),
    ("timestamp", "2024-01-05T10:00:00Z", "2024-01-05T11:00:00Z", ["a > '2024-01-05 11:00:00'", "a < '2024-01-05'"]),
    ("timestamp", "2024-01-05T10:00:00Z", "2024-01-05T11:00:00Z", ["a = timestamp '2024-01-05 11:30:00Z'"]),
    ("timestamp", "2020-01-05T10:00:00Z", "2020-01-05T11:00:00Z", ["a > timestamp'2026-11-10'"]),
    ("char(3)", "x  ", "y  ", ["a = 'w'", "a = 'z     '", "a > 'y'"]),
    ("boolean", False, False, ["a = true", "a <> false"]),
    ("timestamp", "2020-01-05T10:00:00Z", "2020-01-05T11:00:00Z", ["a > dateadd(day, -7, current_date)"]),
    ("date", "2020-01-05", "2020-01-05", ["a > current_date - 7", "a >= date_sub(current_date(), 30)"]),
    (
        "date",
        "2020-01-05",
        "2020-01-05",
        ["a > cast(now() - interval '3' days as date)", "a > date_add(date '2020-01-04', 1)"],
    ),
]


def _each(groups: list[tuple[str, Any, Any, list[str]]]) -> list[tuple[str, Any, Any, str]]:
    return [(kind, low, high, condition) for kind, low, high, conditions in groups for condition in conditions]


@pytest.mark.parametrize(("kind", "low", "high", "condition"), _each(KEPT_AND_LEFT))
def test_files_that_may_hold_rows_are_kept(kind: str, low: Any, high: Any, condition: str) -> None:
    assert may_match(kind, condition, low, high)


@pytest.mark.parametrize(("kind", "low", "high", "condition"), _each(LEFT_OUT))
def test_files_that_cannot_hold_rows_are_left_out(kind: str, low: Any, high: Any, condition: str) -> None:
    assert not may_match(kind, condition, low, high)


def test_nulls() -> None:
    assert may_match("int", "a is null", 1, 2, nulls=1)
    assert may_match("int", "a is distinct from 1", 1, 1, nulls=1)
    assert not may_match("int", "a is distinct from 1", 1, 1)
    assert not may_match("int", "a is not null", None, None, nulls=ROWS)
    assert not may_match("int", "a = 5", None, None, nulls=ROWS)
    assert not may_match("int", "a <=> null", 1, 2)
    assert may_match("int", "a = 5", None, None)


def test_a_column_without_statistics_keeps_the_file() -> None:
    where = build_condition("b = 5", TableName("t", "d"), None)
    assert Pruner(where.predicate, [Column(1, "a", "int"), Column(2, "b", "int")], now=NOW).may_match({}, ROWS)


def test_columns_are_known_under_ids_of_other_branches() -> None:
    where = build_condition("a = 5", TableName("t", "d"), None)
    pruner = Pruner(where.predicate, [Column(1, "a", "int", aliases=(7,))], now=NOW)
    assert not pruner.may_match({7: ColumnStatistics(6, 9, 0)}, ROWS)


def test_the_statements_time_may_be_another_clocks() -> None:
    """The engine may run it a little later, on the next day."""
    for condition in ("a = current_date", "a < current_date", "a > current_date"):
        assert may_match("date", condition, "2026-11-25", "2026-11-25")
    assert not may_match("date", "a = current_date", "2026-11-28", "2026-11-28")
