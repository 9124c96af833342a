"""What operations said of rows that they never saw, from the journal: scopes, predicates and restores (lineage §4)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operation_json import change_from_json, scope_from_json
from catalog_app.domain.operations import Change, Operation, OperationKind, OverwriteScope, PartitionChange
from catalog_app.domain.state_diff import DECLARES
from catalog_app.selectors.rows import fetch_all, json_value
from merge_app.execution.lineage.ranges import RANGES
from merge_app.execution.lineage.vectors import Vectors
from merge_app.execution.version_vectors import Ranges, VersionVector
from merge_app.lineage.facts import Scope, ScopeKind
from merge_app.lineage.segments import DOT
from merge_app.planning.merge_plan import WITHOUT_SOURCE, Decision, ResolutionPart
from merge_app.planning.net_changes import RESTORED_VERSION

_SCOPES = f"""
WITH {RANGES}
SELECT r.place, o.object_id, o.branch_id, o.version, o.kind, o.changes, o.overwrite, o.metrics
FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
WHERE o.object_kind = 'table' AND o.object_id = ANY(%(tables)s)
  AND (o.kind IN ('overwrite', 'partition', 'update', 'delete') OR o.kind = 'insert' AND o.branch_id = %(own)s
    AND EXISTS (SELECT 1 FROM catalog_app_commit c WHERE c.id = o.commit_id AND c.operation = 'MERGE'))
  AND o.origin_branch_id = o.branch_id AND o.origin_version = o.version
ORDER BY o.version, o.id
"""
_OVERWRITTEN = """
SELECT object_id, version FROM catalog_app_commitoperation
WHERE object_kind = 'table' AND object_id = ANY(%(tables)s) AND kind = 'overwrite'
"""

_DECIDED = f"""
WITH {RANGES}
SELECT r.place, c.branch_id, c.version, m.branch_id, m.version, a.body -> 'resolutions'
FROM ranges r JOIN catalog_app_commit c
  ON c.branch_id = r.branch_id AND c.version > r.after AND c.version <= r.upto
JOIN catalog_app_commit m ON m.id = c.merge_parent_id JOIN catalog_app_branch b ON b.id = c.branch_id
JOIN merge_app_mergeattempt a ON a.catalog_id = b.catalog_id AND a.version = c.version AND a.outcome = 'merged'
WHERE (a.body -> 'resolutions') @> '[{{"object_kind": "table"}}]'::jsonb
"""
"""Merges of which people decided tables, with what they merged."""
_CARRIED_OUT = ("overwrite", "partition")

_OF_SCOPES = (ResolutionPart.OBJECT, ResolutionPart.PARTITION)

Code = Callable[[PartitionValues], int]
"""Gives a partition its code."""


def scopes_load(
    tables: Collection[int],
    source: Ranges,
    target: Ranges,
    codes: Mapping[int, Code],
    vectors: Vectors,
    *,
    own: int | None = None,
) -> tuple[dict[int, list[Scope]], dict[int, list[Scope]]]:
    """By table, the scopes of each side's commits in order. ``codes``: by table, what gives a partition its code.
    ``own``: of a transaction, its workspace. What its MERGE INTO inserts, no row matched (R9).
    """
    sides: tuple[dict[int, list[Scope]], dict[int, list[Scope]]] = (defaultdict(list), defaultdict(list))
    both = source + target
    if not both:
        return sides
    loaded = fetch_all(_SCOPES, {**both.parameters, "tables": list(tables), "own": own})
    for place, table_id, branch, version, kind, changes, overwrite, stored in loaded:
        found, metrics = sides[place > len(source)], json_value(stored)
        if DECLARES in metrics:
            continue
        if kind == OperationKind.INSERT:
            found[table_id].append(Scope(version, branch, ScopeKind.NOT_MATCHED, {}))
            continue
        restored = metrics.get(RESTORED_VERSION)
        knows = vectors.at(branch, version - 1) if kind in _CARRIED_OUT else {}
        then = None if restored is None else vectors.at(branch, restored)
        parts = (OperationKind(kind), _changes(changes), scope_from_json(json_value(overwrite)), _writes(metrics))
        found[table_id] += _scopes(parts, (version, branch, knows, then), codes[table_id])
    may_be_left_out = {table_id for _, table_id, _, _, kind, *_ in loaded if kind in _CARRIED_OUT}
    if may_be_left_out:
        for place, table_id, scope in _decisions(both, may_be_left_out, codes, vectors):
            sides[place > len(source)][table_id].append(scope)
    return sides


def _decisions(
    ranges: Ranges, tables: Collection[int], codes: Mapping[int, Code], vectors: Vectors
) -> Iterator[tuple[int, int, Scope]]:
    """What people decided of these tables, or of partitions of them, by place among the ranges and by table."""
    for place, branch, version, merged, merged_version, resolutions in fetch_all(_DECIDED, ranges.parameters):
        for item in json_value(resolutions):
            part, table_id = item["part"], item["object_id"]
            if item["object_kind"] != "table" or table_id not in tables or part not in _OF_SCOPES:
                continue
            values = None if part == ResolutionPart.OBJECT else tuple(json.loads(item["part_key"]))
            partition = None if values is None else codes[table_id](values)
            if item["decision"] in WITHOUT_SOURCE:
                knows, then = vectors.at(branch, version), vectors.at(branch, version - 1)
            elif item["decision"] == Decision.TAKE_SOURCE and partition is None:
                knows, then = vectors.at(branch, version - 1), vectors.at(merged, merged_version)
            else:
                continue
            yield place, table_id, Scope(version, branch, ScopeKind.DECISION, knows, partition, then=then)


def scopes_staged(staged: Sequence[Operation], knows: VersionVector, code: Code) -> list[Scope]:
    """The scopes of what a statement wants to commit."""
    found: list[Scope] = []
    for item in staged:
        if DECLARES in item.metrics:
            continue
        restored = RESTORED_VERSION in item.metrics
        parts = (item.kind, item.changes, item.overwrite, _writes(item.metrics))
        found += _scopes(parts, (DOT, -1, knows, {} if restored else None), code)
    return found


def overwritten_load(tables: Collection[int]) -> dict[int, set[int]]:
    """By table, the versions of the commits that overwrote it or a partition of it."""
    found: dict[int, set[int]] = defaultdict(set)
    for table_id, version in fetch_all(_OVERWRITTEN, {"tables": list(tables)}):
        found[table_id].add(version)
    return found


def _writes(metrics: Mapping[str, Any]) -> bool:
    return bool(metrics.get("rows_inserted"))


def _changes(value: Any) -> tuple[Change, ...]:
    return tuple(change_from_json(item) for item in json_value(value))


def _scopes(
    parts: tuple[OperationKind, Sequence[Change], OverwriteScope | None, bool],
    where: tuple[int, int, VersionVector, VersionVector | None],
    code: Code,
) -> Iterator[Scope]:
    kind, changes, overwrite, writes = parts
    stamp, branch, knows, then = where
    match kind:
        case OperationKind.UPDATE:
            yield Scope(stamp, branch, ScopeKind.UPDATE, knows)
        case OperationKind.DELETE:
            yield Scope(stamp, branch, ScopeKind.DELETE, knows)
        case OperationKind.OVERWRITE if then is not None:
            yield Scope(stamp, branch, ScopeKind.RESTORE, knows, then=then)
        case OperationKind.OVERWRITE:
            partitions: Sequence[PartitionValues | None] = (None,)
            if overwrite is not None and overwrite.partitions is not None:
                partitions = overwrite.partitions
            for values in partitions:
                partition = None if values is None else code(values)
                yield Scope(stamp, branch, ScopeKind.OVERWRITE, knows, partition, writes=writes)
        case OperationKind.PARTITION:
            for change in changes:
                if isinstance(change, PartitionChange) and change.before is not None:
                    to = None if change.after is None else code(change.after)
                    of = ScopeKind.DROP_PARTITION if to is None else ScopeKind.RENAME_PARTITION
                    yield Scope(stamp, branch, of, knows, code(change.before), to)
        case _:
            return
