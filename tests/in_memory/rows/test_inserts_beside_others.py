"""An INSERT that finds its branch moved: its rows meet no other, so that none is looked at."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from lakeui.common.errors import LakeError
from merge_app.execution import input_facts
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.support.lake import Lake
from tests.support.rows import run

OTHERS = [
    "INSERT INTO d.t VALUES (8, 'a')",
    "DELETE FROM d.t WHERE id = 1",
    "UPDATE d.t SET p = 'c' WHERE id = 2",
    "INSERT OVERWRITE d.t VALUES (7, 'b')",
    "INSERT OVERWRITE d.t PARTITION (p = 'a') SELECT 7",
    "TRUNCATE TABLE d.t",
    "ALTER TABLE d.t DROP PARTITION (p = 'a')",
    "ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')",
    "OPTIMIZE d.t",
    "RESTORE TABLE d.t TO VERSION AS OF 3",
    "MERGE BRANCH b",
    "ALTER TABLE d.t ADD COLUMN w INT",
    "ALTER TABLE d.t ADD CONSTRAINT q CHECK (id < 9)",
    "ALTER TABLE d.t ALTER COLUMN id SET NOT NULL",
    "DROP TABLE d.t",
    "DROP DATABASE d CASCADE",
]


def made(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    run(lake, "main", "INSERT INTO d.t VALUES (1, 'a')", "INSERT INTO d.t VALUES (2, 'b')", "CREATE BRANCH b")
    run(lake, "b", "DELETE FROM d.t WHERE id = 2", "INSERT INTO d.t VALUES (6, 'a')")


def ended(lake: Lake, other: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What becomes of an INSERT beside another statement: the rows, or the codes of the refusal."""
    made(lake)
    try:
        with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql(other)):
            lake.sql("INSERT INTO d.t VALUES (9, 'a')")
    except LakeError as refusal:
        return refusal.code, sorted(item["code"] for item in refusal.details.get("conflicts", []))
    assert lake.breaches() == []
    return lake.rows("d.t")


@pytest.mark.parametrize("other", OTHERS)
def test_insert_ends_as_where_rows_are_looked_at(lake: Lake, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ended(lake, other, monkeypatch)
    second = Lake()
    second.sql("CREATE DATABASE d")
    monkeypatch.setattr(input_facts, "_meets_no_row", lambda *given: False)
    assert ended(second, other, monkeypatch) == found


def test_insert_takes_few_more_statements_beside_other_commit(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    made(lake)
    counted: list[str] = []

    def count(execute: Any, query: str, *rest: Any) -> Any:
        counted.append(query)
        return execute(query, *rest)

    def inserted(row: int) -> int:
        counted.clear()
        with connection.execute_wrapper(count):
            lake.sql(f"INSERT INTO d.t VALUES ({row}, 'a')")
        return len(counted)

    inserted(7)
    alone = inserted(8)
    with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("INSERT INTO d.t VALUES (9, 'a')")):
        assert inserted(10) <= alone + 4
