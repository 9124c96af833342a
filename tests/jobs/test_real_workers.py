"""Tasks in real worker processes: taken, cancelled, and survived where a worker or one of its processes is killed."""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from lakeui.common.broker import redis_client
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_cancel, task_submit
from tests.faults.worker import until
from tests.jobs.conftest import Workers

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(minutes=1)


def waits(tmp_path: Path) -> tuple[UUID, Path, Path]:
    marks, release = tmp_path / "marks", tmp_path / "release"
    task = task_submit(kind="test.mark", parameters={"marks": str(marks), "release": str(release)})
    return task.pk, marks, release


def test_waiting_tasks_start_with_the_first_worker(workers: Workers) -> None:
    workers.kill()
    early = task_submit(kind="test.echo", parameters={"text": "early"}).pk
    redis_client().delete("celery")
    Task.objects.update(ring_at=timezone.now() - LONG_AGO)
    workers.one()
    assert task_wait(early, seconds=20).state == "succeeded"
    task = task_wait(task_submit(kind="test.echo", parameters={"text": "through Redis"}).pk, seconds=20)
    assert task.result["echo"] == "through Redis"
    assert task.result["pid"] != os.getpid()


def test_process_keeps_its_connection_and_replaces_broken_one(workers: Workers) -> None:
    workers.one()
    served: dict[int, set[int]] = {}
    for _ in range(6):
        found = task_wait(task_submit(kind="test.backend", parameters={}).pk, seconds=20).result
        served.setdefault(found["pid"], set()).add(found["backend"])
    assert {len(backends) for backends in served.values()} == {1}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) AS pid", [list(set().union(*served.values()))])
    for _ in range(2):
        task = task_wait(task_submit(kind="test.backend", parameters={}).pk, seconds=20)
        assert (task.state, task.attempts) == ("succeeded", 1)
        assert task.result["backend"] not in served.get(task.result["pid"], set())


def test_a_running_task_in_a_worker_is_cancelled(workers: Workers, tmp_path: Path) -> None:
    workers.one()
    task_id, marks, _ = waits(tmp_path)
    until(marks.exists)
    assert task_cancel(task_id=task_id).state == "running"
    assert task_wait(task_id, seconds=10).state == "cancelled"


@pytest.mark.parametrize("victim", ["process", "worker"])
def test_a_task_survives_kill_9_of_its_worker(workers: Workers, tmp_path: Path, victim: str) -> None:
    workers.one()
    task_id, marks, release = waits(tmp_path)
    # The file is there before it says that the first attempt waits.
    until(lambda: marks.exists() and marks.read_text())
    if victim == "worker":
        workers.kill()
        workers.one()
    else:
        os.kill(int(Task.objects.get(pk=task_id).worker.rpartition(":")[2]), signal.SIGKILL)
    release.touch()
    # Instead of waiting until the silence is long enough.
    until(lambda: Task.objects.filter(pk=task_id, attempts=1).update(heartbeat_at=timezone.now() - LONG_AGO))
    task = task_wait(task_id, seconds=20)
    assert (task.state, task.attempts, task.result) == ("succeeded", 2, {"attempt": 2})
    assert marks.read_text().split() == ["1", "2"]
