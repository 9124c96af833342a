"""Small statements alone, over HTTP: a row that is written, and what a look before each write costs beside it.

Statements of one comparison run by turns, so that what else the machine does slows all of them.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil

from tests.benchmarks.branches import CATALOG, Client
from tests.benchmarks.lake import Figure
from tests.load.instance import Instance

ROUNDS = 20
FEW = 5
"""Rounds of what takes long."""
WARM = 3
MOST_OF_WRITE = 0.6
TABLES = (
    "CREATE DATABASE d",
    "CREATE TABLE d.t AS SELECT id, concat('v', id) AS v, id * 1.5D AS x FROM range(0, 100000, 1, 1)",
    "CREATE TABLE d.sales AS SELECT id, id % 30000 AS buyer, id % 97 AS amount FROM range(300000)",
    "CREATE TABLE d.buyers AS SELECT id, id % 50 AS region FROM range(30000)",
    "CREATE TABLE d.gone AS SELECT id * 50 AS id FROM range(2000)",
    "CREATE BRANCH b",
)
JOIN = "SELECT b.region, sum(s.amount) FROM d.sales s JOIN d.buyers b ON s.buyer = b.id WHERE s.id > {0} GROUP BY ALL"
WRITES = {
    "INSERT of a row": "INSERT INTO d.t VALUES ({0}, 'n', 0.5D)",
    "UPDATE of a row in 100,000": "UPDATE d.t SET v = 'n{0}' WHERE id = {0}",
    "DELETE of a row in 100,000": "DELETE FROM d.t WHERE id = {0}",
    "UPDATE of 1,000 rows": "UPDATE d.t SET v = concat(v, '.') WHERE id BETWEEN {0} AND {0} + 999",
    "INSERT of 100,000 rows": "INSERT INTO d.t SELECT id, concat('w', id), 0.5D FROM range({0}, {0} + 100000)",
}
MOST = {"INSERT of a row": 60, "UPDATE of a row in 100,000": 120, "DELETE of a row in 100,000": 120}
"""Milliseconds."""


class _Times:
    """Of statements by their names: milliseconds that the client waited, and those of the processor in all parts."""

    def __init__(self, instance: Instance) -> None:
        self._parts = list(instance.pids().values())
        self.waited: dict[str, list[float]] = {}
        self.processor: dict[str, list[float]] = {}

    def by_turns(self, works: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS) -> None:
        """Run each in each round, and forget the first rounds."""
        for number, (name, work) in itertools.product(range(rounds + WARM), works.items()):
            used, began = self._used(), time.perf_counter()
            work()
            waited = time.perf_counter() - began
            if number >= WARM:
                self.waited.setdefault(name, []).append(1000 * waited)
                self.processor.setdefault(name, []).append(1000 * (self._used() - used))

    def _used(self) -> float:
        """Seconds of the processor in all parts up to now."""
        return sum(_seconds(process) for pid in self._parts for process in _family(pid))

    def median(self, name: str) -> float:
        return statistics.median(self.waited[name])

    def last_twentieth(self, name: str) -> float:
        return statistics.quantiles(self.waited[name], n=20)[-1]

    def mean_processor(self, name: str) -> float:
        """The clock of processes ticks each ten milliseconds, so that only the mean of many says something."""
        return statistics.mean(self.processor[name])


def _seconds(process: psutil.Process) -> float:
    try:
        return float(sum(process.cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0


def _family(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="lakeui-small-") as made:
        Path(made).chmod(0o711)
        instance = Instance(Path(made) / "home", {"LAKEUI_REQUESTS_PER_MINUTE": "0"})
        try:
            instance.start()
            client = Client(instance.address, instance.accounts(CATALOG, {"owner": ""})["owner"])
            instance_tables(client)
            yield from _measured(client, _Times(instance))
        finally:
            instance.stop()


def instance_tables(client: Client) -> None:
    for statement in (f"CREATE CATALOG {CATALOG}", *TABLES):
        client.sql(statement)


def _measured(client: Client, times: _Times) -> Iterator[Figure]:
    numbers = itertools.count(1000)

    def said(text: str, branch: str = "b") -> Callable[[], object]:
        return lambda: client.sql(text.format(next(numbers)), branch)

    for name, text in WRITES.items():
        few = ROUNDS if name in MOST else FEW
        times.by_turns({name: said(text), f"DRY RUN {name}": said(f"{text} DRY RUN")}, rounds=few)
        yield Figure(f"{name}, p50, ms", times.median(name), at_most=MOST.get(name))
        yield Figure(f"{name}, processor of all parts, ms", times.mean_processor(name))
        yield Figure(
            f"its dry run / {name}", times.median(f"DRY RUN {name}") / times.median(name), at_most=MOST_OF_WRITE
        )
        yield Figure("the same of the processor", times.mean_processor(f"DRY RUN {name}") / times.mean_processor(name))
    times.by_turns({"join": said(JOIN), "explain": said(f"EXPLAIN {WRITES['UPDATE of a row in 100,000']}")})
    yield Figure("join of 300,000 rows and sum, p50, ms", times.median("join"), at_most=200)
    yield Figure("EXPLAIN of an UPDATE, p50, ms", times.median("explain"))
    yield Figure("EXPLAIN of an UPDATE, p95, ms", times.last_twentieth("explain"), at_most=50)
    times.by_turns({"branch": said("CREATE BRANCH n{0}", "main")}, rounds=60)
    yield Figure("CREATE BRANCH, p50, ms", times.median("branch"))
    yield Figure("CREATE BRANCH, p95, ms", times.last_twentieth("branch"), at_most=20)
    yield Figure("CREATE BRANCH, processor of all parts, ms", times.mean_processor("branch"))
    yield Figure("DELETE of 2,000 rows by a subquery / by MERGE", _subquery(client, times, numbers), at_most=1.2)


def _subquery(client: Client, times: _Times, numbers: Iterator[int]) -> float:
    """Each on a branch of its own, which still has the rows."""
    texts = {
        "subquery": "DELETE FROM d.t WHERE id IN (SELECT id FROM d.gone)",
        "merge": "MERGE INTO d.t USING d.gone g ON t.id = g.id WHEN MATCHED THEN DELETE",
    }
    for _ in range(FEW + WARM):
        for name, text in texts.items():
            branch = f"n{next(numbers)}"
            client.sql(f"CREATE BRANCH {branch}")
            began = time.perf_counter()
            client.sql(text, branch)
            times.waited.setdefault(name, []).append(1000 * (time.perf_counter() - began))
    return statistics.median(times.waited["subquery"][WARM:]) / statistics.median(times.waited["merge"][WARM:])
