"""The lakes of ``tests/on_spark`` on the engine in memory; in ``make soak`` on Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.on_spark.conftest import lake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.soak import IS_SOAK

__all__ = ["lake"]


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
