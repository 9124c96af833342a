from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from tests.on_spark.conftest import services
from tests.support.soak import IS_SOAK
from tests.upsert.engines import DiskTable, KeyedTable
from tests.upsert.lake_table import LakeTable

__all__ = ["services"]

ON_DISK: dict[str, Callable[[Path], KeyedTable]] = {
    "DuckDB MERGE": lambda folder: DiskTable(folder / "table", use_merge=True),
    "DuckDB UNION ALL": lambda folder: DiskTable(folder / "table", use_merge=False),
}
MANAGED: dict[str, Callable[[Path], KeyedTable]] = {
    "Spark merge-on-read": lambda folder: LakeTable(folder, "merge-on-read"),
    "Spark copy-on-write": lambda folder: LakeTable(folder, "copy-on-write"),
}


SPARK = "Spark"
"""One mode of managed tables, chosen by the test's name; ``make soak`` takes both."""


@pytest.fixture(params=ON_DISK)
def engine(request: pytest.FixtureRequest) -> Callable[[Path], KeyedTable]:
    return ON_DISK[request.param]


@pytest.fixture(
    params=[*ON_DISK, *(pytest.param(name, marks=pytest.mark.spark) for name in (MANAGED if IS_SOAK else [SPARK]))]
)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> KeyedTable:
    """A table to be merged into, by each of the implementations."""
    if request.param in ON_DISK:
        return ON_DISK[request.param](tmp_path)
    request.getfixturevalue("services")
    modes = list(MANAGED)
    chosen = modes[crc32(request.node.name.encode()) % len(modes)] if request.param == SPARK else request.param
    return MANAGED[chosen](tmp_path)


@pytest.fixture(
    params=[*ON_DISK, *(pytest.param(name, marks=pytest.mark.spark) for name in (MANAGED if IS_SOAK else []))]
)
def cheap_table(request: pytest.FixtureRequest, tmp_path: Path) -> KeyedTable:
    """The same for the many cases of which Spark merges some together elsewhere; ``make soak`` gives it each."""
    if request.param in ON_DISK:
        return ON_DISK[request.param](tmp_path)
    request.getfixturevalue("services")
    return MANAGED[request.param](tmp_path)


@pytest.fixture(params=ON_DISK)
def disk_table(request: pytest.FixtureRequest, tmp_path: Path) -> KeyedTable:
    """The same on disk only, for what data sets without a catalog have of their own."""
    return ON_DISK[request.param](tmp_path)
