"""What ranges of commits are, and changed."""

from __future__ import annotations

from collections.abc import Collection
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


_VERSIONS = f"""
WITH {RANGES} SELECT r.place, c.version FROM ranges r
JOIN catalog_app_commit c ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
"""


def versions_load(first: Ranges, second: Ranges) -> list[Ints]:
    """The versions of the commits of each of both, ascending."""
    both = first + second
    rows = fetch_all(_VERSIONS, both.parameters) if both else []
    sides = ([v for place, v in rows if (place <= len(first)) == is_first] for is_first in (True, False))
    return [np.unique(np.array(versions, dtype=np.int64)) for versions in sides]


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
    )
)
"""Whether a commit that dropped a table changed its rows before, as a transaction does. It names the drop alone."""

_CHANGED = f"""
WITH {RANGES}
SELECT 'decides', NULL::bigint WHERE EXISTS (
    SELECT 1 FROM ranges r JOIN catalog_app_commit c
      ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto WHERE c.decides)
UNION ALL SELECT 'reads', NULL::bigint WHERE EXISTS (
    SELECT 1 FROM ranges r JOIN catalog_app_commit c
      ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
    JOIN catalog_app_commitread d ON d.commit_id = c.id)
UNION ALL SELECT DISTINCT 'table', o.object_id FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
JOIN catalog_app_commit c ON c.id = o.commit_id AND c.decides
WHERE o.object_kind = 'table' AND (
    o.kind IN ('insert', 'delete', 'update', 'overwrite', 'compaction', 'partition')
    OR (o.kind = 'drop' AND ({_WITH_ROWS})))
UNION ALL SELECT DISTINCT 'table', (item ->> 'object_id')::bigint FROM ranges r JOIN catalog_app_commit c
  ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
JOIN catalog_app_branch b ON b.id = c.branch_id
JOIN merge_app_mergeattempt a ON a.catalog_id = b.catalog_id AND a.version = c.version AND a.outcome = 'merged'
CROSS JOIN LATERAL jsonb_array_elements(a.body -> 'resolutions') AS item
WHERE c.decides AND c.merge_parent_id IS NOT NULL
  AND (a.body -> 'resolutions') @> '[{{"part": "object", "object_kind": "table"}}]'::jsonb
  AND item ->> 'part' = 'object' AND item ->> 'object_kind' = 'table'
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
