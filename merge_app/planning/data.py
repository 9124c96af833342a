"""What happens to a table's files on the destination: which come over, go, are followed or discarded (semantics §3).

File by file: files that the source added keep coming by operation, so that a plan stays small however many files an
operation has; only what differs from that is listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, AttachedDelete, FileEffects, Operation, OperationKind
from merge_app.planning.files import (
    PARTITION_MOVE,
    SideFiles,
    divergence,
    effects_of,
    empties_partitions,
    images_put_back,
    is_rewrite,
    moves_partitions,
)
from merge_app.planning.kept_rows import rows_kept
from merge_app.planning.partition_paths import partition_after, partition_names, partition_renames
from merge_app.planning.spared import spared
from merge_app.planning.surviving import ObjectChanges, is_full_overwrite
from merge_app.planning.values import (
    DataPlan,
    FilterImages,
    FollowDeletes,
    RepartitionFile,
    ReplaceImages,
    RowWork,
    TableFacts,
)

_ATTACHING = (OperationKind.DELETE, OperationKind.UPDATE, OperationKind.OVERWRITE)


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
class DataOutcome:
    """``plan`` is None where no file changes. ``carried`` are the data and partition operations that had an effect,
    ``moves`` what the redo of renames does to files that the destination wrote itself, as operations of its own.
    """

    plan: DataPlan | None
    carried: frozenset[int]
    moves: tuple[Operation, ...] = ()
    discarded: tuple[Discarded, ...] = ()
    skipped: tuple[Operation, ...] = ()
    overtaken_partitions: tuple[PartitionValues, ...] = ()


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
    """One table's redo. Where the source overwrote the whole table, only files that this spares matter."""

    def __init__(
        self,
        source: ObjectChanges,
        destination: ObjectChanges,
        facts: TableFacts,
        *,
        is_new: bool,
    ) -> None:
        self._source = source
        left_out = divergence(source.object_id, facts.diverged)
        self._history = (*left_out, *source.history)
        self._remove_all = not is_new and source.overwrites_all
        self._mine = SideFiles(source.history, restores_are_own=True, left_out=left_out)
        self._masks = facts.masks
        self._moved = facts.moved
        self._partition_of = {**facts.partition_of, **{i: item.partition for i, item in self._mine.added.items()}}
        self._left_in = facts.left_in
        self._left_over = facts.left_over
        self._unseen = facts.unseen
        self._rewritten_masks = facts.rewritten_masks
        self._diverged = {item.file.file_id for item in facts.diverged}
        # What the source put back itself goes and comes with that.
        put_back = self._mine.added.keys() - self._diverged
        self._arrived = spared(destination.past, [i for i in facts.arrived if i.file_id not in put_back])
        self._past = self._arrived.past if self._remove_all else () if is_new else destination.past
        self._theirs = SideFiles(self._past)
        self._touched = self._theirs.touched_base(self._past) | facts.masked_otherwise
        self._holders = {holder.file_id: holder for item in facts.diverged for holder in item.holders}
        self._settled = {file_id for item in facts.diverged for file_id in item.settled}
        self._whole = {file_id for item in facts.diverged for file_id in item.whole}
        self._elsewhere = {item.file.file_id: item.elsewhere for item in facts.diverged}
        self._unheld = {item.file.file_id for item in facts.diverged if not item.holders}
        self._rewritten = {item.file_id: made for made in left_out for item in effects_of(made).added}
        self._gone: dict[int, frozenset[int]] = {}
        self._mixed: dict[int, FilterImages] = {}
        self._skipped: list[Operation] = list(left_out)
        self._follow: dict[int, tuple[dict[int, Operation], frozenset[int]]] = {}
        self._follow_moved: list[FollowDeletes] = []
        self._remove: dict[int, None] = {}
        self._attach: list[tuple[int, int]] = []
        self._discarded: dict[tuple[OperationKind, OperationKind], Discarded] = {}
        self._repartition: dict[int, PartitionValues] = {}
        self._put_back = () if self._remove_all else images_put_back(self._past)
        left = {id(operation) for operation in destination.history}
        absorbed = () if self._remove_all else (item for item in self._past if id(item) not in left)
        self._has_renamed = any(partition_renames(item) for item in self._past)
        self._thinned = self._theirs.touched_base(item for item in absorbed if item.kind is OperationKind.DELETE)
        for operation in source.history:
            self._sort_added(operation)

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
            self._moves(),
            tuple(self._discarded.values()),
            tuple(o for o in self._skipped if o.kind is OperationKind.COMPACTION and o in self._source.history),
            self._overtaken(),
        )

    # Which added files come over ---------------------------------------------------------------------------------

    def _sort_added(self, operation: Operation) -> None:
        effects = effects_of(operation)
        if is_rewrite(operation):
            # A partition that went on the destination under its old name, and not under its new one, comes back.
            left = self._unheld if operation.kind is OperationKind.PARTITION else ()
            moved = [file_id for file_id in effects.removed if file_id not in left]
            if any(self._blocks_rewrite(file_id) for file_id in moved) or self._moves_changed(operation):
                self._skipped.append(operation)
                self._rewritten.update({item.file_id: operation for item in effects.added})
        elif operation.kind is OperationKind.UPDATE:
            for item in effects.added:
                leaves = self._mine.leaves(item.file_id)
                goal = self._renamed_meanwhile(item, leaves) if self._has_renamed else None
                if goal is not None:
                    self._repartition[item.file_id] = goal
                lost = frozenset(leaf for leaf in leaves if self._is_lost(leaf))
                thinned = leaves & self._thinned
                if lost == leaves:
                    self._gone[item.file_id] = lost
                elif lost or thinned:
                    live_in = {holder for leaf in thinned for holder in self._theirs.holders(leaf)}
                    live_in |= self._other_images(item, leaves) if thinned else set()
                    discarded = tuple(sorted(lost | thinned))
                    self._mixed[item.file_id] = FilterImages(item.file_id, discarded, tuple(sorted(live_in)))

    def _renamed_meanwhile(self, image: AddedFile, leaves: Iterable[int]) -> PartitionValues | None:
        """The name that the destination gave the partition of updated rows, which the update left where they were."""
        names = partition_names(self._past, image.partition)
        stand_ins = {found for leaf in leaves for found in self._stand_ins(leaf)}
        values = {self._theirs.added[found].partition if found in self._theirs.added else None for found in stand_ins}
        goal = next(iter(values), None)
        return goal if len(values) == 1 and goal != image.partition and goal in names else None

    def _is_base(self, file_id: int) -> bool:
        return file_id not in self._mine.added

    def _is_lost(self, file_id: int) -> bool:
        return self._is_base(file_id) and self._theirs.is_overwritten(file_id)

    def _other_images(self, image: AddedFile, leaves: frozenset[int]) -> set[int]:
        """The files in sight on the destination that may hold images of its rows which a restore put back."""
        others = (item.file_id for item in self._put_back if item.overlaps(image) and item.file_id not in leaves)
        return {holder for item in others for holder in self._theirs.stand_ins(item)}

    def _blocks_rewrite(self, file_id: int) -> bool:
        if self._is_base(file_id):
            # A file that the destination put back may show rows there that the rewrite did not meet.
            return any(file_id in found for found in (self._touched, self._theirs.removed, self._theirs.added))
        return any(file_id in found for found in (self._rewritten, self._gone, self._mixed, self._repartition))

    def _moves_changed(self, operation: Operation) -> bool:
        """Whether it renames a partition that the destination wrote to since."""
        if operation.kind is not OperationKind.PARTITION:
            return False
        index = self._history.index(operation)
        before, upto = self._history[:index], self._history[: index + 1]
        written = {item.partition for item in self._written()}
        return any(partition_after(before, values) != partition_after(upto, values) for values in written)

    def _written(self) -> Iterator[AddedFile]:
        """What the destination wrote and shows: a rename that both sides know may have put it into other files."""
        return (item for item in self._theirs.live_added() if item.file_id not in self._unseen)

    def _stays_alive(self, file_id: int) -> bool:
        """Whether a file that the source added has its rows in sight at the end, skipped rewrites undone."""
        remover = self._mine.removed.get(file_id)
        if remover is None:
            return True
        outputs = self._mine.outputs(file_id)
        if not any(output in self._rewritten for output in outputs):
            return False
        return any(self._stays_alive(output) or self._was_emptied(output) for output in outputs)

    def _was_emptied(self, file_id: int) -> bool:
        remover = self._mine.removed.get(file_id)
        return remover is not None and remover.kind in (OperationKind.DELETE, OperationKind.UPDATE)

    def _stand_ins(self, file_id: int, *, in_partition: bool = False) -> frozenset[int]:
        """The files that hold its rows on the destination after the merge, with ``in_partition`` only those of its own
        partition.
        """
        if file_id in self._rewritten:
            others = self._elsewhere.get(file_id, frozenset()) if in_partition else frozenset()
            inputs = (item for item in self._inputs(file_id) if item not in others)
            return frozenset(i for item in inputs for i in self._stand_ins(item, in_partition=in_partition))
        if file_id in self._gone:
            return frozenset()
        return self._theirs.stand_ins(file_id) if self._is_base(file_id) else frozenset({file_id})

    def _inputs(self, file_id: int) -> Iterable[int]:
        """The files that a skipped rewrite made it of. A compaction leaves rows in their partition."""
        operation = self._rewritten[file_id]
        inputs = effects_of(operation).removed
        if moves_partitions(operation) or file_id in self._diverged:
            return inputs
        values = self._mine.added[file_id].partition
        return [item for item in inputs if self._partition_of.get(item, values) == values]

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
                acts += [item.file_id not in self._gone for item in operation.effects.added]
                return any(acts) or not acts
            case OperationKind.COMPACTION:
                return operation not in self._skipped
            case _:
                for item in operation.effects.deletes:
                    self._mask(operation, item)
                if empties_partitions(operation):
                    self._follow_moved += self._moved_out(operation.effects.removed)
                return True

    def _mask(self, operation: Operation, item: AttachedDelete) -> bool:
        file_id = item.data_file_id
        if self._is_base(file_id) and file_id not in self._theirs.removed:
            if operation.operation_id is None:
                self._attach.append((item.delete_file_id, file_id))
            return True
        if not self._is_base(file_id) and file_id not in self._rewritten:
            if file_id in self._gone:
                return False
            if operation.operation_id is None and file_id not in self._mixed:
                self._attach.append((item.delete_file_id, file_id))
            return True
        return self._follow_rows(operation, file_id, item)

    def _empty(self, operation: Operation, file_id: int) -> bool:
        """Take away the rows of a file that the source's delete or update emptied and removed."""
        if not self._is_base(file_id) and file_id not in self._rewritten:
            return file_id not in self._gone
        if self._is_base(file_id) and file_id not in self._theirs.removed and file_id not in self._masks:
            return True
        return self._follow_rows(operation, file_id, None)

    def _follow_rows(self, operation: Operation, file_id: int, item: AttachedDelete | None) -> bool:
        """Take the rows that a delete file marks, or all rows of the file, where they lie on the destination."""
        # What the source shows of these rows, in the very file that the destination has, did not go.
        targets = self._stand_ins(file_id) - self._whole
        for leaf in self._mine.leaves(file_id):
            if self._is_lost(leaf):
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
        for file_id in sorted(self._moved.keys() & set(files)):
            holders = self._moved[file_id]
            targets = {found for holder in holders for found in self._theirs.stand_ins(holder)}
            updated = {delete for holder in holders for delete in self._theirs.update_deletes(holder)}
            if targets:
                spared = updated.union(self._masks.get(file_id, ()))
                yield FollowDeletes((), file_id, tuple(sorted(targets)), tuple(sorted(spared)), holders)

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
            is_there = self._is_base(file_id) and file_id not in self._theirs.removed
            if is_there and file_id not in self._follow and remover not in self._skipped:
                self._remove[file_id] = None
        for file_id in list(self._follow):
            deletes, _ = self._follow[file_id]
            if not self._was_emptied(file_id) and (not deletes or self._was_taken_away(file_id)):
                del self._follow[file_id]

    def _was_taken_away(self, file_id: int) -> bool:
        """Whether the source itself overwrote or dropped it later, which the redo repeats by partition."""
        return self._mine.is_overwritten(file_id)

    def _move_partitions(self) -> None:
        """Redo renames of partitions that the destination changed: what it holds of them now is rewritten."""
        renames = [item for item in self._skipped if moves_partitions(item)]
        added = {file_id: item.partition for file_id, item in self._theirs.added.items()}
        holders = {file_id: holder.partition for file_id, holder in self._holders.items()}
        held = {**holders, **self._partition_of, **added}
        goals: dict[int, PartitionValues | None] = {}
        for operation in renames:
            if operation.kind is OperationKind.COMPACTION:
                goals |= self._goals_of_moved(operation)
                continue
            following = self._history[self._history.index(operation) :]
            for change in partition_renames(operation):
                assert change.before is not None
                # What an earlier operation had taken away is not this one's to move.
                taken = (item for item in effects_of(operation).removed if self._mine.removed.get(item) is operation)
                for file_id in {found for item in taken for found in self._stand_ins(item)}:
                    if file_id in self._mine.added:
                        goals[file_id] = partition_after(following, change.before)
                    else:
                        goals[file_id] = partition_after(self._history, held[file_id])
        is_renamed = any(item.kind is OperationKind.PARTITION for item in renames)
        for item in self._written() if is_renamed else ():
            goals[item.file_id] = partition_after(self._history, item.partition)
        goals |= self._goals_of_left_over()
        held |= {item.file_id: item.partition for item in self._left_over}
        for file_id in sorted(goals.keys() - self._settled):
            # What another rewrite takes lies in what that made of it, and what the source emptied goes.
            if not (self._was_emptied(file_id) or (self._is_passed(file_id) and self._mine.outputs(file_id))):
                self._move_file(file_id, held[file_id], goals[file_id])

    def _goals_of_moved(self, operation: Operation) -> dict[int, PartitionValues | None]:
        """Of what the source's own files held that a merge moved, where that lies now: the destination may have renamed
        that partition again.
        """
        effects = effects_of(operation)
        files = {found for item in effects.removed for found in self._stand_ins(item, in_partition=True)}
        alive = (file_id for file_id in sorted(files) if self._is_base(file_id) or self._stays_alive(file_id))
        if not effects.added:
            return {}
        moved = effects.added[0].partition
        goal = partition_after(self._past, moved) or moved
        return dict.fromkeys(alive, goal)

    def _goals_of_left_over(self) -> dict[int, PartitionValues | None]:
        """Of updated rows that the source put under the new name when it merged them, where these go."""
        return {
            file_id: partition_after(self._history, item.partition)
            for item in self._left_over
            for file_id in self._theirs.stand_ins(item.file_id)
        }

    def _moves(self) -> tuple[Operation, ...]:
        """By new partition one operation, which no rename by the source says: whoever knows of that has not seen the
        destination's files yet. A statement's own rename says it all.
        """
        if any(item.operation_id is None for item in self._source.operations):
            return ()
        is_renamed = any(partition_renames(item) for item in self._source.history)
        files: dict[PartitionValues, list[int]] = {}
        for file_id, values in self._repartition.items():
            if file_id in self._remove and (file_id in self._theirs.added or not is_renamed):
                files.setdefault(values, []).append(file_id)
        return tuple(
            Operation(
                OperationKind.COMPACTION,
                self._source.kind,
                self._source.object_id,
                effects=FileEffects(removed=tuple(found)),
                metrics={PARTITION_MOVE: len(found)},
            )
            for found in files.values()
        )

    def _move_file(self, file_id: int, present: PartitionValues, goal: PartitionValues | None) -> None:
        if goal == present:
            return
        if goal is not None:
            self._repartition[file_id] = goal
        if file_id not in self._mine.added:
            self._remove[file_id] = None

    def _left_behind(self, file_id: int) -> tuple[int, ...]:
        """Of a file of the destination that a rename moves, those whose rows the source has under the old name."""
        moved = self._theirs.added.get(file_id) or self._holders.get(file_id)
        return () if moved is None else tuple(item.file_id for item in self._left_in if item.overlaps(moved))

    # The plan ----------------------------------------------------------------------------------------------------

    def _plan(self, carried: list[Operation]) -> DataPlan:
        recorded = [operation for operation in carried if operation.operation_id is not None]
        partitions = () if self._remove_all else self._removed_partitions(carried)
        held_back = {*self._rewritten, *self._gone, *self._mixed, *self._repartition}
        bringing = _ids(item for item in recorded if item.effects is None or item.effects.added)
        brought = {file_id for file_id, maker in self._mine.maker.items() if maker.operation_id in bringing}
        return DataPlan(
            bring_operations=bringing,
            bring_except=frozenset(held_back & brought),
            bring_files=self._bring_files(held_back),
            pass_files=self._pass_files(held_back),
            remove_all=self._remove_all,
            remove_partitions=partitions,
            remove_files=tuple(sorted(self._removed_files())),
            spare_files=tuple(self._arrived.files),
            attach_operations=_ids(
                item for item in recorded if item.kind in _ATTACHING and (item.effects is None or item.effects.deletes)
            ),
            attach_except=frozenset(i for item in recorded for i in effects_of(item).overruled),
            attach=tuple(self._attach),
            row_work=self._row_work(partitions),
        )

    def _bring_files(self, held_back: Iterable[int]) -> tuple[int, ...]:
        """Staged files, and inputs of skipped rewrites, which are out of sight on the source."""
        staged = [operation for operation in self._history if operation.operation_id is None]
        files = dict.fromkeys(item.file_id for operation in staged for item in effects_of(operation).added)
        for operation in self._skipped:
            files.update(dict.fromkeys(f for f in effects_of(operation).removed if not self._is_base(f)))
        refused = set(held_back)
        return tuple(file_id for file_id in files if file_id not in refused and self._stays_alive(file_id))

    def _pass_files(self, held_back: Iterable[int]) -> tuple[int, ...]:
        """Staged files that the same statement rewrote."""
        refused = set(held_back)
        return tuple(
            file_id
            for file_id, maker in self._mine.maker.items()
            if maker.operation_id is None and file_id not in refused and self._is_passed(file_id)
        )

    def _is_passed(self, file_id: int) -> bool:
        remover = self._mine.removed.get(file_id)
        return remover is not None and is_rewrite(remover) and remover not in self._skipped

    def _removed_files(self) -> Iterable[int]:
        return self._remove.keys() & self._arrived.files.keys() if self._remove_all else self._remove

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
        work += [images for file_id, images in self._mixed.items() if self._stays_alive(file_id)]
        work += [
            RepartitionFile(file_id, values, self._left_behind(file_id))
            for file_id, values in self._repartition.items()
            if file_id not in self._gone and (self._is_base(file_id) or self._stays_alive(file_id))
        ]
        files = self._arrived.files
        work += [item for item in self._arrived.row_work if self._remove_all or files[item.file] in removed_partitions]
        kept = rows_kept(self._mine, self._history, self._theirs, self._past)
        return (*work, kept) if kept is not None else tuple(work)

    def _followed(self, file_id: int) -> Iterator[FollowDeletes]:
        """Apart by operation. What is spared is so in the destination's files: the source's own hold no images of the
        destination's.
        """
        deletes, targets = self._follow[file_id]
        spared = self._spared(file_id)
        own = targets & self._mine.added.keys() if spared else frozenset()
        by_operation = groupby(deletes.items(), lambda item: item[1])
        parts: list[tuple[tuple[int, ...], tuple[int, ...]]]
        parts = [(tuple(delete for delete, _ in marks), ()) for _, marks in by_operation]
        if self._was_emptied(file_id):
            # Nor are those that merges had taken out of it.
            parts.append(((), (*deletes, *self._rewritten_masks.get(file_id, ()))))
        for files, left_alone in ((targets - own, spared), (own, ())):
            for delete_files, marked in parts if files else ():
                yield FollowDeletes(delete_files, file_id, tuple(sorted(files)), (*left_alone, *marked))

    def _replaced_images(self) -> Iterator[ReplaceImages]:
        """The source's images that come over, where a restore of the destination put other images back."""
        for image, maker in self._mine.maker.items() if self._put_back else ():
            if maker.kind is not OperationKind.UPDATE or image in self._gone:
                continue
            shown_in = self._mine.stand_ins(image)
            put_back = self._other_images(self._mine.added[image], self._mine.leaves(image))
            if shown_in and put_back:
                yield ReplaceImages(image, tuple(sorted(shown_in)), tuple(sorted(put_back)))

    def _masks_of_skipped(self) -> Iterator[FollowDeletes]:
        """What merges took away of a skipped rewrite is marked in its inputs where these come over instead."""
        for file_id, deletes in self._rewritten_masks.items():
            if file_id in self._rewritten:
                targets = self._stand_ins(file_id) & self._mine.added.keys()
                if targets:
                    yield FollowDeletes(deletes, file_id, tuple(sorted(targets)))

    def _spared(self, file_id: int) -> tuple[int, ...]:
        """Delete files that mark rows which are not the source's to take: those of the destination's updates of rows
        that lie in compacted files together with their images, and those that a restore took off.
        """
        moved = [leaf for leaf in self._mine.leaves(file_id) if leaf in self._theirs.removed]
        updated = {delete for leaf in moved for delete in self._theirs.update_deletes(leaf)}
        return tuple(sorted(updated.union(self._masks.get(file_id, ()))))

    def _overtaken(self) -> tuple[PartitionValues, ...]:
        """Partitions that the source dropped although the destination wrote there since."""
        written = {item.partition for item in self._theirs.live_added()}
        return tuple(
            change.before
            for change in self._source.partitions
            if change.before is not None and change.after is None and change.before in written
        )


def _ids(operations: Iterable[Operation]) -> tuple[int, ...]:
    return tuple(operation.operation_id for operation in operations if operation.operation_id is not None)
