"""What the facts of rows cost in files that Spark makes from files, and what a merge by them takes.

OPTIMIZE is compared with itself without these columns, by turns. The merge is of a compacted table with a branch that
updated one row of a hundred: it reads row ids and facts, no data column.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from tests.benchmarks.lake import Figure, paired, peak_memory
from tests.benchmarks.row_merges import Tables, spark

ROUNDS = 3


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home, batches_of=())
        yield from _optimize(tables, rows)
        yield from _merge(tables, rows)


def _optimize(tables: Tables, rows: int) -> Iterator[Figure]:
    from catalog_app.engine import rewriting
    from catalog_app.engine.facts import FactReader
    from catalog_app.engine.reading import table_dataframe
    from catalog_app.engine.writing import Target

    written: dict[str, int] = {}

    def compact(name: str) -> None:
        branch = f"run_{secrets.token_hex(4)}"
        tables.sql(f"CREATE BRANCH {branch}")
        written[name] = tables.sql("OPTIMIZE d.t", branch).metrics["bytes_written"]

    def rows_alone(reader: Any, files: Sequence[Any]) -> Any:
        scan = type(reader._scan)(reader._scan.table_id, reader._scan.schema, tuple(files))
        return table_dataframe(reader._spark, reader._writer.warehouse, scan, with_address=True)

    def target(table_id: int, schema: Any, **_: bool) -> Target:
        return Target(table_id, schema, with_row_ids=True)

    def compact_without() -> None:
        with patch.object(FactReader, "dataframe", rows_alone), patch.object(rewriting, "Target", target):
            compact("without")

    own, other = paired(lambda: compact("with"), compact_without, rounds=ROUNDS)
    yield Figure(f"stamps: OPTIMIZE of {rows:,} rows without, seconds", other)
    yield Figure("stamps: OPTIMIZE with / without", own / other, at_most=1.1)
    yield Figure("stamps: bytes with / without", written["with"] / written["without"], at_most=1.05)


def _merge(tables: Tables, rows: int) -> Iterator[Figure]:
    tables.sql("CREATE BRANCH updated")
    tables.sql("UPDATE d.t SET weight = weight + 1 WHERE id % 100 = 0", "updated")
    tables.sql("OPTIMIZE d.t")
    before = peak_memory()
    began = time.perf_counter()
    tables.sql("MERGE BRANCH updated")
    taken = time.perf_counter() - began
    yield Figure(f"stamps: {rows:,} rows compacted x 1% updated, merge: s", taken, at_most=3.0)
    yield Figure("stamps: that merge above the peak before it: MB", (peak_memory() - before) / 1e6, at_most=500)
