"""Values of the configuration that stand beside those of a column: as SQL, and as statistics of files compare them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation, localcontext

from catalog_app.pruning.constants import Constant, date_of, microseconds

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""What the partition of rows without a value is called, as in folders of Hive and Spark."""
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value of a column's type. ``constant`` is None for types whose bounds nothing is compared with."""

    sql: str
    constant: Constant | None = None


def literal(text: str, kind: str) -> Literal | None:
    """The value that ``text`` is in a column of that Spark type; None where it is none."""
    family = kind.partition("(")[0]
    read = _READERS.get(family)
    if read is None:
        return None
    try:
        return read(text.strip() if family != "string" else text, kind)
    except (ValueError, InvalidOperation):
        return None


def partition_literal(text: str, kind: str) -> Literal | None:
    """The same for a partition, of which there is one without a value."""
    return Literal(f"CAST(NULL AS {kind})") if text == NULL_PARTITION else literal(text, kind)


def _whole(text: str, kind: str) -> Literal | None:
    value = int(text)
    most = 1 << (_BITS[kind] - 1)
    return Literal(f"CAST({value} AS {kind})", Constant.of(kind, value)) if -most <= value < most else None


def _decimal(text: str, kind: str) -> Literal | None:
    found = _DECIMAL.fullmatch(kind)
    value = Decimal(text)
    if found is None or not value.is_finite():
        return None
    precision, scale = int(found[1]), int(found[2])
    with localcontext(Context(prec=80)):
        fits = value == round(value, scale) and abs(value) < Decimal(10) ** (precision - scale)
    return Literal(f"CAST('{value:f}' AS {kind})", Constant.of(kind, value)) if fits else None


def _real(text: str, kind: str) -> Literal:
    return Literal(f"CAST('{float(text)!r}' AS {kind})")


def _flag(text: str, _: str) -> Literal | None:
    return Literal(text.lower()) if text.lower() in ("true", "false") else None


def _date(text: str, _: str) -> Literal:
    day = date.fromisoformat(text).isoformat()
    return Literal(f"DATE '{day}'", Constant.of("date", date_of(day)))


def _moment(text: str, _: str) -> Literal:
    value = datetime.fromisoformat(text)
    moment = (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return Literal(f"TIMESTAMP '{moment}'", Constant.of("timestamp", microseconds(value)))


def _local_moment(text: str, _: str) -> Literal | None:
    value = datetime.fromisoformat(text)
    known = Constant.of("timestamp_ntz", microseconds(value))
    return None if value.tzinfo else Literal(f"TIMESTAMP_NTZ '{value.isoformat()}'", known)


def text_literal(text: str) -> str:
    """A text in quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _text(text: str, _: str) -> Literal:
    return Literal(text_literal(text), Constant.of("string", text))


_READERS: dict[str, Callable[[str, str], Literal | None]] = {
    **dict.fromkeys(_BITS, _whole),
    **dict.fromkeys(("float", "double"), _real),
    "decimal": _decimal,
    "boolean": _flag,
    "date": _date,
    "timestamp": _moment,
    "timestamp_ntz": _local_moment,
    "string": _text,
}
