"""The worker that other tests ask for sees the test database and finishes its tasks."""

from __future__ import annotations

import time

import pytest

from merge_app.jobs.models import Task
from merge_app.jobs.services import task_submit


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker")
def test_shared_worker_runs_task_of_test_database() -> None:
    parameters = {"statement": "SHOW CATALOGS", "catalog": None, "branch": "main", "transaction": None}
    task = task_submit(kind="sql", parameters=parameters, user=None)
    deadline = time.monotonic() + 20
    while Task.objects.get(pk=task.pk).state in ("queued", "running"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert Task.objects.get(pk=task.pk).state == "succeeded"
