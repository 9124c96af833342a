"""A cluster of Spark beside one process of Spark, on equal cores: the same statements, one server after the other.

Both run on this machine and on a folder of it, so that the difference is that of the cluster alone: executors are
processes of their own, and what goes from one to another goes through a socket.
"""

from __future__ import annotations

import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import Tables, batches, spark

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
    found = {name: _measured(rows, server) for name, server in (("one process", spark), ("cluster", _cluster))}
    for what, seconds in found["one process"].items():
        on_cluster = found["cluster"][what]
        yield Figure(f"cluster: {what}, {rows:,} rows: one process of {CORES} cores, seconds", seconds)
        yield Figure(f"cluster: {what}: {CORES} workers of one core, seconds", on_cluster)
        yield Figure(f"cluster: {what}: speed of the cluster", seconds / on_cluster, at_least=OF_ONE_MACHINE)
    whole = [sum(of.values()) for of in found.values()]
    yield Figure("cluster: all together: speed of the cluster", whole[0] / whole[1], at_least=OF_ONE_MACHINE)


@contextmanager
def _cluster() -> Iterator[Path]:
    """A standalone cluster under Django's settings; answers a folder for what else is written."""
    from django.conf import settings

    from lakeui.runtime.spark import JAVA_OPTIONS
    from lakeui.runtime.stores import SparkStore
    from tests.cluster.servers import Cluster, Memory

    with tempfile.TemporaryDirectory(prefix="lakeui-bench-cluster-") as folder:
        memory = Memory(worker="3g", executor="2500m", driver="2g")
        cluster = Cluster(Path(folder), SparkStore(), workers=CORES, memory=memory, java_options=JAVA_OPTIONS)
        try:
            cluster.start()
            settings.LAKEUI["SPARK_REMOTE"] = cluster.driver.url
            yield Path(folder)
        finally:
            cluster.stop()


def _measured(rows: int, server: Callable[[], object]) -> dict[str, float]:
    """By statement the median of its seconds, sessions warm, commits included."""
    with server() as home:  # type: ignore[attr-defined]
        tables = Tables(rows, home, batches_of=("B",))
        (batch,) = (item for item in batches(rows) if item.name == "B")
        works: dict[str, Callable[[], object]] = {name: _query(tables, text) for name, text in QUERIES.items()}
        works["INSERT of all rows"] = lambda: _copied(tables)
        works["MERGE INTO of a batch over all files"] = lambda: tables.merge(batch, "merge-on-read")
        return {what: _median(work) for what, work in works.items()}


def _query(tables: Tables, text: str) -> Callable[[], object]:
    return lambda: tables.sql(text)


def _copied(tables: Tables) -> None:
    branch = f"copy_{secrets.token_hex(4)}"
    tables.sql(f"CREATE BRANCH {branch}")
    tables.sql("CREATE TABLE d.copy AS SELECT * FROM d.t", branch)


def _median(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(WARM_UPS + ROUNDS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken[WARM_UPS:])
