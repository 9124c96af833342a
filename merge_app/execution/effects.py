"""What recorded operations did to files: added, removed, masked, here or where their originals were made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    AddedFile,
    AttachedDelete,
    FileEffects,
    Operation,
    OperationKind,
)
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.reach import newest_merge, reach_load

_ADDED = """
SELECT s.operation_id, f.id, f.base, f.rows, f.partition, f.stores_row_ids, f.smallest_row_id, f.largest_row_id
FROM catalog_app_segment s JOIN catalog_app_datafile f ON f.id = s.file_id
WHERE s.operation_id = ANY(%(ids)s) ORDER BY s.id
"""
_REMOVED = """
SELECT r.operation_id, s.file_id FROM catalog_app_segmentremoval r JOIN catalog_app_segment s ON s.id = r.segment_id
WHERE r.operation_id = ANY(%(ids)s) ORDER BY r.id
"""
_ATTACHED = """
SELECT d.operation_id, f.id, f.data_file_id, f.rows
FROM catalog_app_segmentdelete d JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE d.operation_id = ANY(%(ids)s) ORDER BY d.id
"""
_PARTITION_OF = "SELECT id, partition FROM catalog_app_datafile WHERE id = ANY(%(files)s)"

_FILES = """
SELECT id, base, rows, partition, stores_row_ids, smallest_row_id, largest_row_id FROM catalog_app_datafile
WHERE id = ANY(%(files)s) ORDER BY id
"""

_KEPT = """
SELECT DISTINCT r.operation_id, e.delete_file_id
FROM catalog_app_segmentremoval r
JOIN catalog_app_segmentdelete e ON e.segment_id = r.segment_id
JOIN catalog_app_segmentdelete d ON d.operation_id = r.operation_id AND d.delete_file_id = e.delete_file_id
WHERE r.operation_id = ANY(%(ids)s)
"""
"""Deletes that operations attached to files which they also took away, with these deletes."""

_MET_BY_REPLAYS = """
WITH met AS (
    SELECT w.id AS operation_id, o.id AS replay_id
    FROM unnest(%(ids)s::bigint[], %(origins)s::bigint[]) AS w(id, origin_id)
    JOIN catalog_app_commitoperation o ON o.origin_id = w.origin_id AND o.id <> w.id
    JOIN unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
      ON c.branch_id = o.branch_id AND o.version <= c.max_version
)
SELECT m.operation_id, s.file_id FROM met m
JOIN catalog_app_segmentremoval r ON r.operation_id = m.replay_id JOIN catalog_app_segment s ON s.id = r.segment_id
UNION
SELECT m.operation_id, f.data_file_id FROM met m
JOIN catalog_app_segmentdelete d ON d.operation_id = m.replay_id
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
"""

_PUT_BACK = """
SELECT t.operation_id, t.file_id, s.added_version
FROM (
    SELECT r.operation_id, g.file_id FROM catalog_app_segmentremoval r
    JOIN catalog_app_segment g ON g.id = r.segment_id WHERE r.operation_id = ANY(%(ids)s)
    UNION
    SELECT d.operation_id, f.data_file_id FROM catalog_app_segmentdelete d
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id WHERE d.operation_id = ANY(%(ids)s)
) t
JOIN catalog_app_commitoperation o ON o.id = t.operation_id AND o.kind <> 'overwrite'
JOIN catalog_app_segment s ON s.branch_id = o.branch_id AND s.file_id = t.file_id AND s.added_version > o.version
JOIN catalog_app_commitoperation k ON k.id = s.operation_id AND k.kind = 'overwrite'
"""
"""Files that these operations touched and a later overwrite put back, on the branch where they were made."""


def added_files_load(file_ids: Iterable[int]) -> list[AddedFile]:
    """Data files by id, in its order; no query for none."""
    asked = list(file_ids)
    return [added_file(row) for row in fetch_all(_FILES, {"files": asked})] if asked else []


def added_file(row: Sequence[Any]) -> AddedFile:
    """From id, base, rows, partition, whether it stores row ids, the smallest and the largest of them."""
    file_id, base, rows, partition, *row_ids = row
    return AddedFile(file_id, base, rows, tuple(json_value(partition)), *row_ids)


def effects_load(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """The same operations, those recorded in the history with their file effects; those that have them keep them."""
    recorded = [item.operation_id for item in operations if item.operation_id is not None and item.effects is None]
    if not recorded:
        return tuple(operations)
    parameters = {"ids": recorded}
    added: dict[int, list[AddedFile]] = defaultdict(list)
    removed: dict[int, list[int]] = defaultdict(list)
    deletes: dict[int, list[AttachedDelete]] = defaultdict(list)
    overruled: dict[int, list[int]] = defaultdict(list)
    for operation_id, file in _added(recorded):
        added[operation_id].append(file)
    for operation_id, file_id in fetch_all(_REMOVED, parameters):
        removed[operation_id].append(file_id)
    for operation_id, *attached in fetch_all(_ATTACHED, parameters):
        deletes[operation_id].append(AttachedDelete(*attached))
    shown = {operation_id: {file.file_id for file in files} for operation_id, files in added.items()}
    met = {operation_id: _met(operation_id, removed, deletes) for operation_id in recorded}
    _add_effects_elsewhere(operations, added, removed, deletes, overruled)
    partitions = _partitions_compacted(operations, added, removed)
    kept = _deletes_kept(operations, deletes)
    updated = _files_updated(operations, added, removed, deletes)
    partitions |= {identity: {file.file_id: file.partition for file in files} for identity, files in updated.items()}
    return tuple(
        item
        if item.operation_id is None or item.effects is not None
        else replace(
            item,
            effects=FileEffects(
                tuple(added[item.operation_id]),
                tuple(removed[item.operation_id]),
                tuple(deletes[item.operation_id]),
                tuple(overruled[item.operation_id]),
                partitions.get(item.operation_id, {}),
                frozenset(file.file_id for file in added[item.operation_id]) - shown.get(item.operation_id, set()),
                _met(item.operation_id, removed, deletes) - met[item.operation_id],
                frozenset(kept.get(item.operation_id, ())),
                inputs=_inputs(added[item.operation_id], updated.get(item.operation_id, ())),
            ),
        )
        for item in operations
    )


def met_by_replays_load(operations: Sequence[Operation], snapshot: Snapshot) -> tuple[Operation, ...]:
    """The same operations, updates and deletes of this chain with what merges that it reaches met for them. No query
    for reach where it merged nothing since.
    """
    met = [item for item in operations if item.kind in (OperationKind.DELETE, OperationKind.UPDATE) and item.effects]
    if not met or newest_merge(snapshot) <= min(item.version for item in met):
        return tuple(operations)
    reach = reach_load(snapshot)
    parameters = {
        "ids": [item.operation_id for item in met],
        "origins": [item.origin_id for item in met],
        "branches": list(reach),
        "limits": list(reach.values()),
    }
    found: dict[int | None, set[int]] = defaultdict(set)
    for operation_id, file_id in fetch_all(_MET_BY_REPLAYS, parameters):
        found[operation_id].add(file_id)
    return tuple(
        replace(item, effects=replace(item.effects, met_by_replays=frozenset(found[item.operation_id])))
        if item.effects is not None and item.operation_id in found
        else item
        for item in operations
    )


def _met(
    operation_id: int, removed: Mapping[int, Sequence[int]], deletes: Mapping[int, Sequence[AttachedDelete]]
) -> frozenset[int]:
    return frozenset((*removed.get(operation_id, ()), *(item.data_file_id for item in deletes.get(operation_id, ()))))


def _added(operation_ids: Sequence[int]) -> list[tuple[int, AddedFile]]:
    return [(operation_id, added_file(file)) for operation_id, *file in fetch_all(_ADDED, {"ids": list(operation_ids)})]


def _partitions_compacted(
    operations: Sequence[Operation], added: Mapping[int, Sequence[AddedFile]], removed: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, PartitionValues]]:
    """By compaction of a table with partitions, those of the files that it removed: of some nothing may have been left,
    and of a replay what it added may have been swept away by then.
    """
    compactions = [
        item.operation_id
        for item in operations
        if item.kind is OperationKind.COMPACTION
        and item.operation_id is not None
        and (item.is_replay or any(file.partition for file in added.get(item.operation_id, ())))
    ]
    files = list({file_id for operation_id in compactions for file_id in removed.get(operation_id, ())})
    rows = fetch_all(_PARTITION_OF, {"files": files}) if files else []
    partition_of = {file_id: tuple(json_value(values)) for file_id, values in rows}
    return {
        operation_id: {file_id: partition_of[file_id] for file_id in removed.get(operation_id, ())}
        for operation_id in compactions
    }


def _files_updated(
    operations: Sequence[Operation],
    added: Mapping[int, Sequence[AddedFile]],
    removed: Mapping[int, Sequence[int]],
    deletes: Mapping[int, Sequence[AttachedDelete]],
) -> dict[int, list[AddedFile]]:
    """By update that touched several files, these; a merge may also have masked rows in the files that it added."""
    updates = [item.operation_id or 0 for item in operations if item.kind is OperationKind.UPDATE]
    touched = {
        identity: _met(identity, removed, deletes).difference(item.file_id for item in added[identity])
        for identity in updates
        if added.get(identity)
    }
    touched = {identity: files for identity, files in touched.items() if len(files) > 1}
    found = {file.file_id: file for file in added_files_load({i for files in touched.values() for i in files})}
    return {identity: [found[file_id] for file_id in files] for identity, files in touched.items()}


def _inputs(added: Sequence[AddedFile], touched: Sequence[AddedFile]) -> dict[int, frozenset[int]]:
    """By file that an update added, the touched ones that its rows may come from: rows keep their ids."""
    # Of a thousand files that became a thousand others, each pair is looked at.
    spans = [(item.smallest_row_id, item.largest_row_id, item.file_id) for item in touched]
    return {
        made.file_id: frozenset(
            file_id
            for smallest, largest, file_id in spans
            if smallest <= made.largest_row_id and largest >= made.smallest_row_id
        )
        for made in (added if spans else ())
    }


def _deletes_kept(
    operations: Sequence[Operation], deletes: Mapping[int, Sequence[AttachedDelete]]
) -> dict[int, set[int]]:
    """By overwrite, the deletes of files that it put back as masked as it had taken them away."""
    overwrites = [item.operation_id for item in operations if item.kind is OperationKind.OVERWRITE]
    masking = [operation_id for operation_id in overwrites if operation_id is not None and deletes.get(operation_id)]
    kept: dict[int, set[int]] = defaultdict(set)
    for operation_id, delete_id in fetch_all(_KEPT, {"ids": masking}) if masking else ():
        kept[operation_id].add(delete_id)
    return kept


def _add_effects_elsewhere(
    operations: Sequence[Operation],
    added: dict[int, list[AddedFile]],
    removed: dict[int, list[int]],
    deletes: dict[int, list[AttachedDelete]],
    overruled: dict[int, list[int]],
) -> None:
    """What the originals of replays did to files that were never shown where they were replayed: a third branch may
    show them.
    """
    replays: dict[int, list[int]] = defaultdict(list)
    for item in operations:
        if _is_on_files(item) and item.is_replay and item.operation_id is not None:
            replays[item.origin_id or 0].append(item.operation_id)
    if not replays:
        return
    versions = {item.operation_id or 0: item.version for item in operations}
    scopes = [(item.operation_id or 0, item.overwrite) for item in operations if item.overwrite is not None]
    left = {(replay, file_id) for replay, scope in scopes for file_id in (*scope.spared, *scope.spared_in)}
    # Where the replay only marked rows of a file, others of it stayed.
    left |= {(identity, item.data_file_id) for identity, found in deletes.items() for item in found}
    overwrites = {item.origin_id or 0 for item in operations if item.kind is OperationKind.OVERWRITE}
    put_back = {
        (replay, file_id)
        for origin, file_id, version in fetch_all(_PUT_BACK, {"ids": list(replays)})
        for replay in replays[origin]
        if version < versions[replay]
    }
    brought = _brought_by_overwrites(replays, versions, overwrites & replays.keys())
    _add_files_elsewhere(replays, versions, left | put_back, brought, added, removed)
    for origin, *values in fetch_all(_ATTACHED, {"ids": list(replays)}):
        attached = AttachedDelete(*values)
        for replay in replays[origin]:
            if attached in deletes[replay]:
                continue
            if (replay, attached.data_file_id) in put_back:
                overruled[replay].append(attached.delete_file_id)
            else:
                deletes[replay].append(attached)


def _is_on_files(operation: Operation) -> bool:
    return operation.is_data or operation.kind is OperationKind.PARTITION


def _brought_by_overwrites(
    replays: Mapping[int, Sequence[int]], versions: Mapping[int, int], overwrites: Collection[int]
) -> dict[tuple[int, int], int]:
    """By version and file that the original of an overwrite showed, the replay."""
    found = _added(list(overwrites)) if overwrites else []
    return {(versions[replay], file.file_id): replay for origin, file in found for replay in replays[origin]}


def _add_files_elsewhere(
    replays: Mapping[int, Sequence[int]],
    versions: Mapping[int, int],
    left: Collection[tuple[int, int]],
    brought: Mapping[tuple[int, int], int],
    added: dict[int, list[AddedFile]],
    removed: dict[int, list[int]],
) -> None:
    """What another operation of the same commit took away is that one's, unless that is an overwrite which ``brought``
    it, by version and file, to be taken away after it; what it took away itself and put back is nothing elsewhere; and
    what was ``left``, as replay and file, stayed. Files that came and went before the originals were merged together
    lead from what was rewritten first to what is left of it: the first of several took that away, whichever did where
    they were merged.
    """
    taken = {(versions[identity], file_id): identity for identity, files in removed.items() for file_id in files}
    passed = []
    passed_on: dict[int, list[int]] = defaultdict(list)
    for origin, file_id in fetch_all(_REMOVED, {"ids": list(replays)}):
        for replay in replays[origin]:
            place = versions[replay], file_id
            later = brought.get(place, replay) < replay
            is_back = brought.get(place) == replay
            if is_back or (replay, file_id) in left:
                continue
            if later or place not in taken:
                passed.append((replay, file_id))
            elif taken[place] > replay:
                passed_on[replay].append(file_id)
    for replay, file_id in passed:
        removed[replay].append(file_id)
    gone = {(versions[replay], file_id) for replay, file_id in passed}
    for origin, file in _added(list(replays)) if gone else ():
        for replay in replays[origin]:
            if (versions[replay], file.file_id) in gone:
                added[replay].append(file)
                removed[replay] += passed_on.pop(replay, ())
