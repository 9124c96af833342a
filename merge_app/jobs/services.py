"""Submitting, claiming, finishing and cancelling tasks. Every change of state is one compare-and-swap."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from datetime import timedelta
from functools import partial
from math import ceil
from typing import Any
from uuid import UUID

from celery import current_app
from celery.exceptions import CeleryError
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import KombuError

from catalog_app.domain.roles import CatalogScope, Scope
from catalog_app.selectors.rows import fetch_all, row_add
from lakeui.common.errors import EngineError
from lakeui.common.json_values import storable
from lakeui.common.logs import current_request_id
from merge_app.jobs.context import Report
from merge_app.jobs.endings import end_publish
from merge_app.jobs.errors import (
    EngineEndedOften,
    IdempotencyMismatch,
    TaskCancelled,
    TaskFinished,
    TaskSuperseded,
    TooManyQueued,
)
from merge_app.jobs.events import event_emit_of, task_event_emit
from merge_app.jobs.models import QUERY_TASK_KIND, SCRIPT_TASK_KIND, WRITE_TASK_KINDS, Task, TaskState
from merge_app.jobs.registry import handler_for
from merge_app.jobs.task_rows import WRITES, json_text

logger = logging.getLogger(__name__)

RUN_TASK = "lakeui.run_task"
"""What workers know the work on a task by."""
FIRST_RING_AGAIN = timedelta(seconds=10)
LONGEST_RING_AGAIN = timedelta(minutes=5)
MOST_ATTEMPTS = 3
MOST_ENDS = 3
ENDS_COUNT_FOR = timedelta(minutes=10)
"""Whoever had so many statements in a Spark that ended, within that time, waits."""
RETRY_SECONDS = 30
"""When whoever has too much waiting work may ask again."""
STATEMENT_KINDS = frozenset({"sql", SCRIPT_TASK_KIND, QUERY_TASK_KIND})
_REFUSALS = f"""
SELECT
    (SELECT count(*) FROM (
        SELECT FROM jobs_task
        WHERE created_by_id = %(user)s AND state = 'lost' AND error->>'code' = '{EngineError.code}'
            AND finished_at >= statement_timestamp() - %(longest)s LIMIT {MOST_ENDS}) ended),
    (SELECT count(*) FROM jobs_task WHERE created_by_id = %(user)s AND state = 'queued' AND kind IN {WRITES})"""
"""How many engines ended under the person's statements lately, and how many writes of the person wait."""
_FINISH = """
UPDATE jobs_task SET state = %(state)s, result = %(result)s::jsonb, error = %(error)s::jsonb, steps = %(steps)s::jsonb,
    progress = %(progress)s, message = %(message)s, finished_at = statement_timestamp(),
    heartbeat_at = statement_timestamp()
WHERE id = %(task)s AND state = 'running' AND claim = %(claim)s RETURNING finished_at"""


def task_submit(
    *,
    kind: str,
    parameters: Mapping[str, Any],
    user: AbstractBaseUser | AnonymousUser | None = None,
    idempotency_key: str = "",
    request_digest: str = "",
    catalog_id: int | None = None,
    scopes: Collection[Scope | CatalogScope] | None = None,
    retry_of: UUID | None = None,
) -> Task:
    """Queue a task; workers are notified when the surrounding transaction commits.

    Members of the catalog see the task; the ``scopes`` of a token go along to where it runs.
    With an ``idempotency_key`` the user's earlier task of that key is answered instead of a second one.
    Raises IdempotencyMismatch if that task came from another request (by ``request_digest``), EngineEndedOften, and
    TooManyQueued.
    """
    handler_for(kind)
    if user is not None:
        _refuse_who_may_not_submit(kind, user.pk, idempotency_key)
    task = Task(
        kind=kind,
        parameters=dict(parameters),
        created_by_id=None if user is None else user.pk,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        catalog_id=catalog_id,
        scopes=None if scopes is None else sorted(scopes),
        retry_of_id=retry_of,
        request_id=current_request_id(),
    )
    return _queued(task)


def _queued(task: Task) -> Task:
    """The task, stored; or the earlier one of its key. Workers are notified as soon as it is there."""
    task.rings, task.ring_at = 1, timezone.now() + FIRST_RING_AGAIN
    try:
        # Only the task that a key stands for is looked up after a failure, for which a savepoint is needed.
        with transaction.atomic(savepoint=bool(task.idempotency_key)):
            row_add(task)
    except IntegrityError:
        if not task.idempotency_key:
            raise
        return _earlier(task)
    transaction.on_commit(partial(_notify, task.pk))
    return task


def _refuse_who_may_not_submit(kind: str, user_id: int | None, idempotency_key: str) -> None:
    """Raises EngineEndedOften and TooManyQueued. What a known key stands for is answered, not judged again.

    Requests at the same instant may each find the last place: the bound of waiting work is not exact.
    """
    most = int(settings.LAKEUI["WAITING_TASKS_PER_PERSON"])
    ((ends, waiting),) = fetch_all(_REFUSALS, {"user": user_id, "longest": ENDS_COUNT_FOR}, prepared=True)
    ends_often = kind in STATEMENT_KINDS and ends >= MOST_ENDS
    waits_often = kind in WRITE_TASK_KINDS and 0 < most <= waiting
    if not (ends_often or waits_often) or _is_known(user_id, idempotency_key):
        return
    raise _ended_often(user_id) if ends_often else _waits_often(waiting)


def _ended_often(user_id: int | None) -> EngineEndedOften:
    lost = Task.objects.filter(created_by=user_id, state=TaskState.LOST, error__code=EngineError.code)
    # Asked for only where a statement is refused. The count before found as many, and a task of these minutes stays.
    # Without their results, which may be large.
    ends = list(lost.order_by("-finished_at").only("pk", "finished_at")[:MOST_ENDS])
    oldest = ends[-1].finished_at or timezone.now()
    again = oldest + ENDS_COUNT_FOR - timezone.now()
    return EngineEndedOften(
        f"The compute engine ended under {MOST_ENDS} of your statements within"
        f" {ENDS_COUNT_FOR.total_seconds() / 60:.0f} minutes.",
        remedy="Wait, then ask for smaller values or fewer rows.",
        retry_after=max(1, ceil(again.total_seconds())),
        tasks=[str(task.pk) for task in ends],
    )


def _waits_often(waiting: int) -> TooManyQueued:
    return TooManyQueued(
        f"{waiting} of your writes, loads, merges and pipeline runs wait for a worker, which is the most at a time.",
        remedy="Wait until some have run, or cancel some.",
        retry_after=RETRY_SECONDS,
        waiting=waiting,
    )


def _is_known(user_id: int | None, idempotency_key: str) -> bool:
    """Whether a task holds the key, so that the request is answered and not judged again."""
    known = Task.objects.filter(created_by=user_id, idempotency_key=idempotency_key)
    return bool(idempotency_key) and known.exists()


def _earlier(task: Task) -> Task:
    """The task that holds the key of ``task``, which could not be stored."""
    known = Task.objects.get(created_by=task.created_by_id, idempotency_key=task.idempotency_key)
    if known.request_digest != task.request_digest:
        raise IdempotencyMismatch(
            "This Idempotency-Key was used before with a different request.",
            remedy="Use a new key for a new request.",
            task=str(known.pk),
        )
    return known


def task_notify(task_id: UUID) -> None:
    """Announce a task that is still queued to the workers, and put off when it is announced again."""
    task = Task.objects.filter(pk=task_id, state=TaskState.QUEUED).values("rings").first()
    if task is None:
        return
    pause = min(FIRST_RING_AGAIN * 2 ** min(task["rings"], 10), LONGEST_RING_AGAIN)
    Task.objects.filter(pk=task_id, rings=task["rings"]).update(rings=F("rings") + 1, ring_at=Now() + pause)
    _notify(task_id)


def _notify(task_id: UUID) -> None:
    """Announce a task to the workers. A broker that is away is no error: the reaper announces it again."""
    try:
        current_app.tasks[RUN_TASK].apply_async(args=[str(task_id)], ignore_result=True, retry=False)
    except (KombuError, CeleryError, OSError) as error:
        logger.warning("could not notify workers of task %s, they will be notified again: %s", task_id, error)


def task_beat(*, task_id: UUID, claim: UUID, report: Report) -> bool | None:
    """Show that the attempt lives and how far it is. Answers whether it should stop; None: it is no longer ours."""
    ours = Task.objects.filter(pk=task_id, state=TaskState.RUNNING, claim=claim)
    if not ours.update(heartbeat_at=Now(), steps=report.steps, progress=report.progress, message=report.message):
        return None
    return ours.values_list("cancel_requested", flat=True).first()


def task_finish(
    *, task: Task, state: TaskState, report: Report, result: Any = None, error: dict[str, Any] | None = None
) -> bool:
    """Record the outcome of the attempt that holds the ``claim`` of the task; False if the task had been given to
    another.
    """
    parameters = {
        "task": task.pk,
        "claim": task.claim,
        "state": str(state),
        "result": json_text(result),
        "error": json_text(error),
        "steps": json_text(report.steps),
        "progress": 1.0 if state == TaskState.SUCCEEDED else report.progress,
        "message": report.message,
    }
    with transaction.atomic():
        finished = fetch_all(_FINISH, parameters, prepared=True)
        for (task.finished_at,) in finished:
            task.state, task.error = state, error
            event_emit_of(task)
            transaction.on_commit(partial(end_publish, task.pk))
    if not finished:
        logger.warning("task %s was taken over; the outcome %s of this attempt is dropped", task.pk, state)
    return bool(finished)


def task_keep(*, task_id: UUID, claim: UUID | None, result: Any) -> None:
    """Keep the result in the transaction that makes it true; another attempt then only answers it.

    Raises TaskSuperseded, which undoes that transaction, if the task was given to another attempt.
    """
    ours = Task.objects.filter(pk=task_id, state=TaskState.RUNNING, claim=claim)
    if not ours.update(result=storable(result)):
        raise TaskSuperseded("Another worker has taken this task over.")


def task_part_keep(*, task_id: UUID, claim: UUID | None, parts: Mapping[str, Any]) -> None:
    """Keep what the parts came to that are done, in the transaction that makes the last one true where it has one.

    Raises TaskSuperseded, which undoes that transaction, if the task was given to another attempt.
    """
    ours = Task.objects.filter(pk=task_id, state=TaskState.RUNNING, claim=claim)
    if not ours.update(parts=storable(dict(parts))):
        raise TaskSuperseded("Another worker has taken this task over.")


def task_release(*, task_id: UUID, claim: UUID) -> None:
    """Give a task that could not be finished back to the queue. After its last attempt its silence will end it."""
    ours = Task.objects.filter(pk=task_id, state=TaskState.RUNNING, claim=claim, attempts__lt=MOST_ATTEMPTS)
    if ours.update(state=TaskState.QUEUED, claim=None, ring_at=Now(), rings=0):
        task_notify(task_id)


def task_cancel(*, task_id: UUID) -> Task:
    """Stop a task: at once while it waits, at its next check while it runs. Cancelling twice is fine.

    Raises Task.DoesNotExist, and TaskFinished if it ended in another way.
    """
    waiting = Task.objects.filter(pk=task_id, state=TaskState.QUEUED)
    error = TaskCancelled("The task was cancelled before it began.").as_problem()
    with transaction.atomic():
        ended = waiting.update(state=TaskState.CANCELLED, cancel_requested=True, error=error, finished_at=Now())
        if ended:
            task_event_emit(task_id)
            transaction.on_commit(partial(end_publish, task_id))
    if not ended:
        Task.objects.filter(pk=task_id, state=TaskState.RUNNING).update(cancel_requested=True)
    task = Task.objects.select_related("created_by").get(pk=task_id)
    if task.is_finished and task.state != TaskState.CANCELLED:
        raise TaskFinished(f"The task has {task.state} already.", remedy="Nothing is left to cancel.", state=task.state)
    return task
