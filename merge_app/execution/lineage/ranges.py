"""What ranges of commits are, and changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from catalog_app.selectors.rows import fetch_all
from merge_app.execution.version_vectors import Ranges, VersionVector, bounded
from merge_app.lineage.facts import NO_COMMITS, Commits, Ints

RANGES = """ranges AS MATERIALIZED (
    SELECT * FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) WITH ORDINALITY
        AS r(branch_id, after, upto, place)
)"""
"""``place`` counts the ranges from 1."""


_COMMITS = f"""
WITH {RANGES} SELECT c.version, c.branch_id FROM ranges r
JOIN catalog_app_commit c ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
ORDER BY c.version
"""


def commits_since(side: VersionVector, vectors: Collection[VersionVector], floors: VersionVector) -> Commits:
    """Commits that a side reaches, among them all that one of the vectors does not know; none up to the floors."""
    lowest = {branch: min(known.get(branch, 0) for known in vectors) for branch in side} if vectors else side
    lowest = bounded(lowest, floors)
    ranges = Ranges.of_news(side, lowest)
    rows = fetch_all(_COMMITS, ranges.parameters) if ranges else []
    if not rows:
        return NO_COMMITS
    versions, branches = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Commits(versions, branches)


_WITH_ROWS = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} s WHERE s.table_id = o.object_id"
    f" AND s.branch_id = o.branch_id AND s.{at} = o.version)"
    for table, at in (
        ("catalog_app_segment", "added_version"),
        ("catalog_app_segmentremoval", "removed_version"),
        ("catalog_app_segmentdelete", "attached_version"),
        ("catalog_app_segmentstamp", "stamped_version"),
    )
)
"""Whether a commit changed rows of a table. A transaction that dropped it thereafter names the drop alone."""

_TABLES = f"""
SELECT r.place, o.version, o.object_id AS table_id FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
JOIN catalog_app_commit c ON c.id = o.commit_id AND c.decides
WHERE o.object_kind = 'table' AND (
    o.kind IN ('insert', 'delete', 'update', 'overwrite', 'compaction', 'partition')
    OR (o.kind = 'drop' AND ({_WITH_ROWS})))
UNION ALL SELECT r.place, c.version, (item ->> 'object_id')::bigint FROM ranges r JOIN catalog_app_commit c
  ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
JOIN catalog_app_branch b ON b.id = c.branch_id
JOIN merge_app_mergeattempt a ON a.catalog_id = b.catalog_id AND a.version = c.version AND a.outcome = 'merged'
CROSS JOIN LATERAL jsonb_array_elements(a.body -> 'resolutions') AS item
WHERE c.decides AND c.merge_parent_id IS NOT NULL
  AND (a.body -> 'resolutions') @> '[{{"part": "object", "object_kind": "table"}}]'::jsonb
  AND item ->> 'part' = 'object' AND item ->> 'object_kind' = 'table'
"""
"""Commits with the tables whose rows or files they changed, but for what merges took as their sources had it."""

_VERSIONS = f"""
WITH {RANGES}
SELECT r.place, c.version, NULL::bigint FROM ranges r
JOIN catalog_app_commit c ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
UNION ALL SELECT t.place, t.version, t.table_id FROM ({_TABLES}) t WHERE t.table_id = ANY(%(tables)s)
UNION ALL SELECT r.place, o.version, o.object_id FROM ranges r
JOIN catalog_app_commit c ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
CROSS JOIN LATERAL (SELECT c.branch_id, c.version, unnest(%(tables)s::bigint[]) AS object_id) o
WHERE c.decides AND c.merge_parent_id IS NOT NULL AND ({_WITH_ROWS})
"""
"""A merge may decide rows of a table of which it records no operation: the source's own came to nothing (P7)."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of commits, ascending; and by table those of the commits that changed its rows or files."""

    all: Ints
    of_table: Mapping[int, AbstractSet[int]]


def versions_load(first: Ranges, second: Ranges, tables: Collection[int]) -> tuple[Versions, Versions]:
    """Those of the commits of each of both."""
    both = first + second
    found: list[tuple[list[int], dict[int, set[int]]]] = [([], {table: set() for table in tables}) for _ in range(2)]
    asked = {**both.parameters, "tables": list(tables)}
    for place, version, table_id in fetch_all(_VERSIONS, asked) if both else ():
        versions, of_table = found[place > len(first)]
        if table_id is None:
            versions.append(version)
        else:
            of_table[table_id].add(version)
    of_first, of_second = (Versions(np.unique(np.array(v, dtype=np.int64)), of_table) for v, of_table in found)
    return of_first, of_second


_CHANGED = f"""
WITH {RANGES}
SELECT 'decides', NULL::bigint WHERE EXISTS (
    SELECT 1 FROM ranges r JOIN catalog_app_commit c
      ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto WHERE c.decides)
UNION ALL SELECT 'reads', NULL::bigint WHERE EXISTS (
    SELECT 1 FROM ranges r JOIN catalog_app_commit c
      ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
    JOIN catalog_app_commitread d ON d.commit_id = c.id)
UNION ALL SELECT DISTINCT 'table', t.table_id FROM ({_TABLES}) t
"""


@dataclass(frozen=True, slots=True)
class Changed:
    """What commits changed. ``decides``: whether one of them decided anything; ``reads``: whether its statement read
    other tables. ``tables``: those whose rows or files they changed, but for what merges took as their sources had it,
    and those that people decided as a whole.
    """

    decides: bool = False
    reads: bool = False
    tables: frozenset[int] = frozenset()

    @classmethod
    def by(cls, ranges: Ranges) -> Changed:
        found = fetch_all(_CHANGED, ranges.parameters) if ranges else []
        said = {what for what, _ in found}
        return cls("decides" in said, "reads" in said, frozenset(i for what, i in found if what == "table"))
