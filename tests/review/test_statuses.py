"""Statuses that other systems report: of one head of the source, and asked for by protection on every way in."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from lakeui.common.errors import BranchProtected
from merge_app.audit.models import MergeAttempt
from merge_app.review.models import MergeRequest, RequestStatus
from merge_app.review.statuses import MOST_CONTEXTS
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake

pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.fixture
def asked(lake: ReviewLake) -> MergeRequest:
    """A request into a branch that wants ``ci/tests``."""
    lake.protect(required_approvals=0, required_statuses=["ci/tests"], refuse_direct_merges=False)
    return lake.open()


def report(lake: ReviewLake, state: str = "success", by: str = "bob", **body: Any) -> Any:
    head = lake.branch("b").head_version
    return lake.post(by, "1/statuses/", {"context": "ci/tests", "state": state, "source_head": head, **body})


def standing(lake: ReviewLake) -> list[tuple[str, bool, bool, str | None]]:
    found = lake.read("merge-requests/1/statuses/")["results"]
    return [
        (entry["context"], entry["is_required"], entry["is_current"], entry["status"] and entry["status"]["state"])
        for entry in found
    ]


def blockers(lake: ReviewLake, asked: MergeRequest) -> list[str]:
    return [entry["code"] for entry in lake.detail(asked)["blockers"]]


def test_the_newest_status_of_a_head_counts(lake: ReviewLake, asked: MergeRequest) -> None:
    assert standing(lake) == [("ci/tests", True, False, None)]
    assert blockers(lake, asked) == ["STATUS_MISSING"]
    for state, code in (("pending", ["STATUS_MISSING"]), ("failure", ["STATUS_FAILED"]), ("error", ["STATUS_FAILED"])):
        assert report(lake, state).status_code == 201
        assert blockers(lake, asked) == code
    answer = report(lake, description="12 passed", target_url="https://ci.example/7")
    assert (answer.status_code, answer.json()["created_by"]) == (201, "bob")
    assert report(lake, "failure", context="lint").status_code == 201
    assert standing(lake) == [("ci/tests", True, True, "success"), ("lint", False, True, "failure")]
    assert blockers(lake, asked) == []
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "b")
    assert standing(lake)[0] == ("ci/tests", True, False, "success")
    assert blockers(lake, asked) == ["STATUS_MISSING"]
    kinds = [kind for kind, _, _ in lake.timeline(asked)]
    assert kinds.count("status") == 5


def test_nothing_merges_without_the_success_that_protection_requires(lake: ReviewLake, asked: MergeRequest) -> None:
    report(lake, "failure")
    head = lake.branch("main").head_version
    blocked = problem(lake.post("dora", "1/merge/", {}), 409, "MERGE_BLOCKED")
    assert [entry["code"] for entry in blocked["blockers"]] == ["STATUS_FAILED"]
    problem(lake.post("dora", "1/queue/"), 409, "MERGE_BLOCKED")
    dora = lake.people["dora"]
    body = {"catalog": lake.catalog, "branch": "main", "statement": "MERGE BRANCH b"}
    refused = problem(dora.post("/api/v1/sql/", body), 403, "PERMISSION_DENIED")
    assert "ci/tests" in refused["detail"] or "merge requests only" in refused["detail"]
    assert refused["patterns"] == ["main"]
    problem(dora.post("/api/v1/sql/", body, Prefer="respond-async,wait=20"), 403, "PERMISSION_DENIED")
    problem(dora.post(f"{lake.address}merges/", {"source": "b"}), 403, "PERMISSION_DENIED")
    script = {"catalog": lake.catalog, "script": "USE BRANCH main; MERGE BRANCH b"}
    ran = dora.post("/api/v1/sql/script/", script, Prefer="wait=20")
    assert "PERMISSION_DENIED" in ran.content.decode()
    with pytest.raises(BranchProtected):
        lake.write("MERGE BRANCH b", "dora")
    assert lake.branch("main").head_version == head
    assert report(lake).status_code == 201
    assert lake.post("dora", "1/merge/", {}).status_code == 200
    record = MergeAttempt.objects.get(merge_id=lake.seen(asked).merge_id)
    assert [(entry["context"], entry["state"], entry["by"]) for entry in record.body["statuses"]] == [
        ("ci/tests", "success", "bob")
    ]
    assert audit_verify(lake.branch("main").catalog) == []


def test_early_success_does_not_merge_later_changes(lake: ReviewLake, asked: MergeRequest) -> None:
    seen = lake.branch("b").head_version
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "b")
    problem(report(lake, source_head=seen), 412, "STALE")
    problem(lake.post("dora", "1/merge/", {}), 409, "MERGE_BLOCKED")
    assert not RequestStatus.objects.exists()


def test_owner_bypasses_with_a_reason_that_stays(lake: ReviewLake, asked: MergeRequest) -> None:
    assert lake.post("dora", "1/merge/", {"bypass_reason": "The build server burns."}).status_code == 200


def test_who_may_not_vouch_reports_nothing(lake: ReviewLake, asked: MergeRequest) -> None:
    for name, status in (("mallory", 404), ("victor", 403), ("alice", 403), ("carol", 201)):
        assert report(lake, by=name).status_code == status
    assert RequestStatus.objects.count() == 1


def test_what_is_not_understood_is_refused_by_name(lake: ReviewLake, asked: MergeRequest) -> None:
    for body in (
        {"state": "passed"},
        {"context": ""},
        {"context": "a\nb"},
        {"target_url": "javascript:alert(1)"},
        {"target_url": "ftp://ci.example/"},
        {"target_url": "https://"},
        {"target_url": "https://ci.example/a b"},
        {"source_head": None},
        {"hint": "x"},
    ):
        problem(report(lake, **body), 400, "INVALID_VALUE")
    assert not RequestStatus.objects.exists()


def test_a_key_reports_once(lake: ReviewLake, asked: MergeRequest) -> None:
    body = {"context": "ci/tests", "state": "success", "source_head": lake.branch("b").head_version}
    sent = [lake.post("bob", "1/statuses/", body, Idempotency_Key="k") for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].json() == sent[1].json()
    assert RequestStatus.objects.count() == 1


def test_request_has_bounded_number_of_contexts(lake: ReviewLake, asked: MergeRequest) -> None:
    bob, head = lake.people["bob"].user, lake.branch("b").head_version
    RequestStatus.objects.bulk_create(
        RequestStatus(request=asked, source_head=head, context=f"c{number}", state="success", created_by=bob)
        for number in range(MOST_CONTEXTS)
    )
    problem(report(lake), 400, "INVALID_VALUE")
    assert report(lake, context="c7").status_code == 201


def test_finished_request_takes_no_status_and_none_changes(lake: ReviewLake, asked: MergeRequest) -> None:
    report(lake)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE merge_app_requeststatus SET state = 'failure'")
    lake.patch("alice", "1/", {"state": "closed"})
    problem(report(lake), 409, "WRONG_STATE")
