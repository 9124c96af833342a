"""The product in memory, with merges by lineage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.support.lake_memory_engine import LakeMemoryEngine


@pytest.fixture(scope="module")
def services(open_database: None) -> Iterator[None]:
    engine = LakeMemoryEngine(addresses_allocate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "engine_make", lambda: engine)
        yield
