"""Which values a type can have: why a column cannot take another type."""

from __future__ import annotations

from catalog_app.domain.types import ParsedType, value_type, widens
from lakeui.common.errors import LakeError, NotSupported, TypeNarrowing

_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_WHOLE_DIGITS = {"float": 7, "double": 15}
"""Every whole number of so many decimal digits is a value of the type."""


def holds_all(narrow: str, wide: str) -> bool:
    """Whether every number or text of ``narrow`` is a value of ``wide``, without a change of digits."""
    first, second = value_type(narrow), value_type(wide)
    if widens(narrow, wide):
        return True
    if second.name == "decimal":
        (whole, fraction), (most, finest) = _decimal_digits(first), _decimal_digits(second)
        return whole + fraction > 0 and whole <= most and fraction <= finest
    if second.name in _WHOLE_DIGITS:
        return 0 < _DIGITS.get(first.name, 0) <= _WHOLE_DIGITS[second.name]
    return first.name == "char" and (second.name == "string" or _is_long_enough(first, second))


def change_refused(label: str, narrow: str, wide: str, *, column: str) -> LakeError:
    """The error for a column that is of one type and cannot become one of the other."""
    if holds_all(narrow, wide):
        return NotSupported(
            f"{label} is {narrow}; a change to {wide} is not supported, though all values fit.",
            remedy="Add a column of the new type and fill it by UPDATE.",
            column=column,
        )
    return TypeNarrowing(
        f"{label} is {narrow}; {wide} cannot hold all of its values.",
        remedy="Choose a wider type, or add a new column.",
        column=column,
    )


def _decimal_digits(kind: ParsedType) -> tuple[int, int]:
    """Digits before and behind the point; none of a type that is no exact number."""
    if kind.name == "decimal":
        precision, scale = kind.parameters
        return precision - scale, scale
    return _DIGITS.get(kind.name, 0), 0


def _is_long_enough(first: ParsedType, second: ParsedType) -> bool:
    return second.name in ("char", "varchar") and first.parameters[0] <= second.parameters[0]
