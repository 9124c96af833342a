"""What happens to a table's files on the destination: which come over, go, are followed or discarded (semantics §3).

File by file: files that the source added keep coming by operation, so that a plan stays small however many files an
operation has; only what differs from that is listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AttachedDelete, Operation, OperationKind
from merge_app.planning.files import effects_of, empties_partitions
from merge_app.planning.kept_rows import rows_kept
from merge_app.planning.partition_moves import left_behind, move_operations, partition_moves
from merge_app.planning.placement import Placement, only_met
from merge_app.planning.surviving import ObjectChanges, is_full_overwrite
from merge_app.planning.values import (
    CopyShownRows,
    DataPlan,
    FollowDeletes,
    RepartitionFile,
    ReplaceImages,
    RowWork,
    TableFacts,
)

_ATTACHING = (OperationKind.DELETE, OperationKind.UPDATE, OperationKind.OVERWRITE, OperationKind.PARTITION)


@dataclass(slots=True)
class Discarded:
    """What of the source's deletes or updates found its rows gone. ``by`` is the destination's operation kind.
    ``rows`` counts the marked ones; of ``emptied`` files the source took every row.
    """

    kind: OperationKind
    by: OperationKind
    files: set[int] = field(default_factory=set)
    emptied: set[int] = field(default_factory=set)
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A partition that the source dropped or overwrote (``by``) although the destination wrote ``rows`` there since."""

    partition: PartitionValues
    by: OperationKind
    rows: int


@dataclass(frozen=True, slots=True)
class DataOutcome:
    """``plan`` is None where no file changes. ``carried`` are the data and partition operations that had an effect,
    ``moves`` what the redo of renames does to files that the destination wrote itself, as operations of its own.
    """

    plan: DataPlan | None
    carried: frozenset[int]
    moves: tuple[Operation, ...] = ()
    discarded: tuple[Discarded, ...] = ()
    skipped: tuple[Operation, ...] = ()
    overtaken: tuple[Overtaken, ...] = ()


def data_redo(
    source: ObjectChanges, destination: ObjectChanges, *, is_new: bool, facts: TableFacts | None = None
) -> DataOutcome:
    """Redo the source's data operations on the destination's files. ``carried`` holds indices into
    ``source.operations``. ``is_new``: the destination has not the table yet, and there are no facts.
    """
    if not any(operation.is_data or operation.kind is OperationKind.PARTITION for operation in source.operations):
        return DataOutcome(None, frozenset())
    return _Redo(source, destination, facts or TableFacts(), is_new=is_new).outcome()


class _Redo:
    """One table's redo."""

    def __init__(self, source: ObjectChanges, destination: ObjectChanges, facts: TableFacts, *, is_new: bool) -> None:
        self._source = only_met(source, destination)
        self._facts = facts
        self._place = Placement(self._source, destination, facts, is_new=is_new)
        self._mine, self._theirs = self._place.mine, self._place.theirs
        self._whole = {file_id for item in facts.diverged for file_id in item.whole}
        self._shown = {file_id for item in facts.diverged for file_id in item.shown}
        self._follow: dict[int, tuple[dict[int, Operation], frozenset[int]]] = {}
        self._follow_moved: list[FollowDeletes] = []
        self._remove: dict[int, None] = {}
        self._attach: list[tuple[int, int]] = []
        self._discarded: dict[tuple[OperationKind, OperationKind], Discarded] = {}

    def outcome(self) -> DataOutcome:
        carried = frozenset(
            index for index, operation in enumerate(self._source.operations) if self._carry_out(operation)
        )
        self._remove_base_files()
        self._move_partitions()
        plan = self._plan([self._source.operations[index] for index in sorted(carried)])
        return DataOutcome(
            None if plan == DataPlan() else plan,
            carried,
            tuple(move_operations(self._source, self._place, self._facts, self._remove)),
            tuple(self._discarded.values()),
            tuple(
                item
                for item in self._place.skipped
                if item.kind is OperationKind.COMPACTION and item in self._source.history
            ),
            self._overtaken(),
        )

    # What each operation does ------------------------------------------------------------------------------------

    def _carry_out(self, operation: Operation) -> bool:
        """Redo one operation; whether anything of it is left to do."""
        if not (operation.is_data or operation.kind is OperationKind.PARTITION):
            return False
        if operation.effects is None:
            return True
        match operation.kind:
            case OperationKind.DELETE | OperationKind.UPDATE:
                acts = [self._mask(operation, item) for item in operation.effects.deletes]
                acts += [self._empty(operation, file_id) for file_id in operation.effects.removed]
                acts += [item.file_id not in self._place.gone for item in operation.effects.added]
                return any(acts) or not acts
            case OperationKind.COMPACTION:
                return operation not in self._place.skipped
            case _:
                for item in operation.effects.deletes:
                    self._mask(operation, item)
                if empties_partitions(operation):
                    self._follow_moved += self._moved_out(operation.effects.removed)
                return True

    def _mask(self, operation: Operation, item: AttachedDelete) -> bool:
        file_id = item.data_file_id
        if self._place.is_base(file_id) and file_id not in self._theirs.removed:
            if operation.operation_id is None:
                self._attach.append((item.delete_file_id, file_id))
            return True
        if not self._place.is_base(file_id) and file_id not in self._place.rewritten:
            if file_id in self._place.gone:
                return False
            if operation.operation_id is None and file_id not in self._place.mixed:
                self._attach.append((item.delete_file_id, file_id))
            return True
        return self._follow_rows(operation, file_id, item)

    def _empty(self, operation: Operation, file_id: int) -> bool:
        """Take away the rows of a file that the source's delete or update emptied and removed."""
        if not self._place.is_base(file_id) and file_id not in self._place.rewritten:
            return file_id not in self._place.gone
        if self._place.is_base(file_id) and file_id not in self._theirs.removed and file_id not in self._facts.masks:
            return True
        return self._follow_rows(operation, file_id, None)

    def _follow_rows(self, operation: Operation, file_id: int, item: AttachedDelete | None) -> bool:
        """Take the rows that a delete file marks, or all rows of the file, where they lie on the destination."""
        # What the source shows of these rows, in the very file that the destination has, did not go.
        targets = self._place.stand_ins(file_id) - self._whole
        if file_id in effects_of(operation).met_elsewhere:
            # Where the source redid it itself, it left rows alone or marked them in these very files.
            targets -= self._shown
        for leaf in self._mine.leaves(file_id):
            if self._place.is_lost(leaf):
                self._discard(operation.kind, leaf, item)
        if targets:
            deletes, _ = self._follow.setdefault(file_id, ({}, targets))
            if item is not None:
                deletes[item.delete_file_id] = operation
        return bool(targets)

    def _moved_out(self, files: Iterable[int]) -> Iterator[FollowDeletes]:
        """Take the rows of files that went with their partition where they had been moved out of it: when the source
        merged that, it discarded them. Those that were out of it on the source too did not go, and what the destination
        did to such rows since is left alone.
        """
        for file_id in sorted(self._facts.moved.keys() & set(files)):
            holders = self._facts.moved[file_id]
            targets = {found for holder in holders for found in self._theirs.stand_ins(holder)}
            updated = {delete for holder in holders for delete in self._theirs.update_deletes(holder)}
            if targets:
                spared = updated.union(self._facts.masks.get(file_id, ()))
                yield FollowDeletes((), file_id, tuple(sorted(targets)), tuple(sorted(spared)), shown_in=holders)

    def _discard(self, kind: OperationKind, file_id: int, item: AttachedDelete | None) -> None:
        by = self._theirs.overwriter(file_id).kind
        found = self._discarded.setdefault((kind, by), Discarded(kind, by))
        found.files.add(file_id)
        if item is None:
            found.emptied.add(file_id)
        else:
            found.rows += item.rows

    def _remove_base_files(self) -> None:
        for file_id, remover in self._mine.removed.items():
            is_there = self._place.is_base(file_id) and file_id not in self._theirs.removed
            if is_there and file_id not in self._follow and remover not in self._place.skipped:
                self._remove[file_id] = None
        for file_id in list(self._follow):
            deletes, _ = self._follow[file_id]
            if not self._place.was_emptied(file_id) and (not deletes or self._was_taken_away(file_id)):
                del self._follow[file_id]

    def _was_taken_away(self, file_id: int) -> bool:
        """Whether the source itself overwrote or dropped it later, which the redo repeats by partition."""
        return self._mine.is_overwritten(file_id)

    def _move_partitions(self) -> None:
        for file_id, goal in partition_moves(self._place, self._facts).items():
            if goal is not None:
                self._place.repartition[file_id] = goal
            if self._place.is_base(file_id):
                self._remove[file_id] = None

    # The plan ----------------------------------------------------------------------------------------------------

    def _plan(self, carried: list[Operation]) -> DataPlan:
        recorded = [operation for operation in carried if operation.operation_id is not None]
        partitions = () if self._place.remove_all else self._removed_partitions(carried)
        held_back = {*self._place.rewritten, *self._place.gone, *self._place.mixed, *self._place.repartition}
        restored = self._bring_files(held_back)
        copied = self._copied(restored)
        bringing = _ids(item for item in recorded if item.effects is None or item.effects.added)
        brought = {file_id for file_id, maker in self._mine.maker.items() if maker.operation_id in bringing}
        return DataPlan(
            bring_operations=bringing,
            bring_except=frozenset((held_back | copied) & brought),
            bring_files=tuple(file_id for file_id in restored if file_id not in copied),
            pass_files=self._pass_files(held_back),
            remove_all=self._place.remove_all,
            remove_partitions=partitions,
            remove_files=tuple(sorted(self._removed_files())),
            spare_files=tuple(self._place.arrived.files),
            attach_operations=_ids(
                item for item in recorded if item.kind in _ATTACHING and (item.effects is None or item.effects.deletes)
            ),
            attach_except=frozenset(i for item in recorded for i in effects_of(item).overruled),
            attach=tuple(self._attach),
            row_work=(*(CopyShownRows(file_id) for file_id in sorted(copied)), *self._row_work(partitions)),
        )

    def _bring_files(self, held_back: Iterable[int]) -> tuple[int, ...]:
        """Staged files, and inputs of skipped rewrites, which are out of sight on the source."""
        staged = [operation for operation in self._place.history if operation.operation_id is None]
        files = dict.fromkeys(item.file_id for operation in staged for item in effects_of(operation).added)
        for operation in self._place.skipped:
            own = (file_id for file_id in effects_of(operation).removed if not self._place.is_base(file_id))
            # What a restore put back comes with that.
            files.update(dict.fromkeys(file_id for file_id in own if file_id in self._mine.removed))
        refused = set(held_back)
        return tuple(file_id for file_id in files if file_id not in refused and self._place.stays_alive(file_id))

    def _copied(self, brought: Collection[int]) -> frozenset[int]:
        """The files that the source put back, and shows or brings for others, and that the destination goes on showing
        for rows which it spares.
        """
        if not self._place.remove_all:
            return frozenset()
        return self._facts.shown.union(brought) & self._place.arrived.files.keys() & self._mine.added.keys()

    def _pass_files(self, held_back: Iterable[int]) -> tuple[int, ...]:
        """Staged files that the same statement rewrote."""
        refused = set(held_back)
        return tuple(
            file_id
            for file_id, maker in self._mine.maker.items()
            if maker.operation_id is None and file_id not in refused and self._place.is_passed(file_id)
        )

    def _removed_files(self) -> Iterable[int]:
        return self._remove.keys() & self._place.arrived.files.keys() if self._place.remove_all else self._remove

    def _removed_partitions(self, carried: Iterable[Operation]) -> tuple[PartitionValues, ...]:
        values: dict[PartitionValues, None] = {}
        for operation in carried:
            if operation.kind is OperationKind.OVERWRITE and not is_full_overwrite(operation):
                assert operation.overwrite is not None
                values.update(dict.fromkeys(operation.overwrite.partitions or ()))
        for change in self._source.partitions:
            if change.before is not None and change.after is None:
                values[change.before] = None
        return tuple(values)

    def _row_work(self, removed_partitions: Collection[PartitionValues]) -> tuple[RowWork, ...]:
        work: list[RowWork] = [item for file_id in self._follow for item in self._followed(file_id)]
        work += self._follow_moved
        work += self._replaced_images()
        work += self._masks_of_skipped()
        work += [images for file_id, images in self._place.mixed.items() if self._place.stays_alive(file_id)]
        work += [
            RepartitionFile(file_id, values, left_behind(self._place, self._facts, file_id))
            for file_id, values in self._place.repartition.items()
            if file_id not in self._place.gone and (self._place.is_base(file_id) or self._place.stays_alive(file_id))
        ]
        files = self._place.arrived.files
        work += [
            item
            for item in self._place.arrived.row_work
            if self._place.remove_all or files[item.file] in removed_partitions
        ]
        kept = rows_kept(self._mine, self._place.history, self._theirs, self._place.past)
        return (*work, kept) if kept is not None else tuple(work)

    def _followed(self, file_id: int) -> Iterator[FollowDeletes]:
        """Apart by operation. What is spared is so in the destination's files: the source's own hold no images of the
        destination's.
        """
        deletes, targets = self._follow[file_id]
        spared, spared_files = self._spared(file_id)
        own = targets & self._mine.added.keys() if spared or spared_files else frozenset()
        by_operation = groupby(deletes.items(), lambda item: item[1])
        parts: list[tuple[tuple[int, ...], tuple[int, ...]]]
        parts = [(tuple(delete for delete, _ in marks), ()) for _, marks in by_operation]
        if self._place.was_emptied(file_id):
            # Nor are those that merges had taken out of it.
            parts.append(((), (*deletes, *self._facts.rewritten_masks.get(file_id, ()))))
        sides: tuple[tuple[frozenset[int], tuple[int, ...], tuple[int, ...]], ...]
        sides = ((targets - own, spared, spared_files), (own, (), ()))
        for files, left_alone, left_whole in sides:
            for delete_files, marked in parts if files else ():
                yield FollowDeletes(delete_files, file_id, tuple(sorted(files)), (*left_alone, *marked), left_whole)

    def _replaced_images(self) -> Iterator[ReplaceImages]:
        """The source's images that come over, where a restore of the destination put other images back."""
        for image, maker in self._mine.maker.items() if self._place.put_back else ():
            if maker.kind is not OperationKind.UPDATE or image in self._place.gone:
                continue
            shown_in = self._mine.stand_ins(image)
            put_back = self._place.other_images(self._mine.added[image], self._mine.leaves(image))
            if shown_in and put_back:
                yield ReplaceImages(image, tuple(sorted(shown_in)), tuple(sorted(put_back)))

    def _masks_of_skipped(self) -> Iterator[FollowDeletes]:
        """What merges took away of a skipped rewrite is marked in its inputs where these come over instead."""
        for file_id, deletes in self._facts.rewritten_masks.items():
            if file_id in self._place.rewritten:
                targets = self._place.stand_ins(file_id) & self._mine.added.keys()
                if targets:
                    yield FollowDeletes(deletes, file_id, tuple(sorted(targets)))

    def _spared(self, file_id: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Delete files that mark rows which are not the source's to take: those of the destination's updates of rows
        that lie in compacted files together with their images, and those that a restore took off; and files of which
        it updated all rows.
        """
        moved = [leaf for leaf in self._mine.leaves(file_id) if leaf in self._theirs.removed]
        updated = {delete for leaf in moved for delete in self._theirs.update_deletes(leaf)}
        emptied = {file for leaf in moved for file in self._theirs.emptied_by_updates(leaf)}
        return tuple(sorted(updated.union(self._facts.masks.get(file_id, ())))), tuple(sorted(emptied))

    def _overtaken(self) -> tuple[Overtaken, ...]:
        """Partitions that the source dropped or overwrote although the destination wrote there since."""
        written: dict[PartitionValues, int] = {}
        for item in self._theirs.live_added():
            if item.file_id not in self._place.arrived.files:
                written[item.partition] = written.get(item.partition, 0) + item.rows
        dropped = (change for change in self._source.partitions if change.before is not None and change.after is None)
        swept = {change.before: OperationKind.PARTITION for change in dropped}
        for operation in self._source.data:
            if operation.overwrite is not None and not is_full_overwrite(operation):
                swept |= dict.fromkeys(operation.overwrite.partitions or (), OperationKind.OVERWRITE)
        return tuple(Overtaken(values, by, written[values]) for values, by in swept.items() if values in written)


def _ids(operations: Iterable[Operation]) -> tuple[int, ...]:
    return tuple(operation.operation_id for operation in operations if operation.operation_id is not None)
