"""Rows of literals that enter a table as they are: they are written by this process, without a call of Spark.

Only what has one meaning is taken: a literal of the column's own kind that fits without a cast that could round, cut
or refuse. All else is Spark's to read, so that there is one answer to each statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.inputs_outputs import ValuesSource
from catalog_app.engine.targets import Target
from catalog_app.engine.types import arrow_type, is_default
from catalog_app.engine.writing import SMALL_ROWS

_INTEGER = re.compile(r"-?\d{1,18}")
_NUMBER = re.compile(r"-?\d{1,18}|-?\d{1,9}\.\d{1,9}")
_DOUBLE = re.compile(r"CAST\((-?\d{1,9}(?:\.\d{1,9})?) AS DOUBLE\)", re.IGNORECASE)
"""What the grammar makes of 1.5D."""
MOST_DIGITS = 15
"""So many digits are a DOUBLE in one way: digits and power of ten are exact, and one division rounds."""
_TEXT = re.compile(r"'([^'\\]*)'")
_DATE = re.compile(r"DATE\s*'(\d{4}-\d\d-\d\d)'|CAST\('(\d{4}-\d\d-\d\d)' AS DATE\)", re.IGNORECASE)
INTEGER_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
"""By type how many bits the whole numbers have beside the sign."""
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_BOOLEANS = {"true": True, "false": False}

Reader = Callable[[str], Any]
"""The value of a literal. Raises ValueError where only Spark can say."""


def plain_values(target: Target, source: ValuesSource, columns: Sequence[str] | None) -> pa.Table | None:
    """What ``FileWriter.write_arrow`` takes: the rows as the table stores them. ``columns``: those that the rows have
    values for, None for all. None where Spark has to read, cast, compute or refuse something.
    """
    schema = target.schema
    targets = _targets(schema, columns)
    if targets is None or len(source.rows) > SMALL_ROWS or any(len(row) != len(targets) for row in source.rows):
        return None
    if target.partition_texts or any(column.generated for column in schema.columns):
        return None
    places = {column.id: place for place, column in enumerate(targets)}
    found = {}
    for column in schema.columns:
        place = places.get(column.id)
        texts = ["DEFAULT" if place is None else row[place] for row in source.rows]
        values = _values(column, texts)
        if values is None:
            return None
        found[internal_name(column)] = values
    return pa.table(found)


def _targets(schema: Schema, columns: Sequence[str] | None) -> Sequence[Column] | None:
    """The columns of these names; None where a name is unknown or there twice."""
    if columns is None:
        return schema.columns
    found = [column for name in columns if (column := schema.named(name)) is not None]
    return found if len({column.id for column in found}) == len(columns) else None


def _values(column: Column, texts: Sequence[str]) -> pa.Array | None:
    kind = arrow_type(column.type)
    if kind is None:
        return None
    try:
        return pa.array([literal_value(column, text) for text in texts], kind)
    except ValueError:
        return None


def literal_value(column: Column, text: str) -> Any:
    """The value of a literal, or of DEFAULT, as the column stores it. Raises ValueError where only Spark can say."""
    if is_default(text):
        text = column.default or "NULL"
    text = text.strip()
    if text.upper() != "NULL":
        return _reader(column.type)(text)
    if not column.nullable:
        raise ValueError(text)
    return None


def _reader(kind: str) -> Reader:
    if kind in INTEGER_BITS:
        return lambda text: _integer(text, INTEGER_BITS[kind])
    if found := _DECIMAL.fullmatch(kind):
        return lambda text: _decimal(text, int(found[1]), int(found[2]))
    return _READERS.get(kind, _refuse)


def _integer(text: str, bits: int) -> int:
    _matched(_INTEGER, text)
    value = int(text)
    if not -(1 << bits) <= value < 1 << bits:
        raise ValueError(text)
    return value


def _decimal(text: str, precision: int, scale: int) -> Decimal:
    """The number, which has no more digits on either side of the point than the type."""
    _matched(_NUMBER, text)
    value = Decimal(text)
    if len(text.partition(".")[2]) > scale or abs(value) >= 10 ** (precision - scale):
        raise ValueError(text)
    return value


def _double(text: str) -> float:
    """The nearest number. Of a DECIMAL or whole number with few digits Spark's cast is that too."""
    found = _DOUBLE.fullmatch(text)
    number = found[1] if found else _matched(_NUMBER, text)[0]
    value = float(number)
    if sum(map(str.isdigit, number)) > MOST_DIGITS or (value == 0 and number.startswith("-")):
        raise ValueError(text)
    return value


def _text(text: str) -> str:
    return _matched(_TEXT, text)[1]


def _date(text: str) -> date:
    found = _matched(_DATE, text)
    return date.fromisoformat(found[1] or found[2])


def _boolean(text: str) -> bool:
    value = _BOOLEANS.get(text.lower())
    if value is None:
        raise ValueError(text)
    return value


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _matched(form: re.Pattern[str], text: str) -> re.Match[str]:
    found = form.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found


_READERS: dict[str, Reader] = {"double": _double, "string": _text, "date": _date, "boolean": _boolean}
