"""How far branches are apart: commits that one head reaches and the other does not (semantics P6), but for those that
decided nothing (lineage §2).

The commits of a branch are a line, so a head reaches a prefix of each line, and what merges brought is known row by
row (``BranchReach``). The difference of two heads is counted line by line. On each line of the one's look-up chain,
what lies behind the point that the other reaches, with what the merges there brought first. Of that, what the other
reaches by its own lines is taken off again. So the work grows with the merges of the lines concerned, once for all
pairs, and not with the commits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot


@dataclass(frozen=True, slots=True)
class Divergence:
    """Commits that only the one head reaches, and those that only the other does."""

    ahead: int
    behind: int


Point = tuple[int, int]
"""A branch and a version on its line; its rank is how many commits the line has up to there."""


_Stretch = tuple[int, int, int]
"""A line, and the versions behind the first of which and up to the second of which it is looked at."""


@dataclass(frozen=True, slots=True)
class _Brought:
    """From version ``at`` of a line on, a branch is reached up to ``upto``. That is ``commits`` further than merges on
    the line had brought it. Those up to ``known`` were reached through the line's ancestors.
    """

    at: int
    branch_id: int
    upto: int
    known: int
    commits: int


@dataclass(frozen=True, slots=True)
class _Merges:
    """What merges brought to the lines, in order. ``by_branch`` finds the rows of one line on one branch."""

    by_line: dict[int, list[_Brought]] = field(default_factory=lambda: defaultdict(list))
    by_branch: dict[Point, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def upto(self, line: int, version: int, branch_id: int) -> int:
        """How far merges on the line up to ``version`` reach the branch."""
        rows = self.by_branch.get((line, branch_id), ())
        place = bisect_right(rows, version, key=lambda row: row[0])
        return rows[place - 1][1] if place else 0

    def between(self, line: int, after: int, upto: int) -> list[_Brought]:
        rows = self.by_line.get(line, [])
        return rows[bisect_right(rows, after, key=_at) : bisect_right(rows, upto, key=_at)]

    def count(self, line: int, after: int, upto: int) -> int:
        rows = self.by_line.get(line, [])
        return bisect_right(rows, upto, key=_at) - bisect_right(rows, after, key=_at)


def _at(row: _Brought) -> int:
    return row.at


@dataclass(frozen=True, slots=True)
class _Difference:
    """What one head has more: stretches of its lines with what merges brought there, less plain overlaps."""

    stretches: tuple[_Stretch, ...]
    overlaps: tuple[_Stretch, ...]


def divergences_load(pairs: Iterable[tuple[Branch, Branch]]) -> dict[tuple[int, int], Divergence]:
    """By (branch id, other branch id): how far their heads are apart. Two queries, however many pairs."""
    given = list(pairs)
    chains = {branch.pk: branch_snapshot(branch) for pair in given for branch in pair}
    wanted = list(dict.fromkeys((one.pk, other.pk) for one, other in given))
    if not wanted:
        return {}
    merges = _merges_load(chains.values())
    both = {*wanted, *((other, one) for one, other in wanted)}
    found = {pair: _difference(chains[pair[0]], chains[pair[1]], merges) for pair in both}
    counts = _counted(found, merges)
    return {pair: Divergence(counts[pair], counts[pair[1], pair[0]]) for pair in wanted}


_BROUGHT = """
SELECT r.branch_id, r.at_version, r.reached_branch_id, r.reached_version, (
    SELECT count(*) FROM catalog_app_commit c
    WHERE c.branch_id = r.reached_branch_id AND c.version > r.known AND c.version <= r.reached_version AND c.decides)
FROM (
    SELECT *, coalesce(lag(reached_version) OVER (
        PARTITION BY branch_id, reached_branch_id ORDER BY at_version), 0) AS known
    FROM catalog_app_branchreach WHERE branch_id = ANY(%(lines)s)
) r
ORDER BY r.branch_id, r.at_version
"""


def _merges_load(chains: Iterable[Snapshot]) -> _Merges:
    merges = _Merges()
    below = _below(chains)
    rows = fetch_all(_BROUGHT, {"lines": list(below)})
    for line, at, branch_id, upto, _ in rows:
        merges.by_branch[line, branch_id].append((at, upto))
    for line, at, branch_id, upto, commits in rows:
        known = 0 if merges.upto(line, at - 1, branch_id) else _version_vector(below[line], branch_id, merges)
        if upto > known:
            merges.by_line[line].append(_Brought(at, branch_id, upto, known, commits))
    return merges


def _below(chains: Iterable[Snapshot]) -> dict[int, Snapshot]:
    """By line, the chain of its ancestors, seen from where most of the line counts: lower cuts hide ancestors."""
    best: dict[int, tuple[int, Snapshot]] = {}
    for chain in chains:
        for place, (line, upto) in enumerate(_levels(chain), 1):
            if line not in best or upto > best[line][0]:
                best[line] = upto, Snapshot(chain.branch_ids[place:], chain.limits[place:])
    return {line: chain for line, (_, chain) in best.items()}


def _levels(chain: Snapshot) -> Iterator[Point]:
    return zip(chain.branch_ids, chain.limits, strict=True)


def _version_vector(chain: Snapshot, branch_id: int, merges: _Merges) -> int:
    """The newest version of the branch that the chain reaches, 0 if none."""
    return max(
        (max(upto if line == branch_id else 0, merges.upto(line, upto, branch_id)) for line, upto in _levels(chain)),
        default=0,
    )


def _difference(own: Snapshot, other: Snapshot, merges: _Merges) -> _Difference:
    shared = Snapshot(
        own.branch_ids, tuple(min(upto, _version_vector(other, line, merges)) for line, upto in _levels(own))
    )
    stretches = tuple(
        (line, after, upto) for (line, upto), after in zip(_levels(own), shared.limits, strict=True) if after < upto
    )
    overlaps = []
    for branch_id in _fewer_candidates(stretches, shared, other, merges):
        after = _version_vector(shared, branch_id, merges)
        upto = min(_version_vector(own, branch_id, merges), _version_vector(other, branch_id, merges))
        if after < upto:
            overlaps.append((branch_id, after, upto))
    return _Difference(stretches, tuple(overlaps))


def _fewer_candidates(stretches: Sequence[_Stretch], shared: Snapshot, other: Snapshot, merges: _Merges) -> set[int]:
    """Branches of which both heads may reach more than what is shared: those of the side that has fewer."""
    of_other = [
        (line, after, upto)
        for line, upto in _levels(other)
        if (after := min(upto, _version_vector(shared, line, merges))) < upto
    ]
    return _touched(min((stretches, of_other), key=lambda side: sum(merges.count(*item) for item in side)), merges)


def _touched(stretches: Iterable[_Stretch], merges: _Merges) -> set[int]:
    found: set[int] = set()
    for line, after, upto in stretches:
        found.add(line)
        found.update(row.branch_id for row in merges.between(line, after, upto))
    return found


def _counted(found: dict[tuple[int, int], _Difference], merges: _Merges) -> dict[tuple[int, int], int]:
    ranges = [item for difference in found.values() for item in (*difference.stretches, *difference.overlaps)]
    first: dict[int, int] = {}
    for difference in found.values():
        for line, after, _ in difference.stretches:
            first[line] = min(after, first.get(line, after))
    brought = {line: [row for row in merges.by_line.get(line, []) if row.at > after] for line, after in first.items()}
    points = {(branch_id, version) for branch_id, *ends in ranges for version in ends}
    points |= {(row.branch_id, end) for rows in brought.values() for row in rows if row.known for end in (0, row.known)}
    ranks = _ranks(points)
    gained = {
        line: list(accumulate((_gained(row, ranks) for row in rows), initial=0)) for line, rows in brought.items()
    }

    def stretch(line: int, after: int, upto: int) -> int:
        rows, sums = brought[line], gained[line]
        merged = sums[bisect_right(rows, upto, key=_at)] - sums[bisect_right(rows, after, key=_at)]
        return ranks[line, upto] - ranks[line, after] + merged

    return {
        pair: sum(stretch(*item) for item in difference.stretches)
        - sum(ranks[branch_id, upto] - ranks[branch_id, after] for branch_id, after, upto in difference.overlaps)
        for pair, difference in found.items()
    }


def _gained(row: _Brought, ranks: Mapping[Point, int]) -> int:
    if not row.known:
        return row.commits
    return row.commits - ranks[row.branch_id, row.known] + ranks[row.branch_id, 0]


_RANGES = """
SELECT (SELECT count(*) FROM catalog_app_commit c
        WHERE c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto AND c.decides)
FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[])
    WITH ORDINALITY AS r(branch_id, after, upto, place)
ORDER BY r.place
"""


def _ranks(points: Iterable[Point]) -> dict[Point, int]:
    """The rank of each point, counted from the first of its line: only differences matter.

    What lies between two neighbours is counted once, so the work is bounded by the commits of the lines.
    """
    ordered = sorted(points)
    ranges = [(one, other) for one, other in pairwise(ordered) if one[0] == other[0]]
    parameters = {
        "branches": [one[0] for one, _ in ranges],
        "after": [one[1] for one, _ in ranges],
        "upto": [other[1] for _, other in ranges],
    }
    counts = fetch_all(_RANGES, parameters)
    ranks = dict.fromkeys(ordered, 0)
    for (one, other), (count,) in zip(ranges, counts, strict=True):
        ranks[other] = ranks[one] + count
    return ranks
