"""The engine in memory with DuckDB for its queries: pipelines run as they are, without Spark.

Queries are Spark's and are translated; what Spark itself makes of them is for tests that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import duckdb
import sqlglot

from catalog_app.domain.files import TableScan
from catalog_app.engine.engine import Tables
from catalog_app.engine.merge_values import FrozenSource, SourceRows
from catalog_app.engine.values import FileSource, QuerySource
from tests.stateful.memory_merging import MergingMemoryEngine

Rows = Sequence[Sequence[Any]]
Columns = Sequence[tuple[str, str]]
_TYPES = {
    "int": "INTEGER",
    "bigint": "BIGINT",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
}
_SPARK_TYPES = {duck: spark for spark, duck in _TYPES.items()}


class DuckMemoryEngine(MergingMemoryEngine):
    def __init__(self, allocate: Callable[[int, int], int]) -> None:
        super().__init__(allocate)
        self._frozen: dict[str, Columns] = {}

    @contextmanager
    def frozen(self, table_id: int, source: SourceRows) -> Iterator[FrozenSource]:
        with super().frozen(table_id, source) as found:
            self._frozen[found.folder] = found.columns
            yield found
            del self._frozen[found.folder]

    def _query(self, text: str, tables: Tables) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        with duckdb.connect(config={"threads": "1"}) as connection:
            for name, relation in tables.items():
                columns, rows = self._relation(relation)
                typed = ", ".join(f"{_quoted(column)} {_TYPES[kind]}" for column, kind in columns)
                connection.execute(f"CREATE TABLE {_quoted(name)} ({typed})")
                if rows:
                    places = ", ".join(["?"] * len(columns))
                    connection.executemany(f"INSERT INTO {_quoted(name)} VALUES ({places})", [list(r) for r in rows])
            (translated,) = sqlglot.transpile(text, read="spark", write="duckdb")
            found = connection.execute(translated)
            described = [(column[0], _SPARK_TYPES[str(column[1])]) for column in found.description or ()]
            return described, [[_kept(value) for value in row] for row in found.fetchall()]

    def _relation(self, relation: TableScan | FileSource | QuerySource) -> tuple[Columns, Rows]:
        if isinstance(relation, QuerySource):
            return self._query(relation.text, relation.tables)
        if isinstance(relation, FileSource):
            return self._frozen[relation.path], self._sources[relation.path]
        chosen = relation.schema.columns
        rows = [[row.values[column.id] for column in chosen] for row in self._live(relation)]
        return [(column.name, column.type) for column in chosen], rows


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kept(value: Any) -> Any:
    """Times are texts, as in the statistics of files."""
    return value.isoformat() if isinstance(value, datetime) else value
