"""Tasks whose worker died, or got no signal."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from lakeui.common.broker import redis_client
from merge_app.jobs.claiming import task_claim
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.reaper import tasks_reap
from merge_app.jobs.runner import task_run
from merge_app.jobs.selectors import task_get
from merge_app.jobs.services import task_cancel, task_submit

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(minutes=1)


def claimed(*, attempts: int = 1) -> UUID:
    """A task that a worker took and then said nothing more."""
    task_id = task_submit(kind="test.echo", parameters={"text": "x"}).pk
    task_claim(task_id=task_id, worker="dead")
    Task.objects.filter(pk=task_id).update(heartbeat_at=timezone.now() - LONG_AGO, attempts=attempts)
    return task_id


def test_silent_worker_loses_its_task_to_queue() -> None:
    task_id = claimed()
    assert task_id in tasks_reap()
    assert Task.objects.get(pk=task_id).state == "queued"
    assert task_run(task_id=task_id, worker="next") == TaskState.SUCCEEDED
    assert Task.objects.get(pk=task_id).result["attempt"] == 2


def test_a_worker_that_beats_keeps_its_task() -> None:
    task_id = task_submit(kind="test.echo", parameters={"text": "x"}).pk
    task_claim(task_id=task_id, worker="alive")
    assert tasks_reap() == []
    assert Task.objects.get(pk=task_id).state == "running"


def test_the_third_death_is_the_last() -> None:
    task_id = claimed(attempts=3)
    tasks_reap()
    task = Task.objects.get(pk=task_id)
    assert (task.state, task.error["code"], task.error["attempts"]) == ("lost", "TASK_LOST", 3)


def test_a_cancelled_task_is_not_tried_again() -> None:
    task_id = claimed()
    task_cancel(task_id=task_id)
    tasks_reap()
    assert Task.objects.get(pk=task_id).state == "cancelled"


def test_looking_at_an_abandoned_task_reaps_it() -> None:
    assert task_get(claimed()).state == "queued"


def test_unclaimed_task_is_rung_again_at_growing_intervals() -> None:
    task_id = task_submit(kind="test.echo", parameters={"text": "x"}).pk
    pauses = []
    for _ in range(3):
        Task.objects.update(ring_at=timezone.now() - LONG_AGO)
        redis_client().delete("celery")
        assert tasks_reap() == [task_id]
        assert tasks_reap() == []
        assert redis_client().llen("celery") == 1
        pauses.append(Task.objects.get(pk=task_id).ring_at - timezone.now())
    assert pauses[0] < pauses[1] < pauses[2]
