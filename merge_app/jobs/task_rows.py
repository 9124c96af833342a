"""Rows of tasks by prepared queries, which each small write takes: Django spends more on writing such queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import JSONField

from catalog_app.models import Agent
from catalog_app.selectors.agents import agent_attach
from catalog_app.selectors.rows import columns_of, fetch_all, models_of, stored_fields
from lakeui.common.json_values import storable
from merge_app.jobs.models import WRITE_TASK_KINDS, Task

TASK_COLUMNS = columns_of(Task, "t")
WRITES = "(" + ", ".join(f"'{kind}'" for kind in sorted(WRITE_TASK_KINDS)) + ")"
"""The kinds of writes, as a statement lists them."""
_JSON = [field.attname for field in stored_fields(Task) if isinstance(field, JSONField)]
_READ = f"""
SELECT {TASK_COLUMNS}, {columns_of(User, "u")} FROM jobs_task t LEFT JOIN auth_user u ON u.id = t.created_by_id
WHERE t.id = %(task)s"""
_QUEUED = f"""
SELECT t.kind, {columns_of(User, "u")}, {columns_of(Agent, "a")}, {columns_of(User, "o")}
FROM jobs_task t LEFT JOIN auth_user u ON u.id = t.created_by_id
LEFT JOIN catalog_app_agent a ON a.user_id = u.id LEFT JOIN auth_user o ON o.id = a.owner_id
WHERE t.id = %(task)s AND t.state = 'queued'"""


def task_read(task_id: UUID) -> Task | None:
    """The task with who asked for it."""
    for row in fetch_all(_READ, {"task": task_id}, prepared=True):
        task = task_of(row)
        (task.created_by,) = models_of(row[len(stored_fields(Task)) :], User)
        return task
    return None


def queued_read(task_id: UUID) -> tuple[str, User | None] | None:
    """The kind of a queued task, and its person with what makes that an agent. Parameters, perhaps large, stay."""
    for kind, *row in fetch_all(_QUEUED, {"task": task_id}, prepared=True):
        user, agent, owner = models_of(row, User, Agent, User)
        if user is not None:
            agent_attach(user, agent, owner)
        return kind, user
    return None


def task_of(row: Sequence[Any]) -> Task:
    """The task of a row that begins with ``TASK_COLUMNS``."""
    task: Task = models_of(row, Task)[0]
    for name in _JSON:
        value = getattr(task, name)
        setattr(task, name, value if value is None else json.loads(value))
    return task


def json_text(value: Any) -> str | None:
    """A value as a statement takes it for a member of JSON; nothing for None."""
    return None if value is None else json.dumps(storable(value))
