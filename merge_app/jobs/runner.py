"""One attempt at one task: claim, beat, work, finish."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Any
from uuid import UUID

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from catalog_app.domain.roles import scopes_read
from catalog_app.domain.stores import store_failure
from lakeui.common.errors import OK, EngineLost, LakeError
from lakeui.common.events import event_log
from lakeui.common.faults import fault_point
from lakeui.common.instruments import instruments
from lakeui.common.logs import logged_as
from lakeui.common.problem import internal_problem
from lakeui.common.traces import span
from merge_app.jobs.claiming import place_notify, task_claim
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import TaskCancelled
from merge_app.jobs.models import QUERY_TASK_KIND, Task, TaskState
from merge_app.jobs.registry import handler_for
from merge_app.jobs.request_work import StatementTimeout, task_longest_seconds, timeout
from merge_app.jobs.services import task_beat, task_finish, task_release

logger = logging.getLogger(__name__)

FIRST_BEAT_SECONDS = 0.5
"""Work that ends sooner makes no report of its own, and costs no connection to the database."""
BEAT_SECONDS = 2.0
SHORTEST_BEAT_SECONDS = 0.1


def task_run(*, task_id: UUID, worker: str) -> TaskState | None:
    """Run the task if it is still to be had. Answers how it ended, or None if it was not ours (to finish).

    Where the database went away it is unknown here whether the last transaction was committed: the task is left to
    another attempt, which looks.
    """
    task = task_claim(task_id=task_id, worker=worker)
    if task is None:
        return None
    assert task.claim
    fault_point("task.claimed")
    try:
        with logged_as(request_id=task.request_id, task_id=str(task.pk)), span("task") as fields:
            return _run(task, task.claim, fields)
    except (OperationalError, InterfaceError):
        logger.warning("the database failed under task %s, which is left for another attempt", task_id, exc_info=True)
        _give_back(task_id, task.claim)
        return None


def _give_back(task_id: UUID, claim: UUID) -> None:
    connection.close()
    try:
        task_release(task_id=task_id, claim=claim)
    except DatabaseError:
        logger.warning("task %s could not be given back, its silence will tell", task_id)
        connection.close()


def _run(task: Task, claim: UUID, fields: dict[str, Any]) -> TaskState | None:
    """Carry out the claimed task. ``fields`` are filled with what the log says of it."""
    scopes = None if task.scopes is None else scopes_read(task.scopes)
    context = TaskContext(task.pk, claim=claim, user=task.created_by, scopes=scopes, attempt=task.attempts)
    began = time.perf_counter()
    if task.attempts == 1:
        instruments().task_wait_seconds.labels(task.kind).observe(_waited(task))
    too_long = _too_long(task)
    with Heartbeat(context, claim, too_long):
        state, result, error = _attempt(task, context)
    fault_point("task.finishing")
    report = context.report(final=True)
    ours = task_finish(task=task, state=state, report=report, result=result, error=error)
    place_notify(task)
    seconds = time.perf_counter() - began
    instruments().task_seconds.labels(task.kind, state).observe(seconds)
    result = result or {}
    fields |= {
        "user": task.created_by.get_username() if task.created_by else None,
        "catalog": task.parameters.get("catalog"),
        "branch": task.parameters.get("branch"),
        "kind": task.kind,
        "version": result.get("version"),
        "merge_id": result.get("merge_id"),
        "outcome": error["code"] if error else OK,
        "milliseconds": round(1000 * seconds, 1),
        "rows": result.get("row_count"),
        "bytes": (result.get("metrics") or {}).get("bytes_written"),
        "state": str(state),
        "attempt": task.attempts,
        "waited": round(_waited(task), 3),
    }
    event_log("task", **fields)
    return state if ours else None


def _too_long(task: Task) -> StatementTimeout | None:
    seconds = task_longest_seconds(task)
    if not seconds:
        return None
    if task.kind == QUERY_TASK_KIND:
        return timeout("query", seconds, "write its result into a table")
    return timeout("task", seconds, "do the work in several statements")


def _waited(task: Task) -> float:
    return (task.started_at - task.created_at).total_seconds() if task.started_at else 0.0


def _attempt(task: Task, context: TaskContext) -> tuple[TaskState, dict[str, Any] | None, dict[str, Any] | None]:
    if task.result is not None:
        # An earlier attempt kept it together with what it did.
        return TaskState.SUCCEEDED, task.result, None
    try:
        return TaskState.SUCCEEDED, handler_for(task.kind)(context, task.parameters), None
    except (OperationalError, InterfaceError):
        raise
    except LakeError as error:
        return _committed(task) or _failure(context, error)
    # The row must end in some state whatever the handler raised; the trace goes to the log under the same id.
    except Exception as error:
        # Of a statement it is named already; checks and merges of requests reach the store by themselves.
        if failed := store_failure(error):
            logger.warning("task %s (%s): the object store failed", task.pk, task.kind, exc_info=error)
            return _committed(task) or _failure(context, failed)
        problem = internal_problem()
        logger.exception("task %s (%s) failed unexpectedly, error %s", task.pk, task.kind, problem["error_id"])
        return _committed(task) or (TaskState.FAILED, None, problem)


def _committed(task: Task) -> tuple[TaskState, dict[str, Any], None] | None:
    """How a task ended that was stopped, or failed, after its commit; None where nothing was committed."""
    kept = Task.objects.filter(pk=task.pk).values_list("result", flat=True).first()
    if kept is None:
        return None
    logger.warning("task %s was committed before it stopped", task.pk)
    return TaskState.SUCCEEDED, kept, None


def _failure(context: TaskContext, error: LakeError) -> tuple[TaskState, None, dict[str, Any]]:
    """The state of a task that wrote nothing, and the problem that says why."""
    if isinstance(reason := context.stopped_by, StatementTimeout):
        return TaskState.FAILED, None, reason.as_problem()
    if isinstance(error, TaskCancelled):
        return TaskState.CANCELLED, None, error.as_problem()
    if _stopped(context):
        # The engine, interrupted, reports its own failure; the person asked for a cancel and should read that.
        return TaskState.CANCELLED, None, TaskCancelled("The task was cancelled.").as_problem()
    if isinstance(error, EngineLost):
        return TaskState.LOST, None, error.as_problem()
    return TaskState.FAILED, None, error.as_problem()


def _stopped(context: TaskContext) -> bool:
    try:
        context.check_cancelled()
    except TaskCancelled:
        return True
    return False


class Heartbeat:
    """Carries a context's report to the task row, from its own thread: first after half a second, then every two
    seconds and soon after a change.

    The thread has a database connection of its own, so that reports are seen while the handler is in a transaction.
    """

    def __init__(self, context: TaskContext, claim: UUID, too_long: StatementTimeout | None = None) -> None:
        """``too_long``: what stops the work after the seconds that it names; None for no limit."""
        self._context = context
        self._claim = claim
        self._too_long = too_long
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=f"heartbeat-{context.task_id}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._context.changed.set()
        self._thread.join()

    def _loop(self) -> None:
        try:
            self._ended.wait(FIRST_BEAT_SECONDS)
            while True:
                self._context.changed.wait(BEAT_SECONDS)
                self._context.changed.clear()
                if self._ended.is_set():
                    return
                self._beat()
                self._ended.wait(SHORTEST_BEAT_SECONDS)
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            stop = task_beat(task_id=self._context.task_id, claim=self._claim, report=self._context.report())
        except DatabaseError:
            # One missed beat is harmless, and the next one gets a new connection; too many, and the reaper decides.
            logger.warning("heartbeat of task %s failed", self._context.task_id, exc_info=True)
            connection.close()
            return
        if stop is None:
            self._context.supersede()
        elif stop:
            self._context.cancel()
        elif self._too_long and time.monotonic() - self._began > self._too_long.details["seconds"]:
            self._context.cancel(self._too_long)
            self._context.interrupt()
