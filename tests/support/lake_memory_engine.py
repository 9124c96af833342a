"""The engine in memory with all that the tests of this folder ask of it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import Tables
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.support.memory_engine import MemoryEngine, parsed
from tests.support.memory_merging import MergingMemoryEngine


class LakeMemoryEngine(DuckMemoryEngine, MergingMemoryEngine):
    """DuckDB answers queries; rows are merged by key as by the engine with Spark."""

    def row_ids(self, scan: TableScan, name: str) -> list[tuple[Any, int]]:
        """A column's value and the row id of every live row."""
        column = scan.schema.named(name)
        assert column is not None
        return [(row.values[column.id], row.row_id) for row in self._live(scan)]


class StoryEngine(LakeMemoryEngine):
    """Columns of one table are read without DuckDB, which takes longer."""

    def _query(self, text: str, tables: Tables) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        return MemoryEngine._query(self, text, tables) if _is_plain(text, tables) else super()._query(text, tables)


def _is_plain(text: str, tables: Tables) -> bool:
    """Whether the query reads columns of one table, and maybe some of its rows."""
    query = parsed(text)
    clauses = {name for name, value in query.args.items() if value}
    return (
        isinstance(query, exp.Select)
        and clauses <= {"kind", "expressions", "from_", "from", "where"}
        and all(isinstance(item, exp.Star | exp.Column) for item in query.expressions)
        and len(list(query.find_all(exp.Table))) == 1
        and isinstance(tables.get(query.find(exp.Table).name), TableScan)
    )
