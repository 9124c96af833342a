"""Queries that run inside of a request: seen as tasks while they run, bounded in number and time, and stopped from
outside.

The row of a query lives as long as the query; its answer goes to the client alone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from catalog_app.selectors.people import role_of_user
from lakeui.common.errors import LakeError
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import QUERY_KIND, Task, TaskState

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
RETRY_SECONDS = 5
QUERIES_PER_PROCESS = 8
"""Half of a web process's threads: pages, sign-in and writes keep the others."""
LONGEST = "longest_seconds"
"""The parameter of a running query that says how long it may take; null for no limit."""
_places = threading.BoundedSemaphore(QUERIES_PER_PROCESS)


class TooManyQueries(LakeError):
    """Details: ``retry_after`` in seconds, and ``running``, the ids of the person's own queries."""

    code, status, title = "TOO_MANY_QUERIES", 429, "Too many queries run"


class StatementTimeout(LakeError):
    """Details: ``seconds``, the longest that a query may take."""

    code, status, title = "STATEMENT_TIMEOUT", 504, "The query took too long"


class QueryCancelled(LakeError):
    code, status, title = "QUERY_CANCELLED", 409, "The query was cancelled"


@dataclass(frozen=True, slots=True)
class Query:
    """What runs, for whom. ``has_left`` says whether the client hung up."""

    user: Any
    catalog_id: int | None
    parameters: dict[str, Any]
    has_left: Callable[[], bool]


@contextmanager
def query_running(query: Query) -> Iterator[TaskContext]:
    """Run a query inside; the context stops its work on Spark after the longest time, on a cancel, and when the client
    hangs up.

    Raises TooManyQueries, StatementTimeout and QueryCancelled.
    """
    if not _places.acquire(blocking=False):
        raise _too_many("The server runs as many queries as it can.", [])
    try:
        _require_place(query.user)
        longest = longest_seconds(query)
        task = _begin(query, longest)
        watch = _Watch(task, query, longest)
        try:
            with watch:
                yield watch.context
        except LakeError as error:
            # The engine, interrupted, reports a failure of its own; the person reads why it was interrupted.
            raise (watch.reason or error) from error
        finally:
            Task.objects.filter(pk=task.pk).delete()
    finally:
        _places.release()


def _require_place(user: Any) -> None:
    most = int(settings.LAKEUI["QUERIES_PER_PERSON"])
    own = Task.objects.filter(kind=QUERY_KIND, created_by=user, state=TaskState.RUNNING)
    running = [str(key) for key in own.values_list("pk", flat=True)[: most + 1]] if most else []
    if most and len(running) >= most:
        raise _too_many(f"{len(running)} queries of yours run, which is the most at a time.", running)


def _too_many(message: str, running: list[str]) -> TooManyQueries:
    return TooManyQueries(
        message,
        remedy="Wait until one ends, or stop one: SHOW QUERIES lists them, CANCEL QUERY 'id' stops one.",
        retry_after=RETRY_SECONDS,
        running=running,
    )


def longest_seconds(query: Query) -> float:
    """How long the query may take: what is set for the person's role in its catalog, else for all. 0 is no limit."""
    by_role: dict[str, float] = settings.LAKEUI["STATEMENT_SECONDS_BY_ROLE"]
    role = role_of_user(query.user.pk, query.catalog_id) if by_role and query.catalog_id is not None else None
    default = float(settings.LAKEUI["STATEMENT_SECONDS"])
    return by_role.get(role.value, default) if role else default


def _begin(query: Query, longest: float) -> Task:
    return Task.objects.create(
        kind=QUERY_KIND,
        state=TaskState.RUNNING,
        parameters={**query.parameters, LONGEST: longest or None},
        created_by=query.user,
        catalog_id=query.catalog_id,
        claim=uuid4(),
        started_at=Now(),
        heartbeat_at=Now(),
        attempts=1,
    )


class _Watch:
    """Looks at a running query from a thread of its own; the first reason to stop it counts."""

    def __init__(self, task: Task, query: Query, longest: float) -> None:
        self.context = TaskContext(task.pk, claim=task.claim, user=query.user)
        self.reason: LakeError | None = None
        self._has_left = query.has_left
        self._longest = longest
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=f"query-{task.pk}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _loop(self) -> None:
        try:
            while self.reason is None and not self._ended.wait(LOOK_SECONDS):
                self.reason = self._look()
            self.context.cancel(self.reason)
            while not self._ended.wait(LOOK_SECONDS):
                self.context.interrupt()
        finally:
            connection.close()

    def _look(self) -> LakeError | None:
        if self._longest and time.monotonic() - self._began > self._longest:
            return StatementTimeout(
                f"The query took longer than {self._longest:g} s and was stopped.",
                remedy="Ask for fewer rows, run it as a task (Prefer: respond-async), or have the limit raised.",
                seconds=self._longest,
            )
        if self._has_left():
            return QueryCancelled("The client hung up, so the query was stopped.")
        return self._cancelled()

    def _cancelled(self) -> LakeError | None:
        try:
            own = Task.objects.filter(pk=self.context.task_id)
            own.update(heartbeat_at=Now())
            asked = own.values_list("cancel_requested", flat=True).first()
        except DatabaseError:
            logger.warning("query %s could not be looked up", self.context.task_id, exc_info=True)
            connection.close()
            return None
        return QueryCancelled("The query was cancelled.") if asked else None
