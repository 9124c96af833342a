"""The engine in memory with all that the tests of this folder ask of it."""

from __future__ import annotations

from typing import Any

from catalog_app.domain.files import TableScan
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.support.memory_merging import MergingMemoryEngine


class LakeMemoryEngine(DuckMemoryEngine, MergingMemoryEngine):
    """DuckDB answers queries; rows are merged by key as by the engine with Spark."""

    def row_ids(self, scan: TableScan, name: str) -> list[tuple[Any, int]]:
        """A column's value and the row id of every live row."""
        column = scan.schema.named(name)
        assert column is not None
        return [(row.values[column.id], row.row_id) for row in self._live(scan)]
