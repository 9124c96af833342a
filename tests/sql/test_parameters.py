"""Values that stand for ``?`` and ``:name``: typed constants of the tree, at places of expressions only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlglot import exp

from lakeui.common.errors import InvalidValue, LakeError, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.parameters import MOST_PARAMETERS, constant, parameters_read
from lakeui.sql.parse import parse


def written(value: Any, kind: str | None = None) -> str:
    read = parameters_read([value if kind is None else {"value": value, "type": kind}])
    return write(constant("Parameter 1", read.positional[0]))


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1, None, "1"),
        (-1, None, "-1"),
        (3_000_000_000, None, "3000000000"),
        (True, None, "TRUE"),
        (None, None, "NULL"),
        ("it's", None, "'it\\'s'"),
        (1.5, None, "CAST(1.5 AS DOUBLE)"),
        (-0.0, None, "-CAST(0.0 AS DOUBLE)"),
        (1e300, None, "CAST(1e+300 AS DOUBLE)"),
        (None, "date", "CAST(NULL AS DATE)"),
        ("2026-01-31", "DATE", "CAST('2026-01-31' AS DATE)"),
        ("2026-01-31 10:00:00", "TIMESTAMP", "CAST('2026-01-31 10:00:00' AS TIMESTAMP)"),
        ("2026-01-31 10:00:00", "TIMESTAMP_NTZ", "CAST('2026-01-31 10:00:00' AS TIMESTAMP_NTZ)"),
        (5, "BIGINT", "CAST(5 AS BIGINT)"),
        ("-9223372036854775808", "bigint", "CAST(-9223372036854775808 AS BIGINT)"),
        (-128, "TINYINT", "CAST(-128 AS TINYINT)"),
        ("12.50", "DECIMAL(4,2)", "CAST(12.50 AS DECIMAL(4, 2))"),
        ("9" * 38, "DECIMAL(38,0)", f"CAST({'9' * 38} AS DECIMAL(38, 0))"),
        (f"-{'1234567890' * 3}.12345678", "DECIMAL(38,8)", f"CAST(-{'1234567890' * 3}.12345678 AS DECIMAL(38, 8))"),
        ("NaN", "DOUBLE", "CAST('NaN' AS DOUBLE)"),
        ("-Infinity", "FLOAT", "CAST('-Infinity' AS FLOAT)"),
    ],
)
def test_a_value_is_a_constant_of_its_type(value: Any, kind: str | None, text: str) -> None:
    assert written(value, kind) == text


@pytest.mark.parametrize(
    ("value", "kind", "mention"),
    [
        (1 << 63, None, "BIGINT"),
        (128, "TINYINT", "TINYINT"),
        ("x", "INT", "INT"),
        (True, "INT", "INT"),
        (1, "BOOLEAN", "BOOLEAN"),
        (1, "STRING", "STRING"),
        ("2026-02-30", "DATE", "DATE"),
        ("2026-02-03 10:00:00", "DATE", "DATE"),
        ("2026-02-03T10:00:00Z", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"),
        ("2026') OR (1 = 1", "DATE", "DATE"),
        ("1; DROP", "DECIMAL(9,2)", "DECIMAL"),
        ("1.234", "DECIMAL(9,2)", "DECIMAL"),
        ("12345678.9", "DECIMAL(9,2)", "DECIMAL"),
        (1.5, "DECIMAL(9,2)", "DECIMAL"),
        ("nan", "DOUBLE", "DOUBLE"),
        (1, "ARRAY<INT>", "array<int>"),
        (1, "INT) OR (1", "which is none"),
        (1, "BINARY", "binary"),
        (1, 7, "is no text"),
        ([1], None, "array or object"),
        ({"value": 1, "kind": "INT"}, None, "other members"),
        ({"type": "INT"}, None, "other members"),
    ],
)
def test_value_unfit_for_type_is_refused_by_number(value: Any, kind: Any, mention: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        written(value, kind)
    assert "arameter 1" in caught.value.message
    assert mention in caught.value.message
    assert caught.value.details["field"] == "parameters"


@given(st.text())
@example("'; DROP TABLE d.t --")
@example("\\' OR 1 = 1 --")
@example('`x` \x00 \n \\ " {x} :y ?')
def test_any_text_is_one_string(text: str) -> None:
    found = write(constant("Parameter 1", parameters_read([text]).positional[0]))
    again = read_expression(found)
    assert isinstance(again, exp.Literal)
    assert (again.is_string, again.name) == (True, text)


NAMED = {"x": 5, "y": "go"}
T = s.TableName("t", "d")


@pytest.mark.parametrize(
    ("statement", "parameters", "same_as"),
    [
        (
            "SELECT a FROM d.t WHERE a = ? AND b = ? LIMIT ?",
            [1, "x", 3],
            "SELECT a FROM d.t WHERE a = 1 AND b = 'x' LIMIT 3",
        ),
        ("SELECT ?,\n  ? AS z -- ?\n, '?' FROM d.t", [1, 2], "SELECT 1, 2 AS z, '?' FROM d.t"),
        ("SELECT :x + :x FROM d.t WHERE :y LIKE b", NAMED, "SELECT 5 + 5 FROM d.t WHERE 'go' LIKE b"),
        ("SELECT a - ? FROM d.t", [-1], "SELECT a - (-1) FROM d.t"),
        (
            "INSERT INTO d.t VALUES (?, ?), (?, DEFAULT)",
            [-1, None, 2],
            "INSERT INTO d.t VALUES (-1, NULL), (2, DEFAULT)",
        ),
        ("INSERT INTO d.t PARTITION (p = ?) SELECT ?", ["a", 1], "INSERT INTO d.t PARTITION (p = 'a') SELECT 1"),
        ("INSERT INTO d.t REPLACE WHERE a = ? SELECT ?", [1, 2], "INSERT INTO d.t REPLACE WHERE a = 1 SELECT 2"),
        ("UPDATE d.t SET a = ?, b = ? WHERE a < ?", [1, 2, 3], "UPDATE d.t SET a = 1, b = 2 WHERE a < 3"),
        ("DELETE FROM d.t WHERE a IN (?, ?)", [1, 2], "DELETE FROM d.t WHERE a IN (1, 2)"),
        (
            "DELETE FROM d.t WHERE a IN (SELECT a FROM d.u WHERE b = ?)",
            [2],
            "DELETE FROM d.t WHERE a IN (SELECT a FROM d.u WHERE b = 2)",
        ),
        (
            "WITH c AS (SELECT ? AS a) MERGE INTO d.t USING c ON t.a = c.a AND t.a > ?\nWHEN MATCHED AND t.b = ? THEN "
            "UPDATE SET b = ? WHEN NOT MATCHED THEN INSERT (a) VALUES (?)",
            [1, 2, 3, 4, 5],
            "WITH c AS (SELECT 1 AS a) MERGE INTO d.t USING c ON t.a = c.a AND t.a > 2\nWHEN MATCHED AND t.b = 3 THEN "
            "UPDATE SET b = 4 WHEN NOT MATCHED THEN INSERT (a) VALUES (5)",
        ),
        ("CREATE TABLE d.t AS SELECT ? AS a", [1], "CREATE TABLE d.t AS SELECT 1 AS a"),
        ("EXPLAIN DELETE FROM d.t WHERE a = :x", {"x": 5}, "EXPLAIN DELETE FROM d.t WHERE a = 5"),
        ("DELETE FROM d.t WHERE a = :x DRY RUN", {"x": 5}, "DELETE FROM d.t WHERE a = 5 DRY RUN"),
        ("SELECT * FROM d.t VERSION AS OF ?", [3], "SELECT * FROM d.t VERSION AS OF 3"),
    ],
)
def test_statement_with_values_equals_one_with_constants(statement: str, parameters: Any, same_as: str) -> None:
    assert parse(statement, parameters_read(parameters)) == parse(same_as)


@pytest.mark.parametrize(
    ("statement", "parameters", "mention"),
    [
        ("SELECT ?", None, "marker ?"),
        ("SELECT :x", None, ":x"),
        ("SELECT :x", {"y": 1}, ":x"),
        ("SELECT :x", {"x": 1, "xy": 2}, ":xy"),
        ("SELECT 1", {"x": 1}, ":x"),
        ("SELECT 1", [1], "0 times"),
        ("SELECT ?", [1, 2], "1 time."),
        ("SELECT ?, ?", [1], "2 times"),
        ("SELECT ?", {"x": 1}, "marker ?"),
        ("SELECT :x, ?", [1], ":x"),
        ("SHOW HISTORY", {"x": 1}, ":x"),
        ("SELECT * FROM ?", ["d.t"], "a name"),
        ("SELECT * FROM :x", {"x": "d.t"}, "a name"),
        ("SELECT * FROM d.:x", {"x": "t"}, "a name"),
        ("SELECT 1 AS ?", ["a"], "a name"),
        ("SELECT t.? FROM d.t", ["a"], "a name"),
        ("SELECT a FROM d.t ORDER BY ?", [1], "an order"),
        ("SELECT a FROM d.t GROUP BY ?", [1], "an order"),
        ("SELECT CAST(a AS ?) FROM d.t", ["INT"], ""),
        ("SELECT extract(? FROM a) FROM d.t", ["year"], ""),
    ],
)
def test_missing_value_or_place_is_refused_by_name(statement: str, parameters: Any, mention: str) -> None:
    with pytest.raises(LakeError) as caught:
        parse(statement, parameters_read(parameters))
    assert mention in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    "statement", ["SHOW HISTORY LIMIT ?", "ALTER TABLE d.t SET TBLPROPERTIES ('a' = ?)", "USE BRANCH ?"]
)
def test_marker_outside_expressions_is_a_syntax_error(statement: str) -> None:
    with pytest.raises(LakeError) as caught:
        parse(statement, parameters_read([1]))
    assert caught.value.code == "SYNTAX_ERROR"


def test_a_view_takes_no_values() -> None:
    with pytest.raises(NotSupported, match="view"):
        parse("CREATE VIEW d.v AS SELECT ? AS a", parameters_read([1]))


def test_sizes_are_bounded() -> None:
    with pytest.raises(InvalidValue, match="10,000"):
        parameters_read([1] * (MOST_PARAMETERS + 1))
    with pytest.raises(InvalidValue, match="characters"):
        parameters_read(["x" * (1 << 20), "y"])
    with pytest.raises(InvalidValue, match="neither"):
        parameters_read("x")


def test_many_values_are_read_in_time() -> None:
    rows = ",\n".join("(?, ?)" for _ in range(MOST_PARAMETERS // 2))
    found = parse(f"INSERT INTO d.t VALUES {rows}", parameters_read(list(range(MOST_PARAMETERS))))
    assert isinstance(found, s.Insert)
    assert found.values is not None
    assert found.values[-1] == ("9998", "9999")
