"""The files that a statement shows which is not committed yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import Operation, PartitionChange
from merge_app.lineage.segments import AS_WRITTEN, DOT, LAYOUT, Gone, Marked, ShownFile, Stamp
from merge_app.planning.data import KEEPS_PLACES, fact_kind, shown_file
from merge_app.planning.net_changes import RESTORED_VERSION


@dataclass(frozen=True, slots=True)
class RestoredFiles:
    """What a restored table shows, and what the restore took away from it; files that it leaves alone are in neither.
    ``present``: the files of now that are not left alone.
    """

    shown: tuple[ShownFile, ...] = ()
    gone: tuple[Gone, ...] = ()
    present: tuple[int, ...] = ()


def touched_files(staged: Sequence[Operation]) -> Iterator[int]:
    """The files that a statement takes away or marks; a restore says that otherwise."""
    for operation in staged:
        if operation.effects is not None and RESTORED_VERSION not in operation.metrics:
            yield from operation.effects.touched


def overlay(
    staged: Sequence[Operation],
    shown: dict[int, list[ShownFile]],
    gone: dict[int, list[Gone]],
    restored: Mapping[int, RestoredFiles],
) -> None:
    """Put what a statement staged over what it saw."""
    for table_id, item in restored.items():
        present = set(item.present)
        left = [file for file in shown[table_id] if file.file_id not in present]
        shown[table_id] = [*left, *item.shown]
        gone[table_id] += item.gone
    for operation in staged:
        effects, stamp = operation.effects, Stamp(DOT, fact_kind(operation))
        if effects is None or operation.object_id in restored:
            continue
        table_id = operation.object_id
        files = {file.file_id: file for file in shown[table_id]}
        if moves_rows(operation):
            shown[table_id] = [*_moved(operation, files)]
            continue
        for mark in effects.deletes:
            file = files[mark.data_file_id]
            files[file.file_id] = replace(file, deletes=(*file.deletes, Marked(mark.delete_file_id, stamp)))
            gone[table_id].append(_gone(file, stamp, mark.delete_file_id))
        placed = _kept_places(operation, list(files.values()))
        for file_id in effects.removed:
            file = files.pop(file_id)
            masks = tuple(mark.file_id for mark in file.deletes)
            if stamp.kind not in LAYOUT:
                gone[table_id].append(_gone(file, stamp, None, masks))
        for added in effects.added:
            files[added.file_id] = shown_file(added, stamp, placed.get(added.partition, AS_WRITTEN))
        shown[table_id] = list(files.values())


def _gone(file: ShownFile, stamp: Stamp, delete_file: int | None, masks: tuple[int, ...] = ()) -> Gone:
    where = file.partition, file.placed
    return Gone(file.file_id, file.smallest, file.largest, stamp, delete_file, masks, *where)


def moves_rows(operation: Operation) -> bool:
    """Whether an operation renames a partition without its files: those that it names lie elsewhere from now on."""
    effects = operation.effects
    return effects is not None and fact_kind(operation) == "move" and not effects.added


def _moved(operation: Operation, files: Mapping[int, ShownFile]) -> Iterator[ShownFile]:
    assert operation.effects is not None
    renamed = {c.before: c.after for c in operation.changes if isinstance(c, PartitionChange)}
    for file_id, file in files.items():
        after = renamed.get(file.partition) if file_id in operation.effects.removed else None
        who = Stamp(DOT, "move", undoes=file.placed.version)
        yield file if after is None else replace(file, partition=after, placed=who)


def _kept_places(operation: Operation, files: Sequence[ShownFile]) -> dict[PartitionValues, Stamp]:
    """By partition, who decided it for the rows that an update or compaction writes anew."""
    if operation.kind not in KEEPS_PLACES:
        return {}
    ordered = sorted(files, key=lambda file: file.placed.version)
    return {file.partition: file.placed for file in ordered}
