"""Values of every type that have bounds, awkward ones first, and literals of every type."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tests.pruning.spark_model import WHOLE, Written, as_decimal

DAY = 86_400_000_000
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The ends of the years 1 to 9999."""
TEXTS = ["", " ", "9", "10", "9.5", "9.50", "20", "2024-1-5", "2024-01-05", "2024-01-10", "2024-12-31 10:00:00", "x",
         "x  ", "xyz", "é", "\ue000", "\U0001f600", "\ud7ff", "a" * 63 + "b", "a" * 64 + "b", "z" * 64 + "\U0010ffff",
         "\U0010ffff" * 70, "true", "NaN"]  # fmt: skip


def single(value: float) -> float:
    """The FLOAT nearest to a double."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _whole(bits: int) -> st.SearchStrategy[int]:
    ends = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1]
    some = [n for n in (*ends, 0, 1, -1, 5, 9, 9007199254740993, 9007199254740992) if ends[0] <= n <= ends[1]]
    return st.sampled_from(some) | st.integers(*ends) | st.integers(-20, 20)


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    near = st.integers(-2000, 2000).filter(lambda n: abs(n) <= most)
    return (near | st.integers(-most, most)).map(lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)))


_TIMES = (
    st.sampled_from([0, 1, -1, FIRST, LAST, LAST + 1, FIRST - 1, 1_704_412_800_000_000, 1_704_412_800_000_001])
    | st.integers(FIRST, LAST)
    | st.integers(1_704_412_800_000_000 - 3 * DAY, 1_704_412_800_000_000 + 3 * DAY)
)
_REALS = st.sampled_from([0.0, -0.0, 1.5, 9.5, float("nan"), float("inf"), float("-inf"), 2.0**53, 0.1]) | st.floats()
_LETTERS = st.text("abxz9. -é\ue000\U0001f600", max_size=4)

COLUMNS: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    **{name: _whole(bits) for name, bits in WHOLE.items()},
    "decimal(5,2)": _decimals(5, 2),
    "decimal(38,10)": _decimals(38, 10),
    "decimal(38,0)": _decimals(38, 0),
    "float": _REALS.map(lambda value: single(value) if abs(value) < 3e38 else value),
    "double": _REALS,
    "string": st.sampled_from(TEXTS) | _LETTERS,
    "char(3)": st.text("xyz é", max_size=3).map(lambda text: text.ljust(3)),
    "date": _TIMES.map(lambda value: value // DAY * DAY),
    "timestamp": _TIMES,
    "timestamp_ntz": _TIMES,
}
ARROW: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "decimal(5,2)": pa.decimal128(5, 2),
    "decimal(38,10)": pa.decimal128(38, 10),
    "decimal(38,0)": pa.decimal128(38, 0),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "char(3)": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


def arrow_array(kind: str, values: list[Any]) -> pa.Array:
    if kind == "date":
        days = [None if value is None else value // DAY for value in values]
        return pa.array(days, pa.int32()).cast(pa.date32())
    if kind.startswith("timestamp"):
        return pa.array(values, pa.int64()).cast(ARROW[kind])
    return pa.array(values, ARROW[kind])


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def moment(micros: int) -> str:
    whole, rest = divmod(micros, 1_000_000)
    text = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{text.rjust(19, '0')}.{rest:06}"


_IN_CALENDAR = _TIMES.filter(lambda value: FIRST <= value <= LAST)
LITERALS: st.SearchStrategy[Written] = st.one_of(
    st.booleans().map(lambda value: Written(str(value).lower(), "boolean", value)),
    _whole(8).map(lambda value: Written(f"{value}Y", "tinyint", value)),
    _whole(64).map(lambda value: Written(f"{value}L", "bigint", value)),
    (_whole(32) | st.integers(-20, 20)).map(lambda value: Written(str(value), "int", value)),
    st.integers(10**19, 10**20).map(lambda value: Written(str(value), "decimal(21,0)", value)),
    _decimals(5, 2).map(lambda value: as_decimal(f"{value:f}", 5, 2)),
    _decimals(30, 12).map(lambda value: as_decimal(f"{value:f}", 30, 12)),
    st.floats(-1e6, 1e6).map(lambda value: Written(f"{value:.3f}D", "double", float(f"{value:.3f}"))),
    (st.sampled_from(TEXTS) | _LETTERS).map(lambda text: Written(quoted(text), "string", text)),
    _IN_CALENDAR.map(lambda v: Written(f"DATE '{moment(v)[:10]}'", "date", v // DAY * DAY)),
    _IN_CALENDAR.map(lambda v: Written(f"TIMESTAMP '{moment(v)}'", "timestamp", v)),
    _IN_CALENDAR.map(lambda v: Written(f"TIMESTAMP_NTZ '{moment(v)}'", "timestamp_ntz", v)),
)
