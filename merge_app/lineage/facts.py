"""What the merge by lineage is given: facts of both sides, what each side knows, and scopes.

A stamp is the version of the commit that decided a fact; 0: there is none, which everyone knows. Rows are columns of
numpy arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from lakeui.common.records import record

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]

ABSENT = -1
"""The value of a row that is deleted, and of a partition that is absent."""

ObjectId = Hashable
Key = tuple[Hashable, ...]
"""An attribute: ("exists",) ("name",) ("home",) ("comment",) ("property", name) ("column", id, attribute)."""
Vector = Mapping[Any, int]
"""A version vector: by branch the newest version that is known."""


def image_codes(files: Array | int, positions: Array) -> Array:
    """Images by file and position."""
    found: Array = (files << 32) + positions
    return found


def image_places(codes: Array) -> tuple[Array, Array]:
    """Files and positions of images."""
    return codes >> 32, codes & ((1 << 32) - 1)


class Kind(IntEnum):
    """The last change of a fact."""

    NEVER = 0
    INSERT = 1
    UPDATE = 2
    DELETE = 3
    OVERWRITE = 4
    RESTORE = 5
    MOVE = 6
    SET = 7


class Granularity(StrEnum):
    """``merge.conflicts``: what it means that both sides touched a thing (lineage §5)."""

    FILE = "file"
    ROW = "row"
    CELL = "cell"


@dataclass(frozen=True, slots=True, eq=False)
class News:
    """Commits that one side reaches and the other does not: two sorted arrays of versions without repetition."""

    of_source: Ints
    of_target: Ints

    def from_source(self, stamps: Array) -> Mask:
        """Where a stamp of a fact of the source is unknown to the target."""
        return _among(stamps, self.of_source)

    def from_target(self, stamps: Array) -> Mask:
        """Where a stamp of a fact of the target is unknown to the source."""
        return _among(stamps, self.of_target)


def _among(stamps: Array, news: Ints) -> Mask:
    if not len(news) or not len(stamps):
        return np.zeros(len(stamps), dtype=np.bool_)
    if len(news) == 1:
        return np.asarray(stamps == news[0], dtype=np.bool_)
    at = np.searchsorted(news, stamps)
    at[at == len(news)] = 0
    return np.asarray(news[at] == stamps, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class FactColumns:
    """One fact of each row of a table on one side.

    ``value``: the image of the row or the code of its partition; equal codes mean equal values, ``ABSENT`` none.
    ``brings_stamp`` and ``brings_kind``: of a restored fact, the fact that it set again; 0: none.
    ``was`` and ``was_stamp``: value and stamp of the newest entry of the fact's past that the other side knows;
    ``was_known``: whether there is one. They are read only where the stamp is news to the other side.
    """

    stamp: Array
    kind: Array
    value: Array
    brings_stamp: Array
    brings_kind: Array
    was: Array
    was_stamp: Array
    was_known: Array

    def __len__(self) -> int:
        return len(self.stamp)

    def take(self, at: Array) -> FactColumns:
        """The facts at these positions, none of which is negative."""
        return FactColumns(
            self.stamp[at],
            self.kind[at],
            self.value[at],
            self.brings_stamp[at],
            self.brings_kind[at],
            self.was[at],
            self.was_stamp[at],
            self.was_known[at],
        )

    @property
    def is_nothing(self) -> Mask:
        """P7: the value is again what it was at the newest of its changes that the other side knows.

        What an overwrite wrote is a change, also where it wrote the row as it was.
        """
        return self.is_nothing_by(self.kind)

    def is_nothing_by(self, kinds: Array) -> Mask:
        """The same by the kinds for which restored facts speak (§4b)."""
        return np.asarray(self.was_known & (self.was == self.value) & ~self.is_rewritten_by(kinds), dtype=np.bool_)

    def stamps_for(self, are_news: Mask, kinds: Array) -> Ints:
        """The stamps; of facts that are news and changed nothing, those that the other side knows (P7)."""
        return np.where(are_news & self.is_nothing_by(kinds), self.was_stamp, self.stamp)

    def is_rewritten_by(self, kinds: Array) -> Mask:
        """Where an overwrite wrote the row, by these kinds."""
        return np.asarray((kinds == Kind.OVERWRITE) & (self.value != ABSENT), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class RowFacts:
    """The rows of one table on one side, sorted by row id, each id once. A row that the side has no fact of is missing.

    Rows whose facts are equal on both sides may be left out of both. ``range_id``: the range of row ids, that is the
    file that the row was first written to (R8). ``inserted``: the commit that inserted the row (R9). In a table with a
    primary key a code of the key takes the place of the row id (R10).
    """

    row_id: Ints
    image: FactColumns
    partition: FactColumns
    range_id: Array
    inserted: Array

    def __len__(self) -> int:
        return len(self.row_id)


class ScopeKind(StrEnum):
    OVERWRITE = "overwrite"
    DROP_PARTITION = "drop partition"
    RENAME_PARTITION = "rename partition"
    RESTORE = "restore"
    DECISION = "decision"
    UPDATE = "update"
    DELETE = "delete"
    NOT_MATCHED = "not matched"


PREDICATES = frozenset({ScopeKind.UPDATE, ScopeKind.DELETE, ScopeKind.NOT_MATCHED})
"""Judged, never carried out (R9)."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an operation said of rows that it never saw, a restore of past commits, or a person of what a merge brings.

    ``knows``: what the branch knew before the commit ``stamp`` on ``branch``. ``partition``: None is the whole table.
    ``to``: where a rename moves to. ``then``: of a restore, what the restored version knew. Of a decision, ``knows``
    is what both had, and ``then`` what the side knew that was taken. ``writes``: whether an overwrite wrote rows.
    """

    stamp: int
    branch: Hashable
    kind: ScopeKind
    knows: Vector
    partition: int | None = None
    to: int | None = None
    then: Vector | None = None
    writes: bool = False

    def takes_back(self, other: Scope) -> bool:
        """§4a: the restore's branch knew the other commit, the restored version did not. A decision leaves predicates
        to be judged (R9).
        """
        if self.then is None or (self.kind is ScopeKind.DECISION and not self._may_leave_out(other)):
            return False
        return _knows(self.knows, other) and not _knows(self.then, other)

    def _may_leave_out(self, other: Scope) -> bool:
        is_of_part = self.partition is None or self.partition in (other.partition, other.to)
        return is_of_part and other.kind not in PREDICATES

    def saw(self, other: Scope) -> bool:
        return _knows(self.knows, other)


def _knows(vector: Vector, scope: Scope) -> bool:
    return scope.stamp <= vector.get(scope.branch, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Commits:
    """Commits by version, ascending, each with the branch that it was made on."""

    version: Ints
    branch: Array

    def unknown_to(self, knows: Vector, stamps: Array) -> Mask:
        """Where a stamp is that of one of these commits, and the vector does not know it."""
        branches, of_branch = np.unique(self.branch, return_inverse=True)
        newest = np.array([knows.get(branch, 0) for branch in branches.tolist()], dtype=np.int64)
        return _among(stamps, self.version[self.version > newest[of_branch]])


NO_COMMITS = Commits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@record(frozen=True, slots=True)
class Aliveness:
    """Whether a table and its database exist: on the source, on the target, in the result."""

    source: bool = True
    target: bool = True
    result: bool = True

    @property
    def is_judged(self) -> bool:
        """Nothing is judged below a drop: what is concurrent there is decided for the source (R4). A table that the
        target moved out of a database, which the source drops, stays, with what the source did to it before.
        """
        return self.target and (self.source or self.result)


_EVERYWHERE = Aliveness()


@dataclass(frozen=True, slots=True, eq=False)
class TableFacts:
    """What the merge of one table is given.

    Scopes are in the order of their commits and, within one, of its statements. Those that are no news are passed
    over. ``overwritten``: versions of the commits that overwrote the table or a partition, on whatever branch (R9).
    ``since_scopes``: commits that the source knows, among them all that some scope of the source did not know (§4).
    """

    source: RowFacts
    target: RowFacts
    alive: Aliveness = _EVERYWHERE
    granularity: Granularity = Granularity.FILE
    has_key: bool = False
    source_scopes: Sequence[Scope] = ()
    target_scopes: Sequence[Scope] = ()
    overwritten: AbstractSet[int] = frozenset()
    since_scopes: Commits = NO_COMMITS


@record(frozen=True, slots=True)
class Fact:
    """An attribute of an object. ``past``: of a fact that is news, the newest facts before it that the other side
    knows, as pairs of stamp and value, oldest first. There are several where none knew the others.
    """

    value: Any = None
    stamp: int = 0
    kind: Kind = Kind.NEVER
    past: tuple[tuple[int, Any], ...] = field(default=())


NO_FACT = Fact()


def column_of(key: Key) -> int:
    """The id of the column to which an attribute of a stored column belongs."""
    column = key[1]
    assert isinstance(column, int)
    return column


Facts = Mapping[ObjectId, Mapping[Key, Fact]]
"""By object its attributes. A caller gives each object with news, its database, and each that may have its name."""
