"""The ends of tasks: messages of webhooks and mails, and the outcomes of kept statements."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from merge_app.jobs.mails import task_mail
from merge_app.jobs.models import Task
from merge_app.queries.history import statement_ended
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit

RUN_KIND = "pipeline"
"""That of ``merge_app.pipelines.runs``, which needs what needs this module."""


def task_event_emit(task_id: UUID) -> None:
    """Say that a task has just ended, whose row is all that the caller knows."""
    event_emit_of(Task.objects.select_related("created_by", "catalog").defer("result").get(pk=task_id))


def event_emit_of(task: Task) -> None:
    """Say that a task has just ended, in the transaction of its end: to its kept statement, and by messages. Of a task
    that belongs to no catalog, and of one that a request waits for, there are no messages.
    """
    statement_ended(task.pk)
    if task.catalog_id is None:
        return
    event_emit(catalog_id=task.catalog_id, event=WebhookEvent.TASK, build=lambda: _message(task))
    if task.kind == RUN_KIND:
        event_emit(catalog_id=task.catalog_id, event=WebhookEvent.RUN, build=lambda: _run(task))
    task_mail(task, is_run=task.kind == RUN_KIND)


def _message(task: Task) -> dict[str, Any]:
    """How it ended, without its statement, which may hold values."""
    assert task.catalog is not None
    return {
        "catalog": task.catalog.name,
        "branch": task.parameters.get("branch"),
        "task": str(task.pk),
        "kind": task.kind,
        "state": str(task.state),
        "code": (task.error or {}).get("code"),
        "actor": task.created_by.get_username() if task.created_by else "",
        "at": task.finished_at.isoformat() if task.finished_at else None,
    }


def _run(task: Task) -> dict[str, Any]:
    return {**_message(task), "pipeline": task.parameters.get("pipeline"), "version": task.parameters.get("version")}
