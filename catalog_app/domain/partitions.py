"""Values of partition columns, which are kept as texts (Spark's cast to string), as bounds of their column."""

from __future__ import annotations

from typing import Any

from catalog_app.domain.files import ColumnStatistics

_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})
_AS_THEY_ARE = frozenset({"string", "varchar", "char", "date", "decimal"})


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
