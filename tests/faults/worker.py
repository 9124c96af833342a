"""Fault points armed for the worker, and tasks whose worker died there."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
from django.utils import timezone

from catalog_app.models import Catalog
from catalog_app.services.integrity import catalog_check
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.faults import reached_mark
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit

LONG_AGO = timedelta(minutes=1)


def arm(faults: Path, point: str, action: str) -> None:
    """Have the next process that comes to the point do ``kill`` or ``pause``, once."""
    written = faults / f".{point}"
    written.write_text(action)
    written.rename(faults / point)


def until(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def run_and_kill(
    parameters: dict[str, Any],
    faults: Path,
    point: str,
    meanwhile: Callable[[], object] | None = None,
    *,
    kind: str = "sql",
) -> Task:
    """Run a task whose worker process is killed at the point; how the task ends. ``meanwhile`` happens when its files
    are staged.
    """
    task = run_up_to(parameters, faults, point, "kill", meanwhile, kind=kind)
    reached_mark(faults, point).unlink()
    until(lambda: not _is_running(task))
    be_missed(task.pk)
    return task_wait(task.pk, seconds=60)


def run_up_to(
    parameters: dict[str, Any],
    faults: Path,
    point: str,
    action: str,
    meanwhile: Callable[[], object] | None = None,
    *,
    kind: str = "sql",
) -> Task:
    """Run a task up to the point, where its process does ``kill`` or ``pause``; the task as it is there. ``meanwhile``
    happens when its files are staged.
    """
    if meanwhile is None:
        arm(faults, point, action)
        return submit_and_reach(parameters, faults, point, kind=kind)
    arm(faults, "write.staged", "pause")
    task = submit_and_reach(parameters, faults, "write.staged", kind=kind)
    meanwhile()
    arm(faults, point, action)
    reached_mark(faults, "write.staged").unlink()
    return _reach(task, parameters, faults, point)


def submit_and_reach(parameters: dict[str, Any], faults: Path, point: str, *, kind: str = "sql") -> Task:
    """Run a task up to the armed point; the task as it is there."""
    return _reach(task_submit(kind=kind, parameters=parameters), parameters, faults, point)


def _reach(task: Task, parameters: dict[str, Any], faults: Path, point: str) -> Task:
    until(lambda: reached_mark(faults, point).exists() or Task.objects.get(pk=task.pk).is_finished)
    task = Task.objects.get(pk=task.pk)
    assert reached_mark(faults, point).exists(), f"{parameters['statement']} never came to {point}: {task.error}"
    return task


def be_missed(task_id: UUID) -> None:
    """Let the silence of the task's first worker count as long enough already."""
    assert Task.objects.filter(pk=task_id, attempts=1).update(heartbeat_at=timezone.now() - LONG_AGO)


def _is_running(task: Task) -> bool:
    """Whether its worker's process lives. One of that number which began later is another's: numbers come round."""
    assert task.started_at is not None
    try:
        process = psutil.Process(int(task.worker.rpartition(":")[2]))
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= task.started_at.timestamp()
    except psutil.NoSuchProcess:
        return False


def breaches_with_files(catalog: Catalog, warehouse: Path | str) -> list[str]:
    """What check_catalog finds, files on disk included."""
    files = Warehouse(str(warehouse))

    def size_of(path: str) -> int | None:
        return files.size(path) if files.exists(path) else None

    return catalog_check(catalog, size_of=size_of)
