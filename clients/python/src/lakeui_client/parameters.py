"""Values of a statement's markers as they are sent."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Mapping, Sequence
from typing import Any

from lakeui_client.errors import failed

_ODD_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def parameters_sent(parameters: Sequence[Any] | Mapping[str, Any]) -> Any:
    """The parameters of a statement as JSON has them."""
    if isinstance(parameters, Mapping):
        return {name: value_sent(value) for name, value in parameters.items()}
    return [value_sent(value) for value in parameters]


def value_sent(value: Any) -> Any:
    """A Python value as JSON has it, with its type where JSON has none."""
    match value:
        case datetime.datetime():
            kind = "timestamp" if value.tzinfo else "timestamp_ntz"
            return {"value": value.isoformat(sep=" "), "type": kind}
        case datetime.date():
            return {"value": value.isoformat(), "type": "date"}
        case decimal.Decimal():
            return {"value": format(value, "f"), "type": _decimal_type(value)}
        case float() if str(value) in _ODD_FLOATS:
            return {"value": _ODD_FLOATS[str(value)], "type": "double"}
        case None | bool() | int() | float() | str():
            return value
    raise failed(
        f"A {type(value).__name__} cannot be a parameter.",
        "Send a text, a number, a date or a time; of bytes unhex(?).",
    )


def _decimal_type(value: Any) -> str:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise failed(f"{value} is no DECIMAL.", "Send a float for NaN and infinities.")
    scale = max(0, -exponent)
    return f"decimal({max(len(digits) + max(0, exponent), scale, 1)},{scale})"
