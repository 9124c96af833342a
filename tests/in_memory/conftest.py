"""The lakes of ``tests/on_spark`` on the engine in memory; in ``make soak`` on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.on_spark.conftest import Begun, lake
from tests.support.lake import Lake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.memory_engine import MemoryEngine
from tests.support.own_connection import ASIDE
from tests.support.soak import IS_SOAK
from tests.support.stored_databases import StoredDatabases

__all__ = ["Begun", "lake"]

if IS_SOAK:

    @pytest.fixture(scope="module")
    def services(open_database: None, spark_remote: str) -> None:
        """PostgreSQL open to a whole module, and Spark."""

else:

    @pytest.fixture(scope="module")
    def services(open_database: None) -> Iterator[None]:
        """PostgreSQL open to a whole module, and rows in this process."""
        engine = LakeMemoryEngine(addresses_allocate)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compute, "engine_make", lambda: engine)
            yield


@pytest.fixture(scope="module")
def stored(services: None) -> Iterator[StoredDatabases]:
    """The lakes with which tests of a module begin."""
    databases = StoredDatabases()
    yield databases
    databases.drop()


@pytest.fixture
def begun(stored: StoredDatabases) -> Iterator[Begun]:
    """Fills a lake once a module and puts it back for each further test, which has no other lake."""
    lakes: list[Lake] = []

    def begin(fill: Callable[[Lake], object]) -> Lake:
        def make() -> Lake:
            # Rows of earlier tests of the module would be put back as well.
            ASIDE.empty()
            fresh = Lake()
            fresh.sql("CREATE DATABASE d")
            fill(fresh)
            return fresh

        engine = compute.engine()
        lakes.append(stored.once(fill, make, engine if isinstance(engine, MemoryEngine) else None))
        return lakes[-1]

    yield begin
    assert [breach for each in lakes for breach in each.breaches()] == []
