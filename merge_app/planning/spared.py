"""What the redo of an overwrite leaves alone: rows that the source merged from the destination after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import AddedFile, FileEffects, Operation, OverwriteScope
from merge_app.planning.files import SideFiles, effects_of
from merge_app.planning.partition_paths import dropped_partitions
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import ArrivedFile, KeepRows


@dataclass(frozen=True, slots=True)
class Spared:
    """``files`` are those in sight on the destination that hold spared rows, by id, with their partitions, ``past`` is
    what the destination did to such rows, and ``row_work`` takes the other rows out of files that hold both.
    """

    files: Mapping[int, PartitionValues] = field(default_factory=dict)
    past: tuple[Operation, ...] = ()
    row_work: tuple[KeepRows, ...] = ()


def spared(past: Sequence[Operation], arrived: Sequence[ArrivedFile]) -> Spared:
    """``past`` are the destination's operations with their file effects."""
    if not arrived:
        return Spared()
    theirs = SideFiles(past)
    holders = {holder for item in arrived for holder in item.holder_ids}
    related = holders | {file_id for file_id in theirs.added if theirs.leaves(file_id) & holders}
    known = {holder.file_id: holder for item in arrived for holder in (*item.holders, *item.put_back)} | theirs.added
    files = {file_id: known[file_id].partition for file_id in sorted(related - theirs.removed.keys())}
    kept = tuple(sorted(item.file_id for item in arrived))
    return Spared(
        files,
        tuple(_only(operation, related) for operation in past),
        tuple(KeepRows(file_id, kept) for file_id in files if not theirs.leaves(file_id) <= set(kept)),
    )


def put_back_beside(past: Sequence[Operation], arrived: Sequence[ArrivedFile]) -> tuple[ArrivedFile, ...]:
    """The same, where an overwrite took a holder away with the files that restores of the destination put back and that
    may hold its rows.
    """
    restores = [item for item in past if RESTORED_VERSION in item.metrics]
    if not restores:
        return tuple(arrived)
    theirs = SideFiles(past)
    found = {file.file_id: file for operation in restores for file in effects_of(operation).added}

    def beside(item: ArrivedFile) -> tuple[AddedFile, ...]:
        taken = [holder for holder in item.holders if theirs.is_overwritten(holder.file_id)]
        return tuple(file for file in found.values() if any(file.overlaps(holder) for holder in taken))

    return tuple(replace(item, put_back=beside(item)) for item in arrived)


def derived_of_spared(past: Sequence[Operation], arrived: Sequence[ArrivedFile]) -> frozenset[int]:
    """The files, in sight or not, that the destination wrote with spared rows: updated, or in other files now."""
    theirs = SideFiles(past)
    holders = {holder for item in arrived for holder in item.holder_ids}
    return frozenset(file_id for file_id in theirs.added if theirs.leaves(file_id) & holders)


def with_spared(operation: Operation, arrived: Sequence[ArrivedFile]) -> Operation:
    """The operation as it is recorded: an overwrite, or drop of partitions, with what its redo left alone."""
    scope = operation.overwrite
    if scope is None:
        dropped = dropped_partitions(operation)
        scope = OverwriteScope(dropped) if dropped else None
    if scope is None or not arrived:
        return operation
    holders = {holder for item in arrived for holder in item.holder_ids}
    spared_in = tuple(sorted(holders.union(scope.spared_in)))
    files = tuple(sorted(item.file_id for item in arrived))
    return replace(operation, overwrite=replace(scope, spared=files, spared_in=spared_in))


def _only(operation: Operation, related: Iterable[int]) -> Operation:
    """The operation as far as it made, took or masked these files."""
    effects, wanted = effects_of(operation), frozenset(related)
    return replace(
        operation,
        effects=FileEffects(
            added=tuple(item for item in effects.added if item.file_id in wanted),
            removed=tuple(file_id for file_id in effects.removed if file_id in wanted),
            deletes=tuple(item for item in effects.deletes if item.data_file_id in wanted),
            kept=effects.kept,
        ),
    )
