"""Lakes over the run's PostgreSQL and Spark. Within a module nothing is flushed: every lake is a catalog of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.lake import Lake


@pytest.fixture(scope="module")
def services(open_database: None, spark_remote: str) -> None:
    """PostgreSQL open to a whole module, and Spark."""


Begun = Callable[[Callable[[Lake], object]], Lake]
"""Gives a lake with a database ``d`` that a function has filled."""


@pytest.fixture
def lake(services: None) -> Iterator[Lake]:
    """A fresh lake with a database ``d``; its invariants are checked when the test is over."""
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    yield fresh
    assert fresh.breaches() == []


@pytest.fixture
def begun(lake: Lake) -> Begun:
    """Fills the lake of the test: files of an earlier one are not put back."""

    def begin(fill: Callable[[Lake], object]) -> Lake:
        fill(lake)
        return lake

    return begin
