"""The files of a table as other engines see them: without statistics, which only what is new needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.files import ColumnStatistics, PartitionValues, Statistics
from catalog_app.domain.transforms import FileLayout
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS, layout_read
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from lakeui.common.records import record

Key = tuple[int, int]
"""The place of a file among those of a version: the version that took it in, and its id."""
Range = tuple[Key, Key]
"""Keys from the first one on and below the second one."""

_SAID = """
SELECT f.id, f.path, f.rows, f.bytes, s.added_version, s.definition_id, s.partition,
       coalesce(m.paths, ARRAY[]::text[]), s.partition <> f.partition AND NOT f.lacks_partition, f.layout, f.by_name,
       f.base, coalesce(nullif(s.stamp, 0), s.added_version)
FROM visible s JOIN catalog_app_datafile f ON f.id = s.file_id
"""
_FILES = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), masks AS (
    SELECT d.segment_id, array_agg(f.path ORDER BY d.id) AS paths
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    GROUP BY d.segment_id
)
{_SAID} LEFT JOIN masks m ON m.segment_id = s.id
ORDER BY s.added_version, f.base
"""
_WITHIN = """
    SELECT s.* FROM snapshot l CROSS JOIN (
        SELECT * FROM unnest(%(low)s::bigint[], %(low_file)s::bigint[], %(high)s::bigint[], %(high_file)s::bigint[])
            AS r(low, low_file, high, high_file)) r
    JOIN catalog_app_segment s ON s.table_id = %(table_id)s AND s.branch_id = l.branch_id
      AND s.added_version BETWEEN r.low AND least(r.high, l.max_version)
      AND (s.added_version, s.file_id) >= (r.low, r.low_file) AND (s.added_version, s.file_id) < (r.high, r.high_file)
    WHERE NOT EXISTS (
        SELECT 1 FROM snapshot m JOIN catalog_app_segmentremoval r
          ON r.branch_id = m.branch_id AND r.segment_id = s.id AND r.removed_version <= m.max_version)
"""
_MASKS = """
    SELECT s.id AS segment_id, array_agg(f.path ORDER BY d.id) AS paths
    FROM {segments} s JOIN snapshot l ON true JOIN catalog_app_segmentdelete d
      ON d.segment_id = s.id AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    GROUP BY s.id
"""
_FILES_WITHIN = f"""
WITH {SNAPSHOT}, visible AS MATERIALIZED ({_WITHIN}), masks AS ({_MASKS.format(segments="visible")})
{_SAID} LEFT JOIN masks m ON m.segment_id = s.id
ORDER BY s.added_version, f.base
"""
_MASKED_WITHIN = f"""
WITH {SNAPSHOT}, marked AS MATERIALIZED (
    SELECT DISTINCT d.segment_id AS id FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = %(table_id)s AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
), visible AS MATERIALIZED (
    SELECT s.* FROM marked JOIN catalog_app_segment s ON s.id = marked.id
    JOIN unnest(%(low)s::bigint[], %(low_file)s::bigint[], %(high)s::bigint[], %(high_file)s::bigint[])
        AS r(low, low_file, high, high_file)
      ON (s.added_version, s.file_id) >= (r.low, r.low_file) AND (s.added_version, s.file_id) < (r.high, r.high_file)
    WHERE EXISTS (SELECT 1 FROM snapshot l WHERE s.branch_id = l.branch_id AND s.added_version <= l.max_version)
      AND NOT EXISTS (
        SELECT 1 FROM snapshot m JOIN catalog_app_segmentremoval r
          ON r.branch_id = m.branch_id AND r.segment_id = s.id AND r.removed_version <= m.max_version)
), masks AS ({_MASKS.format(segments="visible")})
{_SAID} JOIN masks m ON m.segment_id = s.id
ORDER BY s.added_version, f.base
"""
_CHANGED = """
WITH since AS MATERIALIZED (
    SELECT branch_id, since, max_version
    FROM unnest(%(branch_ids)s::bigint[], %(since)s::bigint[], %(limits)s::bigint[]) AS l(branch_id, since, max_version)
)
SELECT s.added_version, s.file_id, true FROM since l JOIN catalog_app_segment s
  ON s.table_id = %(table_id)s AND s.branch_id = l.branch_id
 AND s.added_version > l.since AND s.added_version <= l.max_version
UNION SELECT s.added_version, s.file_id, true FROM since l JOIN catalog_app_segmentremoval r
  ON r.table_id = %(table_id)s AND r.branch_id = l.branch_id
 AND r.removed_version > l.since AND r.removed_version <= l.max_version
JOIN catalog_app_segment s ON s.id = r.segment_id
UNION SELECT s.added_version, s.file_id, false FROM since l JOIN catalog_app_segmentdelete d
  ON d.table_id = %(table_id)s AND d.branch_id = l.branch_id
 AND d.attached_version > l.since AND d.attached_version <= l.max_version
JOIN catalog_app_segment s ON s.id = d.segment_id
"""
_FOLDERS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS})
SELECT folder, EXISTS (
    SELECT FROM catalog_app_table t WHERE t.catalog_id = %(catalog)s
    AND t.id = CASE WHEN folder ~ '^[0-9]{{1,18}}$' THEN folder::bigint END)
FROM (SELECT split_part(f.path, '/', 1) AS folder FROM visible s JOIN catalog_app_datafile f ON f.id = s.file_id
    UNION SELECT unnest(%(table_ids)s::bigint[])::text) places
"""
_STATISTICS = "SELECT id, statistics FROM catalog_app_datafile WHERE id = ANY(%(ids)s)"


@record(frozen=True, slots=True)
class ShownFile:
    """A data file that the chain sees. ``is_moved``: the file stores other values than those of
    ``partition``. ``by_name``: it has no field ids. ``base``: the id of its first row, and ``stamp`` who decided its
    rows, where the file does not store them.
    """

    file_id: int
    path: str
    rows: int
    bytes: int
    added_version: int
    definition_id: int
    partition: PartitionValues
    delete_paths: tuple[str, ...]
    is_moved: bool
    layout: FileLayout = ()
    by_name: bool = False
    base: int = 0
    stamp: int = 0


def files_shown(snapshot: Snapshot, table_id: int) -> list[ShownFile]:
    """The visible files of a table, in the order in which they were added."""
    rows = fetch_all(_FILES, {**snapshot.parameters, "table_ids": [table_id]})
    return [_shown(row) for row in rows]


def folders_shown(catalog_id: int, snapshot: Snapshot, table_id: int) -> frozenset[str] | None:
    """The folders of the warehouse, one a table, that hold the visible files of a table: its own, and those of tables
    that it was cloned from. None where a file lies outside of the warehouse, or a folder is of another catalog.
    """
    found = fetch_all(_FOLDERS, {**snapshot.parameters, "table_ids": [table_id], "catalog": catalog_id})
    return frozenset(folder for folder, _ in found) if all(is_own for _, is_own in found) else None


def files_within(
    snapshot: Snapshot, table_id: int, ranges: Sequence[Range], *, only_marked: bool = False
) -> list[ShownFile]:
    """The visible files of a table whose keys are in the ranges, of which no two overlap. ``only_marked``: those that
    have deletes.
    """
    bounds = {
        "low": [low[0] for low, _ in ranges],
        "low_file": [low[1] for low, _ in ranges],
        "high": [high[0] for _, high in ranges],
        "high_file": [high[1] for _, high in ranges],
    }
    query = _MASKED_WITHIN if only_marked else _FILES_WITHIN
    return [_shown(row) for row in fetch_all(query, {**snapshot.parameters, **bounds, "table_id": table_id})]


@dataclass(frozen=True, slots=True)
class ChangedKeys:
    """``files``: of those that came or went. ``marks``: of these, and of those that got deletes."""

    files: frozenset[Key]
    marks: frozenset[Key]


def keys_changed(snapshot: Snapshot, table_id: int, branch_id: int, version: int) -> ChangedKeys:
    """What the chain changed of the files of a table since a version of one of its branches."""
    place = snapshot.branch_ids.index(branch_id)
    asked = {
        "table_id": table_id,
        "branch_ids": list(snapshot.branch_ids[: place + 1]),
        "since": [0] * place + [version],
        "limits": list(snapshot.limits[: place + 1]),
    }
    found = fetch_all(_CHANGED, asked)
    files = frozenset((added, file_id) for added, file_id, is_file in found if is_file)
    return ChangedKeys(files, files | {(added, file_id) for added, file_id, _ in found})


def _shown(row: tuple[Any, ...]) -> ShownFile:
    # In the order of the fields: large tables have very many files.
    file_id, path, rows, size, version, definition_id, partition, deletes, is_moved, layout, by_name, base, stamp = row
    place = tuple(json_value(partition)), tuple(deletes), is_moved, layout_read(layout)
    return ShownFile(file_id, path, rows, size, version, definition_id, *place, by_name, base, stamp)


def statistics_load(file_ids: Collection[int]) -> dict[int, Statistics]:
    """The statistics of data files, by file and column."""
    return {
        file_id: {int(key): ColumnStatistics(*bounds) for key, bounds in json_value(value).items()}
        for file_id, value in fetch_all(_STATISTICS, {"ids": list(file_ids)})
    }
