"""A database open to whole histories, and the engine in memory in Spark's place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.e2e.lake import Lake
from tests.soak import IS_SOAK
from tests.stateful.memory_engine import MemoryEngine
from tests.stateful.memory_row_merging import KeyedMemoryEngine
from tests.stateful.modelled import ModelledLake
from tests.stored import Begin, StoredDatabases

# Histories that know replays alone. The laws of merging by lineage are in ``tests/lineage`` and ``tests/reference``.
collect_ignore = [] if IS_SOAK else ["test_histories.py", "test_partition_histories.py"]


@pytest.fixture
def by_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of all tables are merged by replayed operations."""
    monkeypatch.setitem(settings.LAKEUI, "MERGE_BY_LINEAGE", False)


@pytest.fixture
def unkeyed_by_replays(request: pytest.FixtureRequest, is_keyed: bool) -> None:
    """The same, for a history of a table without a primary key."""
    if not is_keyed:
        request.getfixturevalue("by_replays")


@pytest.fixture(scope="module")
def database(open_database: None) -> None:
    """PostgreSQL open to a whole module."""


@pytest.fixture
def memory_engine(monkeypatch: pytest.MonkeyPatch) -> MemoryEngine:
    """No Spark: rows lie in this process."""
    engine = KeyedMemoryEngine(addresses_allocate)
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
    """Runs the statements with which several tests of a module begin, once."""

    def run(*statements: str) -> Lake:
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


@pytest.fixture
def modelled(database: None, memory_engine: MemoryEngine) -> Iterator[Lake]:
    """The lake. Each statement runs on the reference model too."""
    fresh = ModelledLake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, v STRING)")
    fresh.sql("INSERT INTO d.t VALUES (1, 'a')")
    fresh.sql("CREATE BRANCH b")
    yield fresh
    assert fresh.breaches() == []


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
