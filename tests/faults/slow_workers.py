"""A worker that was believed dead continues beside the one that took its task over."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from catalog_app.models import Commit
from lakeui.tasks.statements import statement_run
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from merge_app.jobs.registry import handler_for
from tests.faults.scenarios import SCENARIOS
from tests.support.lake import Lake


class Attempt(Context):
    """An attempt of a task of lakeui's own."""

    user = None
    scopes = None

    def __init__(self, task_id: uuid.UUID, attempt: int) -> None:
        self.task_id = task_id
        self.attempt = attempt


def statement_attempt(context: Attempt, parameters: dict[str, Any]) -> dict[str, Any]:
    """What a statement's task does."""
    return statement_run(parameters, user=context.user, scopes=context.scopes, context=context)


COMMITTING = [name for name, scenario in SCENARIOS.items() if scenario.commits and not scenario.meanwhile]
EACH_COMMIT = [
    *("INSERT", "OPTIMIZE", "CTAS", "MERGE BRANCH", "RESTORE TABLE", "UNDROP TABLE", "COMMIT", "IMPORT"),
    *("RUN PIPELINE", "RUN PIPELINE, published"),
]
"""A statement of each kind of commit: those that write rows commit alike."""


def assert_happens_once_beside_the_next(lake: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    """The next one looks for an earlier outcome, finds none, and only then the slow one commits."""
    scenario = SCENARIOS[statement]
    parameters = scenario.prepare(lake)
    run = statement_attempt if scenario.kind == "sql" else handler_for(scenario.kind)
    # Runs of pipelines refer to their task. Workers that another test left running find tasks that are due.
    not_yet_due = timezone.now() + timedelta(days=1)
    task_id = Task.objects.create(kind=scenario.kind, parameters=parameters, ring_at=not_yet_due).pk
    answers: list[Any] = []

    def nothing_yet(call: object) -> None:
        monkeypatch.undo()
        answers.append(run(Attempt(task_id, 1), parameters))

    monkeypatch.setattr("lakeui.frontdoor.dispatch.earlier_outcome", nothing_yet)
    answers.append(run(Attempt(task_id, 2), parameters))
    slow, following = answers
    assert following == slow
    assert {table: lake.rows(table) for table in scenario.rows} == scenario.rows
    assert Commit.objects.filter(task_id=task_id).count() == 1
    assert MergeAttempt.objects.filter(task_id=task_id).count() == scenario.records
