"""Approve, object, push and merge at once: whatever the order, what is merged was approved as it is."""

from __future__ import annotations

import pytest

from catalog_app.models import Commit
from merge_app.audit.models import MergeAttempt
from merge_app.review.models import Review
from merge_app.review.requests import RequestDraft, request_open
from merge_app.review.verification import audit_verify
from tests.review.conftest import ReviewLake
from tests.support.together import together

ROUNDS = 6


@pytest.mark.usefixtures("local_worker")
def test_pushes_during_approval_and_merge_never_merge_unseen(lake: ReviewLake) -> None:
    lake.protect()
    outcomes = set()
    for number in range(1, ROUNDS + 1):
        branch = f"r{number}"
        lake.write(f"CREATE BRANCH {branch}", "alice")
        lake.write(f"ALTER TABLE d.t SET TBLPROPERTIES ('k{number}' = '1')", "alice", branch)
        request = lake.open(source=branch)
        body = {"verdict": "approve", "fingerprint": lake.fingerprint(f"{branch}...main")}
        lake.post("bob", f"{number}/reviews/", body)
        together(
            lambda branch=branch: lake.write("CREATE DATABASE pushed", "alice", branch),
            lambda number=number, body=body: lake.post("carol", f"{number}/reviews/", body),
            lambda number=number: lake.post("alice", f"{number}/merge/", {}),
        )
        found = lake.detail(request)
        outcomes.add(found["state"])
        if found["state"] == "merged":
            record = MergeAttempt.objects.get(pk=found["merge_id"])
            words = {item["review"] for item in record.body["approvals"]}
            assert words
            seen = Review.objects.filter(pk__in=words).values_list("source_head", "destination_head", "fingerprint")
            assert set(seen) == {(record.source_head, record.destination_head, record.fingerprint)}
            lake.write(f"ALTER TABLE d.t SET TBLPROPERTIES ('after' = '{number}')", "alice")
    assert outcomes <= {"merged", "open"}
    assert audit_verify(lake.branch("main").catalog) == []


@pytest.mark.usefixtures("local_worker")
def test_an_objection_during_merge_comes_first_or_never(lake: ReviewLake) -> None:
    lake.protect()
    for number in range(1, ROUNDS + 1):
        branch = f"r{number}"
        lake.write(f"CREATE BRANCH {branch}", "alice")
        lake.write(f"ALTER TABLE d.t SET TBLPROPERTIES ('k{number}' = '1')", "alice", branch)
        request = lake.open(source=branch)
        body = {"verdict": "approve", "fingerprint": lake.fingerprint(f"{branch}...main")}
        lake.post("bob", f"{number}/reviews/", body)
        objection, merge = together(
            lambda number=number: lake.post("carol", f"{number}/reviews/", {"verdict": "request_changes"}),
            lambda number=number: lake.post("alice", f"{number}/merge/", {}),
        )
        assert sorted((objection.status_code, merge.status_code)) in ([200, 409], [201, 409])
        assert lake.detail(request)["state"] == ("merged" if merge.status_code == 200 else "changes_requested")


@pytest.mark.usefixtures("local_worker")
def test_two_simultaneous_merges_of_a_request_merge_once(lake: ReviewLake) -> None:
    request = lake.open()
    answers = together(*[lambda by=by: lake.post(by, "1/merge/", {}) for by in ("alice", "dora", "carol")])
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    merges = Commit.objects.filter(catalog=request.catalog, merge_parent__isnull=False)
    assert (merges.count(), lake.detail(request)["state"]) == (1, "merged")


@pytest.mark.usefixtures("local_worker")
def test_crossed_requests_do_not_deadlock(lake: ReviewLake) -> None:
    lake.write("CREATE DATABASE e", "alice")
    there = lake.open()
    lake.write("CREATE BRANCH c", "alice")
    back = request_open(
        principal=lake.who("alice"),
        source=lake.branch("main"),
        destination=lake.branch("b"),
        draft=RequestDraft("Pull"),
    )
    answers = together(
        lambda: lake.post("alice", f"{there.number}/merge/", {}), lambda: lake.post("dora", f"{back.number}/merge/", {})
    )
    assert [answer.status_code for answer in answers] == [200, 200]
