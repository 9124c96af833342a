"""Removals that a later one supersedes, which both sides know: the fact with the larger stamp stays (lineage §3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from catalog_app.selectors.rows import fetch_all
from merge_app.execution.lineage.ranges import RANGES
from merge_app.execution.lineage.vectors import CommitsReached, Vectors
from merge_app.execution.version_vectors import Ranges
from merge_app.lineage.facts import Ints
from merge_app.lineage.segments import Gone, LivedRows

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
WITH {RANGES}
SELECT r.table_id, s.file_id, r.stamp, r.branch_id, {MASKS} AS masks
FROM ranges g JOIN catalog_app_segmentremoval r ON r.table_id = ANY(%(tables)s)
  AND r.branch_id = g.branch_id AND r.removed_version > g.after AND r.removed_version <= g.upto
JOIN catalog_app_branch b ON b.id = r.branch_id JOIN catalog_app_segment s ON s.id = r.segment_id
WHERE r.stamp = r.removed_version AND r.kind IN {FACT_KINDS} AND s.file_id = ANY(%(files)s)
"""

_LIVED = f"""
WITH {RANGES}
SELECT s.table_id, s.added_version, s.branch_id, f.smallest_row_id, f.largest_row_id, s.file_id, 0, ARRAY(
    SELECT d.delete_file_id FROM catalog_app_segmentdelete d
    WHERE d.segment_id = s.id AND d.branch_id = s.branch_id AND d.attached_version = s.added_version)
FROM ranges g JOIN catalog_app_segment s ON s.table_id = ANY(%(tables)s)
  AND s.branch_id = g.branch_id AND s.added_version > g.after AND s.added_version <= g.upto
JOIN catalog_app_datafile f ON f.id = s.file_id
WHERE s.added_version >= %(oldest)s
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id)
UNION ALL
SELECT p.table_id, p.stamped_version, p.branch_id, f.smallest_row_id, f.largest_row_id, s.file_id, p.rows_file_id,
       '{{}}'
FROM ranges g JOIN catalog_app_segmentstamp p ON p.table_id = ANY(%(tables)s)
  AND p.branch_id = g.branch_id AND p.stamped_version > g.after AND p.stamped_version <= g.upto
JOIN catalog_app_segment s ON s.id = p.segment_id JOIN catalog_app_datafile f ON f.id = s.file_id
WHERE p.stamped_version >= %(oldest)s
"""

Commit = tuple[int, int]
"""Branch and version."""


@dataclass(frozen=True, slots=True)
class _Removal:
    """All rows of a file but those of ``masks``."""

    commit: Commit
    masks: frozenset[int]

    def supersedes(self, item: Gone) -> bool:
        return self.commit[1] > item.stamp.version and self.masks.issubset(item.masks)


def superseded_leave_out(
    gone: Mapping[int, list[Gone]],
    tables: Collection[int],
    commits: CommitsReached,
    news: Collection[Ints],
    *,
    keyed: AbstractSet[int],
) -> None:
    """Take out of ``gone`` (by table) what a newer removal of the same rows supersedes, which both sides know.

    A removal is of the rows that no delete had taken before. One that leaves more rows out supersedes nothing. A row
    that a commit shows which knew the newer removal lived on: of it that removal is no fact. In ``keyed`` tables, those
    with a primary key, a key lives on in any row.
    """
    known = _known_after(commits, news)
    superseding = _superseding_load(gone, tables, known)
    if not superseding:
        return
    lived = _lived_load(known, superseding, commits.vectors)

    def left_of(table_id: int, item: Gone, removals: Collection[_Removal]) -> Gone | None:
        return _left_of(item, removals, lived.get(table_id), has_key=table_id in keyed)

    for table_id, items in gone.items():
        items[:] = [
            left
            for at, item in enumerate(items)
            if (left := left_of(table_id, item, superseding.get((table_id, at), ()))) is not None
        ]


def _superseding_load(
    gone: Mapping[int, list[Gone]], tables: Collection[int], known: Ranges
) -> dict[tuple[int, int], list[_Removal]]:
    """By table and place in ``gone``, the newer removals of the same rows among the ``known`` commits."""
    files = sorted({item.file_id for items in gone.values() for item in items if item.delete_file is None})
    if not (files and known):
        return {}
    newer: dict[tuple[int, int], list[_Removal]] = defaultdict(list)
    asked = {**known.parameters, "tables": list(tables), "files": files}
    for table_id, file_id, stamp, branch_id, masks in fetch_all(_REMOVALS, asked):
        newer[table_id, file_id].append(_Removal((branch_id, stamp), frozenset(masks)))
    return {
        (table_id, at): found
        for table_id, items in gone.items()
        for at, item in enumerate(items)
        if item.delete_file is None
        if (found := [each for each in newer.get((table_id, item.file_id), ()) if each.supersedes(item)])
    }


def _left_of(item: Gone, superseding: Collection[_Removal], lived: _Lived | None, *, has_key: bool) -> Gone | None:
    """What no removal supersedes: the rows that lived on after each."""
    found = [() if lived is None else lived.after(each, item, has_key=has_key) for each in superseding]
    return replace(item, lived=tuple(found)) if all(found) else None


class _Lived:
    """Rows of one table that commits show which both sides know, by the range of their row ids."""

    def __init__(self, rows: Sequence[Sequence[Any]], vectors: Vectors) -> None:
        ordered = sorted(rows, key=lambda row: row[2])
        self._commits: list[Commit] = [(branch_id, version) for version, branch_id, *_ in ordered]
        self._smallest = np.array([row[2] for row in ordered], dtype=np.int64)
        self._reached = np.maximum.accumulate(np.array([row[3] for row in ordered], dtype=np.int64))
        self._largest = [row[3] for row in ordered]
        self._shown = [LivedRows(row[4], row[5], tuple(row[6])) for row in ordered]
        self._vectors = vectors

    def after(self, removal: _Removal, item: Gone, *, has_key: bool) -> tuple[LivedRows, ...]:
        """Those that may be of the item, or have a key of it, of commits that knew the removal or made it."""
        first = 0 if has_key else int(np.searchsorted(self._reached, item.smallest, side="left"))
        end = len(self._shown) if has_key else int(np.searchsorted(self._smallest, item.largest, side="right"))
        return tuple(
            self._shown[at]
            for at in range(first, end)
            if (has_key or self._largest[at] >= item.smallest)
            and (self._commits[at] == removal.commit or self._vectors.knew(self._commits[at], removal.commit))
        )


def _lived_load(
    known: Ranges, superseding: Mapping[tuple[int, int], Sequence[_Removal]], vectors: Vectors
) -> dict[int, _Lived]:
    oldest = min(each.commit[1] for found in superseding.values() for each in found)
    rows: dict[int, list[Any]] = defaultdict(list)
    tables = sorted({table_id for table_id, _ in superseding})
    for table_id, *row in fetch_all(_LIVED, {**known.parameters, "tables": tables, "oldest": oldest}):
        rows[table_id].append(row)
    return {table_id: _Lived(of_table, vectors) for table_id, of_table in rows.items()}


def _known_after(commits: CommitsReached, news: Collection[Ints]) -> Ranges:
    """Commits that both sides reach, as far as they may be newer than some news."""
    lowest = min((int(versions[0]) for versions in news if len(versions)), default=None)
    if lowest is None:
        return Ranges()
    return Ranges.of_news(commits.shared, dict.fromkeys(commits.shared, lowest))
