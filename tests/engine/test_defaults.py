"""A default is refused where a column cannot store it, and only there; Spark says so of plain tables too."""

from __future__ import annotations

import pytest

from catalog_app.domain.schema import Column
from lakeui.common.errors import InvalidDefault
from tests.engine.lake import Lake

NEVER = [
    ("tinyint", "300", "does not fit into"),
    ("smallint", "-32769", "does not fit into"),
    ("int", "'abc'", "'abc'"),
    ("int", "1.5e300", "does not fit into"),
    ("int", "1 / 0", "Division by zero"),
    ("bigint", "9223372036854775808", "does not fit into"),
    ("decimal(4,2)", "123.4", "123.4"),
    ("boolean", "'maybe'", "'maybe'"),
    ("float", "'x'", "'x'"),
    ("double", "'x'", "'x'"),
    ("date", "'2024-02-30'", "'2024-02-30'"),
    ("timestamp", "'noon'", "'noon'"),
    ("timestamp_ntz", "'noon'", "'noon'"),
    ("varchar(3)", "'abcd'", "longer than 3 characters"),
    ("char(3)", "'abcd'", "longer than 3 characters"),
    ("varchar(3)", "12345", "longer than 3 characters"),
    ("int", "array(1)", "cast"),
    ("array<int>", "1", "cast"),
    ("struct<x:int>", "named_struct('x', 'abc')", "'abc'"),
    ("array<tinyint>", "array(1, 300)", "does not fit into"),
    ("array<varchar(2)>", "array('a', 'abc')", "longer than 2 characters"),
    ("map<string,char(1)>", "map('a', 'bb')", "longer than 1 characters"),
    ("struct<x:array<varchar(2)>>", "named_struct('x', array('abc'))", "longer than 2 characters"),
]
STORED = [
    ("tinyint", "-128"),
    ("int", "'5'"),
    ("int", "1.5"),
    ("int", "NULL"),
    ("decimal(4,2)", "99.99"),
    ("decimal(20,0)", "12345678901234567890"),
    ("string", "5"),
    ("string", "'it''s'"),
    ("varchar(3)", "'abc   '"),
    ("char(3)", "'a'"),
    ("date", "'2024-02-29'"),
    ("date", "current_date()"),
    ("timestamp", "current_timestamp()"),
    ("timestamp", "TIMESTAMP '9999-12-31 23:59:59.999999'"),
    ("timestamp_ntz", "'2024-01-01 10:00:00'"),
    ("binary", "X'FF'"),
    ("double", "double('NaN')"),
    ("array<int>", "array(1, 2)"),
    ("map<string,int>", "map('a', 1)"),
    ("struct<x:int>", "named_struct('x', 1)"),
    ("array<varchar(2)>", "array('ab ', NULL)"),
    ("map<string,char(2)>", "NULL"),
]


def column(kind: str, default: str, *, nullable: bool = True) -> Column:
    return Column(7, "c", kind, nullable=nullable, default=default)


@pytest.mark.parametrize(("kind", "default", "mention"), NEVER)
def test_what_no_row_could_store_is_refused(lake: Lake, kind: str, default: str, mention: str) -> None:
    with pytest.raises(InvalidDefault) as refusal:
        lake.engine.defaults_check([Column(1, "good", "int", default="1"), column(kind, default)])
    error = refusal.value
    assert error.message.startswith(f"Column c is {kind} and cannot store its default {default}: ")
    assert mention in error.message
    assert error.details == {"column": "c", "default": default, "type": kind}


def test_null_is_no_default_for_required_columns(lake: Lake) -> None:
    with pytest.raises(InvalidDefault, match="the column is NOT NULL"):
        lake.engine.defaults_check([column("timestamp", "NULL", nullable=False)])


def test_what_rows_can_store_is_taken(lake: Lake) -> None:
    columns = [Column(number, f"c{number}", kind, default=text) for number, (kind, text) in enumerate(STORED)]
    lake.engine.defaults_check(columns)
    lake.engine.defaults_check([column("timestamp", "current_timestamp()", nullable=False)])
