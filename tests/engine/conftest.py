"""An engine over an empty warehouse, with Spark and without a database."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog_app.engine.engine import Engine
from catalog_app.engine.session import SparkSessions
from catalog_app.storage.warehouse import Warehouse
from tests.engine.lake import Lake


@pytest.fixture(scope="session")
def sessions(spark_remote: str) -> Iterator[SparkSessions]:
    sessions = SparkSessions(spark_remote)
    yield sessions
    sessions.close()


@pytest.fixture
def lake(sessions: SparkSessions, tmp_path: Path) -> Lake:
    return lake_in(tmp_path, sessions)


def lake_in(folder: Path, sessions: SparkSessions) -> Lake:
    counter = itertools.count(1000, 1_000_000)
    warehouse = Warehouse(str(folder / "ware house"))
    engine = Engine(sessions, warehouse, lambda table_id, count: next(counter), lambda table_id, count: 0)
    return Lake(engine, warehouse)


def lake_alone(folder: Path) -> Lake:
    """A lake whose engine reaches no Spark."""
    return lake_in(folder, SparkSessions("sc://localhost:1"))
