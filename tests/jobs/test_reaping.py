"""Tasks whose worker died or whose doorbell was not heard; with real worker processes where it matters."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from lakeui.common.broker import redis_client
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.reaper import tasks_reap
from merge_app.jobs.runner import task_run
from merge_app.jobs.selectors import task_get, task_wait
from merge_app.jobs.services import task_cancel, task_claim, task_submit
from tests.jobs.conftest import Worker, kill

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(minutes=1)


def claimed(*, attempts: int = 1) -> UUID:
    """A task that a worker took and then said nothing more."""
    task_id = task_submit(kind="test.echo", parameters={"text": "x"}).pk
    task_claim(task_id=task_id, worker="dead")
    Task.objects.filter(pk=task_id).update(heartbeat_at=timezone.now() - LONG_AGO, attempts=attempts)
    return task_id


def test_a_silent_worker_loses_its_task_to_the_queue() -> None:
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


def test_a_task_that_nobody_heard_of_is_rung_again_at_growing_intervals() -> None:
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


def waits(tmp_path: Path) -> tuple[UUID, Path, Path]:
    marks, release = tmp_path / "marks", tmp_path / "release"
    task = task_submit(kind="test.mark", parameters={"marks": str(marks), "release": str(release)})
    return task.pk, marks, release


def until(condition: Callable[[], Any], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_real_worker_runs_what_was_submitted(start_worker: Callable[[], Worker]) -> None:
    start_worker()
    task_id = task_submit(kind="test.echo", parameters={"text": "through Redis"}).pk
    task = task_wait(task_id, seconds=20)
    assert task.result["echo"] == "through Redis"
    assert task.result["pid"] != os.getpid()


def test_a_task_waits_for_the_first_worker(start_worker: Callable[[], Worker]) -> None:
    task_id = task_submit(kind="test.echo", parameters={"text": "early"}).pk
    redis_client().delete("celery")
    Task.objects.update(ring_at=timezone.now() - LONG_AGO)
    start_worker()
    assert task_wait(task_id, seconds=20).state == "succeeded"


def test_a_running_task_in_a_worker_is_cancelled(start_worker: Callable[[], Worker], tmp_path: Path) -> None:
    start_worker()
    task_id, marks, _ = waits(tmp_path)
    until(marks.exists)
    assert task_cancel(task_id=task_id).state == "running"
    assert task_wait(task_id, seconds=10).state == "cancelled"


@pytest.mark.parametrize("victim", ["process", "worker"])
def test_a_task_survives_kill_9_of_its_worker(start_worker: Callable[[], Worker], tmp_path: Path, victim: str) -> None:
    worker = start_worker()
    task_id, marks, release = waits(tmp_path)
    until(marks.exists)
    if victim == "worker":
        kill(worker)
        start_worker()
    else:
        os.kill(int(Task.objects.get(pk=task_id).worker.rpartition(":")[2]), signal.SIGKILL)
    release.touch()
    # Instead of waiting until the silence is long enough.
    until(lambda: Task.objects.filter(pk=task_id, attempts=1).update(heartbeat_at=timezone.now() - LONG_AGO))
    task = task_wait(task_id, seconds=20)
    assert (task.state, task.attempts, task.result) == ("succeeded", 2, {"attempt": 2})
    assert marks.read_text().split() == ["1", "2"]
