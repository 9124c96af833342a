"""Which queries show the columns of one table as they are."""

from __future__ import annotations

import time

import pytest

from lakeui.sql.parse import parse
from lakeui.sql.plain import plain_columns
from lakeui.sql.statements import Select


def shown(text: str) -> tuple[tuple[str, str], ...] | str | None:
    """The columns; "*" for all, None where the query does more."""
    statement = parse(text)
    assert isinstance(statement, Select)
    found = plain_columns(statement.query)
    return None if found is None else "*" if found.columns is None else found.columns


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT * FROM d.t", "*"),
        ("SELECT * FROM d.t AS u", "*"),
        ("SELECT * FROM c.d.t VERSION AS OF 3", "*"),
        ("SELECT a, t.b, A FROM d.t", (("a", "a"), ("b", "b"), ("A", "A"))),
        ("SELECT u.a AS x, `b c` FROM d.t u", (("x", "a"), ("b c", "b c"))),
    ],
)
def test_columns_as_they_are(text: str, columns: object) -> None:
    assert shown(text) == columns


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS one",
        "SELECT a + 1 FROM d.t",
        "SELECT upper(a) AS a FROM d.t",
        "SELECT s.x FROM d.t",
        "SELECT a, 1 FROM d.t",
        "SELECT *, a FROM d.t",
        "SELECT * EXCEPT (a) FROM d.t",
        "SELECT DISTINCT a FROM d.t",
        "SELECT a FROM d.t WHERE a > 1",
        "SELECT a FROM d.t ORDER BY a",
        "SELECT a FROM d.t GROUP BY a",
        "SELECT a FROM d.t TABLESAMPLE (10 PERCENT)",
        "SELECT a FROM d.t, d.u",
        "SELECT t.a FROM d.t JOIN d.u ON t.a = u.a",
        "SELECT a FROM d.t UNION ALL SELECT a FROM d.t",
        "SELECT a FROM (SELECT a FROM d.t)",
        "WITH w AS (SELECT a FROM d.t) SELECT a FROM w",
        "SELECT a FROM d.t AS u (b, a)",
        "SELECT a FROM d.t LATERAL VIEW explode(l) x AS y",
        "SELECT a FROM d.t WINDOW w AS (ORDER BY a)",
        "SELECT a FROM d.t HAVING a > 1",
        "SELECT a FROM d.t SORT BY a",
        "VALUES (1)",
        "FROM d.t |> SELECT a |> WHERE a > 1",
    ],
)
def test_what_does_more(text: str) -> None:
    assert shown(text) is None


@pytest.mark.parametrize(
    ("text", "limit"),
    [("SELECT * FROM d.t", None), ("SELECT a FROM d.t LIMIT 3", 3), ("SELECT * FROM d.t LIMIT 0", 0)],
)
def test_a_limit_may_stand(text: str, limit: int | None) -> None:
    statement = parse(text)
    assert isinstance(statement, Select)
    found = plain_columns(statement.query)
    assert found is not None
    assert found.limit == limit


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM d.t LIMIT 1 + 2",
        "SELECT a FROM d.t LIMIT ALL",
        "SELECT a FROM d.t LIMIT 3 OFFSET 1",
        "SELECT a FROM d.t LIMIT 2147483648",
    ],
)
def test_other_limits_are_left_to_spark(text: str) -> None:
    statement = parse(text)
    assert isinstance(statement, Select)
    assert plain_columns(statement.query) is None


def test_a_long_text_is_read_in_linear_time() -> None:
    def seconds(words: int) -> float:
        statement = parse(f"SELECT '{'from ' * words}' AS a, abs(1) AS b FROM d.t")
        assert isinstance(statement, Select)
        began = time.process_time()
        assert plain_columns(statement.query) is None
        return time.process_time() - began

    assert seconds(40_000) < 1
