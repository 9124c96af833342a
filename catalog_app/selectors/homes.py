"""The home of an object is the catalog in which it was made: what its stamps mean (``CatalogJoin``).

Up to the join of two catalogs, no fact of an object lies on a branch of a catalog other than its home, so versions of
such a branch name nothing. After it, a version names one commit of all joined catalogs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import permutations

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.table_properties import FILE
from catalog_app.selectors.attribute_facts import ObjectKey
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot
from lakeui.common.errors import NotSupported

NEVER = 1 << 61
"""In place of the version of a join that is not made: larger than every version."""


@dataclass(frozen=True, slots=True)
class Home:
    """``joins``: by other catalog, the version after which its versions name commits for objects of this home."""

    catalog_id: int
    joins: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Homes:
    """``main``: the catalog of the target. ``catalogs``: those of branches that are looked at, ``{}`` where all are of
    the target's. ``joins``: by home and other catalog the version of their join. ``is_replayed``: what is of a catalog
    without a join came by merges that replayed operations. ``merge_conflicts``: the setting of the target's catalog.
    """

    main: int
    catalogs: Mapping[int, int] = field(default_factory=dict)
    joins: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    is_replayed: bool = False
    merge_conflicts: str = FILE

    def home(self, catalog_id: int) -> Home:
        return Home(catalog_id, self.joins.get(catalog_id, {}))

    def floors(self, catalog_id: int) -> dict[int, int]:
        """By branch of another catalog, the version up to which it has nothing of objects of this home."""
        joins = self.joins.get(catalog_id, {})
        return {b: joins.get(of, NEVER) for b, of in self.catalogs.items() if of != catalog_id}

    def by_home(self, objects: Collection[ObjectKey]) -> dict[int, list[ObjectKey]]:
        """By home its objects. One query, none where all branches are of one catalog."""
        if not self.catalogs:
            return {self.main: list(objects)} if objects else {}
        found: dict[int, list[ObjectKey]] = defaultdict(list)
        made_in = _made_in(objects) if objects else {}
        for key in objects:
            home = made_in.get(key, self.main)
            # What came by merges that replayed operations has stamps of the catalog that it came into.
            found[home if self._is_joined(home) else self.main].append(key)
        return dict(found)

    def _is_joined(self, home: int) -> bool:
        return home == self.main or self.main in self.joins.get(home, {}) or not self.is_replayed


_CATALOGS = """
SELECT b.id, b.catalog_id, c.merge_conflicts
FROM catalog_app_branch b JOIN catalog_app_catalog c ON c.id = b.catalog_id WHERE b.id = ANY(%(branches)s)
"""
_JOINS = """
SELECT catalog_id, other_id, version FROM catalog_app_catalogjoin
WHERE catalog_id = ANY(%(catalogs)s) AND other_id = ANY(%(catalogs)s)
"""
_MADE_IN = """
SELECT 'table', id, catalog_id FROM catalog_app_table WHERE id = ANY(%(tables)s)
UNION ALL SELECT 'database', id, catalog_id FROM catalog_app_database WHERE id = ANY(%(databases)s)
"""


def _made_in(objects: Collection[ObjectKey]) -> dict[ObjectKey, int]:
    asked = {
        name: [i for of, i in objects if of is kind]
        for name, kind in (("tables", ObjectKind.TABLE), ("databases", ObjectKind.DATABASE))
    }
    return {(ObjectKind(kind), i): catalog for kind, i, catalog in fetch_all(_MADE_IN, asked)}


def homes_load(source: Snapshot, target: Snapshot, version_vectors: Collection[Mapping[int, int]]) -> Homes:
    """Of the branches that the two reach. Raises NotSupported where branches of two catalogs merge, and two that are
    looked at merged by operations before.
    """
    fronts = source.branch_ids[0], target.branch_ids[0]
    chained = {*source.branch_ids, *target.branch_ids}
    branches = {
        *fronts,
        *(branch for version_vector in version_vectors for branch in version_vector if branch not in chained),
    }
    found = fetch_all(_CATALOGS, {"branches": sorted(branches)}, prepared=True)
    catalogs = {branch: catalog_id for branch, catalog_id, _ in found}
    main, setting = catalogs[fronts[1]], {branch: value for branch, _, value in found}[fronts[1]]
    if len(set(catalogs.values())) == 1:
        return Homes(main, merge_conflicts=setting)
    catalogs |= dict.fromkeys(source.branch_ids, catalogs[fronts[0]]) | dict.fromkeys(target.branch_ids, main)
    joins: dict[int, dict[int, int]] = defaultdict(dict)
    for catalog_id, other_id, version in fetch_all(_JOINS, {"catalogs": sorted(set(catalogs.values()))}):
        joins[catalog_id][other_id] = version
    own, met = catalogs[fronts[0]], set(catalogs.values())
    if own != main and any(other not in joins.get(one, {}) for one, other in permutations(met, 2)):
        merged_before_refuse(met)
    # Where both fronts are of one catalog, others that it is not joined with came by operations.
    return Homes(main, catalogs, dict(joins), is_replayed=own == main, merge_conflicts=setting)


_MERGED_BEFORE = """
WITH members AS MATERIALIZED (
    SELECT id, name FROM catalog_app_catalog WHERE coalesce(versions_of_id, id) IN (
        SELECT coalesce(versions_of_id, id) FROM catalog_app_catalog WHERE id = ANY(%(catalogs)s))
)
SELECT own.name, met.name FROM members own
JOIN catalog_app_branch b ON b.catalog_id = own.id JOIN catalog_app_branchreach r ON r.branch_id = b.id
JOIN catalog_app_branch o ON o.id = r.reached_branch_id JOIN members met ON met.id = o.catalog_id
WHERE met.id <> own.id AND NOT EXISTS (
    SELECT 1 FROM catalog_app_catalogjoin j WHERE j.catalog_id = own.id AND j.other_id = met.id)
ORDER BY r.id LIMIT 1
"""


def merged_before_refuse(catalogs: Collection[int]) -> None:
    """Raise NotSupported where two of these, or of catalogs that they are joined with, merged by operations. Facts then
    have versions of either catalog, so that a number may name two commits.
    """
    found = fetch_all(_MERGED_BEFORE, {"catalogs": sorted(catalogs)})
    if found:
        ((target, source),) = found
        raise NotSupported(
            f"These catalogs merged {source} into {target} before merges between catalogs kept where rows come from.",
            remedy="Copy the tables with CREATE TABLE … AS SELECT. Merges within each catalog stay possible.",
        )
