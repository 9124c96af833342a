"""Reading tasks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from uuid import UUID

from django.db.models import Count, F, Min, Q, QuerySet
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal
from catalog_app.selectors.people import action_require, catalogs_visible, scope_require
from lakeui.common.errors import NotFound
from merge_app.jobs.endings import end_await
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.reaper import STALE_AFTER, tasks_reap
from merge_app.jobs.task_rows import task_read


def task_get(task_id: UUID) -> Task:
    """The task, after a look whether its worker still lives. Raises NotFound."""
    task = _read(task_id)
    if _neglected(task) and tasks_reap(only=task_id):
        return _read(task_id)
    return task


def task_wait(task_id: UUID, *, seconds: float, known: Task | None = None) -> Task:
    """The task as soon as it is finished, or as it is after ``seconds``. ``known``: the task as it was just queued or
    read, which saves the first look. Raises NotFound.
    """
    deadline = time.monotonic() + seconds
    task = known or task_get(task_id)
    while not task.is_finished and (left := deadline - time.monotonic()) > 0:
        end_await(task_id, seconds=left)
        task = task_get(task_id)
    return task


def oldest_running_start(*, but: UUID | None = None) -> datetime | None:
    """When the oldest attempt began that runs now, ``but`` one's own; None where none runs."""
    running = Task.objects.filter(state=TaskState.RUNNING)
    if but is not None:
        running = running.exclude(pk=but)
    oldest: datetime | None = running.aggregate(oldest=Min("started_at"))["oldest"]
    return oldest


def tasks_visible(principal: Principal) -> QuerySet[Task]:
    """The tasks that exist for whoever asks: their own, and those of the catalogs that they see. A token that is
    limited to some catalogs gets theirs alone, and what its user began with the same scopes in several of them.
    """
    found = Task.objects.all()
    if principal.catalogs is not None:
        begun_alike = Q(catalog=None, created_by=principal.user_id, scopes=sorted(principal.scopes or ()))
        found = found.filter(Q(catalog__in=principal.catalogs) | begun_alike)
    if principal.sees_everything:
        return found
    return found.filter(Q(created_by=principal.user_id) | Q(catalog__in=catalogs_visible(principal)))


def task_check_visible(principal: Principal, task_id: UUID) -> None:
    """Raises NotFound where the task does not exist for whoever asks."""
    if not tasks_visible(principal).filter(pk=task_id).exists():
        raise NotFound("task", str(task_id))


def task_require_cancellable(principal: Principal, task_id: UUID) -> None:
    """Raises NotFound where the task does not exist for whoever asks, PermissionDenied where they may not stop it."""
    task_check_visible(principal, task_id)
    task = task_get(task_id)
    if task.created_by_id == principal.user_id or task.catalog is None:
        # Only superusers see a task of others that belongs to no single catalog.
        scope_require(principal, Action.CANCEL_TASK)
    else:
        action_require(principal, task.catalog, Action.CANCEL_TASK)


def task_known(*, user_id: int | None, idempotency_key: str) -> bool:
    """Whether the user has used this key."""
    return Task.objects.filter(created_by_id=user_id, idempotency_key=idempotency_key).exists()


def task_list(
    principal: Principal,
    *,
    state: str | None = None,
    kind: str | None = None,
    created_by: str | None = None,
    catalog: str | None = None,
    search: str | None = None,
) -> QuerySet[Task]:
    """Visible tasks, newest first; ``search`` looks into the statement and the message."""
    tasks = tasks_visible(principal).select_related("created_by").order_by("-created_at", "-pk")
    if state:
        tasks = tasks.filter(state=state)
    if kind:
        tasks = tasks.filter(kind=kind)
    if created_by:
        tasks = tasks.filter(created_by__username=created_by)
    if catalog:
        tasks = tasks.filter(catalog__name__iexact=catalog)
    if search:
        tasks = tasks.filter(Q(parameters__statement__icontains=search) | Q(message__icontains=search))
    return tasks


NEWEST = 500
"""Earlier runs are looked for among so many of the newest tasks, which bounds what a look costs."""
MOST_EARLIER = 5


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a task may take: the median of the ``runs`` newest that did the same, and the steps of the newest."""

    seconds: float
    steps: int
    runs: int


def task_expectation(task: Task) -> Expectation | None:
    """By tasks that ran the same statement on the same branch of the same catalog and succeeded. Without a catalog by
    those of the same person. None where the task is finished, or there is none before it.
    """
    statement, branch = (task.parameters.get(name) for name in ("statement", "branch"))
    if task.is_finished or not statement:
        return None
    newest = Task.objects.filter(created_at__lt=task.created_at).order_by("-created_at").values("pk")[:NEWEST]
    same = Task.objects.filter(pk__in=newest, kind=task.kind, state=TaskState.SUCCEEDED, catalog_id=task.catalog_id)
    same = same.filter(parameters__statement=statement, started_at__isnull=False)
    if branch is not None:
        same = same.filter(parameters__branch=branch)
    if task.catalog_id is None:
        same = same.filter(created_by_id=task.created_by_id)
    took = F("finished_at") - F("started_at")
    found = list(same.order_by("-created_at").annotate(took=took).values_list("took", "steps")[:MOST_EARLIER])
    if not found:
        return None
    seconds = median(took.total_seconds() for took, _ in found)
    return Expectation(seconds, len(found[0][1]), len(found))


def unfinished_count(*, catalog: str) -> int:
    """Tasks of that catalog which wait or run."""
    unfinished = Task.objects.filter(state__in=[TaskState.QUEUED, TaskState.RUNNING])
    return unfinished.filter(parameters__catalog__iexact=catalog).count()


@dataclass(frozen=True, slots=True)
class UnfinishedTotal:
    """Tasks of one kind and state, and when the oldest of them was asked for."""

    kind: str
    state: str
    count: int
    oldest: datetime


def unfinished_totals() -> list[UnfinishedTotal]:
    """The tasks that wait or run, by kind and state. Finished tasks are not looked at, however many there are."""
    found = []
    # One question a state: each has an index of its own, which no question for both states takes.
    for state in (TaskState.QUEUED, TaskState.RUNNING):
        groups = Task.objects.filter(state=state).values_list("kind").annotate(Count("pk"), Min("created_at"))
        found += [UnfinishedTotal(kind, str(state), *rest) for kind, *rest in groups.order_by("kind")]
    return found


def queue_age(totals: list[UnfinishedTotal]) -> float:
    """Seconds that the oldest task which waits has waited; 0 where none does."""
    oldest = min((total.oldest for total in totals if total.state == TaskState.QUEUED), default=None)
    return (timezone.now() - oldest).total_seconds() if oldest else 0.0


def _read(task_id: UUID) -> Task:
    task = task_read(task_id)
    if task is None:
        raise NotFound("task", str(task_id))
    return task


def _neglected(task: Task) -> bool:
    now = timezone.now()
    if task.state == TaskState.RUNNING:
        return task.heartbeat_at is not None and task.heartbeat_at < now - STALE_AFTER
    return task.state == TaskState.QUEUED and task.ring_at < now
