"""What a statement does to the files of the head that it was staged on."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import FileEffects, Operation, OperationKind, PartitionChange
from catalog_app.domain.state_diff import DECLARES
from merge_app.planning.merge_plan import DataPlan
from merge_app.planning.net_changes import ATTRIBUTE_KINDS, is_full_overwrite

_NOTHING = FileEffects()


def data_staged(operations: Iterable[Operation], *, is_new: bool = False) -> DataPlan | None:
    """The staged operations of one table as changes of its segments; None without any. A table that ``is_new`` has no
    rows to take away.
    """
    operations = [item for item in operations if item.effects is not None or item.kind not in ATTRIBUTE_KINDS]
    staged = [item for item in operations if item.operation_id is None]
    if not staged:
        return None
    effects = [item.effects or _NOTHING for item in staged]
    removed = [file_id for item in effects for file_id in item.removed]
    added = dict.fromkeys(file.file_id for item in effects for file in item.added)
    found = DataPlan(
        bring_files=tuple(file_id for file_id in added if file_id not in removed),
        pass_files=tuple(file_id for file_id in added if file_id in removed),
        remove_all=not is_new and any(is_full_overwrite(item) for item in staged),
        remove_partitions=() if is_new else tuple(dict.fromkeys(_emptied(staged))),
        remove_files=tuple(sorted({file_id for file_id in removed if file_id not in added})),
        attach=tuple((mark.delete_file_id, mark.data_file_id) for item in effects for mark in item.deletes),
    )
    return None if found == DataPlan() else found


def _emptied(staged: Iterable[Operation]) -> Iterable[PartitionValues]:
    for operation in staged:
        if operation.kind is OperationKind.OVERWRITE and not is_full_overwrite(operation):
            assert operation.overwrite is not None
            yield from operation.overwrite.partitions or ()
        yield from dropped_partitions(operation)


def dropped_partitions(operation: Operation) -> tuple[PartitionValues, ...]:
    if DECLARES in operation.metrics:
        return ()
    changes = (change for change in operation.changes if isinstance(change, PartitionChange))
    return tuple(change.before for change in changes if change.before is not None and change.after is None)
