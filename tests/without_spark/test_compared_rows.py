"""``…/compare/{source}...{destination}/objects/table/{id}/rows/`` over HTTP (see ``in_memory/test_changed_rows``)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.support.http import Http
from tests.support.lake import Lake


@pytest.fixture
def client(lake: Lake) -> Client:
    lake.sql("CREATE TABLE d.t (id int, name string)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("CREATE BRANCH b")
    return Http(lake).client


def changed(client: Client, lake: Lake, table: str, only: str = "") -> dict[str, Any]:
    number = {row[1]: row[2] for row in lake.sql("SHOW TABLES IN d").rows}[table]
    address = f"/api/v1/catalogs/{lake.catalog}/compare/k...main/objects/table/{number}/rows/{only}"
    body: dict[str, Any] = client.get(address, {} if only else {"side": "source"}).json()
    return body


@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (name, id)"])
def test_both_row_comparisons_name_a_row_alike(lake: Lake, client: Client, key: str) -> None:
    """A comment on a changed row stands beside it also where it conflicts, whatever the branch calls its key."""
    lake.sql(f"CREATE TABLE d.u (id int NOT NULL, name string NOT NULL, n int{key})")
    lake.sql("INSERT INTO d.u VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0)")
    lake.sql("CREATE BRANCH k")
    for statement in (
        "UPDATE d.u SET n = 1 WHERE id = 1",
        "DELETE FROM d.u WHERE id = 2",
        "INSERT INTO d.u VALUES (4, 'é \"', 0)",
    ):
        lake.sql(statement, "k")
    one = changed(client, lake, "u")
    assert len(one["keys"]) == len(one["rows"]) == 4
    assert set(one["keys"]) == {row["key"] for row in changed(client, lake, "u", "sides/")["rows"]}
    assert one["keys"][0] == one["keys"][1] == ('{"name":"a","id":1}' if key else str(one["rows"][0][1]))


def test_rows_keep_names_after_renaming_the_key(lake: Lake, client: Client) -> None:
    lake.sql("CREATE TABLE d.u (id int PRIMARY KEY, n int)")
    lake.sql("INSERT INTO d.u VALUES (1, 0)")
    lake.sql("CREATE BRANCH k")
    lake.sql("UPDATE d.u SET n = 1", "k")
    lake.sql("ALTER TABLE d.u RENAME COLUMN id TO ident")
    assert changed(client, lake, "u")["keys"] == ['{"ident":1}'] * 2
    assert [row["key"] for row in changed(client, lake, "u", "sides/")["rows"]] == ['{"ident":1}']


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


def test_page_bounds_changed_rows_and_splits_no_update(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET name = upper(name)", "b")
    assert pages(client, lake, "source", limit=2) == [
        [["update_before", 1, "a"], ["update_after", 1, "A"], ["update_before", 2, "b"], ["update_after", 2, "B"]],
        [["update_before", 3, "c"], ["update_after", 3, "C"]],
    ]


def test_new_columns_are_missing_in_earlier_rows(lake: Lake, client: Client) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN extra int", "b")
    lake.sql("UPDATE d.t SET extra = 7 WHERE id = 1", "b")
    assert pages(client, lake, "source") == [[["update_before", 1, "a", None], ["update_after", 1, "a", 7]]]


def test_table_dropped_on_side_has_no_rows_there(lake: Lake, client: Client) -> None:
    table = lake.sql("SHOW TABLES IN d").rows[0][2]
    lake.sql("DROP TABLE d.t")
    response = client.get(
        f"/api/v1/catalogs/{lake.catalog}/compare/b...main/objects/table/{table}/rows/", {"side": "destination"}
    )
    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
