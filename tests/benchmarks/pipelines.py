"""Runs of pipelines on a table of many rows with a batch of 1%, side by side with a rewrite by DuckDB.

The rewrite is what seed 004 does: read the table, unite what stays with what comes, overwrite. DuckDB writes Parquet
itself here, which takes it less than handing the rows on. Full refreshes and appends read nothing in either way.
Half of a batch are rows of known keys, spread over all files, half are new. Sessions are warm; what a run has besides
its rows (configuration, template, checks, commit) is counted.
"""

from __future__ import annotations

import multiprocessing
import secrets
import shutil
import statistics
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.lake import Figure, peak_memory
from tests.benchmarks.row_merges import COLUMNS, FILES, ROUNDS, WARM_UPS, spark

OPEN = ", TIMESTAMP '2024-01-01 00:00:00' AS valid_from, CAST(NULL AS TIMESTAMP) AS valid_to"
MONTHS = 100
"""Partitions of the table of snapshots: a batch is one of them."""


@dataclass(frozen=True)
class Case:
    """One strategy: its configuration, the table and the batch, and the rewrite as DuckDB's SQL over both."""

    strategy: str
    config: str
    table: str
    batch: str
    rewrite: str
    reads_table: bool = True


_KEPT = "SELECT e.* FROM existing e WHERE NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = e.id)"
CASES = (
    Case("full_refresh", "", "plain", "mixed", "SELECT * FROM batch", reads_table=False),
    Case("append_only", "", "plain", "mixed", "SELECT * FROM batch", reads_table=False),
    Case(
        "incremental",
        "unique_key: id\nwatermark_column: ordered_at",
        "plain",
        "mixed",
        f"""{_KEPT} UNION ALL SELECT * FROM batch
        QUALIFY row_number() OVER (PARTITION BY id ORDER BY ordered_at DESC) = 1""",
    ),
    Case("delete_insert", "unique_key: id", "plain", "mixed", f"{_KEPT} UNION ALL SELECT * FROM batch"),
    Case(
        "scd2",
        "unique_key: id",
        "versions",
        "mixed",
        """SELECT e.* REPLACE (CASE WHEN e.valid_to IS NULL AND b.id IS NOT NULL THEN now() ELSE e.valid_to END
            AS valid_to) FROM existing e LEFT JOIN (SELECT id FROM batch) b ON b.id = e.id
        UNION ALL SELECT *, now(), NULL FROM batch""",
    ),
    Case(
        "snapshot",
        "partition_column: month",
        "monthly",
        "monthly_batch",
        """SELECT * FROM existing WHERE month NOT IN (SELECT DISTINCT month FROM batch)
        UNION ALL SELECT * FROM batch""",
    ),
)


class Tables:
    """The tables that runs write and the batches, in a lake over a Spark of its own."""

    def __init__(self, rows: int) -> None:
        self.catalog = f"bench_{secrets.token_hex(4)}"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        month = f"CAST(id * {MONTHS} DIV {rows} AS INT) AS month"
        half = rows // 200
        self._table("plain", COLUMNS, rows)
        self._table("versions", COLUMNS + OPEN, rows)
        self._table("monthly", f"{COLUMNS}, {month}", rows, "PARTITIONED BY (month)")
        # Later than the rows that it replaces, and otherwise than they are.
        changed = COLUMNS.replace("AS weight", "+ 1 AS weight").replace("1700000000", "1800000000")
        ids = f"SELECT id * {rows // half} AS id FROM range({half}) UNION ALL SELECT {rows} + id FROM range({half})"
        self.sql(f"CREATE TABLE d.mixed AS SELECT {changed} FROM ({ids})")
        of_month = f"range({rows // MONTHS * 7}, {rows // MONTHS * 8})"
        self.sql(f"CREATE TABLE d.monthly_batch AS SELECT {changed}, {month} FROM {of_month}")

    def _table(self, name: str, columns: str, rows: int, partitioned: str = "") -> None:
        described = self.sql(f"SELECT {columns} FROM range(0)").columns
        definitions = ", ".join(f"{column} {kind}" for column, kind in described)
        self.sql(f"CREATE TABLE d.{name} ({definitions}) {partitioned}")
        self.sql(f"INSERT INTO d.{name} SELECT {columns} FROM range(0, {rows}, 1, {FILES})")

    def sql(self, text: str, branch: str = "main") -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog, branch=branch))

    def segments(self, table: str) -> list[tuple[str, int]]:
        """(path, bytes) of the table's files."""
        from django.conf import settings

        rows = self.sql(f"SHOW SEGMENTS d.{table}").rows
        return [(f"{settings.LAKEUI['WAREHOUSE']}/{row[0]}", int(row[2])) for row in rows]

    def pipeline(self, case: Case) -> Any:
        from catalog_app.selectors.snapshots import catalog_get
        from merge_app.pipelines.services import pipeline_create

        names = {"name": case.strategy, "layer": "", "database": "d", "table": case.table, "branch": "main"}
        texts = {"source": f"SELECT * FROM {{{{ source('d', '{case.batch}') }}}}", "schedule": ""}
        config = f"merge_strategy: {case.strategy}\n{case.config}\n"
        catalog = catalog_get(self.catalog)
        return pipeline_create(catalog=catalog, values={**names, **texts, "config": config}, owner_id=None)

    def run(self, pipeline: Any) -> tuple[float, dict[str, int]]:
        """Seconds of one run on a fresh branch, and its metrics."""
        from django.utils import timezone

        from lakeui.frontdoor import Session
        from lakeui.frontdoor.entries.pipeline_runs import run_execute
        from merge_app.jobs.context import Context
        from merge_app.jobs.models import Task, TaskState
        from merge_app.pipelines.runs import TASK_KIND, run_begin

        branch = f"run_{secrets.token_hex(4)}"
        self.sql(f"CREATE BRANCH {branch}")
        parameters = {"pipeline": pipeline.pk, "version": pipeline.revision}
        task = Task.objects.create(id=uuid.uuid4(), kind=TASK_KIND, parameters=parameters)
        run = run_begin(task.pk, parameters)
        began = time.perf_counter()
        result = run_execute(run, session=Session(self.catalog, branch), context=Context())
        taken = time.perf_counter() - began
        Task.objects.filter(pk=task.pk).update(state=TaskState.SUCCEEDED, finished_at=timezone.now())
        return taken, dict(result.metrics)


def _rewrite(files: Sequence[str], batch: Sequence[str], query: str, folder: str) -> tuple[float, int, int]:
    """In a process of its own: seconds, bytes written, and the most memory that the process had."""
    import duckdb

    relation = "read_parquet({}, hive_partitioning = false)"
    with duckdb.connect(config={"threads": "2", "preserve_insertion_order": "false"}) as connection:
        for name, paths in (("existing", files), ("batch", batch)):
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {relation.format(list(paths))}")
        connection.execute("SET enable_progress_bar = false")
        began = time.perf_counter()
        copied = f"COPY ({query}) TO '{folder}' (FORMAT parquet, COMPRESSION zstd, PER_THREAD_OUTPUT true)"
        connection.execute(copied)
        taken = time.perf_counter() - began
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return taken, size, peak_memory()


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows)
        before = peak_memory()
        for case in CASES:
            yield from _of_case(tables, case, home)
        yield Figure("pipelines: worker's memory, growth in MB", (peak_memory() - before) / 1e6)


def _of_case(tables: Tables, case: Case, home: Path) -> Iterator[Figure]:
    pipeline = tables.pipeline(case)
    segments = tables.segments(case.table)
    size = sum(count for _, count in segments)
    batch = [path for path, _ in tables.segments(case.batch)]
    ours, theirs = [], []
    for _ in range(WARM_UPS + ROUNDS):
        ours.append(tables.run(pipeline))
        folder = home / "rewritten"
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            given = ([path for path, _ in segments], batch, case.rewrite, str(folder))
            theirs.append(process.submit(_rewrite, *given).result())
        shutil.rmtree(folder)
    seconds = statistics.median(taken for taken, _ in ours[WARM_UPS:])
    peer = statistics.median(taken for taken, *_ in theirs[WARM_UPS:])
    metrics = ours[-1][1]
    what = f"pipeline {case.strategy}"
    yield Figure(f"{what}: seconds", seconds)
    yield Figure(f"{what}: DuckDB's rewrite, seconds", peer)
    yield Figure(f"{what}: DuckDB's rewrite, MB of memory", max(peak for *_, peak in theirs) / 1e6)
    if case.reads_table:
        yield Figure(f"{what}: run / rewrite", seconds / peer, at_most=1)
    yield Figure(f"{what}: % of the table written", 100 * metrics["bytes_written"] / size, at_most=4)
    yield Figure(f"{what}: data files added", metrics["files_added"])
    yield Figure(f"{what}: rewrite, % of the table written", 100 * theirs[-1][1] / size)
