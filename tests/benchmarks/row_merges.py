"""MERGE INTO on a table of many rows, in both physical modes, side by side with ``deltalake`` where it is installed.

Three batches (rows §2), half updates and half inserts: A touches one file, B and C touch all. Every run starts from the
same state, here on a branch of its own. Sessions are warm; the commit is included. Other peers do each batch once.
"""

from __future__ import annotations

import io
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.lake import Figure
from tests.benchmarks.merge_peers import DeltaTable, Input, is_installed, other_peers

FILES = 20
WARM_UPS = 3
"""Runs before those that count: so many it takes until Java has compiled what Spark runs."""
ROUNDS = 5
MODES = ("merge-on-read", "copy-on-write")
IMAGES_AND_POSITIONS = 1.2
"""Merge-on-read may write so many times the new images and the positions that they replace."""
OF_THE_TABLE = 1
"""Per cent of the table that merge-on-read may write for batch C."""
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
        return listed_files(self.sql(f"SHOW SEGMENTS {table}"))

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


def listed_files(segments: Any) -> list[str]:
    """Absolute paths of what SHOW SEGMENTS answers."""
    from django.conf import settings

    return [f"{settings.LAKEUI['WAREHOUSE']}/{row[0]}" for row in segments.rows]


def plain_spark() -> Any:
    """A session on the Spark server of the settings that knows nothing of lakeui."""
    from django.conf import settings
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.builder.remote(settings.LAKEUI["SPARK_REMOTE"]).create()


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
    """Of some runs after those that warm up."""
    for _ in range(WARM_UPS):
        work()
    return statistics.median(work() for _ in range(ROUNDS))


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home)
        files = {batch.name: tables.files(f"d.{batch.name}") for batch in batches(rows)}
        given = Input(tables.files("d.t"), files, home)
        peer = DeltaTable(given, is_streamed=False) if is_installed("deltalake") else None
        size = _bytes(given.target)
        yield Figure(f"merge: table of {rows:,} rows in {FILES} files, MB", size / 1e6)
        for batch in batches(rows):
            theirs = _median(lambda batch=batch: peer.merge(batch.name)) if peer is not None else None
            if theirs is not None:
                yield Figure(f"merge {batch.name}: deltalake, seconds", theirs)
            needed = _bytes(files[batch.name]) + _position_bytes(given, batch.name, rows)
            for mode in MODES:
                yield from _of_mode(tables, batch, mode, theirs, size, needed)
        for other in other_peers(given):
            for batch in batches(rows):
                yield Figure(f"merge {batch.name}: {other.name}, seconds", other.merge(batch.name))


def _bytes(paths: list[str]) -> int:
    return sum(Path(path).stat().st_size for path in paths)


def _position_bytes(given: Input, batch: str, rows: int) -> int:
    """What plain position deletes (path and position) of the rows that the batch updates take, a file a data file."""
    ids = given.batch_table(batch)["id"].to_numpy()
    ids = np.sort(ids[ids < rows])
    per_file = rows // FILES
    total = 0
    for path, held in ((path, pq.read_table(path, columns=["id"], partitioning=None)["id"]) for path in given.target):
        first = held[0].as_py()
        positions = ids[(ids >= first) & (ids < first + per_file)] - first
        if len(positions):
            table = pa.table({"file_path": pa.repeat(f"file://{path}", len(positions)), "pos": positions})
            written = io.BytesIO()
            pq.write_table(table, written, compression="zstd")
            total += written.tell()
    return total


def _of_mode(tables: Tables, batch: Batch, mode: str, theirs: float | None, size: int, needed: int) -> Iterator[Figure]:
    found: list[dict[str, int]] = []

    def work() -> float:
        taken, metrics = tables.merge(batch, mode)
        found.append(metrics)
        return taken

    taken = _median(work)
    yield Figure(f"merge {batch.name}: {mode}, seconds", taken)
    if theirs is not None:
        yield Figure(f"merge {batch.name}: {mode} / deltalake", taken / theirs, at_most=batch.at_most[mode])
    written = found[-1]["bytes_written"]
    of_the_table = Figure(f"merge {batch.name}: {mode}, % of the table written", 100 * written / size)
    if mode == "copy-on-write":
        touched = 1 if batch.name == "A" else FILES
        yield Figure(f"merge {batch.name}: {mode}, files rewritten", found[-1]["files_rewritten"], at_most=touched)
        yield of_the_table
    else:
        what = f"merge {batch.name}: {mode}, bytes / (new images + positions)"
        yield Figure(what, written / needed, at_most=IMAGES_AND_POSITIONS)
        yield replace(of_the_table, at_most=OF_THE_TABLE if batch.name == "C" else None)
