"""Constants of a statement as Spark types them, and texts that stand beside columns of other types.

Values are Python's, but for times: dates and timestamps are whole microseconds since 1970 in UTC, so that years beyond
Python's calendar have their place too.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

SECOND = 1_000_000
DAY = 86_400 * SECOND
CLOCK_SLACK = DAY
"""A statement's own time is that of the engine when it runs: this process and its clock may be so far away."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:\d\d)?)?"
)
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is the same for every row: somewhere from ``low`` to ``high``, both the same unless it depends on
    the time. ``type`` is canonical type text. ``is_from_now``: the bounds count from the time of the statement.
    """

    type: str
    low: Any
    high: Any
    is_from_now: bool = False

    @classmethod
    def of(cls, type_text: str, value: Any) -> Constant:
        return cls(type_text, value, value)

    def at(self, now: int) -> Constant:
        """The same for a statement that runs about ``now``."""
        if not self.is_from_now:
            return self
        return Constant(self.type, self.low + now - CLOCK_SLACK, self.high + now + CLOCK_SLACK)

    def moved(self, least: int, most: int, type_text: str | None = None) -> Constant:
        """A time between so many microseconds later."""
        return replace(self, type=type_text or self.type, low=self.low + least, high=self.high + most)


def whole_constant(value: int) -> Constant:
    """A whole number as a literal without suffix: the smallest type from INT on that holds it."""
    for kind, bits in (("int", 31), ("bigint", 63)):
        if -(1 << bits) <= value < 1 << bits:
            return Constant.of(kind, value)
    return decimal_constant(Decimal(value))


def decimal_constant(value: Decimal) -> Constant:
    exponent = value.as_tuple().exponent
    scale = max(-exponent, 0) if isinstance(exponent, int) else 0
    precision = max(len(value.as_tuple().digits), scale)
    return Constant.of(f"decimal({precision},{scale})", value)


def date_of(text: str) -> int | None:
    """``2024-1-5`` in microseconds; None for what is no day, or written in another way."""
    return moment_of(text) if _DATE.fullmatch(text) else None


def moment_of(text: str, *, may_have_zone: bool = True) -> int | None:
    """A day or time, in UTC where it names no zone. None for other texts, though Spark may understand them."""
    found = _MOMENT.fullmatch(text)
    if found is None or (found[8] and not may_have_zone):
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    micro = int((found[7] or "").ljust(6, "0"))
    try:
        zone = datetime.datetime.strptime(found[8], "%z").tzinfo if found[8] else datetime.UTC
        return microseconds(datetime.datetime(year, month, day, hour, minute, second, micro, tzinfo=zone))
    except (ValueError, OverflowError):
        return None


def microseconds(value: datetime.datetime) -> int:
    """Microseconds since 1970; a time without zone counts as UTC."""
    since = (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds


def whole_of(text: str) -> int | None:
    """What a text becomes beside a column of whole numbers, which makes it a BIGINT."""
    value = int(text) if _WHOLE.fullmatch(text) else None
    return value if value is not None and -(1 << 63) <= value < 1 << 63 else None


def double_of(text: str) -> float | None:
    """What a text becomes beside a column of other numbers, which makes it a DOUBLE."""
    return float(text) if _NUMBER.fullmatch(text) else None
