"""How Spark compares a column with a value of some type under ANSI, as far as bounds of the column answer for it.

Where both sides are cast to a common type, the cast of the column keeps the order of its values: so its bounds can be
cast alike. Where that is not so (a text column beside a number or a date is read row by row) nothing is known.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Callable
from decimal import Decimal
from enum import Enum, auto
from typing import Any

from catalog_app.pruning.constants import DAY, date_of, double_of, microseconds, moment_of, whole_of

_PRECISIONS = {"tinyint": (3, 0), "smallint": (5, 0), "int": (10, 0), "bigint": (20, 0)}
_TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})
_FLOATS = frozenset({"float", "double"})
_PARAMETERS = re.compile(r"\((\d+)(?:,\s*(\d+))?\)")
MOST_DIGITS = 38


class Domain(Enum):
    """What values are compared as."""

    TRUTH = auto()
    EXACT = auto()
    DOUBLE = auto()
    TEXT = auto()
    PADDED = auto()
    TIME = auto()


def domain_of(column_type: str, other_type: str) -> Domain | None:
    """What a column and a value of these types are compared as; None where bounds of the column say nothing of it."""
    column, other = family(column_type), family(other_type)
    if column == "boolean":
        return Domain.TRUTH if other == "boolean" else None
    if column in ("string", "varchar"):
        return Domain.TEXT if other in ("string", "varchar") else None
    if column == "char":
        return Domain.PADDED if other in ("string", "varchar", "char") else None
    if column in _TIMES:
        return Domain.TIME if other in _TIMES or other == "string" else None
    return _domain_of_numbers(column_type, other_type)


def _domain_of_numbers(column_type: str, other_type: str) -> Domain | None:
    column, other = family(column_type), family(other_type)
    if column in _FLOATS:
        return Domain.DOUBLE if other in _FLOATS or other == "string" or digits(other_type) else None
    if digits(column_type) is None:
        return None
    if other == "string":
        return Domain.EXACT if column in _PRECISIONS else Domain.DOUBLE
    if other in _FLOATS:
        return Domain.DOUBLE
    return Domain.EXACT if _fits_exactly(column_type, other_type) else None


def _fits_exactly(one: str, other: str) -> bool:
    """Whether Spark has a decimal that holds all values of both; else it rounds the column's."""
    first, second = digits(one), digits(other)
    if first is None or second is None:
        return False
    return max(first[0] - first[1], second[0] - second[1]) + max(first[1], second[1]) <= MOST_DIGITS


def family(type_text: str) -> str:
    """A type without its parameters."""
    return re.split(r"[(<\s]", type_text.strip().lower(), maxsplit=1)[0]


def digits(type_text: str) -> tuple[int, int] | None:
    """Precision and scale of exact numbers; None for other types."""
    name = family(type_text)
    if name != "decimal":
        return _PRECISIONS.get(name)
    found = _PARAMETERS.search(type_text)
    return (int(found[1]), int(found[2] or 0)) if found else None


def length_of(type_text: str) -> int:
    """The length of ``char(n)``."""
    found = _PARAMETERS.search(type_text)
    return int(found[1]) if found else 0


def value_in(domain: Domain, column_type: str, value: Any) -> Any:
    """A value as the domain compares it with the column; None where that is not known."""
    try:
        return _READERS[domain](column_type, value)
    except (ValueError, OverflowError, ArithmeticError):
        return None


def _as_truth(_column: str, value: Any) -> Any:
    return value if isinstance(value, bool) else None


def _as_exact(_column: str, value: Any) -> Any:
    if isinstance(value, str):
        return whole_of(value)
    return value if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def _as_double(_column: str, value: Any) -> Any:
    found = double_of(value) if isinstance(value, str) else float(value)
    return None if found is None or math.isnan(found) else found


def _as_text(_column: str, value: Any) -> Any:
    return value if isinstance(value, str) and _is_well_formed(value) else None


def _as_padded(column: str, value: Any) -> Any:
    """As the column stores it: the shorter side is padded, so that blanks at the end make no difference."""
    bare = value.rstrip(" ")
    length = length_of(column)
    return bare.ljust(length) if len(bare) <= length and _is_well_formed(value) else None


def _as_time(column: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return date_of(value) if family(column) == "date" else moment_of(value, may_have_zone=column == "timestamp")


def _is_well_formed(text: str) -> bool:
    """Whether it has UTF-8 bytes, by which texts are ordered: as their code points are, but for halves of pairs."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


_READERS: dict[Domain, Callable[[str, Any], Any]] = {
    Domain.TRUTH: _as_truth,
    Domain.EXACT: _as_exact,
    Domain.DOUBLE: _as_double,
    Domain.TEXT: _as_text,
    Domain.PADDED: _as_padded,
    Domain.TIME: _as_time,
}


def bound_reader(domain: Domain, column_type: str) -> Callable[[Any], Any]:
    """How a bound of the column's statistics (a JSON scalar) becomes what the domain compares, or None."""
    name = family(column_type)
    read = _STORED.get(name)

    def value(bound: Any) -> Any:
        if read is None or bound is None or isinstance(bound, bool) != (name == "boolean"):
            return None
        try:
            found = read(bound)
            return float(found) if domain is Domain.DOUBLE and found is not None else found
        except (ValueError, ArithmeticError, TypeError):
            return None

    return value


def stored_value(domain: Domain, column_type: str, value: Any) -> Any:
    """The only value of the column that is equal to one that the domain compares, in the form of
    ``catalog_app.domain.transforms.plain``; None where that is not known.
    """
    name = family(column_type)
    if domain is Domain.TEXT:
        return value
    if domain is Domain.TIME:
        return (value // DAY if value % DAY == 0 else None) if name == "date" else value
    if domain is not Domain.EXACT or value != (exact := _rounded(value, digits(column_type) or (0, 0))):
        return None
    return exact if name == "decimal" else int(exact)


def _rounded(value: int | Decimal, of: tuple[int, int]) -> Decimal:
    """A number with the digits of a column; another number where it has more."""
    with decimal.localcontext(decimal.Context(prec=80)):
        return Decimal(value).quantize(Decimal(1).scaleb(-of[1]))


def may_hold_nan(column_type: str) -> bool:
    """Whether values may be above all that are known: NaN is, and is in no bound of a file."""
    return family(column_type) in _FLOATS


def _stored_whole(bound: Any) -> Any:
    return bound if isinstance(bound, int) else None


def _stored_real(bound: Any) -> Any:
    value = float(bound) if isinstance(bound, int | float) else None
    return None if value is None or math.isnan(value) else value


def _stored_text(bound: Any) -> Any:
    return bound if isinstance(bound, str) else None


def _stored_time(bound: Any) -> Any:
    return microseconds(datetime.datetime.fromisoformat(bound)) if isinstance(bound, str) else None


_STORED: dict[str, Callable[[Any], Any]] = {
    "boolean": lambda bound: bound,
    **dict.fromkeys(_PRECISIONS, _stored_whole),
    "decimal": Decimal,
    **dict.fromkeys(_FLOATS, _stored_real),
    **dict.fromkeys(("string", "varchar", "char"), _stored_text),
    **dict.fromkeys(_TIMES, _stored_time),
}
