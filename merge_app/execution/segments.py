"""A plan's file effects as bulk SQL over all its tables at once: what goes, what comes, and what decodes it."""

from __future__ import annotations

import json

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import OperationKind
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import FACT_KIND, VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT
from lakeui.common.errors import Stale
from merge_app.execution.lineage.applying import steps_apply
from merge_app.execution.segment_deletes import (
    deletes_attach_brought,
    deletes_attach_leaving,
    deletes_attach_operations,
    deletes_attach_pairs,
)
from merge_app.execution.segment_work import FEW, SegmentWork, columns_of, segment_sql_run, source_parameters
from merge_app.planning.values import DataPlan, RepartitionFile


def segments_apply(work: SegmentWork) -> None:
    """Carry out every table's DataPlan."""
    if work.stepped():
        _step(work)
    if any(True for _ in work.tables()):
        deletes_attach_leaving(work)
        _remove(work)
        _bring_operations(work)
        _pass_operations(work)
        _bring_files(work)
        deletes_attach_operations(work)
        deletes_attach_pairs(work)
        deletes_attach_brought(work)
        _remove_passed(work)
    if work.all_tables():
        _keep_invisible_schemas(work)
        _refuse_expired(work)


def _step(work: SegmentWork) -> None:
    stepped = work.stepped()
    steps_apply(
        stepped,
        branch_id=work.branch_id,
        version=work.version,
        snapshot=work.snapshot,
        staged={key: value for result in work.row_work.values() for key, value in result.staged.items()},
        made={table_id: result.made for table_id, result in work.row_work.items()},
        definitions=work.definitions,
        rerun={table: (done.rows, done.row_deletes) for table, done in work.row_work.items() if table in stepped},
    )


_SOURCE = """source AS MATERIALIZED (
    SELECT * FROM unnest(%(source_ids)s::bigint[], %(source_limits)s::bigint[]) AS s(branch_id, max_version)
)"""

_REMOVE = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}),
whole AS (SELECT * FROM unnest(%(all_tables)s::bigint[], %(all_operations)s::bigint[]) AS w(table_id, operation_id)),
parts AS (SELECT * FROM unnest(%(part_tables)s::bigint[], %(part_values)s::text[], %(part_operations)s::bigint[])
          AS p(table_id, partition, operation_id)),
files AS (SELECT * FROM unnest(%(file_ids)s::bigint[], %(file_operations)s::bigint[], %(file_places)s::bigint[])
          AS f(file_id, operation_id, place)),
chosen AS (
    SELECT v.id, v.table_id, w.operation_id, 1 AS place FROM visible v JOIN whole w USING (table_id)
    WHERE NOT v.file_id = ANY(%(spared)s)
    UNION ALL
    SELECT v.id, v.table_id, p.operation_id, 1 FROM visible v
    JOIN parts p ON p.table_id = v.table_id AND p.partition::jsonb = v.partition
    WHERE NOT v.file_id = ANY(%(spared)s)
    UNION ALL
    SELECT v.id, v.table_id, f.operation_id, f.place FROM visible v JOIN files f USING (file_id)
)
INSERT INTO catalog_app_segmentremoval
    (table_id, branch_id, operation_id, removed_version, segment_id, stamp, kind)
SELECT c.table_id, %(branch)s, c.operation_id, %(version)s, c.id, o.origin_version, {FACT_KIND}
FROM (SELECT DISTINCT ON (id) * FROM chosen ORDER BY id, place, operation_id) c
JOIN catalog_app_commitoperation o ON o.id = c.operation_id
ORDER BY c.id
"""
"""What an overwrite or drop takes in the end was taken by it, although it had been compacted before; not what a rename
took along."""


def _remove(work: SegmentWork) -> None:
    whole, parts, files = [], [], []
    for item, data in work.tables():
        table_id = item.object_id
        if data.remove_all:
            whole.append((table_id, work.booking(table_id).of_emptying()))
        parts += [
            (table_id, json.dumps(list(values)), work.booking(table_id).of_emptying(values))
            for values in data.remove_partitions
        ]
        moved = _moved(data)
        for file_id in data.remove_files:
            booking, goal = work.booking(table_id), moved.get(file_id)
            row = booking.of_removed(file_id) if goal is None else booking.of_moved(file_id, goal)
            is_renamed = goal is not None or booking.is_taken_along(file_id)
            files.append((file_id, row, 0 if is_renamed else 2))
    if whole or parts or files:
        segment_sql_run(
            work,
            _REMOVE,
            spared=[file_id for _, data in work.tables() for file_id in data.spare_files],
            all_tables=[row[0] for row in whole],
            all_operations=[row[1] for row in whole],
            part_tables=[row[0] for row in parts],
            part_values=[row[1] for row in parts],
            part_operations=[row[2] for row in parts],
            file_ids=[row[0] for row in files],
            file_operations=[row[1] for row in files],
            file_places=[row[2] for row in files],
        )


def _moved(data: DataPlan) -> dict[int, PartitionValues]:
    return {item.file: item.partition for item in data.row_work if isinstance(item, RepartitionFile)}


_LINE = """line AS MATERIALIZED (
    SELECT h.table_id, h.version, h.definition_id FROM snapshot l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.version <= l.max_version AND h.table_id = ANY(%(table_ids)s)
)"""
"""The destination's visible schema line before this commit: what ``is_visible`` is judged by (semantics §4.5)."""

_STAMP = """CASE WHEN s.stamp = s.added_version AND EXISTS (
    SELECT 1 FROM catalog_app_branch b WHERE b.id = s.branch_id AND b.is_workspace)
    THEN %(version)s ELSE s.stamp END"""
"""Who decided the fact of a segment ``s``. What a transaction decided has the stamp of its commit."""
_PLACE = "partition, partition_stamp, partition_kind, partition_brings, partition_undoes"


def _place(alias: str) -> str:
    return ", ".join(f"{alias}.{name}" for name in _PLACE.split(", "))


_BRING = f"""
WITH {SNAPSHOT}, {_SOURCE}, {_LINE},
replay AS (SELECT * FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS r(old_id, new_id))
INSERT INTO catalog_app_segment
    (table_id, branch_id, operation_id, added_version, file_id, definition_id, schema_version, is_visible,
     stamp, kind, {_PLACE})
SELECT s.table_id, %(branch)s, replay.new_id, %(version)s, s.file_id, s.definition_id, s.schema_version,
       line.version IS NOT NULL, {_STAMP}, s.kind, {_place("s")}
FROM replay JOIN catalog_app_segment s ON s.operation_id = replay.old_id
LEFT JOIN line ON line.table_id = s.table_id AND line.version = s.schema_version
     AND line.definition_id = s.definition_id
WHERE NOT EXISTS (
    SELECT 1 FROM source m JOIN catalog_app_segmentremoval r
      ON r.branch_id = m.branch_id AND r.removed_version <= m.max_version AND r.table_id = ANY(%(table_ids)s)
    WHERE r.segment_id = s.id)
  AND NOT s.file_id = ANY(%(except)s)
ORDER BY s.id
"""


def _bring_operations(work: SegmentWork) -> None:
    pairs = [pair for item, data in work.tables() for pair in work.replay_ids(item.object_id, data.bring_operations)]
    if not pairs:
        return
    excepted = [file_id for _, data in work.tables() for file_id in data.bring_except]
    segment_sql_run(
        work,
        _BRING,
        **source_parameters(work),
        **{"old": [pair[0] for pair in pairs], "new": [pair[1] for pair in pairs], "except": excepted},
    )


_PASS = f"""
WITH {SNAPSHOT}, {_SOURCE}, {_LINE},
replay AS (SELECT * FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS r(old_id, new_id))
INSERT INTO catalog_app_segment
    (table_id, branch_id, operation_id, added_version, file_id, definition_id, schema_version, is_visible,
     stamp, kind, {_PLACE})
SELECT s.table_id, %(branch)s, replay.new_id, %(version)s, s.file_id, s.definition_id, s.schema_version,
       line.version IS NOT NULL, {_STAMP}, s.kind, {_place("s")}
FROM replay JOIN catalog_app_segment s ON s.operation_id = replay.old_id
JOIN catalog_app_segmentremoval r ON r.segment_id = s.id
JOIN source m ON m.branch_id = r.branch_id AND r.removed_version <= m.max_version
JOIN unnest(%(removers)s::bigint[]) AS remover(old_id) ON remover.old_id = r.operation_id
LEFT JOIN line ON line.table_id = s.table_id AND line.version = s.schema_version
     AND line.definition_id = s.definition_id
WHERE NOT s.file_id = ANY(%(except)s)
ORDER BY s.id
"""


def _pass_operations(work: SegmentWork) -> None:
    """Files that came and went in a transaction, until ``_remove_passed`` takes them away again."""
    pairs = _workspace_replays(work)
    if not pairs:
        return
    excepted = [
        file_id for _, data in work.tables() for files in (data.bring_except, data.bring_files) for file_id in files
    ]
    columns = {"old": [pair[0] for pair in pairs], "new": [pair[1] for pair in pairs], "except": excepted}
    segment_sql_run(work, _PASS, **source_parameters(work), **columns, removers=[pair[0] for pair in pairs])


def _workspace_replays(work: SegmentWork) -> list[tuple[int, int]]:
    """(operation row in the workspace, row of this commit) of what a transaction did to rows, overwrites apart."""
    if not work.is_workspace:
        return []
    return [
        (operation.operation_id, row)
        for item, _ in work.tables()
        for operation, row in work.operations(item.object_id)
        if operation.operation_id is not None and operation.is_data and operation.kind is not OperationKind.OVERWRITE
    ]


_BRING_FILES = f"""
WITH {SNAPSHOT}, {_SOURCE}, {_LINE},
wanted AS (
    SELECT * FROM unnest(%(tables)s::bigint[], %(files)s::bigint[], %(origins)s::bigint[], %(operations)s::bigint[],
                         %(definitions)s::bigint[], %(schema_versions)s::bigint[])
        AS w(table_id, file_id, origin_id, operation_id, definition_id, schema_version)
), latest AS (
    SELECT DISTINCT ON (w.file_id) w.file_id, s.definition_id, s.schema_version, {_STAMP} AS stamp, s.kind,
           w.file_id = w.origin_id AS is_itself, {_place("s")}
    FROM wanted w JOIN catalog_app_segment s ON s.table_id = w.table_id AND s.file_id = w.origin_id
    LEFT JOIN (SELECT branch_id, max_version FROM source UNION ALL SELECT branch_id, max_version FROM snapshot) m
      ON m.branch_id = s.branch_id AND s.added_version <= m.max_version
    ORDER BY w.file_id, m.branch_id IS NULL, s.added_version DESC
), placed AS (
    SELECT w.table_id, w.operation_id, w.file_id, coalesce(s.definition_id, w.definition_id) AS definition_id,
           coalesce(s.schema_version, w.schema_version) AS schema_version, s.file_id IS NULL AS is_new,
           s.stamp, s.kind, f.partition AS stored, coalesce(s.is_itself, false) AS is_itself, {_place("s")}
    FROM wanted w JOIN catalog_app_datafile f ON f.id = w.file_id LEFT JOIN latest s ON s.file_id = w.file_id
)
INSERT INTO catalog_app_segment
    (table_id, branch_id, operation_id, added_version, file_id, definition_id, schema_version, is_visible,
     stamp, kind, {_PLACE})
SELECT p.table_id, %(branch)s, p.operation_id, %(version)s, p.file_id, p.definition_id, p.schema_version,
       p.is_new OR line.version IS NOT NULL, coalesce(p.stamp, o.origin_version), coalesce(p.kind, {FACT_KIND}),
       CASE WHEN p.is_itself THEN p.partition ELSE p.stored END,
       coalesce(CASE WHEN p.is_itself THEN p.partition_stamp ELSE kept.partition_stamp END, 0),
       coalesce(CASE WHEN p.is_itself THEN p.partition_kind ELSE kept.partition_kind END, ''),
       CASE WHEN p.is_itself THEN p.partition_brings ELSE kept.partition_brings END,
       CASE WHEN p.is_itself THEN p.partition_undoes ELSE kept.partition_undoes END
FROM placed p JOIN catalog_app_commitoperation o ON o.id = p.operation_id
LEFT JOIN LATERAL (
    SELECT m.* FROM catalog_app_segment m
    JOIN snapshot l ON l.branch_id = m.branch_id AND m.added_version <= l.max_version
    WHERE m.table_id = p.table_id AND m.partition_stamp > 0 AND m.partition = p.stored
      AND o.kind IN ('update', 'compaction')
    ORDER BY m.partition_stamp DESC LIMIT 1
) kept ON p.is_new
LEFT JOIN line ON line.table_id = p.table_id AND line.version = p.schema_version
     AND line.definition_id = p.definition_id
ORDER BY p.file_id
"""
"""A file that some segment of either side shows, or showed, keeps the schema version that it was written under, and so
does one that was rewritten elsewhere before the source merged it; a statement's new file lies under the statement's
own, which is on the visible line. What an update or compaction writes keeps who decided the partition of its rows."""


def _bring_files(work: SegmentWork) -> None:
    rows = []
    for item, data in work.tables():
        table_id = item.object_id
        images = work.row_work[table_id].images if table_id in work.row_work else ()
        staged = work.definitions.get(table_id)
        under = (staged.definition_id, staged.schema_version) if staged else (None, None)
        booking, moved = work.booking(table_id), _moved(data)
        rows += [
            (table_id, new, old, booking.of_moved(old, moved[old]) if old in moved else booking.of_file(old), *under)
            for old, new in [*((f, f) for f in (*data.bring_files, *data.pass_files)), *images]
        ]
        merged = work.row_work[table_id].rows if table_id in work.row_work else ()
        rows += [(table_id, file, file, work.booking(table_id).of_kind(kind), *under) for kind, file in merged]
    if rows:
        names = ("tables", "files", "origins", "operations", "definitions", "schema_versions")
        segment_sql_run(work, _BRING_FILES, **source_parameters(work), **columns_of(rows, *names))


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


_REMOVE_PASSED = f"""
WITH {_SOURCE}, replay AS (SELECT * FROM unnest(%(old)s::bigint[], %(new)s::bigint[]) AS r(old_id, new_id))
INSERT INTO catalog_app_segmentremoval
    (table_id, branch_id, operation_id, removed_version, segment_id, stamp, kind)
SELECT s.table_id, %(branch)s, replay.new_id, %(version)s, s.id, o.origin_version, {FACT_KIND}
FROM replay JOIN catalog_app_commitoperation o ON o.id = replay.new_id
JOIN catalog_app_segmentremoval r ON r.operation_id = replay.old_id
JOIN source m ON m.branch_id = r.branch_id AND r.removed_version <= m.max_version
JOIN catalog_app_segment gone ON gone.id = r.segment_id
JOIN catalog_app_segment s
  ON s.file_id = gone.file_id AND s.branch_id = %(branch)s AND s.added_version = %(version)s
JOIN unnest(%(makers)s::bigint[]) AS maker(new_id) ON maker.new_id = s.operation_id
ORDER BY s.id
"""


def _remove_passed(work: SegmentWork) -> None:
    pairs = _workspace_replays(work)
    if pairs:
        columns = {"old": [pair[0] for pair in pairs], "new": [pair[1] for pair in pairs]}
        segment_sql_run(work, _REMOVE_PASSED, **source_parameters(work), **columns, makers=columns["new"])
    rows = [
        (file_id, work.booking(item.object_id).of_removed(file_id))
        for item, data in work.tables()
        for file_id in data.pass_files
    ]
    if rows:
        segment_sql_run(work, _REMOVE_NEW, **columns_of(rows, "files", "operations"))


_EXPIRED = """
SELECT e.path FROM catalog_app_segment s JOIN catalog_app_expiredfile e ON e.data_file_id = s.file_id
WHERE s.table_id = ANY(%(tables)s) AND s.branch_id = %(branch)s AND s.added_version = %(version)s LIMIT 1
"""


def _refuse_expired(work: SegmentWork) -> None:
    """A file that expired since the plan was made must not come back: VACUUM marks under the branch's lock."""
    tables = work.all_tables()
    asked = {"tables": tables, "branch": work.branch_id, "version": work.version}
    found = fetch_all(_EXPIRED, asked, prepared=len(tables) <= FEW)
    if found:
        raise Stale(
            f"The file {found[0][0]} expired while this was planned; nothing was written.",
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
"""


def _keep_invisible_schemas(work: SegmentWork) -> None:
    if work.source is not None:
        segment_sql_run(work, _INVISIBLE)
