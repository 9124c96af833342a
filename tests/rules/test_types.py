"""Spelling of types, and every widening of A6.1 with its neighbours that are none."""

from __future__ import annotations

import itertools

import pytest

from catalog_app.domain.types import canonical_type, widens
from lakeui.common.errors import InvalidValue, NestedTooDeeply


def test_a_type_is_at_most_fifty_deep() -> None:
    assert canonical_type("ARRAY<" * 50 + "INT" + ">" * 50)
    with pytest.raises(NestedTooDeeply, match="50 levels"):
        canonical_type("ARRAY<" * 3000 + "INT" + ">" * 3000)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("BIGINT", "bigint"),
        ("long", "bigint"),
        ("Integer", "int"),
        ("REAL", "float"),
        ("decimal", "decimal(10,0)"),
        ("NUMERIC( 5 )", "decimal(5,0)"),
        ("dec(12, 2)", "decimal(12,2)"),
        ("VARCHAR( 3 )", "varchar(3)"),
        ("timestamp_ltz", "timestamp"),
        ("ARRAY<MAP<STRING, Long>>", "array<map<string,bigint>>"),
        ("STRUCT<a: INT, `b c`: STRING NOT NULL COMMENT 'x y'>", "struct<a:int,`b c`:string not null comment 'x y'>"),
    ],
)
def test_a_type_has_one_spelling(text: str, canonical: str) -> None:
    assert canonical_type(text) == canonical
    assert canonical_type(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int int",
        "varchar",
        "decimal(39,1)",
        "decimal(2,3)",
        "array<int",
        "map<int>",
        "moon",
        "int;",
        "struct<a#1:int>",
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        canonical_type(text)


TYPES = [
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(5,2)", "decimal(7,2)",
    "decimal(7,3)", "string", "varchar(3)", "varchar(9)", "char(3)", "binary", "date", "timestamp", "timestamp_ntz",
    "array<int>", "array<bigint>", "map<int,float>", "map<bigint,double>", "struct<a:int>", "struct<a:bigint>",
    "struct<b:bigint>", "struct<a:int,b:int>",
]  # fmt: skip
WIDER = {
    ("tinyint", "smallint"), ("tinyint", "int"), ("tinyint", "bigint"), ("smallint", "int"), ("smallint", "bigint"),
    ("int", "bigint"), ("float", "double"), ("decimal(5,2)", "decimal(7,2)"), ("varchar(3)", "varchar(9)"),
    ("varchar(3)", "string"), ("varchar(9)", "string"), ("date", "timestamp_ntz"), ("array<int>", "array<bigint>"),
    ("map<int,float>", "map<bigint,double>"), ("struct<a:int>", "struct<a:bigint>"),
}  # fmt: skip


@pytest.mark.parametrize(("narrow", "wide"), list(itertools.product(TYPES, TYPES)))
def test_widening_is_that_of_the_semantics(narrow: str, wide: str) -> None:
    assert widens(narrow, wide) is (narrow == wide or (narrow, wide) in WIDER)


def test_null_without_a_type_widens_nothing() -> None:
    assert [widens(kind, "void") for kind in ("int", "string", "date")] == [False, False, False]
