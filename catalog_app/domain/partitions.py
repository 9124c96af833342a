"""Values of partition columns, which are kept as texts (Spark's cast to string), as bounds of their column."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from catalog_app.domain.files import ColumnStatistics

_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})
_AS_THEY_ARE = frozenset({"string", "varchar", "char", "date", "decimal"})
_WHOLE_TEXT = re.compile(r"0|-?[1-9][0-9]{0,8}")
_DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FITS = {"tinyint": 2**7, "smallint": 2**15}


def partition_bounds(column_type: str, text: str | None, rows: int) -> ColumnStatistics | None:
    """Statistics of a column that has one value in all rows; None where its text does not say the bound."""
    if text is None:
        return ColumnStatistics(None, None, rows)
    value = _bound(column_type.partition("(")[0], text)
    return None if value is None else ColumnStatistics(value, value, 0)


def _bound(family: str, text: str) -> Any:
    if family in _WHOLE:
        return int(text)
    if family == "boolean":
        return text == "true"
    return text if family in _AS_THEY_ARE else None


def is_partition_text(column_type: str, text: str) -> bool:
    """Whether a text is surely the one by which partitions keep this value; False where only a cast can tell."""
    family, _, length = column_type.removesuffix(")").partition("(")
    if family in _WHOLE:
        return bool(_WHOLE_TEXT.fullmatch(text)) and -_FITS.get(family, 2**31) <= int(text) < _FITS.get(family, 2**31)
    if family == "date":
        return _is_date(text)
    if family == "boolean":
        return text in ("true", "false")
    if family == "char":
        return len(text) == int(length)
    return family == "string" or (family == "varchar" and len(text) <= int(length))


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE_TEXT.fullmatch(text)) and date.fromisoformat(text) is not None
    except ValueError:
        return False
