"""``…/merge/``: a request is merged as it was approved, once, or goes back to people with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError

from catalog_app.domain.roles import Role
from catalog_app.models import Branch, Catalog, CatalogMember, Commit
from catalog_app.selectors.snapshots import branch_get
from lakeui.api.compare import views
from lakeui.frontdoor import compute
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import audit_get
from merge_app.execution import merge
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.review.models import MergeRequest
from merge_app.review.resolving import request_look
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.benchmarks.lake import Bench
from tests.review.conftest import ReviewLake
from tests.support.members import join


def merged(lake: ReviewLake, by: str = "alice", number: int = 1, **body: Any) -> Any:
    return lake.post(by, f"{number}/merge/", body)


def attempts(lake: ReviewLake) -> list[tuple[str, str]]:
    found = MergeAttempt.objects.filter(catalog__name=lake.catalog).order_by("number")
    return [(attempt.kind, attempt.outcome) for attempt in found]


def states(lake: ReviewLake, request: MergeRequest) -> list[str]:
    return [to for kind, _, to in lake.timeline(request) if kind in ("opened", "state")]


@pytest.fixture
def approved(lake: ReviewLake) -> MergeRequest:
    """A request into a protected main, approved by Bob."""
    lake.protect()
    request = lake.open()
    lake.review("bob", request)
    return lake.seen(request)


def before_commit(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> None:
    """Have something done, once, between the plan of a merge and its commit."""
    real, left = merge.row_work_run, [work]

    def run(*given: Any) -> Any:
        while left:
            left.pop()()
        return real(*given)

    monkeypatch.setattr(merge, "row_work_run", run)


@pytest.mark.usefixtures("local_worker")
def test_an_approved_request_merges_and_audit_names_approver(lake: ReviewLake, approved: MergeRequest) -> None:
    seen = lake.fingerprint()
    response = merged(lake, fingerprint=seen)
    assert response.status_code == 200, response.content
    body = response.json()
    detail = lake.detail(approved)
    assert (detail["state"], detail["merge_id"]) == ("merged", body["merge_id"])
    assert body["version"] == lake.branch("main").head_version
    assert Commit.objects.get(catalog__name=lake.catalog, version=body["version"]).message == "Delays"
    record = audit_get(body["merge_id"])
    assert (record["outcome"], record["fingerprint"], record["actor"]) == ("merged", seen, "alice")
    assert record["request"] == {"number": 1, "title": "Delays", "author": "alice"}
    assert [(item["reviewer"], item["fingerprint"]) for item in record["approvals"]] == [("bob", seen)]
    assert states(lake, approved) == ["open", "approved", "merging", "merged"]
    commit = Commit.objects.get(catalog=approved.catalog, version=body["version"])
    assert (commit.author_name, commit.statement) == ("alice", "MERGE BRANCH `b` TO `main` -- merge request #1")
    assert audit_verify(approved.catalog) == []


@pytest.mark.usefixtures("local_worker")
def test_a_merged_request_is_final(lake: ReviewLake, approved: MergeRequest) -> None:
    merged(lake)
    problem(merged(lake), 409, "WRONG_STATE")
    problem(lake.patch("alice", "1/", {"state": "closed"}), 409, "WRONG_STATE")
    problem(lake.review("bob", approved, "request_changes"), 409, "WRONG_STATE")
    assert attempts(lake) == [("merge", "merged")]


def compared(
    lake: ReviewLake, by: str = "victor", pair: str = "b...main", number: int = 1, path: str = "", more: str = ""
) -> Any:
    """The comparison of a request."""
    return lake.people[by].get(f"{lake.address}compare/{pair}/{path}?merge_request={number}{more}")


@pytest.mark.usefixtures("local_worker")
def test_a_merged_requests_comparison_stays_as_merged(lake: ReviewLake, approved: MergeRequest) -> None:
    before = compared(lake).json()
    of_table = f"objects/table/{lake.table_id}/"
    table = compared(lake, path=of_table).json()
    assert [entry["name"] for entry in before["results"]] == ["d.t"]
    merged(lake)
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2', 'more' = '1')", "alice", "b")
    lake.write("CREATE TABLE d.later (id INT)", "alice", "b")
    assert compared(lake).json() == before
    assert compared(lake, path=of_table).json() == table
    lake.write("DROP BRANCH b", "dora")
    assert compared(lake).json() == before
    assert lake.get("compare/b...main/").status_code == 404


@pytest.mark.usefixtures("local_worker")
def test_merged_request_rows_are_found_without_their_branch(lake: ReviewLake, approved: MergeRequest) -> None:
    rows = f"objects/table/{lake.table_id}/rows/"
    before = compared(lake, path=rows, more="&side=source")
    assert before.status_code == 200, before.content
    merged(lake)
    lake.write("DROP BRANCH b", "dora")
    assert compared(lake, path=rows, more="&side=source").json() == before.json()
    problem(lake.people["victor"].get(f"{lake.address}compare/b...main/{rows}?side=source"), 404, "NOT_FOUND")


@pytest.mark.usefixtures("local_worker")
def test_requests_merging_during_comparison_are_compared_as_merged(
    lake: ReviewLake, approved: MergeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heads after the merge would say that the target has everything, and pages keep what they were answered."""
    before = compared(lake).json()

    def after_the_merge(catalog: Catalog, name: str) -> Branch:
        patch.undo()
        merged(lake)
        return branch_get(catalog, name)

    with monkeypatch.context() as patch:
        patch.setattr(views, "branch_get", after_the_merge)
        assert compared(lake).json() == before
    assert lake.detail(approved)["state"] == "merged"


@pytest.mark.usefixtures("local_worker")
def test_a_look_after_the_merge_keeps_its_plan(lake: ReviewLake, approved: MergeRequest) -> None:
    before = compared(lake).json()
    merged(lake)
    request_look(request_id=approved.pk, engine=compute.engine, actor_id=None)
    assert compared(lake).json() == before


@pytest.mark.usefixtures("local_worker")
def test_a_merged_comparison_takes_only_its_requests_branches(lake: ReviewLake, approved: MergeRequest) -> None:
    merged(lake)
    problem(compared(lake, pair="main...b"), 400, "INVALID_VALUE")
    problem(compared(lake, "mallory"), 404, "NOT_FOUND")
    problem(compared(lake, number=2), 404, "NOT_FOUND")


def record(lake: ReviewLake, merge_id: str) -> Any:
    return lake.people["alice"].get(f"/api/v1/merges/{merge_id}/").json()


@pytest.mark.usefixtures("local_worker")
def test_request_and_record_say_the_merge_was_undone(lake: ReviewLake, approved: MergeRequest) -> None:
    merge_id = lake.post("alice", "1/merge/", {}).json()["merge_id"]
    assert (lake.detail(approved)["undone_by"], record(lake, merge_id)["undone_by"]) == (None, None)
    undone = lake.write(f"RESTORE MERGE '{merge_id}'", "dora")
    for shown in (lake.detail(approved), record(lake, merge_id)):
        found = shown["undone_by"]
        assert (found["version"], found["actor"]) == (lake.branch("main").head_version, "dora")
        assert found["audit_id"] == undone.extra["audit_id"]
    alice = lake.people["alice"]
    for path in ("merges/", f"catalogs/{lake.catalog}/merges/", f"catalogs/{lake.catalog}/merge-requests/"):
        (listed,) = alice.get(f"/api/v1/{path}").json()["results"]
        assert listed["undone_by"] == found, path
    assert audit_verify(approved.catalog) == []


@pytest.mark.usefixtures("local_worker")
def test_what_is_unapproved_merges_on_no_path(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    head = lake.branch("main").head_version
    found = problem(merged(lake), 409, "MERGE_BLOCKED")
    assert [blocker["code"] for blocker in found["blockers"]] == ["APPROVALS_MISSING"]
    statement = {"catalog": lake.catalog, "branch": "main", "statement": "MERGE BRANCH b"}
    problem(lake.caller.post("/api/v1/sql/", statement), 403, "PERMISSION_DENIED")
    assert (lake.branch("main").head_version, lake.detail(request)["state"]) == (head, "open")


@pytest.mark.usefixtures("local_worker")
def test_a_request_into_unprotected_branches_needs_no_approval(lake: ReviewLake) -> None:
    request = lake.open()
    assert merged(lake).status_code == 200
    assert lake.detail(request)["state"] == "merged"


@pytest.mark.usefixtures("local_worker")
def test_who_may_not_merge_does_not(lake: ReviewLake, approved: MergeRequest) -> None:
    problem(merged(lake, "victor"), 403, "PERMISSION_DENIED")
    problem(merged(lake, "mallory"), 404, "NOT_FOUND")
    approved.catalog.protection_rules.update(merge_role="maintainer")
    problem(merged(lake, "alice"), 403, "PERMISSION_DENIED")
    assert lake.detail(approved)["state"] == "approved"
    assert merged(lake, "dora").status_code == 200


@pytest.mark.usefixtures("local_worker")
def test_merging_something_other_than_was_seen_is_refused(lake: ReviewLake, approved: MergeRequest) -> None:
    problem(merged(lake, fingerprint="0" * 64), 412, "STALE")
    assert lake.detail(approved)["state"] == "approved"


@pytest.mark.usefixtures("local_worker")
@pytest.mark.parametrize("branch", ["b", "main"])
def test_a_push_between_approval_and_merge_blocks_it(lake: ReviewLake, approved: MergeRequest, branch: str) -> None:
    lake.write("CREATE DATABASE e", "alice", branch)
    head = lake.branch("main").head_version
    found = problem(merged(lake), 409, "MERGE_BLOCKED")
    assert [blocker["code"] for blocker in found["blockers"]] == ["APPROVALS_MISSING"]
    assert lake.branch("main").head_version == head


@pytest.mark.usefixtures("local_worker")
@pytest.mark.parametrize("branch", ["b", "main"])
def test_a_push_while_the_merge_runs_blocks_it(
    lake: ReviewLake, approved: MergeRequest, branch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_commit(monkeypatch, lambda: lake.write("CREATE DATABASE e", "alice", branch))
    problem(merged(lake), 409, "MERGE_BLOCKED")
    assert not Commit.objects.filter(catalog=approved.catalog, merge_parent__isnull=False).exists()
    assert (lake.detail(approved)["state"], attempts(lake)) == ("open", [("merge", "refused")])
    assert states(lake, approved)[-2:] == ["merging", "open"]
    assert audit_verify(approved.catalog) == []


@pytest.mark.usefixtures("local_worker")
def test_changes_requested_while_the_merge_runs_block_it(
    lake: ReviewLake, approved: MergeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review takes the request's row, which the merge asks for last: whoever is first, wins."""
    refused: list[Any] = []
    before_commit(monkeypatch, lambda: refused.append(lake.review("carol", approved, "request_changes")))
    assert merged(lake).status_code == 200
    problem(refused[0], 409, "WRONG_STATE")


@pytest.mark.usefixtures("local_worker")
def test_a_rule_made_during_the_merge_blocks_it(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    request = lake.open()
    before_commit(monkeypatch, lake.protect)
    problem(merged(lake), 409, "MERGE_BLOCKED")
    assert lake.detail(request)["state"] == "open"


@pytest.mark.usefixtures("local_worker")
def test_reviewers_without_the_role_do_not_count(
    lake: ReviewLake, approved: MergeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_commit(monkeypatch, lambda: approved.catalog.members.filter(user__username="bob").update(role="viewer"))
    problem(merged(lake), 409, "MERGE_BLOCKED")


@pytest.mark.usefixtures("local_worker")
def test_conflicts_send_it_back_with_all_of_them(lake: ReviewLake) -> None:
    request = lake.open()
    lake.write("DROP TABLE d.t", "dora")
    found = problem(merged(lake), 409, "MERGE_CONFLICT")
    assert [conflict["code"] for conflict in found["conflicts"]] == ["OBJECT_DROPPED_ON_DEST"]
    detail = lake.detail(request)
    assert (detail["state"], detail["planned"]["conflicts"]) == ("conflicted", 1)
    assert lake.read("merge-requests/?state=conflicted")["results"][0]["number"] == 1
    problem(merged(lake), 409, "MERGE_BLOCKED")
    lake.write("UNDROP TABLE d.t", "dora")
    assert merged(lake).status_code == 200
    assert states(lake, request) == ["open", "merging", "conflicted", "open", "merging", "merged"]


@pytest.mark.usefixtures("local_worker")
def test_owners_bypass_missing_approvals_with_a_recorded_reason(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    problem(merged(lake, "alice", bypass_reason="I want it"), 403, "PERMISSION_DENIED")
    assert lake.detail(request)["state"] == "open"
    assert merged(lake, "dora", bypass_reason="The lake burns").status_code == 200
    assert ("bypass", "bypassed") in attempts(lake)
    assert lake.detail(request)["state"] == "merged"


@pytest.mark.usefixtures("local_worker")
def test_no_reason_gets_past_requested_changes(lake: ReviewLake, approved: MergeRequest) -> None:
    lake.review("carol", approved, "request_changes")
    problem(merged(lake, "dora", bypass_reason="Hurry"), 409, "MERGE_BLOCKED")


@pytest.mark.usefixtures("local_worker")
def test_a_source_without_changes_merges_without_version(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH quiet", "alice")
    request = lake.open(source="quiet")
    body = merged(lake).json()
    assert (body["outcome"], body["version"], lake.detail(request)["state"]) == ("nothing to merge", None, "merged")


@pytest.mark.usefixtures("local_worker")
def test_a_merge_repeated_with_its_key_is_one(lake: ReviewLake, approved: MergeRequest) -> None:
    answers = [lake.post("alice", "1/merge/", {}, Idempotency_Key="k").json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert attempts(lake) == [("merge", "merged")]


@pytest.mark.usefixtures("local_worker")
def test_a_refused_merge_repeated_with_key_stays_refused(lake: ReviewLake, approved: MergeRequest) -> None:
    lake.write("DROP TABLE d.t", "dora")
    approved.catalog.protection_rules.all().delete()
    first = lake.post("alice", "1/merge/", {}, Idempotency_Key="k")
    lake.write("UNDROP TABLE d.t", "dora")
    again = lake.post("alice", "1/merge/", {}, Idempotency_Key="k")
    assert [problem(found, 409, "MERGE_CONFLICT")["task"] for found in (first, again)] == [first.json()["task"]] * 2
    assert lake.detail(approved)["state"] != "merging"


@pytest.mark.usefixtures("no_worker")
def test_a_request_awaiting_its_task_is_being_merged(lake: ReviewLake, approved: MergeRequest) -> None:
    response = lake.post("alice", "1/merge/", {}, Prefer="respond-async")
    assert response.status_code == 202
    assert (lake.detail(approved)["state"], lake.detail(approved)["task_id"]) == ("merging", response.json()["id"])
    problem(merged(lake), 409, "WRONG_STATE")
    problem(lake.patch("alice", "1/", {"title": "Other"}), 409, "WRONG_STATE")


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(("role", "code"), [(Role.VIEWER, "PERMISSION_DENIED"), (None, "NOT_FOUND")])
def test_a_lost_right_stops_a_waiting_merge(
    lake: ReviewLake, approved: MergeRequest, role: Role | None, code: str
) -> None:
    assert lake.post("carol", "1/merge/", {}, Prefer="respond-async").status_code == 202
    members = CatalogMember.objects.filter(catalog=approved.catalog, user=lake.people["carol"].user)
    _ = members.update(role=role.value) if role else members.delete()
    task = Task.objects.get(kind="merge request")
    task_run(task_id=task.pk, worker="late")
    task.refresh_from_db()
    assert (task.state, task.error["code"]) == ("failed", code)
    assert lake.detail(approved)["state"] == "approved"
    assert not Commit.objects.filter(catalog=approved.catalog, merge_parent__isnull=False).exists()


@pytest.mark.usefixtures("local_worker")
def test_merging_takes_seeing_the_sources_catalog(lake: ReviewLake) -> None:
    other = Bench(1)
    join(lake.people["alice"].user, other.catalog)
    opened = lake.post("alice", "", {"source": f"{other.catalog}.main", "destination": "main", "title": "All of it"})
    assert opened.status_code == 201, opened.content
    for path in ("merge", "queue"):
        refusal = problem(lake.post("carol", f"1/{path}/", {}), 404, "NOT_FOUND")
        assert refusal["kind"] == "catalog"


@pytest.mark.usefixtures("no_worker")
def test_a_cancelled_merge_returns_to_people(lake: ReviewLake, approved: MergeRequest) -> None:
    task = lake.post("alice", "1/merge/", {}, Prefer="respond-async").json()["id"]
    lake.caller.post(f"/api/v1/tasks/{task}/cancel/")
    assert lake.detail(approved)["state"] == "open"
    assert lake.read("merge-requests/?state=open")["results"][0]["number"] == 1
    lake.post("alice", "1/merge/", {}, Prefer="respond-async")
    assert states(lake, approved)[-3:] == ["merging", "approved", "merging"]


@pytest.mark.usefixtures("no_worker")
def test_a_task_rerun_after_merging_answers_its_merge(lake: ReviewLake, approved: MergeRequest) -> None:
    task_id = UUID(lake.post("alice", "1/merge/", {}, Prefer="respond-async").json()["id"])
    task_run(task_id=task_id, worker="first")
    first = Task.objects.get(pk=task_id).result
    Task.objects.filter(pk=task_id).update(state="queued", result=None, finished_at=None, claim=None)
    task_run(task_id=task_id, worker="second")
    task = Task.objects.get(pk=task_id)
    assert (task.state, task.result) == ("succeeded", first)
    assert attempts(lake) == [("merge", "merged")]
    assert states(lake, approved)[-2:] == ["merging", "merged"]


@pytest.mark.usefixtures("no_worker")
def test_a_merge_torn_off_changes_nothing(
    lake: ReviewLake, approved: MergeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = UUID(lake.post("alice", "1/merge/", {}, Prefer="respond-async").json()["id"])
    head = lake.branch("main").head_version

    def torn(name: str) -> None:
        if name == "merge.committing":
            raise OperationalError("the server closed the connection")

    monkeypatch.setattr(merge, "fault_point", torn)
    assert task_run(task_id=task_id, worker="first") is None
    assert (lake.branch("main").head_version, lake.detail(approved)["state"]) == (head, "merging")
    monkeypatch.undo()
    task_run(task_id=task_id, worker="second")
    assert (lake.detail(approved)["state"], attempts(lake)) == ("merged", [("merge", "merged")])
