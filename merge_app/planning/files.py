"""Which files one side made of which, and which of them it left in sight: what A1, A3, A4 and A5 are decided on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, FileEffects, ObjectKind, Operation, OperationKind, OverwriteScope
from merge_app.planning.partition_paths import partition_renames
from merge_app.planning.surviving import RESTORED_VERSION, is_full_overwrite, restored_version
from merge_app.planning.values import DivergedFile

PARTITION_MOVE = "partition_move"
"""Metric of a compaction by which a merge carried its destination's own files to where a partition was renamed to."""
_NOTHING = FileEffects()


def effects_of(operation: Operation) -> FileEffects:
    """Its effects; none where nobody needed them."""
    return operation.effects or _NOTHING


def is_rewrite(operation: Operation) -> bool:
    """Whether it put the same rows into other files: a compaction, or the rename of a partition."""
    if operation.kind is OperationKind.PARTITION:
        return bool(effects_of(operation).added or partition_renames(operation))
    return operation.kind is OperationKind.COMPACTION


def moves_partitions(operation: Operation) -> bool:
    """Whether it put rows under other partition values: the rename of a partition, or what a merge that redid one did
    to files of its destination.
    """
    return operation.kind is OperationKind.PARTITION or PARTITION_MOVE in operation.metrics


def empties_partitions(operation: Operation) -> bool:
    """Whether it took single partitions away, to drop them or to write them anew."""
    if operation.kind is OperationKind.OVERWRITE:
        return not is_full_overwrite(operation)
    return operation.kind is OperationKind.PARTITION and not is_rewrite(operation)


def divergence(table_id: int, diverged: Iterable[DivergedFile]) -> tuple[Operation, ...]:
    """Diverged files as compactions by the source of what holds their rows on the destination: what they would have
    been if the earlier merge had not left them out. They come before the source's history.
    """
    return tuple(
        Operation(
            OperationKind.COMPACTION,
            ObjectKind.TABLE,
            table_id,
            effects=FileEffects(added=(item.file,), removed=tuple(holder.file_id for holder in item.holders)),
        )
        for item in diverged
    )


def _absorbs_all(operation: Operation) -> bool:
    """Whether nothing that came before is of any account after it."""
    return is_full_overwrite(operation) and not (operation.overwrite and operation.overwrite.spared)


@dataclass(frozen=True, slots=True)
class _Then:
    """What lay in other files at a version that a side restored, and the updates that counted."""

    rewrites: Mapping[int, Operation] = field(default_factory=dict)
    updates: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


class SideFiles:
    """The files of one table on one side since base, replayed once.

    A file is a *base file* when the side met it before adding it. ``removed`` maps each file out of sight in the end to
    the operation that removed it; a full overwrite removes also what was gone already, as it absorbs what came before.
    Where it restored an earlier version of its side, what had been rewritten by then still lies in what that made.
    ``marked`` are the files in which it updated or deleted rows without taking them away.
    ``restores_are_own``: files that a restore put back count as added by it, as where the restore is redone.
    ``left_out`` is what ``divergence`` made of files that hold other rows beside: these did not go with it.
    """

    def __init__(
        self, history: Sequence[Operation], *, restores_are_own: bool = False, left_out: Sequence[Operation] = ()
    ) -> None:
        self._restores_are_own = restores_are_own
        self.added: dict[int, AddedFile] = {}
        self.maker: dict[int, Operation] = {}
        self.removed: dict[int, Operation] = {}
        self._inputs: dict[int, frozenset[int]] = {}
        self._updates: dict[int, tuple[int, ...]] = {}
        self.marked: set[int] = set()
        self._met: set[int] = set()
        self._then: dict[int | None, _Then] = {}
        rewrites = [operation for operation in history if is_rewrite(operation)]
        self._rewritten = {(item.version, file.file_id) for item in rewrites for file in effects_of(item).added}
        for operation in left_out:
            self._replay(operation)
        self.removed.clear()
        versions = set() if restores_are_own else {restored_version(operation) for operation in history}
        former = sorted((version for version in versions if version is not None), reverse=True)
        for operation in history:
            while former and former[-1] < operation.version:
                self._then[former.pop()] = self._state()
            self._replay(operation)

    def _replay(self, operation: Operation) -> None:
        effects = effects_of(operation)
        # A merge may have masked images in the file that it brought with them.
        images = {item.file_id for item in effects.added} if operation.kind is OperationKind.UPDATE else set()
        touched = effects.touched - images
        # The redo of a delete also marks what a later operation of its commit rewrote, and that is no base file.
        made = {file_id for file_id in touched if (operation.version, file_id) in self._rewritten}
        self._met.update(touched - self.added.keys() - made)
        absorbed = self._absorbed(operation)
        then = self._then.get(restored_version(operation), _Then())
        # A replay also names files that its side never showed, or took away before.
        again = self.removed.keys() - absorbed - self._brought_back(operation)
        gone = (file_id for file_id in (*absorbed, *effects.removed) if file_id not in again)
        self.removed.update((file_id, then.rewrites.get(file_id, operation)) for file_id in tuple(gone))
        if _absorbs_all(operation):
            self._updates = dict(then.updates)
        if operation.kind in (OperationKind.UPDATE, OperationKind.OVERWRITE):
            for delete in effects.deletes:
                if delete.delete_file_id in effects.kept:
                    continue
                marked = self._updates.get(delete.data_file_id, ())
                self._updates[delete.data_file_id] = (*marked, delete.delete_file_id)
        if operation.kind in (OperationKind.UPDATE, OperationKind.DELETE):
            self.marked.update(delete.data_file_id for delete in effects.deletes)
        derived = operation.kind is OperationKind.UPDATE or is_rewrite(operation)
        inputs = _by_partition(effects) if is_rewrite(operation) else {}
        for item in effects.added:
            self.removed.pop(item.file_id, None)
            if self._restores_are_own and RESTORED_VERSION in operation.metrics:
                self._met.discard(item.file_id)
            elif item.file_id in self.added and operation.kind is OperationKind.OVERWRITE:
                continue
            if item.file_id not in self._met:
                self.added[item.file_id] = item
                self.maker[item.file_id] = operation
                taken = effects.inputs.get(item.file_id) or inputs.get(item.partition, touched)
                self._inputs[item.file_id] = taken if derived else self._put_back_beside(item, operation)

    def _state(self) -> _Then:
        rewrites = {file_id: remover for file_id, remover in self.removed.items() if is_rewrite(remover)}
        return _Then(rewrites, dict(self._updates))

    def _absorbed(self, operation: Operation) -> frozenset[int]:
        """The files gone before that a full overwrite counts as taken by it: all but those of rows that it spared."""
        if not is_full_overwrite(operation):
            return frozenset()
        scope = operation.overwrite or OverwriteScope()
        spared = {*scope.spared, *scope.spared_in}
        if not spared:
            return frozenset(self.removed)
        return frozenset(i for i in self.removed if spared.isdisjoint((i, *self.leaves(i))))

    def _brought_back(self, operation: Operation) -> frozenset[int]:
        """The files of a partition that this side had emptied, whose rows came back under the name that the other gave
        it.
        """
        effects = effects_of(operation)
        if not (operation.kind is OperationKind.PARTITION and effects.added):
            return frozenset()
        return frozenset(i for i in effects.removed if i in self.removed and empties_partitions(self.removed[i]))

    def _put_back_beside(self, item: AddedFile, operation: Operation) -> frozenset[int]:
        """The base files that an overwrite put back without rows which it may have put back in this file instead."""
        effects = effects_of(operation)
        masked = self._met & {delete.data_file_id for delete in effects.deletes} if item.stores_row_ids else ()
        return frozenset(file.file_id for file in effects.added if file.file_id in masked and file.overlaps(item))

    def leaves(self, file_id: int) -> frozenset[int]:
        """The files that its rows come from in the end: base files, and files added by insert or overwrite."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting = [file_id]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            inputs = self._inputs.get(current, frozenset())
            if inputs:
                waiting.extend(inputs)
            else:
                found.add(current)
        return frozenset(found)

    def base_files(self, file_ids: Iterable[int]) -> frozenset[int]:
        """The base files that these stand for."""
        return frozenset(leaf for file_id in file_ids for leaf in self.leaves(file_id) if leaf not in self.added)

    def touched_base(self, operations: Iterable[Operation]) -> frozenset[int]:
        """The base files whose rows these operations removed or masked."""
        effects = (effects_of(operation) for operation in operations)
        return self.base_files(file_id for found in effects for file_id in found.touched | found.met_by_replays)

    def outputs(self, file_id: int) -> tuple[int, ...]:
        """The files that what removed a file put its rows into."""
        effects = effects_of(self.removed[file_id])
        values = effects.partition_of.get(file_id)
        beside = tuple(item.file_id for item in effects.added if item.partition == values)
        # A merge may have brought the output already renamed; what other partitions' files went into is not that.
        others = set(effects.partition_of.values())
        return beside or tuple(item.file_id for item in effects.added if item.partition not in others)

    def stand_ins(self, file_id: int) -> frozenset[int]:
        """The files in sight that hold the rows of a file now: itself, or what it was rewritten into."""
        remover = self.removed.get(file_id)
        if remover is None:
            return frozenset({file_id})
        if not is_rewrite(remover):
            return frozenset()
        return frozenset(found for output in self.outputs(file_id) for found in self.stand_ins(output))

    def rewritten_into(self, file_id: int) -> tuple[int, ...]:
        """The files that held its rows after it, one rewrite after the other, in sight or not."""
        remover = self.removed.get(file_id)
        if remover is None or not is_rewrite(remover):
            return ()
        outputs = self.outputs(file_id)
        return (*outputs, *(later for output in outputs for later in self.rewritten_into(output)))

    def update_deletes(self, file_id: int) -> tuple[int, ...]:
        """The delete files that mark rows which the side updated, or put back otherwise, in a file or in what it was
        rewritten into.
        """
        found = list(self._updates.get(file_id, ()))
        remover = self.removed.get(file_id)
        if remover is not None and is_rewrite(remover):
            found += [delete for output in self.outputs(file_id) for delete in self.update_deletes(output)]
        return tuple(dict.fromkeys(found))

    def emptied_by_updates(self, file_id: int) -> tuple[int, ...]:
        """The file, or those that it was rewritten into, where the side updated all of its rows: no delete file marks
        these.
        """
        remover = self.removed.get(file_id)
        if remover is not None and is_rewrite(remover):
            return tuple(found for output in self.outputs(file_id) for found in self.emptied_by_updates(output))
        return (file_id,) if remover is not None and remover.kind is OperationKind.UPDATE else ()

    def is_overwritten(self, file_id: int) -> bool:
        """Whether its rows were taken away by an overwrite or the drop of a partition."""
        remover = self.removed.get(file_id)
        if remover is None:
            return False
        if is_rewrite(remover):
            return any(self.is_overwritten(output) for output in self.outputs(file_id))
        return remover.kind in (OperationKind.OVERWRITE, OperationKind.PARTITION)

    def overwriter(self, file_id: int) -> Operation:
        """The operation that took away the rows of a file that ``is_overwritten``."""
        remover = self.removed[file_id]
        if not is_rewrite(remover):
            return remover
        return next(self.overwriter(output) for output in self.outputs(file_id) if self.is_overwritten(output))

    def holders(self, file_id: int) -> frozenset[int]:
        """The files in sight that hold rows of a file: itself, or what they were updated or rewritten into."""
        added = (item.file_id for item in self.live_added())
        itself = () if file_id in self.removed else (file_id,)
        return frozenset((*itself, *(found for found in added if file_id in self.leaves(found))))

    def live_added(self) -> tuple[AddedFile, ...]:
        """The files that the side added and left in sight."""
        return tuple(item for file_id, item in self.added.items() if file_id not in self.removed)


def _by_partition(effects: FileEffects) -> dict[PartitionValues, frozenset[int]]:
    found: dict[PartitionValues, set[int]] = {}
    for file_id, values in effects.partition_of.items():
        found.setdefault(values, set()).add(file_id)
    return {values: frozenset(files) for values, files in found.items()}


def images_put_back(operations: Sequence[Operation]) -> tuple[AddedFile, ...]:
    """The files with rows of others that the last overwrite of the whole table put in their place: a restore."""
    overwrite = next((item for item in reversed(operations) if is_full_overwrite(item)), None)
    return () if overwrite is None else tuple(item for item in effects_of(overwrite).added if item.stores_row_ids)
