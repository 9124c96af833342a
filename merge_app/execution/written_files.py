"""The files that one side's operations on a table wrote, and which of them it still shows.

Its own operations do not tell what merges from the other side took away, or put into other partitions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.segments import files_shown
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.effects import effects_load
from merge_app.execution.operations import operations_load
from merge_app.execution.reach import newest_merge, own_ranges
from merge_app.planning.files import SideFiles, effects_of


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """``own`` are the side's operations with their file effects, ``side`` follows these and merged partitions, and
    ``shown`` are those of its files that are in sight.
    """

    own: tuple[Operation, ...]
    side: SideFiles
    shown: Collection[int]

    def is_left(self, file_id: int) -> bool:
        """Whether the side shows the file, or one that its rows were rewritten into."""
        return any(item in self.shown for item in (file_id, *self.side.rewritten_into(file_id)))

    def is_gone(self, file_id: int) -> bool:
        """Whether the file was taken out of sight with its rows, not rewritten."""
        return file_id not in self.shown and not self.side.rewritten_into(file_id)


def written_files_load(table_id: int, operations: Sequence[Operation], snapshot: Snapshot | None) -> WrittenFiles:
    """Of the side's operations, those on this table; a statement has no snapshot."""
    own = [o for o in operations if o.object_kind is ObjectKind.TABLE and o.object_id == table_id]
    if snapshot is None or not own or newest_merge(snapshot) < own[0].version:
        history = effects_load(own)
        side = SideFiles(history)
        return WrittenFiles(history, side, _added(history) - side.removed.keys())
    ids = {operation.operation_id for operation in own}
    since = own_ranges(snapshot, dict.fromkeys(snapshot.branch_ids, own[0].version - 1))
    every = operations_load(since, {}, databases=(), tables=[table_id])
    history = effects_load([o for o in every if o.operation_id in ids or o.kind is OperationKind.PARTITION])
    mine = tuple(operation for operation in history if operation.operation_id in ids)
    return WrittenFiles(mine, SideFiles(history), files_shown(snapshot, [table_id], _added(history)))


def _added(operations: Sequence[Operation]) -> set[int]:
    return {item.file_id for operation in operations for item in effects_of(operation).added}
