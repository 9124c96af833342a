"""A database open to whole histories, and the engine in memory in Spark's place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.support.collected_stories import StoryModule
from tests.support.lake import Lake
from tests.support.lake_memory_engine import StoryEngine
from tests.support.memory_engine import MemoryEngine
from tests.support.stored_databases import Begin, StoredDatabases
from tests.support.story_files import ANCESTORS


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Each file of stories is a module of tests."""
    is_story_file = file_path.suffix == ".toml" and file_path != ANCESTORS
    return StoryModule.from_parent(parent, path=file_path) if is_story_file else None


@pytest.fixture(scope="module")
def database(open_database: None) -> None:
    """PostgreSQL open to a whole module."""


@pytest.fixture
def memory_engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    """No Spark: rows lie in this process."""
    engine = StoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return engine


@pytest.fixture(scope="module")
def stored(database: None) -> Iterator[StoredDatabases]:
    """The lakes with which tests of a module begin."""
    databases = StoredDatabases()
    yield databases
    databases.drop()


@pytest.fixture
def lake(stored: StoredDatabases, memory_engine: MemoryEngine) -> Iterator[Lake]:
    """Table d.t with one row, and branch b."""
    begun = stored.once("lake", _lake_make, memory_engine)
    yield begun
    assert begun.breaches() == []


@pytest.fixture
def begin(lake: Lake, stored: StoredDatabases, memory_engine: MemoryEngine) -> Begin:
    """Runs the statements with which several tests of a module begin, once. A test may begin several times."""

    def run(*statements: str) -> Lake:
        stored.once("lake", _lake_make, memory_engine)
        for statement in statements:
            lake.sql(statement)
        return lake

    return lambda *statements: stored.once(statements, lambda: run(*statements), memory_engine)


def _lake_make() -> Lake:
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, v STRING)")
    fresh.sql("INSERT INTO d.t VALUES (1, 'a')")
    fresh.sql("CREATE BRANCH b")
    return fresh
