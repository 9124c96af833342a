"""A plan's delete files, attached to the segments that hold their rows: bulk SQL over all its tables at once."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.selectors.segments import FACT_KIND
from catalog_app.selectors.snapshots import SNAPSHOT
from merge_app.execution.segment_work import SegmentWork, columns_of, segment_sql_run

_LIVE_TARGET = """
    target.file_id = wanted.data_file_id AND NOT EXISTS (
        SELECT 1 FROM here m JOIN catalog_app_segmentremoval r
          ON r.branch_id = m.branch_id AND r.removed_version <= m.max_version
        WHERE r.segment_id = target.id)
"""

_ATTACH = f"""
WITH {SNAPSHOT}, here AS (
    SELECT branch_id, CASE WHEN branch_id = %(branch)s THEN %(version)s ELSE max_version END AS max_version
    FROM snapshot
), wanted AS (
    SELECT * FROM unnest(%(deletes)s::bigint[], %(files)s::bigint[], %(operations)s::bigint[])
        AS w(delete_file_id, data_file_id, operation_id)
)
INSERT INTO catalog_app_segmentdelete
    (table_id, branch_id, operation_id, attached_version, segment_id, delete_file_id, stamp, kind)
SELECT target.table_id, %(branch)s, wanted.operation_id, %(version)s, target.id, wanted.delete_file_id,
       o.origin_version, {FACT_KIND}
FROM wanted JOIN catalog_app_commitoperation o ON o.id = wanted.operation_id
JOIN here h ON true JOIN catalog_app_segment target
  ON target.branch_id = h.branch_id AND target.added_version <= h.max_version AND {_LIVE_TARGET}
WHERE NOT EXISTS (
    SELECT 1 FROM here m JOIN catalog_app_segmentdelete d
      ON d.branch_id = m.branch_id AND d.attached_version <= m.max_version
    WHERE d.segment_id = target.id AND d.delete_file_id = wanted.delete_file_id)
ORDER BY target.id, wanted.delete_file_id
"""
"""``here`` is the target with this commit's own removals and segments already counted."""


def deletes_attach_leaving(work: SegmentWork) -> None:
    """Deletes of a statement's own in files that it also takes away: they say which operation touched which rows."""
    rows = [
        (delete_file, data_file, work.attribution(item.object_id).of_delete(delete_file))
        for item, data in work.tables()
        for delete_file, data_file in data.attach
        if data_file in data.remove_files
    ]
    _attach_rows(work, rows)


def deletes_attach(work: SegmentWork) -> None:
    """The plan's delete files, on files that are shown once others have gone and come."""
    pairs = [(item.object_id, *pair) for item, data in work.tables() for pair in data.attach]
    rows = [(delete, file, work.attribution(table_id).of_delete(delete)) for table_id, delete, file in pairs]
    _attach_rows(work, rows)


def _attach_rows(work: SegmentWork, rows: Sequence[tuple[int, int, int]]) -> None:
    if rows:
        segment_sql_run(work, _ATTACH, **columns_of(rows, "deletes", "files", "operations"))
