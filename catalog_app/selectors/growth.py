"""How large a table was at each version that changed its data: metadata only, one query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The table right after ``version``: live rows (exact as in ``TableSize``), bytes and number of data files."""

    version: int
    time: datetime
    operation: str
    rows: int
    bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class TableGrowth:
    """``points`` are oldest first; ``total`` counts the versions that they were chosen from."""

    points: tuple[SizePoint, ...]
    total: int


_GROWTH = f"""
WITH {SNAPSHOT}, removals AS (
    SELECT r.segment_id, min(r.removed_version) AS version
    FROM snapshot l JOIN catalog_app_segmentremoval r
      ON r.table_id = %(table_id)s AND r.branch_id = l.branch_id AND r.removed_version <= l.max_version
    GROUP BY r.segment_id
), segments AS (
    SELECT s.id, s.added_version, f.rows, f.bytes, r.version AS removed_version
    FROM snapshot l JOIN catalog_app_segment s
      ON s.table_id = %(table_id)s AND s.branch_id = l.branch_id AND s.added_version <= l.max_version
    JOIN catalog_app_datafile f ON f.id = s.file_id
    LEFT JOIN removals r ON r.segment_id = s.id
), masks AS (
    SELECT s.id, s.rows AS held, d.attached_version, f.rows,
           sum(f.rows) OVER (PARTITION BY s.id ORDER BY d.attached_version, d.id) AS named
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = %(table_id)s AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    JOIN segments s ON s.id = d.segment_id AND (s.removed_version IS NULL OR d.attached_version < s.removed_version)
), masked AS (SELECT id, max(named) AS named FROM masks GROUP BY id
), changes AS (
    SELECT added_version AS version, rows, bytes, 1 AS files FROM segments
    UNION ALL
    SELECT attached_version, least(named - rows, held) - least(named, held), 0, 0 FROM masks
    UNION ALL
    SELECT s.removed_version, least(coalesce(m.named, 0), s.rows) - s.rows, -s.bytes, -1
    FROM segments s LEFT JOIN masked m USING (id) WHERE s.removed_version IS NOT NULL
), versions AS (
    SELECT version, sum(sum(rows)) OVER upto AS rows, sum(sum(bytes)) OVER upto AS bytes,
           sum(sum(files)) OVER upto AS files, row_number() OVER upto - 1 AS place, count(*) OVER () AS total,
           greatest(count(*) OVER () - 1, 1) AS last
    FROM changes GROUP BY version WINDOW upto AS (ORDER BY version)
)
SELECT v.version, c.committed_at, c.operation, v.rows::bigint, v.bytes::bigint, v.files::bigint, v.total
FROM versions v JOIN catalog_app_commit c ON c.catalog_id = %(catalog_id)s AND c.version = v.version
WHERE v.total <= %(most)s OR v.place = 0
   OR v.place * (%(most)s - 1) / v.last <> (v.place - 1) * (%(most)s - 1) / v.last
ORDER BY v.version
"""
"""Where there are more than ``most`` versions, the first, the last and an even choice of those between them."""


def table_growth(snapshot: Snapshot, *, catalog_id: int, table_id: int, most: int) -> TableGrowth:
    """The sizes of a table over the versions that the chain sees, at ``most`` (2 or more) of them."""
    parameters = {**snapshot.parameters, "catalog_id": catalog_id, "table_id": table_id, "most": most}
    rows = fetch_all(_GROWTH, parameters)
    return TableGrowth(tuple(SizePoint(*row[:6]) for row in rows), rows[0][6] if rows else 0)
