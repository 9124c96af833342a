"""Rows of the batch matched with rows of the target by DuckDB.

DuckDB merges into tables, not into files. What it gets are the keys of the row groups that may match, each with its
file and position, and it answers which row of the batch goes where. Values of other columns never pass through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lakeui.common.errors import DuplicateKey, EngineError
from merge_app.upsert.inputs_outputs import Decisions, Implementation, Integers, Strategy
from merge_app.upsert.keys import key_names, normal
from merge_app.upsert.routing import duckdb_version, implementation_choose

if TYPE_CHECKING:
    import duckdb

_MATCHED = "WHEN MATCHED THEN UPDATE SET batch_row = batch.batch_row"
_ORDER = "o"


class Matcher:
    """One DuckDB in memory, with the batch's keys as table ``batch`` and the target's as table ``target``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, implementation: Implementation, key_count: int) -> None:
        self._connection = connection
        self.implementation = implementation
        self._keys = key_names(key_count)

    def load_batch(self, keys: pa.Table, orders: Sequence[pa.ChunkedArray]) -> None:
        """Take the batch's key columns, numbered by row, and the columns that rank rows of one key."""
        columns = {name: normal(keys.column(index)) for index, name in enumerate(self._keys)}
        columns |= {f"{_ORDER}{index}": normal(column) for index, column in enumerate(orders)}
        columns["batch_row"] = pa.chunked_array([pa.array(np.arange(keys.num_rows, dtype=np.int64))])
        self._load("batch", pa.table(columns).to_reader())
        if not orders:
            self._refuse_duplicates(keys, "Keep one row a key, or name columns in dedup_by: the greatest wins.")
            return
        self._keep_greatest(len(orders))
        self._refuse_duplicates(keys, "Rows tie in dedup_by; name another column that tells them apart.")

    def load_target(self, rows: pa.RecordBatchReader) -> None:
        """Take the target's keys in normal form with ``file`` and ``position``."""
        self._load("target", rows, more=", NULL::BIGINT AS batch_row")

    def decide(self, strategy: Strategy) -> Decisions:
        """Match, and answer what becomes of which row."""
        query = self._merge(strategy) if self.implementation is Implementation.NATIVE else self._union(strategy)
        # A relation, not a cursor, gives Arrow its rows without copying them.
        table = self._connection.sql(query).to_arrow_table()
        file, position, row = (_integers(table.column(name)) for name in ("file", "position", "batch_row"))
        is_new = file < 0
        order = np.lexsort((position[~is_new], file[~is_new]))
        files, positions, rows = (values[~is_new][order] for values in (file, position, row))
        return Decisions(files, positions, rows, np.sort(row[is_new]))

    def _load(self, name: str, rows: pa.RecordBatchReader, *, more: str = "") -> None:
        self._connection.register("arriving", rows)
        self._connection.execute(f"CREATE TEMP TABLE {name} AS SELECT *{more} FROM arriving")
        self._connection.unregister("arriving")

    def _keep_greatest(self, order_count: int) -> None:
        """Of rows with one key those that are greatest in the order columns, where NULL is least (rows §4)."""
        order = ", ".join(f"{_ORDER}{index} DESC NULLS LAST" for index in range(order_count))
        self._connection.execute(
            "CREATE TEMP TABLE kept AS SELECT * FROM batch"
            f" QUALIFY rank() OVER (PARTITION BY {', '.join(self._keys)} ORDER BY {order}) = 1"
        )
        self._connection.execute("DROP TABLE batch; ALTER TABLE kept RENAME TO batch")

    def _refuse_duplicates(self, keys: pa.Table, remedy: str) -> None:
        names = ", ".join(self._keys)
        found = self._connection.execute(
            f"SELECT min(batch_row), count(*) FROM batch GROUP BY {names} HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
        ).fetchall()
        for row, count in found:
            key = ", ".join(f"{name} = {keys.column(name)[row]}" for name in keys.column_names)
            raise DuplicateKey(f"The batch has {count} rows with {key}.", remedy=remedy, row=row, rows=count)

    @property
    def _is_same_key(self) -> str:
        return " AND ".join(f"target.{name} IS NOT DISTINCT FROM batch.{name}" for name in self._keys)

    def _merge(self, strategy: Strategy) -> str:
        names, values = ", ".join(self._keys), ", ".join(f"batch.{name}" for name in self._keys)
        inserting = f"WHEN NOT MATCHED THEN INSERT ({names}, batch_row) VALUES ({values}, batch.batch_row)"
        clauses = [_MATCHED] * strategy.updates + [inserting] * strategy.inserts
        return (
            f"MERGE INTO target USING batch ON ({self._is_same_key}) {' '.join(clauses)}"
            " RETURNING file, position, batch_row"
        )

    def _union(self, strategy: Strategy) -> str:
        matched = f"SELECT file, position, batch.batch_row FROM target JOIN batch ON {self._is_same_key}"
        fresh = (
            "SELECT NULL AS file, NULL AS position, batch_row FROM batch"
            f" WHERE NOT EXISTS (SELECT 1 FROM target WHERE {self._is_same_key})"
        )
        return " UNION ALL ".join([matched] * strategy.updates + [fresh] * strategy.inserts)


@contextmanager
def matcher(key_count: int, *, use_merge: bool | None, memory_limit: str, temporary_folder: Path) -> Iterator[Matcher]:
    """A DuckDB that spills into a folder beyond its memory limit. Its errors come out as EngineError."""
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(temporary_folder),
    }
    try:
        with duckdb.connect(config=settings) as connection:
            implementation = implementation_choose(use_merge, duckdb_version(connection))
            yield Matcher(connection, implementation, key_count)
    except duckdb.Error as problem:
        raise EngineError(
            f"DuckDB could not match the rows: {problem}", remedy="A larger memory_limit helps where memory ran out."
        ) from problem


def _integers(column: pa.ChunkedArray) -> Integers:
    """Whole numbers, -1 for NULL."""
    values: Integers = column.cast(pa.int64()).fill_null(-1).to_numpy()
    return values
