"""Every type comes back as it was written."""

from __future__ import annotations

import pytest

from catalog_app.engine.types import shown_type
from tests.engine.lake import Lake, schema_of

CASES = [
    ("boolean", "true", True),
    ("tinyint", "-128", -128),
    ("smallint", "32767", 32767),
    ("int", "-2147483648", -2147483648),
    ("bigint", "9223372036854775807", 9223372036854775807),
    ("float", "float('1.5')", 1.5),
    ("float", "float('-0.0')", -0.0),
    ("double", "double('NaN')", "NaN"),
    ("double", "double('-Infinity')", "-Infinity"),
    ("double", "-0.0D", -0.0),
    ("decimal(5,2)", "123.45", "123.45"),
    ("decimal(38,0)", "12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("decimal(20,10)", "0.0000000001", "0.0000000001"),
    ("string", "'Grüße {x} __lake_0'", "Grüße {x} __lake_0"),
    ("string", "''", ""),
    ("varchar(3)", "'abc  '", "abc"),
    ("char(4)", "'ab'", "ab  "),
    ("binary", "X'00FF'", "AP8="),
    ("date", "DATE'0001-01-01'", "0001-01-01"),
    ("date", "DATE'2026-02-28'", "2026-02-28"),
    ("timestamp", "TIMESTAMP'2026-01-31 10:00:00.123456+02:00'", "2026-01-31T08:00:00.123456Z"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'1969-12-31 23:59:59'", "1969-12-31T23:59:59"),
    ("array<int>", "array(1, null, 3)", [1, None, 3]),
    ("array<decimal(4,1)>", "array(1.5)", ["1.5"]),
    ("map<string,date>", "map('k', DATE'2020-01-01')", {"k": "2020-01-01"}),
    ("map<int,string>", "map(1, 'x')", {"1": "x"}),
    ("struct<a:int,b:array<string>>", "named_struct('a', 1, 'b', array('x'))", {"a": 1, "b": ["x"]}),
    ("interval year to month", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
]


def test_values_come_back_as_written(lake: Lake) -> None:
    """A column of each case; the second row has no values."""
    lake.schema = schema_of("n int", *(f"x{place} {kind}" for place, (kind, _, _) in enumerate(CASES)))
    lake.values("|".join(("1", *(text for _, text, _ in CASES))), "|".join(("2", *("NULL" for _ in CASES))))
    first, second = lake.rows()
    for place, (kind, text, expected) in enumerate(CASES, start=1):
        assert repr(first[place]) == repr(expected), (kind, text)
    assert second == [2, *(None for _ in CASES)]


def test_types_reach_the_result_as_spark_names_them(lake: Lake) -> None:
    result = lake.engine.select("SELECT 1 AS a, 'x' AS a, CAST(1 AS DECIMAL(5,2)) AS d", {}, limit=10)
    assert result.columns == (("a", "int"), ("a", "string"), ("d", "decimal(5,2)"))
    assert result.rows == [[1, "x", "1.00"]]


def test_timestamps_outside_of_pythons_calendar_are_text(lake: Lake) -> None:
    result = lake.engine.select("SELECT timestamp_seconds(253402300800) AS t", {}, limit=1)
    assert result.rows[0][0].lstrip("+").startswith("10000-01-01T00:00:00")


def test_rows_above_the_limit_are_cut_and_reported(lake: Lake) -> None:
    result = lake.engine.select("SELECT id FROM range(10) ORDER BY id DESC", {}, limit=3)
    assert (result.rows, result.truncated) == ([[9], [8], [7]], True)
    assert not lake.engine.select("SELECT id FROM range(3)", {}, limit=3).truncated


WIDENINGS = [
    ("tinyint", "smallint", "7", 7),
    ("tinyint", "int", "7", 7),
    ("tinyint", "bigint", "7", 7),
    ("smallint", "int", "-7", -7),
    ("smallint", "bigint", "7", 7),
    ("int", "bigint", "2147483647", 2147483647),
    ("float", "double", "float('0.5')", 0.5),
    ("decimal(5,2)", "decimal(9,2)", "1.25", "1.25"),
    ("decimal(9,2)", "decimal(18,2)", "1.25", "1.25"),
    ("decimal(9,2)", "decimal(38,2)", "1.25", "1.25"),
    ("decimal(20,2)", "decimal(38,2)", "1.25", "1.25"),
    ("varchar(2)", "varchar(5)", "'ab'", "ab"),
    ("varchar(2)", "string", "'ab'", "ab"),
    ("date", "timestamp_ntz", "DATE'2020-02-29'", "2020-02-29T00:00:00"),
]


def test_old_files_are_read_under_wider_types(lake: Lake) -> None:
    """A column of each case: the first file has the old types, the second the new ones."""
    for types in ([old for old, _, _, _ in WIDENINGS], [new for _, new, _, _ in WIDENINGS]):
        lake.schema = schema_of(*(f"x{place} {kind}" for place, kind in enumerate(types)))
        lake.values("|".join(text for _, _, text, _ in WIDENINGS))
    expected = [value for _, _, _, value in WIDENINGS]
    assert lake.rows() == [expected, expected]
    equal = (f"count_if(x{place} = CAST({text} AS {new}))" for place, (_, new, text, _) in enumerate(WIDENINGS))
    assert lake.rows(f"SELECT {', '.join(equal)} FROM __lake_0") == [[2] * len(WIDENINGS)]
    all_equal = " AND ".join(f"x{place} = CAST({text} AS {new})" for place, (_, new, text, _) in enumerate(WIDENINGS))
    assert lake.rows(f"SELECT * FROM __lake_0 WHERE {all_equal}") == [expected, expected]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("array(named_struct('x', 1), NULL)", [{"x": 1}, None]),
        ("named_struct('s', IF(id > 0, NULL, named_struct('x', 1)))", {"s": {"x": 1}}),
        ("IF(id = 0, NULL, named_struct('x', 1))", None),
        ("map('k', named_struct('x', 1), 'l', NULL)", {"k": {"x": 1}, "l": None}),
        ("array()", []),
    ],
)
def test_null_beside_what_is_never_null_is_answered(lake: Lake, value: str, answer: object) -> None:
    assert lake.engine.select(f"SELECT {value} FROM range(1)", {}, limit=5).rows == [[answer]]


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("variant", "string"),
        ("interval", "string"),
        ("interval day to second", "string"),
        ("array<variant>", "array<string>"),
        ("map<void,interval year to month>", "map<string,string>"),
        (
            "struct<variant:int,v:variant,interval:array<interval day>>",
            "struct<variant:int,v:string,interval:array<string>>",
        ),
        ("struct<a:decimal(5,2),b:timestamp_ntz>", "struct<a:decimal(5,2),b:timestamp_ntz>"),
    ],
)
def test_types_unknown_outside_of_spark_show_as_text(kind: str, shown: str) -> None:
    assert shown_type(kind) == shown
