"""The engine in memory with what histories read of it."""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.domain.files import TableScan
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.memory_engine import LiveRow


class HistoryEngine(LakeMemoryEngine):
    def live(self, scan: TableScan) -> Iterator[LiveRow]:
        return self._live(scan)
