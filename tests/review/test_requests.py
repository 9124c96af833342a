"""``…/merge-requests/``: opening, editing, closing and listing."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from merge_app.review.models import MergeRequest, TimelineEntry
from merge_app.review.requests import request_lock, request_move
from merge_app.review.states import RequestState
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake


def opened(lake: ReviewLake, by: str = "alice", **body: Any) -> Any:
    return lake.post(by, "", {"source": "b", "title": "Delays", **body})


def numbers(lake: ReviewLake, query: str = "") -> list[int]:
    return [entry["number"] for entry in lake.read(f"merge-requests/{query}")["results"]]


def branches(lake: ReviewLake, count: int) -> list[MergeRequest]:
    """Requests from so many branches, n0 the oldest."""
    for number in range(count):
        lake.write(f"CREATE BRANCH n{number}", "alice")
    return [lake.open(source=f"n{number}", title=f"Number {number}") for number in range(count)]


def test_a_request_says_who_wants_what_merged_where(lake: ReviewLake) -> None:
    response = opened(lake, description="**why**", labels=["ops", " ops ", "big"], reviewers=["bob"])
    assert response.status_code == 201, response.content
    body = response.json()
    assert (body["number"], body["title"], body["state"], body["author"]) == (1, "Delays", "open", "alice")
    assert (body["source"]["name"], body["destination"]["name"]) == ("b", "main")
    assert (body["labels"], body["reviewers"]) == (["ops", "big"], ["bob"])
    assert body["description_html"] == "<p><strong>why</strong></p>\n"
    assert lake.caller.get(response["Location"]).json() == body
    assert lake.timeline(lake.seen(MergeRequest.objects.get())) == [("opened", "", "open")]


def test_numbers_count_in_each_catalog(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH c", "alice")
    assert [opened(lake).json()["number"], opened(lake, source="c").json()["number"]] == [1, 2]


def test_a_pair_has_one_unfinished_request(lake: ReviewLake) -> None:
    opened(lake)
    found = problem(opened(lake), 409, "ALREADY_EXISTS")
    assert "#1" in found["remedy"]
    lake.patch("alice", "1/", {"state": "closed"})
    assert opened(lake).status_code == 201
    problem(lake.patch("alice", "1/", {"state": "open"}), 409, "ALREADY_EXISTS")


def test_what_cannot_be_opened_is_refused(lake: ReviewLake) -> None:
    problem(opened(lake, source="main"), 409, "SAME_BRANCH")
    problem(opened(lake, source="bb"), 404, "NOT_FOUND")
    problem(opened(lake, title="  "), 400, "INVALID_VALUE")
    problem(opened(lake, reviewers=["victor"]), 400, "INVALID_VALUE")
    problem(opened(lake, reviewers=["nobody"]), 400, "INVALID_VALUE")
    problem(opened(lake, by="victor"), 403, "PERMISSION_DENIED")
    problem(opened(lake, by="mallory"), 404, "NOT_FOUND")
    assert not MergeRequest.objects.exists()


def test_a_catalog_without_a_role_hides_its_requests(lake: ReviewLake) -> None:
    request = lake.open()
    for path in ("", f"{request.number}/", f"{request.number}/timeline/", f"{request.number}/reviews/"):
        problem(lake.people["mallory"].get(lake.requests + path), 404, "NOT_FOUND")
        assert lake.people["victor"].get(lake.requests + path).status_code == 200


def test_repeated_opening_with_same_key_is_one_request(lake: ReviewLake) -> None:
    body = {"source": "b", "title": "Delays"}
    first = lake.post("alice", "", body, Idempotency_Key="k1")
    again = lake.post("alice", "", body, Idempotency_Key="k1")
    assert (again.status_code, again.json(), again["Location"]) == (201, first.json(), first["Location"])
    assert MergeRequest.objects.count() == 1
    problem(lake.post("alice", "", {**body, "title": "Other"}, Idempotency_Key="k1"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_edit_of_what_changed_since_reading_is_refused(lake: ReviewLake) -> None:
    request = lake.open()
    tag = lake.caller.get(f"{lake.requests}{request.number}/")["ETag"]
    changed = lake.patch("alice", "1/", {"title": "Late flights"}, If_Match=tag)
    assert (changed.status_code, changed.json()["title"]) == (200, "Late flights")
    problem(lake.patch("alice", "1/", {"title": "Third"}, If_Match=tag), 412, "STALE")
    assert lake.patch("alice", "1/", {"title": "Third"}, If_Match=changed["ETag"]).status_code == 200
    problem(lake.patch("alice", "1/", {"title": "Third"}, If_Match="what"), 400, "INVALID_VALUE")


def test_only_the_author_and_maintainers_edit(lake: ReviewLake) -> None:
    lake.open()
    problem(lake.patch("bob", "1/", {"title": "Mine"}), 403, "PERMISSION_DENIED")
    assert lake.patch("dora", "1/", {"labels": ["x"], "reviewers": ["carol"]}).json()["reviewers"] == ["carol"]


def test_draft_becomes_ready_and_closed_request_reopens(lake: ReviewLake) -> None:
    request = lake.open(is_draft=True)
    for state in ("open", "draft", "closed"):
        assert lake.patch("alice", "1/", {"state": state}).json()["state"] == state
    problem(lake.patch("alice", "1/", {"state": "draft"}), 409, "WRONG_STATE")
    problem(lake.patch("alice", "1/", {"title": "Too late"}), 409, "WRONG_STATE")
    problem(lake.patch("alice", "1/", {"state": "merged"}), 400, "INVALID_VALUE")
    assert lake.patch("alice", "1/", {"state": "open"}).json()["state"] == "open"
    states = [entry for entry in lake.timeline(request) if entry[0] in ("opened", "state")]
    assert states == [
        ("opened", "", "draft"),
        ("state", "draft", "open"),
        ("state", "open", "draft"),
        ("state", "draft", "closed"),
        ("state", "closed", "open"),
    ]


def test_request_without_its_branch_is_not_reopened(lake: ReviewLake) -> None:
    request = lake.open()
    lake.patch("alice", "1/", {"state": "closed"})
    lake.write("DROP BRANCH b", "alice")
    problem(lake.patch("alice", "1/", {"state": "open"}), 409, "WRONG_STATE")
    assert lake.detail(request)["source"]["is_dropped"] is True


def test_requests_are_filtered_searched_and_ordered(lake: ReviewLake) -> None:
    branches(lake, 4)
    lake.patch("alice", "2/", {"state": "closed", "labels": ["ops"], "reviewers": ["bob"], "description": "needle"})
    assert numbers(lake) == [2, 4, 3, 1]
    assert numbers(lake, "?order=number") == [1, 2, 3, 4]
    assert numbers(lake, "?order=-number&state=open") == [4, 3, 1]
    assert numbers(lake, "?state=closed&state=draft") == numbers(lake, "?label=ops") == [2]
    assert numbers(lake, "?reviewer=bob") == numbers(lake, "?search=NEEDLE") == numbers(lake, "?search=%232") == [2]
    assert numbers(lake, "?source=N3&destination=main") == [4]
    assert numbers(lake, "?author=bob") == []
    problem(lake.get("merge-requests/?state=nonsense"), 400, "INVALID_VALUE")


@pytest.mark.parametrize("order", ["-updated_at", "-number", "number"])
def test_pages_neither_repeat_nor_lose_a_request(lake: ReviewLake, order: str) -> None:
    branches(lake, 5)
    whole = numbers(lake, f"?order={order}")
    pages = lake.pages(f"merge-requests/?limit=2&order={order}")
    assert [entry["number"] for page in pages for entry in page] == whole
    assert [len(page) for page in pages] == [2, 2, 1]


def test_long_conversations_take_no_more_statements(lake: ReviewLake) -> None:
    requests = branches(lake, 1)
    address = f"merge-requests/{requests[0].number}/"
    lake.review("bob", requests[0], "request_changes")
    few = lake.queries("merge-requests/"), lake.queries(address)
    for number in range(3):
        lake.write(f"CREATE BRANCH m{number}", "alice")
        other = lake.open(source=f"m{number}", reviewers=("bob", "carol"))
        for request in (requests[0], other):
            lake.post("bob", f"{request.number}/comments/", {"body": "hm"})
            lake.review("carol", request, "request_changes")
    assert (lake.queries("merge-requests/"), lake.queries(address)) == few


def test_list_of_a_thousand_requests_costs_its_page(lake: ReviewLake) -> None:
    first = lake.open(title="Request 1")
    few = lake.queries("merge-requests/?search=request")
    copies = [copy(first) for _ in range(2, 1001)]
    for number, made in enumerate(copies, start=2):
        made.pk, made.number, made.title = None, number, f"Request {number}"
        made.state = RequestState.CLOSED
    MergeRequest.objects.bulk_create(copies)
    assert len(lake.read("merge-requests/?search=request")["results"]) == 50
    assert lake.queries("merge-requests/?search=request") == few


def test_an_illegal_transition_is_refused_with_its_reason(lake: ReviewLake) -> None:
    request = lake.open(is_draft=True)
    with transaction.atomic():
        locked = request_lock(request.pk)
        with pytest.raises(Exception, match="is a draft; mark it as ready first") as refusal:
            request_move(locked, RequestState.MERGING, actor_id=None)
    assert (refusal.value.code, refusal.value.details) == ("WRONG_STATE", {"state": "draft"})  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", ["DELETE FROM", "UPDATE"])
def test_the_database_refuses_to_rewrite_the_timeline(lake: ReviewLake, change: str) -> None:
    lake.open()
    text = f"{change} merge_app_timelineentry" + (" SET reason = 'x'" if change == "UPDATE" else "")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(text)


def test_verify_audit_finds_a_changed_or_missing_entry(lake: ReviewLake) -> None:
    request = lake.open()
    for state in ("draft", "open"):
        lake.patch("alice", "1/", {"state": state})
    assert audit_verify(request.catalog) == []
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE merge_app_timelineentry DISABLE TRIGGER USER")
        cursor.execute("UPDATE merge_app_timelineentry SET reason = 'other' WHERE number = 1")
        cursor.execute("DELETE FROM merge_app_timelineentry WHERE number = 2")
        cursor.execute("ALTER TABLE merge_app_timelineentry ENABLE TRIGGER USER")
    breaches = "\n".join(audit_verify(request.catalog))
    assert "entry 1 of merge request 1 was changed" in breaches
    assert "entry 3 of merge request 1 does not come next" in breaches
    assert "leaves a state that the request was not in" in breaches
    TimelineEntry.objects.create(
        request=request, number=9, kind="opened", to_state="merged", previous_digest="", digest=""
    )
    assert "in a state that its timeline does not say" in "\n".join(audit_verify(request.catalog))
