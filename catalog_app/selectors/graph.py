"""A stretch of a catalog's history for its branch graph: commits of all branches, the lanes that it shows, and tags."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog_app.domain.pipeline_commits import PREFIX, pipeline_of
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.history import ROW_METRICS, CommitPoint
from catalog_app.selectors.rows import fetch_all


@dataclass(frozen=True, slots=True)
class GraphCommit:
    """A dot of the graph. ``parent`` is None for a first commit, ``merge_parent`` the source's head of a merge.
    ``object``: the full name, as of the commit, of what it changed; of several the first.
    """

    version: int
    branch_id: int
    branch: str
    parent: CommitPoint | None
    merge_parent: CommitPoint | None
    operation: str
    author: str
    time: datetime
    rows_changed: int
    object: str
    object_count: int
    message: str
    pipeline: str


_ROWS = " + ".join(f"coalesce((o.metrics ->> '{name}')::bigint, 0)" for name in ROW_METRICS)

_CHAIN = """
unnest(b.id || b.ancestor_branches, c.version || b.ancestor_limits) WITH ORDINALITY AS l(branch_id, upto, depth)"""
"""What the commit of branch ``b`` sees: its own branch up to the commit, and each ancestor up to its limit."""

_COMMITS = f"""
SELECT c.version, c.branch_id, b.name, p.version, pb.name, m.version, mb.name, c.operation, c.author_name,
       c.committed_at,
       coalesce((SELECT sum({_ROWS}) FROM catalog_app_commitoperation o WHERE o.commit_id = c.id), 0)::bigint,
       concat_ws('.', d.name, t.name),
       (SELECT count(DISTINCT (o.object_kind, o.object_id)) FROM catalog_app_commitoperation o
        WHERE o.commit_id = c.id AND NOT o.already_done),
       c.message, CASE WHEN starts_with(c.statement, %(run)s) THEN c.statement ELSE '' END
FROM (
    SELECT * FROM catalog_app_commit x WHERE catalog_id = %(catalog)s AND version < %(before)s
      AND NOT EXISTS (SELECT 1 FROM catalog_app_branch w WHERE w.id = x.branch_id AND w.is_workspace)
    ORDER BY version DESC LIMIT %(limit)s
) c
JOIN catalog_app_branch b ON b.id = c.branch_id
LEFT JOIN catalog_app_commit p ON p.id = c.parent_id LEFT JOIN catalog_app_branch pb ON pb.id = p.branch_id
LEFT JOIN catalog_app_commit m ON m.id = c.merge_parent_id LEFT JOIN catalog_app_branch mb ON mb.id = m.branch_id
LEFT JOIN LATERAL (
    SELECT o.object_kind AS kind, o.object_id AS id FROM catalog_app_commitoperation o
    WHERE o.commit_id = c.id AND NOT o.already_done ORDER BY o.id LIMIT 1
) f ON true
LEFT JOIN LATERAL (
    SELECT r.database_id, r.name FROM {_CHAIN} CROSS JOIN LATERAL (
        SELECT database_id, name, version FROM catalog_app_tablerecord
        WHERE f.kind = 'table' AND table_id = f.id AND branch_id = l.branch_id AND version <= l.upto
        UNION ALL SELECT database_id, name, version FROM catalog_app_viewrecord
        WHERE f.kind = 'view' AND view_id = f.id AND branch_id = l.branch_id AND version <= l.upto
    ) r ORDER BY l.depth, r.version DESC LIMIT 1
) t ON true
LEFT JOIN LATERAL (
    SELECT r.name FROM {_CHAIN} JOIN catalog_app_databaserecord r
      ON r.database_id = coalesce(t.database_id, f.id) AND r.branch_id = l.branch_id AND r.version <= l.upto
    WHERE f.kind = 'database' OR t.database_id IS NOT NULL ORDER BY l.depth, r.version DESC LIMIT 1
) d ON true
ORDER BY c.version DESC
"""

NEWEST = 2**62
"""A version that no catalog reaches."""


def graph_commits(catalog: Catalog, *, before: int = NEWEST, limit: int) -> list[GraphCommit]:
    """The newest commits of the catalog older than ``before``, newest first."""
    rows = fetch_all(_COMMITS, {"catalog": catalog.pk, "before": before, "limit": limit, "run": PREFIX})
    return [
        GraphCommit(
            version=row[0],
            branch_id=row[1],
            branch=row[2],
            parent=_point(row[4], row[3]),
            merge_parent=_point(row[6], row[5]),
            operation=row[7],
            author=row[8],
            time=row[9],
            rows_changed=row[10],
            object=row[11],
            object_count=row[12],
            message=row[13],
            pipeline=pipeline_of(row[14]),
        )
        for row in rows
    ]


def _point(branch: Any, version: Any) -> CommitPoint | None:
    return None if version is None else CommitPoint(branch, version)


def graph_branches(
    catalog: Catalog, *, branch_ids: Collection[int], oldest: int, newest: int, limit: int
) -> list[Branch]:
    """These branches, the newest ``limit`` valid ones cut between both versions, and the ancestors of all: two queries.

    Oldest first, so that a branch comes behind what it was made from.
    """
    branches = Branch.objects.filter(catalog=catalog, is_workspace=False).select_related("parent")
    cut = branches.filter(dropped_at__isnull=True, fork_version__gte=oldest, fork_version__lte=newest)
    newest_cut = cut.order_by("-pk").values("pk")[:limit]
    found = {branch.pk: branch for branch in (branches.filter(pk__in=branch_ids) | branches.filter(pk__in=newest_cut))}
    ancestors = {pk for branch in found.values() for pk in branch.ancestor_branches} - found.keys()
    found |= branches.in_bulk(list(ancestors))
    return sorted(found.values(), key=lambda branch: branch.pk)


@dataclass(frozen=True, slots=True)
class GraphTag:
    """A tag at the dot that it names: the newest commit that its branch sees at the tagged version."""

    name: str
    branch: str
    version: int


_TAGS = """
SELECT t.name, b.name, c.version
FROM catalog_app_tag t JOIN catalog_app_branch tagged ON tagged.id = t.branch_id
CROSS JOIN LATERAL (
    SELECT m.branch_id, m.version
    FROM unnest(tagged.id || tagged.ancestor_branches, t.version || tagged.ancestor_limits)
        WITH ORDINALITY AS l(branch_id, upto, depth)
    JOIN catalog_app_commit m ON m.branch_id = l.branch_id AND m.version <= least(l.upto, t.version)
    ORDER BY l.depth, m.version DESC LIMIT 1
) c
JOIN catalog_app_branch b ON b.id = c.branch_id
WHERE t.catalog_id = %(catalog)s AND t.version >= %(oldest)s AND c.version BETWEEN %(oldest)s AND %(newest)s
ORDER BY c.version DESC, t.name LIMIT %(limit)s
"""


def graph_tags(catalog: Catalog, *, oldest: int, newest: int, limit: int) -> list[GraphTag]:
    """The tags of commits between both versions, newest first."""
    parameters = {"catalog": catalog.pk, "oldest": oldest, "newest": newest, "limit": limit}
    return [GraphTag(*row) for row in fetch_all(_TAGS, parameters)]
