"""``…/comments/``: on the request, on an object, on a cell; threads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake


def said(lake: ReviewLake, by: str = "bob", body: str = "Why?", **place: Any) -> Any:
    response = lake.post(by, "1/comments/", {"body": body, **place})
    assert response.status_code == 201, response.content
    return response.json()


def bodies(lake: ReviewLake, query: str = "") -> list[str]:
    return [entry["body"] for entry in lake.read(f"merge-requests/1/comments/{query}")["results"]]


def deleted(lake: ReviewLake, by: str, path: str) -> Any:
    caller = lake.people[by]
    return caller.client.delete(f"{lake.requests}1/comments/{path}", headers=caller.headers)


def settled(lake: ReviewLake, by: str, comment: int) -> Any:
    caller = lake.people[by]
    return caller.client.put(f"{lake.requests}1/comments/{comment}/resolved/", headers=caller.headers)


@pytest.fixture(autouse=True)
def opened(lake: ReviewLake) -> None:
    lake.open()


def test_comments_are_on_request_object_or_cell(lake: ReviewLake) -> None:
    table = {"object_kind": "table", "object_id": lake.table_id}
    cell = {**table, "rule_table": "table", "source_op": "update", "dest_op": "insert"}
    assert [said(lake)["place"], said(lake, **table)["place"], said(lake, **cell)["place"]] == [
        "request", "object", "cell",
    ]  # fmt: skip
    assert len(bodies(lake)) == 3
    assert len(bodies(lake, f"?object_kind=table&object_id={lake.table_id}")) == 2


def test_a_comment_on_an_impossible_place_is_refused(lake: ReviewLake) -> None:
    table = {"object_kind": "table", "object_id": lake.table_id}
    for wrong in (
        {"rule_table": "table", "source_op": "update", "dest_op": "insert"},
        {**table, "rule_table": "table", "source_op": "update", "dest_op": "nonsense"},
        {**table, "rule_table": "tables", "source_op": "update", "dest_op": "insert"},
        {"object_id": lake.table_id},
        {"object_kind": "view", "object_id": 1},
        {"body": ""},
    ):
        problem(lake.post("bob", "1/comments/", {"body": "x", **wrong}), 400, "INVALID_VALUE")
    problem(lake.post("bob", "1/comments/", {"body": "x", "reply_to": 10**9}), 404, "NOT_FOUND")
    assert bodies(lake) == []


def test_comments_are_on_row_column_or_value(lake: ReviewLake) -> None:
    table = {"object_kind": "table", "object_id": lake.table_id}
    row, column = {"row_key": '{"id":1}'}, {"column_id": 1}
    first, second, third = (
        said(lake, **table, **row),
        said(lake, **table, **column),
        said(lake, **table, **row, **column),
    )
    assert [first["place"], second["place"], third["place"]] == ["row", "column", "value"]
    assert (third["row_key"], third["column_id"]) == ('{"id":1}', 1)
    names = {entry["name"] for entry in lake.read("branches/main/databases/d/tables/t/")["columns"]}
    assert second["column_name"] == third["column_name"] != ""
    assert second["column_name"] in names
    answer = said(lake, "alice", "Because.", reply_to=third["id"])
    assert [answer[name] for name in ("place", "row_key", "column_id", "column_name")] == [
        "value", '{"id":1}', 1, third["column_name"],
    ]  # fmt: skip
    (reported,) = (
        entry["details"]
        for entry in lake.read("merge-requests/1/timeline/")["results"]
        if entry["kind"] == "commented" and entry["details"]["comment"] == third["id"]
    )
    assert (reported["row"], reported["column"]) == ('{"id":1}', third["column_name"])


def test_comments_on_impossible_rows_or_columns_are_refused(lake: ReviewLake) -> None:
    table = {"object_kind": "table", "object_id": lake.table_id}
    cell = {"rule_table": "table", "source_op": "update", "dest_op": "insert"}
    for wrong in (
        {"row_key": "1"},
        {"column_id": 1},
        {**table, "column_id": 10**6},
        {"object_kind": "database", "object_id": 1, "row_key": "1"},
        {**table, **cell, "row_key": "1"},
        {**table, **cell, "column_id": 1},
        {**table, "row_key": "x" * 4001},
    ):
        problem(lake.post("bob", "1/comments/", {"body": "x", **wrong}), 400, "INVALID_VALUE")
    assert bodies(lake) == []


def test_an_answer_joins_the_thread_in_its_place(lake: ReviewLake) -> None:
    first = said(lake, object_kind="table", object_id=lake.table_id)
    second = said(lake, "alice", "Because.", reply_to=first["id"])
    third = said(lake, "carol", "I see.", reply_to=second["id"])
    assert (second["thread"], third["thread"]) == (first["id"], first["id"])
    assert (third["place"], third["object_id"]) == ("object", lake.table_id)


def test_threads_are_resolved_and_reopened_as_a_whole(lake: ReviewLake) -> None:
    first, other = said(lake), said(lake, body="Other")
    answer = said(lake, "alice", "Because.", reply_to=first["id"])
    done = settled(lake, "alice", first["id"]).json()
    assert (done["resolved_by"], done["resolved_at"] is not None) == ("alice", True)
    assert settled(lake, "bob", first["id"]).json()["resolved_by"] == "alice"
    problem(settled(lake, "alice", answer["id"]), 400, "INVALID_VALUE")
    assert bodies(lake, "?resolved=true") == ["Why?", "Because."]
    assert bodies(lake, "?resolved=false") == [other["body"]]
    assert lake.read("merge-requests/1/")["open_threads"] == 1
    assert deleted(lake, "carol", f"{first['id']}/resolved/").json()["resolved_at"] is None
    assert lake.read("merge-requests/1/")["open_threads"] == 2


def test_only_authors_edit_or_delete_comments_and_visibly(lake: ReviewLake) -> None:
    comment = said(lake)
    path = f"1/comments/{comment['id']}/"
    problem(lake.patch("dora", path, {"body": "Mine"}), 403, "PERMISSION_DENIED")
    problem(deleted(lake, "dora", f"{comment['id']}/"), 403, "PERMISSION_DENIED")
    changed = lake.patch("bob", path, {"body": "How?"}).json()
    assert (changed["body"], changed["edited_at"] is not None) == ("How?", True)
    assert deleted(lake, "bob", f"{comment['id']}/").status_code == 204
    (left,) = lake.read("merge-requests/1/comments/")["results"]
    assert (left["body"], left["body_html"], left["is_deleted"]) == ("", "", True)
    problem(lake.patch("bob", path, {"body": "Again"}), 404, "NOT_FOUND")
    assert lake.read("merge-requests/1/")["comments"] == 0


def test_only_who_sees_the_catalog_comments(lake: ReviewLake) -> None:
    said(lake, "victor")
    problem(lake.post("mallory", "1/comments/", {"body": "x"}), 404, "NOT_FOUND")


def test_comments_come_safe_and_page_by_page(lake: ReviewLake) -> None:
    for number in range(3):
        said(lake, body=f"<b>{number}</b>")
    pages = lake.pages("merge-requests/1/comments/?limit=2")
    assert [[entry["body"] for entry in page] for page in pages] == [["<b>0</b>", "<b>1</b>"], ["<b>2</b>"]]
    assert pages[0][0]["body_html"] == "<p>&lt;b&gt;0&lt;/b&gt;</p>\n"


def test_a_comment_repeated_with_its_key_is_one(lake: ReviewLake) -> None:
    for _ in range(2):
        lake.post("bob", "1/comments/", {"body": "x"}, Idempotency_Key="k")
    lake.post("carol", "1/comments/", {"body": "x"}, Idempotency_Key="k")
    assert bodies(lake) == ["x", "x"]
