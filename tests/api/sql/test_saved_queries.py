"""``…/queries/``: queries under a name, private until they are shared."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.queries import services
from merge_app.queries.models import SavedQuery
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake, lake
from tests.stories.conftest import database, stored

__all__ = ["database", "lake", "stored"]
SECRET = {"name": "Keys", "text": "SELECT * FROM d.t WHERE token = 'hush'"}


def save(lake: ReviewLake, by: str, **body: Any) -> Any:
    made = lake.people[by].post(f"{lake.address}queries/", {**SECRET, **body})
    assert made.status_code == 201, made.content
    return made.json()


def names(lake: ReviewLake, by: str, query: str = "") -> list[tuple[str, str]]:
    found = lake.people[by].get(f"{lake.address}queries/{query}").json()["results"]
    return [(entry["owner"], entry["name"]) for entry in found]


def at(lake: ReviewLake, query: Any) -> str:
    return f"{lake.address}queries/{query['id']}/"


def patch(lake: ReviewLake, by: str, query: Any, body: Any, **headers: str) -> Any:
    caller = lake.people[by]
    given = caller._all(headers)
    return caller.client.patch(at(lake, query), body, content_type="application/json", headers=given)


def delete(lake: ReviewLake, by: str, query: Any) -> Any:
    caller = lake.people[by]
    return caller.client.delete(at(lake, query), headers=caller.headers)


def test_a_query_is_its_owners_until_shared(lake: ReviewLake) -> None:
    query = save(lake, "victor")
    assert (query["is_shared"], query["owner"], query["text"]) == (False, "victor", SECRET["text"])
    for name in ("alice", "dora"):
        assert names(lake, name) == []
        problem(lake.people[name].get(at(lake, query)), 404, "NOT_FOUND")
        problem(patch(lake, name, query, {"name": "Mine"}), 404, "NOT_FOUND")
        problem(delete(lake, name, query), 404, "NOT_FOUND")
    assert patch(lake, "victor", query, {"is_shared": True}).status_code == 200
    assert names(lake, "alice") == [("victor", "Keys")]
    assert lake.people["alice"].get(at(lake, query)).json()["text"] == SECRET["text"]
    problem(lake.people["mallory"].get(at(lake, query)), 404, "NOT_FOUND")
    problem(lake.people["mallory"].get(f"{lake.address}queries/"), 404, "NOT_FOUND")


def test_only_its_owner_changes_a_shared_query(lake: ReviewLake) -> None:
    query = save(lake, "victor", is_shared=True)
    for name in ("alice", "dora"):
        problem(patch(lake, name, query, {"text": "DROP TABLE d.t"}), 403, "PERMISSION_DENIED")
    problem(delete(lake, "alice", query), 403, "PERMISSION_DENIED")
    assert delete(lake, "dora", query).status_code == 204
    assert names(lake, "victor") == []


def test_names_are_of_each_person(lake: ReviewLake) -> None:
    first = save(lake, "alice")
    save(lake, "bob", is_shared=True)
    problem(lake.people["alice"].post(f"{lake.address}queries/", {**SECRET, "name": "KEYS"}), 409, "ALREADY_EXISTS")
    other = save(lake, "alice", name="Others")
    problem(patch(lake, "alice", other, {"name": "keys"}), 409, "ALREADY_EXISTS")
    assert patch(lake, "alice", first, {"name": "keys"}).status_code == 200
    assert names(lake, "alice") == [("alice", "keys"), ("bob", "Keys"), ("alice", "Others")]
    assert names(lake, "alice", "?search=oth") == [("alice", "Others")]
    page = lake.people["alice"].get(f"{lake.address}queries/?limit=2").json()
    assert [entry["name"] for entry in lake.people["alice"].get(page["next"]).json()["results"]] == ["Others"]


def test_a_stale_edit_is_refused(lake: ReviewLake) -> None:
    query = save(lake, "alice")
    seen = lake.people["alice"].get(at(lake, query))["ETag"]
    assert patch(lake, "alice", query, {"text": "SELECT 2"}, **{"If-Match": seen}).status_code == 200
    problem(patch(lake, "alice", query, {"text": "SELECT 3"}, **{"If-Match": seen}), 412, "STALE")
    assert lake.people["alice"].get(at(lake, query)).json()["text"] == "SELECT 2"


def test_a_person_keeps_a_bounded_number(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_QUERIES", 1)
    save(lake, "alice")
    problem(lake.people["alice"].post(f"{lake.address}queries/", {**SECRET, "name": "More"}), 400, "INVALID_VALUE")
    save(lake, "bob")


def test_what_is_sent_twice_is_saved_once(lake: ReviewLake) -> None:
    alice, address = lake.people["alice"], f"{lake.address}queries/"
    answers = [alice.post(address, SECRET, **{"Idempotency-Key": "one"}).json()["id"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert SavedQuery.objects.count() == 1


@pytest.mark.parametrize("body", [{"name": ""}, {"text": ""}, {"name": "x" * 101}, {"owner": "bob"}])
def test_what_is_no_query_is_refused(lake: ReviewLake, body: Any) -> None:
    problem(lake.people["alice"].post(f"{lake.address}queries/", {**SECRET, **body}), 400, "INVALID_VALUE")
