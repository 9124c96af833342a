"""Deletes on files that the source emptied or rewrote, which are not its own to redo (see ``TableFacts``).

``masks`` are those that had masked a file which a restore of the destination put back, or whose rows the destination
has in other files now, where they may lie beside newer images, or has no more; ``rewritten_masks`` those that merges
attached to what the source had rewritten; ``masked_otherwise`` the files of which the destination has rows elsewhere
that the source had there when it rewrote them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.reach import newest_merge
from merge_app.execution.written_files import written_files_load
from merge_app.planning.files import SideFiles, effects_of, empties_partitions, is_rewrite
from merge_app.planning.surviving import RESTORED_VERSION
from merge_app.planning.values import DivergedFile, PlanInput

_EMPTYING = (OperationKind.DELETE, OperationKind.UPDATE)

_MASKS = """
SELECT DISTINCT f.table_id, f.data_file_id, f.id
FROM unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
JOIN catalog_app_segmentdelete d
  ON d.branch_id = c.branch_id AND d.table_id = ANY(%(tables)s) AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE f.data_file_id = ANY(%(files)s) AND NOT f.id = ANY(%(own)s) AND NOT d.operation_id = ANY(%(operations)s)
ORDER BY f.table_id, f.data_file_id, f.id
"""
"""Whatever the chain ever attached to the files, but certain deletes and what certain operations attached."""

_MASKS_AT_REMOVAL = """
SELECT DISTINCT f.table_id, f.data_file_id, f.id
FROM catalog_app_segmentremoval r
JOIN catalog_app_segment s ON s.id = r.segment_id AND s.file_id = ANY(%(files)s)
JOIN catalog_app_segmentdelete d ON d.table_id = ANY(%(tables)s) AND d.segment_id = s.id
LEFT JOIN unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS c(branch_id, max_version)
  ON d.branch_id = c.branch_id AND d.attached_version <= c.max_version
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE (c.branch_id IS NOT NULL OR (d.branch_id = r.branch_id AND d.attached_version < r.removed_version))
  AND r.table_id = ANY(%(tables)s) AND r.operation_id = ANY(%(operations)s) AND NOT f.id = ANY(%(own)s)
ORDER BY f.table_id, f.data_file_id, f.id
"""
"""The same file may have been masked otherwise before, on either side: a restore took that back. Where a merge took
masks and file at once, the masks are only known where that was first done."""

_MASKED_OTHERWISE = """
WITH chains AS (
    SELECT true AS is_here, * FROM unnest(%(here)s::bigint[], %(here_limits)s::bigint[]) AS h(branch_id, max_version)
    UNION ALL
    SELECT false, * FROM unnest(%(there)s::bigint[], %(there_limits)s::bigint[]) AS t(branch_id, max_version)
), latest AS (
    SELECT DISTINCT ON (c.is_here, s.file_id) c.is_here, s.table_id, s.file_id, s.id
    FROM chains c JOIN catalog_app_segment s ON s.branch_id = c.branch_id AND s.added_version <= c.max_version
    WHERE s.table_id = ANY(%(tables)s) AND s.file_id = ANY(%(files)s)
    ORDER BY c.is_here, s.file_id, s.added_version DESC
), marks AS (
    SELECT l.is_here, l.table_id, l.file_id, d.delete_file_id
    FROM latest l JOIN chains c USING (is_here)
    JOIN catalog_app_segmentdelete d ON d.segment_id = l.id AND d.table_id = l.table_id
      AND d.branch_id = c.branch_id AND d.attached_version <= c.max_version
)
SELECT DISTINCT table_id, file_id FROM (
    SELECT table_id, file_id, delete_file_id FROM marks WHERE is_here
    EXCEPT SELECT table_id, file_id, delete_file_id FROM marks WHERE NOT is_here
) more
"""
"""Files with deletes here that they have not there."""

Masks = dict[int, Mapping[int, tuple[int, ...]]]
"""By table and data file, the delete files."""


def masks_load(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    tables: Collection[int],
    diverged: Mapping[int, Sequence[DivergedFile]],
    moved: Mapping[int, Collection[int]],
) -> Masks:
    """For an input with file effects. No query where the destination has all files that the source emptied, and all
    rows that it updated, as ever. ``diverged`` and ``moved`` are those of ``TableFacts``.
    """
    own = _own_deletes((*planned.source, *planned.destination))
    masks = _masks_of_taken(planned, destination, tables, own)
    for table_id, found in _masks_of_emptied(planned, source, destination, tables, diverged, moved, own).items():
        masks[table_id] = {**masks.get(table_id, {}), **found}
    return masks


def _masks_of_taken(planned: PlanInput, destination: Snapshot, tables: Collection[int], own: Sequence[int]) -> Masks:
    """Of files with rows that the source updated and the destination took away, or took from and put back since."""
    files: list[int] = []
    taking: list[Operation] = []
    for table_id in tables:
        theirs = _of_table(planned.destination, table_id)
        sweeps = [item for item in theirs if item.kind is OperationKind.OVERWRITE or empties_partitions(item)]
        if sweeps:
            mine = _of_table(planned.source, table_id)
            updates = [item for item in mine if item.kind is OperationKind.UPDATE]
            files += SideFiles(mine).touched_base(updates) & _gone(theirs)
            taking += theirs
    if not files:
        return {}
    first = [operation.origin_id for operation in taking if operation.origin_id is not None]
    return _found(_MASKS_AT_REMOVAL, destination, taking, files, own=own, operations=[*_ids(taking), *first])


def _gone(operations: Sequence[Operation]) -> set[int]:
    """The files that a side took away, or some rows of them, be they there again."""
    return {file_id for operation in operations for file_id in effects_of(operation).touched}


def _masks_of_emptied(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    tables: Collection[int],
    diverged: Mapping[int, Sequence[DivergedFile]],
    moved: Mapping[int, Collection[int]],
    own: Sequence[int],
) -> Masks:
    """Of files that the source emptied, or took away with their partition."""
    elsewhere = {
        table_id: _put_back(planned, table_id)
        | _rewritten(planned, table_id)
        | {item.file.file_id for item in diverged.get(table_id, ())}
        | set(moved.get(table_id, ()))
        for table_id in tables
    }
    emptying = [
        operation
        for table_id, files in elsewhere.items()
        for operation in _of_table(planned.source, table_id)
        if (operation.kind in _EMPTYING or empties_partitions(operation)) and files & set(effects_of(operation).removed)
    ]
    if not emptying:
        return {}
    files = [i for operation in emptying for i in effects_of(operation).removed if i in elsewhere[operation.object_id]]
    if source is None:
        # What a statement is about to do is recorded nowhere yet.
        return _found(_MASKS, destination, emptying, files, own=own)
    first = [operation.origin_id for operation in emptying if operation.origin_id is not None]
    return _found(_MASKS_AT_REMOVAL, source, emptying, files, own=own, operations=[*_ids(emptying), *first])


def rewritten_masks_load(planned: PlanInput, source: Snapshot | None, tables: Collection[int]) -> Masks:
    """For an input with file effects. No query where the source merged nothing after it rewrote a file."""
    rewrites = [item for table_id in tables for item in _of_table(planned.source, table_id) if is_rewrite(item)]
    if source is None or not rewrites or newest_merge(source) < min(item.version for item in rewrites):
        return {}
    files = [made.file_id for item in rewrites for made in effects_of(item).added]
    masks = _found(_MASKS, source, rewrites, files, operations=_ids(planned.source))
    gone = {table_id: _merged_away(planned, source, table_id) for table_id in {item.object_id for item in rewrites}}
    return {table_id: {**masks.get(table_id, {}), **dict.fromkeys(found, ())} for table_id, found in gone.items()}


def masked_otherwise_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, frozenset[int]]:
    """For an input with the file effects of the source. No query but for tables with a key of which it rewrote files:
    elsewhere files lead to rows, so that what both sides know of masks both.
    """
    keyed = [table_id for table_id in tables if planned.tables[table_id].schema.is_keyed]
    rewrites = [item for table_id in keyed for item in _of_table(planned.source, table_id) if is_rewrite(item)]
    if source is None or not rewrites:
        return {}
    parameters = {
        "here": list(destination.branch_ids),
        "here_limits": list(destination.limits),
        "there": list(source.branch_ids),
        "there_limits": list(source.limits),
        "tables": list({item.object_id for item in rewrites}),
        "files": [file_id for item in rewrites for file_id in effects_of(item).removed],
    }
    found: dict[int, set[int]] = defaultdict(set)
    for table_id, file_id in fetch_all(_MASKED_OTHERWISE, parameters):
        found[table_id].add(file_id)
    return {table_id: frozenset(files) for table_id, files in found.items()}


def _merged_away(planned: PlanInput, source: Snapshot, table_id: int) -> list[int]:
    """The files that the source wrote by rewriting others and that merges took away from it whole."""
    files = written_files_load(table_id, planned.source, source)
    made = [item.file_id for operation in files.own if is_rewrite(operation) for item in effects_of(operation).added]
    own = {file_id for operation in files.own for file_id in effects_of(operation).removed}
    return [file_id for file_id in made if file_id not in own and not files.is_left(file_id)]


def _found(
    query: str,
    chain: Snapshot,
    touching: Iterable[Operation],
    files: Sequence[int],
    *,
    own: Sequence[int] = (),
    operations: Sequence[int] = (),
) -> Masks:
    parameters = {
        "branches": list(chain.branch_ids),
        "limits": list(chain.limits),
        "tables": list({operation.object_id for operation in touching}),
        "files": list(files),
        "own": list(own),
        "operations": list(operations),
    }
    masks: dict[int, dict[int, tuple[int, ...]]] = defaultdict(lambda: defaultdict(tuple))
    for table_id, file_id, delete_id in fetch_all(query, parameters):
        masks[table_id][file_id] += (delete_id,)
    return {table_id: dict(found) for table_id, found in masks.items()}


def _put_back(planned: PlanInput, table_id: int) -> set[int]:
    """The files that a restore of the destination brought back."""
    return {
        item.file_id
        for operation in _of_table(planned.destination, table_id)
        if RESTORED_VERSION in operation.metrics
        for item in effects_of(operation).added
    }


def _rewritten(planned: PlanInput, table_id: int) -> set[int]:
    """The files whose rows the destination put into others."""
    return {
        file_id
        for operation in _of_table(planned.destination, table_id)
        if is_rewrite(operation)
        for file_id in effects_of(operation).removed
    }


def _of_table(operations: Sequence[Operation], table_id: int) -> list[Operation]:
    return [item for item in operations if item.object_kind is ObjectKind.TABLE and item.object_id == table_id]


def _ids(operations: Iterable[Operation]) -> list[int]:
    return [operation.operation_id for operation in operations if operation.operation_id is not None]


def _own_deletes(operations: Sequence[Operation]) -> list[int]:
    """What either side deleted since they parted; deletes that come back with a restore are older."""
    return [
        item.delete_file_id
        for operation in operations
        if operation.kind is not OperationKind.OVERWRITE
        for item in effects_of(operation).deletes
    ]
