"""The operations of one side of a merge, from the history (semantics P6, P7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operation_json import change_from_json, scope_from_json
from catalog_app.domain.operations import (
    AddedFile,
    AttachedDelete,
    Change,
    ColumnAttribute,
    ColumnChange,
    FileEffects,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    OverwriteScope,
    PartitionChange,
    PropertyChange,
    Rename,
)
from catalog_app.selectors.rows import fetch_all, json_value
from merge_app.execution.reach import CommitRange, Reach
from merge_app.planning.files import empties_partitions
from merge_app.planning.partition_paths import partition_renames
from merge_app.planning.surviving import is_full_overwrite, restored_version, spared_by, without_deletes_on

FEW_VERSIONS = 100
"""A range up to which the plan that PostgreSQL keeps for the query is a good one."""

_OPERATIONS = """
WITH ranges AS (
    SELECT * FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
), reached AS (
    SELECT * FROM unnest(%(reached)s::bigint[], %(reached_upto)s::bigint[]) AS q(branch_id, upto)
)
SELECT o.id, o.kind, o.object_kind, o.object_id, o.changes, o.created, o.overwrite, o.metrics, o.version,
       b.name, c.statement, coalesce(o.origin_id, o.id), q.branch_id IS NOT NULL
FROM ranges r
JOIN catalog_app_commitoperation o ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
JOIN catalog_app_commit c ON c.id = o.commit_id
JOIN catalog_app_branch b ON b.id = o.branch_id
LEFT JOIN reached q ON q.branch_id = o.origin_branch_id AND q.upto >= o.origin_version
WHERE (q.branch_id IS NULL OR o.changes <> '[]'::jsonb OR o.kind IN ('overwrite', 'drop', 'undrop'))
  AND o.object_kind <> 'view' {condition}
ORDER BY o.version, o.id
"""

_OF_OBJECTS = """AND ((o.object_kind = 'database' AND o.object_id = ANY(%(databases)s))
    OR (o.object_kind = 'table' AND o.object_id = ANY(%(tables)s)))"""


def operations_load(
    ranges: Sequence[CommitRange],
    other: Reach,
    *,
    databases: Collection[int] | None = None,
    tables: Collection[int] = (),
) -> tuple[Operation, ...]:
    """The operations in these ranges whose origin the other side does not reach, in commit order.

    With ``databases`` given, only those on these databases and ``tables``. File effects are left out. An attribute
    that a later merge from the other side set is no longer this side's word: its earlier changes are left out too.
    """
    if not ranges:
        return ()
    parameters = {
        "branches": [item.branch_id for item in ranges],
        "after": [item.after for item in ranges],
        "upto": [item.upto for item in ranges],
        "reached": list(other.keys()),
        "reached_upto": list(other.values()),
        "databases": list(databases or ()),
        "tables": list(tables),
    }
    condition = "" if databases is None else _OF_OBJECTS
    versions = sum(item.upto - item.after for item in ranges)
    rows = fetch_all(_OPERATIONS.format(condition=condition), parameters, prepared=versions <= FEW_VERSIONS)
    known: dict[str, tuple[Change, ...]] = {}
    found = [(_operation(row, known), bool(row[12])) for row in rows]
    swept = {item.object_id for item, is_theirs in found if is_theirs and _sweeps_files(item)}
    if swept:
        of_swept = [item for item, _ in found if item.object_kind is ObjectKind.TABLE and item.object_id in swept]
        loaded = {item.operation_id: item for item in effects_load(of_swept)}
        found = [(loaded.get(item.operation_id, item), is_theirs) for item, is_theirs in found]
    return without_overruled(found)


def _sweeps_files(operation: Operation) -> bool:
    """Whether only its files tell what it left of earlier operations."""
    scope = operation.overwrite
    return bool(_dropped_partitions(operation)) or (scope is not None and bool(scope.spared or scope.partitions))


_DROPS = (OperationKind.DROP, OperationKind.UNDROP)


def without_overruled(operations: Sequence[tuple[Operation, bool]]) -> tuple[Operation, ...]:
    """Operations in commit order, each with whether it is the other side's. The others stay, without the changes of
    attributes that a later operation of the other side set, or of columns that it dropped; one that has no change
    left goes. So does a drop or undrop before another of the other side, and operations on rows that a later overwrite
    of the other side swept away, drops of partitions among them, unless their own side restored the table to a version
    that had them.
    """
    if not any(is_theirs for _, is_theirs in operations):
        return tuple(operation for operation, _ in operations)
    later = _Later()
    kept: list[Operation] = []
    for index, (operation, is_theirs) in reversed(list(enumerate(operations))):
        if operation.kind is OperationKind.PARTITION:
            later.rename(operation)
        if is_theirs:
            later.take(operation, operations, index)
        elif not later.ends(operation):
            later.restore(operation)
            changes = tuple(_not_overruled(operation, later.overruled))
            if changes or not operation.changes:
                own = operation if changes == operation.changes else replace(operation, changes=changes)
                kept.append(_not_overwritten(own, later.overwrites_of(operation), later.swept[operation.object_id]))
    return tuple(reversed(kept))


@dataclass(slots=True)
class _Later:
    """What is known of the operations after one, as they are gone through from the last: by table, the ``overwrites``
    of the other side, the files that these or its drops of partitions ``swept``, and the newest version that the own
    side ``restored``; the attributes that are ``overruled``.
    """

    overruled: set[tuple[Any, ...]] = field(default_factory=set)
    overwrites: dict[int, list[_Overwrite]] = field(default_factory=lambda: defaultdict(list))
    swept: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    restored: dict[int, int] = field(default_factory=dict)

    def rename(self, operation: Operation) -> None:
        """What comes before the rename of a partition knows it by its former name."""
        for change in partition_renames(operation):
            known = self.overwrites[operation.object_id]
            self.overwrites[operation.object_id] = [item.before(change) for item in known]

    def take(self, operation: Operation, operations: Sequence[tuple[Operation, bool]], index: int) -> None:
        """An operation of the other side, the one at ``index`` of all."""
        self.overruled |= {name for change in operation.changes for name in _overruled(operation, change)}
        if operation.kind in _DROPS:
            self.overruled.add((*_thing(operation), "exists"))
        if operation.kind is OperationKind.OVERWRITE:
            earlier = [item for item, _ in operations[:index]]
            self.overwrites[operation.object_id].append(_overwrite(operation, earlier))
        if operation.effects is not None and empties_partitions(operation):
            self.swept[operation.object_id].update(operation.effects.removed)

    def restore(self, operation: Operation) -> None:
        """An operation of the own side, which may be a restore."""
        version = restored_version(operation)
        if version is not None:
            self.restored[operation.object_id] = max(version, self.restored.get(operation.object_id, 0))

    def overwrites_of(self, operation: Operation) -> Sequence[_Overwrite]:
        return self.overwrites[operation.object_id] if _is_on_rows(operation) else ()

    def ends(self, operation: Operation) -> bool:
        """Whether nothing is left of an operation of the own side."""
        if operation.kind in _DROPS:
            return (*_thing(operation), "exists") in self.overruled
        is_back = operation.version <= self.restored.get(operation.object_id, 0)
        return not is_back and _is_swept(operation, self.overwrites_of(operation))


@dataclass(frozen=True, slots=True)
class _Overwrite:
    """What an overwrite takes away, and the operations before it that it left in effect. Of one of the whole table,
    ``taken`` are the files that it took away, ``brought`` those that it put in their place.
    """

    scope: OverwriteScope
    spared: frozenset[int | None]
    taken: frozenset[int]
    brought: frozenset[int]

    def before(self, rename: PartitionChange) -> _Overwrite:
        """The same by the names that partitions had before one was renamed."""
        values = self.scope.partitions
        if values is None or not {rename.before, rename.after}.intersection(values):
            return self
        left = [item for item in values if item != rename.before]
        earlier = [rename.before] if rename.after in values and rename.before is not None else []
        return replace(self, scope=replace(self.scope, partitions=(*left, *earlier)))


def _overwrite(operation: Operation, earlier: Sequence[Operation]) -> _Overwrite:
    same = [item for item in earlier if _is_on_rows(item) and item.object_id == operation.object_id]
    spared = frozenset(same[index].operation_id for index in spared_by(operation, same))
    effects = operation.effects if is_full_overwrite(operation) else None
    taken = frozenset(effects.removed) if effects else frozenset()
    brought = frozenset(item.file_id for item in effects.added) if effects else frozenset()
    return _Overwrite(operation.overwrite or OverwriteScope(), spared, taken, brought)


def _not_overwritten(operation: Operation, later: Sequence[_Overwrite], swept: Collection[int]) -> Operation:
    """The operation without what it did to files that later overwrites took away or put back, and without the files
    that it wrote and later ones ``swept`` with their partitions.
    """
    taken = frozenset[int]().union(*(item.taken for item in later))
    brought = frozenset[int]().union(*(item.brought for item in later))
    operation = without_deletes_on(operation, taken | brought)
    if operation.effects is None or not (taken or brought or swept):
        return operation
    added = tuple(item for item in operation.effects.added if item.file_id not in taken and item.file_id not in swept)
    removed = tuple(file_id for file_id in operation.effects.removed if file_id not in brought)
    return replace(operation, effects=replace(operation.effects, added=added, removed=removed))


def _is_on_rows(operation: Operation) -> bool:
    return operation.is_data or bool(_dropped_partitions(operation))


def _dropped_partitions(operation: Operation) -> set[PartitionValues]:
    """The partitions that an operation drops; none where it does anything else."""
    changes = [change for change in operation.changes if isinstance(change, PartitionChange) and change.after is None]
    if not changes or len(changes) < len(operation.changes):
        return set()
    return {change.before for change in changes if change.before is not None}


def _is_swept(operation: Operation, overwrites: Sequence[_Overwrite]) -> bool:
    """Whether later overwrites leave nothing of it: one of the whole table, or those of all partitions that it wrote
    over itself, or dropped.
    """
    later = [item.scope for item in overwrites if operation.operation_id not in item.spared]
    if any(scope.partitions is None for scope in later):
        return True
    emptied = _dropped_partitions(operation)
    if operation.kind is OperationKind.OVERWRITE and operation.overwrite is not None:
        emptied = set(operation.overwrite.partitions or ())
    return bool(emptied) and emptied <= {values for scope in later for values in scope.partitions or ()}


def _not_overruled(operation: Operation, overruled: set[tuple[Any, ...]]) -> Iterator[Change]:
    """What is left of its changes. The drop of a column that the other side brought back goes, but what it had ended
    stays ended: that is added to ``overruled``.
    """
    for change in operation.changes:
        left = _left_of(operation, change, overruled)
        if left is not None:
            yield left
        elif _drops_column(change):
            overruled.update(_overruled(operation, change))


def _left_of(operation: Operation, change: Change, overruled: Collection[tuple[Any, ...]]) -> Change | None:
    """The change without what is overruled: a rename may keep the name or the database that it gave."""
    if isinstance(change, Rename):
        name = change.before.name if (*_thing(operation), "name") in overruled else change.after.name
        home = change.before if (*_thing(operation), "database") in overruled else change.after
        left = Rename(change.before, ObjectName(name, home.database_id))
        return None if left.after == left.before else left
    if not isinstance(change, ColumnChange):
        return None if _attribute(operation, change) in overruled else change
    attributes = _column_attributes(operation, change)
    are_gone = [attribute in overruled or attribute[:-1] in overruled for attribute in attributes]
    # A column goes as a whole, but each id under which it is added may be news to another branch.
    return None if (any(are_gone) if _drops_column(change) else all(are_gone)) else change


def _overruled(operation: Operation, change: Change) -> list[tuple[Any, ...]]:
    """The attributes that a change leaves no earlier word on; the drop of a column, all that it has."""
    if isinstance(change, Rename):
        parts = {
            "name": change.before.name != change.after.name,
            "database": change.before.database_id != change.after.database_id,
        }
        return [(*_thing(operation), part) for part, is_set in parts.items() if is_set]
    if not isinstance(change, ColumnChange):
        return [_attribute(operation, change)]
    attributes = _column_attributes(operation, change)
    return [attribute[:-1] for attribute in attributes] if _drops_column(change) else attributes


def _drops_column(change: Change) -> bool:
    return isinstance(change, ColumnChange) and change.attribute is ColumnAttribute.EXISTS and change.after is None


def _thing(operation: Operation) -> tuple[Any, ...]:
    return (operation.object_kind, operation.object_id)


def _column_attributes(operation: Operation, change: ColumnChange) -> list[tuple[Any, ...]]:
    """What a change sets, under each id of its column."""
    return [(*_thing(operation), *replace(change, column_id=i).setting) for i in change.column_ids]


def _attribute(operation: Operation, change: PropertyChange | PartitionChange) -> tuple[Any, ...]:
    """What of which object a change sets. Partitions are sets of values, not attributes: none overrules another."""
    setting = ("partition", operation.operation_id) if isinstance(change, PartitionChange) else change.setting
    return (*_thing(operation), *setting)


def _operation(row: tuple[Any, ...], known: dict[str, tuple[Change, ...]]) -> Operation:
    """``known`` changes by their JSON are shared, and gain these: a statement mostly does the same to many objects."""
    changes = known.get(row[4])
    if changes is None:
        changes = known[row[4]] = tuple(change_from_json(value) for value in json_value(row[4]))
    return Operation(
        operation_id=row[0],
        kind=OperationKind(row[1]),
        object_kind=ObjectKind(row[2]),
        object_id=row[3],
        changes=changes,
        created=json_value(row[5]),
        overwrite=scope_from_json(json_value(row[6])),
        metrics=json_value(row[7]),
        version=row[8],
        branch=row[9],
        statement=row[10],
        origin_id=row[11],
    )


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
    _add_effects_elsewhere(operations, added, removed, deletes, overruled)
    partitions = _partitions_compacted(operations, added, removed)
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
            ),
        )
        for item in operations
    )


def _added(operation_ids: Sequence[int]) -> list[tuple[int, AddedFile]]:
    return [
        (operation_id, AddedFile(file_id, base, rows, tuple(json_value(partition)), *row_ids))
        for operation_id, file_id, base, rows, partition, *row_ids in fetch_all(_ADDED, {"ids": list(operation_ids)})
    ]


def _partitions_compacted(
    operations: Sequence[Operation], added: Mapping[int, Sequence[AddedFile]], removed: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, PartitionValues]]:
    """By compaction of several partitions, those of the files that it removed. Of a replay what it added does not tell:
    some of that may have been swept away by then.
    """
    several = [
        item.operation_id
        for item in operations
        if item.kind is OperationKind.COMPACTION
        and item.operation_id is not None
        and (item.is_replay or len({file.partition for file in added.get(item.operation_id, ())}) > 1)
    ]
    files = list({file_id for operation_id in several for file_id in removed.get(operation_id, ())})
    rows = fetch_all(_PARTITION_OF, {"files": files}) if files else []
    partition_of = {file_id: tuple(json_value(values)) for file_id, values in rows}
    return {
        operation_id: {file_id: partition_of[file_id] for file_id in removed.get(operation_id, ())}
        for operation_id in several
    }


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
    scopes = [(item.version, item.overwrite) for item in operations if item.overwrite is not None]
    left = {(version, file_id) for version, scope in scopes for file_id in (*scope.spared, *scope.spared_in)}
    put_back = {
        (replay, file_id)
        for origin, file_id, version in fetch_all(_PUT_BACK, {"ids": list(replays)})
        for replay in replays[origin]
        if version < versions[replay]
    }
    _add_files_elsewhere(replays, versions, left, put_back, added, removed)
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


def _add_files_elsewhere(
    replays: Mapping[int, Sequence[int]],
    versions: Mapping[int, int],
    left: Collection[tuple[int, int]],
    put_back: Collection[tuple[int, int]],
    added: dict[int, list[AddedFile]],
    removed: dict[int, list[int]],
) -> None:
    """What another operation of the same commit took away is that one's, and what an overwrite ``left``, as version and
    file, stayed. Files that came and went before the originals were merged together lead from what was rewritten first
    to what is left of it.
    """
    taken = {(versions[identity], file_id) for identity, files in removed.items() for file_id in files}.union(left)
    passed = []
    for origin, file_id in fetch_all(_REMOVED, {"ids": list(replays)}):
        passed += [
            (replay, file_id)
            for replay in replays[origin]
            if (versions[replay], file_id) not in taken and (replay, file_id) not in put_back
        ]
    for replay, file_id in passed:
        removed[replay].append(file_id)
    gone = {(versions[replay], file_id) for replay, file_id in passed}
    for origin, file in _added(list(replays)) if gone else ():
        for replay in replays[origin]:
            if (versions[replay], file.file_id) in gone:
                added[replay].append(file)
