"""Answers of both sides as one form, and what differs between two.

Rows of the peer come through Arrow as whole numbers and bytes, so that no calendar and no encoding of Python's, and no
code of the product, takes part in what is expected.
"""

from __future__ import annotations

import base64
import decimal
import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

_DAY = 86_400_000_000
_MINUS_ZERO = re.compile(r"(?<=[\[ ])-0\.0(?=[\],}])")


@dataclass(frozen=True, slots=True)
class Rows:
    """A multiset of rows; ``columns`` are (name, type text)."""

    columns: tuple[tuple[str, str], ...]
    rows: Counter[str]

    def with_one_zero(self) -> Rows:
        """The rows with 0.0 for -0.0, which equals it."""
        rows: Counter[str] = Counter()
        for row, count in self.rows.items():
            rows[_MINUS_ZERO.sub("0.0", row)] += count
        return Rows(self.columns, rows)

    def only(self, number: int) -> Rows:
        """The rows that begin with this number."""
        mark = f"[{number}, "
        return Rows(self.columns, Counter({row: n for row, n in self.rows.items() if row.startswith(mark)}))


@dataclass(frozen=True, slots=True)
class Refused:
    """``code`` of the product, or error class of Spark; ``is_failure`` where it is no refusal but a fault."""

    code: str
    message: str
    is_failure: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A change that was made, its result compared elsewhere."""


Answer = Rows | Refused | Done


def rows_of(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> Rows:
    return Rows(tuple(columns), Counter(repr([_sorted(value) for value in row]) for row in rows))


def _sorted(value: Any) -> Any:
    """JSON objects have no order."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def difference(ours: Answer, theirs: Answer) -> str | None:
    """What differs, in words; None where the two agree."""
    if isinstance(ours, Refused) and ours.is_failure:
        return f"lakeui fails: {ours.code} {ours.message}"
    if isinstance(ours, Refused) and isinstance(theirs, Refused):
        return None
    if isinstance(ours, Refused):
        return f"lakeui refuses: {ours.code} {ours.message}\n  Spark: {_shown(theirs)}"
    if isinstance(theirs, Refused):
        return f"Spark refuses: {theirs.code} {theirs.message}\n  lakeui: {_shown(ours)}"
    if isinstance(ours, Rows) and isinstance(theirs, Rows):
        if ours.columns != theirs.columns:
            return f"columns differ: lakeui {ours.columns}\n  Spark: {theirs.columns}"
        if ours.rows != theirs.rows:
            here, there = ours.rows - theirs.rows, theirs.rows - ours.rows
            return f"rows of lakeui alone: {_some(here)}\n  of Spark alone: {_some(there)}"
    return None


def _shown(answer: Answer) -> str:
    return _some(answer.rows) if isinstance(answer, Rows) else "accepts"


def _some(rows: Counter[str]) -> str:
    shown = [text if len(text) < 300 else text[:300] + " ..." for text in list(rows.elements())[:6]]
    return f"{rows.total()} rows " + " ".join(shown)


# -- what Arrow holds, as the values that the product's interface promises ----------------------------------


def arrow_rows(table: pa.Table) -> list[list[Any]]:
    columns = [[value for chunk in column.chunks for value in values_of(chunk)] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def values_of(array: pa.Array) -> list[Any]:
    """The values of an array: numbers, texts, lists and dictionaries."""
    present = array.is_valid().to_pylist()
    return [value if valid else None for value, valid in zip(_present(array), present, strict=True)]


def _present(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_struct(kind):
        # Values under a NULL struct may be anything; the caller leaves them out.
        fields = [values_of(array.field(index)) for index in range(kind.num_fields)]
        names = [kind.field(index).name for index in range(kind.num_fields)]
        return [dict(zip(names, values, strict=True)) for values in zip(*fields, strict=True)]
    if pa.types.is_map(kind):
        pairs = list(zip(map(_key, values_of(array.keys)), values_of(array.items), strict=True))
        return [dict(items) for items in _slices(array, pairs)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _slices(array, values_of(array.values))
    return _scalars(array)


def _slices(array: pa.Array, values: list[Any]) -> list[list[Any]]:
    ends = array.offsets.to_pylist()
    return [values[begin:end] for begin, end in itertools.pairwise(ends)]


def _key(value: Any) -> str:
    return str(value)


def _scalars(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_date(kind):
        return [None if days is None else day_text(days) for days in array.cast(pa.int32()).to_pylist()]
    if pa.types.is_timestamp(kind):
        zone = "" if kind.tz is None else "Z"
        return [None if n is None else _moment_text(n) + zone for n in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        blobs = array.cast(pa.large_binary()).to_pylist()
        return [None if blob is None else blob.decode(errors="replace") for blob in blobs]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [None if blob is None else base64.b64encode(blob).decode() for blob in array.to_pylist()]
    return [_plain(value) for value in array.to_pylist()]


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return format(value, "f") if isinstance(value, decimal.Decimal) else value


def _moment_text(microseconds: int) -> str:
    days, rest = divmod(microseconds, _DAY)
    seconds, fraction = divmod(rest, 1_000_000)
    minutes, second = divmod(seconds, 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return f"{day_text(days)}T{clock}" + (f".{fraction:06}" if fraction else "")


def day_text(days: int) -> str:
    """The day so many days after 1970-01-01 in ISO 8601, of any year (Hinnant, days_from_civil turned round)."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * from_march + 2) // 5 + 1
    month = from_march + 3 if from_march < 10 else from_march - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"
