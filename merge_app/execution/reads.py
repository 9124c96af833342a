"""What the statement of a commit read of other tables, and which of these reads are stale for a merge's destination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog_app.models import Branch, Commit, CommitRead
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.version_vectors import Ranges, VersionVector, own_ranges, reach_parameters, version_vector_load
from merge_app.planning.merge_plan import StaleRead

CHANGES_ROWS = ("create", "drop", "undrop", "column", "partition", "insert", "delete", "update", "overwrite")
"""What changes what a statement reads of a table. A compaction, a name and a property do not."""


@dataclass(frozen=True, slots=True, order=True)
class TableRead:
    """A table as of a version of a branch."""

    table_id: int
    branch_id: int
    version: int


def reads_record(commit: Commit, written: Iterable[int], reads: Sequence[TableRead]) -> None:
    """Write what the commit's statement read for the tables that it wrote. Rules judge a table against itself."""
    CommitRead.objects.bulk_create(
        CommitRead(
            commit=commit, written_id=table_id, table_id=read.table_id, branch_id=read.branch_id, version=read.version
        )
        for table_id in sorted(written)
        for read in reads
        if read.table_id != table_id
    )


_COPY = """
INSERT INTO catalog_app_commitread (commit_id, written_id, table_id, branch_id, version)
SELECT DISTINCT %(commit)s::bigint, r.written_id, r.table_id, r.branch_id, r.version
FROM catalog_app_commitread r JOIN catalog_app_commit c ON c.id = r.commit_id
WHERE c.branch_id = %(workspace)s AND r.written_id = ANY(%(written)s)
ON CONFLICT DO NOTHING RETURNING id
"""


def reads_copy(commit: Commit, written: Iterable[int], workspace: int) -> None:
    """The reads of a transaction's statements are those of its commit: no branch reaches the workspace."""
    fetch_all(_COPY, {"commit": commit.pk, "workspace": workspace, "written": list(written)})


_READS = """
SELECT n.written_id, n.table_id, n.branch_id, min(n.version) FROM (
    SELECT r.*, c.version AS committed, max(c.version) OVER (PARTITION BY r.written_id, r.table_id) AS newest
    FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS g(branch_id, after, upto)
    JOIN catalog_app_commit c ON c.branch_id = g.branch_id AND c.version > g.after AND c.version <= g.upto
    JOIN catalog_app_commitread r ON r.commit_id = c.id
) n WHERE n.committed = n.newest
GROUP BY n.written_id, n.table_id, n.branch_id ORDER BY n.written_id, n.table_id, n.branch_id
"""

_CHANGE = """
SELECT o.version, o.kind
FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS g(branch_id, after, upto)
JOIN catalog_app_commitoperation o ON o.branch_id = g.branch_id AND o.version > g.after AND o.version <= g.upto
WHERE o.object_kind = 'table' AND o.object_id = %(table)s AND o.kind = ANY(%(kinds)s) AND NOT o.already_done
  AND NOT EXISTS (
    SELECT 1 FROM unnest(%(reached)s::bigint[], %(reached_upto)s::bigint[]) AS q(branch_id, upto)
    WHERE q.branch_id = o.origin_branch_id AND q.upto >= o.origin_version)
ORDER BY o.version DESC, o.id DESC LIMIT 1
"""


def stale_reads_load(source: VersionVector, destination: Snapshot, known: VersionVector) -> tuple[StaleRead, ...]:
    """The reads of commits that only the source reaches, of tables that the target changed in commits that the
    read did not know. Of one table read for another, the newest commit counts: to run the statement again is the way
    out. ``known`` is what the target reaches.
    """
    new = Ranges.of_news(source, known)
    reads = fetch_all(_READS, new.parameters) if new else []
    found = []
    for written, table_id, branch_id, version in reads:
        branch = Branch.objects.select_related("parent").get(pk=branch_id)
        change = _newest_change(destination, version_vector_load(branch_snapshot(branch).at(version)), table_id)
        name = _name(destination, table_id) if change is not None else None
        if change is not None and name is not None:
            shown = branch.parent if branch.is_workspace and branch.parent is not None else branch
            found.append(StaleRead(written, table_id, name, shown.name, version, *change))
    return tuple(found)


def _newest_change(destination: Snapshot, seen: VersionVector, table_id: int) -> tuple[int, str] | None:
    """Version and kind of the newest change of the table's rows on the target that the read did not know."""
    parameters = {
        **own_ranges(destination, seen).parameters,
        "table": table_id,
        "kinds": list(CHANGES_ROWS),
        **reach_parameters("reached", seen),
    }
    for version, kind in fetch_all(_CHANGE, parameters):
        return version, kind
    return None


def _name(snapshot: Snapshot, table_id: int) -> str | None:
    """The table's full name; None where the chain does not know it."""
    state = tables_load(snapshot, {table_id}).get(table_id)
    if state is None:
        return None
    database = databases_load(snapshot, {state.database_id}).get(state.database_id)
    return f"{database.name}.{state.name}" if database is not None else state.name
