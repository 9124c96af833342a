"""The changes of partitions that an operation holds (semantics §3 P)."""

from __future__ import annotations

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation, PartitionChange


def partition_changes(operation: Operation) -> list[PartitionChange]:
    return [change for change in operation.changes if isinstance(change, PartitionChange)]


def partition_renames(operation: Operation) -> list[PartitionChange]:
    return [change for change in partition_changes(operation) if change.before is not None and change.after is not None]


def dropped_partitions(operation: Operation) -> tuple[PartitionValues, ...]:
    changes = partition_changes(operation)
    return tuple(item.before for item in changes if item.before is not None and item.after is None)
