"""To which recorded operation of a statement each of its changes of files belongs."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation, OperationKind
from merge_app.planning.data import dropped_partitions
from merge_app.planning.net_changes import is_full_overwrite


class Attribution:
    """The recorded operations of one table, each with the id of its row, by the files that they name. Every file of a
    statement is named by one of its operations.
    """

    def __init__(self, operations: Sequence[tuple[Operation, int]]) -> None:
        self._operations = operations
        self._named: dict[int, int] = {}
        self._removed: dict[int, int] = {}
        self._deletes: dict[int, int] = {}
        for operation, row in operations:
            if operation.effects is not None:
                for file_id in (*operation.effects.touched, *(item.file_id for item in operation.effects.added)):
                    self._named.setdefault(file_id, row)
                for file_id in operation.effects.removed:
                    self._removed.setdefault(file_id, row)
                for item in operation.effects.deletes:
                    self._deletes.setdefault(item.delete_file_id, row)

    def of_file(self, file_id: int) -> int:
        """The first operation that names the file."""
        return self._named[file_id]

    def of_removed(self, file_id: int) -> int:
        """The operation that took the file away."""
        return self._removed[file_id]

    def of_delete(self, delete_file_id: int) -> int:
        """The operation that made the delete file."""
        return self._deletes[delete_file_id]

    def of_emptying(self, partition: PartitionValues | None = None) -> int:
        """The last operation that emptied the table, or this partition of it."""
        return [row for operation, row in self._operations if _empties(operation, partition)][-1]


def _empties(operation: Operation, partition: PartitionValues | None) -> bool:
    if partition is None:
        return is_full_overwrite(operation)
    if operation.kind is OperationKind.OVERWRITE:
        return operation.overwrite is not None and partition in (operation.overwrite.partitions or ())
    return partition in dropped_partitions(operation)
