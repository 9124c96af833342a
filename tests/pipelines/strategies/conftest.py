"""Lakes on real PostgreSQL and Spark, and pipelines that run in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import services
from tests.e2e.lake import Lake
from tests.pipelines.strategies.pipes import Pipes

__all__ = ["services"]


@pytest.fixture(scope="module")
def pipes(services: None) -> Iterator[Pipes]:
    """One lake for the tests of a module, each of which has tables of its own; it is checked in the end."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    yield Pipes(lake)
    assert lake.breaches() == []
