"""What changed on a chain between two of its versions: objects, tables with other files, and the files themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot

_RANGES = """ranges AS (
    SELECT * FROM unnest(%(range_branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[])
        AS r(branch_id, after, upto)
)"""


def _ranges(then: Snapshot, now: Snapshot) -> dict[str, list[int]]:
    """The commits of the chain that ``now`` sees and ``then`` does not. Both are of one branch."""
    return {"range_branches": list(now.branch_ids), "after": list(then.limits), "upto": list(now.limits)}


_OBJECTS = f"""
WITH {_RANGES}
SELECT DISTINCT o.object_kind, o.object_id
FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
WHERE o.object_kind IN ('database', 'table') AND NOT o.already_done
"""


def changed_objects(then: Snapshot, now: Snapshot) -> tuple[set[int], set[int]]:
    """Ids of the databases and of the tables that the commits in between name."""
    rows = fetch_all(_OBJECTS, _ranges(then, now))
    return {row[1] for row in rows if row[0] == "database"}, {row[1] for row in rows if row[0] == "table"}


_KINDS = f"""
WITH {_RANGES}
SELECT DISTINCT o.object_kind, o.object_id, o.kind
FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
"""


def changes_made(then: Snapshot, now: Snapshot) -> set[tuple[str, int, str]]:
    """Which kinds of changes the commits in between made to which objects."""
    return {(row[0], row[1], row[2]) for row in fetch_all(_KINDS, _ranges(then, now))}


_VIEWS = f"""
WITH {_RANGES}
SELECT DISTINCT v.view_id FROM ranges r JOIN catalog_app_viewrecord v
  ON v.branch_id = r.branch_id AND v.version > r.after AND v.version <= r.upto
"""


def changed_views(then: Snapshot, now: Snapshot) -> set[int]:
    """Ids of the views that the commits in between made, changed or dropped."""
    return {row[0] for row in fetch_all(_VIEWS, _ranges(then, now))}


_FILE_CHANGES = f"""
WITH {_RANGES}
SELECT DISTINCT e.table_id FROM ranges r JOIN (
    SELECT table_id, branch_id, added_version AS version FROM catalog_app_segment WHERE table_id = ANY(%(tables)s)
    UNION ALL
    SELECT table_id, branch_id, removed_version FROM catalog_app_segmentremoval WHERE table_id = ANY(%(tables)s)
    UNION ALL
    SELECT table_id, branch_id, attached_version FROM catalog_app_segmentdelete WHERE table_id = ANY(%(tables)s)
) e ON e.branch_id = r.branch_id AND e.version > r.after AND e.version <= r.upto
"""


def tables_with_file_changes(then: Snapshot, now: Snapshot, tables: Collection[int]) -> set[int]:
    """Those of the tables whose files or deletes the commits in between touched."""
    if not tables:
        return set()
    return {row[0] for row in fetch_all(_FILE_CHANGES, {**_ranges(then, now), "tables": list(tables)})}


_TABLE_COMMITS = f"""
WITH {_RANGES}
SELECT DISTINCT c.version, c.committed_at FROM ranges r JOIN (
    SELECT branch_id, added_version AS version FROM catalog_app_segment WHERE table_id = %(table)s
    UNION ALL
    SELECT branch_id, removed_version FROM catalog_app_segmentremoval WHERE table_id = %(table)s
    UNION ALL
    SELECT branch_id, attached_version FROM catalog_app_segmentdelete WHERE table_id = %(table)s
) e ON e.branch_id = r.branch_id AND e.version > r.after AND e.version <= r.upto
JOIN catalog_app_commit c ON c.branch_id = e.branch_id AND c.version = e.version
ORDER BY c.version LIMIT %(limit)s
"""


def table_commits(then: Snapshot, now: Snapshot, table_id: int, *, limit: int) -> list[tuple[int, datetime]]:
    """Version and time of the first ``limit`` commits in between that touched files or deletes of the table."""
    return [tuple(row) for row in fetch_all(_TABLE_COMMITS, {**_ranges(then, now), "table": table_id, "limit": limit})]


@dataclass(frozen=True, slots=True)
class VisibleFile:
    """A visible data file with the delete files that mask it, as (delete file id, data file id, rows)."""

    added: AddedFile
    deletes: frozenset[tuple[int, int, int]]


_FILES = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT v.table_id, f.id, f.base, f.rows, v.partition, f.stores_row_ids, f.smallest_row_id, f.largest_row_id,
       masks.ids, masks.counts
FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id
LEFT JOIN (
    SELECT d.segment_id, array_agg(x.id) AS ids, array_agg(x.rows) AS counts
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile x ON x.id = d.delete_file_id
    GROUP BY d.segment_id
) masks ON masks.segment_id = v.id
ORDER BY v.added_version, f.base
"""


def table_files(snapshot: Snapshot, tables: Collection[int]) -> dict[int, list[VisibleFile]]:
    """The files of these tables by table, in one query."""
    found: dict[int, list[VisibleFile]] = {}
    if tables:
        for row in fetch_all(_FILES, {**snapshot.parameters, "table_ids": list(tables)}):
            found.setdefault(row[0], []).append(_file(row))
    return found


def masked(files: Iterable[VisibleFile]) -> set[tuple[int, PartitionValues, frozenset[tuple[int, int, int]]]]:
    """The files with partition and deletes: what two states of a table differ in, whatever operations led to them."""
    return {(item.added.file_id, item.added.partition, item.deletes) for item in files}


def _file(row: tuple[Any, ...]) -> VisibleFile:
    file_id = row[1]
    deletes = frozenset((delete, file_id, rows) for delete, rows in zip(row[8] or (), row[9] or (), strict=True))
    added = AddedFile(file_id, row[2], row[3], tuple(json_value(row[4])), row[5], row[6], row[7])
    return VisibleFile(added, deletes)
