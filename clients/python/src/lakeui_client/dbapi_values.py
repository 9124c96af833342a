"""JSON values of a result as the Python values of DB-API 2.0."""

from __future__ import annotations

import base64
import datetime
import decimal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def rows_read(columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows of JSON values as Python's."""
    readers = [_reader(kind) for _, kind in columns]
    return (
        tuple(None if value is None else read(value) for read, value in zip(readers, row, strict=True)) for row in rows
    )


def _reader(kind: str) -> Callable[[Any], Any]:
    """What makes a Python value of a JSON value of that Spark type."""
    name = kind.lower()
    if name.startswith("decimal"):
        return decimal.Decimal
    if name in ("float", "double"):
        return float
    if name.startswith("timestamp"):
        return _moment
    if name == "binary":
        return base64.b64decode
    return _date if name == "date" else _same


def _same(value: Any) -> Any:
    return value


def _moment(text: str) -> datetime.datetime | str:
    """A time; a text where Python's calendar has no such year."""
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


def _date(text: str) -> datetime.date | str:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return text
