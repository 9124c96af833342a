"""One column, one id: the ids of added columns are allocated by the catalog (R13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.reference.state import State


class ColumnIds:
    """The same addition on two branches gets one id. The same: table, name, family of types, value of older rows.

    An id is never given to a snapshot that has a fact of it: add, drop and add again are two columns. An id that any
    branch dropped or renamed is retired: no one gets it again.
    """

    def __init__(self, heads: Callable[[], Iterable[State]]) -> None:
        self._heads = heads
        self._latest: dict[tuple[Any, ...], int] = {}

    def allocate(self, state: State, t: str, name: str, default: Any) -> str:
        """In the model all types are of one family."""
        of = (t, name, default)
        number = self._latest.get(of, 0)
        c = self._id(name, default, number)
        has_fact = state.fact(t, "column", c, "exists").stamp.version
        if not number or has_fact or any(self._is_retired(head, t, c, name) for head in self._heads()):
            self._latest[of] = number + 1
        return self._id(name, default, self._latest[of])

    def _id(self, name: str, default: Any, number: int) -> str:
        return f"{name}{'-' if default else ''}{number}"

    def _is_retired(self, head: State, t: str, c: str, name: str) -> bool:
        exists = head.fact(t, "column", c, "exists")
        return bool(exists.stamp.version) and (not exists.value or head.value(t, "column", c, "name") != name)
