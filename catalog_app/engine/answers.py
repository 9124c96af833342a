"""Arrow tables as JSON rows: nothing lost, nothing that JSON cannot say."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def json_rows(table: pa.Table) -> list[list[Any]]:
    """Decimals, NaN and infinities as text, dates and timestamps in ISO 8601, binary in Base64."""
    columns = [[_value(item) for item in column.to_pylist()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(table.num_rows)]


def _value(item: Any) -> Any:
    match item:
        case float():
            return item if math.isfinite(item) else str(item)
        case decimal.Decimal():
            return str(item)
        case datetime.datetime() | datetime.date() | datetime.time():
            return item.isoformat()
        case bytes():
            return base64.b64encode(item).decode()
        case dict():
            return {str(key): _value(value) for key, value in item.items()}
        case tuple():
            return [_value(value) for value in item]
        case list():
            return [_value(value) for value in item]
        case _:
            return item
