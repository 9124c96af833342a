"""``…/tags/``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def made(lake: Lake, **body: Any) -> Any:
    return lake.caller.post(f"{lake.address}tags/", body)


def dropped(lake: Lake, name: str) -> Any:
    return lake.caller.client.delete(f"{lake.address}tags/{name}/", headers=lake.caller.headers)


def names(lake: Lake, query: str = "") -> list[str]:
    return [entry["name"] for entry in lake.read(f"tags/{query}")["results"]]


def test_a_tag_names_mains_head_by_default(lake: Lake) -> None:
    response = made(lake, name="first")
    head = lake.branch("main")
    assert response.status_code == 201, response.content
    body = response.json()
    assert (body["name"], body["branch"], body["branch_id"]) == ("first", "main", head.pk)
    assert (body["version"], body["created_by"]) == (head.head_version, "alice")
    assert lake.caller.get(response["Location"]).json() == body
    assert lake.sql("SHOW TAGS").rows == [["first", "main", head.head_version]]


def test_a_tag_names_a_version_of_another_branch(lake: Lake) -> None:
    lake.sql("CREATE BRANCH `feature/x`")
    fork = lake.branch("main").head_version
    lake.insert("feature/x", 1)
    body = made(lake, name="v/1`x", branch="feature/x", version=fork).json()
    assert (body["name"], body["branch"], body["version"]) == ("v/1`x", "feature/x", fork)
    assert lake.read("tags/v/1`x/") == body


def test_tags_are_listed_by_name_page_by_page(lake: Lake) -> None:
    for name in ("b", "A", "c", "other"):
        made(lake, name=name)
    pages = [[entry["name"] for entry in page] for page in lake.pages("tags/?limit=2")]
    assert pages == [["A", "b"], ["c", "other"]]
    assert names(lake, "?search=TH") == ["other"]


def test_a_renamed_tag_names_the_same_version(lake: Lake) -> None:
    body = made(lake, name="first").json()
    seen = lake.get("tags/first/")["ETag"]

    def rename(name: str, to: str, **headers: str) -> Any:
        sent = {"content_type": "application/json", "headers": lake.caller.headers | headers}
        return lake.caller.client.patch(f"{lake.address}tags/{name}/", {"name": to}, **sent)

    changed = rename("first", "1st", **{"If-Match": seen})
    assert (changed.status_code, changed.json()) == (200, {**body, "name": "1st"})
    assert names(lake) == ["1st"]
    problem(rename("1st", "2nd", **{"If-Match": seen}), 412, "STALE")
    problem(rename("1st", "main"), 409, "ALREADY_EXISTS")


def test_a_dropped_tag_frees_its_name(lake: Lake) -> None:
    made(lake, name="first")
    response = dropped(lake, "First")
    assert (response.status_code, response.content) == (204, b"")
    assert names(lake) == []
    problem(lake.get("tags/first/"), 404, "NOT_FOUND")
    assert made(lake, name="first").status_code == 201


def test_an_unknown_tag_is_answered_with_the_nearest(lake: Lake) -> None:
    made(lake, name="first")
    assert problem(lake.get("tags/frist/"), 404, "NOT_FOUND")["nearest"] == "first"
    assert problem(dropped(lake, "frist"), 404, "NOT_FOUND")["nearest"] == "first"


def test_what_cannot_be_named_is_refused(lake: Lake) -> None:
    made(lake, name="first")
    problem(made(lake, name="FIRST"), 409, "ALREADY_EXISTS")
    problem(made(lake, name="main"), 409, "ALREADY_EXISTS")
    problem(made(lake, name="x", branch="mian"), 404, "NOT_FOUND")
    problem(made(lake, name="x", version=10**6), 404, "NOT_FOUND")
    assert problem(made(lake), 400, "INVALID_VALUE")["errors"][0]["field"] == "name"
    assert names(lake) == ["first"]


def test_tags_are_made_and_dropped_through_frontdoor(lake: Lake, door: FakeDoor) -> None:
    lake.caller.post(f"{lake.address}tags/", {"name": "a`b", "version": 3})
    dropped(lake, "a`b")
    texts = [text for text, _, _ in door.calls]
    assert texts == ["CREATE TAG `a``b` FROM `main` VERSION AS OF 3", "DROP TAG `a``b`"]
    assert {(session.catalog, session.user) for _, session, _ in door.calls} == {(lake.catalog, lake.caller.user)}


def test_statement_count_does_not_grow_with_tags(lake: Lake) -> None:
    made(lake, name="t")
    few = lake.queries("tags/")
    for number in range(10):
        made(lake, name=f"t{number}")
    assert lake.queries("tags/") == few == 3
