"""Requests that wait for a task: bounded in number, so that pages always find a thread."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_get, task_wait

WAITS_PER_PROCESS = 16
WAITS_PER_PERSON = 12
"""In one web process. A request beyond either is answered at once, with the task as it is: RFC 7240 §4.3."""
_lock = threading.Lock()
_waits: Counter[int] = Counter()


def task_awaited(task_id: UUID, *, person: int, seconds: float, known: Task | None = None) -> Task:
    """The task as soon as it is finished, or as it is after ``seconds``, or at once where too many wait. ``known``: the
    task as it was just queued or read.
    """
    with _place(person) as is_free:
        return task_wait(task_id, seconds=seconds, known=known) if is_free and seconds else task_get(task_id)


@contextmanager
def _place(person: int) -> Iterator[bool]:
    with _lock:
        is_free = _waits.total() < WAITS_PER_PROCESS and _waits[person] < WAITS_PER_PERSON
        _waits[person] += is_free
    try:
        yield is_free
    finally:
        with _lock:
            _waits[person] -= is_free
            if not _waits[person]:
                del _waits[person]
