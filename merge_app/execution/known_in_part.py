"""Restores that were nothing to one side of a merge, while the other side knows half of what they took back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from catalog_app.domain.operations import DATA_KINDS, OperationKind
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from merge_app.execution.reach import Reach, chain_reach
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import RestoreKnownInPart

_ON_ROWS = [kind.value for kind in sorted({*DATA_KINDS, OperationKind.PARTITION})]

_RESTORES = f"""
WITH {SNAPSHOT}, merged AS (
    SELECT * FROM unnest(%(merged)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS m(branch_id, after, upto)
), other AS (
    SELECT * FROM unnest(%(other)s::bigint[], %(other_upto)s::bigint[]) AS q(branch_id, upto)
), restores AS (
    SELECT coalesce(o.origin_id, o.id) AS origin_id, o.object_id, o.branch_id, o.version, m.upto,
           (o.metrics -> '{RESTORED_VERSION}')::bigint AS restored
    FROM merged m JOIN catalog_app_commitoperation o
      ON o.branch_id = m.branch_id AND o.version > m.after AND o.version <= m.upto
    WHERE o.metrics ? '{RESTORED_VERSION}' AND o.origin_branch_id = o.branch_id AND o.origin_version = o.version
      AND (%(tables)s::bigint[] IS NULL OR o.object_id = ANY(%(tables)s))
)
SELECT DISTINCT ON (o.object_id) o.object_id, b.name, o.version, o.restored
FROM restores o JOIN catalog_app_branch b ON b.id = o.branch_id
WHERE NOT EXISTS (
    SELECT 1 FROM snapshot l JOIN catalog_app_commitoperation p
      ON p.origin_id = o.origin_id AND p.branch_id = l.branch_id AND p.version <= l.max_version
) AND NOT EXISTS (
    SELECT 1 FROM catalog_app_commitoperation later
    WHERE later.object_kind = 'table' AND later.object_id = o.object_id AND later.branch_id = o.branch_id
      AND later.version > o.version AND later.version <= o.upto
      AND (later.kind = 'drop' OR (later.kind = 'overwrite' AND later.overwrite -> 'partitions' = 'null'::jsonb))
) AND NOT EXISTS (
    SELECT 1 FROM snapshot l JOIN catalog_app_branchreach r
      ON r.branch_id = l.branch_id AND r.at_version <= l.max_version
    WHERE r.reached_branch_id = o.branch_id AND r.reached_version > o.restored AND r.reached_version < o.version
) AND EXISTS (
    SELECT 1 FROM unnest(b.id || b.ancestor_branches, o.version - 1 || b.ancestor_limits) AS line(branch_id, upto)
    JOIN other q ON q.branch_id = line.branch_id
    JOIN catalog_app_commitoperation known
      ON known.object_kind = 'table' AND known.object_id = o.object_id AND known.branch_id = line.branch_id
     AND known.version > o.restored AND known.version <= least(line.upto, q.upto) AND known.kind = ANY(%(on_rows)s)
)
ORDER BY o.object_id, o.version DESC
"""
"""By table the last restore on a branch that was merged, where whoever merged it recorded nothing of it and had not
merged half of what it took back, which the other side has.
"""


def known_in_part_load(
    informed: Snapshot, reach: Reach, other: Reach, *, is_source: bool, tables: Collection[int] | None = None
) -> tuple[RestoreKnownInPart, ...]:
    """One a table, of ``tables`` alone where they are given. ``informed`` is the chain of the side that reaches the
    restores, the source's or the destination's, ``reach`` what it reaches, and ``other`` what the other side does. No
    query where it reaches no branch beyond its chain further than the other side.
    """
    own = chain_reach(informed)
    merged = [
        (branch_id, after, upto)
        for branch_id, upto in reach.items()
        if upto > (after := max(own.get(branch_id, 0), other.get(branch_id, 0)))
    ]
    if not merged or (tables is not None and not tables):
        return ()
    parameters = {
        **informed.parameters,
        "merged": [branch_id for branch_id, _, _ in merged],
        "after": [after for _, after, _ in merged],
        "upto": [upto for _, _, upto in merged],
        "other": list(other.keys()),
        "other_upto": list(other.values()),
        "tables": None if tables is None else list(tables),
        "on_rows": _ON_ROWS,
    }
    half: Literal["source", "destination"] = "destination" if is_source else "source"
    return tuple(
        RestoreKnownInPart(table_id, branch, version, restored_version, half)
        for table_id, branch, version, restored_version in fetch_all(_RESTORES, parameters)
    )
