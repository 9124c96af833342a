"""Functions of a column that keep the order of its values: what a comparison of one with a constant says of the column.

It may be true of more values than the comparison, never of fewer, whatever the column's type is. Times are in UTC.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from catalog_app.pruning.constants import Constant, date_of, microseconds, moment_of, whole_constant
from lakeui.sql.constants import UNITS

Bounds = list[tuple[str, Constant]]
"""Operators and constants, each of which holds for the column; without one nothing is known."""
_Judge = Callable[[str, Constant], Bounds]

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = (*_WHOLE, "integer", "byte", "short", "long", "double")
_TIMES = ("date", "timestamp", "timestamp_ntz")
_PERIODS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    "quarter": "quarter",
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    "week": "week",
}
_SHORT = {"day": "day", "dd": "day", "hour": "hour", "minute": "minute", "second": "second"}
_ORDERS = ("=", "in", "<", "<=", ">", ">=")
_FIRST_YEAR, _LAST_YEAR = 2, 9998


@dataclass(frozen=True, slots=True)
class OrderedCall:
    """``judge`` says what is true of the argument where the call stands as the operator says to the constant."""

    argument: exp.Expr
    judge: _Judge


def ordered_call(node: exp.Expr) -> OrderedCall | None:
    """``CAST(c AS BIGINT)``, ``year(c)``, ``date_trunc('MONTH', c)`` and their like; None for other expressions."""
    node = node.unnest()
    match node:
        case exp.Cast() if type(node) is exp.Cast:
            return _cast(node.this, node.to.sql(dialect="spark").lower())
        case exp.Extract() if node.name.lower() in _PERIODS and _PERIODS[node.name.lower()] == "year":
            return OrderedCall(node.expression, _year)
        case exp.Anonymous():
            return _called(node.name.lower(), node.expressions)
        case _:
            return None


def _called(name: str, arguments: list[exp.Expr]) -> OrderedCall | None:
    match name, arguments:
        case "year", [argument]:
            return OrderedCall(argument, _year)
        case (("date_part" | "datepart"), [exp.Literal(this=str(unit)), argument]) if (
            _PERIODS.get(unit.lower()) == "year"
        ):
            return OrderedCall(argument, _year)
        case "date_trunc", [exp.Literal(this=str(unit)), argument]:
            return _truncated(argument, {**_PERIODS, **_SHORT}.get(unit.lower()))
        case "trunc", [argument, exp.Literal(this=str(unit))]:
            return _truncated(argument, _PERIODS.get(unit.lower()))
        case _, [argument] if name in _NUMBERS:
            return _cast(argument, name)
        case _:
            return None


def _cast(argument: exp.Expr, kind: str) -> OrderedCall | None:
    if kind == "double":
        return OrderedCall(argument, _as_double)
    return OrderedCall(argument, _as_whole) if kind in _NUMBERS else None


def _as_double(operator: str, constant: Constant) -> Bounds:
    """Beside a DOUBLE every number is one, and so are the bounds of the column."""
    if operator not in _ORDERS or not (_is_number(constant) or constant.type in ("double", "float")):
        return []
    return [(operator, Constant.of("double", float(constant.low)))]


def _as_whole(operator: str, constant: Constant) -> Bounds:
    """What is left of a number without its fraction is less than 1 away from it."""
    if not _is_number(constant):
        return []
    least = (">=", whole_constant(math.floor(constant.low) - 1))
    most = ("<=", whole_constant(math.ceil(constant.low) + 1))
    return _sided(operator, [least], [most])


def _is_number(constant: Constant) -> bool:
    return isinstance(constant.low, int | Decimal) and (constant.type in _WHOLE or constant.type.startswith("decimal"))


def _sided(operator: str, least: Bounds, most: Bounds) -> Bounds:
    match operator:
        case "=" | "in":
            return least + most
        case ">" | ">=":
            return least
        case "<" | "<=":
            return most
        case _:
            return []


def _year(operator: str, constant: Constant) -> Bounds:
    if constant.type not in _WHOLE or not _FIRST_YEAR <= constant.low <= _LAST_YEAR:
        return []
    begins, ends = (microseconds(datetime.datetime(constant.low + n, 1, 1, tzinfo=datetime.UTC)) for n in (0, 1))
    return _of_period(operator, begins, ends, is_its_begin=True)


def _of_period(operator: str, begins: int, ends: int, *, is_its_begin: bool) -> Bounds:
    """Of a value that is moved to the begin of its period, beside one in the period from ``begins`` to ``ends``."""
    first = ends if operator == ">" or (operator == ">=" and not is_its_begin) else begins
    last = begins if operator == "<" and is_its_begin else ends
    return _sided(operator, [(">=", _time(first))], [("<", _time(last))])


def _time(value: int) -> Constant:
    return Constant.of("timestamp", value)


def _truncated(argument: exp.Expr, unit: str | None) -> OrderedCall | None:
    if unit is None:
        return None

    def judge(operator: str, constant: Constant) -> Bounds:
        if constant.is_from_now:
            latest = constant.moved(0, UNITS[unit][1], "timestamp")
            return _sided(operator, [(">=", constant.moved(0, 0, "timestamp"))], [("<=", latest)])
        value = _moment(constant)
        period = None if value is None else _period(unit, value)
        return [] if period is None else _of_period(operator, *period, is_its_begin=period[0] == value)

    return OrderedCall(argument, judge)


def _moment(constant: Constant) -> int | None:
    if constant.type == "string":
        found = date_of(constant.low)
        return moment_of(constant.low) if found is None else found
    return int(constant.low) if constant.type in _TIMES else None


def _period(unit: str, value: int) -> tuple[int, int] | None:
    """Begin and end of the period that the time lies in; None near the ends of the calendar."""
    if unit in ("day", "hour", "minute", "second", "week"):
        length = UNITS[unit][1]
        # 1970 began on a Thursday, weeks begin on Mondays.
        shift = 3 * UNITS["day"][1] if unit == "week" else 0
        begins = (value + shift) // length * length - shift
        return begins, begins + length
    months = {"year": 12, "quarter": 3, "month": 1}[unit]
    try:
        day = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(microseconds=value)
        first = (day.year * 12 + day.month - 1) // months * months
        begins, ends = (microseconds(_month(number)) for number in (first, first + months))
    except (ValueError, OverflowError):
        return None
    return begins, ends


def _month(number: int) -> datetime.datetime:
    return datetime.datetime(number // 12, number % 12 + 1, 1, tzinfo=datetime.UTC)
