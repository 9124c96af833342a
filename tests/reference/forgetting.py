"""Retention: which facts may be forgotten (§10)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.facts import Key
from tests.reference.state import State


def dead_facts(readable: Sequence[State]) -> list[tuple[str, Key]]:
    """Facts of rows and columns that every readable state shows as gone and whose stamps all of them know.

    Absent says the same then. Dropped objects stay: they lie in the trash, which is readable.
    """
    keys = {(o, key): None for state in readable for o, of in state.facts.items() for key in of if _is_of_parts(key)}
    return [(o, key) for o, key in keys if _is_dead(readable, o, key)]


def _is_of_parts(key: Key) -> bool:
    return bool(key[0] == "row" or (key[0] == "column" and key[2] == "exists"))


def _is_dead(readable: Sequence[State], o: str, key: Key) -> bool:
    facts = [state.fact(o, *key) for state in readable]
    stamps = {fact.stamp for fact in facts}
    return all(fact.value is None for fact in facts) and all(
        state.known.knows(stamp) for state in readable for stamp in stamps
    )
