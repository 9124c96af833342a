"""Sizes that a statement may ask for: judged in the text where it gives them, by the engine where rows do."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.sql.query import build_query


@pytest.mark.parametrize(
    "expression",
    [
        "repeat('x', 2000000000)",
        "repeat('0123456789', 2 * 1000000)",
        "space(16777217)",
        "lpad('x', 5000000, 'y')",
        "rpad('x', 5000000)",
        "randstr(20000000)",
        "array_repeat('x', 1000001)",
        "sequence(1, 1000002)",
        "sequence(-1000002, 1)",
    ],
)
def test_size_in_text_is_refused_before_the_engine(expression: str) -> None:
    with pytest.raises(InvalidValue, match="would make a value of more than"):
        build_query(f"SELECT {expression}")


@pytest.mark.parametrize(
    "expression",
    ["repeat('x', int(pow(10, 9)))", "repeat('x', int(rand() * 1e9))", "space((SELECT 2000000000))"],
)
def test_a_size_that_cannot_be_checked_is_refused(expression: str) -> None:
    with pytest.raises(InvalidValue, match="The size that"):
        build_query(f"SELECT {expression}")


LARGE = "repeat('x', 16000000)"


@pytest.mark.parametrize(
    "expression",
    [
        " || ".join([LARGE] * 5),
        f"concat({', '.join([LARGE] * 5)})",
        f"concat_ws('', {', '.join([LARGE] * 5)})",
        f"format_string('%s%s%s%s%s', {', '.join([LARGE] * 5)})",
        f"CAST({LARGE} || {LARGE} AS STRING) || upper(concat({', '.join([LARGE] * 3)}))",
        " || ".join(["lpad(c, n)"] * 5),
        " || ".join([LARGE] * 1900),
    ],
)
def test_values_that_one_expression_joins_are_bounded_together(expression: str) -> None:
    with pytest.raises(InvalidValue, match="joins values that together have more than 67108864 bytes"):
        build_query(f"SELECT {expression} FROM d.t")


@pytest.mark.parametrize(
    "expression",
    [
        " || ".join(["lpad(c, 20, '0')"] * 100),
        ", ".join([LARGE] * 5),
        f"{LARGE} || {LARGE}",
        " AND ".join(["lpad(c, n) = 'x'"] * 20),
    ],
)
def test_small_values_and_separate_values_are_joined_freely(expression: str) -> None:
    assert build_query(f"SELECT {expression} FROM d.t")


X16 = "SELECT repeat('x', 16000000) AS c"


@pytest.mark.parametrize(
    "query",
    [
        # Aggregates that keep every value.
        f"SELECT array_join(collect_list(c), '') FROM ({X16}) CROSS JOIN range(1000)",
        f"SELECT string_agg(c, '') FROM (SELECT c FROM ({X16}) LATERAL VIEW explode(sequence(1, 1000)) t AS n)",
        f"SELECT listagg(c, '') WITHIN GROUP (ORDER BY c) FROM ({X16}) a JOIN range(9) ON true",
        f"SELECT array_agg(c) OVER () FROM ({X16}) a CROSS JOIN range(500)",
        "SELECT id % 3, collect_list(repeat('x', 16000000)) FROM range(100) GROUP BY 1",
        "SELECT collect_list(id) FROM range(1000000000)",
        "SELECT collect_list(a.id) FROM range(100000) a CROSS JOIN range(100000) b",
        "SELECT percentile(id, 0.5) FROM range(1000000000)",
        # Doubled from step to step.
        "WITH "
        + ", ".join(f"t{n} AS (SELECT c || c AS c FROM t{n - 1})" if n else f"t0 AS ({X16})" for n in range(4))
        + " SELECT * FROM t3",
        "SELECT length(c) FROM (SELECT concat(c, c, c) c FROM (SELECT concat(c, c, c) c FROM "
        f"(SELECT concat(c, c, c) AS c FROM ({X16}))))",
        "SELECT c || d || e || c || d FROM (SELECT * FROM " + f"({X16}) JOIN (SELECT c AS d, c AS e FROM ({X16})))",
        f"SELECT a.c || b.c || a.c || b.c || a.c FROM ({X16}) a JOIN ({X16}) b ON true",
        "SELECT " + ", ".join(["repeat('x', 16000000) AS a0", *(f"a{n} || a{n} AS a{n + 1}" for n in range(4))]),
        "SELECT c FROM (" + "SELECT c || c AS c FROM (" * 24 + "SELECT c FROM d.t" + ")" * 25,
        "WITH RECURSIVE r AS (SELECT 'x' AS c UNION ALL SELECT c || c FROM r) SELECT * FROM r",
        "WITH RECURSIVE r(n, c) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, c || repeat('y', 9000000) FROM r) SELECT 1",
        # Lambdas.
        "SELECT aggregate(sequence(1, 40), 'x', (a, x) -> concat(a, a))",
        "SELECT reduce(sequence(1, 1000), '', (a, x) -> a || repeat('x', 1000000))",
        "SELECT transform(sequence(1, 1000), x -> repeat('x', 1000000))",
        f"SELECT transform(sequence(1, 1000), x -> c) FROM ({X16})",
        # Other functions that grow.
        "SELECT replace(repeat('x', 1000000), 'x', repeat('y', 1000000))",
        "SELECT regexp_replace(repeat('x', 1000000), '', repeat('y', 1000))",
        "SELECT array_join(sequence(1, 1000000), repeat(',', 1000))",
        "SELECT concat_ws(repeat(',', 1000), sequence(1, 1000000))",
        f"SELECT hex(hex(hex(c))) FROM ({X16})",
        f"SELECT split(c, '') FROM ({X16})",
        "SELECT format_string('%2000000000s', 'x')",
        f"SELECT map_from_arrays(array(c, c, c), array(c, c, c)) FROM ({X16})",
        "SELECT count_min_sketch(id, 0.000000001, 0.99, 1) FROM range(5)",
        f"SELECT 1 FROM d.t WHERE (SELECT c || c || c || c || c FROM ({X16})) = 'x'",
        f"SELECT 1 UNION ALL SELECT length(c || c || c || c || c) FROM ({X16})",
        "SELECT max(c || c || c || c || c) OVER () FROM (VALUES (repeat('x', 16000000))) AS v(c)",
    ],
)
def test_values_joined_in_several_steps_are_bounded(query: str) -> None:
    with pytest.raises(InvalidValue, match="joins values that together have more than 67108864 bytes"):
        build_query(query)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("format_number(1.5, 2000000000)", "would make a value of more than 16777216 bytes"),
        ("array_insert(array(1), 2000000000, 1)", "would make a value of more than 1000000 elements"),
        ("array_insert(array(1), -2000000000, 1)", "would make a value of more than 1000000 elements"),
        ("printf(concat('%', '2000000000', 's'), 'x')", "is no text in quotes"),
        ("stack(2000000000, 1)", "stack makes at most 1000 rows"),
    ],
)
def test_sizes_of_functions_that_pad_are_bounded(expression: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        build_query(f"SELECT {expression}")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT collect_list(v), string_agg(upper(v), ', '), array_join(collect_set(c || d), ',') FROM d.t GROUP BY k",
        "SELECT collect_list(struct(*)) FROM d.t",
        "SELECT collect_list(id) FROM range(100000)",
        "SELECT aggregate(split(c, ''), '', (a, x) -> concat(x, a)) FROM d.t",
        "SELECT aggregate(sequence(1, n), 0, (a, x) -> a + x) FROM d.t",
        "SELECT transform(a, x -> transform(x, y -> transform(y, z -> upper(z)))) FROM d.t",
        "SELECT replace(replace(replace(replace(c, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '\"', '&quot;') FROM d.t",
        "WITH RECURSIVE r(n, p) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, p || '/' || name FROM r JOIN d.t ON id = n)"
        " SELECT * FROM r",
        "SELECT format_number(c, '#.##'), format_number(c, 2), array_insert(a, -1, 2) FROM d.t",
        "SELECT CASE " + " ".join(f"WHEN c = {n} THEN lpad(c, {n})" for n in range(500)) + " END FROM d.t",
        "SELECT coalesce(" + ", ".join(["lpad(c, n)"] * 5) + ") FROM d.t",
        "SELECT stack(2, 1, 'a', 2, 'b')",
        "SELECT " + " || ".join(["c"] * 1900) + " FROM d.t",
        "SELECT " + " + ".join(["length(c)"] * 1900) + " FROM d.t",
        "SELECT percentile(v, 0.5), median(v) FROM d.t GROUP BY k",
    ],
)
def test_what_people_write_is_not_refused(query: str) -> None:
    assert build_query(query)


def test_values_growing_inside_each_other_have_a_limit() -> None:
    deep = "c"
    for _ in range(4):
        deep = f"repeat({deep}, n)"
    with pytest.raises(InvalidValue, match="in more than 3 functions"):
        build_query(f"SELECT {deep} FROM d.t")


@pytest.mark.parametrize("expression", ["repeat('x', 3)", "space(3)", "lpad('x', 3)", "repeat(1, 3)"])
def test_a_size_in_the_text_costs_no_check(expression: str) -> None:
    assert build_query(f"SELECT {expression}").text == f"SELECT {expression}"


def test_size_of_row_is_checked_in_argument_itself() -> None:
    """In the argument: an optimizer that knows the row computes ``repeat`` of it before it looks at a condition."""
    text = build_query("SELECT repeat('x', n) AS r FROM d.t").text
    assert text.startswith("SELECT repeat('x', IF(CAST(`n` AS DOUBLE) > 16777216, RAISE_ERROR(")


def test_a_checked_column_keeps_its_name() -> None:
    assert " AS `repeat(c, n)`" in build_query("SELECT repeat(c, n) FROM d.t").text


def test_repetitions_inside_of_each_other_have_a_limit() -> None:
    deep = "1"
    for _ in range(6):
        deep = f"aggregate(a, 0, (s, x) -> {deep})"
    with pytest.raises(InvalidValue, match="stand in more than 5 others"):
        build_query(f"SELECT {deep} FROM d.t")
