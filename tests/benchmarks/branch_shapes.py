"""The five shapes of work of BranchBench (public paper and repository), in own code.

They say which branches are made from which, and what is written and asked on each.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.branch_tables import CUSTOMERS, DISTRICTS, ITEMS


@dataclass(frozen=True)
class Work:
    """What is done on one branch: statements that write, then statements that read."""

    writes: Sequence[str]
    reads: Sequence[str]


Maker = Callable[[random.Random, int, int], Work]
"""Makes the work of a step from its worker's chance, its number, and the number of warehouses."""


@dataclass(frozen=True)
class Shape:
    """``workers`` each take ``steps``. A branch has at most ``inner`` children, main ``root``; ``depth`` is the longest
    chain. ``deeper``: how often a worker continues from the branch that it made last. ``merged`` and ``dropped``: how
    often a step ends so. ``across``: how many other branches a step reads.
    """

    name: str
    workers: int
    steps: int
    root: int
    inner: int
    depth: int
    make: Maker
    deeper: float = 0.0
    merged: float = 0.0
    dropped: float = 0.0
    across: int = 0


@dataclass
class Node:
    name: str
    depth: int
    parent: Node | None = None
    children: int = 0
    """Those that were made; a dropped one keeps its place."""
    held: int = 0
    """Those that are alive, and steps at work on the branch: no one drops it meanwhile."""
    is_alive: bool = True


@dataclass
class Tree:
    """The branches of one run, shared by its workers."""

    shape: Shape
    root: Node = field(default_factory=lambda: Node("main", 0))

    def __post_init__(self) -> None:
        self.nodes = [self.root]
        self.made = 0
        self._lock = threading.Lock()

    def place(self, chance: random.Random, last: Node | None) -> tuple[Node, bool]:
        """A new branch that is still to be made, and True; where the tree has no place left, one that there is."""
        with self._lock:
            goes_on = last is not None and chance.random() < self.shape.deeper and self._has_place(last)
            parent = last if goes_on else self._open(chance)
            if parent is None:
                node = chance.choice([node for node in self.nodes if node.is_alive and node.depth])
                node.held += 1
                return node, False
            assert parent is not None
            parent.children += 1
            parent.held += 1
            self.made += 1
            node = Node(f"{self.shape.name}_{self.made}", parent.depth + 1, parent, held=1)
            return node, True

    def grown(self, node: Node) -> None:
        """The branch is made: others may go on from it."""
        with self._lock:
            self.nodes.append(node)

    def done(self, node: Node, *, drop: bool) -> bool:
        """The step on the branch has ended. Answers whether the branch is to be dropped: no one uses it."""
        with self._lock:
            node.held -= 1
            if not drop or node.held or not node.is_alive:
                return False
            node.is_alive = False
            assert node.parent is not None
            node.parent.held -= 1
            return True

    def others(self, chance: random.Random, count: int) -> list[str]:
        with self._lock:
            alive = [node.name for node in self.nodes if node.is_alive]
        return chance.sample(alive, min(count, len(alive)))

    def _has_place(self, node: Node) -> bool:
        most = self.shape.inner if node.depth else self.shape.root
        return node.is_alive and node.depth < self.shape.depth and node.children < most

    def _open(self, chance: random.Random) -> Node | None:
        found = [node for node in self.nodes if self._has_place(node)]
        return chance.choice(found) if found else None


def _cleaning(chance: random.Random, step: int, warehouses: int) -> Work:
    column, warehouse = f"c_clean_{step}", chance.randint(1, warehouses)
    return Work(
        [
            f"ALTER TABLE ch.customer ADD COLUMNS ({column} STRING)",
            f"UPDATE ch.customer SET {column} = upper(c_last)"
            f" WHERE c_w_id = {warehouse} AND c_d_id = {chance.randint(1, DISTRICTS)}",
        ],
        [f"SELECT count(*), count({column}), min(c_balance), max(c_balance) FROM ch.customer"],
    )


def _software(chance: random.Random, step: int, warehouses: int) -> Work:
    table, warehouse, district = f"preferences_{step}", chance.randint(1, warehouses), chance.randint(1, DISTRICTS)
    wanted = f"c_w_id = {warehouse} AND c_d_id = {district}"
    return Work(
        [
            f"CREATE TABLE ch.{table} (c_w_id INT, c_d_id INT, c_id INT, theme STRING)",
            f"ALTER TABLE ch.customer ADD COLUMNS (c_display_{step} STRING)",
            f"ALTER TABLE ch.{table} ADD COLUMNS (language STRING)",
            f"INSERT INTO ch.{table} SELECT c_w_id, c_d_id, c_id, 'light', 'en' FROM ch.customer WHERE {wanted}",
            f"UPDATE ch.{table} SET theme = 'dark' WHERE c_id % 10 = {step % 10}",
        ],
        [
            "SHOW TABLES IN ch",
            "DESCRIBE TABLE ch.customer",
            f"SELECT c_id, c_first, c_last FROM ch.customer WHERE {wanted} ORDER BY c_id LIMIT 10",
            f"SELECT theme, count(*) FROM ch.{table} GROUP BY theme",
            "SELECT count(*) FROM ch.orders o LEFT ANTI JOIN ch.customer c"
            " ON c.c_w_id = o.o_w_id AND c.c_d_id = o.o_d_id AND c.c_id = o.o_c_id",
        ],
    )


def _order(chance: random.Random, number: int, warehouses: int) -> list[str]:
    """The writes of one order: the order, its lines, and the stock."""
    warehouse, district = chance.randint(1, warehouses), chance.randint(1, DISTRICTS)
    key = f"{warehouse}, {district}, {number}"
    writes = [f"INSERT INTO ch.orders VALUES ({key}, {chance.randint(1, CUSTOMERS)}, NULL, 3, 1800000000)"]
    writes += [
        f"INSERT INTO ch.order_line VALUES ({key}, {line}, {chance.randint(1, ITEMS)}, {warehouse}, 5,"
        f" {chance.choice((-1, 0, 1, 100))}, 'replayed')"
        for line in (1, 2, 3)
    ]
    writes.append(
        f"UPDATE ch.stock SET s_quantity = s_quantity - {chance.randint(1, 5)}"
        f" WHERE s_i_id = {chance.randint(1, ITEMS)} AND s_w_id = {warehouse}"
    )
    return writes


def _orders(chance: random.Random, step: int, warehouses: int, writes: int) -> list[str]:
    made: list[str] = []
    while len(made) < writes:
        made += _order(chance, 1_000_000 + 1_000 * step + len(made), warehouses)
    return made[:writes]


def _failure(chance: random.Random, step: int, warehouses: int) -> Work:
    return Work(
        _orders(chance, step, warehouses, 45),
        [
            "SELECT count(*) FROM ch.order_line WHERE ol_amount < 0",
            "SELECT count(*) FROM ch.order_line l LEFT ANTI JOIN ch.orders o"
            " ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id",
        ],
    )


def _search(chance: random.Random, step: int, warehouses: int) -> Work:
    first = chance.randint(1, ITEMS - 1_000)
    return Work(
        [
            f"UPDATE ch.stock SET s_quantity = s_quantity + 1 WHERE s_w_id = {chance.randint(1, warehouses)}"
            f" AND s_i_id BETWEEN {first} AND {first + chance.randint(100, 1_000)}"
        ],
        [
            "SELECT w.w_id, sum(l.ol_amount) AS revenue,"
            " count(DISTINCT CASE WHEN s.s_quantity < 15 THEN s.s_i_id END) AS low"
            " FROM ch.order_line l JOIN ch.stock s ON l.ol_i_id = s.s_i_id AND l.ol_supply_w_id = s.s_w_id"
            " JOIN ch.warehouse w ON s.s_w_id = w.w_id GROUP BY w.w_id ORDER BY revenue DESC LIMIT 10"
        ],
    )


def _simulation(chance: random.Random, step: int, warehouses: int) -> Work:
    return Work(
        _orders(chance, step, warehouses, 50),
        [
            "SELECT sum(CASE WHEN s_quantity <= 0 THEN 1 ELSE 0 END), avg(s_quantity) FROM ch.stock",
            "SELECT sum(ol_amount), count(*) FROM ch.order_line",
        ],
    )


SHAPES = (
    Shape("cleaning", workers=10, steps=20, root=10, inner=3, depth=3, make=_cleaning, across=2),
    Shape("software", workers=5, steps=20, root=5, inner=3, depth=4, make=_software, merged=0.1),
    Shape("failure", workers=2, steps=5, root=10, inner=1, depth=5, make=_failure, deeper=1.0),
    Shape("search", workers=10, steps=100, root=10, inner=10, depth=25, make=_search, deeper=0.9, dropped=0.1),
    Shape("simulation", workers=20, steps=50, root=1_000, inner=0, depth=1, make=_simulation, dropped=1.0),
)
