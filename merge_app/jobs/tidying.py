"""The nightly task that removes what lakeui keeps for a time only: bulk SQL, a batch a transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import Task
from merge_app.jobs.registry import handles
from merge_app.jobs.services import task_submit

logger = logging.getLogger(__name__)

TASK_KIND = "tidy"
NIGHTLY_AT = time(2, 30, tzinfo=UTC)
BATCH = 5_000
ANSWER_DAYS = 7
"""Answers to requests that bore an Idempotency-Key."""
DELIVERY_DAYS = 30
TASK_DAYS = 30
RUN_DAYS = 90
RUNS_KEPT = 100
"""Of each pipeline the newest so many stay, whatever their age, and the last that succeeded."""

_LOCK = 0x6C616B65
Tidy = Callable[[datetime], int]
_submitted_for: list[datetime] = []

_STATEMENTS: Mapping[str, tuple[int, str]] = {
    "idempotency answers": (
        ANSWER_DAYS,
        """DELETE FROM merge_app_answeredrequest WHERE id IN (
            SELECT id FROM merge_app_answeredrequest WHERE answered_at < %(before)s LIMIT %(batch)s)""",
    ),
    "webhook deliveries": (
        DELIVERY_DAYS,
        """DELETE FROM merge_app_webhookdelivery WHERE id IN (
            SELECT id FROM merge_app_webhookdelivery
            WHERE created_at < %(before)s AND state <> 'pending' LIMIT %(batch)s)""",
    ),
    "mails": (
        DELIVERY_DAYS,
        """DELETE FROM merge_app_mail WHERE id IN (
            SELECT id FROM merge_app_mail WHERE created_at < %(before)s AND state <> 'pending' LIMIT %(batch)s)""",
    ),
    "pipeline runs": (
        RUN_DAYS,
        """WITH ranked AS (
            SELECT r.task_id, r.created_at, t.finished_at,
                row_number() OVER (PARTITION BY r.pipeline_id ORDER BY r.created_at DESC) AS place,
                row_number() OVER (PARTITION BY r.pipeline_id, t.state ORDER BY r.created_at DESC) AS place_in_state,
                t.state
            FROM pipelines_pipelinerun r JOIN jobs_task t ON t.id = r.task_id)
        DELETE FROM pipelines_pipelinerun WHERE task_id IN (
            SELECT task_id FROM ranked
            WHERE finished_at < %(before)s AND place > %(runs_kept)s
                AND NOT (state = 'succeeded' AND place_in_state = 1)
            LIMIT %(batch)s)""",
    ),
    # Without those that are runs of pipelines; what repeats such a task forgets which one it was.
    "tasks": (
        TASK_DAYS,
        """WITH gone AS MATERIALIZED (
            SELECT id FROM jobs_task t
            WHERE finished_at < %(before)s
                AND NOT EXISTS (SELECT FROM pipelines_pipelinerun r WHERE r.task_id = t.id)
                AND NOT EXISTS (SELECT FROM jobs_task again WHERE again.retry_of_id = t.id)
            LIMIT %(batch)s)
        DELETE FROM jobs_task WHERE id IN (SELECT id FROM gone)""",
    ),
}
_MORE: dict[str, Tidy] = {}


def tidies(name: str, tidy: Tidy) -> None:
    """Have ``tidy`` called with the present time every night; it answers how many rows it removed."""
    _MORE[name] = tidy


def tidy_tick(now: datetime | None = None) -> bool:
    """Queue the task of this night unless it is there; any number of workers may look at once."""
    due = _last_due(now or timezone.now())
    if due in _submitted_for:
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        if not (cursor.fetchone() or (False,))[0]:
            return False
        # A new server has nothing to tidy.
        is_new = (
            Task.objects.filter(created_at__lt=due).exists()
            and not Task.objects.filter(kind=TASK_KIND, created_at__gte=due).exists()
        )
        if is_new:
            task_submit(kind=TASK_KIND, parameters={"statement": "Nightly tidying"})
    _submitted_for[:] = [due]
    return is_new


def _last_due(now: datetime) -> datetime:
    due = datetime.combine(now.astimezone(UTC).date(), NIGHTLY_AT)
    return due if due <= now else due - timedelta(days=1)


@handles(TASK_KIND)
def run_tidy_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side. What is gone is gone: a later attempt continues where an earlier one stopped."""
    removed = {}
    now = timezone.now()
    for name, (days, statement) in _STATEMENTS.items():
        removed[name] = _remove(context, statement, before=now - timedelta(days=days))
    for name, tidy in _MORE.items():
        context.check_cancelled()
        removed[name] = tidy(now)
    logger.info("tidied: %s", ", ".join(f"{count} {name}" for name, count in removed.items()))
    return {"removed": removed}


def _remove(context: TaskContext, statement: str, *, before: datetime) -> int:
    removed = 0
    while True:
        context.check_cancelled()
        with connection.cursor() as cursor:
            cursor.execute(statement, {"before": before, "batch": BATCH, "runs_kept": RUNS_KEPT})
            removed += cursor.rowcount
            # Of tasks that repeat each other, the later one goes first.
            if not cursor.rowcount:
                return removed
