"""A person under whose statements Spark ends again and again waits; the others go on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from lakeui.common.errors import EngineLost
from merge_app.jobs import registry
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import EngineEndedOften
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import ENDS_COUNT_FOR, MOST_ENDS, task_submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ending(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each statement ends Spark."""

    def ends(context: TaskContext, parameters: Any) -> dict[str, Any]:
        raise EngineLost

    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda **_: None)
    monkeypatch.setitem(registry._HANDLERS, "sql", ends)


def submit(user: User, key: str = "", kind: str = "sql") -> Task:
    return task_submit(kind=kind, parameters={"statement": "INSERT"}, user=user, idempotency_key=key)


def test_person_who_often_ends_spark_is_refused_temporarily() -> None:
    alice, bob = (User.objects.create_user(f"{name}-{uuid4().hex[:6]}") for name in ("alice", "bob"))
    for number in range(MOST_ENDS):
        task = submit(alice, key=f"k{number}")
        assert task_run(task_id=task.pk, worker="a") == TaskState.LOST
    for kind in ("sql", "sql query"):
        with pytest.raises(EngineEndedOften, match=f"ended under {MOST_ENDS} of your statements") as refused:
            submit(alice, kind=kind)
    assert 0 < refused.value.details["retry_after"] <= ENDS_COUNT_FOR.total_seconds()
    assert str(task.pk) in refused.value.details["tasks"]
    assert submit(alice, key="k0").state == TaskState.LOST
    assert submit(bob).state == TaskState.QUEUED
    oldest = Task.objects.filter(created_by=alice).earliest("created_at")
    Task.objects.filter(pk=oldest.pk).update(finished_at=timezone.now() - ENDS_COUNT_FOR - timedelta(seconds=1))
    assert submit(alice).state == TaskState.QUEUED
