"""Decisions of earlier merges that left out, of a whole table, changes of rows which the target still has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from catalog_app.domain.operations import DATA_KINDS, OperationKind
from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.version_vectors import (
    VersionVector,
    chain_version_vector,
    own_ranges,
    reach_parameters,
    version_vector_load,
)
from merge_app.planning.merge_plan import WITHOUT_SOURCE, LeftOutBefore

_ON_ROWS = [kind.value for kind in sorted({*DATA_KINDS, OperationKind.PARTITION} - {OperationKind.COMPACTION})]
_BY_KEY = [kind.value for kind in (OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE)]
"""What a merge by key writes; the whole table is written where a source is taken, and then has what that left out."""

_DECIDED = """
SELECT b.id, b.name, c.version, m.branch_id, m.version, a.body -> 'resolutions'
FROM unnest(%(reached)s::bigint[], %(reached_upto)s::bigint[]) AS r(branch_id, upto)
JOIN catalog_app_branch b ON b.id = r.branch_id
JOIN merge_app_mergeattempt a ON a.catalog_id = b.catalog_id AND a.outcome = 'merged' AND a.version <= r.upto
JOIN catalog_app_commit c ON c.catalog_id = a.catalog_id AND c.version = a.version AND c.branch_id = b.id
JOIN catalog_app_commit m ON m.id = c.merge_parent_id
WHERE (a.body -> 'resolutions') @> '[{"part": "object", "object_kind": "table"}]'::jsonb
ORDER BY c.version DESC
"""
"""The merges that a head reaches and in which somebody decided a whole table, with what they merged."""

_STILL_THERE = """
WITH brought AS (
    SELECT o.object_id, o.branch_id, o.version, o.origin_branch_id, o.origin_version
    FROM unnest(%(merged)s::bigint[], %(merged_upto)s::bigint[]) AS q(branch_id, upto)
    JOIN catalog_app_commitoperation o ON o.origin_branch_id = q.branch_id AND o.origin_version <= q.upto
    WHERE o.object_kind = 'table' AND o.object_id = ANY(%(tables)s) AND o.kind = ANY(%(on_rows)s)
    AND NOT EXISTS (
        SELECT 1 FROM unnest(%(known)s::bigint[], %(known_upto)s::bigint[]) AS k(branch_id, upto)
        WHERE k.branch_id = o.origin_branch_id AND k.upto >= o.origin_version
    )
)
SELECT DISTINCT o.object_id
FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
JOIN catalog_app_commitoperation o ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
WHERE o.object_kind = 'table' AND o.object_id = ANY(%(tables)s) AND o.kind = ANY(%(on_rows)s)
AND EXISTS (
    SELECT 1 FROM brought
    WHERE brought.object_id = o.object_id
    AND (
        (brought.origin_branch_id = o.origin_branch_id AND brought.origin_version = o.origin_version)
        OR o.kind = ANY(%(by_key)s) AND EXISTS (
            SELECT 1 FROM catalog_app_branchreach reached
            WHERE reached.branch_id = o.origin_branch_id AND reached.at_version = o.origin_version
            AND reached.reached_branch_id = brought.branch_id AND reached.reached_version >= brought.version
        )
    )
) AND NOT EXISTS (
    SELECT 1 FROM unnest(%(branches)s::bigint[], %(upto)s::bigint[]) AS l(branch_id, upto)
    JOIN catalog_app_commitoperation later ON later.branch_id = l.branch_id AND later.version <= l.upto
    WHERE later.object_kind = 'table' AND later.object_id = o.object_id AND later.version > o.version
      AND (later.kind = 'drop' OR (later.kind = 'overwrite' AND later.overwrite -> 'partitions' = 'null'::jsonb))
) AND NOT EXISTS (
    SELECT 1 FROM unnest(%(source)s::bigint[], %(source_upto)s::bigint[]) AS l(branch_id, upto)
    JOIN catalog_app_commitoperation p ON p.branch_id = l.branch_id AND p.version <= l.upto
    WHERE p.object_kind = 'table' AND p.object_id = o.object_id
      AND coalesce(p.origin_id, p.id) = coalesce(o.origin_id, o.id)
)
"""
"""The tables on whose rows the target has work that a merge brought to a branch which did not know it before, but
the source has not, and that nothing replaced since. A merge by key writes such work anew, as its own: what that merge
reached tells.
"""


_LEFT_OUT = """
SELECT EXISTS (
    SELECT 1 FROM catalog_app_table t JOIN merge_app_mergeattempt a ON a.catalog_id = t.catalog_id OR a.catalog_id IN (
        SELECT j.other_id FROM catalog_app_catalogjoin j WHERE j.catalog_id = t.catalog_id)
    CROSS JOIN LATERAL jsonb_array_elements(a.body -> 'resolutions') AS item
    WHERE t.id = %(table)s AND a.outcome = 'merged'
      AND (a.body -> 'resolutions') @> '[{"part": "object", "object_kind": "table"}]'::jsonb
      AND item ->> 'part' = 'object' AND item ->> 'object_kind' = 'table' AND item -> 'object_id' = to_jsonb(t.id)
      AND item ->> 'decision' = ANY(%(decisions)s))
"""


def is_left_out(table_id: int) -> bool:
    """Whether a merge of the table's catalog, or of one joined with it, left out what its source did to the table."""
    ((found,),) = fetch_all(_LEFT_OUT, {"table": table_id, "decisions": [item.value for item in WITHOUT_SOURCE]})
    return bool(found)


def left_out_before_load(
    source: Snapshot, version_vector: VersionVector, destination: Snapshot, tables: Collection[int]
) -> tuple[LeftOutBefore, ...]:
    """One a table of ``tables``, the newest decision that left out rows of the target, or a decision of it to leave out
    the same. ``version_vector`` is what the source reaches.
    """
    if not tables:
        return ()
    decisions = fetch_all(_DECIDED, reach_parameters("reached", version_vector))
    decided = [(*row[:5], _left_out(row[5])) for row in decisions]
    found: dict[int, LeftOutBefore] = {}
    for branch_id, branch, version, merged_branch, merged_version, left_out in decided:
        wanted = (left_out & set(tables)) - found.keys()
        if wanted:
            known = version_vector_load(_at(branch_id, version - 1))
            merged = version_vector_load(_at(merged_branch, merged_version))
            left = {*_still_there(source, destination, wanted, known, merged)}
            news = {branch_id: (after, upto) for branch_id, after, upto in own_ranges(destination, known)}
            for other, _, at, _, _, tables_left_out in decided:
                after, upto = news.get(other, (0, 0))
                if after < at <= min(upto, merged.get(other, 0)):
                    left |= tables_left_out & wanted
            for table_id in left:
                found[table_id] = LeftOutBefore(table_id, branch, version)
    return tuple(found[table_id] for table_id in sorted(found))


def _left_out(resolutions: Any) -> frozenset[int]:
    """The tables of which nothing came, by these decisions."""
    return frozenset(
        item["object_id"]
        for item in json_value(resolutions)
        if item["object_kind"] == "table" and item["part"] == "object" and item["decision"] in WITHOUT_SOURCE
    )


def _at(branch_id: int, version: int) -> Snapshot:
    return branch_snapshot(Branch.objects.get(pk=branch_id)).at(version)


def _still_there(
    source: Snapshot, destination: Snapshot, tables: Collection[int], known: VersionVector, merged: VersionVector
) -> list[int]:
    parameters: Mapping[str, object] = {
        **own_ranges(destination, known).parameters,
        **reach_parameters("merged", merged),
        **reach_parameters("known", known),
        **reach_parameters("source", chain_version_vector(source)),
        "tables": list(tables),
        "on_rows": _ON_ROWS,
        "by_key": _BY_KEY,
    }
    return [table_id for (table_id,) in fetch_all(_STILL_THERE, parameters)]
