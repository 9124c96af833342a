"""A plan's file effects as bulk SQL over all its tables at once: what goes, what comes, and what decodes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from catalog_app.selectors.segments import FACT_KIND, VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT
from lakeui.common.errors import Stale
from merge_app.execution.lineage.applying import steps_apply
from merge_app.execution.segment_work import SegmentWork, columns_of, segment_sql_run


def segments_apply(work: SegmentWork) -> tuple[tuple[int, int], ...]:
    """Carry out every table's DataPlan. Answers table and version of the schemas that are kept invisible."""
    has_invisible = False
    if work.stepped():
        expired, has_invisible = _step(work)
        _refuse_expired(expired)
    if any(True for _ in work.tables()):
        _attach(work, leaving=True)
        _remove(work)
        _bring_files(work)
        _attach(work)
        _remove_passed(work)
    invisible = segment_sql_run(work, _INVISIBLE) if work.is_merge and has_invisible else []
    return tuple((table_id, version) for table_id, version in invisible)


def _step(work: SegmentWork) -> tuple[list[tuple[str | None]], bool]:
    stepped = work.stepped()
    return steps_apply(
        stepped,
        branch_id=work.branch_id,
        version=work.version,
        snapshot=work.snapshot,
        staged={key: value for result in work.row_work.values() for key, value in result.staged.items()},
        made={table_id: result.made for table_id, result in work.row_work.items()},
        definitions=work.definitions,
        rerun={table: (done.rows, done.row_deletes) for table, done in work.row_work.items() if table in stepped},
    )


_REMOVE = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}),
whole AS (SELECT * FROM unnest(%(all_tables)s::bigint[], %(all_operations)s::bigint[]) AS w(table_id, operation_id)),
parts AS (SELECT * FROM unnest(%(part_tables)s::bigint[], %(part_values)s::text[], %(part_operations)s::bigint[])
          AS p(table_id, partition, operation_id)),
files AS (SELECT * FROM unnest(%(file_ids)s::bigint[], %(file_operations)s::bigint[]) AS f(file_id, operation_id)),
chosen AS (
    SELECT v.id, v.table_id, w.operation_id, 1 AS place FROM visible v JOIN whole w USING (table_id)
    UNION ALL
    SELECT v.id, v.table_id, p.operation_id, 1 FROM visible v
    JOIN parts p ON p.table_id = v.table_id AND p.partition::jsonb = v.partition
    UNION ALL
    SELECT v.id, v.table_id, f.operation_id, 2 FROM visible v JOIN files f USING (file_id)
)
INSERT INTO catalog_app_segmentremoval
    (table_id, branch_id, operation_id, removed_version, segment_id, stamp, kind)
SELECT c.table_id, %(branch)s, c.operation_id, %(version)s, c.id, o.origin_version, {FACT_KIND}
FROM (SELECT DISTINCT ON (id) * FROM chosen ORDER BY id, place, operation_id) c
JOIN catalog_app_commitoperation o ON o.id = c.operation_id
ORDER BY c.id
"""
"""What an overwrite or drop takes in the end was taken by it, although it had been compacted before."""


def _remove(work: SegmentWork) -> None:
    whole, parts, files = [], [], []
    for item, data in work.tables():
        table_id = item.object_id
        if data.remove_all:
            whole.append((table_id, work.attribution(table_id).of_emptying()))
        parts += [
            (table_id, json.dumps(list(values)), work.attribution(table_id).of_emptying(values))
            for values in data.remove_partitions
        ]
        files += [(file_id, work.attribution(table_id).of_removed(file_id)) for file_id in data.remove_files]
    if whole or parts or files:
        segment_sql_run(
            work,
            _REMOVE,
            all_tables=[row[0] for row in whole],
            all_operations=[row[1] for row in whole],
            part_tables=[row[0] for row in parts],
            part_values=[row[1] for row in parts],
            part_operations=[row[2] for row in parts],
            file_ids=[row[0] for row in files],
            file_operations=[row[1] for row in files],
        )


_BRING_FILES = f"""
WITH {SNAPSHOT}, placed AS (
    SELECT w.*, f.partition FROM unnest(%(tables)s::bigint[], %(files)s::bigint[], %(operations)s::bigint[],
                                        %(definitions)s::bigint[], %(schema_versions)s::bigint[])
        AS w(table_id, file_id, operation_id, definition_id, schema_version)
    JOIN catalog_app_datafile f ON f.id = w.file_id
)
INSERT INTO catalog_app_segment
    (table_id, branch_id, operation_id, added_version, file_id, definition_id, schema_version, is_visible,
     stamp, kind, partition, partition_stamp, partition_kind, partition_brings, partition_undoes)
SELECT p.table_id, %(branch)s, p.operation_id, %(version)s, p.file_id, p.definition_id, p.schema_version, true,
       o.origin_version, {FACT_KIND}, p.partition, coalesce(kept.partition_stamp, 0),
       coalesce(kept.partition_kind, ''), kept.partition_brings, kept.partition_undoes
FROM placed p JOIN catalog_app_commitoperation o ON o.id = p.operation_id
LEFT JOIN LATERAL (
    SELECT m.* FROM catalog_app_segment m
    JOIN snapshot l ON l.branch_id = m.branch_id AND m.added_version <= l.max_version
    WHERE m.table_id = p.table_id AND m.partition_stamp > 0 AND m.partition = p.partition
      AND o.kind IN ('update', 'compaction')
    ORDER BY m.partition_stamp DESC LIMIT 1
) kept ON true
ORDER BY p.file_id
RETURNING (SELECT e.path FROM catalog_app_expiredfile e WHERE e.data_file_id = catalog_app_segment.file_id)
"""
"""A statement's files lie under its own schema version, which is on the visible line. What an update or compaction
writes keeps who decided the partition of its rows."""


def _bring_files(work: SegmentWork) -> None:
    rows = []
    for item, data in work.tables():
        staged = work.definitions.get(item.object_id)
        under = (staged.definition_id, staged.schema_version) if staged else (None, None)
        attribution = work.attribution(item.object_id)
        files = (*data.bring_files, *data.pass_files)
        rows += [(item.object_id, file_id, attribution.of_file(file_id), *under) for file_id in files]
    if rows:
        names = ("tables", "files", "operations", "definitions", "schema_versions")
        _refuse_expired(segment_sql_run(work, _BRING_FILES, **columns_of(rows, *names)))


_REMOVE_NEW = f"""
INSERT INTO catalog_app_segmentremoval
    (table_id, branch_id, operation_id, removed_version, segment_id, stamp, kind)
SELECT s.table_id, %(branch)s, w.operation_id, %(version)s, s.id, o.origin_version, {FACT_KIND}
FROM unnest(%(files)s::bigint[], %(operations)s::bigint[]) AS w(file_id, operation_id)
JOIN catalog_app_commitoperation o ON o.id = w.operation_id
JOIN catalog_app_segment s
  ON s.file_id = w.file_id AND s.branch_id = %(branch)s AND s.added_version = %(version)s
 AND s.table_id = ANY(%(table_ids)s)
ORDER BY s.id
"""


def _remove_passed(work: SegmentWork) -> None:
    rows = [
        (file_id, work.attribution(item.object_id).of_removed(file_id))
        for item, data in work.tables()
        for file_id in data.pass_files
    ]
    if rows:
        segment_sql_run(work, _REMOVE_NEW, **columns_of(rows, "files", "operations"))


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


def _attach(work: SegmentWork, *, leaving: bool = False) -> None:
    """The plan's delete files, on files that are shown once others have gone and come. ``leaving``: before that those
    in files that the statement also takes away: they say which operation touched which rows.
    """
    rows = [
        (delete_file, data_file, work.attribution(item.object_id).of_delete(delete_file))
        for item, data in work.tables()
        for delete_file, data_file in data.attach
        if not leaving or data_file in data.remove_files
    ]
    if rows:
        segment_sql_run(work, _ATTACH, **columns_of(rows, "deletes", "files", "operations"))


def _refuse_expired(paths: Sequence[tuple[Any, ...]]) -> None:
    """A file that expired since the plan was made must not come back: VACUUM marks under the branch's lock. ``paths``:
    of files that are brought, those that expired.
    """
    for (path,) in paths:
        if path is None:
            continue
        raise Stale(
            f"The file {path} expired while this was planned; nothing was written.",
            remedy="Go back to a version within the retention.",
        )


_INVISIBLE = f"""
WITH {SNAPSHOT}
INSERT INTO catalog_app_invisibleschemahistory (branch_id, table_id, version, definition_id, added_version)
SELECT DISTINCT %(branch)s, s.table_id, s.schema_version, s.definition_id, %(version)s
FROM catalog_app_segment s
WHERE s.table_id = ANY(%(table_ids)s) AND s.branch_id = %(branch)s AND s.added_version = %(version)s
  AND NOT s.is_visible
  AND NOT EXISTS (SELECT 1 FROM catalog_app_segmentremoval r WHERE r.segment_id = s.id AND r.branch_id = %(branch)s)
  AND NOT EXISTS (
    SELECT 1 FROM snapshot l JOIN catalog_app_invisibleschemahistory i
      ON i.branch_id = l.branch_id AND i.added_version <= l.max_version
    WHERE i.table_id = s.table_id AND i.version = s.schema_version AND i.definition_id = s.definition_id)
RETURNING table_id, version
"""
