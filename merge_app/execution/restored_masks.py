"""Deletes that a restore of the destination took off files which the source emptied (see ``TableFacts.masks``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.rows import fetch_all
from merge_app.planning.files import effects_of
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import PlanInput

_EMPTYING = (OperationKind.DELETE, OperationKind.UPDATE)

_MASKS_AT_REMOVAL = """
SELECT DISTINCT f.table_id, f.data_file_id, f.id
FROM catalog_app_segmentremoval r
JOIN catalog_app_segment s ON s.id = r.segment_id AND s.file_id = ANY(%(files)s)
JOIN catalog_app_segmentdelete d ON d.table_id = ANY(%(tables)s) AND d.segment_id = s.id
JOIN unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
  ON d.branch_id = c.branch_id AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE r.table_id = ANY(%(tables)s) AND r.operation_id = ANY(%(operations)s) AND NOT f.id = ANY(%(own)s)
ORDER BY f.table_id, f.data_file_id, f.id
"""
"""The same file may have been masked otherwise before, on either side: a restore took that back."""

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
    back = {table_id: _put_back(planned, table_id) for table_id in tables}
    emptying = [
        operation
        for table_id, files in back.items()
        for operation in _of_table(planned.source, table_id)
        if operation.kind in _EMPTYING and files & set(effects_of(operation).removed)
    ]
    if not emptying:
        return {}
    chain = destination if source is None else source
    parameters = {
        "branches": list(chain.branch_ids),
        "limits": list(chain.limits),
        "tables": list({operation.object_id for operation in emptying}),
        "files": [
            file_id for item in emptying for file_id in effects_of(item).removed if file_id in back[item.object_id]
        ],
        "operations": [operation.operation_id for operation in emptying],
        "own": _own_deletes((*planned.source, *planned.destination)),
    }
    masks: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for table_id, file_id, delete_id in fetch_all(_MASKS if source is None else _MASKS_AT_REMOVAL, parameters):
        masks[table_id][file_id] = (*masks[table_id].get(file_id, ()), delete_id)
    return dict(masks)


def _put_back(planned: PlanInput, table_id: int) -> set[int]:
    """The files that a restore of the destination brought back."""
    return {
        item.file_id
        for operation in _of_table(planned.destination, table_id)
        if RESTORED_VERSION in operation.metrics
        for item in effects_of(operation).added
    }


def _of_table(operations: Sequence[Operation], table_id: int) -> list[Operation]:
    return [item for item in operations if item.object_kind is ObjectKind.TABLE and item.object_id == table_id]


def _own_deletes(operations: Sequence[Operation]) -> list[int]:
    """What either side deleted since they parted; deletes that come back with a restore are older."""
    return [
        item.delete_file_id
        for operation in operations
        if operation.kind is not OperationKind.OVERWRITE
        for item in effects_of(operation).deletes
    ]
