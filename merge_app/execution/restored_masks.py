"""Deletes that a restore of the destination took off files which the source emptied (see ``TableFacts.masks``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.rows import fetch_all
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import PlanInput

_EMPTYING = (OperationKind.DELETE, OperationKind.UPDATE)

_MASKS = """
SELECT DISTINCT f.table_id, f.data_file_id, f.id
FROM unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
JOIN catalog_app_segmentdelete d
  ON d.branch_id = c.branch_id AND d.table_id = ANY(%(tables)s) AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE f.data_file_id = ANY(%(files)s) AND NOT f.id = ANY(%(own)s)
ORDER BY f.table_id, f.data_file_id, f.id
"""


def masks_load(
    planned: PlanInput, source: Lineage | None, destination: Lineage, tables: Collection[int]
) -> dict[int, Mapping[int, tuple[int, ...]]]:
    """By table, for an input with file effects. No query where no restore put back a file that the source emptied."""
    emptied = {table_id: _restored(planned, table_id) for table_id in tables}
    files = [file_id for found in emptied.values() for file_id in found]
    if not files:
        return {}
    chains = [destination] if source is None else [destination, source]
    parameters = {
        "branches": [branch for chain in chains for branch in chain.branch_ids],
        "limits": [limit for chain in chains for limit in chain.limits],
        "tables": list(emptied),
        "files": files,
        "own": _own_deletes((*planned.source, *planned.destination)),
    }
    masks: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for table_id, file_id, delete_id in fetch_all(_MASKS, parameters):
        masks[table_id][file_id] = (*masks[table_id].get(file_id, ()), delete_id)
    return dict(masks)


def _restored(planned: PlanInput, table_id: int) -> set[int]:
    back = {
        item.file_id
        for operation in _of_table(planned.destination, table_id)
        if RESTORED_VERSION in operation.metrics and operation.effects is not None
        for item in operation.effects.added
    }
    if not back:
        return back
    return back & {
        file_id
        for operation in _of_table(planned.source, table_id)
        if operation.kind in _EMPTYING and operation.effects is not None
        for file_id in operation.effects.removed
    }


def _of_table(operations: Sequence[Operation], table_id: int) -> list[Operation]:
    return [item for item in operations if item.object_kind is ObjectKind.TABLE and item.object_id == table_id]


def _own_deletes(operations: Sequence[Operation]) -> list[int]:
    """What either side deleted since they parted; deletes that come back with a restore are older."""
    return [
        item.delete_file_id
        for operation in operations
        if operation.kind is not OperationKind.OVERWRITE and operation.effects is not None
        for item in operation.effects.deletes
    ]
