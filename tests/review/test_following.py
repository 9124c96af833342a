"""The timeline of a request says what happened to it meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.jobs.models import Task
from merge_app.jobs.services import task_cancel
from merge_app.review.branch_events import requests_follow
from merge_app.review.models import MergeRequest
from merge_app.review.verification import audit_verify
from tests.review.conftest import ReviewLake


def timeline(lake: ReviewLake, request: MergeRequest) -> list[dict[str, Any]]:
    """The entries behind the first, which is of the opening."""
    found: list[dict[str, Any]] = lake.read(f"merge-requests/{request.number}/timeline/")["results"]
    return found[1:]


def test_source_pushes_appear_once_with_author_and_count(lake: ReviewLake) -> None:
    request = lake.open()
    opened_at = lake.branch("b").head_version
    lake.write("CREATE DATABASE e", "alice", "b")
    lake.write("CREATE DATABASE f", "bob", "b")
    for _ in range(2):
        requests_follow()
    (entry,) = timeline(lake, request)
    assert (entry["kind"], entry["actor"]) == ("pushed", "bob")
    assert entry["details"] == {
        "from": opened_at,
        "source_head": lake.branch("b").head_version,
        "commits": 2,
        "authors": ["alice", "bob"],
    }
    lake.write("DROP DATABASE f", "alice", "b")
    requests_follow()
    counts = [(entry["actor"], entry["details"]["commits"]) for entry in timeline(lake, request)]
    assert counts == [("bob", 2), ("alice", 1)]
    assert audit_verify(request.catalog) == []


@pytest.mark.parametrize("branch", ["b", "main"])
def test_a_moved_branch_reopens_approved_requests_with_reason(lake: ReviewLake, branch: str) -> None:
    lake.protect()
    request = lake.open()
    lake.review("bob", request)
    lake.write("CREATE DATABASE e", "alice", branch)
    for _ in range(2):
        requests_follow()
    *pushes, state = timeline(lake, request)[2:]
    assert [entry["kind"] for entry in pushes] == (["pushed"] if branch == "b" else [])
    assert (state["from_state"], state["to_state"], state["actor"]) == ("approved", "open", None)
    side = "source" if branch == "b" else "target"
    assert state["reason"].startswith(f"The {side} moved from version ")
    assert MergeRequest.objects.get(pk=request.pk).state == "open"
    assert audit_verify(request.catalog) == []


def test_a_push_to_the_target_leaves_unreviewed_requests(lake: ReviewLake) -> None:
    request = lake.open()
    lake.write("CREATE DATABASE e", "alice")
    requests_follow()
    assert timeline(lake, request) == []


def test_drops_and_undrops_are_recorded_once(lake: ReviewLake) -> None:
    request = lake.open()
    for statement in ("DROP BRANCH b", "UNDROP BRANCH b"):
        lake.write(statement, "alice")
        for _ in range(2):
            requests_follow()
    entries = timeline(lake, request)
    assert [(entry["kind"], entry["actor"], entry["details"]) for entry in entries] == [
        ("dropped", None, {"side": "source", "branch": "b"}),
        ("undropped", None, {"side": "source", "branch": "b"}),
    ]
    assert audit_verify(request.catalog) == []


def test_a_request_whose_source_was_reset_needs_reapproval(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    lake.review("bob", request)
    old = lake.branch("b")
    lake.write("ALTER BRANCH b RESET TO PARENT", "alice")
    new = lake.branch("b")
    for _ in range(2):
        requests_follow()
    assert lake.seen(request).source_id == new.pk != old.pk
    reset, state = timeline(lake, request)[2:]
    heads = {"from": old.head_version, "reset_to": new.head_version}
    assert (reset["kind"], reset["details"]) == ("dropped", {"side": "source", "branch": "b", **heads})
    assert (state["from_state"], state["to_state"]) == ("approved", "open")
    lake.write("CREATE DATABASE e", "alice", "b")
    requests_follow()
    assert timeline(lake, request)[4]["details"]["commits"] == 1
    lake.review("bob", request)
    assert lake.post("dora", "1/merge/", {}, Prefer="respond-async").status_code == 202
    assert audit_verify(request.catalog) == []


def test_a_request_into_a_reset_branch_continues(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH release", "alice")
    lake.write("CREATE DATABASE e", "alice", "release")
    request = lake.open(destination="release")
    lake.write("ALTER BRANCH release RESET TO PARENT", "alice")
    requests_follow()
    assert lake.seen(request).destination_id == lake.branch("release").pk
    assert [entry["details"]["side"] for entry in timeline(lake, request)] == ["destination"]
    assert not lake.detail(request)["destination"]["is_dropped"]


def test_of_two_requests_the_new_branchs_one_continues(lake: ReviewLake) -> None:
    request = lake.open()
    lake.write("ALTER BRANCH b RESET TO PARENT", "alice")
    lake.write("CREATE DATABASE e", "alice", "b")
    other = lake.open()
    requests_follow()
    assert [lake.detail(item)["source"]["is_dropped"] for item in (request, other)] == [True, False]
    assert timeline(lake, request)[0]["details"] == {"side": "source", "branch": "b"}


def test_branches_undropped_after_a_reset_have_own_names(lake: ReviewLake) -> None:
    lake.write("ALTER BRANCH b RESET TO PARENT", "alice")
    lake.write("UNDROP BRANCH b AS before", "alice")
    request = lake.open(source="before")
    lake.write("DROP BRANCH before", "alice")
    requests_follow()
    assert timeline(lake, request)[0]["details"] == {"side": "source", "branch": "before"}


def test_a_dropped_target_is_published(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH release", "alice")
    request = lake.open(destination="release")
    lake.write("DROP BRANCH release", "alice")
    requests_follow()
    (entry,) = timeline(lake, request)
    assert (entry["kind"], entry["details"]) == ("dropped", {"side": "destination", "branch": "release"})


def test_a_push_refuses_no_edit(lake: ReviewLake) -> None:
    request = lake.open()
    tag = lake.people["alice"].get(f"{lake.requests}1/")["ETag"]
    lake.write("CREATE DATABASE e", "bob", "b")
    requests_follow()
    assert lake.patch("alice", "1/", {"title": "Better"}, If_Match=tag).status_code == 200
    assert [entry["kind"] for entry in timeline(lake, request)] == ["pushed", "edited"]


@pytest.mark.usefixtures("no_worker")
def test_a_cancelled_merge_is_published(lake: ReviewLake) -> None:
    request = lake.open()
    lake.post("alice", "1/merge/", {}, Prefer="respond-async")
    requests_follow()
    assert MergeRequest.objects.get(pk=request.pk).state == "merging"
    task_cancel(task_id=Task.objects.get(kind="merge request").pk)
    requests_follow()
    assert [(entry["from_state"], entry["to_state"]) for entry in timeline(lake, request)] == [
        ("open", "merging"),
        ("merging", "open"),
    ]
    assert audit_verify(request.catalog) == []


def test_finished_requests_are_left_alone(lake: ReviewLake) -> None:
    request = lake.open()
    lake.patch("alice", "1/", {"state": "closed"})
    lake.write("CREATE DATABASE e", "alice", "b")
    requests_follow()
    assert [entry["kind"] for entry in timeline(lake, request)] == ["state"]
