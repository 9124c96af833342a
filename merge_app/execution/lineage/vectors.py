"""Version vectors of branches at versions, and which commits knew which others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.version_vectors import VersionVector, version_vector_load
from merge_app.lineage.segments import FileSide

_COMMITS = """
SELECT version, branch_id FROM catalog_app_commit WHERE version = ANY(%(versions)s) AND branch_id = ANY(%(branches)s)
"""


class Vectors:
    """Version vectors of branches at versions, each looked up once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], VersionVector] = {}
        self._chains: dict[int, Snapshot] = {}

    def at(self, branch_id: int, version: int) -> VersionVector:
        key = branch_id, version
        if key not in self._known:
            if branch_id not in self._chains:
                self._chains[branch_id] = branch_snapshot(Branch.objects.get(pk=branch_id))
            self._known[key] = version_vector_load(self._chains[branch_id].at(version))
        return self._known[key]

    def knew(self, commit: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether one commit, given by branch and version, knew another one."""
        if commit[0] == other[0]:
            return other[1] < commit[1]
        return self.at(*commit).get(other[0], 0) >= other[1]


@dataclass(slots=True)
class CommitsKnown:
    """Which commits knew which others. ``made``: by version the branch."""

    made: Mapping[int, int]
    vectors: Vectors = field(default_factory=Vectors)
    _maxima: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def maxima(self, stamps: tuple[int, ...]) -> tuple[int, ...]:
        """Of stamps, ascending: those that no other one knew, the newest first."""
        if stamps not in self._maxima:
            newest: list[int] = []
            for stamp in reversed(stamps):
                if not any(self.knew(other, stamp) for other in newest):
                    newest.append(stamp)
            self._maxima[stamps] = tuple(newest)
        return self._maxima[stamps]

    def knew(self, stamp: int, other: int) -> bool:
        return self.vectors.knew((self.made[stamp], stamp), (self.made[other], other))


@dataclass(slots=True, eq=False)
class CommitsReached:
    """The commits that either side of a merge reaches. The branch of each, and each version vector, is looked up once.
    ``source``, ``target``: what the sides reach, for tables of one home; ``floors``: see ``Homes.floors``.
    """

    source: VersionVector = field(default_factory=dict)
    target: VersionVector = field(default_factory=dict)
    floors: VersionVector = field(default_factory=dict)
    vectors: Vectors = field(default_factory=Vectors)
    branches: AbstractSet[int] = field(init=False)
    _expected: set[int] = field(default_factory=set)
    _on: dict[int, set[int]] = field(default_factory=dict)
    """By version the branches that have a commit of it: several, of catalogs that were apart."""

    def __post_init__(self) -> None:
        self.branches = self.source.keys() | self.target.keys()

    @property
    def shared(self) -> VersionVector:
        """What both sides reach."""
        return {branch: min(upto, self.target[branch]) for branch, upto in self.source.items() if branch in self.target}

    def expect(self, side: FileSide) -> None:
        """The commits that deleted rows of the side, and those that renamed the partition of these since, are looked up
        with the first that is asked for.
        """
        deleted = [(file.placed, mark.stamp) for file in side.shown for mark in file.deletes]
        deleted += [(item.placed, item.stamp) for item in side.gone]
        for placed, stamp in deleted:
            if placed.version > stamp.version:
                self._expected |= {placed.version, stamp.version}

    def known(self, stamps: Collection[int], branches: Collection[int]) -> CommitsKnown:
        """Those of the stamps that one commit alone of these branches has."""
        if asked := {*self._expected, *stamps} - self._on.keys():
            self._on |= {stamp: set() for stamp in asked}
            for version, branch in fetch_all(_COMMITS, {"versions": list(asked), "branches": list(self.branches)}):
                self._on[version].add(branch)
        found = {stamp: self._on[stamp].intersection(branches) for stamp in stamps}
        return CommitsKnown({stamp: on.pop() for stamp, on in found.items() if len(on) == 1}, self.vectors)

    def knew(self, stamp: int, other: int) -> bool:
        """A commit whose branch is not known knew all before it."""
        if not self.branches:
            return True
        known = self.known((stamp, other), self.branches)
        return len(known.made) < len({stamp, other}) or known.knew(stamp, other)
