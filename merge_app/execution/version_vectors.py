"""Which commits a head reaches, without walking them (semantics P6).

The commits of one branch are a line, so all that a head reaches on a branch is said by one number: the newest
version. The look-up chain gives those of the ancestors, ``BranchReach`` those that merges added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot

VersionVector = Mapping[int, int]
"""Branch id → newest reached version."""

NOTHING: VersionVector = MappingProxyType({})

_MERGED = """
SELECT l.place, r.reached_branch_id, max(r.reached_version)
FROM unnest(%(places)s::bigint[], %(branches)s::bigint[], %(limits)s::bigint[]) AS l(place, branch_id, max_version)
JOIN catalog_app_branchreach r ON r.branch_id = l.branch_id AND r.at_version <= l.max_version
GROUP BY l.place, r.reached_branch_id
"""


def reach_parameters(name: str, version_vector: VersionVector) -> dict[str, list[int]]:
    """What is reached, as the parameters ``name`` (branches) and ``name_upto`` (versions) of a query."""
    return {name: list(version_vector.keys()), f"{name}_upto": list(version_vector.values())}


def chain_version_vector(snapshot: Snapshot) -> dict[int, int]:
    """What a head reaches on its look-up chain alone, without what merges brought."""
    return dict(zip(snapshot.branch_ids, snapshot.limits, strict=True))


def has_merged(snapshot: Snapshot, version_vector: VersionVector) -> bool:
    """Whether merges brought the head commits that its look-up chain lacks, of its parent too."""
    own = chain_version_vector(snapshot)
    return any(upto > own.get(branch_id, 0) for branch_id, upto in version_vector.items())


def version_vector_load(snapshot: Snapshot) -> dict[int, int]:
    """What the head at the front of the chain reaches."""
    return version_vectors_load(snapshot)[0]


def version_vectors_load(*snapshots: Snapshot) -> list[dict[int, int]]:
    """What the heads at the fronts of these chains reach, in one query."""
    version_vectors = [chain_version_vector(snapshot) for snapshot in snapshots]
    for place, branch_id, version in fetch_all(_MERGED, _places(snapshots), prepared=True):
        version_vectors[place][branch_id] = max(version, version_vectors[place].get(branch_id, 0))
    return version_vectors


def _places(snapshots: Sequence[Snapshot]) -> dict[str, list[int]]:
    return {
        "places": [place for place, snapshot in enumerate(snapshots) for _ in snapshot.branch_ids],
        "branches": [branch for snapshot in snapshots for branch in snapshot.branch_ids],
        "limits": [limit for snapshot in snapshots for limit in snapshot.limits],
    }


_SINCE = f"""
SELECT 'reach', m.* FROM ({_MERGED}) AS m
UNION ALL
SELECT 'database', r.database_id, 0, 0 FROM catalog_app_databaserecord r
WHERE r.branch_id = %(branch)s AND r.version > %(after)s AND r.version <= %(upto)s
  AND r.database_id = ANY(%(databases)s)
UNION ALL
SELECT 'table', r.table_id, 0, 0 FROM catalog_app_tablerecord r
WHERE r.branch_id = %(branch)s AND r.version > %(after)s AND r.version <= %(upto)s AND r.table_id = ANY(%(tables)s)
UNION ALL
SELECT 'table', h.table_id, 0, 0 FROM catalog_app_tableschemahistory h
WHERE h.branch_id = %(branch)s AND h.version > %(after)s AND h.version <= %(upto)s AND h.table_id = ANY(%(tables)s)
"""

FEW = 20
"""Objects up to which a query's plan is kept."""


def version_vector_since(
    seen: Snapshot, now: Snapshot, databases: Collection[int], tables: Collection[int]
) -> tuple[VersionVector, frozenset[tuple[str, int]]]:
    """What a branch reached when a statement saw it, and those of these objects whose states, all but their rows,
    commits altered since. ``now``: the same branch now.
    """
    version_vector = chain_version_vector(seen)
    if now == seen:
        # All that the branch reaches was seen: the chain alone says so.
        return version_vector, frozenset()
    asked = {
        **_places([seen]),
        "branch": now.branch_ids[0],
        "after": seen.version,
        "upto": now.version,
        "databases": list(databases),
        "tables": list(tables),
    }
    altered = set()
    for kind, identity, branch_id, version in fetch_all(_SINCE, asked, prepared=len(databases) + len(tables) <= FEW):
        if kind == "reach":
            version_vector[branch_id] = max(version, version_vector.get(branch_id, 0))
        else:
            altered.add((kind, identity))
    return version_vector, frozenset(altered)


@dataclass(frozen=True, slots=True)
class Ranges:
    """Commits by branch and range of versions: ``after < version <= upto``."""

    of: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def of_news(cls, side: VersionVector, other: VersionVector) -> Ranges:
        """The commits that one side reaches and the other does not."""
        return cls(tuple((b, other.get(b, 0), upto) for b, upto in sorted(side.items()) if upto > other.get(b, 0)))

    def __add__(self, other: Ranges) -> Ranges:
        return Ranges(self.of + other.of)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    @property
    def parameters(self) -> dict[str, list[int]]:
        return {name: [row[at] for row in self.of] for at, name in enumerate(("branches", "after", "upto"))}


def own_ranges(snapshot: Snapshot, other: VersionVector) -> Ranges:
    """The commits on the chain that the other head does not reach.

    Commits that came in by merges are not on the chain: the merge commits that are list what they did.
    """
    return Ranges.of_news(chain_version_vector(snapshot), other)


def bounded(version_vector: VersionVector, floors: VersionVector) -> VersionVector:
    """The reach for objects of one home: what branches of other catalogs have up to their join counts as known."""
    return (
        {**version_vector, **{branch: max(floor, version_vector.get(branch, 0)) for branch, floor in floors.items()}}
        if floors
        else version_vector
    )


def merge_base_version(first: VersionVector, second: VersionVector) -> int:
    """The newest version that both heads reach: what people call the merge base. 0 when there is none."""
    return max((min(version, second[branch]) for branch, version in first.items() if branch in second), default=0)
