"""How rows had died that a restore returned since: going back to then, a restore brings these deaths back."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.lineage.ranges import RANGES
from merge_app.execution.lineage.sides import gone_load
from merge_app.execution.version_vectors import Ranges, version_vector_load
from merge_app.lineage.segments import LAYOUT, Gone

_CAME_BACK = f"""
WITH {RANGES}, back AS (
    SELECT s.table_id, s.file_id, s.brings_stamp AS written
    FROM ranges g JOIN catalog_app_segment s ON s.table_id = ANY(%(tables)s)
      AND s.branch_id = g.branch_id AND s.added_version > g.after AND s.added_version <= g.upto
    WHERE s.kind = 'restore'
    UNION ALL
    SELECT p.table_id, s.file_id, s.stamp
    FROM ranges g JOIN catalog_app_segmentstamp p ON p.table_id = ANY(%(tables)s)
      AND p.branch_id = g.branch_id AND p.stamped_version > g.after AND p.stamped_version <= g.upto
    JOIN catalog_app_segment s ON s.id = p.segment_id
    WHERE p.kind = 'restore'
)
SELECT b.table_id, f.smallest_row_id, f.largest_row_id,
       min(CASE f.smallest_stamp WHEN 0 THEN 0 ELSE coalesce(least(f.smallest_stamp, nullif(b.written, 0)), 0) END)
FROM back b JOIN catalog_app_datafile f ON f.id = b.file_id
GROUP BY b.table_id, f.smallest_row_id, f.largest_row_id
ORDER BY b.table_id, f.smallest_row_id
"""


def died_before(tables: Sequence[int], now: Snapshot, back: Snapshot) -> dict[int, list[Gone]]:
    """By table, what had been taken away at ``back`` of rows that a restore returned since then, whatever became of
    them afterwards. A row may have died in another file than in the one that came back.
    """
    known = version_vector_load(back)
    ranges = Ranges.of_news(version_vector_load(now), known)
    if not ranges:
        return {}
    bounds: dict[int, list[tuple[int, int]]] = defaultdict(list)
    stamps = []
    for table_id, smallest, largest, written in _came_back(tables, ranges):
        bounds[table_id].append((smallest, largest))
        stamps.append(written)
    if not stamps:
        return {}
    # A row dies after it was written.
    (gone,) = gone_load(list(bounds), Ranges.of_news(known, dict.fromkeys(known, min(stamps))))
    return {table_id: _met(items, bounds[table_id]) for table_id, items in gone.items()}


def _came_back(tables: Sequence[int], ranges: Ranges) -> list[tuple[Any, ...]]:
    """By file that came back: table, smallest and largest row id, and before which stamp none of its rows died."""
    return fetch_all(_CAME_BACK, {**ranges.parameters, "tables": list(tables)})


def _met(items: Sequence[Gone], bounds: Sequence[tuple[int, int]]) -> list[Gone]:
    """Those that may hold the rows of these bounds, which are ascending. A compaction decided no fact."""
    smallest = [first for first, _ in bounds]
    # By place, the largest row id of all bounds up to there.
    reached = list(accumulate((last for _, last in bounds), max))

    def is_met(item: Gone) -> bool:
        at = bisect_right(smallest, item.largest)
        return at > 0 and reached[at - 1] >= item.smallest

    return [item for item in items if item.stamp.kind not in LAYOUT and is_met(item)]
