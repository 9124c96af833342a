"""The engine in memory with all that the tests of this folder ask of it."""

from __future__ import annotations

from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.stateful.memory_row_merging import KeyedMemoryEngine


class LakeMemoryEngine(DuckMemoryEngine, KeyedMemoryEngine):
    """DuckDB answers queries; rows are merged by key as by the engine with Spark."""
