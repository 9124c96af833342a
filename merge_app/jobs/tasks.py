"""What Celery calls, and what starts with a worker."""

from __future__ import annotations

import os
import socket
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.signals import worker_process_shutdown, worker_ready, worker_shutdown

from lakeui.common.traces import traces_flush
from merge_app.jobs.reaper import Reaper
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import RUN_TASK

_reapers: list[Reaper] = []


@shared_task(name=RUN_TASK, ignore_result=True)
def run_task(task_id: str) -> None:
    """Somebody rang: run that task unless another worker has it."""
    task_run(task_id=UUID(task_id), worker=f"{socket.gethostname()}:{os.getpid()}")


@worker_ready.connect
def start_reaper(sender: Any = None, **_: Any) -> None:
    """Every worker watches over all tasks, also those of other workers."""
    reaper = Reaper(worker=str(getattr(sender, "hostname", socket.gethostname())))
    _reapers.append(reaper)
    reaper.start()


@worker_shutdown.connect
def stop_reaper(**_: Any) -> None:
    while _reapers:
        _reapers.pop().stop()


@worker_process_shutdown.connect
def send_spans(**_: Any) -> None:
    traces_flush()
