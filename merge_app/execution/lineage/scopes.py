"""What operations said of rows that they never saw, from the journal: scopes, predicates and restores (lineage §4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operation_json import change_from_json, scope_from_json
from catalog_app.domain.operations import Change, Operation, OperationKind, OverwriteScope, PartitionChange
from catalog_app.selectors.rows import fetch_all, json_value
from merge_app.execution.lineage.ranges import RANGES, Ranges
from merge_app.execution.lineage.vectors import Vectors
from merge_app.execution.version_vectors import VersionVector
from merge_app.lineage.facts import Scope, ScopeKind
from merge_app.lineage.segments import DOT
from merge_app.planning.net_changes import RESTORED_VERSION

_SCOPES = f"""
WITH {RANGES}
SELECT r.place, o.object_id, o.branch_id, o.version, o.kind, o.changes, o.overwrite, o.metrics
FROM ranges r JOIN catalog_app_commitoperation o
  ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
WHERE o.object_kind = 'table' AND o.object_id = ANY(%(tables)s)
  AND o.kind IN ('overwrite', 'partition', 'update', 'delete')
  AND o.origin_branch_id = o.branch_id AND o.origin_version = o.version
ORDER BY o.version, o.id
"""
_OVERWRITTEN = """
SELECT object_id, version FROM catalog_app_commitoperation
WHERE object_kind = 'table' AND object_id = ANY(%(tables)s) AND kind = 'overwrite'
"""

Code = Callable[[PartitionValues], int]
"""Gives a partition its code."""


def scopes_load(
    tables: Collection[int], source: Ranges, target: Ranges, codes: Mapping[int, Code]
) -> tuple[dict[int, list[Scope]], dict[int, list[Scope]]]:
    """By table, the scopes of each side's commits in order. ``codes``: by table, what gives a partition its code."""
    sides: tuple[dict[int, list[Scope]], dict[int, list[Scope]]] = (defaultdict(list), defaultdict(list))
    both = source + target
    if not both.branches:
        return sides
    vectors = Vectors()
    for place, table_id, branch, version, kind, changes, overwrite, metrics in fetch_all(
        _SCOPES, {**both.parameters, "tables": list(tables)}
    ):
        found = sides[place > len(source.branches)]
        restored = json_value(metrics).get(RESTORED_VERSION)
        knows = vectors.at(branch, version - 1) if kind in ("overwrite", "partition") else {}
        then = None if restored is None else vectors.at(branch, restored)
        parts = (OperationKind(kind), _changes(changes), scope_from_json(json_value(overwrite)))
        found[table_id] += _scopes(parts, (version, branch, knows, then), codes[table_id])
    return sides


def scopes_staged(staged: Sequence[Operation], knows: VersionVector, code: Code) -> list[Scope]:
    """The scopes of what a statement wants to commit."""
    found: list[Scope] = []
    for item in staged:
        restored = RESTORED_VERSION in item.metrics
        parts = (item.kind, item.changes, item.overwrite)
        found += _scopes(parts, (DOT, -1, knows, {} if restored else None), code)
    return found


def overwritten_load(tables: Collection[int]) -> dict[int, set[int]]:
    """By table, the versions of the commits that overwrote it or a partition of it."""
    found: dict[int, set[int]] = defaultdict(set)
    for table_id, version in fetch_all(_OVERWRITTEN, {"tables": list(tables)}):
        found[table_id].add(version)
    return found


def _changes(value: Any) -> tuple[Change, ...]:
    return tuple(change_from_json(item) for item in json_value(value))


def _scopes(
    parts: tuple[OperationKind, Sequence[Change], OverwriteScope | None],
    where: tuple[int, int, VersionVector, VersionVector | None],
    code: Code,
) -> Iterator[Scope]:
    kind, changes, overwrite = parts
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
                yield Scope(stamp, branch, ScopeKind.OVERWRITE, knows, partition)
        case OperationKind.PARTITION:
            for change in changes:
                if isinstance(change, PartitionChange) and change.before is not None:
                    to = None if change.after is None else code(change.after)
                    of = ScopeKind.DROP_PARTITION if to is None else ScopeKind.RENAME_PARTITION
                    yield Scope(stamp, branch, of, knows, code(change.before), to)
        case _:
            return
