"""Dry runs of writes over HTTP: they run as queries do, and take no worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from merge_app.jobs import request_work
from merge_app.jobs.models import QUERY_TASK_KIND, Task
from merge_app.jobs.request_work import QUERIES
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.lake import Lake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.members import join

WRITES = {
    "INSERT INTO d.t VALUES (3, 'c')": {"rows_inserted": 1},
    "UPDATE d.t SET name = 'x' WHERE id = 1": {"rows_updated": 1},
    "DELETE FROM d.t WHERE id = 2": {"rows_deleted": 1},
    "TRUNCATE TABLE d.t": {"files_removed": 1},
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS name) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *": {
        "rows_updated": 1
    },
}


@pytest.fixture
def lake(alice: Caller, no_worker: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lake:
    """Table d.t (id, name) with two rows, of which Alice is an owner; nothing takes a task."""
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path))
    lake = Lake()
    join(alice.user, lake.catalog)
    for text in ("CREATE DATABASE d", "CREATE TABLE d.t (id INT, name STRING)"):
        lake.sql(text)
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    return lake


def sent(caller: Caller, lake: Lake, statement: str, body: Any = None, **headers: str) -> Any:
    return caller.post("/api/v1/sql/", {"catalog": lake.catalog, "statement": statement, **(body or {})}, **headers)


def test_a_dry_run_takes_no_worker(alice: Caller, lake: Lake) -> None:
    before = lake.rows("d.t"), lake.head()
    for text, counts in WRITES.items():
        for answer in (sent(alice, lake, f"{text} DRY RUN"), sent(alice, lake, text, {"dry_run": True})):
            assert answer.status_code == 200, answer.content
            found = answer.json()
            assert found["dry_run"] is True
            assert found["examples"]
            assert counts.items() <= found["metrics"].items(), text
    assert sent(alice, lake, f"EXPLAIN ANALYZE {text}").json()["metrics"] == found["metrics"]
    assert (lake.rows("d.t"), lake.head()) == before
    assert not Task.objects.exists()


def test_a_write_itself_is_a_task(alice: Caller, lake: Lake) -> None:
    for text in WRITES:
        assert sent(alice, lake, text, Prefer="wait=0").status_code == 202


def test_dry_run_can_be_a_task_of_queries(alice: Caller, lake: Lake) -> None:
    for text in WRITES:
        assert sent(alice, lake, f"{text} DRY RUN", Prefer="respond-async").status_code == 202
    assert set(Task.objects.values_list("kind", flat=True)) == {QUERY_TASK_KIND}


def test_dry_runs_take_the_places_of_queries(alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeui.api.http.request_work.TRIALS", request_work.Gate("query", "dry run", 0, QUERIES.places))
    for _ in range(request_work.PLACES):
        assert QUERIES.places.acquire(blocking=False)
    try:
        problem(sent(alice, lake, "DELETE FROM d.t DRY RUN"), 429, "TOO_MANY_QUERIES")
    finally:
        for _ in range(request_work.PLACES):
            QUERIES.places.release()
    assert sent(alice, lake, "DELETE FROM d.t DRY RUN").status_code == 200


def test_dry_run_without_the_right_is_refused(alice: Caller, bob: Caller, lake: Lake) -> None:
    problem(sent(bob, lake, "DELETE FROM d.t DRY RUN"), 404, "NOT_FOUND")
    assert not Task.objects.exists()
