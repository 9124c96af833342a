"""The files of a table as other engines see them: without statistics, which only what is new needs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from catalog_app.domain.files import ColumnStatistics, PartitionValues, Statistics
from catalog_app.domain.transforms import FileLayout
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS, layout_read
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from lakeui.common.records import record

_FILES = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), masks AS (
    SELECT d.segment_id, array_agg(f.path ORDER BY d.id) AS paths
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    GROUP BY d.segment_id
)
SELECT f.id, f.path, f.rows, f.bytes, s.added_version, s.definition_id, s.partition,
       coalesce(m.paths, ARRAY[]::text[]), s.partition <> f.partition AND NOT f.lacks_partition, f.layout, f.by_name,
       f.base, coalesce(nullif(s.stamp, 0), s.added_version)
FROM visible s JOIN catalog_app_datafile f ON f.id = s.file_id LEFT JOIN masks m ON m.segment_id = s.id
ORDER BY s.added_version, f.base
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
