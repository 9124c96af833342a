"""Statements that are too long or too deep are refused by name, in seconds."""

from __future__ import annotations

import time

import pytest

from lakeui.common.errors import InvalidValue, LakeError, SyntaxProblem
from lakeui.sql.parse import parse

MEBIBYTE = 1024 * 1024
VALUES = ",".join(f"({number},1,1,1)" for number in range(75_000))
CHAINS = {
    "or": "SELECT 1 WHERE " + " OR ".join(["1=1"] * 10_000),
    "and": "DELETE FROM d.t WHERE " + " AND ".join(f"a<>{number}" for number in range(10_000)),
    "or in brackets": "SELECT 1 WHERE " + " OR ".join(["(a=1 OR b=1)"] * 5_000),
    "calls": "SELECT 1 WHERE " + " OR ".join(["f(a, b)"] * 10_000),
    "plus": "SELECT " + "+".join(["1"] * 10_000),
    "concat": "SELECT " + "||".join(["'a'"] * 10_000),
    "union": "SELECT 1, 2" + " UNION ALL SELECT 1, 2" * 5_000,
    "join": "SELECT 1 FROM d.t" + " JOIN d.t USING (a, b)" * 5_000,
    "when": "SELECT CASE" + " WHEN a = 1 THEN 2" * 5_000 + " END FROM d.t",
    "default": "CREATE TABLE d.t (a INT DEFAULT " + "+".join(["1"] * 10_000) + ")",
    "values": f"INSERT INTO d.t VALUES {VALUES}",
    "in": f"SELECT a FROM d.t WHERE a IN ({'1,' * 500_000}1)",
    "clauses": "MERGE INTO d.t USING d.s s ON t.a = s.a" + " WHEN MATCHED AND t.b = 1 THEN DELETE" * 1_000,
}


@pytest.mark.parametrize("text", CHAINS.values(), ids=CHAINS)
def test_what_is_too_long_is_refused_by_name(text: str) -> None:
    assert len(text) <= MEBIBYTE
    began = time.process_time()
    with pytest.raises(InvalidValue, match="The statement has") as refused:
        parse(text)
    assert refused.value.details["field"] == "statement"
    assert refused.value.remedy
    assert time.process_time() - began < 5


TAKEN = {
    "or": "SELECT 1 WHERE " + " OR ".join(["1=1"] * 2_000),
    "columns": "SELECT " + ", ".join(f"a{number} + 1" for number in range(3_000)) + " FROM d.t",
    "rows": "INSERT INTO d.t VALUES " + ", ".join(f"(current_date - {number}, -1)" for number in range(3_000)),
    "one column": "INSERT INTO d.t VALUES " + ", ".join(f"(1 + {number})" for number in range(3_000)),
    "in": f"SELECT a FROM d.t WHERE a IN ({','.join(map(str, range(10_000)))})",
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_long_lists_are_taken(text: str) -> None:
    assert parse(text)


DEEP = {
    "brackets": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "not": "SELECT " + "NOT " * 10_000 + "true",
    "case": "SELECT " + "CASE WHEN true THEN " * 1_900 + "1" + " END" * 1_900,
    "calls": "SELECT " + "abs(" * 10_000 + "1" + ")" * 10_000,
    "casts": "SELECT a" + "::INT" * 10_000 + " FROM d.t",
    "types": "SELECT CAST(1 AS " + "ARRAY<" * 3_000 + "INT" + ">" * 3_000 + ")",
    "queries": "SELECT 1 FROM " + "(SELECT 1 FROM " * 1_900 + "d.t" + ")" * 1_900,
    "fields": "SELECT " + ".".join(["a"] * 10_000) + " FROM d.t",
    "elements": "SELECT a" + "[0]" * 10_000 + " FROM d.t",
    "lambdas": "SELECT " + "filter(a, x -> " * 500 + "true" + ")" * 500,
    "condition": "UPDATE d.t SET a = 1 WHERE " + "(" * 10_000 + "true" + ")" * 10_000,
    "default": "CREATE TABLE d.t (a INT DEFAULT " + "(" * 10_000 + "1" + ")" * 10_000 + ")",
    "clause": "MERGE INTO d.t USING d.s s ON t.a = s.a WHEN MATCHED AND " + "NOT " * 10_000 + "true THEN DELETE",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_too_deep_is_refused_by_name(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="nested too deeply"):
        parse(text)


def test_error_behind_lines_and_blanks_shows_its_place() -> None:
    with pytest.raises(LakeError) as refused:
        parse("MERGE INTO d.t t\n   USING d.s s ON t.a = s.a\n  WHEN MATCHED AND t.b = = 1 THEN DELETE")
    assert (refused.value.details["line"], refused.value.details["column"]) == (3, 26)
