"""The demo lake as it is loaded: README and the tutorial say what happens on it, and each of its pipelines runs.

It is loaded once; the pipelines begin with it as it was. ``make test`` runs those again that add to their table or keep
versions of rows; ``make soak`` runs all again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from catalog_app.selectors.snapshots import catalog_get
from lakeui.demo import load
from lakeui.demo.pipelines import PIPELINES
from lakeui.frontdoor import Session, StatementResult, execute
from lakeui.frontdoor.entries.pipeline_runs import run_execute
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.runs import TASK_KIND, run_begin
from tests.docs.pages import ROOT
from tests.docs.transcripts import Ids, Step, same, transcript
from tests.support.soak import IS_SOAK
from tests.support.stored_databases import StoredDatabases

TUTORIAL = tuple(transcript(ROOT / "docs" / "tutorial.md", "sql"))
README = tuple(transcript(ROOT / "README.md", "sql"))
FLIGHTS, PLANES, ROUTES = 336_778, 3_322, 224
FIRST = {
    "delays_by_day": 3 * 365 + 2,
    "longest_delays": 12,
    "last_seen": 4_043,
    "routes": ROUTES,
    "planes_history": PLANES,
    "delays_by_month": 185,
}
"""Rows after the first run; the two flights that the demo's story adds are of a day of their own."""


def run(pipeline: Pipeline) -> StatementResult:
    parameters = {"pipeline": pipeline.pk, "version": pipeline.revision}
    # A worker that another test has left may not hear of it.
    unheard = timezone.now() + timedelta(days=1)
    task = Task.objects.create(kind=TASK_KIND, parameters=parameters, ring_at=unheard)
    begun = run_begin(task.pk, parameters)
    done = run_execute(begun, session=Session(load.CATALOG, pipeline.branch), context=Context())
    begun.refresh_from_db()
    assert not begun.is_degraded
    return done


@pytest.fixture(scope="module")
def stored(services: None) -> Iterator[StoredDatabases]:
    databases = StoredDatabases()
    yield databases
    databases.drop()


def loaded() -> str:
    load.sample_load(load.SAMPLES["flights"], lambda *_: None)
    return load.CATALOG


@pytest.fixture
def fresh_demo(stored: StoredDatabases) -> str:
    """The lake as it is loaded, whatever other tests did."""
    return stored.once("demo", loaded)


@pytest.fixture(scope="module")
def demo(stored: StoredDatabases) -> str:
    """The same, and the tests that ask for it leave what they do to each other."""
    return stored.once("demo", loaded)


def answer(step: Step, ids: Ids) -> str:
    out, err = StringIO(), StringIO()
    with suppress(SystemExit):
        call_command("sql", "-c", load.CATALOG, *map(ids.of_run, step.arguments), stdout=out, stderr=err)
    return (out.getvalue() + err.getvalue()).strip()


def test_the_tutorial_says_what_happens(fresh_demo: str, celery_worker: None) -> None:
    """The first here: the tutorial shows versions, and these go on when the lake is put back."""
    ids = Ids()
    assert len(TUTORIAL) > 10
    wrong = []
    for step in TUTORIAL:
        seen = answer(step, ids)
        ids.pair(step.output, seen)
        if not same(step.output, seen):
            wrong.append(f"{step.arguments}\n--- written\n{step.output}\n--- seen\n{seen}")
    assert not wrong, "\n\n".join(wrong)


def test_the_readme_shows_steps_of_the_tutorial() -> None:
    assert len(README) == 5
    assert set(README) <= set(TUTORIAL)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_demo_pipeline_runs_and_runs_again(demo: str, name: str) -> None:
    def rows() -> int:
        return int(execute(f"SELECT count(*) FROM {load.DATABASE}.{name}", Session(demo)).rows[0][0])

    pipeline = Pipeline.objects.get(catalog=catalog_get(demo), name=name)
    first = run(pipeline)
    assert rows() == FIRST[name] == first.metrics["rows_inserted"]
    if name not in ("planes_history", "longest_delays") and not IS_SOAK:
        return
    again = run(pipeline)
    if name in ("last_seen", "planes_history"):
        assert again.version == first.version, "what is there already changes nothing"
    assert rows() == FIRST[name] * (2 if name == "longest_delays" else 1)
