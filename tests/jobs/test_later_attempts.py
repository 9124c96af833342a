"""What a later attempt finds of an earlier one: a task given back, a result kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.utils import timezone

from merge_app.jobs import registry
from merge_app.jobs.claiming import task_claim
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import TaskSuperseded
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.reaper import tasks_reap
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import MOST_ATTEMPTS, task_keep, task_submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the attempts at a task of the kind ``scratch`` do, one after another: raise an error or answer."""
    planned: list[Any] = []

    def handler(context: TaskContext, parameters: Any) -> dict[str, Any]:
        outcome = planned[context.attempt - 1]
        if isinstance(outcome, Exception):
            raise outcome
        answered: dict[str, Any] = outcome(context) if callable(outcome) else outcome
        return answered

    monkeypatch.setitem(registry._HANDLERS, "scratch", handler)
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    return planned


def submitted() -> UUID:
    return task_submit(kind="scratch", parameters={}).pk


def run(task_id: UUID) -> Task:
    task_run(task_id=task_id, worker="here")
    return Task.objects.get(pk=task_id)


def test_task_whose_database_failed_goes_back_to_queue(attempts: list[Any]) -> None:
    attempts += [OperationalError("the connection is lost"), {"n": 1}]
    task_id = submitted()
    assert run(task_id).state == "queued"
    task = run(task_id)
    assert (task.state, task.attempts, task.result, task.error) == ("succeeded", 2, {"n": 1}, None)


def test_task_whose_database_fails_every_time_is_lost(attempts: list[Any]) -> None:
    attempts += [OperationalError("the connection is lost")] * MOST_ATTEMPTS
    task_id = submitted()
    states = [run(task_id).state for _ in range(MOST_ATTEMPTS)]
    assert states == ["queued", "queued", "running"]
    Task.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=1))
    tasks_reap()
    task = Task.objects.get(pk=task_id)
    assert (task.state, task.error["code"]) == ("lost", "TASK_LOST")


def test_kept_result_is_answered_without_repeating_its_work(attempts: list[Any]) -> None:
    def keep_and_die(context: TaskContext) -> dict[str, Any]:
        with transaction.atomic():
            User.objects.create_user("made once")
            task_keep(task_id=context.task_id, claim=context.claim, result={"made": 1})
        raise OperationalError("the connection is lost")

    attempts += [keep_and_die, keep_and_die]
    task_id = submitted()
    assert run(task_id).state == "queued"
    task = run(task_id)
    assert (task.state, task.attempts, task.result) == ("succeeded", 2, {"made": 1})
    assert User.objects.filter(username="made once").count() == 1


def test_an_overtaken_attempt_is_undone(attempts: list[Any]) -> None:
    task_id = submitted()
    slow = task_claim(task_id=task_id, worker="slow")
    assert slow is not None
    Task.objects.update(state=TaskState.QUEUED, claim=None)
    task_claim(task_id=task_id, worker="next")

    def work() -> None:
        with transaction.atomic():
            User.objects.create_user("made by the slow one")
            task_keep(task_id=task_id, claim=slow.claim, result={"made": 1})

    with pytest.raises(TaskSuperseded):
        work()
    assert not User.objects.exists()
    assert Task.objects.get(pk=task_id).result is None
