"""The merge queue: one request at a time, planned anew; what is not as it was judged goes back to people."""

from __future__ import annotations

import time
from typing import Any

import pytest

from catalog_app.models import Commit
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from lakeui.tasks.merge_requests import queues_notify
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_cancel
from merge_app.review import queue
from merge_app.review.models import MergeRequest
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.memory_engine import MemoryEngine


def queued(lake: ReviewLake, number: int, by: str = "alice") -> Any:
    return lake.post(by, f"{number}/queue/")


def approved(lake: ReviewLake, number: int, statement: str = "") -> MergeRequest:
    """Request #number from a branch of its own, approved by Bob."""
    branch = f"q{number}"
    lake.write(f"CREATE BRANCH {branch}", "alice")
    lake.write(statement or f"CREATE DATABASE e{number}", "alice", branch)
    request = lake.open(source=branch)
    assert request.number == number
    lake.review("bob", request, fingerprint=lake.fingerprint(f"{branch}...main"))
    return lake.seen(request)


def turn(count: int = 10) -> None:
    """Run what was rung for, task by task, as one worker would."""
    for _ in range(count):
        task = Task.objects.filter(state="queued", kind="merge queue").order_by("created_at").first()
        if task is None:
            return
        task_run(task_id=task.pk, worker="queue")


def state(lake: ReviewLake, request: MergeRequest) -> str:
    return str(lake.detail(request)["state"])


def back(lake: ReviewLake, request: MergeRequest) -> str:
    """Why the request left the hands of lakeui last."""
    found = lake.read(f"merge-requests/{request.number}/timeline/")["results"]
    return str([entry["reason"] for entry in found if entry["from_state"] == "merging"][-1])


@pytest.mark.usefixtures("no_worker")
def test_queued_requests_merge_in_turn_on_previous_result(lake: ReviewLake) -> None:
    lake.protect()
    requests = [approved(lake, number) for number in (1, 2, 3)]
    for request in reversed(requests):
        assert queued(lake, request.number).json()["state"] == "queued"
    turn()
    assert [state(lake, request) for request in requests] == ["merged"] * 3
    merges = Commit.objects.filter(catalog=requests[0].catalog, merge_parent__isnull=False).order_by("version")
    assert [commit.statement[-2:] for commit in merges] == ["#3", "#2", "#1"]
    assert {commit.author_name for commit in merges} == {"alice"}
    assert audit_verify(requests[0].catalog) == []


@pytest.mark.usefixtures("no_worker")
def test_person_has_bounded_number_of_queued_requests(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST_QUEUED", 1)
    first, second = approved(lake, 1), approved(lake, 2)
    queued(lake, 1)
    refused = queued(lake, 2)
    body = problem(refused, 429, "TOO_MANY_QUEUED")
    assert (refused["Retry-After"], body["retry_after"], body["waiting"]) == ("30", 30, 1)
    turn()
    assert queued(lake, 2).json()["state"] == "queued"
    assert (state(lake, first), state(lake, second)) == ("merged", "queued")


@pytest.mark.usefixtures("no_worker")
def test_approvals_end_with_the_head(lake: ReviewLake) -> None:
    lake.protect(allow_queue_unchanged=False)
    first, second = approved(lake, 1), approved(lake, 2)
    queued(lake, 1)
    queued(lake, 2)
    turn()
    assert (state(lake, first), state(lake, second)) == ("merged", "open")
    assert "0 of 1 approval counts" in back(lake, second)


@pytest.mark.usefixtures("no_worker")
def test_other_verdicts_on_moved_head_return_request(lake: ReviewLake) -> None:
    lake.protect()
    first = approved(lake, 1, "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'one')")
    second = approved(lake, 2, "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'two')")
    queued(lake, 1)
    queued(lake, 2)
    turn()
    assert (state(lake, first), state(lake, second)) == ("merged", "open")
    assert "0 of 1 approval counts" in back(lake, second)


@pytest.mark.usefixtures("no_worker")
def test_a_conflict_leaves_the_queue_running(lake: ReviewLake) -> None:
    first = approved(lake, 1, "DROP TABLE d.t")
    second = approved(lake, 2, "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'two')")
    third = approved(lake, 3)
    for number in (1, 2, 3):
        queued(lake, number)
    turn()
    assert [state(lake, item) for item in (first, third)] == ["merged", "merged"]
    assert ("state", "merging", "conflicted") in lake.timeline(second)
    assert "conflict refuses the merge" in back(lake, second)


@pytest.mark.usefixtures("no_worker")
def test_push_to_source_returns_waiting_request(lake: ReviewLake) -> None:
    lake.protect()
    request = approved(lake, 1)
    queued(lake, 1)
    lake.write("CREATE DATABASE sneaked", "alice", "q1")
    turn()
    assert state(lake, request) == "open"
    assert not Commit.objects.filter(catalog=request.catalog, merge_parent__isnull=False).exists()


@pytest.mark.usefixtures("no_worker")
def test_what_cannot_be_merged_does_not_enter(lake: ReviewLake) -> None:
    lake.protect()
    lake.open()
    problem(queued(lake, 1), 409, "MERGE_BLOCKED")
    problem(queued(lake, 1, "victor"), 403, "PERMISSION_DENIED")
    problem(queued(lake, 1, "mallory"), 404, "NOT_FOUND")
    assert lake.read("merge-requests/?state=queued")["results"] == []


@pytest.mark.usefixtures("no_worker")
def test_request_is_queued_once_and_can_leave(lake: ReviewLake) -> None:
    request = approved(lake, 1)
    queued(lake, 1)
    problem(queued(lake, 1), 409, "WRONG_STATE")
    problem(lake.review("carol", request, "request_changes"), 409, "WRONG_STATE")
    bob = lake.people["bob"]
    response = bob.client.delete(f"{lake.requests}1/queue/", headers=bob.headers)
    assert (response.status_code, response.json()["state"]) == (200, "approved")
    problem(bob.client.delete(f"{lake.requests}1/queue/", headers=bob.headers), 409, "WRONG_STATE")
    turn()
    assert state(lake, request) == "approved"


@pytest.mark.usefixtures("no_worker")
def test_later_attempt_of_task_continues_the_same_request(lake: ReviewLake) -> None:
    first, second = approved(lake, 1), approved(lake, 2)
    queued(lake, 1)
    queued(lake, 2)
    task = Task.objects.filter(kind="merge queue").order_by("created_at").first()
    assert task is not None
    task_run(task_id=task.pk, worker="first")
    Task.objects.filter(pk=task.pk).update(state="queued", result=None, finished_at=None, claim=None)
    task_run(task_id=task.pk, worker="second")
    task.refresh_from_db()
    assert (task.state, task.result["number"], state(lake, second)) == ("succeeded", 1, "queued")
    turn()
    assert (state(lake, first), state(lake, second)) == ("merged", "merged")
    assert Commit.objects.filter(catalog=first.catalog, merge_parent__isnull=False).count() == 2


@pytest.mark.usefixtures("local_worker")
def test_many_requests_queued_at_once_merge_in_turn(lake: ReviewLake) -> None:
    requests = [approved(lake, number) for number in (1, 2, 3, 4)]
    for request in requests:
        assert queued(lake, request.number).status_code == 200
    deadline = time.monotonic() + 30
    while any(state(lake, request) != "merged" for request in requests) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [state(lake, request) for request in requests] == ["merged"] * 4


@pytest.mark.usefixtures("no_worker")
def test_required_checks_run_again_on_moved_head(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = MemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    lake.write("CREATE TABLE d.r (id INT, v STRING)", "alice")
    query = "SELECT * FROM d.r WHERE v = 'bad'"
    dora = lake.people["dora"]
    dora.post(f"{lake.address}checks/", {"name": "no bad", "query": query, "is_required": True})
    first = approved(lake, 1, "INSERT INTO d.r VALUES (1, 'bad')")
    second = approved(lake, 2)
    for number in (1, 2):
        lake.post("alice", f"{number}/checks/", Prefer="respond-async")
    for task in Task.objects.filter(kind="check merge request").order_by("created_at"):
        task_run(task_id=task.pk, worker="checks")
    problem(queued(lake, 1), 409, "MERGE_BLOCKED")
    assert queued(lake, 2).status_code == 200
    lake.write("INSERT INTO d.r VALUES (9, 'bad')", "dora")
    turn()
    assert state(lake, first) == state(lake, second) == "open"
    assert "found rows" in back(lake, second)
    lake.write("DELETE FROM d.r WHERE v = 'bad'", "dora")
    lake.post("alice", "2/checks/", Prefer="respond-async")
    for task in Task.objects.filter(kind="check merge request", state="queued"):
        task_run(task_id=task.pk, worker="checks")
    assert queued(lake, 2).status_code == 200
    lake.write("CREATE DATABASE elsewhere", "dora")
    turn()
    assert state(lake, second) == "merged"


@pytest.mark.usefixtures("no_worker")
def test_queue_continues_after_cancelled_or_lost_task(lake: ReviewLake) -> None:
    requests = [approved(lake, number) for number in (1, 2)]
    for request in requests:
        queued(lake, request.number)
    for task in Task.objects.filter(kind="merge queue"):
        task_cancel(task_id=task.pk)
    turn()
    assert [state(lake, request) for request in requests] == ["queued", "queued"]
    for _ in range(2):
        queues_notify()
    assert Task.objects.filter(kind="merge queue", state="queued").count() == 1
    turn()
    assert [state(lake, request) for request in requests] == ["merged", "merged"]
    queues_notify()
    assert not Task.objects.filter(kind="merge queue", state="queued").exists()
