"""How Spark compares values under ANSI, written down a second time: by rows, without bounds and without the pruner.

Types and casts are those that Spark's analysed plans show for ``column = literal``. Values of times are microseconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
REAL = ("float", "double")
TIME = ("date", "timestamp", "timestamp_ntz")


class Unknown(Exception):
    """Spark refuses the comparison, or reads a text in a way that is not written down here."""


@dataclass(frozen=True)
class Written:
    """A literal: its SQL, its type and its value."""

    sql: str
    type: str
    value: Any


def base(kind: str) -> str:
    return kind.partition("(")[0]


def is_number(kind: str) -> bool:
    return base(kind) in (*WHOLE, *REAL, "decimal")


def common(column: str, other: str) -> str:
    one, two = base(column), base(other)
    if one == "char":
        one = "string"
    if one == two or (one in WHOLE and two in WHOLE):
        return one if one not in WHOLE else "exact"
    if "string" in (one, two):
        kind = two if one == "string" else one
        return {**dict.fromkeys(WHOLE, "bigint"), **dict.fromkeys((*REAL, "decimal"), "double")}.get(kind, kind)
    if is_number(one) and is_number(two):
        return "double" if one in REAL or two in REAL else "exact"
    if one in TIME and two in TIME:
        return "time"
    raise Unknown


def cast(value: Any, kind: str, goal: str) -> Any:
    if isinstance(value, str) and goal not in ("string", "char"):
        return text_as(value, goal)
    if goal == "double":
        return float(value) if isinstance(value, float) else float(Fraction(value))
    return value


def text_as(text: str, goal: str) -> Any:
    if goal == "bigint" and re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    if goal == "double" and re.fullmatch(r"-?\d{1,40}(\.\d{1,40})?", text):
        return float(text)
    if goal in TIME and (found := re.fullmatch(r"(\d{4})-(\d\d?)-(\d\d?)( \d\d:\d\d:\d\d(\.\d{6})?)?", text)):
        if goal == "date" and found[4]:
            raise Unknown
        clock = (found[4] or " 00:00:00").strip()
        clock += "" if "." in clock else ".000000"
        day = f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
        since = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    raise Unknown


def order(value: Any) -> Any:
    """A key by which values sort as in Spark: NaN above all, both zeros one, texts by their bytes."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def truth(column: str, value: Any, sign: str, literal: Written, *, is_between: bool = False) -> bool | None:
    """``value sign literal``, None for NULL."""
    goal = common(column, literal.type)
    if value is None:
        return None
    one, two = cast(value, column, goal), cast(literal.value, literal.type, goal)
    if base(column) == "char" and not is_between:
        width = max(len(one), len(two))
        one, two = one.ljust(width), two.ljust(width)
    return SIGNS[sign](order(one), order(two))


SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def as_decimal(text: str, precision: int, scale: int) -> Written:
    return Written(f"CAST('{text}' AS DECIMAL({precision},{scale}))", f"decimal({precision},{scale})", Decimal(text))
