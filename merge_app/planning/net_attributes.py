"""The net of many changes of one object: first value before against last value after (semantics P7).

Every function takes changes with the index of their operation, in order, and answers those that are left, each with
the index of the last operation that had to do with it. What ends where it began is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    COLUMN_FIELDS,
    ColumnAttribute,
    ColumnChange,
    ObjectName,
    PartitionChange,
    PropertyChange,
    Rename,
)
from merge_app.planning.nested_columns import nested_after


def net_rename(changes: Iterable[tuple[int, Rename]]) -> list[tuple[int, Rename]]:
    """Name and database are two attributes, each from its first change to its last; of at least one change."""
    items = list(changes)
    index, last = items[-1]
    unchanged = [Rename(last.after, last.after)]
    named = [change for _, change in items if change.before.name != change.after.name] or unchanged
    moved = [change for _, change in items if change.before.database_id != change.after.database_id] or unchanged
    before = ObjectName(named[0].before.name, moved[0].before.database_id)
    after = ObjectName(named[-1].after.name, moved[-1].after.database_id)
    return [] if before == after else [(index, Rename(before, after))]


def net_properties(changes: Iterable[tuple[int, PropertyChange]]) -> list[tuple[int, PropertyChange]]:
    net: dict[str, tuple[int, PropertyChange]] = {}
    for index, change in changes:
        before = net[change.key][1].before if change.key in net else change.before
        net[change.key] = (index, PropertyChange(change.key, before, change.after))
    return [(index, change) for index, change in net.values() if change.before != change.after]


def net_columns(changes: Iterable[tuple[int, ColumnChange]]) -> list[tuple[int, ColumnChange]]:
    """An added column's later changes are folded into its addition."""
    net = _ColumnNet()
    for index, change in changes:
        net.take(index, change)
    return net.left()


class _ColumnNet:
    """Folds column changes: an added column's later changes into its addition, a dropped one's earlier into nothing.
    Of a column that merges made of several, each id begins and ends by itself, as the other side may know but one.
    """

    def __init__(self) -> None:
        self._net: dict[tuple[int, ColumnAttribute], tuple[int, Any, Any]] = {}

    def take(self, index: int, change: ColumnChange) -> None:
        if change.attribute is not ColumnAttribute.EXISTS:
            self._attribute(index, change)
        elif change.before is None:
            self._added(index, change)
        else:
            self._dropped(index, change)

    def left(self) -> list[tuple[int, ColumnChange]]:
        return [
            (index, ColumnChange(column_id, attribute, before, after))
            for (column_id, attribute), (index, before, after) in self._net.items()
            if before != after and not self._is_said(column_id, attribute, before, after)
        ]

    def _is_said(self, column_id: int, attribute: ColumnAttribute, before: Any, after: Any) -> bool:
        """Whether the same is said of the column under its first id."""
        if attribute is not ColumnAttribute.EXISTS:
            return False
        first = (before or after).get("id", column_id)
        known = self._net.get((first, attribute)) if first != column_id else None
        return known is not None and (known[1] is None) == (before is None) and (known[2] is None) == (after is None)

    def _attribute(self, index: int, change: ColumnChange) -> None:
        exists = self._net.get((change.column_id, ColumnAttribute.EXISTS))
        if change.attribute in COLUMN_FIELDS and exists is not None and exists[1] is None:
            added_at, _, definition = exists
            definition = {**definition, change.attribute.value: change.after}
            self._net[change.column_id, ColumnAttribute.EXISTS] = (added_at, None, definition)
            return
        key = (change.column_id, change.attribute)
        known = self._net.pop(key, None)
        if known is None:
            self._net[key] = (index, change.before, change.after)
        elif change.attribute is ColumnAttribute.NESTED:
            # The other side may have changed other fields in between: those are not this side's.
            self._net[key] = (index, known[1], nested_after(change.before, change.after, known[2]))
        else:
            self._net[key] = (index, known[1], change.after)

    def _added(self, index: int, change: ColumnChange) -> None:
        is_named = False
        for column_id in change.column_ids:
            known = self._net.pop((column_id, ColumnAttribute.EXISTS), None)
            if known is None or known[1] is None:
                self._net[column_id, ColumnAttribute.EXISTS] = (index, None, change.after)
                continue
            for attribute in () if is_named else COLUMN_FIELDS:
                before, after = known[1].get(attribute.value), change.after.get(attribute.value)
                self._net[column_id, attribute] = (index, before, after)
            is_named = True

    def _dropped(self, index: int, change: ColumnChange) -> None:
        ids = change.column_ids
        earlier = {key: self._net.pop(key) for key in list(self._net) if key[0] in ids}
        definition = dict(change.before)
        for (_, attribute), (_, before, _) in earlier.items():
            if attribute in COLUMN_FIELDS:
                definition[attribute.value] = before
        for column_id in ids:
            begun = earlier.get((column_id, ColumnAttribute.EXISTS))
            if begun is None or begun[1] is not None:
                self._net[column_id, ColumnAttribute.EXISTS] = (index, definition, None)


Placed = tuple[int, PartitionChange]
"""A change with the index of its operation."""


@dataclass(slots=True)
class _Partition:
    """A partition as it is called now: where it came from (None: the side added it) and what led to its name."""

    origin: PartitionValues | None
    steps: list[Placed]


def net_partitions(changes: Iterable[Placed]) -> dict[Placed, list[Placed]]:
    """The net changes, each with the changes that it sums up. A partition dropped and added again stays both: the rows
    that it had are gone.
    """
    present: dict[PartitionValues, _Partition] = {}
    dropped: dict[PartitionValues, list[Placed]] = {}
    for index, change in changes:
        if change.before is None:
            if change.after is not None:
                present.setdefault(change.after, _Partition(None, [(index, change)]))
            continue
        known = present.pop(change.before, None) or _Partition(change.before, [])
        known.steps.append((index, change))
        if change.after is not None:
            present[change.after] = known
        elif known.origin is not None:
            dropped[known.origin] = known.steps
    found = {(steps[-1][0], PartitionChange(values, None)): steps for values, steps in dropped.items()}
    for values, item in present.items():
        if item.origin != values:
            found[item.steps[-1][0], PartitionChange(item.origin, values)] = item.steps
    return found
