"""Whether numbers keep every digit in the type that they are loaded as, whoever chose it."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.types import parse_type
from lakeui.common.errors import InvalidValue

_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_PLAIN = r"^-?[0-9]+(\.[0-9]+)?$"
_WHOLE_TYPES = ("tinyint", "smallint", "int", "bigint")


def digits_require(values: pa.Array, column: str, type_text: str, *, first_row: int) -> None:
    """Raise InvalidValue for the first number that the type would round. ``values`` are texts or numbers; a text that
    is no number, and a number that is too large, are left to the cast, which refuses them.
    """
    keeps = _keeper(values.type, type_text)
    if keeps is None or not len(values):
        return
    texts = pc.cast(values, pa.string())
    numbers = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False)
    for place in np.flatnonzero(pc.and_(numbers, pc.invert(_plainly_kept(texts, type_text))).to_numpy(False)):
        text = texts[int(place)].as_py().strip()
        if not keeps(text):
            row = first_row + int(place)
            raise InvalidValue(
                f"Row {row:,}: {text} of column {column} would lose digits as {type_text}.",
                remedy="Choose a decimal wide enough, or string; of an existing table change the column's type first.",
                row=row,
                column=column,
            )


def _keeper(kind: pa.DataType, type_text: str) -> Callable[[str], bool] | None:
    """How one number is judged; None where the types alone say that all are kept, or the cast refuses what is not."""
    is_text, is_whole = pa.types.is_string(kind), pa.types.is_integer(kind)
    is_real, is_decimal = pa.types.is_floating(kind), pa.types.is_decimal(kind)
    if not (is_text or is_whole or is_real or is_decimal):
        return None
    parsed = parse_type(type_text)
    match parsed.name:
        case "double":
            return None if is_real else _in_double
        case "float":
            return None if kind == pa.float32() else _in_float
        case "decimal":
            scale = parsed.parameters[1]
            is_kept = is_whole or (is_decimal and kind.scale <= scale)
            return None if is_kept else lambda text: _in_scale(text, scale)
        case name if name in _WHOLE_TYPES:
            return None if is_text or is_whole else lambda text: _in_scale(text, 0)
        case _:
            return None


def _plainly_kept(texts: pa.Array, type_text: str) -> pa.Array:
    """Which of the texts are numbers that surely are kept, for a whole batch at once."""
    short = pc.replace_substring_regex(texts, r"^(-?[0-9]+)\.0*$", r"\1")
    short = pc.replace_substring_regex(short, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    if type_text in ("double", "float"):
        target = pa.float64() if type_text == "double" else pa.float32()
        asked = pc.if_else(pc.match_substring_regex(short, _PLAIN), short, pa.scalar(None, pa.string()))
        back = pc.cast(pc.cast(asked, target), pa.string())
        return pc.fill_null(pc.equal(back, short), False)
    parsed = parse_type(type_text)
    scale = parsed.parameters[1] if parsed.parameters else 0
    pattern = rf"^-?[0-9]+(\.[0-9]{{1,{scale}}})?$" if scale else r"^-?[0-9]+$"
    return pc.fill_null(pc.match_substring_regex(short, pattern), False)


def _in_double(text: str) -> bool:
    return _is_same(text, repr(float(text)))


def _in_float(text: str) -> bool:
    with np.errstate(over="ignore"):
        return _is_same(text, str(np.float32(text)))


def _is_same(text: str, back: str) -> bool:
    return math.isfinite(float(back)) and Decimal(back) == Decimal(text)


def _in_scale(text: str, scale: int) -> bool:
    number = Decimal(text)
    try:
        return number == round(number, scale)
    # More digits than Decimal rounds are more than any type has; the cast says so.
    except InvalidOperation:
        return True
