"""The newest image of a row that both sides know: the base of a merge by cells, and what P7 compares with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from catalog_app.selectors.homes import NEVER
from catalog_app.selectors.rows import fetch_all
from merge_app.execution.lineage.readers import Reader
from merge_app.execution.version_vectors import VersionVector
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import Ints, image_codes

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
    WHERE c.version = {event}.stamp LIMIT 1
) known ON true
"""
_IMAGES = f"""
WITH {_SHARED}
SELECT DISTINCT s.file_id, s.stamp, 0::bigint, CASE WHEN s.kind <> 'restore' THEN ARRAY[]::bigint[] ELSE ARRAY(
    SELECT d.delete_file_id FROM catalog_app_segmentdelete d
    WHERE d.segment_id = s.id AND d.branch_id = s.branch_id AND d.attached_version = s.added_version) END,
    s.kind = 'restore', f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id {_KNOWN.format(event="s")}
UNION
SELECT s.file_id, p.stamp, p.rows_file_id, ARRAY[]::bigint[], false, f.is_gone
FROM files f JOIN catalog_app_segment s ON s.table_id = %(table)s AND s.file_id = f.id
JOIN catalog_app_segmentstamp p ON p.table_id = s.table_id AND p.segment_id = s.id {_KNOWN.format(event="p")}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """Images of rows that both sides know, by row id, with their stamps. One image may have several. ``are_all``: none
    lay in a file that retention took.
    """

    row_id: Ints
    image: Ints
    stamp: Ints
    are_all: bool = True


def shared_images(reader: Reader, row_ids: Ints, version_vectors: tuple[VersionVector, VersionVector]) -> Images:
    """``row_ids``: ascending. Only lineage columns are read, of files that may hold the rows."""
    if not len(row_ids):
        return Images(row_ids, row_ids, row_ids)
    source, target = version_vectors
    shared = {branch: min(upto, target[branch]) for branch, upto in source.items() if branch in target}
    shared = {branch: upto for branch, upto in shared.items() if upto < NEVER}
    asked = {
        "table": reader.table_id,
        "smallest": int(row_ids[0]),
        "largest": int(row_ids[-1]),
        "branches": list(shared),
        "upto": list(shared.values()),
    }
    found = fetch_all(_IMAGES, asked)
    reader.wanted[0].update(row[0] for row in found if not row[-1])
    reader.wanted[1].update(item for row in found for item in (*row[3], row[2]) if item)
    parts = [part for *row, is_gone in found if not is_gone for part in _images(reader, row_ids, *row)]
    empty = np.zeros(0, dtype=np.int64)
    ids, images, stamps = (np.concatenate([empty, *(part[n] for part in parts)]) for n in range(3))
    return Images(ids, images, stamps, are_all=not any(row[-1] for row in found))


def _images(
    reader: Reader, row_ids: Ints, file_id: int, stamp: int, rows_file: int, masks: list[int], is_restore: bool
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The rows of one event: its stamp is that of rows which store none, and of all that it named or restored."""
    positions, ids, stored = reader.rows(file_id, row_ids)
    is_asked = np.ones(len(ids), dtype=np.bool_)
    if rows_file:
        is_asked = are_among(positions, reader.marks(rows_file)[0])
    for mask in masks:
        is_asked &= ~are_among(positions, reader.marks(mask)[0])
    at = np.flatnonzero(is_asked)
    stamps = np.full(len(at), stamp, dtype=np.int64)
    if stored is not None and not rows_file and not is_restore:
        stamps = np.where(stored.stamp[at] > 0, stored.stamp[at], stamps)
    if len(at):
        yield ids[at], image_codes(file_id, positions[at]), stamps
