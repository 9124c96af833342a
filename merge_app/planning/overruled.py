"""What the other side's later operations leave of one side's: attributes set anew, rows swept away (semantics P7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    COLUMN_FIELDS,
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectName,
    Operation,
    OperationKind,
    OverwriteScope,
    PartitionChange,
    PropertyChange,
    Rename,
)
from merge_app.planning.field_changes import field_settings, without_settings
from merge_app.planning.partition_paths import dropped_partitions, partition_renames
from merge_app.planning.surviving import restored_version

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
    for operation, is_theirs in reversed(operations):
        if operation.kind is OperationKind.PARTITION:
            later.rename(operation)
        if is_theirs:
            later.take(operation)
        elif not later.ends(operation):
            later.restore(operation)
            changes = tuple(later.as_begun(operation, item) for item in _not_overruled(operation, later.overruled))
            if changes or not operation.changes:
                own = operation if changes == operation.changes else replace(operation, changes=changes)
                kept.append(own)
    return tuple(reversed(kept))


@dataclass(slots=True)
class _Later:
    """What is known of the operations after one, as they are gone through from the last: by table, the ``overwrites``
    of the other side, and the own side's ``restores``, each as the version that it went back to and its own; the
    attributes that are ``overruled``; and of columns that the own side brought back what these begin with again where
    that is overruled.
    """

    overruled: set[tuple[Any, ...]] = field(default_factory=set)
    overwrites: dict[int, list[_Overwrite]] = field(default_factory=lambda: defaultdict(list))
    restores: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    begun: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)

    def as_begun(self, operation: Operation, change: Change) -> Change:
        """A change of the own side: the drop of a column as it came back later, in what is overruled by then."""
        if not isinstance(change, ColumnChange) or change.attribute is not ColumnAttribute.EXISTS:
            return change
        settings = _column_attributes(operation, change)
        if change.after is None:
            definition = dict(change.before)
            for setting in settings:
                definition |= self.begun.pop(setting, {})
            return replace(change, before=definition)
        for setting in settings:
            overruled = [item for item in COLUMN_FIELDS if (*setting[:-1], item) in self.overruled]
            self.begun[setting] = {item.value: change.after.get(item.value) for item in overruled}
        return change

    def rename(self, operation: Operation) -> None:
        """What comes before the rename of a partition knows it by its former name."""
        for change in partition_renames(operation):
            known = self.overwrites[operation.object_id]
            self.overwrites[operation.object_id] = [item.before(change) for item in known]

    def take(self, operation: Operation) -> None:
        """An operation of the other side."""
        self.overruled |= {name for change in operation.changes for name in _overruled(operation, change)}
        if operation.kind in _DROPS:
            self.overruled.add((*_thing(operation), "exists"))
        if operation.kind is OperationKind.OVERWRITE:
            scope = operation.overwrite or OverwriteScope()
            self.overwrites[operation.object_id].append(_Overwrite(operation.version, scope))

    def restore(self, operation: Operation) -> None:
        """An operation of the own side, which may be a restore."""
        version = restored_version(operation)
        if version is not None:
            self.restores[operation.object_id].append((version, operation.version))

    def overwrites_of(self, operation: Operation) -> Sequence[_Overwrite]:
        return self.overwrites[operation.object_id] if _is_on_rows(operation) else ()

    def ends(self, operation: Operation) -> bool:
        """Whether nothing is left of an operation of the own side."""
        if operation.kind in _DROPS:
            return (*_thing(operation), "exists") in self.overruled
        back = [(to, at) for to, at in self.restores[operation.object_id] if operation.version <= to]
        overwrites = self.overwrites_of(operation)
        return _is_swept(operation, [o for o in overwrites if not any(to < o.version < at for to, at in back)])


@dataclass(frozen=True, slots=True)
class _Overwrite:
    """What an overwrite takes away."""

    version: int
    scope: OverwriteScope

    def before(self, rename: PartitionChange) -> _Overwrite:
        """The same by the names that partitions had before one was renamed."""
        values = self.scope.partitions
        if values is None or not {rename.before, rename.after}.intersection(values):
            return self
        left = [item for item in values if item != rename.before]
        earlier = [rename.before] if rename.after in values and rename.before is not None else []
        return replace(self, scope=replace(self.scope, partitions=(*left, *earlier)))


def _is_on_rows(operation: Operation) -> bool:
    return operation.is_data or bool(_dropped_partitions(operation)) or bool(partition_renames(operation))


def _dropped_partitions(operation: Operation) -> set[PartitionValues]:
    """The partitions that an operation drops; none where it does anything else."""
    dropped = dropped_partitions(operation)
    return set(dropped) if len(dropped) == len(operation.changes) else set()


def _is_swept(operation: Operation, overwrites: Sequence[_Overwrite]) -> bool:
    """Whether later overwrites leave nothing of it: one of the whole table, or those of all partitions that it wrote
    over itself, or dropped.
    """
    later = [item.scope for item in overwrites]
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
    if change.attribute is ColumnAttribute.NESTED and not any(item[:-1] in overruled for item in attributes):
        return _left_of_fields(change, attributes, overruled)
    are_gone = [attribute in overruled or attribute[:-1] in overruled for attribute in attributes]
    # A column goes as a whole, but each id under which it is added may be news to another branch.
    return None if (any(are_gone) if _drops_column(change) else all(are_gone)) else change


def _left_of_fields(
    change: ColumnChange, attributes: Sequence[tuple[Any, ...]], overruled: Collection[tuple[Any, ...]]
) -> ColumnChange | None:
    """Fields are set one by one: what the other side did to others overrules nothing."""
    if change.before is None or change.after is None:
        return change
    settings = set(field_settings(change.before, change.after))
    # A field that the other side ended is not changed any more.
    gone = {
        (field_id, what)
        for field_id, what in settings
        if any((*item, field_id, each) in overruled for item in attributes for each in (what, "exists"))
    }
    if not gone:
        return change
    left = without_settings(change.before, change.after, gone)
    return None if left == change.before else replace(change, after=left)


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
    if change.attribute is ColumnAttribute.NESTED:
        settings = list(field_settings(change.before, change.after))
        return [(*attribute, *setting) for attribute in attributes for setting in settings]
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
