"""A worker that was believed dead goes on beside the one that took its task over: it has happened once all the same."""

from __future__ import annotations

import uuid

import pytest

from catalog_app.models import Commit
from lakeui.api.statements import statement_run
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.context import Context
from tests.e2e.lake import Lake
from tests.faults.scenarios import SCENARIOS


class Attempt(Context):
    def __init__(self, task_id: uuid.UUID, attempt: int) -> None:
        self.task_id = task_id
        self.attempt = attempt


COMMITTING = [name for name, scenario in SCENARIOS.items() if scenario.commits]


@pytest.mark.parametrize("statement", COMMITTING)
def test_the_slow_worker_commits_while_the_next_one_starts(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """The next one looks for an earlier outcome, finds none, and only then the slow one commits."""
    scenario = SCENARIOS[statement]
    parameters = scenario.prepare(lake)
    task_id = uuid.uuid4()
    answers = []

    def nothing_yet(call: object) -> None:
        monkeypatch.undo()
        answers.append(statement_run(parameters, user=None, scopes=None, context=Attempt(task_id, 1)))

    monkeypatch.setattr("lakeui.frontdoor.dispatch.earlier_outcome", nothing_yet)
    answers.append(statement_run(parameters, user=None, scopes=None, context=Attempt(task_id, 2)))
    slow, following = answers
    assert following == slow
    assert {table: lake.rows(table) for table in scenario.rows} == scenario.rows
    assert Commit.objects.filter(task_id=task_id).count() == 1
    assert MergeAttempt.objects.filter(task_id=task_id).count() == scenario.records
