"""``/api/v1/inbox/``: what waits for whoever asks."""

from __future__ import annotations

import pytest

from tests.review.conftest import ReviewLake


def waits(lake: ReviewLake, name: str) -> list[tuple[int, str]]:
    response = lake.people[name].get("/api/v1/inbox/")
    assert response.status_code == 200, response.content
    return [(entry["number"], entry["waits_for"]) for entry in response.json()["results"]]


def test_a_requested_review_waits_until_it_is_given(lake: ReviewLake) -> None:
    request = lake.open(reviewers=("bob",))
    assert (waits(lake, "bob"), waits(lake, "carol"), waits(lake, "alice")) == ([(1, "review")], [], [])
    lake.review("bob", request)
    assert (waits(lake, "bob"), waits(lake, "alice")) == ([], [(1, "author")])


@pytest.mark.parametrize("branch", ["b", "main"])
def test_a_stale_approval_waits_for_another(lake: ReviewLake, branch: str) -> None:
    request = lake.open(reviewers=("bob",))
    lake.review("bob", request)
    lake.write("CREATE DATABASE e", "alice", branch)
    assert (waits(lake, "bob"), waits(lake, "alice")) == ([(1, "review")], [])


def test_requested_changes_wait_for_the_author(lake: ReviewLake) -> None:
    request = lake.open(reviewers=("bob",))
    lake.review("bob", request, "request_changes")
    assert (waits(lake, "bob"), waits(lake, "alice")) == ([], [(1, "author")])
    lake.review("bob", request, "withdraw")
    assert (waits(lake, "bob"), waits(lake, "alice")) == ([(1, "review")], [])


def test_drafts_and_finished_requests_wait_for_no_reviewer(lake: ReviewLake) -> None:
    lake.open(reviewers=("bob",), is_draft=True)
    assert waits(lake, "bob") == []
    lake.patch("alice", "1/", {"state": "closed"})
    assert waits(lake, "alice") == waits(lake, "bob") == []


def test_what_is_no_longer_visible_does_not_wait(lake: ReviewLake) -> None:
    request = lake.open(reviewers=("bob",))
    request.catalog.members.filter(user__username="bob").delete()
    assert waits(lake, "bob") == []
