"""Real worker processes without Spark: they and this process read each other's rows in the warehouse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeui.frontdoor import compute
from tests.faults.conftest import nothing_is_retained, worker_faults
from tests.on_spark.conftest import lake
from tests.without_spark.engine import engine_make

__all__ = ["lake", "nothing_is_retained", "worker_faults"]


@pytest.fixture(scope="module")
def services(open_database: None) -> Iterator[None]:
    """PostgreSQL open to a whole module, and rows in files that no Spark reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "engine_make", engine_make)
        yield


@pytest.fixture(scope="session")
def worker_module() -> str:
    return "tests.without_spark.module"
