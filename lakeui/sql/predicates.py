"""Terms of a condition that file statistics can answer, and the question whether a file may hold matching rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol

Scalar = bool | int | float | Decimal | str


@dataclass(frozen=True, slots=True)
class Term:
    """``column operator values``; a condition implies each of its terms. ``column`` is the bare name as written.

    ``operator`` is one of ``= < <= > >= in isnull isnotnull``; ``values`` is one value, several for ``in``, none for
    the tests on null. Whole numbers are int, other exact numbers Decimal, doubles float, dates and timestamps text.
    """

    column: str
    operator: str
    values: tuple[Scalar, ...] = ()


class Bounds(Protocol):
    """What a file knows of one column; see ``ColumnStatistics``."""

    @property
    def minimum(self) -> Any: ...

    @property
    def maximum(self) -> Any: ...

    @property
    def nulls(self) -> int: ...


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?")
# A literal without zone is in the session's zone, bounds are in UTC: beyond two days no zone makes a difference.
_ZONE_SLACK = timedelta(days=2)


def may_match(
    terms: Iterable[Term],
    statistics: Mapping[str, Bounds],
    rows: int,
    *,
    types: Mapping[str, str] | None = None,
) -> bool:
    """Whether a file with these statistics (by column name, any case) can hold a row for which all terms are true.

    Conservative: whatever cannot be compared keeps the file. ``types`` by column name lets decimals be compared.
    """
    by_name = {name.casefold(): bounds for name, bounds in statistics.items()}
    known_types = {name.casefold(): text for name, text in (types or {}).items()}
    return all(
        _term_may_match(term, by_name.get(term.column.casefold()), rows, known_types.get(term.column.casefold(), ""))
        for term in terms
    )


def _term_may_match(term: Term, bounds: Bounds | None, rows: int, type_text: str) -> bool:
    if bounds is None:
        return True
    if term.operator == "isnull":
        return bounds.nulls > 0
    if rows > 0 and bounds.nulls >= rows:
        return False
    if term.operator == "isnotnull" or bounds.minimum is None or bounds.maximum is None:
        return True
    return any(
        _value_may_match(term.operator, value, bounds.minimum, bounds.maximum, type_text) for value in term.values
    )


def _value_may_match(operator: str, value: Scalar, minimum: Any, maximum: Any, type_text: str) -> bool:
    """Whether some value between the bounds can stand to this value as the operator says."""
    # NaN is greater than every number and is in no bound of a file.
    if operator in (">", ">=") and isinstance(maximum, float):
        return True
    if operator in ("<", "<="):
        return not _surely_less(value, minimum, type_text, or_equal=operator == "<")
    if operator in (">", ">="):
        return not _surely_less(maximum, value, type_text, or_equal=operator == ">")
    return not (_surely_less(value, minimum, type_text) or _surely_less(maximum, value, type_text))


def _surely_less(left: Any, right: Any, type_text: str, *, or_equal: bool = False) -> bool:
    """Whether left < right (or equal) however the engine reads the two; False where they are not comparable."""
    if isinstance(left, bool) or isinstance(right, bool):
        same_kind = isinstance(left, bool) and isinstance(right, bool)
        return same_kind and _in_order(left, right, or_equal)
    if isinstance(left, str) and isinstance(right, str):
        if type_text.startswith("decimal"):
            return False
        return _texts_in_order(left, right, or_equal)
    if type_text.startswith("decimal"):
        left, right = _as_decimal(left), _as_decimal(right)
    if not (isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal)):
        return False
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    return _in_order(left, right, or_equal)


def _as_decimal(value: Any) -> Any:
    return Decimal(value) if isinstance(value, str | int) else value


def _in_order(left: Any, right: Any, or_equal: bool) -> bool:
    return bool(left <= right) if or_equal else bool(left < right)


def _texts_in_order(left: str, right: str, or_equal: bool) -> bool:
    """Text by code point (the engine's order); what looks like a date or a moment only where both readings agree."""
    looks_like_time = [bool(_DATE.match(text)) for text in (left, right)]
    if not any(looks_like_time):
        return _in_order(left, right, or_equal)
    if _DATE.fullmatch(left) and _DATE.fullmatch(right):
        return _in_order(left, right, or_equal)
    earlier, later = _moment(left), _moment(right)
    return earlier is not None and later is not None and later - earlier > _ZONE_SLACK


def _moment(text: str) -> datetime | None:
    if not _MOMENT.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
