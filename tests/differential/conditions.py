"""Conditions on values: every operator, with literals of the value's own type and of others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.differential.kinds import Array, Map, Scalar, is_ordered
from tests.differential.literals import literal
from tests.differential.shapes import Place

OPERATORS = ("=", "=", "<>", "<", "<=", ">", ">=", "<=>")
PATTERNS = ("'x%'", "'_'", "'%é'", "'%'")


def condition(random: Random, places: Sequence[Place], *, depth: int = 1) -> str:
    """A condition on one of the places, or two joined."""
    chance = random.random()
    if depth and chance < 0.2:
        first, second = (condition(random, places, depth=0) for _ in range(2))
        return f"({first} {random.choice(('AND', 'OR'))} {second})"
    if depth and chance < 0.3:
        return f"NOT ({condition(random, places, depth=0)})"
    return _test(random, random.choice(places))


def _test(random: Random, place: Place) -> str:
    name, kind = place.expression, place.kind
    if random.random() < 0.2:
        return f"{name} IS {random.choice(('NULL', 'NOT NULL'))}"
    if not is_ordered(kind):
        return f"size({name}) {random.choice(OPERATORS)} 1" if isinstance(kind, Array | Map) else f"{name} IS NULL"
    if isinstance(kind, Array) and random.random() < 0.5:
        return f"exists({name}, e -> e IS NULL)"
    if kind == Scalar("string") and place.flavour == "any" and random.random() < 0.2:
        return f"{name} LIKE {random.choice(PATTERNS)}"
    return _comparison(random, place)


def _comparison(random: Random, place: Place) -> str:
    def other() -> str:
        return literal(random, place.kind, flavour=place.flavour)

    match random.choice(("operator", "operator", "operator", "in", "between", "turned")):
        case "in":
            return f"{place.expression} IN ({', '.join(other() for _ in range(random.choice((1, 2, 3))))})"
        case "between":
            return f"{place.expression} BETWEEN {other()} AND {other()}"
        case "turned":
            return f"{other()} {random.choice(OPERATORS)} {place.expression}"
    return f"{place.expression} {random.choice(OPERATORS)} {other()}"
