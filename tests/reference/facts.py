"""Facts: a value and the stamp of the commit that decided it (§1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tests.reference.stamps import NEVER, Stamp, Vector

Key = tuple[Any, ...]
"""("exists",) ("name",) ("home",) ("keyed",) ("property", p) ("column", c, attribute) ("row", r) ("partition", r)
("id", r) ("declared", partition)."""

Image = tuple[tuple[str, Any], ...]
"""Cells of a row by column id."""


class Refused(Exception):
    """A statement or merge that is refused. `codes` are all its verdicts."""

    def __init__(self, *codes: str) -> None:
        self.codes = tuple(sorted(codes))
        super().__init__(*self.codes)


class Earlier(NamedTuple):
    """What a fact was. `after`: the stamps of all that it was before that."""

    stamp: Stamp
    value: Any
    after: frozenset[Stamp] = frozenset()


@dataclass(frozen=True, slots=True)
class Fact:
    """`value` None is absent, dropped or deleted. Facts of one key with one stamp are equal in every field (R1).

    `brings` is stamp and kind of the fact that a restored fact brings back (§4b). `past` is what it was, oldest first.
    """

    value: Any = None
    stamp: Stamp = NEVER
    kind: str = "never"
    """insert, update, delete, overwrite, restore, move (of a renamed partition), set."""
    brings: tuple[Stamp, str] | None = None
    past: tuple[Earlier, ...] = ()

    def then(self, value: Any, stamp: Stamp, kind: str, brings: tuple[Stamp, str] | None = None) -> Fact:
        past = self.past if self.stamp == stamp else (*self.past, self._earlier())
        return Fact(value, stamp, kind, brings, past)

    def _earlier(self) -> Earlier:
        return Earlier(self.stamp, self.value, frozenset(item.stamp for item in self.past))

    def with_past(self, items: Iterable[Earlier]) -> Fact:
        """The same fact, that came after these too."""
        return replace(self, past=tuple(sorted({*self.past, *items}, key=lambda item: item.stamp)))

    @property
    def ever(self) -> frozenset[Earlier]:
        """What the fact is and was."""
        return frozenset((*self.past, self._earlier()))

    def decided(self, loser: Fact, value: Any, stamp: Stamp, kind: str | None = None) -> Fact:
        """What a merge decides: it has both pasts. Unless said, it is of the winner's kind."""
        past = {*self.past, *loser.past, self._earlier(), loser._earlier()}
        return Fact(value, stamp, kind or self.kind, None, tuple(sorted(past, key=lambda item: item.stamp)))

    def newest_for(self, other: Vector) -> list[Earlier]:
        """Of what the fact was and `other` knows, all that came after no other: branches that merged each other may
        have decided otherwise.
        """
        known = [item for item in self.past if other.knows(item.stamp)]
        older = frozenset[Stamp]().union(*(item.after for item in known))
        return [item for item in known if item.stamp not in older]

    def kind_for(self, other: Vector) -> str:
        """A restored fact speaks for the change that it restored, where `other` does not know that one (§4b)."""
        return self.brings[1] if self.brings and not other.knows(self.brings[0]) else self.kind

    def stamp_for(self, other: Vector) -> Stamp:
        """The stamp, or if `other` finds the fact unchanged the one that it knows (P7)."""
        if other.knows(self.stamp) or not self.is_unchanged_for(other):
            return self.stamp
        return max(item.stamp for item in self.past if other.knows(item.stamp))

    def is_unchanged_for(self, other: Vector) -> bool:
        """P7: the value is what it was at the newest of its own changes that `other` knows; at all, if several.

        What an overwrite wrote is a change, also where it wrote the row as it was.
        """
        if self.kind_for(other) == "overwrite" and self.value is not None:
            return False
        newest = self.newest_for(other)
        return bool(newest) and all(item.value == self.value for item in newest)


ABSENT = Fact()


class RowId(NamedTuple):
    """A row id lies in the range of the file that the row was first written to: one per commit and partition."""

    inserted: int
    file: str
    number: int


class Scope(NamedTuple):
    """What an operation says of rows that it never saw, or of past commits (§4). The journal keeps it with its commit.

    Updates and deletes are scopes that are judged and never applied (R9).
    """

    stamp: Stamp
    table: str
    kind: str
    """overwrite, drop partition, rename partition, restore, update, delete."""
    knows: Vector
    partition: str | None = None
    """None is the whole table."""
    to: str | None = None
    then: Vector | None = None
    """Of a restore: what the version restored to knew."""

    def takes_back(self, other: Scope) -> bool:
        """§4a: known at the restore, unknown at the version restored to."""
        return self.then is not None and self.knows.knows(other.stamp) and not self.then.knows(other.stamp)
