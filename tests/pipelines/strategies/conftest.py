"""Lakes on real PostgreSQL and pipelines that run in this process, on the engine in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from lakeui.frontdoor.entries import pipeline_runs as pipelines
from merge_app.pipelines.definition.templates import template_render
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.pipelines.strategies.pipes import Pipes
from tests.stories.conftest import database, stored
from tests.support.lake import Lake
from tests.support.stored_databases import StoredDatabases

__all__ = ["database", "stored"]


@pytest.fixture
def pipes(stored: StoredDatabases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipes]:
    """A lake with database ``d``; its invariants are checked when the test is over."""
    engine = DuckMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    # A process for each template would cost more than all else; tests of templates have it.
    monkeypatch.setattr(pipelines, "bounded_render", template_render)
    lake = stored.once("pipes", _lake_make, engine)
    yield Pipes(lake)
    assert lake.breaches() == []


def _lake_make() -> Lake:
    made = Lake()
    made.sql("CREATE DATABASE d")
    return made
