"""Whom the end of a task is mailed to, and what the mail says."""

from __future__ import annotations

from functools import partial

from merge_app.jobs.models import Task, TaskState
from merge_app.mails.models import MailEvent
from merge_app.mails.outbox import Content, mails_leave

_EVENTS = {
    TaskState.SUCCEEDED: MailEvent.TASK_SUCCEEDED,
    TaskState.FAILED: MailEvent.TASK_FAILED,
    TaskState.LOST: MailEvent.TASK_FAILED,
}


def task_mail(task: Task, *, is_run: bool) -> None:
    """Leave the mails of a task of a catalog that has ended. The owner of a pipeline gets one mail of a failed run,
    also where the task is the owner's. A task that was cancelled has none.
    """
    event = _EVENTS.get(TaskState(task.state))
    if event is None or task.catalog_id is None:
        return
    leave = partial(mails_leave, catalog_id=task.catalog_id, key=f"task/{task.pk}", build=partial(_content, task))
    if is_run and event is MailEvent.TASK_FAILED:
        owners = Task.objects.filter(pk=task.pk, pipeline_run__pipeline__owner__isnull=False)
        leave(users=owners.values_list("pipeline_run__pipeline__owner", flat=True), event=MailEvent.PIPELINE_FAILED)
    if task.created_by_id is not None:
        leave(users=[task.created_by_id], event=event)


def _content(task: Task) -> Content:
    """How it ended, without its statement and without the message of its error, which may hold values."""
    assert task.catalog is not None
    name = Task.objects.filter(pk=task.pk).values_list("pipeline_run__pipeline__name", flat=True).get()
    what = f"run of pipeline {name}" if name else f"task {task.kind}"
    branch = f" on branch {task.parameters['branch']}" if task.parameters.get("branch") else ""
    code = (task.error or {}).get("code")
    ended = f"{task.state} ({code})" if code else str(task.state)
    return Content(
        f"{task.catalog.name}: {what} {ended}",
        f"{task.catalog.name}: the {what}{branch} has ended: {ended}.",
        f"/tasks/{task.pk}",
    )
