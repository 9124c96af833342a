"""A database open to whole histories, and the engine in memory in Spark's place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.e2e.lake import Lake
from tests.stateful.memory_engine import MemoryEngine
from tests.stateful.memory_row_merging import KeyedMemoryEngine


@pytest.fixture(scope="module")
def database(open_database: None) -> None:
    """PostgreSQL open to a whole module."""


@pytest.fixture
def memory_engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    """No Spark: rows lie in this process."""
    engine = KeyedMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return engine


@pytest.fixture
def lake(database: None, memory_engine: MemoryEngine) -> Iterator[Lake]:
    """Table d.t with one row, and branch b."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, v STRING)")
    fresh.sql("INSERT INTO d.t VALUES (1, 'a')")
    fresh.sql("CREATE BRANCH b")
    yield fresh
    assert fresh.breaches() == []
