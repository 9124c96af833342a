"""What renames of partitions do to files that the destination wrote, or wrote anew, itself (P5): the source could not
put these under the new name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from merge_app.planning.files import PARTITION_MOVE, effects_of, moves_partitions
from merge_app.planning.partition_paths import partition_after, partition_renames
from merge_app.planning.placement import Placement
from merge_app.planning.surviving import ObjectChanges
from merge_app.planning.values import TableFacts

Goals = dict[int, PartitionValues | None]
"""By file, the partition that its rows go to; None where that went away."""


def partition_moves(place: Placement, facts: TableFacts) -> Goals:
    """The files in sight after the merge that skipped renames are to move, by id."""
    renames = [item for item in place.skipped if moves_partitions(item)]
    if not renames and not facts.left_over:
        return {}
    goals: Goals = {}
    held = _partitions_held(place, facts)
    for operation in renames:
        if operation.kind is OperationKind.COMPACTION:
            goals |= _goals_of_moved(place, operation)
        else:
            goals |= _goals_of_renamed(place, operation, held)
    if any(item.kind is OperationKind.PARTITION for item in renames):
        goals |= {item.file_id: partition_after(place.history, item.partition) for item in place.written()}
    goals |= _goals_of_left_over(place, facts)
    settled = {file_id for item in facts.diverged for file_id in item.settled}
    return {
        file_id: goals[file_id]
        for file_id in sorted(goals.keys() - settled)
        if not _is_elsewhere(place, file_id) and goals[file_id] != held[file_id]
    }


def _partitions_held(place: Placement, facts: TableFacts) -> Mapping[int, PartitionValues]:
    """Where files lie that may move."""
    return {
        **{holder.file_id: holder.partition for item in facts.diverged for holder in item.holders},
        **place.partition_of,
        **{file_id: item.partition for file_id, item in place.theirs.added.items()},
        **{item.file_id: item.partition for item in facts.left_over},
    }


def _is_elsewhere(place: Placement, file_id: int) -> bool:
    """What another rewrite takes lies in what that made of it, and what the source emptied goes."""
    return place.was_emptied(file_id) or (place.is_passed(file_id) and bool(place.mine.outputs(file_id)))


def _goals_of_renamed(place: Placement, operation: Operation, held: Mapping[int, PartitionValues]) -> Goals:
    """Of what a rename took away, where that lies now."""
    goals: Goals = {}
    following = place.history[place.history.index(operation) :]
    for change in partition_renames(operation):
        assert change.before is not None
        # What an earlier operation had taken away is not this one's to move.
        taken = (item for item in effects_of(operation).removed if place.mine.removed.get(item) is operation)
        for file_id in {found for item in taken for found in place.stand_ins(item)}:
            if file_id in place.mine.added:
                goals[file_id] = partition_after(following, change.before)
            else:
                goals[file_id] = partition_after(place.history, held[file_id])
    return goals


def _goals_of_moved(place: Placement, operation: Operation) -> Goals:
    """Of what the source's own files held that a merge moved, where that lies now: the destination may have renamed
    that partition again.
    """
    effects = effects_of(operation)
    files = {found for item in effects.removed for found in place.stand_ins(item, in_partition=True)}
    alive = (file_id for file_id in sorted(files) if place.is_base(file_id) or place.stays_alive(file_id))
    if not effects.added:
        return {}
    moved = effects.added[0].partition
    goal = partition_after(place.past, moved) or moved
    return dict.fromkeys(alive, goal)


def _goals_of_left_over(place: Placement, facts: TableFacts) -> Goals:
    """Of updated rows that the source put under the new name when it merged them, where these go."""
    return {
        file_id: partition_after(place.history, item.partition)
        for item in facts.left_over
        for file_id in place.theirs.stand_ins(item.file_id)
    }


def left_behind(place: Placement, facts: TableFacts, file_id: int) -> tuple[int, ...]:
    """Of a file of the destination that a rename moves, those whose rows the source has under the old name."""
    held = {holder.file_id: holder for item in facts.diverged for holder in item.holders}
    moved = place.theirs.added.get(file_id) or held.get(file_id)
    return () if moved is None else tuple(item.file_id for item in facts.left_in if item.overlaps(moved))


def move_operations(
    source: ObjectChanges, place: Placement, facts: TableFacts, taken: Collection[int]
) -> Iterator[Operation]:
    """By new partition one operation on those of the destination's files that are ``taken`` there, which no rename by
    the source says: whoever knows of that has not seen these files yet. A statement's own rename says it all.
    """
    if any(item.operation_id is None for item in source.operations):
        return
    is_renamed = any(partition_renames(item) for item in source.history)
    written = place.theirs.added.keys() | facts.written
    files: dict[PartitionValues, list[int]] = {}
    for file_id, values in place.repartition.items():
        if file_id in taken and (file_id in written or not is_renamed):
            files.setdefault(values, []).append(file_id)
    for found in files.values():
        yield Operation(
            OperationKind.COMPACTION,
            source.kind,
            source.object_id,
            effects=FileEffects(removed=tuple(found)),
            metrics={PARTITION_MOVE: len(found)},
        )
