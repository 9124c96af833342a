"""Which commits a head reaches, without walking them (semantics P6).

The commits of one branch are a line, so all that a head reaches on a branch is said by one number: the newest
version. The look-up chain gives those of the ancestors, ``BranchReach`` those that merges added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot

Reach = Mapping[int, int]
"""Branch id → newest reached version."""

_MERGED = f"""
WITH {SNAPSHOT}
SELECT r.reached_branch_id, max(r.reached_version)
FROM snapshot l JOIN catalog_app_branchreach r ON r.branch_id = l.branch_id AND r.at_version <= l.max_version
GROUP BY r.reached_branch_id
"""


def chain_reach(snapshot: Snapshot) -> dict[int, int]:
    """What a head reaches on its look-up chain alone, without what merges brought."""
    return dict(zip(snapshot.branch_ids, snapshot.limits, strict=True))


def reach_load(snapshot: Snapshot) -> dict[int, int]:
    """What the head at the front of the chain reaches."""
    reach = chain_reach(snapshot)
    for branch_id, version in fetch_all(_MERGED, snapshot.parameters, prepared=True):
        reach[branch_id] = max(version, reach.get(branch_id, 0))
    return reach


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits of one branch with ``after < version <= upto``."""

    branch_id: int
    after: int
    upto: int


def own_ranges(snapshot: Snapshot, other: Reach) -> tuple[CommitRange, ...]:
    """The commits on the chain that the other head does not reach.

    Commits that came in by merges are not on the chain: the merge commits that are list what they did.
    """
    return tuple(
        CommitRange(branch_id, other.get(branch_id, 0), limit)
        for branch_id, limit in zip(snapshot.branch_ids, snapshot.limits, strict=True)
        if limit > other.get(branch_id, 0)
    )


def bounded(reach: Reach, floors: Reach) -> Reach:
    """The reach for objects of one home: what branches of other catalogs have up to their join counts as known."""
    return (
        {**reach, **{branch: max(floor, reach.get(branch, 0)) for branch, floor in floors.items()}} if floors else reach
    )


def merge_base_version(first: Reach, second: Reach) -> int:
    """The newest version that both heads reach: what people call the merge base. 0 when there is none."""
    return max((min(version, second[branch]) for branch, version in first.items() if branch in second), default=0)


_MERGES_SINCE = f"""
WITH {SNAPSHOT}
SELECT c.version FROM snapshot l JOIN catalog_app_commit c
  ON c.branch_id = l.branch_id AND c.version > %(since)s AND c.version <= l.max_version
WHERE c.merge_parent_id IS NOT NULL
ORDER BY c.version
"""


def merges_since(snapshot: Snapshot, version: int) -> tuple[int, ...]:
    """The versions of the merges on the chain after one, oldest first."""
    return tuple(merged for (merged,) in fetch_all(_MERGES_SINCE, {**snapshot.parameters, "since": version}))
