"""Which recorded operation each file effect of a commit is booked on."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation, OperationKind, PartitionChange
from merge_app.planning.net_changes import is_full_overwrite
from merge_app.planning.partition_paths import partition_renames

_REMOVING = (OperationKind.OVERWRITE, OperationKind.PARTITION, OperationKind.COMPACTION, OperationKind.UPDATE)


class Booking:
    """The recorded operations of one table, each with the id of its row, by the files that they name."""

    def __init__(self, operations: Sequence[tuple[Operation, int]]) -> None:
        self._operations = operations
        self._named: dict[int, int] = {}
        self._removed: dict[int, int] = {}
        self._deletes: dict[int, int] = {}
        self._added: dict[int, int] = {}
        for operation, row in operations:
            if operation.effects is not None:
                for file_id in (*operation.effects.touched, *(item.file_id for item in operation.effects.added)):
                    self._named.setdefault(file_id, row)
                for file_id in operation.effects.removed:
                    self._removed.setdefault(file_id, row)
                for added in operation.effects.added:
                    self._added.setdefault(added.file_id, row)
                for item in operation.effects.deletes:
                    self._deletes.setdefault(item.delete_file_id, row)

    def of_file(self, file_id: int) -> int:
        """The first operation that names the file."""
        return self._named[file_id] if file_id in self._named else self.of_rows()

    def of_removed(self, file_id: int) -> int:
        """The operation that took the file away, else the first that names it."""
        found = self._removed.get(file_id, self._named.get(file_id))
        return (
            self._last([row for operation, row in self._operations if operation.kind in _REMOVING])
            if found is None
            else found
        )

    def of_emptying(self, partition: PartitionValues | None = None) -> int:
        """The last operation that emptied the table, or this partition of it, also under a name that it got since."""
        found, name = [], partition
        for operation, row in self._operations:
            if _empties(operation, partition) or _empties(operation, name):
                found.append(row)
            name = next((change.after for change in partition_renames(operation) if change.before == name), name)
        return found[-1]

    def of_delete(self, delete_file_id: int, data_file_id: int) -> int:
        """The operation that made the delete file, else the first that names its data file."""
        found = self._deletes.get(delete_file_id)
        return self.of_file(data_file_id) if found is None else found

    def of_rows(self) -> int:
        """The last operation on rows."""
        return self._last([row for operation, row in self._operations if operation.is_data])

    def _last(self, fitting: list[int]) -> int:
        return (fitting or [row for _, row in self._operations])[-1]


def _empties(operation: Operation, partition: PartitionValues | None) -> bool:
    if partition is None:
        return is_full_overwrite(operation)
    if operation.kind is OperationKind.OVERWRITE:
        return operation.overwrite is not None and partition in (operation.overwrite.partitions or ())
    return any(isinstance(c, PartitionChange) and (c.before, c.after) == (partition, None) for c in operation.changes)
