"""Rows of literals that are written without Spark: which, and that the file is the one that Spark's rows make."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest

from catalog_app.domain.schema import Column, Schema
from catalog_app.engine import appending
from catalog_app.engine.inputs_outputs import ValuesSource
from catalog_app.engine.plain_values import plain_values
from catalog_app.engine.targets import Target
from tests.engine.lake import Lake, schema_of

LITERALS = {
    "tinyint": ("-128", "127"),
    "smallint": ("-32768", " 32767 "),
    "int": ("-2147483648", "007"),
    "bigint": ("999999999999999999", "-1800000000"),
    "decimal(12,2)": ("-1", "999999999.99"),
    "decimal(38,10)": ("999999999999999999", "-0.5"),
    "decimal(3,3)": ("0.125", "-0.1"),
    "string": ("''", "'a\n-- é 𝄞 ${x}'"),
    "date": ("DATE'2024-02-29'", "CAST('0001-01-01' AS DATE)"),
    "boolean": ("true", "FALSE"),
    "double": ("0.1", "CAST(-123456.789 AS DOUBLE)"),
    "timestamp": ("NULL", "NULL"),
    "varchar(3)": ("NULL", "NULL"),
}
"""By type two literals that it takes as they are."""
EVERY = schema_of(*(f"c{number} {kind}" for number, kind in enumerate(LITERALS)))
LEFT = {
    "tinyint": ("128", "-129", "1.0", "'1'", "1 + 1", "1L", "true"),
    "int": ("2147483648", "1e3", "0x1F", "--1", "1 /* x */", "(1)", "?"),
    "bigint": ("9223372036854775807", "9223372036854775808"),
    "decimal(3,2)": ("10", "1.555", "-10.00", ".5", "1.", "1.5BD"),
    "string": ("1", "true", "'it''s'", r"'a\n'", "r'a'", "'a' 'b'", "concat('a', 'b')", "X'41'"),
    "date": ("'2024-01-01'", "DATE'2024-02-30'", "DATE'2024-1-1'", "DATE'10000-01-01'", "current_date()"),
    "boolean": ("1", "'true'", "NOT true"),
    "double": (
        "1e3",
        "1.5BD",
        "-0.0",
        "CAST(-0 AS DOUBLE)",
        "1.",
        ".5",
        "1234567.123456789",
        "1234567890123456",
        "1.5F",
        "'1'",
    ),
    "float": ("1", "1.5", "1.5F"),
    "timestamp": ("TIMESTAMP'2024-01-01 00:00:00'", "DATE'2024-01-01'"),
    "varchar(3)": ("'a'",),
    "char(3)": ("'a'",),
    "array<int>": ("NULL",),
    "binary": ("X'41'",),
}
"""By type texts that Spark has to read, to cast or to refuse."""


def rows_of(schema: Schema, *rows: tuple[str, ...], columns: tuple[str, ...] | None = None) -> list[Any] | None:
    found = plain_values(Target(1, schema), ValuesSource(rows), columns)
    return None if found is None else found.to_pylist()


def test_the_file_equals_the_one_from_sparks_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*zip(*LITERALS.values(), strict=True), ("NULL",) * len(LITERALS)]
    lake.schema = EVERY
    (own,) = lake.values(*("|".join(row) for row in rows))
    asked: list[bool] = []

    def left_to_spark(*_: object) -> None:
        asked.append(True)

    monkeypatch.setattr(appending, "plain_values", left_to_spark)
    (sparks,) = lake.values(*("|".join(row) for row in rows))
    assert asked
    assert rows_of(EVERY, *rows) is not None
    first, second = (pq.read_table(lake.warehouse.absolute(file.path), partitioning=None) for file in (own, sparks))
    assert first.schema.equals(second.schema, check_metadata=True)
    assert first.to_pylist() == second.to_pylist()
    assert replace(own, path="", base=0) == replace(sparks, path="", base=0)


def test_doubles_are_those_that_spark_reads(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(30)
    lake.schema = schema_of("c double")
    texts = ["0", "0.0", "CAST(0 AS DOUBLE)", "999999999999999", "0.000000001", "999999.999999999"]
    for _ in range(300):
        places = chance.randint(0, 9)
        number = f"{chance.randint(-(10**15) + 1, 10**15 - 1) // 10 ** chance.randint(0, 14) / 10**places:.{places}f}"
        texts += [number, f"CAST({number} AS DOUBLE)"]
    plain = [text for text in texts if rows_of(lake.schema, (text,)) is not None]
    assert len(plain) > len(texts) // 2
    (own,) = lake.values(*plain)
    monkeypatch.setattr(appending, "plain_values", lambda *_: None)
    (sparks,) = lake.values(*plain)
    first, second = (pq.read_table(lake.warehouse.absolute(file.path), partitioning=None) for file in (own, sparks))
    assert repr(first.column("c").to_pylist()) == repr(second.column("c").to_pylist())


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in LEFT.items() for text in texts])
def test_what_is_read_cast_or_refused_reaches_spark(kind: str, text: str) -> None:
    assert rows_of(schema_of(f"c {kind}", "d int"), (text, "1")) is None


def test_columns_match_by_name_and_others_take_defaults() -> None:
    schema = Schema((Column(1, "a", "int"), Column(2, "b", "string", default="'x'"), Column(3, "c", "date")))
    assert rows_of(schema, ("1", "DEFAULT"), columns=("A", "b")) == [{"__c1": 1, "__c2": "x", "__c3": None}]
    assert rows_of(schema, ("DEFAULT",), columns=("c",)) == [{"__c1": None, "__c2": "x", "__c3": None}]


@pytest.mark.parametrize("default", ["current_date()", "upper('x')"])
def test_a_default_beyond_literals_goes_to_spark(default: str) -> None:
    schema = Schema((Column(1, "a", "int"), Column(2, "b", "string", default=default)))
    assert rows_of(schema, ("1",), columns=("a",)) is None


def test_refusals_stay_with_spark_and_the_front_door() -> None:
    schema = schema_of("a int not null", "b string")
    assert rows_of(schema, ("NULL", "'x'")) is None
    assert rows_of(schema, ("'x'",), columns=("b",)) is None
    assert rows_of(schema, ("1",)) is None
    assert rows_of(schema, ("1", "'x'", "2")) is None
    assert rows_of(schema, ("1", "'x'"), columns=("a", "nope")) is None
    assert rows_of(schema, ("1", "2"), columns=("a", "A")) is None
    assert rows_of(schema, ("1", "'\ud800'")) is None


def test_partitions_generated_columns_and_many_rows_reach_spark() -> None:
    schema = schema_of("a int", "b int")
    assert rows_of(schema, ("1", "2")) is not None
    assert rows_of(replace(schema, partition_by=(2,)), ("1", "2")) is None
    computed = replace(schema, columns=(schema.columns[0], replace(schema.columns[1], generated="`c1` + 1")))
    assert rows_of(computed, ("1",), columns=("a",)) is None
    assert rows_of(schema, *[("1", "2")] * 10_001) is None
