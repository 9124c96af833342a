"""How often a write calls PostgreSQL, BEGIN and COMMIT included: each call costs a round trip, whatever the rows."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.lake import Lake
from tests.support.rows import run

WRITES = {
    "INSERT INTO d.t VALUES (8, 'n')": 11,
    "UPDATE d.t SET v = 'u' WHERE id = 1": 14,
    "DELETE FROM d.t WHERE id = 2": 11,
    "INSERT INTO d.t VALUES (8, 'n') DRY RUN": 8,
    "UPDATE d.t SET v = 'u' WHERE id = 1 DRY RUN": 9,
    "DELETE FROM d.t WHERE id = 2 DRY RUN": 8,
}


def calls(lake: Lake, text: str) -> int:
    """How many the second of two equal statements on a branch takes."""
    run(lake, "main", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (0, 'a')", "CREATE BRANCH b")
    for number in range(2):
        run(lake, "b", f"INSERT INTO d.t VALUES (1, 'a{number}'), (2, 'b{number}')")
        with CaptureQueriesContext(connection) as called:
            lake.sql(text, "b")
    return len(called)


@pytest.mark.parametrize("text", WRITES)
def test_write_calls_postgresql_few_times(lake: Lake, text: str) -> None:
    assert calls(lake, text) == WRITES[text]


def test_create_branch_calls_postgresql_few_times(lake: Lake) -> None:
    run(lake, "main", "CREATE TABLE d.t (id INT)", "CREATE BRANCH b", "CREATE BRANCH c FROM b")
    with CaptureQueriesContext(connection) as called:
        lake.sql("CREATE BRANCH e FROM c")
    assert len(called) == 9
