"""Files that the source merged from the destination after its own overwrites (see ``ArrivedFile``)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from catalog_app.domain.operations import AddedFile, ObjectKind, Operation, OperationKind
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import files_shown
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.divergence import holders_load
from merge_app.execution.reach import newest_merge
from merge_app.planning.partition_paths import dropped_partitions
from merge_app.planning.sides import sides_of
from merge_app.planning.spared import put_back_beside
from merge_app.planning.surviving import is_full_overwrite
from merge_app.planning.values import ArrivedFile, PlanInput

_ARRIVED = """
WITH source AS MATERIALIZED (
    SELECT * FROM unnest(%(source_ids)s::bigint[], %(source_limits)s::bigint[]) AS s(branch_id, max_version)
), scopes AS (
    SELECT * FROM unnest(%(tables)s::bigint[], %(partitions)s::text[], %(versions)s::bigint[], %(operations)s::bigint[])
        AS c(table_id, partition, version, operation_id)
), came AS (
    SELECT s.table_id, s.file_id, s.added_version AS version, s.operation_id, false AS was_spared
    FROM source m JOIN catalog_app_segment s
      ON s.branch_id = m.branch_id AND s.added_version <= m.max_version AND s.table_id = ANY(%(tables)s)
    WHERE NOT s.operation_id = ANY(%(own)s)
    UNION ALL
    SELECT f.table_id, f.id, p.version, p.operation_id, true
    FROM unnest(%(spared)s::bigint[], %(spared_versions)s::bigint[], %(spared_operations)s::bigint[])
        AS p(file_id, version, operation_id)
    JOIN catalog_app_datafile f ON f.id = p.file_id
)
SELECT DISTINCT s.table_id, s.file_id
FROM came s JOIN catalog_app_datafile f ON f.id = s.file_id JOIN scopes c ON c.table_id = s.table_id
GROUP BY s.table_id, s.file_id, s.version, s.operation_id, s.was_spared
HAVING bool_or((s.version, s.operation_id, s.was_spared) > (c.version, c.operation_id, false))
   AND bool_and((s.version, s.operation_id, s.was_spared) > (c.version, c.operation_id, false))
       FILTER (WHERE c.partition IS NULL OR c.partition::jsonb = f.partition) IS NOT FALSE
ORDER BY s.table_id, s.file_id
"""
"""After some overwrite or drop of a partition, and after all that took its own partition away. What a merged overwrite
spared counts as come with it.
"""


def arrived_files(planned: PlanInput, source: Snapshot | None) -> Mapping[int, tuple[int, ...]]:
    """File ids by table, tables without any left out. No query where the source never merged after an overwrite."""
    scopes = [(item, scope) for item in planned.source for scope in _scopes(item) if item.object_id in planned.tables]
    if source is None or not scopes or newest_merge(source) < min(item.version for item, _ in scopes):
        return {}
    parameters = {
        "source_ids": list(source.branch_ids),
        "source_limits": list(source.limits),
        "tables": [item.object_id for item, _ in scopes],
        "partitions": [scope for _, scope in scopes],
        "versions": [item.version for item, _ in scopes],
        "operations": [item.operation_id for item, _ in scopes],
        **_spared(planned.source),
        "own": [item.operation_id for item in planned.source],
    }
    found: dict[int, list[int]] = defaultdict(list)
    for table_id, file_id in fetch_all(_ARRIVED, parameters):
        found[table_id].append(file_id)
    return {table_id: tuple(files) for table_id, files in found.items()}


def tables_merged_after_drops(planned: PlanInput, source: Snapshot | None) -> set[int]:
    """The tables of which the source took partitions away and merged others' work afterwards: what it discarded then
    may lie in other partitions of the destination.
    """
    emptying = [item for item in planned.source if item.object_id in planned.tables and any(_scopes(item))]
    if source is None or not emptying or newest_merge(source) < min(item.version for item in emptying):
        return set()
    return {item.object_id for item in emptying}


def _spared(operations: Sequence[Operation]) -> dict[str, list[int | None]]:
    pairs = [(file_id, item) for item in operations if item.overwrite for file_id in item.overwrite.spared]
    return {
        "spared": [file_id for file_id, _ in pairs],
        "spared_versions": [item.version for _, item in pairs],
        "spared_operations": [item.operation_id for _, item in pairs],
    }


def _scopes(operation: Operation) -> Sequence[str | None]:
    """The partitions that it emptied, as JSON; None for all."""
    if operation.object_kind is not ObjectKind.TABLE:
        return ()
    if operation.kind is OperationKind.OVERWRITE:
        partitions = operation.overwrite.partitions if operation.overwrite else None
        return (None,) if is_full_overwrite(operation) else [json.dumps(list(values)) for values in partitions or ()]
    return [json.dumps(list(values)) for values in dropped_partitions(operation)]


def arrived_load(
    planned: PlanInput, destination: Snapshot, files: Mapping[int, Collection[int]]
) -> dict[int, tuple[ArrivedFile, ...]]:
    """By table, for an input with the file effects of the destination."""
    found = {}
    for table_id, file_ids in files.items():
        holders = holders_load(destination, table_id, file_ids, planned.destination)
        arrived = [ArrivedFile(file_id, _where(file_id, holders.get(file_id, ()))) for file_id in file_ids]
        past = sides_of(planned).destination_of(ObjectKind.TABLE, table_id).past
        found[table_id] = put_back_beside(past, arrived)
    return found


def shown_load(source: Snapshot | None, arrived: Mapping[int, Sequence[ArrivedFile]]) -> dict[int, frozenset[int]]:
    """By table, the files that the destination put back beside arrived ones and that the source shows too; no query
    without any.
    """
    put_back = {
        table_id: {file.file_id for item in items for file in item.put_back} for table_id, items in arrived.items()
    }
    if source is None:
        return {}
    return {
        table_id: frozenset(files_shown(source, [table_id], files)) for table_id, files in put_back.items() if files
    }


def _where(file_id: int, holders: Sequence[AddedFile]) -> tuple[AddedFile, ...]:
    return tuple(holder for holder in holders if holder.file_id == file_id) or tuple(holders)
