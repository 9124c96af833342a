"""Lakes over the run's PostgreSQL and Spark. Nothing is flushed: every lake is a catalog of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.test.utils import setup_databases, teardown_databases
from pytest_django.plugin import DjangoDbBlocker

from tests.e2e.lake import Lake


@pytest.fixture(scope="session")
def services(django_db_setup: None, django_db_blocker: DjangoDbBlocker, spark_remote: str) -> Iterator[None]:
    """PostgreSQL open to the whole run, and Spark."""
    with django_db_blocker.unblock():
        # pytest-django makes the test database only where some chosen test carries its mark.
        made = (
            None
            if connection.settings_dict["NAME"].startswith("test_")
            else setup_databases(verbosity=0, interactive=False)
        )
        yield
        if made is not None:
            connections.close_all()
            teardown_databases(made, verbosity=0)


@pytest.fixture
def lake(services: None) -> Iterator[Lake]:
    """A fresh lake with a database ``d``; its invariants are checked when the test is over."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    yield fresh
    assert fresh.breaches() == []
