"""From expressions without columns to constants, typed as Spark types them. What is not understood is none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from sqlglot import exp

from catalog_app.domain.types import canonical_type
from catalog_app.pruning.comparison import MOST_DIGITS, digits, family
from catalog_app.pruning.constants import (
    DAY,
    SECOND,
    Constant,
    date_of,
    decimal_constant,
    moment_of,
    whole_constant,
)
from lakeui.common.errors import InvalidValue

_HOUR = 3600 * SECOND
UNITS = {
    "microsecond": (1, 1),
    "millisecond": (1_000, 1_000),
    "second": (SECOND, SECOND),
    "minute": (60 * SECOND, 60 * SECOND),
    "hour": (_HOUR, _HOUR),
    "day": (DAY, DAY),
    "week": (7 * DAY, 7 * DAY),
    "month": (28 * DAY, 31 * DAY),
    "quarter": (90 * DAY, 92 * DAY),
    "year": (365 * DAY, 366 * DAY),
}
"""How long units of time are, at least and at most."""
_TIMES = ("date", "timestamp", "timestamp_ntz")
_NOW = {"current_date": "date", "curdate": "date", "current_timestamp": "timestamp", "now": "timestamp"}
_MOST_UNITS = 1_000_000


def constant_of(node: exp.Expr) -> Constant | None:
    """The constant that an expression is; None for NULL and whatever else is not understood."""
    node = node.unnest()
    match node:
        case exp.Boolean():
            return Constant.of("boolean", bool(node.this))
        case exp.Literal():
            return Constant.of("string", node.name) if node.is_string else _number(node.name)
        case exp.Neg():
            return _negative(node.this)
        case exp.CurrentDate() if not node.this:
            return Constant("date", 0, 0, is_from_now=True)
        case exp.CurrentTimestamp() if not node.this:
            return Constant("timestamp", 0, 0, is_from_now=True)
        case exp.Add() | exp.Sub():
            return _sum(node)
        case exp.Anonymous():
            return _call(node)
        case _:
            return _cast(node) if type(node) is exp.Cast else None


def _number(text: str) -> Constant | None:
    if text.isdecimal():
        found = whole_constant(int(text))
    elif "e" in text.lower():
        return Constant.of("double", float(text))
    else:
        found = decimal_constant(Decimal(text))
    precision = digits(found.type)
    return found if precision is not None and precision[0] <= MOST_DIGITS else None


def _negative(node: exp.Expr) -> Constant | None:
    inner = node.unnest()
    if isinstance(inner, exp.Literal) and not inner.is_string and inner.name.isdecimal():
        return whole_constant(-int(inner.name))
    found = constant_of(inner)
    if found is None or (digits(found.type) is None and family(found.type) not in ("double", "float")):
        return None
    # Python's own minus rounds a decimal to 28 digits.
    value = found.low.copy_negate() if isinstance(found.low, Decimal) else -found.low
    return Constant.of(found.type, value)


def _cast(node: exp.Cast) -> Constant | None:
    """``DATE '…'``, ``TIMESTAMP '…'``, numbers with a suffix, and casts that change no digit."""
    kind = _type_of(node)
    inner = node.this.unnest()
    if kind is None:
        return None
    if isinstance(inner, exp.Literal) and inner.is_string and kind in _TIMES:
        return _time(kind, inner.name)
    if kind == "date":
        found = constant_of(inner)
        # The day that a time lies in begins at most a day earlier.
        is_time = found is not None and found.type in _TIMES
        return found.moved(-DAY, 0, "date") if found is not None and is_time else None
    return _number_as(kind, inner)


def _type_of(node: exp.Cast) -> str | None:
    try:
        return canonical_type(node.to.sql("spark"))
    except InvalidValue:
        return None


def _time(kind: str, text: str) -> Constant | None:
    value = date_of(text) if kind == "date" else moment_of(text, may_have_zone=kind == "timestamp")
    return None if value is None else Constant.of(kind, value)


def _number_as(kind: str, inner: exp.Expr) -> Constant | None:
    """A literal number in that type, if it has just its digits there."""
    is_negative = isinstance(inner, exp.Neg)
    literal = inner.this.unnest() if is_negative else inner
    if not isinstance(literal, exp.Literal) or not _is_number(literal.name):
        return None
    value = Decimal(literal.name).copy_negate() if is_negative else Decimal(literal.name)
    if family(kind) == "double":
        return Constant.of(kind, float(value))
    precision, own = digits(kind), digits(decimal_constant(value).type)
    if precision is None or own is None or own[1] > precision[1]:
        return None
    fits = own[0] - own[1] <= precision[0] - precision[1] and _fits(kind, value)
    return Constant.of(kind, value if family(kind) == "decimal" else int(value)) if fits else None


def _is_number(text: str) -> bool:
    return len(text) < 60 and text.replace(".", "", 1).isdecimal() and text.isascii()


def _fits(kind: str, value: Decimal) -> bool:
    bits = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}.get(kind)
    return bits is None or -(1 << bits) <= value < 1 << bits


# -- times ------------------------------------------------------------------------------------------------------------


def _sum(node: exp.Add | exp.Sub) -> Constant | None:
    """A date and so many days, or a time and an interval, more or less."""
    found, sign = constant_of(node.this), 1 if isinstance(node, exp.Add) else -1
    if found is None or found.type not in _TIMES:
        return None
    if isinstance(node.expression, exp.Interval):
        return _moved(found, node.expression.unit, node.expression.this, sign)
    return _moved(found, exp.var("day"), node.expression, sign) if found.type == "date" else None


def _moved(start: Constant, unit: exp.Expr | None, count: exp.Expr | None, sign: int) -> Constant | None:
    length = UNITS.get(unit.name.lower().removesuffix("s")) if unit is not None else None
    number = _count(count)
    if length is None or number is None:
        return None
    ends = sorted(sign * number * part for part in length)
    # A date and an interval of hours is a time; the value is the same.
    return start.moved(ends[0], ends[1])


def _count(node: exp.Expr | None) -> int | None:
    if isinstance(node, exp.Neg):
        found = _count(node.this.unnest())
        return None if found is None else -found
    if not isinstance(node, exp.Literal):
        return None
    text = node.name.removeprefix("-")
    if not (text.isascii() and text.isdecimal()) or int(text) > _MOST_UNITS:
        return None
    return -int(text) if node.name.startswith("-") else int(text)


def _call(node: exp.Anonymous) -> Constant | None:
    name, arguments = node.name.lower(), node.expressions
    if name in _NOW and not arguments:
        return Constant(_NOW[name], 0, 0, is_from_now=True)
    read = _CALLS.get((name, len(arguments)))
    return None if read is None else read(arguments)


def _days_more(arguments: list[exp.Expr], sign: int) -> Constant | None:
    start = constant_of(arguments[0])
    return _moved(start, exp.var("day"), arguments[1], sign) if start is not None and start.type == "date" else None


def _units_more(arguments: list[exp.Expr]) -> Constant | None:
    unit, count, start = arguments[0], arguments[1], constant_of(arguments[2])
    return _moved(start, unit, count, 1) if start is not None and start.type in _TIMES else None


_CALLS: dict[tuple[str, int], Callable[[list[exp.Expr]], Constant | None]] = {
    ("date_add", 2): lambda arguments: _days_more(arguments, 1),
    ("dateadd", 2): lambda arguments: _days_more(arguments, 1),
    ("date_sub", 2): lambda arguments: _days_more(arguments, -1),
    **{(name, 3): _units_more for name in ("date_add", "dateadd", "timestampadd")},
}
