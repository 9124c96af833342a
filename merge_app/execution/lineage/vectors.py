"""Version vectors of branches at versions, and which commits knew which others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.version_vectors import VersionVector, version_vector_load

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
    """Which commits of these branches knew which others. Each pair is looked up when it is asked for first."""

    branches: Sequence[int]
    _known: CommitsKnown = field(default_factory=lambda: CommitsKnown({}))
    _found: dict[tuple[int, int], bool] = field(default_factory=dict)

    def knew(self, stamp: int, other: int) -> bool:
        """A commit whose branch is not known knew all before it."""
        pair = stamp, other
        if pair not in self._found:
            made = branches_of(pair, self.branches)
            self._known.made = {**self._known.made, **made}
            self._found[pair] = not all(made.get(each) for each in pair) or self._known.knew(*pair)
        return self._found[pair]
