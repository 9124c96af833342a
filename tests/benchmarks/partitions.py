"""RENAME PARTITION of a partition that holds all rows of a table: its files written anew, and by metadata alone."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator

from django.conf import settings

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import COLUMNS, FILES, Tables, spark


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home, batches_of=())
        tables.sql(f"CREATE TABLE d.p PARTITIONED BY (day) AS SELECT {COLUMNS}, 'a' AS day FROM range(0)")
        for first in range(0, rows, rows // FILES):
            tables.sql(f"INSERT INTO d.p SELECT {COLUMNS}, 'a' FROM range({first}, {first + rows // FILES}, 1, 1)")
        before, after = (_rename(tables, by_lineage=by_lineage) for by_lineage in (False, True))
    yield Figure(f"RENAME PARTITION of {rows:,} rows, files written anew: s", before)
    yield Figure(f"RENAME PARTITION of {rows:,} rows, metadata only: s", after, at_most=1.0)


def _rename(tables: Tables, *, by_lineage: bool) -> float:
    branch = f"renamed_{secrets.token_hex(4)}"
    tables.sql(f"CREATE BRANCH {branch}")
    kept = settings.LAKEUI["MERGE_BY_LINEAGE"]
    settings.LAKEUI["MERGE_BY_LINEAGE"] = by_lineage
    try:
        began = time.perf_counter()
        tables.sql("ALTER TABLE d.p PARTITION (day = 'a') RENAME TO PARTITION (day = 'b')", branch)
        return time.perf_counter() - began
    finally:
        settings.LAKEUI["MERGE_BY_LINEAGE"] = kept
