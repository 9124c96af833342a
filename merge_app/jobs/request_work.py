"""Work on Spark inside of a request: bounded in number and time, and stopped from outside.

A query is seen as a task while it runs. A dry run of a write is once it has run for a second, and so is a page's read
of rows. The row of the task lives as long as the work; the answer goes to the client alone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from catalog_app.selectors.people import role_of_user
from lakeui.common.errors import LakeError
from merge_app.jobs.context import StoppableContext
from merge_app.jobs.models import QUERY_KIND, QUERY_TASK_KIND, WRITE_TASK_KINDS, Task, TaskState

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
RETRY_SECONDS = 5
PLACES = 8
"""Of each gate in a web process. All gates and the requests that wait for tasks leave threads for all other pages."""
WAITING = 4
"""So many dry runs wait for a place at a time: each holds a thread."""
LONGEST = "longest_seconds"
"""The parameter of running work that says how long it may take; null for no limit."""


@dataclass(frozen=True, slots=True)
class Gate:
    """How many pieces of work of one kind run at a time in this process.

    ``patience``: seconds that one more waits for a place; ``waits``: how many may, None for any number. ``noun`` is
    what texts call the work.
    """

    kind: str
    noun: str
    patience: float
    places: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(PLACES))
    waits: threading.BoundedSemaphore | None = None

    def is_entered(self) -> bool:
        """Whether a place was free, or became so in time. Who entered releases it."""
        if self.places.acquire(blocking=False):
            return True
        if self.waits is None:
            return self.places.acquire(timeout=self.patience)
        if not self.waits.acquire(blocking=False):
            return False
        try:
            return self.places.acquire(timeout=self.patience)
        finally:
            self.waits.release()


QUERIES = Gate(QUERY_KIND, "query", patience=0)
TRIALS = Gate(QUERY_KIND, "dry run", patience=5, places=QUERIES.places, waits=threading.BoundedSemaphore(WAITING))
"""They take the places of queries."""
READS = Gate("rows", "read of rows", patience=5)

_HERE: dict[UUID, Any] = {}
"""Whose work is in places of queries of this process, by its key, in the order in which it began. A dry run counts for
its person before it has a row.
"""


class TooManyQueries(LakeError):
    """Details: ``retry_after`` in seconds, and ``running``, the ids of the person's queries that count."""

    code, status, title = "TOO_MANY_QUERIES", 429, "Too many queries run"


class StatementTimeout(LakeError):
    """Details: ``seconds``, the longest that a statement may take."""

    code, status, title = "STATEMENT_TIMEOUT", 504, "The statement took too long"


def timeout(noun: str, seconds: float, otherwise: str) -> StatementTimeout:
    """What ends work after ``seconds``; ``otherwise`` is what its author can do instead."""
    return StatementTimeout(
        f"The {noun} took longer than {seconds:g} s and was stopped.",
        remedy=f"Ask for fewer rows, {otherwise}, or have the limit raised.",
        seconds=seconds,
    )


class QueryCancelled(LakeError):
    """CANCEL QUERY, or a request for it, stopped the statement."""

    code, status, title = "QUERY_CANCELLED", 409, "The statement was cancelled"


@dataclass(frozen=True, slots=True)
class Work:
    """What runs, for whom. ``has_left`` says whether the client hung up."""

    user: Any
    catalog_id: int | None
    parameters: dict[str, Any]
    has_left: Callable[[], bool] = lambda: False
    gate: Gate = QUERIES


@contextmanager
def work_running(work: Work) -> Iterator[StoppableContext]:
    """Run ``work`` inside; the context stops it on Spark after the longest time, on a cancel, and when the client
    hangs up.

    Raises TooManyQueries, StatementTimeout and QueryCancelled.
    """
    gate = work.gate
    if not gate.is_entered():
        raise _too_many(f"The server runs {PLACES} of this kind ({gate.noun}), which is the most at a time.", [])
    key = uuid4()
    try:
        if gate.kind == QUERY_KIND:
            _HERE[key] = work.user.pk
            _require_place(work.user, key)
        watch = _Watch(work, key, longest_seconds(work))
        if gate is QUERIES:
            watch.show()
        try:
            with watch:
                yield watch.context
        except LakeError as error:
            # The engine, interrupted, reports a failure of its own; the person reads why it was interrupted.
            raise (watch.reason or error) from error
    finally:
        _HERE.pop(key, None)
        gate.places.release()


def _require_place(user: Any, key: UUID) -> None:
    """``key``: of the work that asks. What began in this process before it counts, with a row or without."""
    earlier = takewhile(lambda item: item[0] != key, _HERE.copy().items())
    here = [other for other, whose in earlier if whose == user.pk]
    _require_few(user, Task.objects.filter(kind=QUERY_KIND, state=TaskState.RUNNING), "run", here)


def query_task_require_place(user: Any) -> None:
    """Raise TooManyQueries where as many tasks of the person's queries wait or run as may."""
    unfinished = Task.objects.filter(kind=QUERY_TASK_KIND, finished_at=None)
    _require_few(user, unfinished, "wait or run as tasks")


def _require_few(user: Any, tasks: QuerySet[Task], what: str, here: Sequence[UUID] = ()) -> None:
    most = int(settings.LAKEUI["QUERIES_PER_PERSON"])
    if not most:
        return
    keys = tasks.filter(created_by=user).values_list("pk", flat=True)[: most + 1]
    found = [str(key) for key in dict.fromkeys([*here, *keys])]
    if len(found) >= most:
        raise _too_many(f"{len(found)} queries of yours {what}, which is the most at a time.", found)


def _too_many(message: str, running: list[str]) -> TooManyQueries:
    return TooManyQueries(
        message,
        remedy="Wait until one ends, or stop one: SHOW QUERIES lists them, CANCEL QUERY 'id' stops one.",
        retry_after=RETRY_SECONDS,
        running=running,
    )


def longest_seconds(work: Work) -> float:
    """How long the work may take: what is set for the person's role in its catalog, else for all. 0 is no limit."""
    return _seconds_of_role("STATEMENT_SECONDS", work.user.pk, work.catalog_id)


def task_longest_seconds(task: Task) -> float:
    """How long one attempt at the task may take, 0 for no limit. Tasks of lakeui itself have none."""
    if task.kind == QUERY_TASK_KIND:
        return float(settings.LAKEUI["QUERY_TASK_SECONDS"])
    if task.kind in WRITE_TASK_KINDS and task.created_by_id is not None:
        return _seconds_of_role("WRITE_TASK_SECONDS", task.created_by_id, task.catalog_id)
    return 0.0


def _seconds_of_role(setting: str, user_id: int | None, catalog_id: int | None) -> float:
    by_role: dict[str, float] = settings.LAKEUI[f"{setting}_BY_ROLE"]
    role = role_of_user(user_id, catalog_id) if by_role and catalog_id is not None else None
    default = float(settings.LAKEUI[setting])
    return by_role.get(role.value, default) if role else default


class _Watch:
    """Looks at running work from a thread of its own; the first reason to stop it counts."""

    def __init__(self, work: Work, key: UUID, longest: float) -> None:
        self.context = StoppableContext(key)
        self.reason: LakeError | None = None
        self._work = work
        self._longest = longest
        self._began = time.monotonic()
        self._started_at = timezone.now()
        self._is_shown = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=f"{work.gate.kind}-{self.context.key}", daemon=True)

    def show(self) -> None:
        """Make the row by which others see the work and stop it."""
        Task.objects.create(
            pk=self.context.key,
            kind=self._work.gate.kind,
            state=TaskState.RUNNING,
            parameters={**self._work.parameters, LONGEST: self._longest or None},
            created_by=self._work.user,
            catalog_id=self._work.catalog_id,
            claim=uuid4(),
            created_at=self._started_at,
            started_at=self._started_at,
            heartbeat_at=Now(),
            attempts=1,
        )
        self._is_shown = True

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        if self._is_shown:
            Task.objects.filter(pk=self.context.key).delete()

    def _loop(self) -> None:
        try:
            while self.reason is None and not self._ended.wait(LOOK_SECONDS):
                self.reason = self._look()
            if self.reason is None:
                return
            self.context.cancel(self.reason)
            while not self._ended.wait(LOOK_SECONDS):
                self.context.interrupt()
        finally:
            connection.close()

    def _look(self) -> LakeError | None:
        if self._longest and time.monotonic() - self._began > self._longest:
            return timeout(self._work.gate.noun, self._longest, "run it as a task (Prefer: respond-async)")
        if self._work.has_left():
            return QueryCancelled(f"The client hung up, so the {self._work.gate.noun} was stopped.")
        return self._cancelled()

    def _cancelled(self) -> LakeError | None:
        try:
            if not self._is_shown:
                self.show()
            own = Task.objects.filter(pk=self.context.key)
            own.update(heartbeat_at=Now())
            asked = own.values_list("cancel_requested", flat=True).first()
        except DatabaseError:
            logger.warning("%s %s could not be looked up", self._work.gate.noun, self.context.key, exc_info=True)
            connection.close()
            return None
        return QueryCancelled(f"The {self._work.gate.noun} was cancelled.") if asked else None
