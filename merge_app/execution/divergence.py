"""Files that the source touched and the destination does not have, though it has their rows (see ``DivergedFile``)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operation_json import change_from_json
from catalog_app.domain.operations import AddedFile, Change, ObjectKind, Operation, OperationKind, PartitionChange
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS, files_load, files_shown
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from merge_app.execution.effects import added_file, added_files_load
from merge_app.planning.files import (
    PARTITION_MOVE,
    SideFiles,
    effects_of,
    empties_partitions,
    is_rewrite,
    moves_partitions,
)
from merge_app.planning.partition_paths import partition_renames
from merge_app.planning.row_merges import ROWS_MERGED
from merge_app.planning.sides import sides_of
from merge_app.planning.values import DivergedFile, PlanInput

_HOLDERS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), at_base AS (
    SELECT file_id FROM visible WHERE NOT file_id = ANY(%(added)s) UNION SELECT unnest(%(removed)s::bigint[])
)
SELECT f.id, h.id, h.base, h.rows, h.partition, h.stores_row_ids, h.smallest_row_id, h.largest_row_id
FROM catalog_app_datafile f JOIN catalog_app_datafile h
  ON h.table_id = f.table_id AND h.smallest_row_id <= f.largest_row_id AND h.largest_row_id >= f.smallest_row_id
 AND (CASE WHEN %(elsewhere)s THEN h.partition <> f.partition
           ELSE h.partition = f.partition OR h.id = ANY(%(removed)s) OR EXISTS (
               SELECT 1 FROM unnest(%(names)s::text[], %(later_names)s::text[]) AS n(name, later)
               WHERE n.name::jsonb = f.partition AND n.later::jsonb = h.partition) END)
JOIN at_base b ON b.file_id = h.id
WHERE f.id = ANY(%(files)s) ORDER BY f.id, h.id
"""
"""Rows that the source moved between partitions may lie in files of others that the destination took away since, and
those of renamed partitions under later names."""

_IN_PARTITIONS = f"""
WITH {SNAPSHOT}, visible AS ({VISIBLE_SEGMENTS}), at_base AS (
    SELECT file_id FROM visible WHERE NOT file_id = ANY(%(added)s) UNION SELECT unnest(%(removed)s::bigint[])
)
SELECT f.id, f.base, f.rows, f.partition, f.stores_row_ids, f.smallest_row_id, f.largest_row_id
FROM at_base b JOIN catalog_app_datafile f ON f.id = b.file_id
JOIN unnest(%(names)s::text[]) AS n(name) ON n.name::jsonb = f.partition
WHERE NOT f.id = ANY(%(taken)s) ORDER BY f.id
"""

_PARTITION_CHANGES = f"""
WITH {SNAPSHOT}
SELECT o.changes FROM snapshot l JOIN catalog_app_commitoperation o
  ON o.branch_id = l.branch_id AND o.version <= l.max_version
WHERE o.object_kind = 'table' AND o.object_id = %(table)s AND o.kind = 'partition' ORDER BY o.version, o.id
"""

_EVER_SHOWN = f"""
WITH {SNAPSHOT}
SELECT DISTINCT s.file_id FROM snapshot l JOIN catalog_app_segment s
  ON s.branch_id = l.branch_id AND s.added_version <= l.max_version AND s.table_id = %(table)s
WHERE s.file_id = ANY(%(files)s)
"""

_WRITTEN = f"""
WITH {SNAPSHOT}
SELECT DISTINCT s.table_id, s.file_id FROM snapshot l JOIN catalog_app_segment s
  ON s.branch_id = l.branch_id AND s.added_version <= l.max_version AND s.table_id = ANY(%(tables)s)
JOIN catalog_app_commitoperation o ON o.id = s.operation_id AND o.kind IN ('insert', 'update', 'overwrite')
WHERE s.file_id = ANY(%(files)s)
"""

_MOVED_LAST = f"""
WITH {SNAPSHOT}, taken AS MATERIALIZED (
    SELECT s.file_id, r.operation_id FROM catalog_app_segment s
    JOIN catalog_app_segmentremoval r ON r.segment_id = s.id AND r.table_id = %(table)s
    WHERE s.table_id = %(table)s AND s.file_id = ANY(%(files)s)
), done AS (
    SELECT t.file_id, o.id, o.branch_id, o.version, o.kind, o.metrics, o.changes, false AS is_replay
    FROM taken t JOIN catalog_app_commitoperation o ON o.id = t.operation_id
    UNION ALL
    SELECT t.file_id, o.id, o.branch_id, o.version, o.kind, o.metrics, o.changes, true
    FROM taken t JOIN catalog_app_commitoperation o ON o.origin_id = t.operation_id AND o.origin_id <> o.id
    WHERE EXISTS (SELECT 1 FROM catalog_app_segment s WHERE s.table_id = %(table)s AND s.operation_id = o.id)
), told AS (
    SELECT d.file_id, d.version, d.id, d.is_replay, d.metrics ? %(move)s OR (
        d.kind = 'partition' AND d.changes @> '[{{"change": "partition"}}]'
        AND NOT d.changes @> '[{{"change": "partition", "after": null}}]') AS is_move
    FROM done d JOIN snapshot l ON l.branch_id = d.branch_id AND d.version <= l.max_version
), last AS (
    SELECT DISTINCT ON (file_id) file_id, is_move FROM told WHERE is_move OR NOT is_replay
    ORDER BY file_id, version DESC, id DESC
)
SELECT file_id FROM last WHERE is_move
"""
"""Files whose rows the chain has in other partitions: it had renamed theirs when a drop or overwrite came to it, or
they came back to it with the rename.
"""


def diverged_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, tuple[DivergedFile, ...]]:
    """By table, for an input with file effects. One query where no file diverged, as nearly always."""
    changed = sides_of(planned).source
    left = {
        table_id: changed[ObjectKind.TABLE, table_id].history
        for table_id in tables
        if (ObjectKind.TABLE, table_id) in changed
    }
    theirs = {table_id: _side(planned.destination, table_id) for table_id in left}
    touched = {table_id: _touched(history) - _taken(theirs[table_id]) for table_id, history in left.items()}
    files = [file_id for found in touched.values() for file_id in found]
    if not files:
        return {}
    seen = files_shown(destination, list(touched), files)
    return {
        table_id: _diverged(source, destination, table_id, found - seen, left[table_id], theirs[table_id])
        for table_id, found in touched.items()
        if not found <= seen
    }


def _of_table(operations: Sequence[Operation], table_id: int) -> list[Operation]:
    return [
        item
        for item in operations
        if item.object_kind is ObjectKind.TABLE and item.object_id == table_id and item.effects is not None
    ]


def _side(operations: Sequence[Operation], table_id: int) -> SideFiles:
    return SideFiles(_of_table(operations, table_id))


def _touched(history: Sequence[Operation]) -> set[int]:
    """Files that the source did not add, or bring back, and that its redo would look for by id; overwrites and drops go
    by value.
    """
    side = SideFiles(history, restores_are_own=True)
    return {
        file_id
        for item in history
        if item.kind in (OperationKind.DELETE, OperationKind.UPDATE) or is_rewrite(item)
        for file_id in effects_of(item).touched
        if file_id not in side.added
    }


def _taken(side: SideFiles) -> set[int]:
    """The files that the side took away, but for those of renames that it merged and of which it had the rows in other
    files: these are where it put them. What it had marked itself until no row was left is its own.
    """
    return {
        file_id
        for file_id, remover in side.removed.items()
        if remover.kind is not OperationKind.PARTITION
        or not is_rewrite(remover)
        or side.outputs(file_id)
        or file_id in side.marked
    }


def _diverged(
    source: Snapshot | None,
    destination: Snapshot,
    table_id: int,
    files: set[int],
    history: Sequence[Operation],
    theirs: SideFiles,
) -> tuple[DivergedFile, ...]:
    names = _later_names(destination, table_id)
    holders = _holders(destination, table_id, files, theirs, names=names)
    moved = {file_id for item in history if moves_partitions(item) for file_id in effects_of(item).removed}
    unfound = files - holders.keys() - moved
    earlier = _earlier_names(history) if unfound else []
    if earlier:
        # What the source renamed meanwhile has its old name on the destination yet.
        holders |= _holders(destination, table_id, unfound, theirs, names=earlier)
    undone = _undone_names(source, names, history) if source is not None and files - holders.keys() else []
    if undone:
        holders |= _holders(destination, table_id, files - holders.keys(), theirs, names=undone)
    diverged = added_files_load(files)
    holders |= _merged_by_key(theirs, [item for item in diverged if item.file_id not in holders])
    held = {item.file_id for found in holders.values() for item in found}
    shown = files_shown(source, [table_id], held) if source is not None and held else set()
    scans = files_load(table_id, shown, [source]) if source is not None and shown else {}
    whole = {file_id for file_id, scan in scans.items() if not scan.delete_paths}
    # What the source itself met after its last rename it showed then, under the same name.
    since = max((index + 1 for index, item in enumerate(history) if moves_partitions(item)), default=len(history))
    later = [effects_of(item) for item in history[since:]]
    settled = shown | ({file_id for found in later for file_id in found.touched - found.met_elsewhere} - moved)
    found = []
    for file in diverged:
        held_in = holders.get(file.file_id, [])
        ids = {item.file_id for item in held_in}
        called = {file.partition, *(later for name, later in (*names, *earlier, *undone) if name == file.partition)}
        elsewhere = frozenset(item.file_id for item in held_in if item.partition not in called)
        found.append(
            DivergedFile(
                file,
                tuple(held_in),
                settled=frozenset(ids & settled),
                shown=frozenset(ids & shown),
                whole=frozenset(ids & whole),
                elsewhere=elsewhere,
            )
        )
    return tuple(found)


def _merged_by_key(theirs: SideFiles, files: Iterable[AddedFile]) -> dict[int, list[AddedFile]]:
    """By file, those into which merges by key wrote rows of it anew: operations of the destination's own, of rows that
    the source knows.
    """
    written = [item for item in theirs.live_added() if ROWS_MERGED in theirs.maker[item.file_id].metrics]
    found = {file.file_id: [item for item in written if item.overlaps(file)] for file in files}
    return {file_id: items for file_id, items in found.items() if items}


def holders_load(
    destination: Snapshot, table_id: int, files: Collection[int], operations: Sequence[Operation]
) -> dict[int, list[AddedFile]]:
    """By file, the files that may hold its rows on the destination as it was before these operations of its own."""
    return _holders(destination, table_id, files, _side(operations, table_id))


def left_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, tuple[AddedFile, ...]]:
    """By table, the files that the source shows under a name which it had given another, and the destination does not:
    rows that the source got there since the rename; no query where it renamed none.
    """
    found: dict[int, tuple[AddedFile, ...]] = {}
    if source is None:
        return found
    for table_id in tables:
        names = _renamed_names(planned, table_id)
        if names:
            mine = _side(planned.source, table_id)
            found[table_id] = _in_partitions(source, SideFiles(()), table_id, names, mine.added, destination)
    return found


def _renamed_names(planned: PlanInput, table_id: int) -> list[str]:
    """What the source's renames of partitions began with, as JSON."""
    changed = sides_of(planned).source.get((ObjectKind.TABLE, table_id))
    renames = [change for item in changed.history for change in partition_renames(item)] if changed else []
    return [json.dumps(list(name)) for name in {change.before for change in renames} if name is not None]


def left_over_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, tuple[AddedFile, ...]]:
    """By table, the files of partitions that the source renamed which the destination, as it was before its own
    operations, shows under the old name, and which the source never showed; no query where it renamed none.
    """
    found: dict[int, tuple[AddedFile, ...]] = {}
    if source is None:
        return found
    for table_id in tables:
        names = _renamed_names(planned, table_id)
        if names:
            left = _in_partitions(destination, _side(planned.destination, table_id), table_id, names, (), source)
            asked = {**source.parameters, "table": table_id, "files": [item.file_id for item in left]}
            seen = {file_id for (file_id,) in fetch_all(_EVER_SHOWN, asked)} if left else set()
            found[table_id] = tuple(item for item in left if item.file_id not in seen)
    return found


def written_load(destination: Snapshot, left_over: Mapping[int, Sequence[AddedFile]]) -> dict[int, frozenset[int]]:
    """By table, those of the files that are ``left_over`` which an insert, update or overwrite wrote."""
    files = [item.file_id for found in left_over.values() for item in found]
    written: dict[int, frozenset[int]] = {}
    asked = {**destination.parameters, "tables": list(left_over), "files": files}
    for table_id, file_id in fetch_all(_WRITTEN, asked) if files else ():
        written[table_id] = written.get(table_id, frozenset()) | {file_id}
    return written


def unseen_load(planned: PlanInput, destination: Snapshot, tables: Collection[int]) -> dict[int, frozenset[int]]:
    """By table, the files that the destination wrote, did not take away since, and does not show; no query where the
    source renamed no partition.
    """
    found: dict[int, frozenset[int]] = {}
    for table_id in tables:
        written = {item.file_id for item in _side(planned.destination, table_id).live_added()}
        if written and _renamed_names(planned, table_id):
            found[table_id] = frozenset(written - files_shown(destination, [table_id], written))
    return found


def _in_partitions(
    snapshot: Snapshot, own: SideFiles, table_id: int, names: list[str], taken: Collection[int], other: Snapshot
) -> tuple[AddedFile, ...]:
    """The files of partitions that a chain shows, as it was before what it did of its ``own``, without those ``taken``
    and those that the other chain shows.
    """
    asked = {"table_ids": [table_id], "names": names, "taken": list(taken), **_before(own)}
    files = [added_file(row) for row in fetch_all(_IN_PARTITIONS, {**snapshot.parameters, **asked})]
    shown = files_shown(other, [table_id], [item.file_id for item in files]) if files else set()
    return tuple(item for item in files if item.file_id not in shown)


def _before(side: SideFiles) -> dict[str, list[int]]:
    """What to leave out of and to add to what a side shows, to have what it showed before its own operations."""
    return {
        "added": list(side.added),
        "removed": [file_id for file_id in _taken(side) if file_id not in side.added],
    }


def moved_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, Mapping[int, tuple[int, ...]]]:
    """By table and file that went with its partition on the source, the files of other partitions that may hold rows of
    it on the destination as it was before its own operations, and that the source does not show: what it shows there
    did not go. Nor did what it had moved out of the partition by then.
    """
    found: dict[int, Mapping[int, tuple[int, ...]]] = {}
    for table_id in tables:
        mine, theirs = _side(planned.source, table_id), _side(planned.destination, table_id)
        gone = _emptied(planned.source, table_id, mine)
        if source is not None and gone:
            asked = {"table": table_id, "files": list(gone), "move": PARTITION_MOVE}
            gone -= {file_id for (file_id,) in fetch_all(_MOVED_LAST, {**source.parameters, **asked})}
        holders = _holders(destination, table_id, gone, theirs, elsewhere=True) if gone else {}
        held = {item.file_id for items in holders.values() for item in items}
        shown = files_shown(source, [table_id], held) if source is not None and held else set()
        apart = {i: tuple(item.file_id for item in items if item.file_id not in shown) for i, items in holders.items()}
        found[table_id] = {file_id: files for file_id, files in apart.items() if files}
    return found


def _emptied(operations: Sequence[Operation], table_id: int, side: SideFiles) -> set[int]:
    return {
        file_id
        for item in _of_table(operations, table_id)
        if empties_partitions(item)
        for file_id in effects_of(item).removed
        if file_id not in side.added
    }


def _holders(
    destination: Snapshot,
    table_id: int,
    files: Collection[int],
    theirs: SideFiles,
    *,
    elsewhere: bool = False,
    names: Sequence[tuple[PartitionValues, PartitionValues]] | None = None,
) -> dict[int, list[AddedFile]]:
    """``names``: of partitions, with those that rows of them may lie under; by default those that the destination gave
    them.
    """
    if names is None:
        names = [] if elsewhere else _later_names(destination, table_id)
    parameters = {
        **destination.parameters,
        "table_ids": [table_id],
        "names": [json.dumps(list(name)) for name, _ in names],
        "later_names": [json.dumps(list(later)) for _, later in names],
        "files": list(files),
        "elsewhere": elsewhere,
        **_before(theirs),
    }
    holders: dict[int, list[AddedFile]] = {}
    for file_id, *holder in fetch_all(_HOLDERS, parameters):
        holders.setdefault(file_id, []).append(added_file(holder))
    return holders


def _later_names(snapshot: Snapshot, table_id: int) -> list[tuple[PartitionValues, PartitionValues]]:
    """Each name that a partition of the table had, with each that a rename on the chain gave it afterwards."""
    rows = fetch_all(_PARTITION_CHANGES, {**snapshot.parameters, "table": table_id})
    return _renamed(change_from_json(item) for (changes,) in rows for item in json_value(changes))


def _earlier_names(history: Sequence[Operation]) -> list[tuple[PartitionValues, PartitionValues]]:
    """Each name that these operations gave a partition, with each that it had before."""
    return [(later, name) for name, later in _names_given(history)]


def _undone_names(
    source: Snapshot, later_names: Collection[tuple[PartitionValues, PartitionValues]], history: Sequence[Operation]
) -> list[tuple[PartitionValues, PartitionValues]]:
    """Each name that a partition got on the source's chain before its own history, and that the destination, which made
    the ``later_names``, never gave it, with what it was called before: whoever renamed it had taken that back by the
    time that the destination merged it.
    """
    own = {*later_names, *_names_given(history)}
    return [(later, name) for name, later in _later_names(source, history[0].object_id) if (name, later) not in own]


def _names_given(history: Iterable[Operation]) -> list[tuple[PartitionValues, PartitionValues]]:
    return _renamed(change for item in history for change in partition_renames(item))


def _renamed(changes: Iterable[Change]) -> list[tuple[PartitionValues, PartitionValues]]:
    """Names before and after, one rename after the other."""
    found: dict[tuple[PartitionValues, PartitionValues], None] = {}
    for change in changes:
        if isinstance(change, PartitionChange) and change.before is not None and change.after is not None:
            earlier = [name for name, later in found if later == change.before]
            found.update(((name, change.after), None) for name in (*earlier, change.before))
    return list(found)
