"""The engine in memory with DuckDB for its queries: pipelines run as they are, without Spark.

Queries are Spark's and are translated; what Spark itself makes of them is for tests that have one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot
from django.conf import settings

from catalog_app.domain.files import SHOWN_COMMIT, SHOWN_FILE, SHOWN_ROW_ID, TableScan
from catalog_app.domain.results import KeptRows
from catalog_app.engine.inputs_outputs import FileSource, PlainRead, QuerySource, Tables
from catalog_app.engine.kept_results import kept_files
from catalog_app.engine.merge_values import FrozenSource, SourceRows
from catalog_app.storage.warehouse import Warehouse
from tests.support.memory_engine import LiveRow
from tests.support.memory_merging import MergingMemoryEngine

Rows = Sequence[Sequence[Any]]
Columns = Sequence[tuple[str, str]]
_TYPES = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}
_ARROW_TYPES = {"int": pa.int32(), "bigint": pa.int64(), "string": pa.string(), "boolean": pa.bool_()}
KEPT_ROWS = 4
_SPARK_TYPES = {duck: spark for spark, duck in _TYPES.items()} | {'"NULL"': "void"}


class DuckMemoryEngine(MergingMemoryEngine):
    def __init__(self, allocate: Callable[[int, int], int]) -> None:
        super().__init__(allocate)
        self._frozen: dict[str, Columns] = {}

    @contextmanager
    def frozen(self, table_id: int, source: SourceRows) -> Iterator[FrozenSource]:
        with super().frozen(table_id, source) as found:
            self._frozen[found.folder] = found.columns
            yield replace(found, keys=self._source_keys(source), table=self._table(found))
            del self._frozen[found.folder]

    def keep(self, text: str, tables: Tables, folder: str, *, plain: PlainRead | None = None) -> KeptRows:
        described, rows = self._query(text, tables)
        columns = list(zip(*rows, strict=True)) or [()] * len(described)
        arrays = [pa.array(c, _ARROW_TYPES.get(kind)) for c, (_, kind) in zip(columns, described, strict=True)]
        names = [f"c{index}" for index in range(len(arrays))]
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        warehouse.make_folder(folder)
        # Some rows a file and a row group, so that pages begin inside of both.
        for number in range(max(1, -(-len(rows) // KEPT_ROWS))):
            part = pa.Table.from_arrays(arrays, names).slice(number * KEPT_ROWS, KEPT_ROWS)
            pq.write_table(
                part, warehouse.absolute(f"{folder}/part-{number:05}.parquet"), row_group_size=KEPT_ROWS // 2
            )
        return KeptRows(tuple(described), kept_files(warehouse, folder, names))

    def _table(self, found: FrozenSource) -> pa.Table | None:
        """The rows as the engine with Spark has few ones; none with types that are kept as texts here."""
        if not all(kind in _ARROW_TYPES for _, kind in found.columns):
            return None
        columns = list(zip(*self._sources[found.folder], strict=True)) or [()] * len(found.columns)
        arrays = [pa.array(c, _ARROW_TYPES[kind]) for c, (_, kind) in zip(columns, found.columns, strict=True)]
        return pa.Table.from_arrays(arrays, [f"c{index}" for index in range(len(arrays))])

    def _source_keys(self, source: SourceRows) -> tuple[tuple[str, pa.Array] | None, ...]:
        """The distinct values by which files are left out; none of types that are kept as texts here."""
        if not source.keys:
            return ()
        asked = ", ".join(f"({text}) AS k{index}" for index, text in enumerate(source.keys))
        names = f"({', '.join(map(_spark_quoted, source.columns))})" if source.columns else ""
        text = f"SELECT {asked} FROM ({source.query.text}) AS {_spark_quoted(source.alias)}{names}"
        described, rows = self._query(text, source.query.tables)
        arrays = [pa.array([row[index] for row in rows]).unique() for index in range(len(described))]
        return tuple(
            (kind, array) if kind in ("int", "bigint", "string") else None
            for (_, kind), array in zip(described, arrays, strict=True)
        )

    def _query(self, text: str, tables: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        with _database(os.getpid()).cursor() as connection:
            for name, relation in tables.items():
                columns, rows = self._relation(relation)
                typed = ", ".join(f"{_quoted(column)} {_duck_type(kind)}" for column, kind in columns)
                connection.execute(f"CREATE TEMP TABLE {_quoted(name)} ({typed})")
                if rows:
                    # One statement for all: each execution takes as long as some hundred rows.
                    row = f"({', '.join(['?'] * len(columns))})"
                    values = [value for row in rows for value in row]
                    connection.execute(f"INSERT INTO {_quoted(name)} VALUES {', '.join([row] * len(rows))}", values)
            found = connection.execute(_translated(text))
            described = [(column[0], _spark_type(str(column[1]))) for column in found.description or ()]
            return described, [[_kept(value) for value in row] for row in found.fetchall()]

    def _computed(
        self, scan: TableScan, condition: str | None, texts: Sequence[str], alias: str, tables: Tables | None
    ) -> list[tuple[LiveRow, list[Any]]]:
        if tables is None:
            return super()._computed(scan, condition, texts, alias, tables)
        rows = list(self._live(scan))
        columns = [("__lake_row", "bigint"), (SHOWN_ROW_ID, "bigint"), *((c.name, c.type) for c in scan.schema.columns)]
        values = [
            [number, row.row_id, *(row.values[column.id] for column in scan.schema.columns)]
            for number, row in enumerate(rows)
        ]
        chosen = ", ".join(["`__lake_row`", *(f"({text})" for text in texts)])
        text = f"SELECT {chosen} FROM `__lake_0` AS {_spark_quoted(alias)} WHERE {condition or 'true'}"
        _, found = self._query(text, {**tables, "__lake_0": (columns, values)})
        return [(rows[number], computed) for number, *computed in found]

    def _relation(self, relation: TableScan | FileSource | QuerySource | tuple[Columns, Rows]) -> tuple[Columns, Rows]:
        if isinstance(relation, tuple):
            return relation
        if isinstance(relation, QuerySource):
            return self._query(relation.text, relation.tables)
        if isinstance(relation, FileSource):
            if relation.path not in self._frozen:
                return _file_of_texts(relation)
            return self._frozen[relation.path], self._sources[relation.path]
        chosen = relation.schema.columns
        columns = [(column.name, column.type) for column in chosen]
        if relation.shows:
            shown = [(name, "string" if name == SHOWN_FILE else "bigint") for name in relation.shows]
            rows = [
                [*(row.values[column.id] for column in chosen), *map(self._metadata(row).get, relation.shows)]
                for row in self._live(relation)
            ]
            return [*columns, *shown], rows
        return columns, [[row.values[column.id] for column in chosen] for row in self._live(relation)]

    def _metadata(self, row: LiveRow) -> dict[str, int | str | None]:
        """What a scan can show of a row."""
        stamp = self._facts(row.file)[row.position][0] or None
        return {SHOWN_ROW_ID: row.row_id, SHOWN_COMMIT: stamp, SHOWN_FILE: row.file.path}


def _file_of_texts(relation: FileSource) -> tuple[Columns, Rows]:
    """A file that the product itself wrote for the engine."""
    rows = pq.read_table(Warehouse(settings.LAKEUI["WAREHOUSE"]).absolute(relation.path))
    assert set(rows.schema.types) == {pa.string()}
    return [(name, "string") for name in relation.names], list(zip(*(c.to_pylist() for c in rows.columns), strict=True))


@lru_cache(maxsize=1)
def _database(_: int) -> duckdb.DuckDBPyConnection:
    """One a process: to make a database takes ten times as long as a query. Each query has tables of its own in it."""
    return duckdb.connect(config={"threads": "1"})


@lru_cache(maxsize=4096)
def _translated(text: str) -> str:
    (translated,) = sqlglot.transpile(text, read="spark", write="duckdb")
    return translated


def _duck_type(kind: str) -> str:
    """Decimals are written alike on both sides; a text of bounded length is a text."""
    if kind.startswith(("varchar", "char")):
        return "VARCHAR"
    if kind.startswith("array<"):
        return f"{_duck_type(kind[6:-1])}[]"
    if kind.startswith("struct<"):
        fields = (field.partition(":") for field in kind[7:-1].split(","))
        return f"STRUCT({', '.join(f'{_quoted(name)} {_duck_type(of)}' for name, _, of in fields)})"
    return kind if kind.startswith("decimal") else _TYPES[kind]


def _spark_type(kind: str) -> str:
    if kind.endswith("[]"):
        return f"array<{_spark_type(kind[:-2])}>"
    if kind.startswith("STRUCT("):
        fields = (field.rpartition(" ") for field in kind[7:-1].split(", "))
        return f"struct<{','.join(f'{name.strip(chr(34))}:{_spark_type(of)}' for name, _, of in fields)}>"
    return kind.casefold() if kind.startswith("DECIMAL") else _SPARK_TYPES[kind]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _spark_quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _kept(value: Any) -> Any:
    """Times and decimals are texts, as in the statistics of files."""
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value
