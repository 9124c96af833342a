"""Values of partition transforms, beside PyIceberg's own; what a transform takes, and what a file says for how long."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyiceberg import transforms as of_target
from pyiceberg import types as kinds

from catalog_app.domain.transforms import (
    LaidBy,
    Transform,
    is_taken,
    murmur3,
    plain,
    transform_check,
    transform_value,
)
from lakeui.common.errors import InvalidValue, LakeError, NotSupported

INT, LONG = st.integers(-(2**31) + 1000, 2**31 - 1), st.integers(-(2**63) + 1000, 2**63 - 1)
TEXT = st.text(max_size=12) | st.sampled_from(["", "é", "日本語", "👩‍🚀x", "a" * 40, "aé👩"])
DATES = st.dates() | st.sampled_from([datetime.date(1969, 12, 31), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)])
NAIVE = st.datetimes() | st.sampled_from(
    [*map(datetime.datetime.fromisoformat, ("1969-12-31T23:59:59.999999", "1970-01-01", "0001-01-01"))]
)
AWARE = st.datetimes(
    min_value=datetime.datetime.fromisoformat("0002-01-01"),
    max_value=datetime.datetime.fromisoformat("9998-01-01"),
    timezones=st.sampled_from([datetime.UTC, datetime.timezone(datetime.timedelta(hours=9, minutes=30))]),
)
DECIMALS = st.decimals(-(10**14), 10**14, places=3)
COLUMNS: dict[str, tuple[Any, Any]] = {
    "int": (kinds.IntegerType(), INT),
    "bigint": (kinds.LongType(), LONG),
    "string": (kinds.StringType(), TEXT.filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text))),
    "binary": (kinds.BinaryType(), st.binary(max_size=12)),
    "date": (kinds.DateType(), DATES),
    "timestamp_ntz": (kinds.TimestampType(), NAIVE),
    "timestamp": (kinds.TimestamptzType(), AWARE),
    "decimal(18,3)": (kinds.DecimalType(18, 3), DECIMALS),
}
TIMES = {"years": of_target.YearTransform, "months": of_target.MonthTransform, "days": of_target.DayTransform}


def in_iceberg(column_type: str, value: Any) -> Any:
    """A value in the form that PyIceberg's transforms take."""
    return plain(column_type, value) if column_type.startswith(("date", "timestamp")) else value


def columns_of(name: str) -> list[str]:
    return [column_type for column_type in COLUMNS if is_taken(name, column_type)]


@given(st.data(), st.sampled_from(columns_of("bucket")), st.sampled_from([1, 2, 7, 16, 1000, 2**31 - 1]))
def test_buckets_are_those_of_iceberg(data: st.DataObject, column_type: str, count: int) -> None:
    kind, values = COLUMNS[column_type]
    value = data.draw(values)
    expected = of_target.BucketTransform(count).transform(kind)(in_iceberg(column_type, value))
    assert transform_value(Transform("bucket", count, 1), column_type, value) == expected


@pytest.mark.parametrize(
    ("column_type", "value", "hashed"),
    [
        ("int", 34, 2017239379),
        ("bigint", 34, 2017239379),
        ("decimal(4,2)", Decimal("14.20"), -500754589),
        ("date", datetime.date(2017, 11, 16), -653330422),
        ("timestamp_ntz", "2017-11-16T22:31:08", -2047944441),
        ("timestamp", "2017-11-16T14:31:08-08:00", -2047944441),
        ("timestamp_ntz", "2017-11-16T22:31:08.000001", -1207196810),
        ("string", "iceberg", 1210000089),
        ("binary", b"\x00\x01\x02\x03", -188683207),
    ],
)
def test_hashes_are_the_examples_of_the_specification(column_type: str, value: Any, hashed: int) -> None:
    """Its Appendix B."""
    count = 2**31 - 1
    assert transform_value(Transform("bucket", count, 1), column_type, value) == (hashed & 0x7FFFFFFF) % count


@given(st.binary(max_size=40))
def test_murmur3_is_that_of_the_library_pyiceberg_uses(value: bytes) -> None:
    import mmh3

    assert murmur3(value) == mmh3.hash(value, signed=False)


@given(st.data(), st.sampled_from(columns_of("days")), st.sampled_from(sorted(TIMES)))
def test_years_months_and_days_are_those_of_iceberg(data: st.DataObject, column_type: str, name: str) -> None:
    kind, values = COLUMNS[column_type]
    value = data.draw(values)
    expected = TIMES[name]().transform(kind)(in_iceberg(column_type, value))
    assert transform_value(Transform(name, 0, 1), column_type, value) == expected


@given(st.data(), st.sampled_from(columns_of("hours")))
def test_hours_are_those_of_iceberg(data: st.DataObject, column_type: str) -> None:
    kind, values = COLUMNS[column_type]
    value = data.draw(values)
    expected = of_target.HourTransform().transform(kind)(in_iceberg(column_type, value))
    assert transform_value(Transform("hours", 0, 1), column_type, value) == expected


@given(st.data(), st.sampled_from(columns_of("truncate")), st.sampled_from([1, 2, 3, 10, 999]))
def test_truncated_values_are_those_of_iceberg(data: st.DataObject, column_type: str, width: int) -> None:
    kind, values = COLUMNS[column_type]
    value = data.draw(values)
    expected = of_target.TruncateTransform(width).transform(kind)(value)
    found = transform_value(Transform("truncate", width, 1), column_type, value)
    assert (Decimal(str(found)) if column_type.startswith("decimal") else found) == expected


@given(st.integers(-(2**31), 2**31 - 1), st.integers(1, 2**31 - 1))
@example(-(2**31), 10)
def test_truncate_result_outside_its_type_is_refused(value: int, width: int) -> None:
    """PyIceberg leaves INT there, Java's Iceberg wraps around; neither is a value of the column."""
    of_int: Any = of_target.TruncateTransform(width).transform(kinds.IntegerType())
    try:
        found = transform_value(Transform("truncate", width, 1), "int", value)
    except InvalidValue:
        assert value - value % width < -(2**31)
    else:
        assert found == of_int(value)
        assert -(2**31) <= int(found or 0) < 2**31


def test_nothing_has_no_value_of_its_own() -> None:
    for name in ("years", "months", "days", "hours", "bucket", "truncate"):
        assert transform_value(Transform(name, 4, 1), "timestamp", None) is None


@pytest.mark.parametrize("days", [-800_000_000, -146_098, -1, 0, 400 * 365, 900_000_000])
def test_years_outside_of_the_calendar_are_counted(days: int) -> None:
    """By way of the same day within the calendar, whole cycles of 400 years away."""
    cycles = days // 146_097
    near = transform_value(Transform("months", 0, 1), "date", days - cycles * 146_097)
    assert transform_value(Transform("months", 0, 1), "date", days) == int(near or 0) + cycles * 4800


@pytest.mark.parametrize(
    ("name", "number", "column_type", "error"),
    [
        ("days", 0, "bigint", InvalidValue),
        ("hours", 0, "date", InvalidValue),
        ("bucket", 0, "int", InvalidValue),
        ("bucket", 2**31, "int", InvalidValue),
        ("bucket", 4, "double", InvalidValue),
        ("bucket", 4, "boolean", InvalidValue),
        ("bucket", 4, "decimal(38,2)", NotSupported),
        ("truncate", 4, "binary", InvalidValue),
        ("truncate", 4, "date", InvalidValue),
        ("bucket", 4, "array<int>", InvalidValue),
    ],
)
def test_other_columns_are_refused_by_name(name: str, number: int, column_type: str, error: type[LakeError]) -> None:
    with pytest.raises(error, match=name):
        transform_check(name, number, "c", column_type)


def test_bounds_hold_for_wider_types_but_day_buckets() -> None:
    bucket, day = Transform("bucket", 4, 1), Transform("days", 0, 1)
    assert LaidBy(bucket, "int", 3).holds_for("bigint")
    assert LaidBy(day, "date", 3).holds_for("timestamp_ntz")
    assert not LaidBy(bucket, "date", 3).holds_for("timestamp_ntz")
    assert LaidBy.from_json(LaidBy(bucket, "int", 3).as_json()) == LaidBy(bucket, "int", 3)
