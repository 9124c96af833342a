"""MERGE BRANCH on the naive model: what the source did since both last agreed is redone on the destination (P1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.stateful.column_redo import Columns
from tests.stateful.model import EVERYTHING, Branch, Change, Column, Database, Entry, RowWork, State, Table, Thing
from tests.stateful.redo import Redo, Verdict
from tests.stateful.row_redo import Rows
from tests.stateful.sides import Known, Side, attribute_keys, in_scope


def merge(source: Branch, destination: Branch) -> Verdict:
    """What the merge must do; the branches stay as they are."""
    verdict = Verdict(is_empty=source.reach <= destination.reach, state=destination.state)
    back = _brought_back(source, destination)
    mine = Side.of(source, Known.by(destination, back))
    theirs = Side.of(destination, Known.by(source, back))
    for thing in sorted(mine.things()):
        _Object(thing, mine, theirs, verdict).redo()
    _dropped_databases(mine, verdict)
    _names(mine, destination.state, verdict)
    _restores(mine, theirs, verdict)
    verdict.entries = _redone_entries(mine, destination, verdict.state)
    return verdict


def _brought_back(source: Branch, destination: Branch) -> list[Thing]:
    """What the source has again and the destination had and has not. A drop and its undrop are nothing (P7): what the
    drop absorbed counts.
    """
    told = [entry.thing for entry in source.line if isinstance(entry, Change) and _brings_back(entry, destination)]
    return [thing for thing in dict.fromkeys(told) if source.state.get(thing) is not None]


def _brings_back(change: Change, destination: Branch) -> bool:
    is_news = change.key == ("exists",) and change.after and change.origin not in destination.reach
    return is_news and destination.state.get(change.thing) is None and destination.last(change.thing) is not None


def _redone_entries(mine: Side, destination: Branch, after: State) -> list[Entry]:
    """What the merge adds to the destination's line: only what is left of the source's changes is said there, of what
    is there all by which it came and went, of what is not there only that the merge itself took it away.
    """
    values = {(entry.thing, entry.key): entry.after for entry in destination.line if isinstance(entry, Change)}
    entries: list[Entry] = []
    for entry in mine.branch.line:
        if mine.known.has(entry):
            continue
        is_gone = after.get(entry.thing) is None or mine.branch.state.get(entry.thing) is None
        if is_gone and not (isinstance(entry, Change) and entry.key == ("exists",)):
            # A drop absorbs what precedes it (P7).
            continue
        if isinstance(entry, RowWork):
            if mine.is_left(entry):
                entries.append(_as_redone(entry, mine, destination, after))
        elif _is_told(entry, mine, destination.state, after):
            named = _named_here(entry, destination.state, after)
            before = values.get((named.thing, named.key), named.before)
            values[named.thing, named.key] = named.after
            is_drop = isinstance(before, Column) and named.after is None
            entries.append(named if is_drop else replace(named, before=before))
            entries += _given(entry, mine, destination, after)
    return entries


def _named_here(change: Change, before: State, after: State) -> Change:
    """The change under the id that the destination has a column under; an addition keeps its own."""
    here, there = before.get(change.thing), after.get(change.thing)
    if change.key[0] != "column" or not (isinstance(here, Table) and isinstance(there, Table)):
        return change
    if change.key[2] != "exists":
        column = there.column(change.key[1])
        return change if column is None else replace(change, key=("column", column.id, change.key[2]))
    gone = next((c for key in attribute_keys(change) if (c := here.column(key[1])) is not None), None)
    if change.after is not None or gone is None:
        return change
    return replace(change, key=("column", gone.id, "exists"), before=gone)


def _given(entry: Change, mine: Side, destination: Branch, after: State) -> Iterable[Change]:
    """What the addition of a column made of one that the destination had, but for what the source says apart."""
    here, there = destination.last(entry.thing), after.get(entry.thing)
    if not (isinstance(entry.after, Column) and isinstance(here, Table) and isinstance(there, Table)):
        return
    for column in there.columns:
        known = here.column(column.id)
        if known is None or entry.after.id not in column.ids:
            continue
        for attribute in ("name", "type", "nullable", "default", "initial"):
            before, made = getattr(known, attribute), getattr(column, attribute)
            if before != made and all(mine.net(entry.thing, "column", i, attribute) is None for i in column.ids):
                yield Change(entry.origin, entry.thing, ("column", column.id, attribute), before, made)


def _is_told(change: Change, mine: Side, before: State, after: State) -> bool:
    here, there = after.get(change.thing), mine.branch.state.get(change.thing)
    if change.key == ("exists",) and here is not None and there is not None:
        return any(change is step for step in mine.steps(change.thing))
    is_news = change.key != ("exists",) or here != before.get(change.thing)
    return is_news and any((change.thing, key) in mine.nets for key in attribute_keys(change))


def _as_redone(entry: RowWork, mine: Side, destination: Branch, after: State) -> RowWork:
    """Row work as it lies in the destination's line: it touched what it took away there, also of a table that was
    brought back, and rows that came with it; rows that the destination had taken away did not come.
    """
    here, there = destination.last(entry.thing), after.get(entry.thing)
    if not (isinstance(here, Table) and isinstance(there, Table)):
        return entry
    known = mine.known.of(entry.thing)
    rows, left = here.rows, there.rows
    gone = {row.id: row for row in rows.values() if left.get(row.id) is not row}
    new = {row.id: row for row in entry.touched if row.birth not in known}
    hit = {i: row for i, row in gone.items() if in_scope(row, [entry]) or any(t.id == i for t in entry.touched)}
    written = tuple(row for row in entry.written if row.birth not in known or row.id in left)
    spared = mine.arrived(entry.thing) if entry.scope is EVERYTHING else frozenset()
    touched = tuple((new | hit).values())
    found_nothing = bool(entry.touched) and not touched and not any(left.get(row.id) is row for row in entry.written)
    return replace(entry, touched=touched, written=written, spared=spared, found_nothing=found_nothing)


def _dropped_databases(mine: Side, verdict: Verdict) -> None:
    """What lies in a database goes with it, whatever was done to it, and nothing can be put into one that is gone."""
    orphans = [table for table in verdict.state.tables.values() if table.database_id not in verdict.state.databases]
    for table in orphans:
        if mine.dropped(("database", table.database_id)):
            verdict.required -= {item for item in verdict.required if item[:2] == table.thing}
        else:
            verdict.required.add(("table", table.id, "OBJECT_DROPPED_ON_DEST"))
    verdict.state = verdict.state.without(("table", table.id) for table in orphans)


def _names(mine: Side, before: State, verdict: Verdict) -> None:
    """Names are unique in the final state; what the source named yields to nothing and takes from nobody. What both
    brought back has the name that the destination gave it.
    """
    for holders in verdict.state.names().values():
        if len(holders) > 1:
            made = {thing for thing in holders if mine.created(thing) and before.get(thing) is None}
            present = {thing for thing in holders if mine.branch.state.get(thing) is not None}
            named = made | {thing for thing in present if mine.net(thing, "name") or mine.net(thing, "database")}
            verdict.required |= {(*thing, "NAME_EXISTS") for thing in named}


def _restores(mine: Side, theirs: Side, verdict: Verdict) -> None:
    """A restore that was nothing to the side that merged it is nothing to go by for one that knows half of what was
    taken back.
    """
    for restore in mine.branch.restores:
        for informed, other in ((mine, theirs), (theirs, mine)):
            if not informed.was_nothing(restore) or restore.origin in other.branch.reach:
                continue
            is_changed = informed is mine or bool(mine.works(restore.thing))
            has_table = theirs.branch.state.get(restore.thing) is not None and not mine.dropped(restore.thing)
            sides = mine.works(restore.thing), theirs.works(restore.thing)
            is_overtaken = bool(restore.overtaken & informed.branch.reach)
            is_moot = is_overtaken or any(work.empties_all for works in sides for work in works)
            if restore.took_back & other.branch.reach and is_changed and has_table and not is_moot:
                verdict.required.add((*restore.thing, "RESTORE_KNOWN_IN_PART"))


class _Object(Redo):
    """A database or table: whether it is there, its name, its properties, and what a table holds."""

    def redo(self) -> None:
        here, there = self.verdict.state.get(self.thing), self.mine.branch.state.get(self.thing)
        if here is None and self.mine.created(self.thing):
            # What both had is brought back as the destination had it.
            here = self.theirs.branch.last(self.thing)
            if here is None:
                self._new(there)
                return
        if there is None:
            if self.mine.dropped(self.thing) and here is not None:
                self.verdict.state = self.verdict.state.without([self.thing])
        elif here is None:
            if self._is_changed():
                self.conflict("OBJECT_DROPPED_ON_DEST")
        else:
            self._put(self._redone(here, there))

    def _new(self, item: Database | Table | None) -> None:
        if item is not None:
            self._put(item)

    def _is_changed(self) -> bool:
        return bool(self.mine.works(self.thing)) or any(thing == self.thing for thing, _ in self.mine.nets)

    def _put(self, item: Database | Table) -> None:
        self.verdict.state = self.verdict.state.with_object(item)

    def _redone(self, here: Any, there: Any) -> Database | Table:
        item = replace(here, properties=self._properties(here.properties))
        name, database = self.mine.net(self.thing, "name"), self.mine.net(self.thing, "database")
        item = replace(item, name=name.after) if name else item
        if isinstance(item, Database):
            return item
        item = replace(item, database_id=database.after) if database else item
        item = Columns(self.thing, self.mine, self.theirs, self.verdict).redone(item, there)
        return Rows(self.thing, self.mine, self.theirs, self.verdict).redone(item, there)

    def _properties(self, present: Mapping[str, str]) -> dict[str, str]:
        result = dict(present)
        for (thing, key), net in self.mine.nets.items():
            if thing != self.thing or key[0] != "property":
                continue
            other = self.theirs.net(thing, *key)
            if net.after is None and other is not None and other.after is None:
                self.conflict("UNSET_SAME_PROPERTY")
            result.pop(key[1], None)
            if net.after is not None:
                result[key[1]] = net.after
        return result
