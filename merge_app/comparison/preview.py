"""What a merge would make of one table's segments, before it is done and without row work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from merge_app.lineage.steps import AttachDeletes, CarrySegments, CarryWritten, RemoveSegments, TableSteps
from merge_app.planning.merge_plan import DataPlan

FILES_SHOWN = 200
"""So many files of each kind are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class PreviewFile:
    """A data file. ``is_visible``: its schema version lies on the target's visible line."""

    path: str
    rows: int
    bytes: int
    schema_version: int
    is_visible: bool


@dataclass(frozen=True, slots=True)
class FilesPreview:
    """Segments after a merge. ``rows`` are live: exact unless ``rows_are_exact`` says no, because rows must be
    looked at first or two delete files may name the same row. Then it is what the metadata promise.
    """

    brought: tuple[PreviewFile, ...] = ()
    brought_count: int = 0
    removed: tuple[PreviewFile, ...] = ()
    removed_count: int = 0
    delete_files_attached: int = 0
    rewrites: int = 0
    rows: int = 0
    bytes: int = 0
    files: int = 0
    rows_are_exact: bool = True
    invisible_schema_versions: tuple[int, ...] = field(default=())


_AFTER = f"""
WITH {SNAPSHOT}, source AS MATERIALIZED (
    SELECT * FROM unnest(%(source_ids)s::bigint[], %(source_limits)s::bigint[]) AS s(branch_id, max_version)
), line AS MATERIALIZED (
    SELECT h.version, h.definition_id FROM snapshot l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.version <= l.max_version AND h.table_id = ANY(%(table_ids)s)
), here AS MATERIALIZED ({VISIBLE_SEGMENTS}), removed AS MATERIALIZED (
    SELECT h.id, h.file_id FROM here h
    WHERE h.file_id = ANY(%(remove_files)s)
), carried AS (
    SELECT s.file_id, s.definition_id, s.schema_version, s.added_version, false AS is_own
    FROM catalog_app_segment s JOIN source m ON m.branch_id = s.branch_id AND s.added_version <= m.max_version
    WHERE s.file_id = ANY(%(bring_files)s)
    UNION ALL
    SELECT h.file_id, h.definition_id, h.schema_version, h.added_version, true
    FROM here h WHERE h.file_id = ANY(%(bring_files)s)
), brought AS MATERIALIZED (
    SELECT DISTINCT ON (file_id) file_id, definition_id, schema_version
    FROM carried ORDER BY file_id, is_own, added_version DESC
), kept AS MATERIALIZED (
    SELECT h.id, h.file_id FROM here h WHERE NOT EXISTS (SELECT 1 FROM removed r WHERE r.id = h.id)
), result AS (SELECT file_id FROM kept UNION SELECT file_id FROM brought),
"""

_EFFECTS = f"""{_AFTER}
present AS MATERIALIZED (
    SELECT k.file_id, d.delete_file_id FROM kept k JOIN catalog_app_segmentdelete d ON d.segment_id = k.id
    JOIN snapshot l ON l.branch_id = d.branch_id AND d.attached_version <= l.max_version
), attached AS MATERIALIZED (
    SELECT p.file_id, p.delete_file_id
    FROM unnest(%(pair_files)s::bigint[], %(pair_deletes)s::bigint[]) AS p(file_id, delete_file_id)
    JOIN result r ON r.file_id = p.file_id
    EXCEPT SELECT file_id, delete_file_id FROM present
), masks AS (
    SELECT x.file_id, sum(f.rows) AS rows, count(*) AS files
    FROM (SELECT * FROM present UNION SELECT * FROM attached) x
    JOIN catalog_app_deletefile f ON f.id = x.delete_file_id GROUP BY x.file_id
)
SELECT coalesce(sum(greatest(f.rows - coalesce(m.rows, 0), 0)), 0)::bigint, coalesce(sum(f.bytes), 0)::bigint,
       count(*), (SELECT count(*) FROM attached), (SELECT count(*) FROM brought), (SELECT count(*) FROM removed),
       coalesce(bool_or(m.files > 1), false),
       (SELECT array_agg(DISTINCT b.schema_version) FROM brought b WHERE {{hidden}})
FROM result r JOIN catalog_app_datafile f ON f.id = r.file_id LEFT JOIN masks m ON m.file_id = r.file_id
"""

_HIDDEN = """
NOT EXISTS (SELECT 1 FROM line WHERE line.version = b.schema_version AND line.definition_id = b.definition_id)
AND NOT EXISTS (
    SELECT 1 FROM snapshot l JOIN catalog_app_invisibleschemahistory i
      ON i.branch_id = l.branch_id AND i.added_version <= l.max_version
    WHERE i.table_id = ANY(%(table_ids)s) AND i.version = b.schema_version AND i.definition_id = b.definition_id)
"""

_FILES = f"""{_AFTER}
shown AS (
    (SELECT true AS is_brought, b.file_id, b.schema_version, b.definition_id FROM brought b
     ORDER BY b.file_id LIMIT %(shown)s)
    UNION ALL
    (SELECT false, h.file_id, h.schema_version, h.definition_id FROM removed r JOIN here h ON h.id = r.id
     ORDER BY h.file_id LIMIT %(shown)s)
)
SELECT s.is_brought, f.path, f.rows, f.bytes, s.schema_version, EXISTS (
    SELECT 1 FROM line WHERE line.version = s.schema_version AND line.definition_id = s.definition_id)
FROM shown s JOIN catalog_app_datafile f ON f.id = s.file_id ORDER BY s.file_id
"""


def files_preview(table_id: int, data: DataPlan, *, source: Snapshot, destination: Snapshot) -> FilesPreview:
    """The segments that ``data`` would leave on the target: two queries."""
    steps = data.steps
    leaving = {item.file.file_id for item in steps.steps if isinstance(item, CarrySegments) and item.is_leaving}
    marks = [step for step in steps.marks if not (step.is_live or step.is_leaving or step.file_id in leaving)]
    written = [*(step.rows for step in steps.writes), *(step.rows for step in steps.images)]
    parameters = _parameters(table_id, steps, source, destination)
    ((rows, size, files, attached, brought, removed, overlaps, hidden),) = fetch_all(
        _EFFECTS.format(hidden=_HIDDEN), parameters
    )
    listed = fetch_all(_FILES, parameters)
    return FilesPreview(
        brought=tuple(PreviewFile(*row[1:]) for row in listed if row[0]),
        brought_count=brought + len(written),
        removed=tuple(PreviewFile(*row[1:]) for row in listed if not row[0]),
        removed_count=removed,
        delete_files_attached=attached + len(marks),
        rewrites=len(data.row_work) + len(written),
        rows=rows - sum(step.rows for step in marks) + sum(written),
        bytes=size,
        files=files + len(written),
        rows_are_exact=not data.row_work and not overlaps,
        invisible_schema_versions=tuple(sorted(hidden or ())),
    )


def _parameters(table_id: int, steps: TableSteps, source: Snapshot, destination: Snapshot) -> dict[str, Any]:
    """The files that steps remove, carry and attach; what they mark is not written yet."""
    attach: list[tuple[int, int]] = []
    bring: list[int] = []
    for step in steps.steps:
        if isinstance(step, CarryWritten):
            bring += step.files.tolist()
        elif isinstance(step, CarrySegments) and not step.is_leaving:
            bring.append(step.file.file_id)
            attach += [(mark.file_id, step.file.file_id) for mark in step.file.deletes]
        elif isinstance(step, AttachDeletes) and not step.is_leaving:
            attach.append((step.delete.file_id, step.file_id))
    return {
        **destination.parameters,
        "source_ids": list(source.branch_ids),
        "source_limits": list(source.limits),
        "table_ids": [table_id],
        "remove_files": [step.file_id for step in steps.steps if isinstance(step, RemoveSegments)],
        "bring_files": bring,
        "pair_deletes": [pair[0] for pair in attach],
        "pair_files": [pair[1] for pair in attach],
        "shown": FILES_SHOWN,
    }


_SCHEMAS_MADE = """
SELECT DISTINCT h.version FROM unnest(%(source_ids)s::bigint[], %(source_limits)s::bigint[]) AS s(branch_id, upto)
JOIN catalog_app_tableschemahistory h ON h.branch_id = s.branch_id AND h.version <= s.upto
WHERE h.table_id = %(table_id)s AND h.version = ANY(%(versions)s) ORDER BY h.version
"""


def schemas_discarded(
    table_id: int, source: Snapshot, *, carried: Sequence[int], kept: Sequence[int]
) -> tuple[int, ...]:
    """Schema versions among the ``carried`` commits of the source that no brought row needs (semantics §4.4).

    The last one lives on as the merged schema.
    """
    parameters = {
        "source_ids": list(source.branch_ids),
        "source_limits": list(source.limits),
        "table_id": table_id,
        "versions": list(carried),
    }
    made = [row[0] for row in fetch_all(_SCHEMAS_MADE, parameters)]
    return tuple(version for version in made[:-1] if version not in kept)
