"""Partition transforms with the meaning of Iceberg (its spec, "Partition Transforms" and Appendix B): pure.

A transform makes a value of a column's value. Files of a table with a layout hold rows of one such value. The value
follows from the row, so it is no fact of its own: merges, restores and diffs know only rows. What a file says of its
layout, ``LaidBy``, is true of each of its rows for good. A file that says nothing may hold any rows.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from lakeui.common.errors import InvalidValue, NotSupported

YEARS, MONTHS, DAYS, HOURS, BUCKET, TRUNCATE = "years", "months", "days", "hours", "bucket", "truncate"
SPOKEN = {
    "year": YEARS,
    "years": YEARS,
    "month": MONTHS,
    "months": MONTHS,
    "day": DAYS,
    "days": DAYS,
    "date": DAYS,
    "hour": HOURS,
    "hours": HOURS,
    "date_hour": HOURS,
    "bucket": BUCKET,
    "truncate": TRUNCATE,
}
"""What statements write, and which transform it is."""
ORDERED = "ordered"
"""No transform: it says that rows were put into the file in the order of columns, of which ``number`` is the place."""
WITH_NUMBER = frozenset({BUCKET, TRUNCATE})
LARGEST_NUMBER = 2**31 - 1
LONGEST_DECIMAL = 18
"""More digits are in no whole number of Spark, of whose bytes a bucket is made."""

_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_WHOLE = frozenset(_BITS)
_TEXTS = frozenset({"string", "varchar", "char"})
_MOMENTS = frozenset({"timestamp", "timestamp_ntz"})
_TAKES = {
    **dict.fromkeys((YEARS, MONTHS, DAYS), _MOMENTS | {"date"}),
    HOURS: _MOMENTS,
    BUCKET: _WHOLE | _TEXTS | _MOMENTS | {"date", "decimal", "binary"},
    TRUNCATE: _WHOLE | _TEXTS | {"decimal"},
}
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_HOUR, _DAY = 3_600_000_000, 86_400_000_000


@dataclass(frozen=True, slots=True, order=True)
class Transform:
    """``number``: of buckets, or the width; 0 for others. ``column_id``: of the column that it reads."""

    name: str
    number: int
    column_id: int

    @property
    def text(self) -> str:
        """As Iceberg's metadata writes it."""
        return f"{self.name}[{self.number}]" if self.name in WITH_NUMBER else self.name.removesuffix("s")

    def shown(self, column: str) -> str:
        """As statements write it."""
        return f"{self.name}({self.number}, {column})" if self.name in WITH_NUMBER else f"{self.name}({column})"


@dataclass(frozen=True, slots=True)
class LaidBy:
    """The value that a transform has for each row of a file. ``type``: of the column when the file was written.
    ``value``: a whole number, or text of what was truncated; None where the column is NULL.
    """

    transform: Transform
    type: str
    value: int | str | None

    def as_json(self) -> list[Any]:
        one = self.transform
        return [one.name, one.number, one.column_id, self.type, self.value]

    @classmethod
    def from_json(cls, given: list[Any]) -> LaidBy:
        name, number, column_id, kind, value = given
        return cls(Transform(name, number, column_id), kind, value)

    def holds_for(self, column_type: str) -> bool:
        """Whether it says the same of the column since that has this, perhaps wider, type. Only a bucket changes: that
        of a day is not that of its first moment.
        """
        return is_taken(self.transform.name, column_type) and (
            self.transform.name != BUCKET or (family(self.type) == "date") == (family(column_type) == "date")
        )


FileLayout = tuple[LaidBy, ...]


def family(column_type: str) -> str:
    """A type without its parameters."""
    return re.split(r"[(<\s]", column_type, maxsplit=1)[0]


def is_taken(name: str, column_type: str) -> bool:
    """Whether the transform is defined for columns of the type, and made here."""
    return family(column_type) in _TAKES.get(name, ()) and (
        name != BUCKET or family(column_type) != "decimal" or decimal_parameters(column_type)[0] <= LONGEST_DECIMAL
    )


def decimal_parameters(column_type: str) -> tuple[int, int]:
    """Precision and scale."""
    precision, scale = re.findall(r"\d+", column_type)
    return int(precision), int(scale)


def transform_check(name: str, number: int, column_name: str, column_type: str) -> None:
    """Raise where the transform cannot be, or is not made, of such a column."""
    if name in WITH_NUMBER and not 1 <= number <= LARGEST_NUMBER:
        raise InvalidValue(
            f"{name}({number}, {column_name}): the number is from 1 to {LARGEST_NUMBER}.", remedy="Give another number."
        )
    if is_taken(name, column_type):
        return
    if name == BUCKET and family(column_type) == "decimal":
        raise NotSupported(
            f"bucket of {column_name} is not supported: {column_type} has more than {LONGEST_DECIMAL} digits.",
            remedy="Take a column with fewer digits, or truncate.",
            column=column_name,
        )
    listed = ", ".join(sorted(_TAKES[name])).upper()
    raise InvalidValue(
        f"{name} takes no column of type {column_type}, as {column_name} is.",
        remedy=f"It takes {listed}.",
        column=column_name,
    )


def is_whole(transform: Transform, column_type: str) -> bool:
    """Whether its values are whole numbers; else they are texts."""
    return transform.name != TRUNCATE or family(column_type) in _WHOLE


# -- values -----------------------------------------------------------------------------------------------------------


def transform_value(transform: Transform, column_type: str, value: Any) -> int | str | None:
    """What the transform makes of a value of a column. Times are Python's own, texts of them in ISO 8601, or whole
    numbers as ``plain`` makes them.
    """
    if value is None:
        return None
    known = plain(column_type, value)
    if transform.name == BUCKET:
        return bucket_of(transform.number, bucket_hash(column_type, known))
    if transform.name == TRUNCATE:
        return _truncated(transform.number, column_type, known)
    moment = known * _DAY if family(column_type) == "date" else known
    if transform.name in (DAYS, HOURS):
        return int(moment // (_DAY if transform.name == DAYS else _HOUR))
    year, month = _year_and_month(int(moment // _DAY))
    return year - 1970 if transform.name == YEARS else (year - 1970) * 12 + month - 1


def _year_and_month(days: int) -> tuple[int, int]:
    """Of a day since 1970. In cycles of 400 years, as years lie outside of Python's calendar too."""
    cycles, within = divmod(days, 146_097)
    day = datetime.date(1970, 1, 1) + datetime.timedelta(days=within)
    return day.year + 400 * cycles, day.month


def plain(column_type: str, value: Any) -> Any:
    """Dates as days, times as microseconds since 1970 (in UTC where they have a zone); other values as they are."""
    name = family(column_type)
    if name == "decimal":
        return Decimal(str(value))
    if name not in _MOMENTS | {"date"} or isinstance(value, int):
        return value
    moment = datetime.datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime.datetime):
        return (moment - _EPOCH.date()).days
    since = (moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)) - _EPOCH
    return since.days if name == "date" else since // datetime.timedelta(microseconds=1)


def _truncated(width: int, column_type: str, value: Any) -> int | str:
    if family(column_type) in _TEXTS:
        return str(value)[:width]
    if family(column_type) in _WHOLE:
        found = int(value - value % width)
        if found < -(1 << _BITS[family(column_type)]):
            raise InvalidValue(
                f"truncate({width}) of {value} is below what {column_type.upper()} holds.",
                remedy="Leave the row out, or give the column a wider type.",
            )
        return found
    scale = decimal_parameters(column_type)[1]
    unscaled = unscaled_of(value, scale)
    return scaled(unscaled - unscaled % width, scale)


def unscaled_of(value: Decimal, scale: int) -> int:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    whole = int("".join(map(str, digits)))
    shift = exponent + scale
    found: int = whole * 10**shift if shift >= 0 else whole // 10**-shift
    return -found if sign else found


def scaled(unscaled: int, scale: int) -> str:
    """A decimal as Spark writes it."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if unscaled < 0 else text


def bucket_of(count: int, hashed: int) -> int:
    return (hashed & 0x7FFFFFFF) % count


def bucket_hash(column_type: str, value: Any) -> int:
    """Iceberg's 32 bits of a value that is as ``plain`` makes it."""
    return murmur3(_BYTES.get(family(column_type), _whole_bytes)(column_type, value))


def _whole_bytes(_: str, value: Any) -> bytes:
    return int(value).to_bytes(8, "little", signed=True)


def _text_bytes(_: str, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _decimal_bytes(column_type: str, value: Any) -> bytes:
    number = unscaled_of(value, decimal_parameters(column_type)[1])
    return number.to_bytes(((number if number >= 0 else ~number).bit_length() // 8) + 1, "big", signed=True)


_BYTES: dict[str, Callable[[str, Any], bytes]] = {
    **dict.fromkeys((*_TEXTS, "binary"), _text_bytes),
    "decimal": _decimal_bytes,
}

_ALL = 0xFFFFFFFF


def murmur3(given: bytes) -> int:
    """Murmur3, 32 bits, seed 0."""
    found = 0
    tail = len(given) - len(given) % 4
    for at in range(0, tail, 4):
        found ^= _mixed(int.from_bytes(given[at : at + 4], "little"))
        found = (_rotated(found, 13) * 5 + 0xE6546B64) & _ALL
    if tail < len(given):
        found ^= _mixed(int.from_bytes(given[tail:], "little"))
    found ^= len(given)
    found = (found ^ (found >> 16)) * 0x85EBCA6B & _ALL
    found = (found ^ (found >> 13)) * 0xC2B2AE35 & _ALL
    return found ^ (found >> 16)


def _mixed(word: int) -> int:
    return _rotated(word * 0xCC9E2D51 & _ALL, 15) * 0x1B873593 & _ALL


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & _ALL
