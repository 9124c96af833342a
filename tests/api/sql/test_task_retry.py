"""``POST /api/v1/tasks/{id}/retry/``."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from catalog_app.models import Commit
from catalog_app.services.catalogs import catalog_create
from lakeui.common.errors import InvalidValue
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem
from tests.api.sql.test_tasks import TASKS, finished, submit
from tests.support.resource_lake import Lake

pytestmark = pytest.mark.usefixtures("no_worker")


def failed(caller: Caller, door: FakeDoor) -> UUID:
    door.fail(InvalidValue("no such column"))
    task_id = finished("TASK x", caller)
    assert Task.objects.get(pk=task_id).state == "failed"
    return task_id


def retry(caller: Caller, task_id: UUID) -> Any:
    return caller.post(f"{TASKS}{task_id}/retry/")


def test_a_failed_task_is_requeued_as_new(alice: Caller, door: FakeDoor) -> None:
    task_id = failed(alice, door)
    response = retry(alice, task_id)
    body = response.json()
    assert (response.status_code, response["Location"]) == (202, body["url"])
    assert body["id"] != str(task_id)
    assert (body["retry_of"], body["state"], body["attempts"]) == (str(task_id), "queued", 0)
    earlier = Task.objects.get(pk=task_id)
    assert (body["parameters"], earlier.state) == (earlier.parameters, "failed")
    door.work = door.answer
    task_run(task_id=UUID(body["id"]), worker="here")
    assert alice.get(body["url"]).json()["result"]["version"] == 7


def test_a_cancelled_task_can_be_retried(alice: Caller) -> None:
    task_id = submit("TASK x", alice)
    alice.post(f"{TASKS}{task_id}/cancel/")
    assert retry(alice, task_id).json()["retry_of"] == str(task_id)


def test_retrying_twice_makes_one_new_task(alice: Caller, door: FakeDoor) -> None:
    task_id = failed(alice, door)
    first, second = (retry(alice, task_id).json()["id"] for _ in range(2))
    assert first == second
    task_run(task_id=UUID(first), worker="here")
    third = retry(alice, UUID(first)).json()
    assert (third["retry_of"], Task.objects.count()) == (first, 3)


def test_what_waits_or_runs_is_not_retried(alice: Caller) -> None:
    task_id = submit("TASK x", alice)
    problem(retry(alice, task_id), 409, "TASK_UNFINISHED")
    Task.objects.update(state="running", claim=task_id, heartbeat_at=timezone.now(), attempts=1)
    problem(retry(alice, task_id), 409, "TASK_UNFINISHED")
    assert Task.objects.count() == 1


def test_what_succeeded_is_not_retried(alice: Caller, door: FakeDoor) -> None:
    problem(retry(alice, finished("TASK x", alice)), 409, "TASK_FINISHED")


def test_a_lost_committed_task_is_not_done_twice(alice: Caller) -> None:
    lake = Lake(alice)
    task_id = submit("TASK x", alice)
    Task.objects.update(state="lost", finished_at=timezone.now())
    head = lake.branch("main")
    Commit.objects.create(
        catalog=head.catalog,
        branch=head,
        version=head.head_version + 1,
        operation="INSERT",
        committed_at=timezone.now(),
        task_id=task_id,
    )
    refusal = problem(retry(alice, task_id), 409, "TASK_FINISHED")
    assert refusal["version"] == head.head_version + 1


def test_the_task_of_another_is_not_retried(alice: Caller, bob: Caller, door: FakeDoor) -> None:
    task_id = failed(alice, door)
    problem(retry(bob, task_id), 404, "NOT_FOUND")
    Task.objects.filter(pk=task_id).update(catalog=catalog_create(name="seen by both", user_id=bob.user.pk))
    problem(retry(bob, task_id), 403, "PERMISSION_DENIED")
    problem(retry(alice, uuid4()), 404, "NOT_FOUND")
