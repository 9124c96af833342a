"""``|>``: what each operator becomes, and what is refused by name. What the rows are is asked of both sides in
tests/differential/cases/pipes.sql.
"""

from __future__ import annotations

import pytest

from catalog_app.pruning.predicates import ANYTHING
from lakeui.common.errors import InvalidValue, NotSupported, SyntaxProblem
from lakeui.sql.dialect import read_query, write
from lakeui.sql.query import build_query

REWRITES = {
    "FROM d.t |> WHERE a > 1 |> SELECT a": "SELECT `a` FROM `d`.`t` WHERE `a` > 1",
    "FROM d.t |> LIMIT 2 |> WHERE a > 1": "SELECT * FROM (SELECT * FROM `d`.`t` LIMIT 2) AS `t` WHERE `a` > 1",
    "FROM d.t |> OFFSET 1 |> LIMIT 2": "SELECT * FROM `d`.`t` LIMIT 2 OFFSET 1",
    "FROM d.t |> LIMIT 2 |> OFFSET 1": "SELECT * FROM (SELECT * FROM `d`.`t` LIMIT 2) AS `t` OFFSET 1",
    "FROM d.t |> LIMIT 1 + 1 |> LIMIT 1": "SELECT * FROM (SELECT * FROM `d`.`t` LIMIT 1 + 1) AS `t` LIMIT 1",
    "FROM d.`t@dev` |> LIMIT 1 |> SELECT t.a": "SELECT `t`.`a` FROM (SELECT * FROM `d`.`t@dev` LIMIT 1) AS `t`",
    "FROM d.t |> JOIN d.u ON t.a = u.a |> ORDER BY u.b |> LIMIT 1 |> SELECT t.a AS x": (
        "SELECT `t`.`a` AS `x` FROM `d`.`t` JOIN `d`.`u` ON `t`.`a` = `u`.`a` ORDER BY `u`.`b` LIMIT 1"
    ),
    "FROM d.t |> JOIN d.u USING (a) |> ORDER BY b |> SELECT c AS b": (
        "(SELECT * FROM `d`.`t` JOIN `d`.`u` USING (`a`) ORDER BY `b`) |> SELECT `c` AS `b`"
    ),
    "FROM d.t |> JOIN d.u USING (a) |> ORDER BY 2 |> SELECT a": (
        "(SELECT * FROM `d`.`t` JOIN `d`.`u` USING (`a`) ORDER BY 2) |> SELECT `a`"
    ),
    "FROM d.t |> JOIN d.u USING (a) |> EXTEND 1 AS x |> WHERE u.b > x |> AGGREGATE count(*) GROUP BY t.c AS y": (
        "(SELECT *, 1 AS `x` FROM `d`.`t` JOIN `d`.`u` USING (`a`)) |> WHERE `u`.`b` > `x` "
        "|> AGGREGATE count(*) GROUP BY `t`.`c` AS `y`"
    ),
    "FROM d.t |> JOIN d.u USING (a) |> LIMIT 9 |> ORDER BY t.b |> OFFSET 1 |> LIMIT 2 |> AS q |> SELECT DISTINCT q.b": (
        "SELECT DISTINCT `q`.`b` FROM ((SELECT * FROM `d`.`t` JOIN `d`.`u` USING (`a`) LIMIT 9) |> ORDER BY `t`.`b` "
        "|> OFFSET 1 |> LIMIT 2) AS `q`"
    ),
    "WITH c AS (SELECT 1 AS a) FROM c |> LEFT JOIN d.t USING (a) |> LIMIT 1 |> JOIN d.u ON u.b = t.b": (
        "WITH `c` AS (SELECT 1 AS `a`) (SELECT * FROM `c` LEFT JOIN `d`.`t` USING (`a`) LIMIT 1) "
        "|> JOIN `d`.`u` ON `u`.`b` = `t`.`b`"
    ),
    "VALUES (1) AS z(a) |> WHERE z.a > 1": "(VALUES (1) AS `z`(`a`)) |> WHERE `z`.`a` > 1",
    "FROM d.t |> AGGREGATE count(*)": "SELECT count(*) FROM `d`.`t` HAVING TRUE",
}


@pytest.mark.parametrize(("text", "expected"), REWRITES.items())
def test_operator_is_a_clause_or_a_select_around(text: str, expected: str) -> None:
    assert write(read_query(text)) == expected


def test_a_table_is_a_query_inside_of_another() -> None:
    written = "SELECT `a` FROM `d`.`t` UNION SELECT * FROM `d`.`u`"
    assert write(read_query("SELECT a FROM d.t UNION TABLE d.u")) == written
    assert write(read_query("SELECT table FROM d.t AS table")) == "SELECT `table` FROM `d`.`t` AS `table`"


def test_a_where_behind_its_table_leaves_out_files() -> None:
    assert build_query("FROM d.t |> WHERE a > 1").where["__lake_0"] != ANYTHING
    assert build_query("FROM d.t |> LIMIT 2 |> WHERE a > 1").where == {}


REFUSED = {
    "FROM d.t |> SET a = 1": (NotSupported, "|> SET is not supported", "EXTEND"),
    "FROM d.t |> WINDOW w AS (ORDER BY a)": (NotSupported, "|> WINDOW is not supported", "OVER"),
    "FROM d.t |> RENAME a AS b": (NotSupported, "|> RENAME is not supported", "SELECT"),
    "FROM d.t |> DISTINCT": (NotSupported, "|> DISTINCT is not supported", "SELECT DISTINCT"),
    "FROM d.t |> AGGREGATE count(*) GROUP BY 1": (InvalidValue, "no position", "Write the column"),
    "FROM d.t |> LATERAL VIEW explode(a) e AS x": (SyntaxProblem, "stands one of WHERE, SELECT", ""),
    "FROM d.t |> SELECT a WHERE a > 1": (SyntaxProblem, "columns only", ""),
    "FROM d.t |> WHERE a > 1 ORDER BY a": (SyntaxProblem, "a |> of its own", ""),
    "FROM d.t |> AS x, y": (SyntaxProblem, "a |> of its own", ""),
    "FROM d.t |> DROP a + 1": (SyntaxProblem, "", ""),
    "FROM d.t |> EXTEND": (SyntaxProblem, "a column that is added", ""),
    "FROM d.t |> ": (SyntaxProblem, "stands one of WHERE, SELECT", ""),
}


@pytest.mark.parametrize("text", REFUSED)
def test_unsupported_operator_is_refused_by_name(text: str) -> None:
    kind, why, way_out = REFUSED[text]
    with pytest.raises(kind) as caught:
        read_query(text)
    assert why in caught.value.message
    assert way_out in (caught.value.remedy or "")
