"""Requests that a statement takes at an object store (moto). Those that read the table are counted apart from those
that write, list, look for and remove files.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from tests.benchmarks.lake import Figure
from tests.benchmarks.pipelines import OPEN, Case, Tables
from tests.support.object_store import ObjectStore, store_of_spark

ROWS = 200_000
FILES = 8
"""Files that a statement writes: one for each value of the partition column."""
VALUES = f"id, id % {FILES} AS p, concat('customer ', id % 5000) AS customer, id * 1.5D AS amount"
WRITES = {
    "INSERT SELECT": f"INSERT INTO d.t SELECT {VALUES} FROM range({ROWS})",
    "CREATE TABLE AS": f"CREATE TABLE d.made PARTITIONED BY (p) AS SELECT {VALUES} FROM range({ROWS})",
    "UPDATE": "UPDATE d.t SET amount = amount + 1 WHERE id % 4 = 0",
    "MERGE INTO": """MERGE INTO d.t USING d.batch AS s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET amount = s.amount + t.amount WHEN NOT MATCHED THEN INSERT *""",
}
PIPELINES = tuple(
    Case(strategy, config, "versions" if strategy == "scd2" else "t", "batch", "")
    for strategy, config in {
        "full_refresh": "",
        "append_only": "",
        "incremental": "unique_key: id\nwatermark_column: id",
        "delete_insert": "unique_key: id",
        "scd2": "unique_key: id",
        "snapshot": "partition_column: p",
    }.items()
)
MOST_FOR_A_FILE = 2
PLACED = re.compile(r"/(data|deletes)/base=")
"""Where files lie that a commit takes."""


@contextmanager
def _store() -> Iterator[ObjectStore]:
    """A store and the Spark server for it, under Django's settings; those that the environment names, where it does."""
    from django.conf import settings

    from tests.support.servers import small_spark

    given = ObjectStore.given()
    if given is not None:
        settings.LAKEUI.update(STORE=given.options, SPARK_REMOTE=os.environ["SPARK_REMOTE"], SPARK_QUERY_REMOTE="")
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="lakeui-bench-store-") as folder:
        store = ObjectStore(Path(folder) / "store")
        store.start()
        server = small_spark(Path(folder), store_of_spark(store))
        try:
            server.start()
            store.wait_until_ready()
            server.wait_until_ready()
            settings.LAKEUI.update(STORE=store.options, SPARK_REMOTE=server.url, SPARK_QUERY_REMOTE="")
            yield store
        finally:
            server.stop()
            store.stop()


class _Lake(Tables):
    def __init__(self, store: ObjectStore) -> None:
        from django.conf import settings

        self.catalog = f"bench_{secrets.token_hex(4)}"
        self._store, self._bucket = store, self.catalog.replace("_", "-")
        settings.LAKEUI["WAREHOUSE"] = f"{store.bucket(self._bucket)}/lake"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        self.sql("CREATE TABLE d.t (id BIGINT, p BIGINT, customer STRING, amount DOUBLE) PARTITIONED BY (p)")
        self.sql(f"CREATE TABLE d.batch AS SELECT {VALUES} FROM range({ROWS // 2}, {ROWS + ROWS // 2})")
        self.sql(f"CREATE TABLE d.versions PARTITIONED BY (p) AS SELECT {VALUES}{OPEN} FROM range({ROWS})")

    def requests(self, work: Callable[[], object]) -> list[tuple[str, str]]:
        before = len(self._store.requests(self._bucket))
        work()
        taken = self._store.requests(self._bucket)[before:]
        return [(method, unquote(path)) for method, path in taken]


def figures() -> Iterator[Figure]:
    with _store() as store:
        lake = _Lake(store)
        for name, text in WRITES.items():
            yield from _of_write(name, lake.requests(lambda text=text: lake.sql(text)))
        for case in PIPELINES:
            pipeline = lake.pipeline(case)
            yield from _of_write(f"run by {case.strategy}", lake.requests(lambda pipeline=pipeline: lake.run(pipeline)))
        lake.sql(f"INSERT INTO d.t SELECT {VALUES} FROM range({ROWS})")
        yield from _of_write("OPTIMIZE", lake.requests(lambda: lake.sql("OPTIMIZE d.t")))


def _of_write(name: str, taken: list[tuple[str, str]]) -> Iterator[Figure]:
    files = {path for method, path in taken if method == "PUT" and PLACED.search(path)}
    writes = [item for item in taken if item[0] in ("PUT", "POST", "DELETE") or "/staging/" in item[1]]
    yield Figure(f"store: {name}: files", len(files))
    yield Figure(f"store: {name}: all requests", len(taken))
    yield Figure(f"store: {name}: requests a file, but reads", len(writes) / len(files), at_most=MOST_FOR_A_FILE)
