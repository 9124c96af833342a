"""The demo lake as it is loaded: each of its pipelines runs on the flights, and again.

``make test`` runs again what adds to its table or keeps versions of rows; ``make soak`` runs all again.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from catalog_app.selectors.snapshots import catalog_get
from lakeui.demo import load
from lakeui.demo.pipelines import PIPELINES
from lakeui.frontdoor import Session, StatementResult, execute
from lakeui.frontdoor.pipelines import run_execute
from merge_app.jobs.context import Context
from merge_app.jobs.models import Task
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.runs import TASK_KIND, run_begin
from tests.soak import IS_SOAK

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
def demo(services: None) -> str:
    load.demo_load(lambda *_: None)
    return load.CATALOG


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
