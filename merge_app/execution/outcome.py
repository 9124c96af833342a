"""What an audit record says of a merge beyond its verdicts (semantics §4.7)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from merge_app.execution.apply import Applied
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.report import finding_as_json, plan_as_json
from merge_app.planning.merge_plan import MergePlan

SEGMENTS_SHOWN = 1000
"""An audit record lists so many new segments itself; all of them are the segments of its version."""

_FILES = """
WITH removed AS MATERIALIZED (
    SELECT id, table_id, segment_id FROM catalog_app_segmentremoval
    WHERE table_id = ANY(%(tables)s) AND branch_id = %(branch)s AND removed_version = %(version)s
), new AS MATERIALIZED (
    SELECT s.* FROM catalog_app_segment s
    WHERE s.table_id = ANY(%(tables)s) AND s.branch_id = %(branch)s AND s.added_version = %(version)s
      AND s.id NOT IN (SELECT segment_id FROM removed)
)
(SELECT 'total', s.table_id, NULL, sum(f.rows)::bigint, sum(f.bytes)::bigint, count(*), NULL
 FROM new s JOIN catalog_app_datafile f ON f.id = s.file_id
 GROUP BY s.table_id)
UNION ALL
(SELECT 'new', s.table_id, f.path, f.rows, f.bytes, s.schema_version, s.is_visible
 FROM (SELECT * FROM new ORDER BY id LIMIT %(limit)s) s JOIN catalog_app_datafile f ON f.id = s.file_id ORDER BY s.id)
UNION ALL
(SELECT 'removed', r.table_id, f.path, NULL, NULL, NULL, NULL
 FROM removed r JOIN catalog_app_segment s ON s.id = r.segment_id
 JOIN catalog_app_datafile f ON f.id = s.file_id
 WHERE s.branch_id <> %(branch)s OR s.added_version < %(version)s
 ORDER BY r.id LIMIT %(limit)s)
"""
"""By table rows, bytes and number of new segments; the first of these; the files of the first that went. A file that
came and went in this commit is none of them.
"""
_SOURCE_SCHEMAS = """
SELECT h.table_id, h.version FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[])
    AS r(branch_id, after, upto)
JOIN catalog_app_tableschemahistory h ON h.branch_id = r.branch_id AND h.version > r.after AND h.version <= r.upto
WHERE h.table_id = ANY(%(tables)s) ORDER BY h.version
"""


def refusal_describe(planned: MergePlan) -> dict[str, Any]:
    """The part every attempt has: verdicts with their cells, notes, what was judged."""
    return {
        "findings": [finding_as_json(item) for item in planned.findings],
        "conflicts": [finding_as_json(item) for item in planned.conflicts],
        "notes": [finding_as_json(item) for item in planned.notes],
        "plan": plan_as_json(planned),
        "approvals": [],
        "checks": [],
        "resolutions": [],
    }


def outcome_describe(planned: MergePlan, applied: Applied, side: SourceSide, branch: Branch) -> dict[str, Any]:
    """What a merge stored, per table: schema versions kept visible, kept invisible and discarded, and segments."""
    tables = [item.object_id for item in planned.objects if item.kind is ObjectKind.TABLE]
    where = {"tables": tables, "branch": branch.pk, "version": applied.version, "limit": SEGMENTS_SHOWN}
    found = fetch_all(_FILES, where)
    sums, segments, removed = ([row[1:] for row in found if row[0] == what] for what in ("total", "new", "removed"))
    totals = {table_id: (count, rows, size) for table_id, _, rows, size, count, _ in sums}
    invisible = sorted(applied.invisible, key=lambda row: row[1])
    discarded = _discarded(planned, side, set(invisible))
    described = []
    for item in planned.objects:
        if item.kind is not ObjectKind.TABLE:
            continue
        files, rows, size = totals.get(item.object_id, (0, 0, 0))
        described.append(
            {
                "table": item.name,
                "table_id": item.object_id,
                "action": item.shown_action.value,
                "visible_schema_versions": [applied.version] if item.object_id in applied.schema_tables else [],
                "invisible_schema_versions": [row[1] for row in invisible if row[0] == item.object_id],
                "discarded_schema_versions": discarded.get(item.object_id, []),
                "new_segment_count": files,
                "new_rows": rows,
                "new_bytes": size,
                "new_segments": [_segment(row) for row in segments if row[0] == item.object_id],
                "removed_segments": [row[1] for row in removed if row[0] == item.object_id],
                "kept_updated_rows": item.data.steps.kept_rows if item.data and item.data.needs_engine else 0,
            }
        )
    return {**refusal_describe(planned), "tables": described}


def _segment(row: tuple[Any, ...]) -> dict[str, Any]:
    return {"path": row[1], "rows": row[2], "bytes": row[3], "schema_version": row[4], "is_visible": row[5]}


def _discarded(planned: MergePlan, side: SourceSide, kept: AbstractSet[tuple[int, int]]) -> dict[int, list[int]]:
    """Schema versions of the source that no brought row needs; its last one lives on as the merged schema."""
    assert side.snapshot is not None
    made = {
        (item.object_id, operation.version)
        for item in planned.objects
        for operation in item.carried_out
        if item.kind is ObjectKind.TABLE and not operation.is_data
    }
    versions = sorted({version for _, version in made})
    if not versions:
        return {}
    ranges = {
        "branches": list(side.snapshot.branch_ids),
        "after": [versions[0] - 1] * len(side.snapshot.branch_ids),
        "upto": list(side.snapshot.limits),
        "tables": [item.object_id for item in planned.objects if item.kind is ObjectKind.TABLE],
    }
    found: dict[int, list[int]] = {}
    for table_id, version in fetch_all(_SOURCE_SCHEMAS, ranges):
        if (table_id, version) in made:
            found.setdefault(table_id, []).append(version)
    return {
        table_id: [version for version in seen[:-1] if (table_id, version) not in kept]
        for table_id, seen in found.items()
    }
