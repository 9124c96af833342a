"""``v:path``, ``>>>`` and their like: written as they were read. What the rows are is asked of Spark in
tests/differential/cases/operators.sql.
"""

from __future__ import annotations

import pytest

from catalog_app.pruning.predicates import ANYTHING
from lakeui.common.errors import SyntaxProblem
from lakeui.sql.dialect import read_expression, read_query, write
from lakeui.sql.parameters import parameters_read
from lakeui.sql.parse import parse
from lakeui.sql.query import build_query
from lakeui.sql.statements import Select

WRITTEN = {
    "v:a": "`v`:`a`",
    "t.v:a.`b c`[0]['d']::int": "CAST(`t`.`v`:`a`.`b c`[0]['d'] AS INT)",
    "v : a :: int + 1": "CAST(`v`:`a` AS INT) + 1",
    "parse_json(c):[0]:select": "parse_json(`c`):[0]:`select`",
    "v:['x.y']": "`v`:['x.y']",
    "x::array<int>[0]": "CAST(`x` AS ARRAY<INT>)[0]",
    "x::map<string, array<int>>['a'][0]::bigint": "CAST(CAST(`x` AS MAP<STRING, ARRAY<INT>>)['a'][0] AS BIGINT)",
    "v:a::array<int>[i + 1]": "CAST(`v`:`a` AS ARRAY<INT>)[`i` + 1]",
    "transform(l, x -> x:A)": "transform(`l`, `x` -> `x`:`A`)",
    "v:`a``b`": "`v`:`a``b`",
    "a >>> 1": "`a` >>> 1",
    "-a >>> 1 + 1 >> 2 | b << 3": "-`a` >>> 1 + 1 >> 2 | `b` << 3",
    "cast(a as array<array<array<int>>>)": "CAST(`a` AS ARRAY<ARRAY<ARRAY<INT>>>)",
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items())
def test_an_operator_is_written_as_it_was_read(text: str, expected: str) -> None:
    assert write(read_expression(text)) == expected
    assert write(read_expression(expected)) == expected


QUERIES = {
    "SELECT count(*) FROM d.t GROUP BY window(a, '1 hour') WINDOW w AS (ORDER BY a)": (
        "SELECT count(*) FROM `d`.`t` GROUP BY window(`a`, '1 hour') WINDOW `w` AS (ORDER BY `a`)"
    ),
    "SELECT q.a FROM (SELECT a FROM d.t) TABLESAMPLE (3 ROWS) AS q": (
        "SELECT `q`.`a` FROM (SELECT `a` FROM `d`.`t`) TABLESAMPLE (3 ROWS) AS `q`"
    ),
}


@pytest.mark.parametrize(("text", "expected"), QUERIES.items())
def test_a_clause_is_read_where_spark_reads_it(text: str, expected: str) -> None:
    assert write(read_query(text)) == expected


REFUSED = {
    "v:b[-1]": "a text in quotes or a number",
    "v:b[k]": "a text in quotes or a number",
    "v:b[*]": "a text in quotes or a number",
    "v:b[1.5]": "whole numbers only",
    "v:['a''b']": "no text with quotes",
    "v:['a\\\\b']": "no text with quotes",
    "v:b[0": "Expected ]",
    "v:1": "Expected a name",
    "v:'a'": "Expected a name",
    "v:a.": "behind the dot",
    "8 >> > 1": "",
}


@pytest.mark.parametrize("text", REFUSED)
def test_another_path_is_refused_by_name(text: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        read_expression(text)
    assert REFUSED[text] in caught.value.message


def test_comment_that_spark_ends_elsewhere_is_refused() -> None:
    with pytest.raises(SyntaxProblem, match="ends with a backslash"):
        parse("DELETE FROM d.t WHERE a = 1 -- in c:\\\n AND b = 2")
    parse("DELETE FROM d.t WHERE a = 1 -- in c:\\x\n AND b = '-- \\\n'")


@pytest.mark.parametrize("condition", ["v:a::int = 1", "v:a = 1", "a >>> 1 = 1", "a + 1 >>> 1 > 2"])
def test_no_file_is_left_out_by_an_operator(condition: str) -> None:
    assert build_query(f"SELECT * FROM d.t WHERE {condition}").where.get("__lake_0", ANYTHING) == ANYTHING


def test_a_marker_stands_beside_a_path() -> None:
    values = parameters_read({"a": 7})
    read = parse("SELECT v:a::int = :a, :a >>> 1 FROM d.t", values)
    assert isinstance(read, Select)
    assert read.query.text == ("SELECT CAST(`v`:`a` AS INT) = 7, 7 >>> 1 FROM `__lake_0` AS `t`")


def test_quoted_name_is_refused_with_the_right_one() -> None:
    with pytest.raises(SyntaxProblem, match="A text in quotes is no name; write `a``b` at line 1, column 15"):
        parse('SELECT * FROM "a`b"')
