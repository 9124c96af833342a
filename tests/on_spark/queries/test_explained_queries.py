"""EXPLAIN of a query with Spark's plan, and with what running it took."""

from __future__ import annotations

import re

import pytest

from lakeui.common.errors import InvalidValue, NotSupported
from tests.support.lake import Lake

QUERY = (
    "SELECT t.p, u.`w z`, sum(t.v) AS n FROM d.t JOIN d.u ON t.id = u.id"
    " WHERE t.v > (SELECT min(id) FROM d.u) AND u.`w z` LIKE '/etc%' GROUP BY ALL HAVING n > 1 ORDER BY n DESC LIMIT 5"
)


@pytest.fixture
def tables(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id INT, v INT, p STRING) PARTITIONED BY (p)")
    lake.sql("CREATE TABLE d.u (id INT, `w z` STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 'a'), (2, 6, 'a'), (3, 7, 'b')")
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'b') RENAME TO PARTITION (p = 'c')")
    lake.sql("INSERT INTO d.u VALUES (1, '/etc')")
    return lake


@pytest.mark.parametrize("word", ["FORMATTED", "EXTENDED"])
def test_spark_s_plan_stands_behind_the_files(tables: Lake, word: str) -> None:
    rows = tables.sql(f"EXPLAIN {word} {QUERY}").rows
    assert {"scan", "keep file", "plan"} <= {row[0] for row in rows}
    plan = "\n".join(row[1] for row in rows if row[0] == "plan")
    assert "Join" in plan
    assert "w z" in plan
    for secret in ("file:", "warehouse", "__c", "__lake", "_metadata", "row_index", "#", "Location"):
        assert secret not in plan, plan


def test_a_query_is_run_and_measured(tables: Lake) -> None:
    head = tables.head()
    rows = dict(tables.sql("EXPLAIN ANALYZE SELECT * FROM d.t WHERE v > 4").rows[-2:])
    assert re.fullmatch(r"2 rows in \d+\.\d{3} s", rows["run"])
    assert re.fullmatch(r"2 files of [\d,]+ bytes, with 3 rows, deleted ones too", rows["read"])
    tables.sql("CREATE VIEW d.v AS SELECT p FROM d.t WHERE p = 'c'")
    rows = dict(tables.sql("EXPLAIN ANALYZE SELECT * FROM d.v").rows[-2:])
    assert (rows["run"][:6], rows["read"][:7]) == ("1 row ", "1 file ")
    assert tables.head() == head + 1


def test_a_query_that_fails_says_so(tables: Lake) -> None:
    with pytest.raises(InvalidValue):
        tables.sql("EXPLAIN ANALYZE SELECT 1 / (id - 1) FROM d.t")


def test_explain_analyze_of_writes_is_a_dry_run(tables: Lake) -> None:
    head, before = tables.head(), tables.rows("d.t")
    found = tables.sql("EXPLAIN ANALYZE DELETE FROM d.t WHERE v > 4")
    steps = [row[0] for row in found.rows]
    assert {"delete rows", "scan", "keep file", "run"} <= set(steps)
    assert ["would", f"rows deleted: {found.metrics['rows_deleted']}"] in found.rows
    assert (tables.head(), tables.rows("d.t")) == (head, before)
    with pytest.raises(NotSupported, match="takes a query"):
        tables.sql("EXPLAIN FORMATTED DELETE FROM d.t")
