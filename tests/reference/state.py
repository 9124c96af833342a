"""The state of a branch head: its facts and its version vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.reference.facts import ABSENT, Earlier, Fact, Image, Key, Scope
from tests.reference.stamps import Stamp, Vector


class Column(NamedTuple):
    name: str
    type: int
    """Types are widths: each widens to the larger ones."""
    required: bool | None
    default: Any
    """What rows read that were written before the column was added."""

    def read(self, image: Image, column: str) -> Any:
        for c, cell in image:
            if c == column:
                return cell
        return self.default


BELONGS = {"row": ("partition", "id"), "column": ("column",)}
"""By first part of a key: the first parts of keys that say something about it."""


@dataclass
class State:
    """Facts by object and key. The facts of one object are shared between states until one changes them.

    `shows`: by table and file the rows that are deleted in it. `journal` is one for the catalog.
    Names of databases begin with D, names of tables with T.
    """

    known: Vector = field(default_factory=Vector)
    facts: dict[str, dict[Key, Fact]] = field(default_factory=dict)
    shows: dict[str, dict[int, frozenset[Any]]] = field(default_factory=dict)
    journal: list[Scope] = field(default_factory=list)
    inserted: int = 0
    """Rows inserted so far, for row ids."""
    own: set[str] = field(default_factory=set)
    """Objects whose facts no other state shares."""
    equals: dict[tuple[str, Key], frozenset[Earlier]] = field(default_factory=dict)
    """By row, facts that merges left for an equal one with a larger stamp: what is written later came after them."""

    def copy(self) -> State:
        self.own.clear()
        return State(
            self.known, dict(self.facts), dict(self.shows), self.journal, self.inserted, equals=dict(self.equals)
        )

    def fact(self, o: str, *key: Any) -> Fact:
        of = self.facts.get(o)
        return ABSENT if of is None else of.get(key, ABSENT)

    def value(self, o: str, *key: Any) -> Any:
        return self.fact(o, *key).value

    def put(
        self, o: str, key: Key, value: Any, stamp: Stamp, kind: str, brings: tuple[Stamp, str] | None = None
    ) -> None:
        self.put_fact(o, key, self.joined(o, *key).then(value, stamp, kind, brings))

    def joined(self, o: str, *key: Any) -> Fact:
        """The fact with all that a new one comes after."""
        fact = self.fact(o, *key)
        return fact.with_past(self.equals.get((o, key), ()))

    def leave_equal(self, o: str, key: Key, items: Iterable[Earlier]) -> None:
        self.equals[o, key] = self.equals.get((o, key), frozenset()).union(items)

    def put_fact(self, o: str, key: Key, fact: Fact) -> None:
        if o not in self.own:
            self.facts[o] = dict(self.facts.get(o, {}))
            self.own.add(o)
        self.facts[o][key] = fact

    def forget(self, o: str, key: Key) -> None:
        """The fact, and what belongs to the row or column, is absent again."""
        of = self.facts.get(o, {})
        gone = [k for k in of if k == key or (k[1:2] == key[1:2] and k[0] in BELONGS[key[0]])]
        if gone:
            self.facts[o] = {k: fact for k, fact in of.items() if k not in gone}
            self.own.add(o)

    def is_alive(self, o: str) -> bool:
        """A table is alive while it and its database are: the drop of a database is one fact (R4)."""
        home = self.value(o, "home")
        return bool(self.value(o, "exists")) and (home is None or self.is_alive(home))

    def is_keyed(self, t: str) -> bool:
        return bool(self.value(t, "keyed"))

    def has(self, o: str, key: Key) -> bool:
        """Whether that to which an attribute belongs is there; else the attribute says nothing (R7)."""
        if key[0] in ("partition", "id"):
            return self.value(o, "row", key[1]) is not None
        return key[0] != "column" or key[2] == "exists" or bool(self.value(o, "column", key[1], "exists"))

    def columns(self, t: str) -> dict[str, Column]:
        """The live columns by id."""
        of = self.facts[t]
        ids = [key[1] for key, fact in of.items() if key[0] == "column" and key[2] == "exists" and fact.value]
        return {c: self._column(t, c) for c in sorted(ids)}

    def _column(self, t: str, c: str) -> Column:
        name, of_type, required = (self.value(t, "column", c, of) for of in ("name", "type", "required"))
        return Column(name, of_type, required, self.value(t, "column", c, "exists")[0])

    def rows(self, t: str) -> dict[Any, Fact]:
        """The live rows."""
        return {key[1]: fact for key, fact in self.facts[t].items() if key[0] == "row" and fact.value is not None}

    def partition(self, t: str, r: Any) -> Any:
        return self.value(t, "partition", r)

    def in_scope(self, t: str, partition: str | None) -> list[Any]:
        return [r for r in self.rows(t) if partition is None or self.partition(t, r) == partition]

    def has_partition(self, t: str, partition: str) -> bool:
        """A partition is declared, or has rows (R15)."""
        return bool(self.value(t, "declared", partition) or self.in_scope(t, partition))

    def seen(self) -> dict[str, Any]:
        """What a reader sees, by object: attributes, columns, and rows as their live columns read."""
        return {o: self._seen(o, of) for o, of in self.facts.items() if self.is_alive(o)}

    def _seen(self, o: str, of: Mapping[Key, Fact]) -> tuple[Any, ...]:
        columns = self.columns(o)
        rows = {
            r: (self.partition(o, r), *(column.read(f.value, c) for c, column in columns.items()))
            for r, f in self.rows(o).items()
        }
        others = {
            key: f.value
            for key, f in of.items()
            if key[0] in ("name", "home", "property", "declared") and f.value is not None
        }
        return others, columns, rows
