"""Finds tasks whose worker died or whose signal no worker got, and gives them another chance."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from redis.exceptions import RedisError

from catalog_app.services.imports import imports_expire
from catalog_app.services.results import results_expire
from catalog_app.services.transactions import transactions_expire
from catalog_app.storage.warehouse import Warehouse
from merge_app.jobs.errors import TaskCancelled, TaskLost
from merge_app.jobs.events import task_event_emit
from merge_app.jobs.models import REQUEST_KINDS, Task, TaskState
from merge_app.jobs.presence import worker_seen
from merge_app.jobs.services import MOST_ATTEMPTS, task_notify
from merge_app.webhooks.outbox import deliveries_notify

logger = logging.getLogger(__name__)

STALE_AFTER = timedelta(seconds=15)
LONGEST_SWEEP = 1000
SWEEP_SECONDS = 5.0
_SWEEPS: list[Callable[[], object]] = []


def sweeps(sweep: Callable[[], object]) -> None:
    """Have ``sweep`` called every few seconds by every worker; it must be safe to run anywhere, many at once."""
    if sweep not in _SWEEPS:
        _SWEEPS.append(sweep)


def tasks_reap(*, only: UUID | None = None) -> list[UUID]:
    """Give abandoned tasks back to the queue, or up, and notify workers of waiting ones. Answers which were touched.

    Safe to run anywhere, any number of times at once: each change asks for the state that it saw.
    """
    chosen = Task.objects.all() if only is None else Task.objects.filter(pk=only)
    abandoned = _reap_running(chosen)
    waiting = chosen.filter(state=TaskState.QUEUED, ring_at__lte=Now()).order_by("ring_at")
    unheard = list(waiting.values_list("pk", flat=True)[:LONGEST_SWEEP])
    for task_id in unheard:
        task_notify(task_id)
    return [*abandoned, *unheard]


def _reap_running(chosen: QuerySet[Task]) -> list[UUID]:
    touched = []
    stale = chosen.filter(state=TaskState.RUNNING, heartbeat_at__lt=Now() - STALE_AFTER)
    # The web process of these ended, and with it the request that waited for the answer.
    stale.filter(kind__in=REQUEST_KINDS).delete()
    for task in stale.only("pk", "claim", "attempts", "cancel_requested", "worker")[:LONGEST_SWEEP]:
        same = stale.filter(pk=task.pk, claim=task.claim)
        if task.cancel_requested:
            error = TaskCancelled("The task was cancelled.").as_problem()
            done = _end(same, task, TaskState.CANCELLED, error)
        elif task.attempts < MOST_ATTEMPTS:
            done = same.update(state=TaskState.QUEUED, claim=None, ring_at=Now(), rings=0)
        else:
            done = _end(same, task, TaskState.LOST, _lost(task))
        if done:
            logger.warning("task %s was abandoned by %s in attempt %s", task.pk, task.worker, task.attempts)
            touched.append(task.pk)
    return touched


def _end(same: QuerySet[Task], task: Task, state: TaskState, error: dict[str, Any]) -> int:
    """End the task, if it is still as it was seen, and tell it."""
    with transaction.atomic():
        done = same.update(state=state, error=error, finished_at=Now())
        if done:
            task_event_emit(task.pk)
    return done


def _lost(task: Task) -> dict[str, object]:
    return TaskLost(
        f"The worker or its database died in each of {task.attempts} attempts.",
        remedy="Nothing was written by halves. Look at the worker's log, then run the statement again.",
        attempts=task.attempts,
    ).as_problem()


class Reaper:
    """The thread that every few seconds sweeps tasks, messages to webhooks, abandoned transactions, imports and
    results, and does what others have asked for; and shows that its worker is there.
    """

    def __init__(self, *, worker: str) -> None:
        self._worker = worker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="reaper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=SWEEP_SECONDS)

    def _loop(self) -> None:
        while not self._ended.is_set():
            try:
                tasks_reap()
                transactions_expire()
                deliveries_notify()
                warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
                imports_expire(warehouse=warehouse)
                results_expire(warehouse=warehouse)
                for sweep in _SWEEPS:
                    sweep()
                worker_seen(self._worker)
            except (DatabaseError, RedisError, OSError):
                logger.warning("the reaper could not sweep, it will try again", exc_info=True)
            finally:
                # Closed between sweeps: children that the worker forks meanwhile must not share the connection.
                connection.close()
            self._ended.wait(SWEEP_SECONDS)
