"""The net facts of one side as changes of an object, which the rule tables judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from catalog_app.domain.operations import (
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Column
from catalog_app.domain.state import ObjectState, TableState
from catalog_app.domain.types import parse_identified
from lakeui.common.records import record
from merge_app.lineage.facts import NO_FACT, Fact, Key, column_of
from merge_app.planning.attribute_sides import version_of
from merge_app.planning.net_changes import LIFECYCLE, ObjectChanges, ObjectKey, changes_left

_OF_COLUMN = {
    "name": ColumnAttribute.NAME,
    "default": ColumnAttribute.DEFAULT,
    "comment": ColumnAttribute.COMMENT,
    "position": ColumnAttribute.POSITION,
}


@record(frozen=True, slots=True, eq=False)
class NetFacts:
    """The facts of an object on one side, and which of them are its net changes. ``state``: the side's own; ``ids``:
    by id of a column, the one that it has on the side, where that is another.
    """

    thing: ObjectKey
    facts: Mapping[Key, Fact]
    news: Mapping[Key, Fact]
    state: ObjectState | None
    makers: Mapping[int, tuple[int, str]]
    own: int | None = None
    ids: Mapping[int, int] = field(default_factory=dict)

    def changes(self, by_operations: ObjectChanges | None) -> ObjectChanges | None:
        """What the side did: to attributes by facts, to rows and partitions by operations. None: nothing."""
        if not self.news and by_operations is None:
            return None
        began = self.news.get(("exists",))
        if began is not None and not began.value:
            return self._dropped(began, by_operations)
        created = self._is_new
        undropped = began is not None and not created
        found = list(self._attributes())
        kept = _row_operations(by_operations) if by_operations is not None else ()
        started = self._started(began, by_operations) if created or undropped else ()
        operations = (*started, *sorted((*self._operations(found), *kept), key=_version))
        if not operations:
            return None
        partitions = by_operations.partitions if by_operations is not None else ()
        left = changes_left(self.thing, operations, [change for *_, change in found], partitions)
        return replace(left, created=created, undropped=undropped)

    def without_drop(self) -> NetFacts:
        """The rest of what the side did, where the other one brought the object back."""
        return replace(self, news={key: fact for key, fact in self.news.items() if key != ("exists",)})

    @property
    def _is_new(self) -> bool:
        """Whether the other side has no fact of the object."""
        began = self.news.get(("exists",))
        return began is not None and bool(began.value) and not began.past[-1][0]

    def _was(self, key: Key) -> Any:
        """Of several values that both sides know, the newest that is not the present one."""
        fact = self.facts.get(key, NO_FACT)
        if key not in self.news or not fact.past:
            return fact.value
        return next((value for _, value in reversed(fact.past) if value != fact.value), fact.past[-1][1])

    def _dropped(self, fact: Fact, by_operations: ObjectChanges | None) -> ObjectChanges:
        recorded = (
            [item for item in by_operations.operations if item.kind is OperationKind.DROP] if by_operations else []
        )
        drop = recorded[-1] if recorded else self._operation(OperationKind.DROP, fact.stamp)
        versions = {"drop": (drop.version,)}
        return ObjectChanges(*self.thing, operations=(drop,), dropped=True, versions=versions)

    def _started(self, fact: Fact | None, by_operations: ObjectChanges | None) -> tuple[Operation, ...]:
        for item in by_operations.operations if by_operations else ():
            if item.kind in (OperationKind.CREATE, OperationKind.UNDROP):
                return (item,)
        return (self._operation(OperationKind.UNDROP, fact.stamp),) if fact is not None else ()

    def _operation(self, kind: OperationKind, stamp: int, *changes: Change) -> Operation:
        branch_id, name = self.makers.get(stamp, (0, ""))
        version = version_of(stamp)
        origin = (branch_id, version) if branch_id and branch_id != self.own else None
        return Operation(kind, *self.thing, changes, version=version, branch=name, origin=origin)

    def _attributes(self) -> Iterator[tuple[int, OperationKind, Change]]:
        """The changes of attributes, with the stamp and the kind of the operation that made each."""
        stamps = [self.news[key].stamp for key in (("name",), ("home",)) if key in self.news]
        if stamps and not self._is_new:
            yield max(stamps), OperationKind.RENAME, Rename(self._named(self._was), self._named(self._value))
        for key, fact in self.news.items():
            if key[0] == "property":
                kind = OperationKind.UNSET_PROPERTIES if fact.value is None else OperationKind.SET_PROPERTIES
                yield fact.stamp, kind, PropertyChange(str(key[1]), self._was(key), fact.value)
        for stamp, change in self._columns().values():
            yield stamp, OperationKind.COLUMN, change

    def _value(self, key: Key) -> Any:
        return self.facts.get(key, NO_FACT).value

    def _named(self, value: Callable[[Key], Any]) -> ObjectName:
        database = value(("home",))
        return ObjectName(value(("name",)), None if database is None else database[1])

    def _columns(self) -> dict[tuple[int, ColumnAttribute], tuple[int, ColumnChange]]:
        changed = [(key, fact) for key, fact in self.news.items() if key[0] == "column"]
        if not changed or self.thing[0] is not ObjectKind.TABLE or self._is_new:
            return {}
        return {
            (change.column_id, change.attribute): (fact.stamp, change)
            for key, fact in changed
            for change in self._column(key, fact)
        }

    def _column(self, key: Key, fact: Fact) -> Iterator[ColumnChange]:
        column = column_of(key)
        of, was, value = key[2], self._was(key), fact.value
        exists: Key = ("column", column, "exists")
        if of == "exists":
            if was and value:
                yield ColumnChange(column, ColumnAttribute.INITIAL_DEFAULT, was[0], value[0])
            elif value:
                made = self._shown(column)
                yield ColumnChange(made.id, ColumnAttribute.EXISTS, None, made.as_json())
            else:
                yield ColumnChange(column, ColumnAttribute.EXISTS, self._column_of(column).as_json(), None)
        elif exists in self.news and not self._was(exists) and (of != "position" or self._is_last(column)):
            return
        elif of == "required":
            yield ColumnChange(column, ColumnAttribute.NULLABLE, not was, not value)
        elif of == "type":
            yield from _type_changes(column, was, value)
        elif of in _OF_COLUMN:
            yield ColumnChange(column, _OF_COLUMN[of], was, value)

    def _is_last(self, column: int) -> bool:
        """Whether only columns that came too stand behind it."""
        columns = self.state.schema.columns if isinstance(self.state, TableState) else ()
        ids = [item.id for item in columns]
        behind = ids[ids.index(column) + 1 :] if column in ids else []
        return all(("column", i, "exists") in self.news for i in behind)

    def _shown(self, column: int) -> Column:
        """The column as the side has it, under its id there."""
        schema = self.state.schema if isinstance(self.state, TableState) else None
        found = schema.column(self.ids.get(column, column)) or schema.column(column) if schema is not None else None
        return found or self._column_of(column)

    def _column_of(self, column: int) -> Column:
        """A column that is gone, as it was at last."""

        def value(of: str) -> Any:
            return self._was(("column", column, of))

        kind = value("type") or ""
        made = Column(column, value("name") or "", kind, nullable=not value("required"), default=value("default"))
        return made.with_fields(parse_identified(kind)) if "#" in kind else made

    def _operations(self, changes: Iterable[tuple[int, OperationKind, Change]]) -> Iterator[Operation]:
        """One for each commit and kind, as the journal has them."""
        grouped: dict[tuple[int, OperationKind], list[Change]] = defaultdict(list)
        for stamp, kind, change in changes:
            grouped[stamp, kind].append(change)
        for (stamp, kind), made in grouped.items():
            yield self._operation(kind, stamp, *made)


def _type_changes(column: int, was: Any, value: Any) -> Iterator[ColumnChange]:
    old, new = (item if item is not None and "#" in item else None for item in (was, value))
    if old is not None and new is not None:
        yield ColumnChange(column, ColumnAttribute.NESTED, old, new)
        return
    plain = (parse_identified(item).text if item is not None and "#" in item else item for item in (was, value))
    yield ColumnChange(column, ColumnAttribute.TYPE, *plain)
    if old is not None or new is not None:
        yield ColumnChange(column, ColumnAttribute.NESTED, old, new)


def _version(operation: Operation) -> int:
    return operation.version


def of_rows(changes: ObjectChanges) -> ObjectChanges | None:
    """Without the operations by which the object began and ended."""
    left = _row_operations(changes)
    return replace(changes, operations=left) if left else None


def _row_operations(changes: ObjectChanges) -> tuple[Operation, ...]:
    return tuple(item for item in changes.operations if item.kind not in LIFECYCLE)
