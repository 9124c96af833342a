"""Where rows lie once the source's files have come over, and which of these do as they are (semantics §3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, FileEffects, Operation, OperationKind
from merge_app.planning.files import (
    SideFiles,
    divergence,
    effects_of,
    images_put_back,
    is_rewrite,
    moves_partitions,
)
from merge_app.planning.partition_paths import partition_after, partition_names, partition_renames
from merge_app.planning.spared import spared
from merge_app.planning.surviving import RESTORED_VERSION, ObjectChanges, without_deletes_on
from merge_app.planning.values import FilterImages, TableFacts


def only_met(source: ObjectChanges, destination: ObjectChanges) -> ObjectChanges:
    """The source without what its replays of updates and deletes did only where their originals were made, to files
    that the destination put back since the sides parted: it took away what these rows lay in, and with that what the
    source did to them (A4, A5).
    """
    if not any(effects_of(operation).met_elsewhere for operation in source.history):
        return source
    makers = SideFiles(destination.past).maker.items()
    put_back = {file_id for file_id, maker in makers if RESTORED_VERSION in maker.metrics}
    return replace(
        source,
        operations=tuple(_without_effects_on(item, put_back) for item in source.operations),
        history=tuple(_without_effects_on(item, put_back) for item in source.history),
    )


def _without_effects_on(operation: Operation, put_back: Collection[int]) -> Operation:
    gone = effects_of(operation).met_elsewhere.intersection(put_back)
    if not gone or operation.kind not in (OperationKind.DELETE, OperationKind.UPDATE):
        return operation
    left = without_deletes_on(operation, gone)
    effects = effects_of(left)
    removed = tuple(file_id for file_id in effects.removed if file_id not in gone)
    return replace(left, effects=replace(effects, removed=removed))


class Placement:
    """One table's files of both sides, ``mine`` of the source and ``theirs`` of the destination, side by side.

    ``history`` is the source's, with files that earlier merges left out as made by it; ``past`` what counts of the
    destination's, and ``arrived`` what an overwrite of the source spares there: where it overwrote the whole table
    (``remove_all``), only files with such rows matter.
    Rewrites that the destination's work blocks are ``skipped``: the files that they made are in ``rewritten``, and
    what they were made of stands for these. Images of updated rows are ``gone`` where the destination took away all
    rows that they are of, ``mixed`` where it did some, and ``repartition`` says where it renamed their partition.
    """

    def __init__(self, source: ObjectChanges, destination: ObjectChanges, facts: TableFacts, *, is_new: bool) -> None:
        left_out = divergence(source.object_id, facts.diverged)
        self.history = (*left_out, *source.history)
        self.remove_all = not is_new and source.overwrites_all
        self.mine = SideFiles(source.history, restores_are_own=True, left_out=left_out)
        self.partition_of = {**facts.partition_of, **{i: item.partition for i, item in self.mine.added.items()}}
        self._diverged = {item.file.file_id: item for item in facts.diverged}
        # What the source put back itself goes and comes with that.
        put_back = self.mine.added.keys() - self._diverged.keys()
        arrived = (item.without(put_back) for item in facts.arrived if item.file_id not in put_back)
        self.arrived = spared(destination.past, list(arrived))
        self.past = self.arrived.past if self.remove_all else () if is_new else destination.past
        self.theirs = SideFiles(self.past)
        self.rewritten = {item.file_id: made for made in left_out for item in effects_of(made).added}
        self.gone: set[int] = set()
        self.mixed: dict[int, FilterImages] = {}
        self.skipped: list[Operation] = list(left_out)
        self.repartition: dict[int, PartitionValues] = {}
        self._masks = facts.masks
        self._unseen = facts.unseen
        self._by_key = facts.masked_otherwise
        self._touched = self.theirs.touched_base(self.past) | facts.masked_otherwise
        self.put_back = () if self.remove_all else images_put_back(self.past)
        self._has_renamed = any(partition_renames(item) for item in self.past)
        left = {id(operation) for operation in destination.history}
        absorbed = () if self.remove_all else (item for item in self.past if id(item) not in left)
        self._thinned = self.theirs.touched_base(item for item in absorbed if item.kind is OperationKind.DELETE)
        for operation in source.history:
            self._sort_added(operation)

    def _sort_added(self, operation: Operation) -> None:
        """Whether what an operation added comes over, and how much of it."""
        effects = effects_of(operation)
        if is_rewrite(operation):
            # A partition that went on the destination under its old name, and not under its new one, comes back.
            comes_back = operation.kind is OperationKind.PARTITION
            moved = [file_id for file_id in effects.removed if not (comes_back and self._is_unheld(file_id))]
            if any(self._blocks_rewrite(file_id) for file_id in moved) or self._moves_changed(operation):
                self.skipped.append(operation)
                self.rewritten.update({item.file_id: operation for item in effects.added})
        elif operation.kind is OperationKind.UPDATE:
            for item in effects.added:
                leaves = self.mine.leaves(item.file_id)
                goal = self._renamed_meanwhile(item, effects) if self._has_renamed else None
                if goal is not None:
                    self.repartition[item.file_id] = goal
                lost = frozenset(leaf for leaf in leaves if self.is_lost(leaf))
                thinned = leaves & self._thinned
                if lost == leaves:
                    self.gone.add(item.file_id)
                elif lost or thinned:
                    live_in = {holder for leaf in thinned for holder in self.theirs.holders(leaf)}
                    live_in |= self.other_images(item, leaves) if thinned else set()
                    discarded = tuple(sorted(lost | thinned))
                    masks = tuple((mask, file_id) for file_id in discarded for mask in self._masks.get(file_id, ()))
                    self.mixed[item.file_id] = FilterImages(item.file_id, discarded, tuple(sorted(live_in)), masks)

    def _renamed_meanwhile(self, image: AddedFile, effects: FileEffects) -> PartitionValues | None:
        """The name that the destination gave the partition of updated rows, which the update left where they were. Rows
        of other partitions in the same file were moved to it, and go with it.
        """
        names = partition_names(self.past, image.partition)
        inputs = effects.inputs.get(image.file_id) or effects.touched
        unmoved = [file_id for file_id in inputs if effects.partition_of.get(file_id) == image.partition]
        leaves = {leaf for file_id in unmoved or inputs for leaf in self.mine.leaves(file_id)}
        stand_ins = {found for leaf in leaves for found in self.stand_ins(leaf)}
        values = {self.theirs.added[found].partition if found in self.theirs.added else None for found in stand_ins}
        goal = next(iter(values), None)
        return goal if len(values) == 1 and goal != image.partition and goal in names else None

    def is_base(self, file_id: int) -> bool:
        """Whether it is none of the source's own."""
        return file_id not in self.mine.added

    def is_lost(self, file_id: int) -> bool:
        """Whether the destination overwrote or dropped its rows."""
        return self.is_base(file_id) and self.theirs.is_overwritten(file_id)

    def _blocks_rewrite(self, file_id: int) -> bool:
        if self.is_base(file_id):
            # A file that the destination put back may show rows there that the rewrite did not meet.
            return any(file_id in found for found in (self._touched, self.theirs.removed, self.theirs.added))
        return any(file_id in found for found in (self.rewritten, self.gone, self.mixed, self.repartition))

    def _moves_changed(self, operation: Operation) -> bool:
        """Whether it renames a partition that the destination wrote to since."""
        if operation.kind is not OperationKind.PARTITION:
            return False
        index = self.history.index(operation)
        before, upto = self.history[:index], self.history[: index + 1]
        written = {item.partition for item in self.written()}
        return any(partition_after(before, values) != partition_after(upto, values) for values in written)

    def _is_unheld(self, file_id: int) -> bool:
        """Whether the destination has nothing of a file that an earlier merge left out, nor its rows by key."""
        diverged = self._diverged.get(file_id)
        return diverged is not None and not diverged.holders and file_id not in self._by_key

    def written(self) -> Iterator[AddedFile]:
        """What the destination wrote and shows: a rename that both sides know may have put it into other files."""
        return (item for item in self.theirs.live_added() if item.file_id not in self._unseen)

    def other_images(self, image: AddedFile, leaves: frozenset[int]) -> set[int]:
        """The files in sight on the destination that may hold images of its rows which a restore put back."""
        others = (item.file_id for item in self.put_back if item.overlaps(image) and item.file_id not in leaves)
        return {holder for item in others for holder in self.theirs.stand_ins(item)}

    def stays_alive(self, file_id: int) -> bool:
        """Whether a file that the source added has its rows in sight at the end, skipped rewrites undone."""
        remover = self.mine.removed.get(file_id)
        if remover is None:
            return True
        outputs = self.mine.outputs(file_id)
        if not any(output in self.rewritten for output in outputs):
            return False
        return any(self.stays_alive(output) or self.was_emptied(output) for output in outputs)

    def was_emptied(self, file_id: int) -> bool:
        """Whether the source deleted or updated all rows of it."""
        remover = self.mine.removed.get(file_id)
        return remover is not None and remover.kind in (OperationKind.DELETE, OperationKind.UPDATE)

    def is_passed(self, file_id: int) -> bool:
        """Whether a rewrite that comes over put its rows into another file."""
        remover = self.mine.removed.get(file_id)
        return remover is not None and is_rewrite(remover) and remover not in self.skipped

    def stand_ins(self, file_id: int, *, in_partition: bool = False) -> frozenset[int]:
        """The files that hold its rows on the destination after the merge, with ``in_partition`` only those of its own
        partition.
        """
        if file_id in self.rewritten:
            diverged = self._diverged.get(file_id) if in_partition else None
            inputs = (i for i in self._inputs(file_id) if diverged is None or i not in diverged.elsewhere)
            return frozenset(i for item in inputs for i in self.stand_ins(item, in_partition=in_partition))
        if file_id in self.gone:
            return frozenset()
        return self.theirs.stand_ins(file_id) if self.is_base(file_id) else frozenset({file_id})

    def _inputs(self, file_id: int) -> Iterable[int]:
        """The files that a skipped rewrite made it of. A compaction leaves rows in their partition."""
        operation = self.rewritten[file_id]
        inputs = effects_of(operation).removed
        if moves_partitions(operation) or file_id in self._diverged:
            return inputs
        values = self.mine.added[file_id].partition
        return [item for item in inputs if self.partition_of.get(item, values) == values]
