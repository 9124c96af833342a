"""Types that are known without Spark are those that Spark says."""

from __future__ import annotations

import pytest

from catalog_app.engine.literals import common_kind, literal_kind, without_values
from tests.engine.lake import Lake

LITERALS = [
    "1",
    "-999999999",
    "000000001",
    " 7 ",
    "'a'",
    "'12'",
    "'é -- \n'",
    "''",
    "NULL",
    "null",
    "TRUE",
    "false",
    "DATE '2026-01-31'",
    "date'2026-1-1'",
]
OTHERS = [
    "9999999999",
    "1.5",
    "1L",
    "1e3",
    "- 1",
    "'a' 'b'",
    "'it''s'",
    r"'a\n'",
    "r'a'",
    '"a"',
    "x'00'",
    "1 + 1",
    "k",
    "date",
    "TIMESTAMP '2026-01-31'",
    "DEFAULT",
    "",
]


def test_a_literal_has_the_type_that_spark_says(lake: Lake) -> None:
    text = "SELECT " + ", ".join(f"typeof({literal}\n)" for literal in LITERALS)
    (kinds,) = lake.engine.select(text, {}, limit=1).rows
    assert [literal_kind(literal) for literal in LITERALS] == kinds


@pytest.mark.parametrize("text", OTHERS)
def test_of_anything_else_spark_is_asked(text: str) -> None:
    assert literal_kind(text) is None


@pytest.mark.parametrize(
    ("kinds", "common"),
    [
        (["int", "int"], "int"),
        (["void", "int"], "int"),
        (["void"], "void"),
        (["int", "string"], None),
        (["int", None], None),
        (["void", None], None),
        ([None], None),
    ],
)
def test_rows_that_agree_have_a_known_type(kinds: list[str | None], common: str | None) -> None:
    assert common_kind(kinds) == common


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("t.k = 5 AND v1 IN (12, 3)", "t.k = 0 AND v1 IN (0, 0)"),
        ("`column 5` > 17", "`column 5` > 0"),
        ("'some text'", "''"),
        ("k = 1.5", "k = 1.5"),
        ("k = 9999999999", "k = 9999999999"),
    ],
)
def test_values_of_one_type_make_no_other_form(text: str, form: str) -> None:
    assert without_values(text) == form
