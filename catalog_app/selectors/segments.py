"""Segments and delete files as a branch sees them at a version: metadata only, one query each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from catalog_app.domain.files import (
    NO_FACT,
    ColumnStatistics,
    FileScan,
    NewDataFile,
    NewDeleteFile,
    PartitionValues,
    RowsFact,
    Statistics,
    TableScan,
)
from catalog_app.domain.layout import with_layout
from catalog_app.domain.partitions import partition_bounds
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.transforms import BUCKET, FileLayout, LaidBy
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot

VISIBLE_SEGMENTS = """
SELECT s.* FROM snapshot l JOIN catalog_app_segment s
  ON s.table_id = ANY(%(table_ids)s) AND s.branch_id = l.branch_id AND s.added_version <= l.max_version
WHERE NOT EXISTS (
    SELECT 1 FROM snapshot m JOIN catalog_app_segmentremoval r
      ON r.table_id = ANY(%(table_ids)s) AND r.branch_id = m.branch_id AND r.removed_version <= m.max_version
    WHERE r.segment_id = s.id)
"""
"""The segments of the tables ``%(table_ids)s`` that the chain in ``snapshot`` sees."""

_SHOWN = """
SELECT s.id, f.id, f.path, f.base, f.rows, f.bytes, s.partition, f.statistics, f.stores_row_ids,
       s.definition_id, s.schema_version, s.is_visible, s.added_version,
       coalesce(m.paths, ARRAY[]::text[]), coalesce(m.rows, 0), f.stores_stamps,
       jsonb_build_array(s.stamp, s.kind, coalesce(s.brings_stamp, 0), coalesce(s.undoes_stamp, 0)),
       coalesce(p.events, '[]'::jsonb), s.partition <> f.partition OR f.lacks_partition, f.layout, f.by_name,
       f.lacks_partition, f.smallest_row_id, f.largest_row_id
FROM visible s JOIN catalog_app_datafile f ON f.id = s.file_id LEFT JOIN masks m ON m.segment_id = s.id
LEFT JOIN stamped p ON p.segment_id = s.id
"""

_MASKS = """masks AS (
    SELECT d.segment_id, array_agg(f.path ORDER BY d.id) AS paths, sum(f.rows) AS rows
    FROM visible s JOIN catalog_app_segmentdelete d ON d.segment_id = s.id
    JOIN snapshot l ON l.branch_id = d.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    GROUP BY d.segment_id
)"""
_EVENTS = """SELECT p.segment_id, jsonb_agg(
        jsonb_build_array(f.path, p.stamp, p.kind, 0, coalesce(p.undoes_stamp, 0)) ORDER BY p.stamp) AS events"""

_SEGMENTS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), masks AS (
    SELECT d.segment_id, array_agg(f.path ORDER BY d.id) AS paths, sum(f.rows) AS rows
    FROM snapshot l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
    GROUP BY d.segment_id
), stamped AS (
    {_EVENTS}
    FROM snapshot l JOIN catalog_app_segmentstamp p
      ON p.table_id = ANY(%(table_ids)s) AND p.branch_id = l.branch_id AND p.stamped_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = p.rows_file_id
    GROUP BY p.segment_id
)
{_SHOWN}
ORDER BY s.added_version, f.base
"""

_OF_FILES = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS} AND s.file_id = ANY(%(files)s)), {_MASKS}, stamped AS (
    {_EVENTS}
    FROM visible s JOIN catalog_app_segmentstamp p ON p.segment_id = s.id
    JOIN snapshot l ON l.branch_id = p.branch_id AND p.stamped_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = p.rows_file_id
    GROUP BY p.segment_id
)
{_SHOWN}
ORDER BY s.added_version, f.base
"""

_PAGE = f"""
WITH {SNAPSHOT}, visible AS (
    SELECT page.* FROM snapshot l CROSS JOIN LATERAL (
        SELECT s.* FROM catalog_app_segment s
        WHERE s.table_id = %(table_id)s AND s.branch_id = l.branch_id AND s.added_version <= l.max_version
          AND (s.added_version, s.id) > (%(after_version)s, %(after_id)s)
          AND NOT EXISTS (
            SELECT 1 FROM snapshot m JOIN catalog_app_segmentremoval r
              ON r.branch_id = m.branch_id AND r.segment_id = s.id AND r.removed_version <= m.max_version)
        ORDER BY s.added_version, s.id LIMIT %(limit)s
    ) page ORDER BY page.added_version, page.id LIMIT %(limit)s
), {_MASKS}, stamped AS (
    {_EVENTS}
    FROM snapshot l JOIN catalog_app_segmentstamp p
      ON p.table_id = %(table_id)s AND p.branch_id = l.branch_id AND p.stamped_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = p.rows_file_id
    GROUP BY p.segment_id
)
{_SHOWN}
ORDER BY s.added_version, s.id
"""


FEW = 20
"""Files up to which a query's plan is kept."""


@dataclass(frozen=True, slots=True)
class SegmentState:
    """One visible segment. ``deleted_rows`` is an upper bound: two delete files may name the same row (A2).
    ``row_ids``: the smallest and largest id that the file stores, or that its addresses are where it stores none.
    """

    segment_id: int
    file_id: int
    path: str
    base: int
    rows: int
    bytes: int
    partition: PartitionValues
    statistics: Statistics
    stores_row_ids: bool
    definition_id: int
    schema_version: int
    is_visible: bool
    added_version: int
    delete_paths: tuple[str, ...]
    deleted_rows: int
    row_ids: tuple[int, int]
    stores_stamps: bool = False
    fact: RowsFact = NO_FACT
    stamped: tuple[tuple[str, RowsFact], ...] = ()
    is_moved: bool = False
    by_name: bool = False
    lacks_partition: bool = False
    layout: FileLayout = ()


def segments_list(snapshot: Snapshot, table_id: int) -> list[SegmentState]:
    """The visible segments of a table, in the order in which they were added."""
    rows = fetch_all(_SEGMENTS, {**snapshot.parameters, "table_ids": [table_id]}, prepared=True)
    return _with_bounds([_segment(row) for row in rows])


def segments_of_files(snapshot: Snapshot, table_id: int, files: Collection[int]) -> list[SegmentState]:
    """Those of these files among them, without reading the others."""
    asked = {**snapshot.parameters, "table_ids": [table_id], "files": list(files)}
    return _with_bounds([_segment(row) for row in fetch_all(_OF_FILES, asked, prepared=len(files) <= FEW)])


def segments_page(
    snapshot: Snapshot, table_id: int, *, after: tuple[int, int] | None = None, limit: int
) -> list[SegmentState]:
    """Visible segments behind the key ``after`` (added version and segment id), without reading the others."""
    after_version, after_id = after or (0, 0)
    parameters = {"table_id": table_id, "after_version": after_version, "after_id": after_id, "limit": limit}
    return _with_bounds([_segment(row) for row in fetch_all(_PAGE, {**snapshot.parameters, **parameters})])


def _with_bounds(segments: list[SegmentState]) -> list[SegmentState]:
    """The segments, those of renamed partitions with statistics that hold for the new values."""
    schemas = definitions_load({item.definition_id for item in segments if item.is_moved})
    return [moved_bounds(item, schemas[item.definition_id]) if item.is_moved else item for item in segments]


_Moved = TypeVar("_Moved", SegmentState, FileScan)


def moved_bounds(item: _Moved, schema: Schema) -> _Moved:
    """Statistics in which the partition's values take the place of those that the file stores."""
    columns = schema.partition_columns
    bounds = dict(item.statistics or {})
    for column, text in zip(columns, item.partition, strict=True):
        found = partition_bounds(column.type, text, item.rows)
        bounds.pop(column.id, None)
        if found is not None:
            bounds[column.id] = found
    return replace(item, statistics=bounds)


def _segment(row: tuple[Any, ...]) -> SegmentState:
    layout = layout_read(row[19])
    return SegmentState(
        segment_id=row[0],
        file_id=row[1],
        path=row[2],
        base=row[3],
        rows=row[4],
        bytes=row[5],
        partition=tuple(json_value(row[6])),
        statistics=_with_buckets(_statistics(row[7]), layout),
        stores_row_ids=row[8],
        definition_id=row[9],
        schema_version=row[10],
        is_visible=row[11],
        added_version=row[12],
        delete_paths=tuple(row[13]),
        deleted_rows=int(row[14]),
        row_ids=(row[22], row[23]),
        stores_stamps=row[15],
        fact=RowsFact(*json_value(row[16])),
        stamped=tuple((path, RowsFact(*fact)) for path, *fact in json_value(row[17])),
        is_moved=row[18],
        layout=layout,
        by_name=row[20],
        lacks_partition=row[21],
    )


def segment_staged(file_id: int, file: NewDataFile, definition_id: int, schema_version: int) -> SegmentState:
    """The segment that a commit would make of a staged file."""
    last = file.base + file.rows - 1
    return SegmentState(
        segment_id=0,
        file_id=file_id,
        path=file.path,
        base=file.base,
        rows=file.rows,
        bytes=file.bytes,
        partition=file.partition,
        statistics=dict(file.statistics or {}),
        stores_row_ids=file.stores_row_ids,
        definition_id=definition_id,
        schema_version=schema_version,
        is_visible=True,
        added_version=0,
        delete_paths=(),
        deleted_rows=0,
        row_ids=(
            file.base if file.smallest_row_id is None else file.smallest_row_id,
            last if file.largest_row_id is None else file.largest_row_id,
        ),
        stores_stamps=file.stamps is not None,
        is_moved=file.lacks_partition,
        by_name=file.by_name,
        lacks_partition=file.lacks_partition,
        layout=file.layout,
    )


def segment_marked(segment: SegmentState, deletes: Sequence[NewDeleteFile]) -> SegmentState:
    """The segment with staged deletes of its rows."""
    paths, rows = (file.path for file in deletes), sum(file.rows for file in deletes)
    return replace(segment, delete_paths=(*segment.delete_paths, *paths), deleted_rows=segment.deleted_rows + rows)


def _statistics(value: Any) -> Statistics:
    return {int(key): ColumnStatistics(*bounds) for key, bounds in json_value(value).items()}


def layout_read(value: Any) -> FileLayout:
    """What a stored file says of its layout."""
    return () if value == "[]" else tuple(map(LaidBy.from_json, json_value(value)))


def _with_buckets(statistics: Statistics, layout: FileLayout) -> Statistics:
    for laid in layout:
        known = statistics.get(laid.transform.column_id)
        if known is not None and laid.transform.name == BUCKET:
            statistics[laid.transform.column_id] = replace(known, buckets=(*known.buckets, laid))
    return statistics


def table_scan(snapshot: Snapshot, table: TableState, segments: Collection[SegmentState] | None = None) -> TableScan:
    """What the engine needs to read the table: all visible segments, or those that pruning left."""
    chosen = segments_list(snapshot, table.table_id) if segments is None else segments
    schemas = definitions_load({segment.definition_id for segment in chosen})
    return TableScan(
        table.table_id,
        with_layout(table.schema, table.properties),
        tuple(file_scan(segment, schemas[segment.definition_id]) for segment in chosen),
    )


def file_scan(segment: SegmentState, schema: Schema) -> FileScan:
    """One segment as the engine reads it; ``schema`` is the definition it was written under."""
    return FileScan(
        file_id=segment.file_id,
        path=segment.path,
        base=segment.base,
        rows=segment.rows,
        schema=schema,
        partition=segment.partition,
        delete_paths=segment.delete_paths,
        statistics=segment.statistics,
        stores_row_ids=segment.stores_row_ids,
        stores_stamps=segment.stores_stamps,
        fact=segment.fact,
        stamped=segment.stamped,
        is_moved=segment.is_moved,
        by_name=segment.by_name,
        layout=segment.layout,
        bytes=segment.bytes,
    )


_FILES = """
SELECT f.id, f.path, f.base, f.rows, f.partition, f.statistics, f.stores_row_ids, s.definition_id,
       f.stores_stamps, coalesce(s.stamp, 0), f.layout, f.by_name, f.lacks_partition
FROM catalog_app_datafile f LEFT JOIN LATERAL (
    SELECT definition_id, stamp FROM catalog_app_segment s WHERE s.file_id = f.id AND s.table_id = f.table_id LIMIT 1
) s ON true
WHERE f.table_id = %(table_id)s AND f.id = ANY(%(files)s) ORDER BY f.id
"""

_FILE_DELETES = """
WITH chains AS (
    SELECT * FROM unnest(%(chains)s::bigint[], %(branches)s::bigint[], %(limits)s::bigint[])
        AS c(chain, branch_id, max_version)
), latest AS (
    SELECT DISTINCT ON (c.chain, s.file_id) c.chain, s.file_id, s.id
    FROM chains c JOIN catalog_app_segment s ON s.branch_id = c.branch_id AND s.added_version <= c.max_version
    WHERE s.table_id = %(table_id)s AND s.file_id = ANY(%(files)s)
    ORDER BY c.chain, s.file_id, s.added_version DESC
)
SELECT l.file_id, f.path FROM latest l JOIN chains c USING (chain)
JOIN catalog_app_segmentdelete d
  ON d.segment_id = l.id AND d.branch_id = c.branch_id AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
UNION
SELECT f.data_file_id, f.path FROM catalog_app_deletefile f
WHERE f.id = ANY(%(staged)s) AND f.data_file_id = ANY(%(files)s)
"""


def files_load(
    table_id: int,
    file_ids: Collection[int],
    snapshots: Sequence[Snapshot],
    *,
    staged_schema: Schema | None = None,
    staged_deletes: Collection[int] = (),
) -> dict[int, FileScan]:
    """Data files by id, shown or removed, each with the deletes that any of the chains sees on its newest segment and
    those of ``staged_deletes``. ``staged_schema``: what files that no segment shows yet were written under.
    """
    rows = fetch_all(_FILES, {"table_id": table_id, "files": list(file_ids)})
    schemas = definitions_load({row[7] for row in rows if row[7] is not None})
    masks = _file_deletes(table_id, file_ids, snapshots, staged_deletes)
    found = {}
    for file_id, path, base, count, partition, statistics, stores_row_ids, definition_id, *more in rows:
        stores_stamps, stamp, laid, by_name, lacks_partition = more
        schema = staged_schema if definition_id is None else schemas[definition_id]
        if schema is None:
            raise ValueError(f"data file {file_id} lies under no known schema")
        found[file_id] = FileScan(
            file_id,
            path,
            base,
            count,
            schema,
            partition=tuple(json_value(partition)),
            delete_paths=tuple(masks.get(file_id, ())),
            statistics=_statistics(statistics),
            stores_row_ids=stores_row_ids,
            stores_stamps=stores_stamps,
            fact=RowsFact(stamp),
            is_moved=lacks_partition,
            by_name=by_name,
            layout=layout_read(laid),
        )
    return found


def _file_deletes(
    table_id: int, file_ids: Collection[int], snapshots: Sequence[Snapshot], staged: Collection[int]
) -> dict[int, list[str]]:
    links = [
        (number, branch_id, limit)
        for number, snapshot in enumerate(snapshots)
        for branch_id, limit in zip(snapshot.branch_ids, snapshot.limits, strict=True)
    ]
    if not (links or staged):
        return {}
    parameters = {
        "chains": [link[0] for link in links],
        "branches": [link[1] for link in links],
        "limits": [link[2] for link in links],
        "table_id": table_id,
        "files": list(file_ids),
        "staged": list(staged),
    }
    found: dict[int, list[str]] = {}
    for file_id, path in fetch_all(_FILE_DELETES, parameters):
        found.setdefault(file_id, []).append(path)
    return found
