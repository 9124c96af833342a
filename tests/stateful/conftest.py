"""A database open to whole histories, and the engine in memory in Spark's place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.test.utils import setup_databases, teardown_databases
from pytest_django.plugin import DjangoDbBlocker

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.e2e.lake import Lake
from tests.stateful.memory_engine import MemoryEngine
from tests.stateful.memory_row_merging import KeyedMemoryEngine


@pytest.fixture(scope="session")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """PostgreSQL open to the whole run."""
    with django_db_blocker.unblock():
        # pytest-django makes the test database only where some chosen test carries its mark.
        is_made = connection.settings_dict["NAME"].startswith("test_")
        made = None if is_made else setup_databases(verbosity=0, interactive=False)
        yield
        if made is not None:
            connections.close_all()
            teardown_databases(made, verbosity=0)


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
