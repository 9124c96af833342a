"""Which files nothing can reach any more: not a branch, a tag, the trash, an open transaction or merge request, or
a later merge.

A *reader* is whoever may still look: a branch at every version from its horizon on, a tag at one version. A branch's
horizon is the newest version that is both older than the retention and reached by every living branch of the catalog.
What a merge may yet replay stays, with the inputs of compactions. A file goes when no reader sees any of its
segments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from catalog_app.models import Branch, Catalog, PublishedFile, Tag
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot


@dataclass(frozen=True, slots=True)
class Reader:
    """A chain that may be read: segments added up to ``snapshot``'s limits, less those removed before its horizon."""

    snapshot: Snapshot
    horizon: int


@dataclass(frozen=True, slots=True)
class Retained:
    """``horizons``: by branch that is kept, the oldest version that stays readable. ``expired``: branches that can
    not be undropped any more.
    """

    readers: tuple[Reader, ...]
    horizons: Mapping[int, int] = field(default_factory=dict)
    expired: frozenset[int] = frozenset()


def retained_find(catalog: Catalog, *, before: datetime, held: frozenset[int] = frozenset()) -> Retained:
    """What stays when everything older than ``before`` may go, but for the branches that are ``held``."""
    branches = {branch.pk: branch for branch in Branch.objects.filter(catalog=catalog, expired_at__isnull=True)}
    if catalog.dropped_at is not None and catalog.dropped_at <= before:
        # All of it was dropped that long ago, tags and requested branches with it.
        return Retained((), expired=frozenset(branches))
    living = {pk for pk, branch in branches.items() if pk in held or _is_living(branch, before)}
    tagged = [
        branch_snapshot(tag.branch).at(tag.version)
        for tag in Tag.objects.filter(catalog=catalog).select_related("branch")
    ]
    kept = set(living)
    for chain in (*(branch_snapshot(branches[pk]) for pk in living), *tagged):
        kept.update(chain.branch_ids)
    kept &= set(branches)
    horizons = _horizons({pk: branches[pk] for pk in kept}, living, before)
    readers = [Reader(branch_snapshot(branches[pk]), horizons[pk]) for pk in sorted(kept)]
    readers += [Reader(chain, chain.version) for chain in tagged]
    gone = frozenset(pk for pk in set(branches) - kept if not _is_open(branches[pk]))
    return Retained(tuple(readers), horizons, gone)


def _is_open(branch: Branch) -> bool:
    return branch.dropped_at is None


def _is_living(branch: Branch, before: datetime) -> bool:
    """A closed transaction's workspace is not kept in the trash."""
    return branch.dropped_at is None or (branch.dropped_at > before and not branch.is_workspace)


_AGED = """
SELECT branch_id, max(version) FROM catalog_app_commit
WHERE branch_id = ANY(%(branches)s) AND committed_at <= %(before)s GROUP BY branch_id
"""

_REACHED = """
WITH chain AS (
    SELECT * FROM unnest(%(chains)s::bigint[], %(members)s::bigint[], %(limits)s::bigint[]) AS c(chain, branch_id, upto)
), reached AS (
    SELECT chain, branch_id, upto FROM chain
    UNION ALL
    SELECT c.chain, r.reached_branch_id, r.reached_version FROM chain c JOIN catalog_app_branchreach r
      ON r.branch_id = c.branch_id AND r.at_version <= c.upto
    UNION ALL
    SELECT r.branch_id, r.reached_branch_id, r.reached_version FROM catalog_app_branchreach r
      JOIN catalog_app_branch b ON b.id = r.branch_id
    WHERE r.reached_branch_id = ANY(%(branches)s) AND b.catalog_id <> %(catalog)s AND b.expired_at IS NULL
)
SELECT chain, branch_id, max(upto) FROM reached WHERE branch_id = ANY(%(branches)s) GROUP BY chain, branch_id
"""


def _horizons(kept: Mapping[int, Branch], living: Iterable[int], before: datetime) -> dict[int, int]:
    """By branch: the newest version that is old enough and that every living branch reaches."""
    if not kept:
        return {}
    rows = [(pk, member, limit) for pk in living for member, limit in zip(*_chain(kept[pk]), strict=True)]
    chains, members, limits = zip(*rows, strict=True) if rows else ((), (), ())
    catalog_id = next(iter(kept.values())).catalog_id
    parameters = {"branches": list(kept), "before": before, "catalog": catalog_id}
    reached: dict[int, dict[int, int]] = {}
    given = {**parameters, "chains": list(chains), "members": list(members), "limits": list(limits)}
    for chain, branch_id, upto in fetch_all(_REACHED, given):
        reached.setdefault(branch_id, {})[chain] = upto
    horizons = dict.fromkeys(kept, 0) | dict(fetch_all(_AGED, parameters))
    for pk in kept:
        known = reached.get(pk, {})
        others = {*(chain for chain in living if chain != pk), *known}
        settled = min((known.get(chain, 0) for chain in others), default=horizons[pk])
        horizons[pk] = max(min(horizons[pk], settled), kept[pk].oldest_version)
    return horizons


def _chain(branch: Branch) -> tuple[Sequence[int], Sequence[int]]:
    snapshot = branch_snapshot(branch)
    return snapshot.branch_ids, snapshot.limits


_READERS = """reader AS MATERIALIZED (
    SELECT * FROM unnest(%(readers)s::int[], %(members)s::bigint[], %(added_upto)s::bigint[],
                         %(removed_upto)s::bigint[], %(depths)s::int[])
        AS c(reader, branch_id, added_upto, removed_upto, depth)
)"""
"""A reader's chain: of each branch in it, up to where segments and up to where removals count for all it may see."""

_GONE_TABLES = """
horizon AS (SELECT * FROM unnest(%(branches)s::bigint[], %(horizons)s::bigint[]) AS h(branch_id, version)),
dropped AS (
    SELECT DISTINCT r.table_id FROM catalog_app_tablerecord r JOIN horizon h USING (branch_id)
    WHERE r.is_dropped AND r.version <= h.version
    UNION
    SELECT r.table_id FROM catalog_app_tablerecord r WHERE r.database_id IN (
        SELECT d.database_id FROM catalog_app_databaserecord d JOIN horizon h USING (branch_id)
        WHERE d.is_dropped AND d.version <= h.version)
), nearest_table AS (
    SELECT DISTINCT ON (c.reader, r.table_id) c.reader, r.table_id, r.database_id,
           r.is_dropped AND r.version <= coalesce(h.version, r.version) AS is_gone
    FROM reader c JOIN catalog_app_tablerecord r ON r.branch_id = c.branch_id AND r.version <= c.added_upto
    LEFT JOIN horizon h ON h.branch_id = r.branch_id
    WHERE r.table_id IN (SELECT table_id FROM dropped)
    ORDER BY c.reader, r.table_id, c.depth, r.version DESC
), nearest_database AS (
    SELECT DISTINCT ON (c.reader, d.database_id) c.reader, d.database_id,
           d.is_dropped AND d.version <= coalesce(h.version, d.version) AS is_gone
    FROM reader c JOIN catalog_app_databaserecord d ON d.branch_id = c.branch_id AND d.version <= c.added_upto
    LEFT JOIN horizon h ON h.branch_id = d.branch_id
    WHERE d.database_id IN (SELECT database_id FROM nearest_table)
    ORDER BY c.reader, d.database_id, c.depth, d.version DESC
), gone AS (
    SELECT t.reader, t.table_id FROM nearest_table t LEFT JOIN nearest_database d USING (reader, database_id)
    WHERE t.is_gone OR d.is_gone
)
"""
"""Per reader, the tables whose drop has itself expired: they cannot come back."""

_OF_TABLE = "(%(table)s::bigint IS NULL OR {}.table_id = %(table)s::bigint)"

_UNREACHABLE = f"""
WITH {_READERS}, {_GONE_TABLES},
doubtful AS (
    SELECT s.id, s.file_id, s.table_id, s.branch_id, s.added_version FROM catalog_app_segment s
    JOIN catalog_app_table t ON t.id = s.table_id JOIN catalog_app_branch b ON b.id = s.branch_id
    WHERE t.catalog_id = %(catalog)s AND b.catalog_id = t.catalog_id AND (
        EXISTS (SELECT 1 FROM catalog_app_segmentremoval r WHERE r.segment_id = s.id)
        OR NOT s.branch_id = ANY(%(branches)s)
        OR s.table_id IN (SELECT table_id FROM dropped))
), needed AS (
    SELECT s.file_id FROM doubtful s JOIN reader c ON c.branch_id = s.branch_id AND s.added_version <= c.added_upto
    WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.reader = c.reader AND g.table_id = s.table_id)
      AND NOT EXISTS (
        SELECT 1 FROM catalog_app_segmentremoval r JOIN reader m
          ON m.reader = c.reader AND m.branch_id = r.branch_id AND r.removed_version <= m.removed_upto
        WHERE r.segment_id = s.id)
), files AS (
    SELECT DISTINCT file_id FROM doubtful
    EXCEPT SELECT file_id FROM needed
    EXCEPT SELECT s.file_id FROM catalog_app_segment s
        WHERE s.file_id IN (SELECT file_id FROM doubtful) AND s.id NOT IN (SELECT id FROM doubtful)
)
SELECT f.id, NULL::bigint, f.path, f.bytes FROM files JOIN catalog_app_datafile f ON f.id = files.file_id
WHERE NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id) AND {_OF_TABLE.format("f")}
UNION ALL
SELECT NULL, x.id, x.path, x.bytes FROM files JOIN catalog_app_deletefile x ON x.data_file_id = files.file_id
WHERE NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = x.id) AND {_OF_TABLE.format("x")}
ORDER BY 3
"""


@dataclass(frozen=True, slots=True)
class UnreachableFile:
    """A file that may go. Both ids are None for one that was staged and never registered, and for one that describes
    a table to other engines. ``bytes``: its size.
    """

    path: str
    bytes: int
    reason: str
    data_file_id: int | None = None
    delete_file_id: int | None = None
    is_published: bool = False


def unreachable_files(catalog: Catalog, retained: Retained, table_id: int | None = None) -> list[UnreachableFile]:
    """Files that were once visible and that no reader sees, of all tables or of one. What a branch of another catalog
    took in stays.
    """
    rows = [
        (number, member, limit, reader.horizon if index == 0 else limit, index)
        for number, reader in enumerate(retained.readers)
        for index, (member, limit) in enumerate(zip(reader.snapshot.branch_ids, reader.snapshot.limits, strict=True))
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    names = ("readers", "members", "added_upto", "removed_upto", "depths")
    parameters = {
        "catalog": catalog.pk,
        "table": table_id,
        "branches": list(retained.horizons),
        "horizons": list(retained.horizons.values()),
        **{name: list(column) for name, column in zip(names, columns, strict=True)},
    }
    return [
        UnreachableFile(path, size, "no branch, tag or trash reaches it", data_file, delete_file)
        for data_file, delete_file, path, size in fetch_all(_UNREACHABLE, parameters)
    ]


_ORPHANS = f"""
SELECT f.id, NULL::bigint, f.path, f.bytes FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
WHERE t.catalog_id = %(catalog)s AND f.created_at < %(before)s AND {_OF_TABLE.format("f")}
  AND NOT EXISTS (SELECT 1 FROM catalog_app_segment s WHERE s.file_id = f.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id)
UNION ALL
SELECT NULL, x.id, x.path, x.bytes FROM catalog_app_deletefile x JOIN catalog_app_table t ON t.id = x.table_id
WHERE t.catalog_id = %(catalog)s AND x.created_at < %(before)s AND {_OF_TABLE.format("x")}
  AND NOT EXISTS (SELECT 1 FROM catalog_app_segmentdelete d WHERE d.delete_file_id = x.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_segmentstamp p WHERE p.rows_file_id = x.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = x.id)
ORDER BY 3
"""


def orphaned_files(catalog: Catalog, *, before: datetime, table_id: int | None = None) -> list[UnreachableFile]:
    """Files registered before ``before`` by statements that never committed."""
    asked = {"catalog": catalog.pk, "before": before, "table": table_id}
    return [
        UnreachableFile(path, size, "its statement never committed", data_file, delete_file)
        for data_file, delete_file, path, size in fetch_all(_ORPHANS, asked)
    ]


def unasked_files(catalog: Catalog, *, before: datetime, table_id: int | None = None) -> list[UnreachableFile]:
    """Files for other engines that were last handed out before ``before``. They are made again when asked for."""
    found = PublishedFile.objects.filter(table__catalog=catalog, used_at__lt=before).order_by("path")
    found = found if table_id is None else found.filter(table_id=table_id)
    reason = "no other engine asked for it lately"
    return [UnreachableFile(path, size, reason, is_published=True) for path, size in found.values_list("path", "bytes")]


_SHARING = """
SELECT f.path FROM catalog_app_datafile f
WHERE f.path = ANY(%(paths)s) AND NOT f.id = ANY(%(data_files)s)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id)
UNION
SELECT x.path FROM catalog_app_deletefile x
WHERE x.path = ANY(%(paths)s) AND NOT x.id = ANY(%(delete_files)s)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = x.id)
"""


def paths_needed(files: Iterable[UnreachableFile]) -> set[str]:
    """Those paths that other data and delete files have as well, of whatever catalog, which have not expired."""
    going = list(files)
    return _sharing(
        {file.path for file in going},
        [file.data_file_id for file in going if file.data_file_id is not None],
        [file.delete_file_id for file in going if file.delete_file_id is not None],
    )


def paths_unexpired(paths: Iterable[str]) -> set[str]:
    """Those paths that some data or delete file has which has not expired."""
    return _sharing(paths, [], [])


def _sharing(paths: Iterable[str], data_files: list[int], delete_files: list[int]) -> set[str]:
    asked = {"paths": list(paths), "data_files": data_files, "delete_files": delete_files}
    return {row[0] for row in fetch_all(_SHARING, asked)} if asked["paths"] else set()


def known_paths(catalog: Catalog) -> set[str]:
    """Every file that the metadata knows, expired ones included."""
    query = """SELECT f.path FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
        WHERE t.catalog_id = %(catalog)s
        UNION ALL SELECT f.path FROM catalog_app_deletefile f JOIN catalog_app_table t ON t.id = f.table_id
        WHERE t.catalog_id = %(catalog)s
        UNION ALL SELECT f.path FROM catalog_app_publishedfile f JOIN catalog_app_table t ON t.id = f.table_id
        WHERE t.catalog_id = %(catalog)s"""
    return {row[0] for row in fetch_all(query, {"catalog": catalog.pk})}
