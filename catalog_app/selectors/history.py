"""Commits as a branch sees them, and those of a whole catalog for its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot

ROW_METRICS = ("rows_inserted", "rows_updated", "rows_deleted")
"""The metrics of an operation that count rows which it changed."""


@dataclass(frozen=True, slots=True)
class CommitPoint:
    """A commit by its branch and version."""

    branch: str
    version: int


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """What a commit did to one object. ``object`` is its full name on the branch now, "" where it has none."""

    kind: str
    object_kind: str
    object_id: int
    object: str
    metrics: Mapping[str, int]

    @property
    def rows(self) -> int:
        return sum(int(self.metrics.get(name, 0)) for name in ROW_METRICS)


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit of a history. ``branch`` is where it was made, ``merge_parent`` the source's head of a merge."""

    version: int
    branch: str
    time: datetime
    operation: str
    author: str
    statement: str
    task_id: UUID | None
    parent_version: int | None
    merge_parent: CommitPoint | None
    message: str = ""
    operations: tuple[OperationEntry, ...] = ()

    @property
    def rows_changed(self) -> int:
        return sum(operation.rows for operation in self.operations)


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """Which commits are wanted; what is empty or None does not narrow. ``search`` looks into statement and message."""

    operation: str = ""
    author: str = ""
    search: str = ""
    object_kind: str = ""
    object_id: int | None = None


_HISTORY = f"""
WITH {SNAPSHOT}
SELECT c.id, c.version, b.name, c.committed_at, c.operation, c.author_name, c.statement, c.task_id,
       p.version, m.version, mb.name, c.message
FROM snapshot l CROSS JOIN LATERAL (
    SELECT c.* FROM catalog_app_commit c
    WHERE c.branch_id = l.branch_id AND c.version <= l.max_version AND c.version < %(before)s
      AND (%(operation)s = '' OR upper(c.operation) = upper(%(operation)s))
      AND (%(author)s = '' OR lower(c.author_name) = lower(%(author)s))
      AND (%(search)s = '' OR strpos(lower(c.statement), lower(%(search)s)) > 0
           OR strpos(lower(c.message), lower(%(search)s)) > 0)
      AND (%(object_id)s::bigint IS NULL OR EXISTS (
          SELECT 1 FROM catalog_app_commitoperation o WHERE o.object_kind = %(object_kind)s
            AND o.object_id = %(object_id)s AND o.branch_id = c.branch_id AND o.version = c.version
            AND NOT o.already_done))
    ORDER BY c.version DESC LIMIT %(limit)s
) c
JOIN catalog_app_branch b ON b.id = c.branch_id
LEFT JOIN catalog_app_commit p ON p.id = c.parent_id
LEFT JOIN catalog_app_commit m ON m.id = c.merge_parent_id
LEFT JOIN catalog_app_branch mb ON mb.id = m.branch_id
ORDER BY c.version DESC LIMIT %(limit)s
"""

_OPERATIONS = """
SELECT commit_id, kind, object_kind, object_id, metrics FROM catalog_app_commitoperation
WHERE commit_id = ANY(%(commits)s) AND NOT already_done ORDER BY commit_id, id
"""

_NAMES = f"""
WITH {SNAPSHOT}, databases AS (
    SELECT DISTINCT ON (r.database_id) r.database_id AS id, r.name
    FROM snapshot l JOIN catalog_app_databaserecord r ON r.branch_id = l.branch_id AND r.version <= l.max_version
    ORDER BY r.database_id, l.depth, r.version DESC
), tables AS (
    SELECT DISTINCT ON (r.table_id) r.table_id AS id, r.database_id, r.name
    FROM snapshot l JOIN catalog_app_tablerecord r ON r.branch_id = l.branch_id AND r.version <= l.max_version
    WHERE r.table_id = ANY(%(tables)s) ORDER BY r.table_id, l.depth, r.version DESC
), views AS (
    SELECT DISTINCT ON (r.view_id) r.view_id AS id, r.database_id, r.name
    FROM snapshot l JOIN catalog_app_viewrecord r ON r.branch_id = l.branch_id AND r.version <= l.max_version
    WHERE r.view_id = ANY(%(views)s) ORDER BY r.view_id, l.depth, r.version DESC
)
SELECT 'database', id, name FROM databases WHERE id = ANY(%(databases)s)
UNION ALL SELECT 'table', t.id, d.name || '.' || t.name FROM tables t JOIN databases d ON d.id = t.database_id
UNION ALL SELECT 'view', v.id, d.name || '.' || v.name FROM views v JOIN databases d ON d.id = v.database_id
"""

ObjectId = tuple[str, int]
"""Kind and id of an object."""


def history_list(
    snapshot: Snapshot, wanted: HistoryFilter, *, before: int | None = None, limit: int
) -> list[CommitEntry]:
    """The commits that the chain sees, newest first, each with what it did: three queries.

    ``before`` leaves out that version and newer ones.
    """
    parameters = {
        **snapshot.parameters,
        "before": snapshot.version + 1 if before is None else before,
        "limit": limit,
        "operation": wanted.operation,
        "author": wanted.author,
        "search": wanted.search,
        "object_kind": wanted.object_kind,
        "object_id": wanted.object_id,
    }
    rows = fetch_all(_HISTORY, parameters)
    found = fetch_all(_OPERATIONS, {"commits": [row[0] for row in rows]})
    names = object_names(snapshot, {(row[2], row[3]) for row in found})
    operations: dict[int, list[OperationEntry]] = {}
    for commit_id, kind, object_kind, object_id, metrics in found:
        name = names.get((object_kind, object_id), "")
        operations.setdefault(commit_id, []).append(
            OperationEntry(kind, object_kind, object_id, name, json_value(metrics))
        )
    return [_commit(row, operations.get(row[0], [])) for row in rows]


def _commit(row: tuple[Any, ...], operations: Iterable[OperationEntry]) -> CommitEntry:
    merge_parent = None if row[9] is None else CommitPoint(row[10], row[9])
    return CommitEntry(
        version=row[1],
        branch=row[2],
        time=row[3],
        operation=row[4],
        author=row[5],
        statement=row[6],
        task_id=row[7],
        parent_version=row[8],
        merge_parent=merge_parent,
        message=row[11],
        operations=tuple(operations),
    )


def object_names(snapshot: Snapshot, objects: Iterable[ObjectId]) -> dict[ObjectId, str]:
    """Full names, dropped objects' last ones included, of those objects that the chain knows."""
    ids: dict[str, list[int]] = {"database": [], "table": [], "view": []}
    for kind, object_id in objects:
        ids[kind].append(object_id)
    if not any(ids.values()):
        return {}
    parameters = {**snapshot.parameters, **{f"{kind}s": numbers for kind, numbers in ids.items()}}
    return {(row[0], row[1]): row[2] for row in fetch_all(_NAMES, parameters)}
