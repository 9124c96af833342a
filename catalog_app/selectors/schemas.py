"""The schema versions of a table on a branch, in their stores (semantics §2 "Schema", §4.2-§4.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from catalog_app.domain.schema import Schema
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot


@dataclass(frozen=True, slots=True)
class VisibleSchema:
    """A version that time travel may show, and the commit that made it. ``segments`` were written under it."""

    version: int
    branch: str
    time: datetime
    operation: str
    schema: Schema
    segments: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class InvisibleSchema:
    """A version kept only to decode merged rows; ``added_version`` is the merge that brought it."""

    version: int
    added_version: int
    schema: Schema
    segments: int


_COUNTED = f"""counted AS (
    SELECT v.schema_version, v.definition_id, v.is_visible, count(*) AS segments
    FROM ({VISIBLE_SEGMENTS}) v GROUP BY v.schema_version, v.definition_id, v.is_visible
)"""

_VISIBLE = f"""
WITH {SNAPSHOT}, {_COUNTED}
SELECT h.version, b.name, c.committed_at, c.operation, d.content, coalesce(n.segments, 0)
FROM snapshot l JOIN catalog_app_tableschemahistory h
  ON h.branch_id = l.branch_id AND h.table_id = ANY(%(table_ids)s) AND h.version <= l.max_version
JOIN catalog_app_branch b ON b.id = h.branch_id
JOIN catalog_app_commit c ON c.catalog_id = b.catalog_id AND c.version = h.version
JOIN catalog_app_schemadefinition d ON d.id = h.definition_id
LEFT JOIN counted n ON n.schema_version = h.version AND n.definition_id = h.definition_id AND n.is_visible
ORDER BY h.version DESC
"""

_INVISIBLE = f"""
WITH {SNAPSHOT}, {_COUNTED}
SELECT i.version, i.added_version, d.content, coalesce(n.segments, 0)
FROM snapshot l JOIN catalog_app_invisibleschemahistory i
  ON i.branch_id = l.branch_id AND i.table_id = ANY(%(table_ids)s) AND i.added_version <= l.max_version
JOIN catalog_app_schemadefinition d ON d.id = i.definition_id
LEFT JOIN counted n ON n.schema_version = i.version AND n.definition_id = i.definition_id AND NOT n.is_visible
ORDER BY i.version DESC, i.added_version DESC
"""

_MADE = """
SELECT h.version, d.content FROM catalog_app_tableschemahistory h
JOIN catalog_app_schemadefinition d ON d.id = h.definition_id
WHERE h.table_id = %(table_id)s AND h.version = ANY(%(versions)s)
"""

_MERGES = f"""
WITH {SNAPSHOT}
SELECT DISTINCT c.version FROM snapshot l JOIN catalog_app_commitoperation o
  ON o.object_kind = 'table' AND o.object_id = %(table_id)s AND o.branch_id = l.branch_id
 AND o.version <= l.max_version AND NOT o.already_done
JOIN catalog_app_commit c ON c.id = o.commit_id AND c.merge_parent_id IS NOT NULL
"""


def visible_schemas(snapshot: Snapshot, table_id: int, *, current: int) -> list[VisibleSchema]:
    """The visible versions, newest first; ``current`` is the one in force."""
    rows = fetch_all(_VISIBLE, {**snapshot.parameters, "table_ids": [table_id]})
    return [
        VisibleSchema(version, branch, time, operation, _schema(content), segments, version == current)
        for version, branch, time, operation, content, segments in rows
    ]


def invisible_schemas(snapshot: Snapshot, table_id: int) -> list[InvisibleSchema]:
    """The versions kept only to decode, newest first."""
    rows = fetch_all(_INVISIBLE, {**snapshot.parameters, "table_ids": [table_id]})
    return [InvisibleSchema(row[0], row[1], _schema(row[2]), row[3]) for row in rows]


def schemas_made(table_id: int, versions: Iterable[int]) -> dict[int, Schema]:
    """The schemas that these versions made, on whatever branch."""
    rows = fetch_all(_MADE, {"table_id": table_id, "versions": list(versions)})
    return {row[0]: _schema(row[1]) for row in rows}


def table_merge_versions(snapshot: Snapshot, table_id: int) -> list[int]:
    """The merges on the chain that changed the table."""
    return [row[0] for row in fetch_all(_MERGES, {**snapshot.parameters, "table_id": table_id})]


def _schema(content: object) -> Schema:
    return Schema.from_json(json_value(content))
