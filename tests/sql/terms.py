"""Comparisons as tests write them."""

from __future__ import annotations

from decimal import Decimal

from catalog_app.pruning.constants import Constant, decimal_constant, whole_constant
from catalog_app.pruning.predicates import Compared

Value = bool | int | float | Decimal | str | Constant


def term(column: str, operator: str, *values: Value, is_between: bool = False) -> Compared:
    """``column operator values``, each typed as a literal without suffix is."""
    return Compared(column, operator, tuple(map(constant, values)), is_between)


def constant(value: Value) -> Constant:
    match value:
        case Constant():
            return value
        case bool():
            return Constant.of("boolean", value)
        case int():
            return whole_constant(value)
        case Decimal():
            return decimal_constant(value)
        case float():
            return Constant.of("double", value)
    return Constant.of("string", value)
