"""A plan's delete files, attached to the segments that hold their rows: bulk SQL over all its tables at once."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.selectors.segments import FACT_KIND
from catalog_app.selectors.snapshots import SNAPSHOT
from merge_app.execution.segment_work import SegmentWork, columns_of, segment_sql_run, source_parameters

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
), wanted AS ({{wanted}})
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
"""``here`` is the destination with this commit's own removals and segments already counted."""

_BY_OPERATION = """
SELECT DISTINCT ON (f.id) f.id AS delete_file_id, f.data_file_id, replay.new_id AS operation_id
FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS replay(old_id, new_id)
JOIN catalog_app_commitoperation o ON o.id = replay.old_id
JOIN catalog_app_segmentdelete d ON d.operation_id IN (o.id, o.origin_id)
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE NOT f.id = ANY(%(except)s)
ORDER BY f.id
"""
"""Also what the original marked in files that were not shown where it was replayed."""

_BY_PAIR = """
SELECT * FROM unnest(%(deletes)s::bigint[], %(files)s::bigint[], %(operations)s::bigint[])
    AS w(delete_file_id, data_file_id, operation_id)
"""


_OF_BROUGHT = """
SELECT DISTINCT ON (f.id) f.id AS delete_file_id, f.data_file_id, replay.new_id AS operation_id
FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS replay(old_id, new_id)
JOIN catalog_app_segment s ON s.operation_id = replay.old_id
JOIN catalog_app_segmentdelete d ON d.segment_id = s.id
JOIN unnest(%(source_ids)s::bigint[], %(source_limits)s::bigint[]) AS m(branch_id, max_version)
  ON m.branch_id = d.branch_id AND d.attached_version <= m.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE NOT s.file_id = ANY(%(except)s)
ORDER BY f.id
"""


def deletes_attach_brought(work: SegmentWork) -> None:
    """A file comes over with all that the source sees deleted in it, also by what the destination did itself."""
    pairs = [pair for item, data in work.tables() for pair in work.replay_ids(item.object_id, data.bring_operations)]
    if pairs and work.source is not None:
        excepted = [file_id for _, data in work.tables() for file_id in data.bring_except]
        columns = {"old": [pair[0] for pair in pairs], "new": [pair[1] for pair in pairs], "except": excepted}
        segment_sql_run(work, _ATTACH.format(wanted=_OF_BROUGHT), **source_parameters(work), **columns)


def deletes_attach_operations(work: SegmentWork) -> None:
    """What the source's operations marked, wherever its file is in sight once files have gone and come."""
    pairs = [pair for item, data in work.tables() for pair in work.replay_ids(item.object_id, data.attach_operations)]
    if pairs:
        excepted = [delete for _, data in work.tables() for delete in data.attach_except]
        columns = {"old": [pair[0] for pair in pairs], "new": [pair[1] for pair in pairs], "except": excepted}
        segment_sql_run(work, _ATTACH.format(wanted=_BY_OPERATION), **columns)


def deletes_attach_leaving(work: SegmentWork) -> None:
    """Deletes of a statement's own in files that it also takes away: they say which operation touched which rows."""
    rows = [
        (delete_file, data_file, work.booking(item.object_id).of_delete(delete_file, data_file))
        for item, data in work.tables()
        for delete_file, data_file in data.attach
        if data_file in data.remove_files
    ]
    _attach_rows(work, rows)
    if work.is_workspace:
        deletes_attach_operations(work)


def deletes_attach_pairs(work: SegmentWork) -> None:
    """The plan's own pairs, and what the engine staged for its row work."""
    rows = []
    for item, data in work.tables():
        table_id = item.object_id
        followed = work.row_work[table_id].attach if table_id in work.row_work else ()
        booking = work.booking(table_id)
        rows += [(delete, file, booking.of_delete(delete, file)) for delete, file in data.attach]
        rows += [(delete, file, booking.of_row_work(cause, file)) for delete, file, cause in followed]
        merged = work.row_work[table_id].row_deletes if table_id in work.row_work else ()
        rows += [(delete, file, booking.of_kind(kind)) for kind, delete, file in merged]
    _attach_rows(work, rows)


def _attach_rows(work: SegmentWork, rows: Sequence[tuple[int, int, int]]) -> None:
    if rows:
        segment_sql_run(work, _ATTACH.format(wanted=_BY_PAIR), **columns_of(rows, "deletes", "files", "operations"))
