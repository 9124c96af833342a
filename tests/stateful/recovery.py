"""RESTORE and UNDROP on the naive model: what they must leave behind, as a state and as entries of the branch's line.

A restore amounts to the alterations from the present to the past state, and to an overwrite where rows differ
(semantics §5). An object that is brought back begins as it was when it went.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from tests.stateful.model import (
    EVERYTHING,
    Branch,
    Change,
    Column,
    Database,
    Entry,
    RowWork,
    State,
    Table,
    Thing,
)

STAGED = 0
"""The origin of entries until the commit has a version."""

_COLUMN_ATTRIBUTES = ("name", "type", "nullable", "default", "initial")


@dataclass(frozen=True, slots=True)
class Recovery:
    """What would be committed. ``refusals`` are those of names and homes; with any, nothing is committed."""

    state: State
    entries: tuple[Entry, ...]
    refusals: frozenset[tuple[str, int, str]]

    def dated(self, version: int) -> list[Entry]:
        return [replace(entry, origin=version) for entry in self.entries]


def restored(branch: Branch, version: int, things: Collection[Thing]) -> Recovery:
    """The things as they were at a version of the branch."""
    then, state = branch.versions[version].state, branch.state
    entries: list[Entry] = []
    for thing in sorted(things):
        past, present = then.get(thing), state.get(thing)
        if past is None:
            if present is not None:
                state = state.without([thing])
                entries.append(Change(STAGED, thing, ("exists",), True, False))
            continue
        if present is None:
            entries.append(Change(STAGED, thing, ("exists",), False, True))
        known = present or last_state(branch, thing)
        state = state.with_object(_as_of(past, known))
        entries += _alterations(branch, thing, known, past)
        entries += _overwrite(thing, known, past, version)
    return _judged(branch, state, entries)


def undropped(branch: Branch, thing: Thing, name: str) -> Recovery:
    """A dropped thing as it was when it went, a database with the tables that went with it."""
    gone = last_state(branch, thing)
    items = [replace(gone, name=name)]
    if isinstance(gone, Database):
        items += [last_state(branch, member) for member in _members(branch, gone)]
    entries: list[Entry] = []
    state = branch.state
    for item in items:
        state = state.with_object(item)
        entries.append(Change(STAGED, item.thing, ("exists",), False, True))
    if name != gone.name:
        entries.append(Change(STAGED, thing, ("name",), gone.name, name))
    return _judged(branch, state, entries)


def undroppable(branch: Branch) -> list[Thing]:
    """What was dropped on the branch and has a place to come back to."""
    once = {thing for snapshot in branch.versions.values() for thing in snapshot.state.things()}
    gone = sorted(thing for thing in once if branch.state.get(thing) is None)
    return [thing for thing in gone if _has_home(branch, last_state(branch, thing))]


def last_state(branch: Branch, thing: Thing) -> Database | Table:
    """The thing as it was last seen on the branch."""
    found = branch.last(thing)
    assert found is not None
    return found


def _has_home(branch: Branch, item: Database | Table) -> bool:
    return isinstance(item, Database) or item.database_id in branch.state.databases


def _members(branch: Branch, database: Database) -> list[Thing]:
    """The tables that left the branch together with their database and did not come back."""
    numbers = sorted(branch.versions)
    seen = max(number for number in numbers if database.id in branch.versions[number].state.databases)
    state = branch.versions[seen].state
    tables = [table for table in state.tables.values() if table.database_id == database.id]
    return [
        table.thing
        for table in tables
        if branch.state.get(table.thing) is None and last_state(branch, table.thing) == table
    ]


def _as_of(past: Database | Table, known: Database | Table) -> Database | Table:
    """What merges made one column stays one."""
    if isinstance(past, Database) or isinstance(known, Database):
        return past
    columns = []
    for column in past.columns:
        present = known.column(column.id)
        columns.append(column if present is None else replace(column, aliases=present.aliases))
    return replace(past, columns=tuple(columns))


def _alterations(branch: Branch, thing: Thing, now: Database | Table, then: Database | Table) -> list[Entry]:
    pairs: list[tuple[tuple[object, ...], object, object]] = [(("name",), now.name, then.name)]
    pairs += [
        (("property", key), now.properties.get(key), then.properties.get(key))
        for key in (*now.properties, *then.properties)
    ]
    if isinstance(now, Table) and isinstance(then, Table):
        pairs.append((("database",), now.database_id, then.database_id))
        pairs += _column_pairs(branch, thing, now, then)
    changes = (Change(STAGED, thing, key, before, after) for key, before, after in pairs)
    return list(dict.fromkeys(change for change in changes if change.before != change.after))


def _column_pairs(
    branch: Branch, thing: Thing, now: Table, then: Table
) -> Iterable[tuple[tuple[object, ...], object, object]]:
    """A column that comes back begins as it was when it was dropped."""
    for column in now.columns:
        if then.column(column.id) is None:
            yield ("column", column.id, "exists"), column, None
    for column in then.columns:
        present = now.column(column.id)
        if present is None:
            present = _dropped_column(branch, thing, column)
            yield ("column", column.id, "exists"), None, present
        for attribute in _COLUMN_ATTRIBUTES:
            yield ("column", column.id, attribute), getattr(present, attribute), getattr(column, attribute)


def _dropped_column(branch: Branch, thing: Thing, column: Column) -> Column:
    # A merged drop of what was gone already has nothing before.
    drops = [
        entry.before
        for entry in branch.line
        if isinstance(entry, Change) and entry.thing == thing and entry.after is None and _is_of(column, entry.before)
    ]
    return drops[-1]


def _is_of(column: Column, known: object) -> bool:
    return isinstance(known, Column) and column.id in known.ids


def _overwrite(thing: Thing, now: Database | Table, then: Database | Table, version: int) -> list[Entry]:
    """Types become narrower, and older rows read otherwise, only together with all rows."""
    if isinstance(now, Database) or isinstance(then, Database):
        return []
    images = {(row.id, row.writer) for row in then.rows.values()}
    touched = tuple(row for row in now.rows.values() if (row.id, row.writer) not in images)
    pairs = [(other, column) for column in then.columns if (other := now.column(column.id)) is not None]
    is_reread = any((one.type, one.initial) != (other.type, other.initial) for one, other in pairs)
    if not touched and len(now.rows) == len(then.rows) and not is_reread:
        return []
    written = tuple(then.rows.values())
    return [RowWork(STAGED, thing, "overwrite", touched, written, EVERYTHING, restored=version)]


def _judged(branch: Branch, state: State, entries: list[Entry]) -> Recovery:
    """What lies in a database that goes, goes with it; names are unique, and a table needs a database."""
    refusals: set[tuple[str, int, str]] = set()
    touched = {entry.thing for entry in entries}
    for table in list(state.tables.values()):
        if table.database_id in state.databases:
            continue
        if table.thing in touched or branch.state.get(("database", table.database_id)) is None:
            refusals.add((*table.thing, "OBJECT_DROPPED_ON_DEST"))
        else:
            state = state.without([table.thing])
            entries.append(Change(STAGED, table.thing, ("exists",), True, False))
    claimed = {
        entry.thing
        for entry in entries
        if isinstance(entry, Change) and entry.key in {("name",), ("database",), ("exists",)} and entry.after
    }
    for holders in state.names().values():
        if len(holders) > 1:
            refusals |= {(*thing, "NAME_EXISTS") for thing in holders if thing in claimed}
    return Recovery(state, tuple(entries), frozenset(refusals))
