"""Subqueries as people write them: as values, in conditions, and over common tables in front of a statement."""

from __future__ import annotations

from random import Random

from tests.differential.conditions import condition
from tests.differential.kinds import Scalar
from tests.differential.shapes import Shape

COMMON = "w"


def value_of(random: Random, shape: Shape, other: Shape, name: str, own: str, source: str = "") -> str | None:
    """The largest value that another table has in the column; perhaps of the rows with the key of ``own``. None where
    its values have no order. ``source``: a common table with the columns of the other.
    """
    if not isinstance(shape.kind(name), Scalar):
        return None
    where = f" WHERE q.k = {own}.k" if random.random() < 0.6 else ""
    return f"(SELECT max(q.{name}) FROM {source or other.table} AS q{where})"


def condition_of(random: Random, other: Shape, source: str = "") -> str:
    """A condition on the key of ``t`` by the rows of another table."""
    table = source or other.table
    where = condition(random, other.values("q"), depth=0)
    match random.choice(("in", "exists", "largest", "plain")):
        case "in":
            found = f"t.k IN (SELECT q.k FROM {table} AS q WHERE {where})"
        case "exists":
            found = f"EXISTS (SELECT 1 FROM {table} AS q WHERE q.k = t.k AND {where})"
        case "plain":
            plain = [f"t.k IN (SELECT k FROM {table})", f"EXISTS (SELECT * FROM {table} AS q WHERE q.k = t.k)"]
            found = random.choice(plain)
        case _:
            found = f"t.k {random.choice(('<', '>=', '='))} (SELECT max(q.k) FROM {table} AS q)"
    beside = random.choice(("AND t.k = 3", "AND t.k < 4", "OR t.k < 4"))
    return f"{found} {beside}" if random.random() < 0.3 else found


def common_table(random: Random, other: Shape) -> str:
    """A common table of some rows of the other table."""
    return f"{COMMON} AS (SELECT * FROM {other.table} AS o WHERE {condition(random, other.values('o'), depth=0)})"
