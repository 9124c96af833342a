"""A catalog, its owner, and a pipeline there; tasks stay queued."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from catalog_app.models import Catalog
from catalog_app.services.catalogs import catalog_create
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.services import pipeline_create

VALUES = {
    "name": "Delays",
    "layer": "gold",
    "database": "gold",
    "table": "delays",
    "branch": "main",
    "source": "SELECT 1 AS id",
    "config": "merge_strategy: append_only\n",
    "schedule": "",
}


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker gets a signal: tasks stay queued."""
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def catalog(db: None) -> Catalog:
    return catalog_create(name="lake", comment="", user_id=None)


@pytest.fixture
def pipeline(catalog: Catalog, alice: User) -> Pipeline:
    return pipeline_create(catalog=catalog, values=VALUES, owner_id=alice.pk)


def values(**changes: Any) -> dict[str, str]:
    return {**VALUES, **changes}
