"""Statements: each changes the facts of a state under one stamp and leaves all others alone (§1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tests.reference.facts import Refused, RowId, Scope
from tests.reference.stamps import Stamp
from tests.reference.state import State

Statement = Callable[[State, Stamp], None]


class NewRow(NamedTuple):
    key: Any
    """The primary key; it takes the row id's place in a table that has one (R10)."""
    cells: dict[str, Any]
    """By column name."""
    partition: str


def journal(state: State, stamp: Stamp, t: str, kind: str, **of: Any) -> None:
    state.journal.append(Scope(stamp, t, kind, state.known, **of))


def put_attributes(o: str, **values: Any) -> Statement:
    """CREATE, DROP, UNDROP, RENAME, SET, UNSET, and ADD, DROP, ALTER COLUMN. `column__c__name` is one key."""

    def run(state: State, stamp: Stamp) -> None:
        for key, value in values.items():
            state.put(o, tuple(key.split("__")), value, stamp, "set")

    return run


def insert(t: str, rows: Sequence[NewRow], kind: str = "insert") -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        columns = state.columns(t)
        for key, cells, part in rows:
            state.inserted += 1
            row_id = RowId(stamp.version, part, state.inserted)
            r = key if state.is_keyed(t) else row_id
            if state.value(t, "row", r) is not None:
                raise Refused("DUPLICATE_KEY")
            image = tuple((c, cells.get(column.name, column.default)) for c, column in columns.items())
            state.put(t, ("row", r), image, stamp, kind)
            state.put(t, ("partition", r), part, stamp, kind)
            if state.is_keyed(t):
                state.put(t, ("id", r), row_id, stamp, kind)

    return run


def change_key(t: str, old: Any, new: Any) -> Statement:
    """UPDATE of a primary key: the old key is deleted, the new one inserted, and the row keeps its id (R14)."""

    def run(state: State, stamp: Stamp) -> None:
        was = state.value(t, "row", old)
        if was is None:
            return
        if state.value(t, "row", new) is not None:
            raise Refused("DUPLICATE_KEY")
        image = tuple((c, column.read(was, c)) for c, column in state.columns(t).items())
        state.put(t, ("row", new), image, stamp, "insert")
        for of in ("partition", "id"):
            state.put(t, (of, new), state.value(t, of, old), stamp, "insert")
        state.put(t, ("row", old), None, stamp, "delete")

    return run


def update(t: str, where: Callable[[Any], bool], cells: dict[str, Any], part: str | None = None) -> Statement:
    """`part`: the partition that the rows are moved to."""

    def run(state: State, stamp: Stamp) -> None:
        columns, hit = state.columns(t), [r for r in state.rows(t) if where(r)]
        for r in hit:
            old = state.value(t, "row", r)
            image = tuple((c, cells.get(col.name, col.read(old, c))) for c, col in columns.items())
            state.put(t, ("row", r), image, stamp, "update")
            if part not in (None, state.partition(t, r)):
                state.put(t, ("partition", r), part, stamp, "update")
        if hit:
            journal(state, stamp, t, "update")

    return run


def delete(t: str, where: Callable[[Any], bool]) -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        hit = [r for r in state.rows(t) if where(r)]
        for r in hit:
            state.put(t, ("row", r), None, stamp, "delete")
        if hit:
            journal(state, stamp, t, "delete")

    return run


def overwrite(t: str, partition: str | None, rows: Sequence[NewRow] = (), kind: str = "overwrite") -> Statement:
    """INSERT OVERWRITE, TRUNCATE, DROP PARTITION: what is in the scope goes, seen or not.

    What it writes is of the same kind as what it takes away.
    """

    def run(state: State, stamp: Stamp) -> None:
        for r in state.in_scope(t, partition):
            state.put(t, ("row", r), None, stamp, "overwrite")
        journal(state, stamp, t, kind, partition=partition)
        if kind == "drop partition" and state.value(t, "declared", partition):
            state.put(t, ("declared", partition), None, stamp, "set")
        insert(t, rows, "overwrite")(state, stamp)

    return run


def add_partition(t: str, partition: str) -> Statement:
    """ADD PARTITION declares a partition that needs no rows (R15)."""

    def run(state: State, stamp: Stamp) -> None:
        if state.has_partition(t, partition):
            raise Refused("PARTITION_EXISTS")
        state.put(t, ("declared", partition), True, stamp, "set")

    return run


def rename_partition(t: str, old: str, new: str) -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        if not state.has_partition(t, old) or state.has_partition(t, new):
            raise Refused("PARTITION_EXISTS")
        if state.value(t, "declared", old):
            state.put(t, ("declared", old), None, stamp, "set")
            state.put(t, ("declared", new), True, stamp, "set")
        for r in state.in_scope(t, old):
            state.put(t, ("partition", r), new, stamp, "move")
        journal(state, stamp, t, "rename partition", partition=old, to=new)

    return run


def restore(then: State, objects: Sequence[str] | None = None) -> Statement:
    """RESTORE is its changes: each fact that differs gets its value then, and remembers the fact that it brings back.

    What did not exist then is taken away; its attributes stay (R7).
    """

    def run(state: State, stamp: Stamp) -> None:
        for o in list(state.facts) if objects is None else objects:
            keys = state.facts[o] if then.value(o, "exists") else [("exists",)]
            for key in list(keys):
                if not then.has(o, key) and then.value(o, *key) is None:
                    continue
                old, now = then.fact(o, *key), state.fact(o, *key)
                # What an overwrite wrote differs, also where it wrote the row as it was.
                is_rewritten = now.kind == "overwrite" and now.value is not None and now.stamp != old.stamp
                if old.value != now.value or is_rewritten:
                    state.put(o, key, old.value, stamp, "restore", old.brings or (old.stamp, old.kind))
            journal(state, stamp, o, "restore", then=then.known)

    return run
