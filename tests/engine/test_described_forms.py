"""Which queries have the same columns: Spark is asked about one of them."""

from __future__ import annotations

import pytest

from catalog_app.engine.describing import without_compared

SAME = [
    ("SELECT a FROM {0} WHERE a > 5", "SELECT a FROM {0} WHERE a > 17"),
    ("SELECT a FROM {0} WHERE a = 'x' AND b > 1.5", "SELECT a FROM {0} WHERE a = 'it\\'s' AND b > 2.25"),
    ("WITH q AS (SELECT 1 AS a) SELECT a FROM q WHERE a > 1", "WITH q AS (SELECT 1 AS a) SELECT a FROM q WHERE a > 2"),
    ("SELECT a FROM {0} WHERE a > 5 GROUP BY ALL", "SELECT a FROM {0} WHERE a > 6 GROUP BY ALL"),
    ("SELECT a FROM {0} WHERE a > 5 UNION SELECT 1", "SELECT a FROM {0} WHERE a > 6 UNION SELECT 1"),
]
OTHER = [
    ("SELECT 5", "SELECT 6"),
    ("SELECT a + 5 FROM {0}", "SELECT a + 6 FROM {0}"),
    ("SELECT where + 5 FROM {0}", "SELECT where + 6 FROM {0}"),
    ("SELECT t.where + 5 FROM {0} t", "SELECT t.where + 6 FROM {0} t"),
    ("SELECT count(*) FILTER (WHERE a > 5) FROM {0}", "SELECT count(*) FILTER (WHERE a > 6) FROM {0}"),
    ("SELECT a FROM {0} WHERE a > 5 UNION SELECT 1", "SELECT a FROM {0} WHERE a > 5 UNION SELECT 10000000000"),
    ("SELECT a FROM {0} WHERE a > 5 GROUP BY a HAVING a > 1", "SELECT a FROM {0} WHERE a > 5 GROUP BY a HAVING a > 2"),
    ("SELECT 'x FROM y WHERE ', 5 FROM {0}", "SELECT 'x FROM y WHERE ', 6 FROM {0}"),
    ("SELECT `FROM t WHERE` + 5 FROM {0}", "SELECT `FROM t WHERE` + 6 FROM {0}"),
    ("SELECT (SELECT max(b) FROM {1} WHERE b > 5) FROM {0}", "SELECT (SELECT max(b) FROM {1} WHERE b > 6) FROM {0}"),
    ("SELECT a FROM {0} WHERE a > 5", "SELECT a FROM {0} WHERE b > 5"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_rows_are_compared_with_changes_no_column(one: str, other: str) -> None:
    assert without_compared(one) == without_compared(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_columns_have_other_forms(one: str, other: str) -> None:
    assert without_compared(one) != without_compared(other)
