"""What benchmarks run on: a PostgreSQL with durable commits, and lakes whose metadata is written in bulk."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Figure:
    """One line of the table: a value, and the least or greatest that the project asks for."""

    what: str
    value: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def verdict(self) -> str:
        if self.at_most is not None:
            return f"at most {self.at_most:g}: {'yes' if self.value <= self.at_most else 'NO'}"
        if self.at_least is not None:
            return f"at least {self.at_least:g}: {'yes' if self.value >= self.at_least else 'NO'}"
        return ""


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
        shutil.rmtree(home)


def peak_memory() -> int:
    """The most bytes that this process ever had. What getrusage says begins with what the parent had when it forked."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (kilobytes,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kilobytes) * 1024


def peak_forget() -> int:
    """What ``peak_memory`` says begins again with what the process has now, without what it let go; answers that."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak_memory()


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
    """One catalog with table d.t, whose segments are written straight into PostgreSQL. ``columns``: so many has it."""

    def __init__(self, segments: int, columns: int = 1) -> None:
        from catalog_app.models import Table

        self._columns = columns

        self.catalog = f"bench_{secrets.token_hex(4)}"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        self.sql(f"CREATE TABLE d.t (id INT{''.join(f', c{number} INT' for number in range(2, columns + 1))})")
        newest = Table.objects.order_by("-pk").first()
        assert newest is not None
        self.table_id = newest.pk
        self.insert("main", segments)

    def sql(self, text: str, branch: str = "main", *, transaction: str | None = None) -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog, branch=branch, transaction=transaction))

    def branch(self, name: str) -> Any:
        from catalog_app.selectors.snapshots import branch_get, catalog_get

        return branch_get(catalog_get(self.catalog), name)

    def insert(self, branch_name: str, segments: int) -> int:
        """A commit that added so many segments of 1,000 rows; answers its operation."""
        from django.db import connection, transaction

        from catalog_app.models import CommitOperation
        from catalog_app.selectors.objects import tables_load
        from catalog_app.selectors.snapshots import branch_snapshot
        from catalog_app.services.files import addresses_allocate
        from merge_app.execution.apply import CommitHeader, commit_write

        branch = self.branch(branch_name)
        seen = tables_load(branch_snapshot(branch), [self.table_id])
        base = addresses_allocate(self.table_id, segments * 1000)
        with transaction.atomic(), connection.cursor() as cursor:
            commit = commit_write(branch, CommitHeader("INSERT")).commit
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
                        '[]', %(statistics)s::jsonb, false, %(base)s + 1000 * g, %(base)s + 1000 * g + 999, now()
                    FROM generate_series(0, %(count)s - 1) g RETURNING id)
                INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id,
                    definition_id, schema_version, is_visible, stamp, kind)
                SELECT %(table)s, %(branch)s, %(operation)s, %(version)s, files.id, d.definition_id, d.version, true,
                    %(version)s, 'insert'
                FROM files, catalog_app_tableschemahistory d
                WHERE d.table_id = %(table)s AND d.version = %(schema_version)s""",
                {
                    "table": self.table_id,
                    "statistics": json.dumps({number: [0, 999, 0] for number in range(1, self._columns + 1)}),
                    "base": base,
                    "count": segments,
                    "branch": branch.pk,
                    "operation": operation.pk,
                    "version": version,
                    "schema_version": seen[self.table_id].schema_version,
                },
            )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE catalog_app_segment, catalog_app_datafile")
        return int(operation.pk)
