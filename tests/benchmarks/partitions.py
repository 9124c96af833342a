"""RENAME PARTITION of a partition that holds all rows of a table: its files stay."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import COLUMNS, FILES, Tables, spark


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home, batches_of=())
        tables.sql(f"CREATE TABLE d.p PARTITIONED BY (day) AS SELECT {COLUMNS}, 'a' AS day FROM range(0)")
        for first in range(0, rows, rows // FILES):
            tables.sql(f"INSERT INTO d.p SELECT {COLUMNS}, 'a' FROM range({first}, {first + rows // FILES}, 1, 1)")
        began = time.perf_counter()
        tables.sql("ALTER TABLE d.p PARTITION (day = 'a') RENAME TO PARTITION (day = 'b')")
        taken = time.perf_counter() - began
    yield Figure(f"RENAME PARTITION of {rows:,} rows, metadata only: s", taken, at_most=1.0)
