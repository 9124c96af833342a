"""MERGE INTO on a table of many rows, in both physical modes, side by side with ``deltalake`` where it is installed.

Three batches (rows §2), half updates and half inserts: A touches one file, B and C touch all. Every run starts from the
same state: here on a branch of its own, there after a restore. Sessions are warm; the commit is included.
"""

from __future__ import annotations

import importlib.util
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.lake import Figure

FILES = 20
ROUNDS = 3
MODES = ("merge-on-read", "copy-on-write")
HAS_PEER = importlib.util.find_spec("deltalake") is not None
COLUMNS = """id,
    CAST(hash(id) % 1000 AS INT) AS region,
    CAST(abs(hash(id, 1)) % 10000000 / 100 AS DECIMAL(12, 2)) AS amount,
    timestamp_seconds(1700000000 + abs(hash(id, 2)) % 30000000) AS ordered_at,
    date_add(DATE '2023-11-14', CAST(abs(hash(id, 2)) % 347 AS INT)) AS ordered_on,
    concat('customer ', abs(hash(id, 3)) % 200000) AS customer,
    element_at(array('open', 'paid', 'sent', 'lost'), 1 + abs(hash(id, 4)) % 4) AS state,
    hash(id, 5) % 2 = 0 AS is_gift,
    CAST(hash(id, 6) AS DOUBLE) / 65536 AS weight,
    CAST(abs(hash(id, 7)) % 90 AS SMALLINT) AS quantity,
    substr(sha2(CAST(id AS STRING), 256), 1, 12) AS reference"""


@dataclass(frozen=True)
class Batch:
    """``updates`` selects the ids of existing rows, as many as new ones are added."""

    name: str
    rows: int
    updates: str
    at_most: dict[str, float]


def batches(rows: int) -> tuple[Batch, ...]:
    """What issue and rows §2 name A, B and C; ``at_most``: the time allowed by mode, as a multiple of the peer's."""
    per_file = rows // FILES
    many, few = min(50_000, per_file // 2), 500
    return (
        Batch("A", many, f"{per_file * 7} + id * {per_file // many}", dict(zip(MODES, (1.0, 2.0), strict=True))),
        Batch("B", many, f"id * {rows // many}", dict(zip(MODES, (0.5, 2.5), strict=True))),
        Batch("C", few, f"id * {rows // few}", dict(zip(MODES, (0.5, 2.5), strict=True))),
    )


class Tables:
    """Table d.t in both modes and the batches, over a Spark of its own; the same as a Delta table."""

    def __init__(self, rows: int, home: Path, *, batches_of: tuple[str, ...] = ("A", "B", "C")) -> None:
        self.catalog = f"bench_{secrets.token_hex(4)}"
        self.home = home
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        self.sql(f"CREATE TABLE d.t AS SELECT {COLUMNS} FROM range(0)")
        for first in range(0, rows, rows // FILES):
            self.sql(f"INSERT INTO d.t SELECT {COLUMNS} FROM range({first}, {first + rows // FILES}, 1, 1)")
        for batch in (item for item in batches(rows) if item.name in batches_of):
            known, new = (f"SELECT {ids} AS id FROM range({batch.rows})" for ids in (batch.updates, f"{rows} + id"))
            ids = f"{known} UNION ALL {new}"
            changed = COLUMNS.replace("AS weight", "+ 1 AS weight")
            self.sql(f"CREATE TABLE d.{batch.name} AS SELECT {changed} FROM ({ids})")

    def sql(self, text: str, branch: str = "main") -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog, branch=branch))

    def files(self, table: str) -> list[str]:
        from django.conf import settings

        paths = [row[0] for row in self.sql(f"SHOW SEGMENTS {table}").rows]
        return [f"{settings.LAKEUI['WAREHOUSE']}/{path}" for path in paths]

    def merge(self, batch: Batch, mode: str) -> tuple[float, dict[str, int]]:
        """Seconds of one merge on a fresh branch, and its metrics."""
        branch = f"run_{secrets.token_hex(4)}"
        self.sql(f"CREATE BRANCH {branch}")
        self.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = '{mode}')", branch)
        began = time.perf_counter()
        result = self.sql(
            f"MERGE INTO d.t USING d.{batch.name} AS s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            branch,
        )
        taken = time.perf_counter() - began
        assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (batch.rows, batch.rows)
        return taken, result.metrics


class Peer:
    """The same rows in the same files as a table of ``deltalake``."""

    def __init__(self, tables: Tables) -> None:
        from deltalake import write_deltalake

        self.path = str(tables.home / "delta")
        for path in tables.files("d.t"):
            write_deltalake(self.path, pq.read_table(path, partitioning=None), mode="append")
        self.sources = {
            name: pa.concat_tables([pq.read_table(path, partitioning=None) for path in tables.files(f"d.{name}")])
            for name in ("A", "B", "C")
        }
        self.version = self._table().version()

    def _table(self) -> Any:
        from deltalake import DeltaTable

        return DeltaTable(self.path)

    def merge(self, batch: Batch) -> float:
        table = self._table()
        if table.version() != self.version:
            table.restore(self.version)
            table = self._table()
        began = time.perf_counter()
        (
            table.merge(
                self.sources[batch.name],
                predicate="t.id = s.id",
                source_alias="s",
                target_alias="t",
                streamed_exec=False,
            )
            .when_matched_update_all()
            .when_not_matched_insert_all()
            .execute()
        )
        return time.perf_counter() - began


@contextmanager
def spark() -> Iterator[Path]:
    """A Spark Connect server under Django's settings; answers a folder for what else is written."""
    from django.conf import settings

    from lakeui.runtime.spark import EmbeddedSpark

    with tempfile.TemporaryDirectory(prefix="lakeui-bench-spark-") as folder:
        home = Path(folder)
        server = EmbeddedSpark(home / "spark", home / "spark.log")
        server.start()
        try:
            server.wait_until_ready()
            settings.LAKEUI["SPARK_REMOTE"] = server.url
            yield home
        finally:
            server.stop()


def _median(work: Callable[[], float]) -> float:
    """Of some runs after one that warms up."""
    work()
    return statistics.median(work() for _ in range(ROUNDS))


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home)
        peer = Peer(tables) if HAS_PEER else None
        size = sum(int(row[2]) for row in tables.sql("SHOW SEGMENTS d.t").rows)
        yield Figure(f"merge: table of {rows:,} rows in {FILES} files, MB", size / 1e6)
        for batch in batches(rows):
            theirs = _median(lambda batch=batch: peer.merge(batch)) if peer is not None else None
            if theirs is not None:
                yield Figure(f"merge {batch.name}: deltalake, seconds", theirs)
            for mode in MODES:
                yield from _of_mode(tables, batch, mode, theirs, size)


def _of_mode(tables: Tables, batch: Batch, mode: str, theirs: float | None, size: int) -> Iterator[Figure]:
    found: list[dict[str, int]] = []

    def work() -> float:
        taken, metrics = tables.merge(batch, mode)
        found.append(metrics)
        return taken

    taken = _median(work)
    yield Figure(f"merge {batch.name}: {mode}, seconds", taken)
    if theirs is not None:
        yield Figure(f"merge {batch.name}: {mode} / deltalake", taken / theirs, at_most=batch.at_most[mode])
    metrics = found[-1]
    if mode == "copy-on-write":
        touched = 1 if batch.name == "A" else FILES
        yield Figure(f"merge {batch.name}: {mode}, files rewritten", metrics["files_rewritten"], at_most=touched)
    yield Figure(f"merge {batch.name}: {mode}, % of the table written", 100 * metrics["bytes_written"] / size)
