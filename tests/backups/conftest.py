"""Lakes on the engine in memory, whose files lie in a warehouse of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.e2e.conftest import lake as fresh_lake
from tests.e2e.lake import Lake
from tests.without_spark.conftest import services

__all__ = ["fresh_lake", "services"]


@pytest.fixture
def own_warehouse(services: None, tmp_path: Path) -> Iterator[Path]:
    """The usual one holds the files of all tests before. It stays until the lake has been checked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path / "lake"))
        (tmp_path / "lake").mkdir()
        yield tmp_path / "lake"


@pytest.fixture
def lake(own_warehouse: Path) -> Iterator[Lake]:
    fresh = Lake()
    fresh.sql("CREATE DATABASE d")
    fresh.sql("CREATE TABLE d.t (id INT, name STRING)")
    yield fresh
