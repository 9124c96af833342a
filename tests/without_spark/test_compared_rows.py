"""``…/compare/{source}...{destination}/objects/table/{id}/rows/`` over HTTP (see ``in_memory/test_changed_rows``)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.e2e.http import Http
from tests.e2e.lake import Lake


@pytest.fixture
def client(lake: Lake) -> Client:
    lake.sql("CREATE TABLE d.t (id int, name string)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("CREATE BRANCH b")
    return Http(lake).client


def pages(client: Client, lake: Lake, side: str, pair: str = "b...main", limit: int = 50) -> list[list[list[Any]]]:
    """Pages of changed rows, without their row ids."""
    table = lake.sql("SHOW TABLES IN d").rows[0][2]
    address: str | None = (
        f"/api/v1/catalogs/{lake.catalog}/compare/{pair}/objects/table/{table}/rows/?side={side}&limit={limit}"
    )
    found = []
    while address:
        response = client.get(address)
        assert response.status_code == 200, response.content
        body = response.json()
        assert [column["name"] for column in body["columns"]][:2] == ["change", "row_id"]
        found.append([[row[0], *row[2:]] for row in body["rows"]])
        address = body["next"]
    return found


def test_a_page_holds_so_many_changed_rows_and_never_half_an_update(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET name = upper(name)", "b")
    assert pages(client, lake, "source", limit=2) == [
        [["update_before", 1, "a"], ["update_after", 1, "A"], ["update_before", 2, "b"], ["update_after", 2, "B"]],
        [["update_before", 3, "c"], ["update_after", 3, "C"]],
    ]


def test_a_column_that_only_the_branch_has_is_missing_in_the_rows_before(lake: Lake, client: Client) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN extra int", "b")
    lake.sql("UPDATE d.t SET extra = 7 WHERE id = 1", "b")
    assert pages(client, lake, "source") == [[["update_before", 1, "a", None], ["update_after", 1, "a", 7]]]


def test_a_table_dropped_on_a_side_has_no_rows_there(lake: Lake, client: Client) -> None:
    table = lake.sql("SHOW TABLES IN d").rows[0][2]
    lake.sql("DROP TABLE d.t")
    response = client.get(
        f"/api/v1/catalogs/{lake.catalog}/compare/b...main/objects/table/{table}/rows/", {"side": "destination"}
    )
    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
