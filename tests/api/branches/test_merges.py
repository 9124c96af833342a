"""``/api/v1/merges/``: the list and one record. The audit's selectors are fakes over a queryset of tasks here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from lakeui.api.branches import lake_views
from lakeui.common.errors import NotFound
from merge_app.jobs.models import Task
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem

NEWEST = datetime(2026, 1, 31, 10, tzinfo=UTC)


@pytest.fixture
def audit(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Five merges; answers the list of catalogs that were asked for."""
    asked: list[str | None] = []
    for number in range(5):
        Task.objects.create(
            kind="merge", worker=f"b{number}", created_at=NEWEST - timedelta(hours=number // 2), attempts=9 - number
        )

    def audit_list(*, visible: Any, catalog: str | None = None, kind: str) -> Any:
        asked.append(catalog)
        return Task.objects.annotate(recorded_at=F("created_at"), number=F("attempts"))

    def audit_summaries(attempts: list[Any]) -> list[dict[str, Any]]:
        return [{"source": attempt.worker, "time": attempt.recorded_at} for attempt in attempts]

    def audit_get(merge_id: str, *, visible: Any) -> dict[str, Any]:
        if merge_id != "7":
            raise NotFound("merge", merge_id)
        return {"merge_id": "7", "verdicts": []}

    monkeypatch.setattr(lake_views, "audit_list", audit_list)
    monkeypatch.setattr(lake_views, "audit_get", audit_get)
    monkeypatch.setattr(lake_views, "audit_summaries", audit_summaries)
    return asked


def test_attempts_are_listed_newest_first_page_by_page(alice: Caller, audit: list[str | None]) -> None:
    first = alice.get("/api/v1/merges/?limit=3&catalog=demo").json()
    second = alice.get(first["next"]).json()
    assert [entry["source"] for entry in first["results"] + second["results"]] == ["b0", "b1", "b2", "b3", "b4"]
    assert first["results"][0]["time"] == "2026-01-31T10:00:00Z"
    assert second["next"] is None
    assert audit == ["demo", "demo"]


@pytest.mark.usefixtures("audit")
def test_one_record_is_answered_whole_or_not_found(alice: Caller) -> None:
    assert alice.get("/api/v1/merges/7/").json() == {"merge_id": "7", "verdicts": []}
    assert problem(alice.get("/api/v1/merges/8/"), 404, "NOT_FOUND")["kind"] == "merge"


@pytest.mark.usefixtures("audit")
def test_a_bad_page_size_is_refused(alice: Caller) -> None:
    problem(alice.get("/api/v1/merges/?limit=0"), 400, "INVALID_VALUE")
