"""What both sides know of rows, their images and removals. The newest is the base of a merge by cells, and what P7
compares with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from catalog_app.domain.files import PartitionValues
from catalog_app.selectors.homes import NEVER
from catalog_app.selectors.rows import fetch_all, json_value
from merge_app.execution.lineage.readers import Reader
from merge_app.execution.lineage.superseded import FACT_KINDS, MASKS
from merge_app.lineage.ascending import are_among, ascending
from merge_app.lineage.facts import ABSENT, Ints, Mask, image_codes, image_places

_SHARED = """shared AS MATERIALIZED (
    SELECT r.*, CASE WHEN b.catalog_id = t.catalog_id THEN 0 ELSE coalesce(j.version, 0) END AS after
    FROM unnest(%(branches)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, upto)
    JOIN catalog_app_branch b ON b.id = r.branch_id JOIN catalog_app_table t ON t.id = %(table)s
    LEFT JOIN catalog_app_catalogjoin j ON j.catalog_id = t.catalog_id AND j.other_id = b.catalog_id
), files AS MATERIALIZED (
    SELECT f.id, EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id) AS is_gone
    FROM catalog_app_datafile f WHERE f.table_id = %(table)s
      AND f.smallest_row_id <= %(largest)s AND f.largest_row_id >= %(smallest)s
)"""
_KNOWN = """
JOIN LATERAL (
    SELECT 1 FROM shared r JOIN catalog_app_commit c ON c.branch_id = r.branch_id
      AND c.version > r.after AND c.version <= r.upto
    WHERE c.version = {stamp} LIMIT 1
) known ON true
"""
_SHOWN, _TAKEN, _ADDED, _PLACED = "shown", "taken", "added", "placed"
_FACTS = f"""
WITH {_SHARED}, removals AS MATERIALIZED (
    SELECT s.file_id, r.branch_id, r.stamp, {MASKS} AS masks
    FROM shared g JOIN catalog_app_segmentremoval r ON r.table_id = %(table)s
      AND r.branch_id = g.branch_id AND r.removed_version > g.after AND r.removed_version <= g.upto
    JOIN catalog_app_branch b ON b.id = r.branch_id
    JOIN catalog_app_segment s ON s.id = r.segment_id AND s.file_id IN (SELECT id FROM files)
    WHERE r.stamp = r.removed_version AND r.kind IN {FACT_KINDS}
)
SELECT '{_SHOWN}', s.file_id, 0::bigint, s.stamp, 0::bigint,
    CASE WHEN s.kind <> 'restore' THEN ARRAY[]::bigint[] ELSE ARRAY(
        SELECT d.delete_file_id FROM catalog_app_segmentdelete d
        WHERE d.segment_id = s.id AND d.branch_id = s.branch_id AND d.attached_version = s.added_version) END,
    s.kind = 'restore', NULL::jsonb, f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id {_KNOWN.format(stamp="s.stamp")}
UNION
SELECT '{_SHOWN}', s.file_id, 0::bigint, p.stamp, p.rows_file_id, ARRAY[]::bigint[], false, NULL, f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id
JOIN catalog_app_segmentstamp p ON p.table_id = s.table_id AND p.segment_id = s.id {_KNOWN.format(stamp="p.stamp")}
UNION ALL
SELECT '{_TAKEN}', r.file_id, r.branch_id, r.stamp, 0::bigint, r.masks, false, NULL, f.is_gone
FROM removals r JOIN files f ON f.id = r.file_id
UNION ALL
SELECT '{_TAKEN}', f.id, d.branch_id, d.stamp, d.delete_file_id, ARRAY[]::bigint[], false, NULL, f.is_gone
FROM shared g JOIN catalog_app_segmentdelete d ON d.table_id = %(table)s
  AND d.branch_id = g.branch_id AND d.attached_version > g.after AND d.attached_version <= g.upto
JOIN catalog_app_deletefile x ON x.id = d.delete_file_id JOIN files f ON f.id = x.data_file_id
WHERE d.stamp = d.attached_version AND d.kind IN {FACT_KINDS}
UNION ALL
SELECT '{_ADDED}', s.file_id, s.branch_id, s.added_version, 0::bigint, ARRAY[]::bigint[], false, NULL, f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id
WHERE (s.branch_id, s.added_version) IN (SELECT branch_id, stamp FROM removals)
UNION ALL
SELECT '{_PLACED}', s.file_id, 0::bigint, s.partition_stamp, 0::bigint, ARRAY[]::bigint[], false, s.partition, f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id
{_KNOWN.format(stamp="s.partition_stamp")}
"""
"""Images, removals, the files that commits with removals of whole files added, where rows may have been put, and
partitions that files were moved to.
"""

Commit = tuple[int, int]
"""Branch and version."""
Rows = tuple[Ints, Ints]
"""Row ids and images."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedFacts:
    """Facts of rows that both sides know, by row id, with their stamps. ``image``: where the row lay; one image may
    have several stamps. ``is_removal``: it was taken away there. ``are_all``: no file of them is gone by retention.
    ``moved``: by file the partition that it was moved to last.
    """

    row_id: Ints
    image: Ints
    stamp: Ints
    is_removal: Mask
    are_all: bool = True
    moved: Mapping[int, PartitionValues] = field(default_factory=dict)

    @property
    def value(self) -> Ints:
        """The image, or ``ABSENT``."""
        return np.where(self.is_removal, ABSENT, self.image)

    def places(self, reader: Reader, images: Ints) -> Ints:
        """The partitions that images lie in as far as both sides know, by code."""
        files, at = np.unique(image_places(images)[0], return_inverse=True)
        lies = [self.moved.get(file_id, reader.scans[file_id].partition) for file_id in files.tolist()]
        return np.array([reader.code(values) for values in lies], dtype=np.int64)[at.reshape(-1)]


@dataclass(frozen=True, slots=True)
class _Event:
    """Of a file: the rows of ``rows_file``, or with 0 all but those of ``masks``."""

    file_id: int
    branch_id: int
    stamp: int
    rows_file: int
    masks: Sequence[int]
    is_restore: bool
    partition: Any


def shared_facts(reader: Reader, row_ids: Ints) -> SharedFacts:
    """``row_ids``: ascending. Only lineage columns are read, of files that may hold the rows."""
    if not len(row_ids):
        return SharedFacts(row_ids, row_ids, row_ids, np.zeros(0, dtype=np.bool_))
    shared = {branch: upto for branch, upto in reader.commits.shared.items() if upto < NEVER}
    asked = {
        "table": reader.table_id,
        "smallest": int(row_ids[0]),
        "largest": int(row_ids[-1]),
        "branches": list(shared),
        "upto": list(shared.values()),
    }
    found: dict[str, list[_Event]] = defaultdict(list)
    are_all = True
    for what, *row, is_gone in fetch_all(_FACTS, asked):
        are_all &= not is_gone
        if not is_gone:
            found[what].append(_Event(*row))
    events = [*found[_SHOWN], *found[_TAKEN], *found[_ADDED]]
    reader.wanted[0].update(event.file_id for event in events)
    reader.wanted[1].update(item for event in events for item in (*event.masks, event.rows_file) if item)
    shown = [part for event in found[_SHOWN] for part in _shown(reader, row_ids, event)]
    taken = list(_taken(reader, row_ids, found[_TAKEN], _added(reader, row_ids, found[_ADDED])))
    empty = np.zeros(0, dtype=np.int64)
    ids, images, stamps = (np.concatenate([empty, *(part[n] for part in (*shown, *taken))]) for n in range(3))
    count = sum(len(part[0]) for part in shown)
    moves = sorted(found[_PLACED], key=lambda event: event.stamp)
    moved = {event.file_id: tuple(json_value(event.partition)) for event in moves}
    return SharedFacts(ids, images, stamps, np.arange(len(ids)) >= count, are_all, moved)


def _rows(reader: Reader, row_ids: Ints, event: _Event) -> tuple[Ints, Ints, Ints]:
    """The rows of an event: positions, row ids, and the stamps that their file stores, 0 for none."""
    positions, ids, stored = reader.rows(event.file_id, row_ids)
    is_asked = np.ones(len(ids), dtype=np.bool_)
    if event.rows_file:
        is_asked = are_among(positions, reader.marks(event.rows_file)[0])
    for mask in event.masks:
        is_asked &= ~are_among(positions, reader.marks(mask)[0])
    at = np.flatnonzero(is_asked)
    return positions[at], ids[at], np.zeros(len(at), dtype=np.int64) if stored is None else stored.stamp[at]


def _shown(reader: Reader, row_ids: Ints, event: _Event) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The images of one event: its stamp is that of rows which store none, and of all that it named or restored."""
    positions, ids, stored = _rows(reader, row_ids, event)
    is_stored = (stored > 0) & (not event.rows_file and not event.is_restore)
    if len(ids):
        yield ids, image_codes(event.file_id, positions), np.where(is_stored, stored, event.stamp)


def _added(reader: Reader, row_ids: Ints, events: Sequence[_Event]) -> Mapping[Commit, Rows]:
    """By commit the rows that it put into new files."""
    found: dict[Commit, list[Rows]] = defaultdict(list)
    for event in events:
        positions, ids, _ = reader.rows(event.file_id, row_ids)
        found[event.branch_id, event.stamp].append((ids, image_codes(event.file_id, positions)))
    return {
        commit: (np.concatenate([ids for ids, _ in parts]), np.concatenate([images for _, images in parts]))
        for commit, parts in found.items()
    }


def _taken(
    reader: Reader, row_ids: Ints, events: Sequence[_Event], added: Mapping[Commit, Rows]
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The rows that an event took away. Of those that its commit put elsewhere it says nothing."""
    for event in events:
        positions, ids, _ = _rows(reader, row_ids, event)
        images = image_codes(event.file_id, positions)
        moved = added.get((event.branch_id, event.stamp))
        if moved is not None and not event.rows_file and len(ids):
            left, elsewhere = ids, moved[0]
            if reader.keys_of is not None:
                # It is the key that may lie elsewhere.
                left, elsewhere = reader.keys_of(images), reader.keys_of(moved[1])
            at = ~are_among(left, ascending(elsewhere))
            ids, images = ids[at], images[at]
        yield ids, images, np.full(len(ids), event.stamp, dtype=np.int64)
