"""``…/objects/table/{id}/profile/`` over HTTP: counts of the rows that the merge looks at."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.e2e.http import Http
from tests.e2e.lake import Lake


@pytest.fixture
def client(lake: Lake) -> Client:
    lake.sql("CREATE TABLE d.t (id int, name string, amount int, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 15), (2, 'b', 25), (3, 'c', 35), (4, 'd', 40)")
    lake.sql("CREATE BRANCH b")
    return Http(lake).client


def profile(client: Client, lake: Lake) -> Any:
    table = lake.sql("SHOW TABLES IN d").rows[0][2]
    response = client.get(f"/api/v1/catalogs/{lake.catalog}/compare/b...main/objects/table/{table}/profile/")
    assert response.status_code == 200, response.content
    return response.json()


def counted(found: Any, column: str) -> Any:
    (entry,) = (entry for entry in found["columns"] if entry["column"]["name"] == column)
    return entry


def test_only_the_rows_that_the_source_changed_are_counted(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET amount = NULL WHERE id <= 2", "b")
    lake.sql("DELETE FROM d.t WHERE id = 3", "b")
    lake.sql("INSERT INTO d.t VALUES (5, 'e', 9)", "b")
    lake.sql("INSERT INTO d.t VALUES (6, 'f', 99)")
    found = profile(client, lake)
    assert [found[name] for name in ("inserted", "updated", "deleted", "open", "is_whole")] == [1, 2, 1, 0, True]
    amount = counted(found, "amount")
    assert (amount["updated"], amount["changed"]) == (2, 2)
    assert amount["before"] == {
        "rows": 3, "nulls": 0, "distinct": 3, "least": 15, "largest": 35, "mean": 25.0,
    }  # fmt: skip
    assert amount["after"] == {
        "rows": 3, "nulls": 2, "distinct": 1, "least": 9, "largest": 9, "mean": 9.0,
    }  # fmt: skip
    assert amount["merged"] == amount["after"]
    assert counted(found, "name")["changed"] == 0
    assert [risk["code"] for risk in found["risks"]] == ["ROWS_LOST", "NULLS_RISEN"]


def test_rows_in_open_conflict_have_no_merged_values(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET name = 'x' WHERE id <= 2", "b")
    lake.sql("UPDATE d.t SET name = 'y' WHERE id = 1")
    found = profile(client, lake)
    assert (found["updated"], found["open"]) == (2, 1)
    name = counted(found, "name")
    assert (name["after"]["rows"], name["merged"]["rows"]) == (2, 1)
