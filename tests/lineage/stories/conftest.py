"""The lake of the stories of replays, with merges by lineage."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.stateful.conftest import database, lake, memory_engine

__all__ = ["database", "lake", "memory_engine"]


@pytest.fixture(autouse=True)
def by_lineage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "MERGE_BY_LINEAGE", True)
