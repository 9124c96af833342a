"""What the metadata costs: branches, merges, deep reads, commits. Real PostgreSQL, rows made in bulk, no Spark.

Run by ``make bench``; prints a table and writes JSON. Ratios and medians of one run are what counts: machines are
noisy. Nothing here is timed in continuous integration.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@contextmanager
def postgres() -> Iterator[None]:
    """An embedded PostgreSQL with durable commits, migrated, under Django."""
    from lakeui.runtime.postgres import EmbeddedPostgres

    home = Path(tempfile.mkdtemp(prefix="lakeui-bench-")).resolve()
    home.chmod(0o711)
    server = EmbeddedPostgres(home / "postgres", home / "postgres.log")
    os.environ |= {
        "DATABASE_URL": server.url("lakeui"),
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "LAKEUI_HOME": str(home),
        "LAKEUI_SECRET_KEY": secrets.token_urlsafe(48),
        "DJANGO_SETTINGS_MODULE": "lakeui.settings",
    }
    server.start()
    server.database_create("lakeui")
    try:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield
    finally:
        server.stop()


def paired(first: Callable[[], Any], second: Callable[[], Any], rounds: int = 15) -> tuple[float, float]:
    """The median times of two pieces of work done in turn, so that what slows the machine slows both."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for work, taken in zip((first, second), times, strict=True):
            gc.collect()
            began = time.perf_counter()
            work()
            if number:
                taken.append(time.perf_counter() - began)
    return statistics.median(times[0]), statistics.median(times[1])


class Bench:
    """One catalog with table d.t, whose segments are written straight into PostgreSQL."""

    def __init__(self, segments: int) -> None:
        from catalog_app.models import Table

        self.catalog = f"bench_{secrets.token_hex(4)}"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        self.sql("CREATE TABLE d.t (id INT)")
        newest = Table.objects.order_by("-pk").first()
        assert newest is not None
        self.table_id = newest.pk
        self.insert("main", segments)

    def sql(self, text: str, branch: str = "main") -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog, branch=branch))

    def branch(self, name: str) -> Any:
        from catalog_app.selectors.lineage import branch_get, catalog_get

        return branch_get(catalog_get(self.catalog), name)

    def insert(self, branch_name: str, segments: int) -> int:
        """A commit that added so many segments of 1,000 rows; answers its operation."""
        from django.db import connection, transaction

        from catalog_app.models import Branch, CommitOperation
        from catalog_app.selectors.lineage import branch_lineage
        from catalog_app.selectors.objects import tables_load
        from catalog_app.services.files import addresses_allocate
        from merge_app.execution.apply import CommitHeader, commit_write

        branch = self.branch(branch_name)
        seen = tables_load(branch_lineage(branch), [self.table_id])
        base = addresses_allocate(self.table_id, segments * 1000)
        with transaction.atomic(), connection.cursor() as cursor:
            commit = commit_write(branch, CommitHeader("INSERT"), None)
            version = commit.version
            operation = CommitOperation.objects.create(
                commit=commit,
                branch=branch,
                version=version,
                object_kind="table",
                object_id=self.table_id,
                kind="insert",
                origin_branch=branch,
                origin_version=version,
            )
            cursor.execute(
                """WITH files AS (
                    INSERT INTO catalog_app_datafile (table_id, path, base, rows, bytes, partition, statistics,
                        stores_row_ids, smallest_row_id, largest_row_id, created_at)
                    SELECT %(table)s, %(table)s || '/' || (%(base)s + 1000 * g), %(base)s + 1000 * g, 1000, 20000,
                        '[]', '{"1": [0, 999, 0]}', false, %(base)s + 1000 * g, %(base)s + 1000 * g + 999, now()
                    FROM generate_series(0, %(count)s - 1) g RETURNING id)
                INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id,
                    definition_id, schema_version, is_visible)
                SELECT %(table)s, %(branch)s, %(operation)s, %(version)s, files.id, d.definition_id, d.version, true
                FROM files, catalog_app_tableschemahistory d
                WHERE d.table_id = %(table)s AND d.version = %(schema_version)s""",
                {
                    "table": self.table_id,
                    "base": base,
                    "count": segments,
                    "branch": branch.pk,
                    "operation": operation.pk,
                    "version": version,
                    "schema_version": seen[self.table_id].schema_version,
                },
            )
            Branch.objects.filter(pk=branch.pk).update(head_version=version, head_commit=commit)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE catalog_app_segment, catalog_app_datafile")
        return int(operation.pk)


def _refuse() -> Any:
    raise AssertionError("a merge of inserts asked for the engine")


@dataclass
class MergeCost:
    """Medians of several merges of as many segments, and of the bare inserts of the same rows."""

    merge_seconds: float
    bare_seconds: float
    statements: int


def merge_measure(changed: int, *unchanged: int, rounds: int = 4) -> list[MergeCost]:
    """Merge ``changed`` new segments beside each of these numbers of others, in turn; one round is not counted."""
    benches = [Bench(count) for count in unchanged]
    taken = [[_merge_once(bench, changed, number) for bench in benches] for number in range(rounds)][1:]
    return [
        MergeCost(
            statistics.median(row[place][0] for row in taken),
            statistics.median(row[place][1] for row in taken),
            taken[-1][place][2],
        )
        for place in range(len(benches))
    ]


def _merge_once(bench: Bench, changed: int, number: int) -> tuple[float, float, int]:
    """Seconds of the merge, of a bare INSERT .. SELECT of the same rows, and the merge's statements."""
    from django.db import connection

    from merge_app.execution.apply import CommitHeader
    from merge_app.execution.merge import MergeRequest, merge_run
    from merge_app.jobs.context import Context

    bench.sql(f"CREATE BRANCH b{number}")
    operation = bench.insert(f"b{number}", changed)
    request = MergeRequest(bench.branch(f"b{number}").pk, bench.branch("main").pk, CommitHeader("MERGE BRANCH"))
    bare = _bare_insert(operation)
    counted: list[str] = []

    def count(execute: Any, query: str, *rest: Any) -> Any:
        counted.append(query)
        return execute(query, *rest)

    with connection.execute_wrapper(count):
        began = time.perf_counter()
        merge_run(request, _refuse, Context())
        merge = time.perf_counter() - began
    return merge, bare, len(counted)


def _bare_insert(operation: int) -> float:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        began = time.perf_counter()
        cursor.execute(
            """INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id,
                   definition_id, schema_version, is_visible)
               SELECT table_id, branch_id, operation_id, added_version + 1000000000, file_id, definition_id,
                   schema_version, is_visible FROM catalog_app_segment WHERE operation_id = %s""",
            [operation],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        taken = time.perf_counter() - began
        transaction.set_rollback(True)
    return taken


def branch_measure(small: int, large: int) -> tuple[float, float]:
    """CREATE BRANCH in a small and in a large catalog, in turn."""
    benches = Bench(small), Bench(large)
    numbers = iter(range(10_000))
    first, second = (
        lambda: benches[0].sql(f"CREATE BRANCH n{next(numbers)}"),
        lambda: benches[1].sql(f"CREATE BRANCH n{next(numbers)}"),
    )
    return paired(first, second, rounds=61)


def depth_measure(segments: int) -> tuple[float, float]:
    """Reading the table's segments from a branch, and from the end of a chain of 100."""
    from catalog_app.selectors.lineage import branch_lineage
    from catalog_app.selectors.segments import segments_list

    bench = Bench(segments)
    parent = "main"
    for number in range(100):
        bench.sql(f"CREATE BRANCH deep{number} FROM {parent}")
        parent = f"deep{number}"
    shallow, deep = (branch_lineage(bench.branch(name)) for name in ("deep0", "deep99"))
    return paired(lambda: segments_list(shallow, bench.table_id), lambda: segments_list(deep, bench.table_id))


def commit_measure(commits: int) -> float:
    """Small metadata statements a second on one branch, from text to commit."""
    bench = Bench(10)
    bench.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'first')")
    began = time.perf_counter()
    for number in range(commits):
        bench.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('k' = '{number}')")
    return commits / (time.perf_counter() - began)


def measure(*, large: int, changed: int) -> list[dict[str, Any]]:
    """All figures: name, value, the target where the project has one."""
    small_branch, large_branch = branch_measure(1_000, large)
    merge, wide = merge_measure(changed, changed, 10 * changed)
    (tenth,) = merge_measure(changed // 10, changed)
    shallow, deep = depth_measure(10_000)
    rows = [
        ("CREATE BRANCH at 1,000 segments, ms", 1000 * small_branch, None),
        (f"CREATE BRANCH at {large:,} segments, ms", 1000 * large_branch, None),
        ("ratio", large_branch / small_branch, 1.2),
        (f"merge of {changed:,} segments, s", merge.merge_seconds, None),
        ("bare INSERT .. SELECT of the same rows, s", merge.bare_seconds, None),
        ("ratio", merge.merge_seconds / merge.bare_seconds, 3),
        (
            "the same merge beside 10x more unchanged segments, ratio",
            wide.merge_seconds / merge.merge_seconds,
            1.2,
        ),
        (f"statements of a merge of {changed:,} segments", merge.statements, None),
        (f"statements of a merge of {changed // 10:,} segments", tenth.statements, merge.statements),
        ("10,000 segments through 1 branch, ms", 1000 * shallow, None),
        ("10,000 segments through 100 branches, ms", 1000 * deep, None),
        ("ratio", deep / shallow, 1.5),
        ("small metadata commits a second, one client", commit_measure(300), None),
    ]
    return [{"what": what, "value": value, "at_most": target} for what, value, target in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=int, default=1_000_000, help="segments of the large catalog")
    parser.add_argument("--changed", type=int, default=100_000, help="segments that a merge brings")
    parser.add_argument("--json", type=Path, default=Path("var/bench-metadata.json"))
    options = parser.parse_args()
    with postgres():
        rows = measure(large=options.large, changed=options.changed)
    lines = [f"{row['what']:60} {row['value']:12,.2f}  {_verdict(row)}".rstrip() for row in rows]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": machine, "figures": rows}, indent=2))
    print("\n".join([machine, *lines]))  # noqa: T201 - the table is what the command is for


def _verdict(row: dict[str, Any]) -> str:
    if row["at_most"] is None:
        return ""
    return f"at most {row['at_most']}: {'yes' if row['value'] <= row['at_most'] else 'NO'}"


if __name__ == "__main__":
    main()
