"""A database open to whole histories, and the engine in memory in Spark's place."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TypeVar

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.memory_merging import MergingMemoryEngine
from tests.support.modelled_lake import ModelledLake
from tests.support.stored_databases import Begin, StoredDatabases

Made = TypeVar("Made", bound=Lake)


@pytest.fixture(scope="module")
def database(open_database: None) -> None:
    """PostgreSQL open to a whole module."""


@pytest.fixture
def memory_engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    """No Spark: rows lie in this process."""
    engine = MergingMemoryEngine(addresses_allocate)
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
    return _lake_fill(Lake())


def _lake_fill(fresh: Made) -> Made:
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, v STRING)")
    fresh.sql("INSERT INTO d.t VALUES (1, 'a')")
    fresh.sql("CREATE BRANCH b")
    return fresh


@pytest.fixture
def modelled(stored: StoredDatabases, memory_engine: MemoryEngine) -> Iterator[Lake]:
    """The lake. Each statement runs on the reference model too."""
    # The model changes with the lake: each test has its own.
    begun = deepcopy(stored.once("modelled", lambda: _lake_fill(ModelledLake()), memory_engine))
    yield begun
    assert begun.breaches() == []


@pytest.fixture
def older(lake: Lake) -> int:
    """The version of one row in d.t; both branches have a second since, in a file of its own."""
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    return version


@pytest.fixture
def three_rows(lake: Lake) -> Lake:
    """Main and b hold rows 1 to 3 of d.t, 2 and 3 in one file."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.merge("main", "b")
    return lake
