"""Commits as a branch sees them, and those of a whole catalog for its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from catalog_app.domain.pipeline_commits import pipeline_of
from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot, branch_snapshot
from lakeui.common.errors import NotFound

ROW_METRICS = ("rows_inserted", "rows_updated", "rows_deleted")
"""The metrics of an operation that count rows which it changed."""
OPERATIONS_SHOWN = 100
"""Operations of a commit that a history holds; ``commit_operations`` lists all of them."""


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
    operation_id: int


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit of a history. ``branch`` is where it was made, ``merge_parent`` the source's head of a merge.

    ``operations`` are the first OPERATIONS_SHOWN of ``operation_count``; ``rows_changed`` is of all of them.
    """

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
    operation_count: int = 0
    rows_changed: int = 0

    @property
    def pipeline(self) -> str:
        return pipeline_of(self.statement)


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

_ROWS = " + ".join(f"coalesce((metrics ->> '{name}')::bigint, 0)" for name in ROW_METRICS)

# Operations on the object that is asked for come first.
_OPERATIONS = f"""
SELECT o.commit_id, o.operation_count, o.rows_changed, o.kind, o.object_kind, o.object_id, o.metrics, o.id
FROM unnest(%(commits)s::bigint[]) AS c(id) CROSS JOIN LATERAL (
    SELECT commit_id, count(*) OVER () AS operation_count, (sum({_ROWS}) OVER ())::bigint AS rows_changed,
           kind, object_kind, object_id, metrics, id
    FROM catalog_app_commitoperation WHERE commit_id = c.id AND NOT already_done
    ORDER BY object_kind = %(object_kind)s AND object_id = %(object_id)s::bigint DESC NULLS LAST, id
    LIMIT %(shown)s
) o
"""

_COMMIT = f"""
WITH {SNAPSHOT}
SELECT FROM snapshot l JOIN catalog_app_commit c ON c.branch_id = l.branch_id AND c.version <= l.max_version
WHERE c.version = %(of)s
"""

_COMMIT_OPERATIONS = f"""
WITH {SNAPSHOT}
SELECT o.kind, o.object_kind, o.object_id, o.metrics, o.id
FROM snapshot l JOIN catalog_app_commitoperation o ON o.branch_id = l.branch_id AND o.version <= l.max_version
WHERE o.version = %(of)s AND o.id > %(after)s AND NOT o.already_done ORDER BY o.id LIMIT %(limit)s
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
    commits = [row[0] for row in rows]
    of_object = {name: parameters[name] for name in ("object_kind", "object_id")}
    found = fetch_all(_OPERATIONS, {**of_object, "commits": commits, "shown": OPERATIONS_SHOWN})
    names = object_names(snapshot, {(row[4], row[5]) for row in found})
    operations: dict[int, list[OperationEntry]] = {}
    counts: dict[int, tuple[int, int]] = {}
    for commit_id, operation_count, rows_changed, *operation in found:
        operations.setdefault(commit_id, []).append(_operation(operation, names))
        counts[commit_id] = operation_count, rows_changed
    return [_commit(row, operations.get(row[0], []), *counts.get(row[0], (0, 0))) for row in rows]


def commit_check(branch: Branch, version: int) -> None:
    """Raises NotFound where the chain of the branch has no commit of that version."""
    if not fetch_all(_COMMIT, {**branch_snapshot(branch).parameters, "of": version}):
        raise NotFound("version", str(version), where=f"in the history of branch {branch.name}")


def commit_operations(snapshot: Snapshot, version: int, *, after: int = 0, limit: int) -> list[OperationEntry]:
    """What the commit of that version did, from the operation behind ``after`` on. The chain has to see the commit."""
    found = fetch_all(_COMMIT_OPERATIONS, {**snapshot.parameters, "of": version, "after": after, "limit": limit})
    names = object_names(snapshot, {(row[1], row[2]) for row in found})
    return [_operation(row, names) for row in found]


def _operation(row: Sequence[Any], names: Mapping[ObjectId, str]) -> OperationEntry:
    kind, object_kind, object_id, metrics, operation_id = row
    name = names.get((object_kind, object_id), "")
    return OperationEntry(kind, object_kind, object_id, name, json_value(metrics), operation_id)


def _commit(
    row: tuple[Any, ...], operations: Iterable[OperationEntry], operation_count: int, rows_changed: int
) -> CommitEntry:
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
        operation_count=operation_count,
        rows_changed=rows_changed,
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
