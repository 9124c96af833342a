"""``/api/v1/merges/``: the list and one record. The audit's selectors are fakes over a queryset of tasks here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F, IntegerField, Value
from django.db.models.functions import Cast

from lakeui.api import lake_views
from lakeui.common.errors import NotFound
from merge_app.jobs.models import Task
from tests.api.conftest import Caller
from tests.api.test_statements import problem

NEWEST = datetime(2026, 1, 31, 10, tzinfo=UTC)


@pytest.fixture
def audit(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Five merges; answers the list of catalogs that were asked for."""
    asked: list[str | None] = []
    for number in range(5):
        Task.objects.create(kind="merge", worker=f"b{number}", created_at=NEWEST - timedelta(hours=number))

    def audit_list(*, catalog: str | None = None) -> Any:
        asked.append(catalog)
        version = Cast(Value(None), IntegerField())
        names = {"merge_id": F("id"), "source": F("worker"), "destination": Value("main"), "outcome": F("state")}
        return Task.objects.annotate(**names, version=version, time=F("created_at")).values(*names, "version", "time")

    def audit_get(merge_id: str) -> dict[str, Any]:
        if merge_id != "7":
            raise NotFound("merge", merge_id)
        return {"merge_id": "7", "verdicts": []}

    monkeypatch.setattr(lake_views, "audit_list", audit_list)
    monkeypatch.setattr(lake_views, "audit_get", audit_get)
    return asked


def test_attempts_are_listed_newest_first_page_by_page(alice: Caller, audit: list[str | None]) -> None:
    first = alice.get("/api/v1/merges/?limit=3&catalog=demo").json()
    second = alice.get(first["next"]).json()
    assert [entry["source"] for entry in first["results"] + second["results"]] == ["b0", "b1", "b2", "b3", "b4"]
    assert set(first["results"][0]) == {"merge_id", "source", "destination", "outcome", "version", "time"}
    assert second["next"] is None
    assert audit == ["demo", "demo"]


@pytest.mark.usefixtures("audit")
def test_one_record_is_answered_whole_or_not_found(alice: Caller) -> None:
    assert alice.get("/api/v1/merges/7/").json() == {"merge_id": "7", "verdicts": []}
    assert problem(alice.get("/api/v1/merges/8/"), 404, "NOT_FOUND")["kind"] == "merge"


@pytest.mark.usefixtures("audit")
def test_a_bad_page_size_is_refused(alice: Caller) -> None:
    problem(alice.get("/api/v1/merges/?limit=0"), 400, "INVALID_VALUE")
