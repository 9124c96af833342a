"""Five shapes of work on branches over HTTP, on a server of its own: how long each takes, and what failed.

Afterwards, with nothing else at work: making a branch, and reading at the end of a chain of 25 branches.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests

from tests.benchmarks.branch_shapes import SHAPES, Node, Shape, Tree
from tests.benchmarks.branch_tables import statements
from tests.benchmarks.lake import Figure, paired
from tests.load.instance import Instance

CATALOG = "bench"
MOST_SECONDS = 3_600
MOST_BRANCH_MILLISECONDS = 20
MOST_DEPTH_RATIO = 1.2
DEPTH = 25


class Client:
    """One person, over one connection. ``times``: the kind of each statement, and its seconds. ``repeated``: how often
    an answer had a status after which a statement is sent again.
    """

    def __init__(self, address: str, token: str) -> None:
        self._address = f"{address}/api/v1/sql/"
        self._session = requests.Session()
        self._session.headers.update({"Authorization": f"Bearer {token}", "Prefer": "wait=30"})
        self.times: list[tuple[str, float]] = []
        self.repeated: Counter[int] = Counter()

    def sql(self, statement: str, branch: str = "main") -> dict[str, Any]:
        """Run a statement to its end. Raises RuntimeError with why it was refused."""
        began = time.perf_counter()
        body = {"catalog": CATALOG, "branch": branch, "statement": statement}
        answer = self._session.post(self._address, json=body, timeout=120)
        while (answer.status_code == 429 or _has_moved(answer)) and time.perf_counter() - began < MOST_SECONDS:
            # As many queries run as may, or the branch moved under a write and the two do not fit. The client comes
            # again, as the answer says. Its waiting counts.
            if answer.status_code == 429:
                # A contract of the server, no guess: a client that comes sooner is refused again.
                time.sleep(float(answer.headers["Retry-After"]))
            self.repeated[answer.status_code] += 1
            answer = self._session.post(self._address, json=body, timeout=120)
        if answer.status_code == 202:
            found = self._awaited(urljoin(self._address, answer.headers["Location"]), statement)
        elif answer.status_code == 200:
            found = dict(answer.json())
        else:
            raise RuntimeError(f"{statement[:100]}: {answer.status_code} {answer.text[:400]}")
        kind = re.sub(r"\d+", "N", " ".join(statement.split()[:2]))
        self.times.append((kind, time.perf_counter() - began))
        return found

    def _awaited(self, address: str, statement: str) -> dict[str, Any]:
        while True:
            task = self._session.get(address, timeout=120).json()
            if task["state"] == "succeeded":
                return dict(task["result"])
            if task["state"] not in ("queued", "running"):
                raise RuntimeError(f"{statement[:100]}: {task['state']} {task['error']}")


def _has_moved(answer: requests.Response) -> bool:
    """Whether a write met a commit of somebody else on its branch, with which it does not fit."""
    return answer.status_code == 409 and "moved while the statement ran" in answer.json()["detail"]


@dataclass
class Outcome:
    """``seconds`` of a shape; its ``branches``, the ``deepest`` of them, and what ``failed``, by its text."""

    seconds: float
    branches: int
    deepest: int
    steps: int
    failed: Counter[str]


class Run:
    """One shape, played by its workers."""

    def __init__(self, shape: Shape, clients: list[Client], warehouses: int) -> None:
        self._shape = shape
        self._clients = clients
        self._warehouses = warehouses
        self._tree = Tree(shape)
        self._failed: Counter[str] = Counter()

    def play(self) -> Outcome:
        began = time.perf_counter()
        threads = [
            threading.Thread(target=self._worker, args=(number, client)) for number, client in enumerate(self._clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        deepest = max(node.depth for node in self._tree.nodes)
        steps = self._shape.workers * self._shape.steps
        return Outcome(time.perf_counter() - began, self._tree.made, deepest, steps, self._failed)

    def _worker(self, number: int, client: Client) -> None:
        chance = random.Random(f"{self._shape.name} {number}")
        last: Node | None = None
        for step in range(self._shape.steps):
            node, is_new = self._tree.place(chance, last)
            try:
                self._step(client, chance, node, is_new=is_new, number=number * self._shape.steps + step)
            # A step that fails is counted and named; the others go on.
            except (RuntimeError, requests.RequestException) as error:
                self._failed[str(error)] += 1
            last = node if node.is_alive else None

    def _step(self, client: Client, chance: random.Random, node: Node, *, is_new: bool, number: int) -> None:
        if is_new:
            assert node.parent is not None
            client.sql(f"CREATE BRANCH {node.name} FROM {node.parent.name}")
            self._tree.grown(node)
        work = self._shape.make(chance, number, self._warehouses)
        for statement in (*work.writes, *work.reads):
            client.sql(statement, node.name)
        for other in self._tree.others(chance, self._shape.across):
            client.sql("SELECT count(*), min(c_balance), max(c_balance) FROM ch.customer", other)
        if node.parent is not None and chance.random() < self._shape.merged:
            client.sql(f"MERGE BRANCH {node.name} TO {node.parent.name}")
        if self._tree.done(node, drop=chance.random() < self._shape.dropped):
            client.sql(f"DROP BRANCH {node.name}")


def figures(*, warehouses: int, share: float, report: Callable[[str], None] = print) -> list[Figure]:
    """All shapes, each with ``share`` of its steps, on tables of so many ``warehouses``."""
    with tempfile.TemporaryDirectory(prefix="lakeui-branches-") as made:
        Path(made).chmod(0o711)
        settings = {"LAKEUI_REQUESTS_PER_MINUTE": "0", "LAKEUI_WRITE_TASKS_PER_PERSON": "1"}
        instance = Instance(Path(made) / "home", settings)
        try:
            instance.start()
            return _measured(instance, warehouses, share, report)
        finally:
            instance.stop()


def _measured(instance: Instance, warehouses: int, share: float, report: Callable[[str], None]) -> list[Figure]:
    owner = instance.accounts(CATALOG, {"owner": ""})["owner"]
    began = time.perf_counter()
    instance.sql(owner, f"CREATE CATALOG {CATALOG}", catalog=CATALOG)
    for statement in statements(warehouses):
        instance.sql(owner, statement, catalog=CATALOG)
    found = [Figure(f"tables of {warehouses} warehouses, s", time.perf_counter() - began)]
    people = {f"worker{number}": "maintainer" for number in range(max(shape.workers for shape in SHAPES))}
    clients = [Client(instance.address, token) for token in instance.accounts(CATALOG, people).values()]
    for whole in SHAPES:
        shape = shortened(whole, share)
        outcome = Run(shape, clients[: shape.workers], warehouses).play()
        report(f"{shape.name}: {outcome.seconds:.0f} s, {outcome.branches} branches, depth {outcome.deepest}")
        report(_times(clients))
        repeated: Counter[int] = sum((client.repeated for client in clients), Counter())
        for client in clients:
            client.repeated.clear()
        report(f"  sent again after 429 and 409: {repeated[429]}; {repeated[409]}")
        for text, count in outcome.failed.most_common():
            report(f"  failed {count} x {text}")
        found += [
            Figure(f"{shape.name}: {outcome.steps} steps, s", outcome.seconds, at_most=MOST_SECONDS),
            Figure(f"{shape.name}: steps that failed", sum(outcome.failed.values()), at_most=0),
        ]
    return found + _alone(Client(instance.address, owner))


def shortened(shape: Shape, share: float) -> Shape:
    """The shape with a share of its steps, taken by fewer workers where each would have less than one."""
    total = max(1, round(shape.workers * shape.steps * share))
    workers = min(shape.workers, total)
    return replace(shape, workers=workers, steps=max(1, round(total / workers)))


def _times(clients: list[Client]) -> str:
    """The times of statements by their first words; forgotten then."""
    kinds: dict[str, list[float]] = {}
    for client in clients:
        for kind, seconds in client.times:
            kinds.setdefault(kind, []).append(1000 * seconds)
        client.times.clear()
    return "\n".join(
        f"  {kind:24}{len(taken):7,} p50 {statistics.median(taken):8,.0f} p95 {_ninetyfifth(taken):8,.0f} ms"
        for kind, taken in sorted(kinds.items())
    )


def _ninetyfifth(taken: list[float]) -> float:
    return sorted(taken)[min(len(taken) - 1, int(0.95 * len(taken)))]


def _alone(client: Client) -> list[Figure]:
    """Branches made one after the other, each from the one before, beside all others; then reads at both ends."""
    taken = []
    for number in range(4 * DEPTH):
        place = number % DEPTH
        parent = f"chain_{number - 1}" if place else "main"
        began = time.perf_counter()
        client.sql(f"CREATE BRANCH chain_{number} FROM {parent}")
        taken.append(1000 * (time.perf_counter() - began))
    question = "SELECT count(*), sum(s_quantity) FROM ch.stock WHERE s_i_id < 1000"
    first, last = paired(
        lambda: client.sql(question, "chain_0"), lambda: client.sql(question, f"chain_{DEPTH - 1}"), rounds=31
    )
    return [
        Figure("CREATE BRANCH over HTTP, p50, ms", statistics.median(taken)),
        Figure("CREATE BRANCH over HTTP, p95, ms", _ninetyfifth(taken), at_most=MOST_BRANCH_MILLISECONDS),
        Figure("a read at depth 1 over HTTP, ms", 1000 * first),
        Figure(f"a read at depth {DEPTH} over HTTP, ms", 1000 * last),
        Figure("ratio", last / first, at_most=MOST_DEPTH_RATIO),
    ]
