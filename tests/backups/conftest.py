"""Lakes on the engine in memory, whose files lie in a warehouse of this folder's own: a backup is of all lakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.lake import Lake
from tests.without_spark.conftest import services

__all__ = ["services"]


@pytest.fixture(scope="module")
def own_warehouse(services: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The usual one holds files of tests whose metadata are gone, and the other way round."""
    made = tmp_path_factory.mktemp("lake") / "warehouse"
    made.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "WAREHOUSE", str(made))
        yield made


@pytest.fixture
def lake(own_warehouse: Path) -> Lake:
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, name STRING)")
    return fresh
