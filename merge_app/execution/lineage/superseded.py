"""Removals that a later one supersedes, which both sides know: the fact with the larger stamp stays (lineage §3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from catalog_app.selectors.rows import fetch_all
from merge_app.execution.lineage.ranges import RANGES, Ranges
from merge_app.execution.reach import Reach
from merge_app.lineage.facts import Ints
from merge_app.lineage.segments import Gone

MASKS = """ARRAY(
    SELECT d.delete_file_id
    FROM unnest(array_append(b.ancestor_branches, r.branch_id), array_append(b.ancestor_limits, r.removed_version))
        AS a(branch_id, upto)
    CROSS JOIN LATERAL (
        SELECT d.delete_file_id FROM catalog_app_segmentdelete d
        WHERE d.branch_id = a.branch_id AND d.segment_id = r.segment_id AND d.attached_version <= a.upto
        OFFSET 0
    ) d)"""
"""The deletes of a segment at its removal ``r`` on branch ``b``. They are looked up by branch and segment, of which
there is an index: no other segment's deletes are read.
"""

FACT_KINDS = "('delete', 'update', 'overwrite', 'restore')"

_REMOVALS = f"""
WITH {RANGES}, removed AS MATERIALIZED (
    SELECT r.table_id, r.stamp, s.file_id, f.smallest_row_id, f.largest_row_id, {MASKS} AS masks
    FROM ranges g JOIN catalog_app_segmentremoval r ON r.table_id = ANY(%(tables)s)
      AND r.branch_id = g.branch_id AND r.removed_version > g.after AND r.removed_version <= g.upto
    JOIN catalog_app_branch b ON b.id = r.branch_id JOIN catalog_app_segment s ON s.id = r.segment_id
    CROSS JOIN LATERAL (
        SELECT f.smallest_row_id, f.largest_row_id FROM catalog_app_datafile f WHERE f.id = s.file_id OFFSET 0
    ) f
    WHERE r.stamp = r.removed_version AND r.kind IN {FACT_KINDS} AND s.file_id = ANY(%(files)s)
), wrote AS MATERIALIZED (
    SELECT DISTINCT w.table_id, w.stamp, x.smallest_row_id, x.largest_row_id
    FROM (SELECT DISTINCT table_id, stamp FROM removed) t
    JOIN catalog_app_segment w ON w.table_id = t.table_id AND w.stamp = t.stamp
    CROSS JOIN LATERAL (
        SELECT x.smallest_row_id, x.largest_row_id FROM catalog_app_datafile x WHERE x.id = w.file_id OFFSET 0
    ) x
)
SELECT r.table_id, r.file_id, r.stamp, r.masks FROM removed r WHERE NOT EXISTS (
    SELECT 1 FROM wrote w WHERE w.table_id = r.table_id AND w.stamp = r.stamp
      AND w.smallest_row_id <= r.largest_row_id AND w.largest_row_id >= r.smallest_row_id)
"""
"""Files are looked up one by one, by their ids: joined at once, the plan reads all files there are for each removal
where PostgreSQL takes the tables for small.
"""


def superseded_leave_out(
    gone: Mapping[int, list[Gone]], tables: Collection[int], reaches: tuple[Reach, Reach], news: Collection[Ints]
) -> None:
    """Take out of ``gone`` (by table) what a newer removal of the same rows supersedes, which both sides know.

    A removal is of the rows that no delete had taken before. One that leaves more rows out supersedes nothing. Nor does
    one whose commit wrote or restored rows of the same ids: these rows live elsewhere.
    """
    files = sorted({item.file_id for items in gone.values() for item in items if item.delete_file is None})
    known = _known_after(reaches, news)
    if not (files and known.branches):
        return
    newer: dict[tuple[int, int], list[tuple[int, frozenset[int]]]] = defaultdict(list)
    asked = {**known.parameters, "tables": list(tables), "files": files}
    for table_id, file_id, stamp, masks in fetch_all(_REMOVALS, asked):
        newer[table_id, file_id].append((stamp, frozenset(masks)))
    for table_id, items in gone.items():
        items[:] = [item for item in items if not _is_superseded(item, newer.get((table_id, item.file_id), ()))]


def _is_superseded(item: Gone, newer: Collection[tuple[int, frozenset[int]]]) -> bool:
    if item.delete_file is not None:
        return False
    return any(stamp > item.stamp.version and masks.issubset(item.masks) for stamp, masks in newer)


def _known_after(reaches: tuple[Reach, Reach], news: Collection[Ints]) -> Ranges:
    """Commits that both sides reach, as far as they may be newer than some news."""
    lowest = min((int(versions[0]) for versions in news if len(versions)), default=None)
    if lowest is None:
        return Ranges((), (), ())
    upto = {branch: min(version, reaches[1].get(branch, 0)) for branch, version in reaches[0].items()}
    return Ranges.of_news(upto, dict.fromkeys(upto, lowest))
