"""How often a statement calls Spark: each call costs a round trip, and most of what a small statement takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.connect.client.core import SparkConnectClient

from tests.on_spark.conftest import services
from tests.support.lake import Lake

__all__ = ["services"]

CALLS = {"_execute_and_fetch_as_iterator": "execute", "_execute": "execute", "_analyze": "analyze", "config": "config"}
UPSERT = """MERGE INTO d.t USING (SELECT {0} AS counted, 'm{0}' AS called) s ON t.counted = s.counted
    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
SUBQUERY = "DELETE FROM d.t WHERE counted IN (SELECT counted FROM d.t WHERE counted = {0})"
KEYS = "DELETE FROM d.t WHERE counted IN (SELECT counted FROM d.t) AND called = 'none'"
KEPT = "UPDATE d.t SET called = '{0}' WHERE EXISTS (SELECT 1 FROM d.t o WHERE o.counted = t.counted)"
FIRST = {
    "INSERT INTO d.t VALUES (1, 'a'), (2, NULL)": {},
    "INSERT INTO d.numbers VALUES (1.5), (0.5D), (-2)": {},
    "INSERT INTO d.t VALUES (20, upper('a'))": {"analyze": 1, "execute": 1},
    "INSERT INTO d.t SELECT counted + 10, called FROM d.t": {"analyze": 1, "execute": 1},
    "SELECT * FROM d.t WHERE counted = 1": {"analyze": 1, "execute": 1},
    "SELECT count(*), array(max(counted)) FROM d.t": {"analyze": 1, "execute": 1},
    "UPDATE d.t SET called = 'b' WHERE counted = 1": {"analyze": 1},
    "UPDATE d.t SET called = upper(called) WHERE counted > 1": {"analyze": 2, "execute": 1},
    "DELETE FROM d.t WHERE counted = 11": {"analyze": 1},
    "DELETE FROM d.t WHERE counted > 19": {"analyze": 1, "execute": 1},
    SUBQUERY.format(13): {"analyze": 1, "execute": 1},
    KEYS: {},
    KEPT.format("g"): {"analyze": 1},
    UPSERT.format(2): {"analyze": 2, "execute": 1},
    UPSERT.format(30): {"analyze": 1, "execute": 1},
}
"""Statements one after the other on an empty table."""
AGAIN = {
    "INSERT INTO d.t VALUES (3, 'c')": {},
    "INSERT INTO d.t SELECT counted + 10, called FROM d.t": {"execute": 1},
    "SELECT * FROM d.t WHERE counted = 1": {"execute": 1},
    "UPDATE d.t SET called = 'd' WHERE counted = 3": {},
    "UPDATE d.t SET called = upper(called) WHERE counted > 2": {"execute": 1},
    "DELETE FROM d.t WHERE counted = 12": {},
    SUBQUERY.format(13): {"execute": 1},
    KEYS: {},
    KEPT.format("h"): {},
    "DELETE FROM d.t WHERE counted IN (SELECT 41)": {"analyze": 1, "execute": 1},
    UPSERT.format(30): {"execute": 1},
}
"""Statements of the same form: what Spark said of their types still holds."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()
    for name, kind in CALLS.items():
        monkeypatch.setattr(SparkConnectClient, name, _counting(getattr(SparkConnectClient, name), kind, counted))
    return counted


def _counting(called: Callable[..., Any], kind: str, counted: Counter[str]) -> Callable[..., Any]:
    def count(*given: Any, **named: Any) -> Any:
        counted[kind] += 1
        return called(*given, **named)

    return count


def test_statements_call_spark_only_as_often_as_needed(services: None, calls: Counter[str]) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (counted INT, called STRING)")
    lake.sql("CREATE TABLE d.numbers (x DOUBLE)")
    lake.sql("SELECT 1")
    found = []
    for statement in [*FIRST, *AGAIN]:
        calls.clear()
        lake.sql(statement)
        # Whether the session is still known is asked by the clock.
        found.append((statement, {kind: number for kind, number in calls.items() if kind != "config"}))
    assert found == [*FIRST.items(), *AGAIN.items()]
