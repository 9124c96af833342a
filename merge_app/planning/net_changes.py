"""What is left of one side: the net of its operations by object, which the rule tables judge (semantics P7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from catalog_app.domain.operations import (
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    Operation,
    OperationKind,
    PartitionChange,
    PropertyChange,
    Rename,
)
from lakeui.common.records import record
from merge_app.lineage.facts import Vector
from merge_app.planning.net_partitions import net_partitions

ObjectKey = tuple[ObjectKind, int]

LIFECYCLE = (OperationKind.CREATE, OperationKind.DROP, OperationKind.UNDROP)
ATTRIBUTE_KINDS = frozenset(
    {OperationKind.RENAME, OperationKind.SET_PROPERTIES, OperationKind.UNSET_PROPERTIES, OperationKind.COLUMN}
)
"""What neither makes or ends an object nor touches files."""
_PROPERTIES = (OperationKind.SET_PROPERTIES, OperationKind.UNSET_PROPERTIES)
RESTORED_VERSION = "restored_version"
"""Metric of an overwrite that restored a table: the version it went back to."""


@record(frozen=True, slots=True)
class ObjectChanges:
    """The net of one side's operations on one object.

    ``operations`` survive, their changes reduced to the net; but each name that a partition had stays, as another
    branch may have merged it when it was called that.
    ``versions`` maps each axis of the object's rule table that has operations to the versions of its operations, in
    the order of the operations.
    """

    kind: ObjectKind
    object_id: int
    operations: tuple[Operation, ...] = ()
    created: bool = False
    dropped: bool = False
    undropped: bool = False
    rename: Rename | None = None
    properties: Mapping[str, PropertyChange] = field(default_factory=dict)
    columns: Mapping[tuple[int, ColumnAttribute], ColumnChange] = field(default_factory=dict)
    partitions: tuple[PartitionChange, ...] = ()
    versions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def branch(self) -> str:
        return self.operations[-1].branch if self.operations else ""

    @property
    def data(self) -> tuple[Operation, ...]:
        return tuple(operation for operation in self.operations if operation.is_data)

    def has(self, *axes: str) -> bool:
        return not self.versions.keys().isdisjoint(axes)

    def first_of(self, axes: Iterable[str], default: str) -> str:
        return next((axis for axis in axes if self.has(axis)), default)

    @property
    def overwrites_all(self) -> bool:
        """Whether an overwrite of the whole table is left of the side's data."""
        return any(is_full_overwrite(operation) for operation in self.data)


def axis_of(operation: Operation) -> str | None:
    """The row or column of the rule table that an operation belongs to; None for CREATE and UNDROP."""
    if operation.kind in (OperationKind.CREATE, OperationKind.UNDROP):
        return None
    if operation.object_kind is ObjectKind.TABLE and operation.kind in _PROPERTIES:
        return "properties"
    return operation.kind.value


def is_full_overwrite(operation: Operation) -> bool:
    scope = operation.overwrite
    return operation.kind is OperationKind.OVERWRITE and (scope is None or scope.partitions is None)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The commits that a RESTORE takes back: its branch knew them, but not at the restored version (lineage §4a)."""

    knew: Vector
    then: Vector

    def has(self, operation: Operation, restore: Operation) -> bool:
        """Of an operation before the restore: whether a commit made it that is taken back, or the restore's own."""
        assert operation.origin is not None
        branch, version = operation.origin
        return operation.origin == restore.origin or self.then.get(branch, 0) < version <= self.knew.get(branch, 0)

    def is_unknown_to(self, other: Vector) -> bool:
        return all(
            other.get(branch, 0) <= self.then.get(branch, 0)
            for branch, version in self.knew.items()
            if version > self.then.get(branch, 0)
        )


Restores = Mapping[tuple[int, int, int], TakenBack]
"""The restores of a side that take back nothing which the other side knows: by the branch and the version of the
commit, and the restored version. One transaction may restore tables to several.
"""
NO_RESTORES: Restores = MappingProxyType({})


def net_changes(
    operations: Iterable[Operation], *, restores: Restores = NO_RESTORES, kept: AbstractSet[ObjectKey] | None = None
) -> dict[ObjectKey, ObjectChanges]:
    """The net changes by object, in the order of first change; objects with nothing left are absent. With ``kept``
    facts say what became of all objects but these and of their attributes: what was done to rows is left.
    """
    grouped: dict[ObjectKey, list[Operation]] = {}
    for operation in operations:
        grouped.setdefault((operation.object_kind, operation.object_id), []).append(operation)
    result = {}
    for key, group in grouped.items():
        is_whole = kept is None or key in kept
        changes = _object_changes(key, group, restores) if is_whole else _row_changes(key, group, restores)
        if changes is not None:
            result[key] = changes
    return result


def implied_drop(object_id: int, database: ObjectChanges) -> ObjectChanges:
    """The drop of a table that the drop of its database amounts to. Its row and origin are those of the database's: a
    branch that knows of the one drop knows of the other.
    """
    cause = next(item for item in database.operations if item.kind is OperationKind.DROP)
    drop = replace(cause, object_kind=ObjectKind.TABLE, object_id=object_id, changes=(), effects=None, metrics={})
    return ObjectChanges(
        ObjectKind.TABLE, object_id, operations=(drop,), dropped=True, versions={"drop": (drop.version,)}
    )


def undropped_with(changes: ObjectChanges, database: ObjectChanges | None) -> ObjectChanges:
    """The changes of a table that comes back with its database, or in another one."""
    if changes.undropped:
        return changes
    operations = () if database is None else database.operations
    cause = next((item for item in operations if item.kind is OperationKind.UNDROP), None)
    if cause is None:
        return replace(changes, undropped=True)
    begun = replace(
        cause, object_kind=ObjectKind.TABLE, object_id=changes.object_id, changes=(), effects=None, metrics={}
    )
    return replace(changes, undropped=True, operations=(begun, *changes.operations))


def _object_changes(key: ObjectKey, group: Sequence[Operation], restores: Restores) -> ObjectChanges | None:
    if _is_of_attributes(group):
        changes = _net(key, group)
        return changes if changes.operations else None
    steps = [operation for operation in group if operation.kind in LIFECYCLE]
    began = steps[0].kind if steps else None
    dropped = bool(steps) and steps[-1].kind is OperationKind.DROP
    if dropped and began is not OperationKind.DROP:
        return None
    if dropped:
        drop = steps[-1]
        return ObjectChanges(*key, operations=(drop,), dropped=True, versions={"drop": (drop.version,)})
    created, undropped = began is OperationKind.CREATE, began is OperationKind.UNDROP
    kept = [operation for operation in group if operation.kind not in LIFECYCLE]
    changes = _net(key, _absorb_data(kept, restores))
    if created or undropped:
        return replace(changes, operations=(steps[0], *changes.operations), created=created, undropped=undropped)
    return changes if changes.operations else None


def _row_changes(key: ObjectKey, group: Sequence[Operation], restores: Restores) -> ObjectChanges | None:
    """What was done to rows and partitions, behind the operations by which the object began and ended."""
    steps = tuple(item for item in group if item.kind in LIFECYCLE)
    rows = [_of_partitions(item) for item in group if item.is_data or item.kind is OperationKind.PARTITION]
    changes = _net(key, _absorb_data(rows, restores))
    left = (*steps, *changes.operations)
    return replace(changes, operations=left) if left else None


def _of_partitions(operation: Operation) -> Operation:
    changes = tuple(change for change in operation.changes if isinstance(change, PartitionChange))
    return _with_changes(operation, changes)


def _is_of_attributes(group: Sequence[Operation]) -> bool:
    return ATTRIBUTE_KINDS.issuperset([operation.kind for operation in group])


def _absorb_data(operations: Sequence[Operation], restores: Restores) -> list[Operation]:
    """Leave out data operations that a later full overwrite of the same side makes as good as never done. Of
    ``restores``, each is left out itself, with what it takes back of rows and partitions.
    """
    left = list(operations)
    for at in reversed(range(len(left))):
        taken_back = _taken_back(left[at], restores) if at < len(left) else None
        if taken_back is not None:
            left = [*_without(left[:at], taken_back, left[at]), *left[at + 1 :]]
    overwrites = [index for index, operation in enumerate(left) if is_full_overwrite(operation)]
    first = overwrites[-1] if overwrites else 0
    return [operation for index, operation in enumerate(left) if index >= first or not operation.is_data]


def _taken_back(operation: Operation, restores: Restores) -> TakenBack | None:
    then, origin = operation.metrics.get(RESTORED_VERSION), operation.origin
    if then is None or origin is None or not is_full_overwrite(operation):
        return None
    return restores.get((*origin, then))


def _without(operations: Sequence[Operation], taken_back: TakenBack, restore: Operation) -> Iterator[Operation]:
    for operation in operations:
        is_of_rows = operation.is_data or operation.kind is OperationKind.PARTITION
        if not (is_of_rows and taken_back.has(operation, restore)):
            yield operation


def _net(key: ObjectKey, operations: Sequence[Operation]) -> ObjectChanges:
    """Facts say what is left of attributes that changed often. Here each operation sets other ones than the others."""
    changes = [(index, change) for index, operation in enumerate(operations) for change in operation.changes]
    partitions = net_partitions((index, change) for index, change in changes if isinstance(change, PartitionChange))
    set_anew = [placed for placed in changes if not isinstance(placed[1], PartitionChange) and _sets(placed[1])]
    kept: dict[int, list[Change]] = {}
    for index, change in (*set_anew, *(step for taken in partitions.values() for step in taken)):
        kept.setdefault(index, []).append(change)
    survivors = tuple(
        _with_changes(operation, tuple(kept.get(index, ())))
        for index, operation in enumerate(operations)
        if operation.is_data or index in kept
    )
    placed = tuple(change for _, change in partitions)
    return changes_left(key, survivors, [change for _, change in set_anew], placed)


def changes_left(
    key: ObjectKey,
    operations: tuple[Operation, ...],
    changes: Sequence[Change],
    partitions: tuple[PartitionChange, ...],
) -> ObjectChanges:
    """``changes``: of attributes, what is left of each."""
    return ObjectChanges(
        *key,
        operations=operations,
        rename=next((change for change in reversed(changes) if isinstance(change, Rename)), None),
        properties={change.key: change for change in changes if isinstance(change, PropertyChange)},
        columns={(item.column_id, item.attribute): item for item in changes if isinstance(item, ColumnChange)},
        partitions=partitions,
        versions=versions_of(operations),
    )


def _sets(change: Change) -> bool:
    return change.before != change.after


def _with_changes(operation: Operation, changes: tuple[Change, ...]) -> Operation:
    return operation if operation.changes == changes else replace(operation, changes=changes)


def versions_of(operations: Iterable[Operation]) -> dict[str, tuple[int, ...]]:
    versions: dict[str, tuple[int, ...]] = {}
    for operation in operations:
        for axis in _axes(operation):
            known = versions.get(axis, ())
            versions[axis] = known if operation.version in known else (*known, operation.version)
    return versions


def _axes(operation: Operation) -> tuple[str, ...]:
    """The axes of an operation. Set and unset are two, so an ALTER of database properties has those of what is left."""
    if operation.object_kind is ObjectKind.DATABASE and operation.kind in _PROPERTIES:
        changes = [change for change in operation.changes if isinstance(change, PropertyChange)]
        kinds = [
            OperationKind.SET_PROPERTIES if change.after is not None else OperationKind.UNSET_PROPERTIES
            for change in changes
        ]
        return tuple(dict.fromkeys(kind.value for kind in kinds))
    axis = axis_of(operation)
    return () if axis is None else (axis,)
