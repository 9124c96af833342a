"""The lake of the stories of replays, with merges by lineage."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.soak import IS_SOAK
from tests.stateful.conftest import begin, database, lake, memory_engine, stored

__all__ = ["begin", "database", "lake", "memory_engine", "stored"]

# ``tests/stateful`` has these of replays, which are the default.
collect_ignore = [] if IS_SOAK else ["test_renamed_partition_stories.py"]


@pytest.fixture(autouse=True)
def by_lineage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "MERGE_BY_LINEAGE", True)
