"""Where a partition's rows go when the other side's operations are redone over them (semantics §3 P)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation, OperationKind, PartitionChange


def partition_changes(operation: Operation) -> list[PartitionChange]:
    return [change for change in operation.changes if isinstance(change, PartitionChange)]


def partition_renames(operation: Operation) -> list[PartitionChange]:
    return [change for change in partition_changes(operation) if change.before is not None and change.after is not None]


def dropped_partitions(operation: Operation) -> tuple[PartitionValues, ...]:
    changes = partition_changes(operation)
    return tuple(item.before for item in changes if item.before is not None and item.after is None)


def partition_names(operations: Iterable[Operation], values: PartitionValues) -> set[PartitionValues]:
    """The names that a partition had, one after the other, through these operations."""
    names = {values}
    for change in (change for operation in operations for change in partition_renames(operation)):
        if change.before in names and change.after is not None:
            names.add(change.after)
    return names


def earlier_names(operations: Sequence[Operation], values: PartitionValues) -> set[PartitionValues]:
    """What a partition was called in turn, with what it is called after these operations."""
    names = {values}
    for change in (change for operation in reversed(operations) for change in partition_renames(operation)):
        if change.after in names and change.before is not None:
            names.add(change.before)
    return names


def partition_after(operations: Iterable[Operation], values: PartitionValues) -> PartitionValues | None:
    """The partition that rows of ``values`` lie in after these operations; None where an overwrite or drop took them.

    Rows stay from where another partition takes their name: for the operations' side that name then means the other.
    """
    for operation in operations:
        if _overwrites(operation, values):
            return None
        for change in partition_changes(operation):
            if change.before == values:
                if change.after is None:
                    return None
                values = change.after
            elif change.before is not None and change.after == values:
                return values
    return values


def _overwrites(operation: Operation, values: PartitionValues) -> bool:
    if operation.kind is not OperationKind.OVERWRITE:
        return False
    scope = operation.overwrite
    return scope is None or scope.partitions is None or values in scope.partitions
