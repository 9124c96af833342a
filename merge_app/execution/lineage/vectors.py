"""Version vectors of branches at versions, and which commits knew which others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.version_vectors import VersionVector, version_vector_load
from merge_app.lineage.segments import FileSide

_COMMITS = """
SELECT version, branch_id FROM catalog_app_commit WHERE version = ANY(%(versions)s) AND branch_id = ANY(%(branches)s)
"""


def branches_of(stamps: Collection[int], branches: Sequence[int]) -> dict[int, int]:
    """The branch of each commit. A number of two commits, of catalogs that were apart, is left out."""
    found: dict[int, int] = {}
    for version, branch in fetch_all(_COMMITS, {"versions": list(stamps), "branches": list(branches)}):
        found[version] = branch if version not in found else 0
    return found


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


@dataclass(slots=True)
class CommitsAsked:
    """Which commits of these branches knew which others. The branches of all that are expected are looked up with the
    first that is asked for.
    """

    branches: Sequence[int]
    _expected: set[int] = field(default_factory=set)
    _made: dict[int, int] = field(default_factory=dict)
    _vectors: Vectors = field(default_factory=Vectors)

    def expect(self, side: FileSide) -> None:
        """The commits that deleted rows of the side, and those that renamed the partition of these since."""
        deleted = [(file.placed, mark.stamp) for file in side.shown for mark in file.deletes]
        deleted += [(item.placed, item.stamp) for item in side.gone]
        for placed, stamp in deleted:
            if placed.version > stamp.version:
                self._expected |= {placed.version, stamp.version}

    def knew(self, stamp: int, other: int) -> bool:
        """A commit whose branch is not known knew all before it."""
        if asked := {*self._expected, stamp, other} - self._made.keys():
            self._made |= dict.fromkeys(asked, 0) | branches_of(asked, self.branches)
        made, made_other = self._made[stamp], self._made[other]
        return not (made and made_other) or self._vectors.knew((made, stamp), (made_other, other))
