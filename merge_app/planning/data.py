"""What a statement does to the files of the head that it was staged on."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, FileEffects, Operation, OperationKind, PartitionChange
from catalog_app.domain.state_diff import DECLARES
from merge_app.lineage.segments import AS_BEFORE, AS_WRITTEN, DOT, Marked, ShownFile, Stamp
from merge_app.lineage.steps import AttachDeletes, CarrySegments, RemoveSegments, Step, TableSteps
from merge_app.planning.merge_plan import DataPlan
from merge_app.planning.net_changes import RESTORED_VERSION

_NOTHING = FileEffects()
KEEPS_PLACES = (OperationKind.UPDATE, OperationKind.COMPACTION)
"""Operations that write rows of a partition anew: who decided the partition of these rows stays."""


def data_staged(operations: Iterable[Operation]) -> DataPlan | None:
    """The staged operations of one table as steps; None without any, where none replaces rows. A replacement counts
    where there are no rows, too: it ends deletes of keys that a pipeline keeps.

    A file that one of them adds and another takes away comes and goes. Deletes of files that go are attached all the
    same, so that the history knows which operation touched them.
    """
    works = [(at, item, item.effects or _NOTHING) for at, item in enumerate(operations) if item.operation_id is None]
    added = {file.file_id for *_, effects in works for file in effects.added}
    leaving = {file_id for *_, effects in works for file_id in effects.removed} - added
    removed: dict[int, Step] = {}
    changed: list[Step] = []
    for at, item, effects in works:
        stamp, placed = Stamp(DOT, fact_kind(item)), AS_BEFORE if item.kind in KEEPS_PLACES else AS_WRITTEN
        for file_id in effects.removed:
            removed.setdefault(file_id, RemoveSegments(file_id, 0, stamp, at))
        changed += (CarrySegments(shown_file(file, stamp, placed), operation=at) for file in effects.added)
        for mark in effects.deletes:
            delete = Marked(mark.delete_file_id, stamp)
            changed.append(AttachDeletes(mark.data_file_id, delete, mark.data_file_id in leaving, at))
    steps = (*removed.values(), *changed)
    replaces = any(_replaces(item) for _, item, _ in works)
    return DataPlan(TableSteps(steps), replaces=replaces) if steps or replaces else None


def _replaces(operation: Operation) -> bool:
    return operation.kind is OperationKind.OVERWRITE or bool(dropped_partitions(operation))


def shown_file(added: AddedFile, stamp: Stamp, placed: Stamp) -> ShownFile:
    """A file that a statement staged, as the statement's side shows it."""
    bounds = added.smallest_row_id, added.largest_row_id
    return ShownFile(0, added.file_id, added.rows, *bounds, added.partition, stamp, placed=placed)


def fact_kind(operation: Operation) -> str:
    """What an operation makes of rows, as their facts name it."""
    if RESTORED_VERSION in operation.metrics:
        return "restore"
    if operation.kind is not OperationKind.PARTITION:
        return operation.kind.value
    renames = any(isinstance(c, PartitionChange) and c.before and c.after for c in operation.changes)
    return "move" if renames else "overwrite"


def dropped_partitions(operation: Operation) -> tuple[PartitionValues, ...]:
    if DECLARES in operation.metrics:
        return ()
    changes = (change for change in operation.changes if isinstance(change, PartitionChange))
    return tuple(change.before for change in changes if change.before is not None and change.after is None)
