"""An object laid over another state of itself, rows included: by RESTORE, and by a resolution that takes the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.operations import (
    AttachedDelete,
    Change,
    ColumnAttribute,
    ColumnChange,
    FileEffects,
    ObjectKind,
    Operation,
    OperationKind,
    OverwriteScope,
)
from catalog_app.domain.state_diff import state_operations
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshot_diff import VisibleFile, masked, table_files
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from merge_app.planning.merge_plan import Decision, PlanInput, ResolutionPart
from merge_app.planning.net_changes import ObjectKey

_HEAD = f"""
WITH {SNAPSHOT}
SELECT l.branch_id, c.version FROM snapshot l CROSS JOIN LATERAL (
    SELECT version FROM catalog_app_commit WHERE branch_id = l.branch_id AND version <= l.max_version
    ORDER BY version DESC LIMIT 1) c
ORDER BY l.depth LIMIT 1
"""


def overwrite_with(
    table_id: int, wanted: Sequence[VisibleFile], present: Sequence[VisibleFile], *, always: bool
) -> Operation | None:
    """One overwrite: all segments go, the wanted ones come, with their deletes. None where they are the same already,
    unless ``always``: only with all rows replaced may a type become narrower, or older rows read otherwise.
    """
    if not always and masked(wanted) == masked(present):
        return None
    effects = FileEffects(
        added=tuple(item.added for item in wanted),
        removed=tuple(item.added.file_id for item in present),
        deletes=tuple(AttachedDelete(*delete) for item in wanted for delete in item.deletes),
    )
    metrics = {"files_added": len(set(effects.added)), "files_removed": len(effects.removed), "bytes_written": 0}
    return Operation(
        OperationKind.OVERWRITE,
        ObjectKind.TABLE,
        table_id,
        overwrite=OverwriteScope(),
        effects=effects,
        metrics=metrics,
    )


def replaces_rows(change: Change) -> bool:
    """Whether the change of a column to what it was is made together with all rows."""
    return isinstance(change, ColumnChange) and change.attribute in (
        ColumnAttribute.TYPE,
        ColumnAttribute.NESTED,
        ColumnAttribute.INITIAL_DEFAULT,
    )


def replacements_load(
    planned: PlanInput, source: Snapshot, destination: Snapshot
) -> dict[ObjectKey, tuple[Operation, ...]]:
    """By object of which the source is to be taken whole, the operations that make the target's what the source
    has. Objects that either side lacks are absent.
    """
    chosen = {
        item.key_of_object
        for item in planned.resolutions
        if item.decision is Decision.TAKE_SOURCE and item.part is ResolutionPart.OBJECT
    }
    tables = [object_id for kind, object_id in chosen if kind is ObjectKind.TABLE]
    # Where two branches decided otherwise, a table is in conflict of which no operation is news.
    planned = replace(
        planned,
        tables={**tables_load(destination, set(tables) - planned.tables.keys()), **planned.tables},
        source_tables={**tables_load(source, set(tables) - planned.source_tables.keys()), **planned.source_tables},
    )
    wanted, present = table_files(source, tables), table_files(destination, tables)
    head = _head_commit(source)
    found: dict[ObjectKey, tuple[Operation, ...]] = {}
    for key in sorted(chosen):
        kind, object_id = key
        before, after = planned.states_of(key)
        if before is None or after is None or after.is_dropped:
            continue
        operations = state_operations(before, after)
        if kind is ObjectKind.TABLE:
            always = any(replaces_rows(change) for item in operations for change in item.changes)
            overwrite = overwrite_with(object_id, wanted.get(object_id, ()), present.get(object_id, ()), always=always)
            operations = (*operations, overwrite) if overwrite is not None else operations
        branch = next((item.branch for item in planned.source if (item.object_kind, item.object_id) == key), "")
        found[key] = tuple(replace(item, version=source.version, branch=branch, origin=head) for item in operations)
    return found


def _head_commit(source: Snapshot) -> tuple[int, int] | None:
    """Branch and version of the newest commit that the source shows: a branch may have none of its own."""
    return next(iter(fetch_all(_HEAD, source.parameters)), None)
