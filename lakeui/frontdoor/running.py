"""SHOW QUERIES and CANCEL QUERY: what runs now, and stopping it."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from lakeui.common.errors import NotFound
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.sql import statements as sql
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.request_work import LONGEST
from merge_app.jobs.selectors import task_require_cancellable, tasks_visible
from merge_app.jobs.services import task_cancel

_COLUMNS = [
    *((name, "string") for name in ("query_id", "kind", "state", "user", "catalog", "branch")),
    ("seconds", "double"),
    ("statement", "string"),
    (LONGEST, "double"),
]


def show_queries(call: Call, statement: sql.ShowQueries) -> StatementResult:
    """Visible queries and tasks that wait or run, the oldest first. ``longest_seconds``: when a query is stopped."""
    unfinished = tasks_visible(call.principal).filter(state__in=[TaskState.QUEUED, TaskState.RUNNING])
    tasks = unfinished.select_related("created_by", "catalog").order_by("created_at")
    return answer(_COLUMNS, [_row(task) for task in tasks])


def _row(task: Task) -> list[object]:
    seconds = (timezone.now() - task.created_at).total_seconds()
    return [
        str(task.pk),
        task.kind,
        task.state,
        task.created_by.get_username() if task.created_by else None,
        task.catalog.name if task.catalog else None,
        task.parameters.get("branch"),
        round(seconds, 1),
        task.parameters.get("statement"),
        task.parameters.get(LONGEST),
    ]


def cancel_query(call: Call, statement: sql.CancelQuery) -> StatementResult:
    """Ask a query or a task to stop. One that ended meanwhile is NotFound, as SHOW QUERIES has it no more."""
    task_id = UUID(statement.query_id)
    if not Task.objects.filter(pk=task_id, finished_at=None).exists():
        raise NotFound("query", statement.query_id)
    task_require_cancellable(call.principal, task_id)
    task = task_cancel(task_id=task_id)
    return answer([("query_id", "string"), ("state", "string")], [[str(task.pk), task.state]])
