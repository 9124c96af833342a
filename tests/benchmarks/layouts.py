"""Layouts of files: how many files a condition reads, and what laying costs beside plain writes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import COLUMNS, FILES, Tables, spark

PARTS = 64
"""Into about so many files the table is ordered."""
CONDITIONS = {"region": "region = 7", "ordered_on": "ordered_on = DATE'2024-03-01'"}


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        # Django is ready only here.
        from catalog_app.services import compaction

        tables = Tables(rows, home, batches_of=())
        seconds = {}
        for name, layout in (("plain", ""), ("laid", "PARTITIONED BY (bucket(16, id), months(ordered_at))")):
            tables.sql(f"CREATE TABLE d.{name} {layout} AS SELECT {COLUMNS} FROM range(0)")
            began = time.perf_counter()
            tables.sql(f"INSERT INTO d.{name} SELECT {COLUMNS} FROM range({rows})")
            seconds[name] = time.perf_counter() - began
        began = time.perf_counter()
        size = sum(int(row[2]) for row in tables.sql("SHOW SEGMENTS d.t").rows)
        compaction.TARGET_BYTES = size // PARTS
        tables.sql("OPTIMIZE d.t ZORDER BY (region, ordered_on)")
        taken = time.perf_counter() - began
        ordered = {column: _read(tables, "t", condition) for column, condition in CONDITIONS.items()}
        bucket = _read(tables, "laid", "id = 4711")
    yield Figure(f"INSERT of {rows:,} rows into buckets and months beside plain: x", seconds["laid"] / seconds["plain"])
    yield Figure("id = 4711 of a table of 16 buckets reads of its files: x", bucket, at_most=1 / 8)
    yield Figure(f"OPTIMIZE ZORDER BY of two columns of {rows:,} rows in {FILES} files: s", taken)
    for column, part in ordered.items():
        yield Figure(
            f"{CONDITIONS[column]} after ZORDER BY (region, ordered_on) reads of the files: x", part, at_most=0.3
        )


def _read(tables: Tables, table: str, condition: str) -> float:
    """Which part of the files a condition reads."""
    steps = tables.sql(f"EXPLAIN DELETE FROM d.{table} WHERE {condition}").rows
    (found,) = (re.findall(r"(\d+) of (\d+) files", row[1])[0] for row in steps if row[0] == "scan")
    return int(found[0]) / int(found[1])
