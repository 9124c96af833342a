"""Calls of the session's functions in the tree: arguments are values once, and nothing of a call is read as text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lakeui.common.errors import ForbiddenStatement, InvalidValue, LakeError, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.functions import function_read
from lakeui.sql.parameters import Parameters
from lakeui.sql.parse import parse


def made(*texts: str) -> Parameters:
    """The functions of these texts, each made behind those before it."""
    functions: tuple[tuple[str, str], ...] = ()
    for text in texts:
        found = parse(f"CREATE TEMPORARY FUNCTION {text}", Parameters(functions=functions))
        assert isinstance(found, s.CreateTemporaryFunction)
        functions += ((found.name, found.text),)
    return Parameters(functions=functions)


def query(text: str, functions: Parameters) -> str:
    found = parse(text, functions)
    assert isinstance(found, s.Select)
    return found.query.text


@pytest.mark.parametrize(
    ("function", "call", "expanded"),
    [
        ("f(x INT) RETURN x * 2", "f(1 + 2)", "(CAST(1 + 2 AS INT) * 2)"),
        ("f(x INT) RETURN x + 2", "3 * F(1)", "3 * (CAST(1 AS INT) + 2)"),
        ("f(x INT) RETURNS BIGINT RETURN x", "f(f(1))", "CAST(CAST(CAST(CAST(1 AS INT) AS BIGINT) AS INT) AS BIGINT)"),
        ("f() RETURNS INT RETURN 1", "f()", "CAST(1 AS INT)"),
        ("f(x INT) RETURN f.x", "f(1)", "(CAST(1 AS INT))"),
        ("f(x STRUCT<a:INT>) RETURN x.a", "f(NULL)", "(CAST(NULL AS STRUCT<`a`: INT>).`a`)"),
        ("f(x INT) RETURN transform(array(1), x -> x + 1)", "f(2)", "(transform(ARRAY(1), `x` -> `x` + 1))"),
        ("f(x STRING) RETURN concat(x, ')')", "f('x) --')", "(concat(CAST('x) --' AS STRING), ')'))"),
    ],
)
def test_a_call_is_its_body_with_typed_values(function: str, call: str, expanded: str) -> None:
    text = query(f"SELECT {call} AS a", made(function))
    assert text.casefold() == f"SELECT {expanded} AS `a`".casefold()


def test_a_column_is_named_as_the_call() -> None:
    assert query("SELECT f(1)", made("f(x INT) RETURN x")) == "SELECT (CAST(1 AS INT)) AS `f(1)`"


def test_a_function_keeps_what_it_was_made_of() -> None:
    functions = made("f(x INT) RETURN x + 1", "g(y INT) RETURN f(y) * 2")
    alone = Parameters(functions=functions.functions[1:])
    assert query("SELECT g(3) AS a", alone) == "SELECT ((CAST(CAST(3 AS INT) AS INT) + 1) * 2) AS `a`"


@pytest.mark.parametrize("argument", ["rand()", "uuid()", "(SELECT max(id) FROM d.t)"])
def test_varying_argument_is_computed_once_or_refused(argument: str) -> None:
    assert query(f"SELECT f({argument}) AS a", made("f(x STRING) RETURN concat(x, 'a')"))
    with pytest.raises(NotSupported, match="computes x several times") as refused:
        query(f"SELECT f({argument}) AS a", made("f(x STRING) RETURN concat(x, x)"))
    assert "subquery" in refused.value.remedy


@pytest.mark.parametrize(
    "body", ["transform(array(1, 2), y -> x)", "aggregate(array(1.0D), 0.0D, (total, y) -> total + x)"]
)
def test_argument_inside_lambda_is_computed_per_element(body: str) -> None:
    functions = made(f"g(x DOUBLE) RETURN {body}")
    assert query("SELECT g(a) FROM d.t", functions)
    for argument in ("rand()", "(SELECT max(id) FROM d.t)"):
        with pytest.raises(NotSupported, match="computes x several times"):
            query(f"SELECT g({argument})", functions)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("1", "(CAST(1 AS INT))"),
        ("(1)", "(CAST((1) AS INT))"),
        ("-1", "(CAST(-1 AS INT))"),
        ("-2147483648", "(CAST(-2147483648 AS INT))"),
        ("2147483648", "(2147483648)"),
        ("1.5", "(1.5)"),
        ("1 + 1", "(1 + 1)"),
    ],
)
def test_a_number_is_no_ordinal(body: str, value: str) -> None:
    """Spark takes a plain INT behind GROUP BY and ORDER BY for the place of a column."""
    text = query("SELECT max(id) AS a FROM d.t GROUP BY one() ORDER BY one()", made(f"one() RETURN {body}"))
    assert f"GROUP BY {value} ORDER BY {value}" in text


@pytest.mark.parametrize(
    "name",
    [
        *("not", "interval", "in", "values", "select", "and", "or", "all", "distinct", "as", "between", "case", "cast"),
        *("exists", "extract", "is", "like", "limit", "null", "offset", "position", "substring", "trim", "true"),
        *("union", "except", "where", "with", "`not`", "`If`"),
    ],
)
def test_a_word_of_the_grammar_is_no_name(name: str) -> None:
    with pytest.raises(ForbiddenStatement, match="word of the grammar"):
        made(f"{name}(x INT) RETURN x")


@pytest.mark.parametrize("name", ["f", "group1", "`my f`", "`ä`", "`1f`", "row", "text"])
def test_other_names_can_be_called(name: str) -> None:
    assert "CAST(7 AS INT)" in query(f"SELECT {name}(7) AS a", made(f"{name}(x INT) RETURN x"))


@pytest.mark.parametrize("name", ["abs", "cast", "and", "__lake_x"])
def test_sent_function_needs_a_function_name(name: str) -> None:
    with pytest.raises(LakeError):
        function_read(name, "(x INT) RETURN x")


@pytest.mark.parametrize(
    "argument",
    [
        *("DISTINCT a", "*", "t.*", "x => 1", "x := 1", "1 AS a", "x -> x", "a ORDER BY b", "a LIMIT 1"),
        *("a IGNORE NULLS", "a RESPECT NULLS", "SELECT 1", "a HAVING MAX b"),
    ],
)
def test_an_argument_is_a_value(argument: str) -> None:
    with pytest.raises(NotSupported, match="f takes values alone"):
        query(f"SELECT f({argument}) AS a FROM d.t", made("f(x INT) RETURN x"))


@pytest.mark.parametrize(
    "argument",
    [
        *("a", "NULL", "(SELECT 1)", "(a)", "a > 1 AND b", "sum(a) FILTER (WHERE b)", "CASE WHEN b THEN 1 END", "-a"),
        *("a IN (1)", "EXISTS (SELECT 1)", "X'1F'", "first(a) IGNORE NULLS", "sum(a) OVER ()", "current_date", "a[0]"),
        *("INTERVAL 1 DAY", "(1, 2)", "a.b", "percentile_cont(0.5) WITHIN GROUP (ORDER BY a)", "DATE '2020-01-01'"),
    ],
)
def test_every_kind_of_value_is_an_argument(argument: str) -> None:
    assert query(f"SELECT f({argument}) AS a FROM d.t", made("f(x INT) RETURN x"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT f(a) OVER (ORDER BY b) FROM d.t",
        "SELECT f(a) FILTER (WHERE b) FROM d.t",
        "SELECT f(a) WITHIN GROUP (ORDER BY b) FROM d.t",
        "SELECT f(a) IGNORE NULLS FROM d.t",
        "SELECT f(a) RESPECT NULLS OVER (ORDER BY b) FROM d.t",
        "SELECT * FROM d.t PIVOT (f(a) FOR b IN (1, 2))",
        "SELECT * FROM d.t PIVOT (sum(f(a)) AS c FOR b IN (1, 2))",
        "SELECT * FROM d.t LATERAL VIEW f(a) v AS y",
        "SELECT a IN f(1) FROM d.t",
        "SELECT extract(f(1) FROM a) FROM d.t",
        "SELECT a COLLATE f(1) FROM d.t",
        "SELECT * EXCEPT (f(1)) FROM d.t",
    ],
)
def test_a_call_is_a_value(text: str) -> None:
    with pytest.raises(NotSupported, match="f of the session is a value"):
        query(text, made("f(x INT) RETURN x"))


def test_a_variable_of_a_lambda_is_an_argument() -> None:
    text = query("SELECT transform(a, `e 1` -> f(`e 1`) + f(`e 1`.b)) AS a FROM d.t", made("f(x INT) RETURN x"))
    assert "-> (CAST(`e 1` AS INT)) + (CAST(`e 1`.`b` AS INT))" in text


def test_a_call_stands_inside_of_windows_and_filters() -> None:
    functions = made("f(x INT) RETURN x")
    text = "SELECT sum(f(a)) FILTER (WHERE f(a) > 0) OVER (PARTITION BY f(a) ORDER BY f(b)) AS a FROM d.t"
    assert query(text, functions).count("CAST(`a` AS INT)") == 3


def test_no_argument_name_becomes_variable_of_the_body() -> None:
    functions = made("f(x INT) RETURN transform(array(1), e -> e + x)")
    assert "`id`" in query("SELECT f(id) AS a FROM d.t", functions)
    with pytest.raises(NotSupported, match="e is a variable inside of f"):
        query("SELECT f(e) AS a FROM d.t", functions)


def test_calls_do_not_grow_without_end() -> None:
    names = [f"h{number}" for number in range(10)]
    texts = ["h0(x INT) RETURN x + x"]
    texts += [f"{name}(x INT) RETURN {before}(x) + {before}(x)" for before, name in pairwise(names)]
    with pytest.raises(InvalidValue, match="become more than 5,000 parts"):
        made(*texts)
    nested = "1"
    for _ in range(30):
        nested = f"h0({nested})"
    with pytest.raises(LakeError):
        query(f"SELECT {nested} AS a", made(texts[0]))


@pytest.mark.parametrize("text", ["CREATE VIEW d.v AS SELECT f(1) AS a", "ALTER VIEW d.v AS SELECT f(1) AS a"])
def test_a_view_of_a_database_has_none(text: str) -> None:
    with pytest.raises(NotSupported, match="read in other sessions"):
        parse(text, made("f(x INT) RETURN x"))


def test_temporary_view_and_constraint_keep_the_expression() -> None:
    functions = made("f(x INT) RETURN x > 0")
    view = parse("CREATE TEMP VIEW v AS SELECT f(id) AS a FROM d.t", functions)
    assert isinstance(view, s.CreateTemporaryView)
    assert view.text == "SELECT (CAST(`id` AS INT) > 0) AS `a` FROM `d`.`t`"
    table = parse("CREATE TABLE d.u (a INT CHECK (f(a)))", functions)
    assert isinstance(table, s.CreateTable)
    assert table.checks[0].condition == "(CAST(`a` AS INT) > 0)"


def test_chance_in_a_body_decides_no_rows() -> None:
    with pytest.raises(ForbiddenStatement, match="rand answers differently"):
        parse("DELETE FROM d.t WHERE f(id) > 0", made("f(x INT) RETURN x + rand()"))


@pytest.mark.parametrize(
    "text", ["(x INT) RETURN reflect(x)", "(x INT) RETURN (SELECT 1)", "RETURN 1", "(x INT) RETURN x; DROP TABLE d.t"]
)
def test_sent_function_is_read_as_strictly(text: str) -> None:
    with pytest.raises(LakeError):
        query("SELECT f(1) AS a", Parameters(functions=(("f", text),)))


def test_a_wrong_number_of_arguments_is_refused() -> None:
    with pytest.raises(InvalidValue, match="f takes 1 arguments, and 2 are given"):
        query("SELECT f(1, 2) AS a", made("f(x INT) RETURN x"))
