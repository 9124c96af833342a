"""Which worker has a task, and how many run at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from catalog_app.selectors.rows import fetch_all, transaction_begin
from merge_app.jobs.models import QUERY_TASK_KIND, WRITE_TASK_KINDS, Task
from merge_app.jobs.services import task_notify
from merge_app.jobs.task_rows import TASK_COLUMNS, WRITES, queued_read, task_of

_TAKE = """
UPDATE jobs_task t SET state = 'running', claim = %(claim)s, worker = %(worker)s, attempts = t.attempts + 1,
    started_at = statement_timestamp(), heartbeat_at = statement_timestamp(), steps = '[]', progress = 0, message = ''
WHERE t.id = %(task)s AND t.state = 'queued'"""
_RETURNED = f" RETURNING {TASK_COLUMNS}"


@dataclass(frozen=True, slots=True)
class _Places:
    """At most ``most`` of the tasks that ``condition`` says run at a time. ``name``: one claim of them at a time."""

    name: str
    condition: str
    parameters: Mapping[str, Any]
    most: int


def task_claim(*, task_id: UUID, worker: str) -> Task | None:
    """Take a queued task for this worker: the task with its ``claim``, or None if somebody else has it.

    A query finds a place among those that run, a write among its author's, or it waits: the end of another notifies.
    """
    if (queued := queued_read(task_id)) is None:
        return None
    kind, user = queued
    places = _places_of(kind, None if user is None else user.pk)
    with transaction.atomic():
        # It does not wait for the disk: PostgreSQL's log is in order, so what the attempt commits is never there
        # without the claim. A machine that fails before leaves the task queued.
        waits = "SET LOCAL synchronous_commit = off"
        # The count sees what others claimed before: it is a later statement than the lock.
        transaction_begin(waits if places is None else f"{waits}; SELECT pg_advisory_xact_lock({_key(places)})")
        rows = fetch_all(*_taking(places, {"task": task_id, "claim": uuid4(), "worker": worker}), prepared=True)
    for row in rows:
        task = task_of(row)
        task.created_by = user
        return task
    return None


def _key(places: _Places) -> str:
    # Of the names below, which need no quoting.
    return f"hashtext('{places.name}')"


def _taking(places: _Places | None, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The statement that takes a task, where it has a place, with its parameters."""
    if places is None:
        return _TAKE + _RETURNED, parameters
    running = f"SELECT count(*) FROM jobs_task WHERE state = 'running' AND {places.condition}"
    query = f"{_TAKE} AND ({running}) < %(most)s{_RETURNED}"
    return query, {**parameters, **places.parameters, "most": places.most}


def _places_of(kind: str, author: int | None) -> _Places | None:
    """The places that the task needs one of; None where as many run as there are workers."""
    if kind == QUERY_TASK_KIND:
        name, setting = "lakeui query tasks", "QUERY_TASKS"
        condition, parameters = f"kind = '{QUERY_TASK_KIND}'", {}
    elif kind in WRITE_TASK_KINDS and author is not None:
        name, setting = f"lakeui write tasks {author}", "WRITE_TASKS_PER_PERSON"
        condition, parameters = f"kind IN {WRITES} AND created_by_id = %(author)s", {"author": author}
    else:
        return None
    most = int(settings.LAKEUI[setting])
    return _Places(name, condition, parameters, most) if most else None


def place_notify(ended: Task) -> None:
    """Notify the workers of the task that has waited longest for the place of ``ended``."""
    if (places := _places_of(ended.kind, ended.created_by_id)) is None:
        return
    waiting = f"SELECT id FROM jobs_task WHERE state = 'queued' AND {places.condition} ORDER BY created_at LIMIT 1"
    for (first,) in fetch_all(waiting, places.parameters, prepared=True):
        task_notify(first)
