from __future__ import annotations

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.stories.conftest import database
from tests.support.memory_engine import MemoryEngine
from tests.support.memory_merging import MergingMemoryEngine

__all__ = ["database"]


@pytest.fixture
def memory_engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    """No Spark: rows lie in this process. Many threads ask it at once, so it asks no DuckDB."""
    engine = MergingMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return engine
