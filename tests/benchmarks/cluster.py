"""A cluster of Spark beside one process of Spark, on equal cores: the same statements by turns.

Both run on this machine and on a folder of it, so that the difference is that of the cluster alone: executors are
processes of their own, and what goes from one to another goes through a socket.
"""

from __future__ import annotations

import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import Tables, batches, spark

if TYPE_CHECKING:
    from tests.cluster.servers import Cluster

CORES = 2
WARM_UPS, ROUNDS = 2, 3
OF_ONE_MACHINE = 0.8
"""The least speed of the cluster, as a share of that of one process."""
QUERIES = {
    "scan and sum": "SELECT region, state, count(*), sum(amount), max(weight) FROM d.t GROUP BY region, state",
    "join": """SELECT u.state, count(*), sum(t.amount) FROM d.t t JOIN d.t u ON u.id = t.id + 1
        WHERE u.quantity > t.quantity GROUP BY u.state""",
}


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home, _cluster() as cluster:
        from django.conf import settings

        servers = {"one process": settings.LAKEUI["SPARK_REMOTE"], "cluster": cluster.driver.url}
        tables = Tables(rows, home, batches_of=("B",))
        whole = dict.fromkeys(servers, 0.0)
        for what, work in _works(tables, rows).items():
            alone, shared = (taken for taken in _by_turns(work, servers).values())
            whole["one process"] += alone
            whole["cluster"] += shared
            yield Figure(f"cluster: {what}, {rows:,} rows: one process of {CORES} cores, seconds", alone)
            yield Figure(f"cluster: {what}: {CORES} workers of one core, seconds", shared)
            yield Figure(f"cluster: {what}: speed of the cluster", alone / shared, at_least=OF_ONE_MACHINE)
        speed = whole["one process"] / whole["cluster"]
        yield Figure("cluster: all together: speed of the cluster", speed, at_least=OF_ONE_MACHINE)


@contextmanager
def _cluster() -> Iterator[Cluster]:
    from lakeui.runtime.spark import JAVA_OPTIONS
    from lakeui.runtime.stores import SparkStore
    from tests.cluster.servers import Cluster, Memory

    with tempfile.TemporaryDirectory(prefix="lakeui-bench-cluster-") as folder:
        memory = Memory(worker="2500m", executor="2g", driver="1g")
        cluster = Cluster(Path(folder), SparkStore(), workers=CORES, memory=memory, java_options=JAVA_OPTIONS)
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


def _works(tables: Tables, rows: int) -> dict[str, Callable[[], object]]:
    (batch,) = (item for item in batches(rows) if item.name == "B")
    works: dict[str, Callable[[], object]] = {name: partial(tables.sql, text) for name, text in QUERIES.items()}
    works["INSERT of all rows"] = lambda: _copied(tables)
    works["MERGE INTO of a batch over all files"] = lambda: tables.merge(batch, "merge-on-read")
    return works


def _copied(tables: Tables) -> None:
    branch = f"copy_{secrets.token_hex(4)}"
    tables.sql(f"CREATE BRANCH {branch}")
    tables.sql("CREATE TABLE d.copy AS SELECT * FROM d.t", branch)


def _by_turns(work: Callable[[], object], servers: Mapping[str, str]) -> dict[str, float]:
    """The median of the seconds on each server, sessions warm, commits included. What else runs slows both."""
    from django.conf import settings

    taken: dict[str, list[float]] = {name: [] for name in servers}
    for _ in range(WARM_UPS + ROUNDS):
        for name, remote in servers.items():
            settings.LAKEUI["SPARK_REMOTE"] = remote
            began = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds[WARM_UPS:]) for name, seconds in taken.items()}
