"""What a merge did, as the operations of its commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.files import NewDataFile, NewDeleteFile
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from catalog_app.domain.state import TableState
from catalog_app.engine.copy_on_write import Copied
from catalog_app.engine.merge_values import MergeChanges
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register, delete_files_register
from lakeui.frontdoor.rows.write_modes import copied_files
from lakeui.frontdoor.rows.writes import write_metrics


def merge_operations(table: TableState, changes: MergeChanges, copied: Copied) -> list[Operation]:
    """What the merge did, in the order in which a replay has to do it. These are the update, the delete and the insert
    that it amounts to (semantics §3), and the copies of the touched files.
    """
    images = data_files_register(table.table_id, changes.images)
    updated = FileEffects(images, changes.emptied_by_update, delete_files_register(table.table_id, changes.updated))
    deleted = FileEffects((), changes.emptied_by_delete, delete_files_register(table.table_id, changes.deleted))
    inserted = FileEffects(data_files_register(table.table_id, changes.inserted))
    copies = copied_files(table, copied, images)
    of_update = _bytes(changes.images) + _bytes(changes.updated)
    of_delete, of_insert = _bytes(changes.deleted), _bytes(changes.inserted)
    update = _operation(table, OperationKind.UPDATE, updated, of_update, rows_updated=changes.rows_updated)
    delete = _operation(table, OperationKind.DELETE, deleted, of_delete, rows_deleted=changes.rows_deleted)
    insert = _operation(table, OperationKind.INSERT, inserted, of_insert, rows_inserted=changes.rows_inserted)
    if update is not None:
        shown = update.metrics["files_added"] - len(copies.folded)
        update = replace(update, metrics={**update.metrics, "files_added": shown})
    return [operation for operation in (update, delete, insert, copies.operation) if operation is not None]


def _bytes(files: Sequence[NewDataFile | NewDeleteFile]) -> int:
    return sum(file.bytes for file in files)


def _operation(
    table: TableState, kind: OperationKind, effects: FileEffects, bytes_written: int, **rows: int
) -> Operation | None:
    """One kind of change that the merge did, None where it did not."""
    if effects == FileEffects():
        return None
    metrics = {
        **rows,
        "files_added": len(effects.added),
        "files_removed": len(effects.removed),
        "bytes_written": bytes_written,
    }
    return alterations.operation(table, kind, effects=effects, metrics=metrics)


def metrics_total(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    """The metrics of all parts together."""
    return write_metrics(**{name: sum(part.get(name, 0) for part in parts) for part in parts for name in part})
