from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.keyed.engines import DiskTable, KeyedTable

ENGINES: dict[str, Callable[[Path], KeyedTable]] = {
    "DuckDB MERGE": lambda folder: DiskTable(folder / "table", use_merge=True),
    "DuckDB UNION ALL": lambda folder: DiskTable(folder / "table", use_merge=False),
}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[[Path], KeyedTable]:
    return ENGINES[request.param]


@pytest.fixture
def table(engine: Callable[[Path], KeyedTable], tmp_path: Path) -> KeyedTable:
    return engine(tmp_path)
