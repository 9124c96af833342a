"""Queries that run as tasks: their number leaves workers free, and their time is bounded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from lakeui.common.errors import EngineError
from merge_app.jobs import registry, runner
from merge_app.jobs.claiming import task_claim
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import QUERY_TASK_KIND, Task, TaskState
from merge_app.jobs.request_work import TooManyQueries, query_task_require_place
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_cancel, task_submit

pytestmark = pytest.mark.django_db(transaction=True)
SELECT = {"statement": "SELECT 1", "catalog": None, "branch": "main"}


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks for which workers were rung, in their order."""
    calls: list[str] = []
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *, args, **_: calls.extend(args))
    return calls


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[registry.Handler], None]:
    """Sets what a query does."""
    return lambda handler: monkeypatch.setitem(registry._HANDLERS, QUERY_TASK_KIND, handler)


def query() -> Task:
    return task_submit(kind=QUERY_TASK_KIND, parameters=SELECT)


def test_query_waits_behind_another_but_other_tasks_run(rung: list[str]) -> None:
    first, second = query(), query()
    write = task_submit(kind="sql", parameters=SELECT)
    assert task_claim(task_id=first.pk, worker="a") is not None
    assert task_claim(task_id=second.pk, worker="b") is None
    assert Task.objects.get(pk=second.pk).state == TaskState.QUEUED
    assert task_claim(task_id=write.pk, worker="b") is not None


def test_of_two_concurrent_claims_one_gets_only_place(rung: list[str]) -> None:
    both = threading.Barrier(2)
    got: list[Any] = []

    def claim(task: Task) -> None:
        from django.db import connection

        both.wait()
        got.append(task_claim(task_id=task.pk, worker="w"))
        connection.close()

    claims = [threading.Thread(target=claim, args=[query()]) for _ in range(2)]
    for thread in claims:
        thread.start()
    for thread in claims:
        thread.join()
    assert got.count(None) == 1


def test_setting_limits_running_queries_and_0_sets_none(rung: list[str], settings: Any) -> None:
    for most, running in ((2, 2), (0, 4)):
        Task.objects.all().delete()
        settings.LAKEUI = {**settings.LAKEUI, "QUERY_TASKS": most}
        claims = [task_claim(task_id=query().pk, worker="w") for _ in range(4)]
        assert len([claim for claim in claims if claim]) == running


def test_end_of_query_rings_for_longest_waiting_one(rung: list[str], work: Callable[[registry.Handler], None]) -> None:
    first, second, _ = query(), query(), query()

    def one_that_is_tried_meanwhile(context: TaskContext, parameters: Any) -> dict[str, Any]:
        assert task_run(task_id=second.pk, worker="b") is None
        return {}

    work(one_that_is_tried_meanwhile)
    rung.clear()
    assert task_run(task_id=first.pk, worker="a") == TaskState.SUCCEEDED
    assert rung == [str(second.pk)]


def test_longest_time_stops_query_that_runs_as_task(
    rung: list[str], work: Callable[[registry.Handler], None], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.02)
    settings.LAKEUI = {**settings.LAKEUI, "QUERY_TASK_SECONDS": 0.05}

    def endless(context: TaskContext, parameters: Any) -> dict[str, Any]:
        interrupted = threading.Event()
        context.on_cancel(interrupted.set)
        assert interrupted.wait(30)
        raise EngineError("The statement was cancelled.")

    work(endless)
    task = query()
    assert task_run(task_id=task.pk, worker="a") == TaskState.FAILED
    error = Task.objects.get(pk=task.pk).error
    assert (error["code"], error["status"], error["seconds"]) == ("STATEMENT_TIMEOUT", 504, 0.05)


def test_waiting_and_running_queries_of_person_are_limited(rung: list[str], settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "QUERIES_PER_PERSON": 2}
    alice = User.objects.create_user(f"alice-{uuid4().hex[:6]}")
    for _ in range(2):
        query_task_require_place(alice)
        last = task_submit(kind=QUERY_TASK_KIND, parameters=SELECT, user=alice)
    with pytest.raises(TooManyQueries, match="2 queries of yours wait or run as tasks") as refused:
        query_task_require_place(alice)
    assert str(last.pk) in refused.value.details["running"]
    task_cancel(task_id=last.pk)
    query_task_require_place(alice)
