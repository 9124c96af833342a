"""A naive lake, written from the semantics alone: whole tables in memory, one snapshot per version, and per branch the
line of everything that was ever done on it.

Nothing here knows of files beyond what rules A1 and A3 need: which rows were written together. The planner, the
engine and the metadata under test are not imported.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Thing = tuple[str, int]
"""("database" | "table", the product's id of it)."""

Origin = int
"""The version of the commit that first did something."""

Partition = tuple[Any, ...]
Predicate = Callable[[Mapping[str, Any]], bool]

INTEGERS = ("smallint", "int", "bigint")
TEXTS = ("varchar(3)", "varchar(9)", "string")


def widens(present: str, wanted: str) -> bool:
    """A6.1, for the types that histories use."""
    return any(present in family and wanted in family[family.index(present) :] for family in (INTEGERS, TEXTS))


@dataclass(frozen=True, slots=True)
class Column:
    """``initial`` is what rows written before the column existed read as."""

    id: int
    name: str
    type: str
    nullable: bool = True
    default: Any = None
    initial: Any = None
    aliases: tuple[int, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        return (self.id, *self.aliases)


@dataclass(frozen=True, slots=True)
class Row:
    """One image of a row. ``birth`` is the commit that first wrote the row, ``writer`` the one that wrote this image,
    ``previous`` the image before; ``file`` is shared by images that were written together.
    """

    id: int
    values: Mapping[int, Any]
    partition: Partition
    file: int
    birth: Origin
    writer: Origin
    previous: Row | None = None


@dataclass(frozen=True, slots=True)
class Database:
    id: int
    name: str
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def thing(self) -> Thing:
        return ("database", self.id)


@dataclass(frozen=True, slots=True)
class Table:
    """``blurs`` are the versions after which files were rewritten behind the rows (compaction, discarded images): with
    one, A1 and A3 are only certain where both sides touched the same row.
    """

    id: int
    database_id: int
    name: str
    columns: tuple[Column, ...]
    partition_by: tuple[int, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[int, Row] = field(default_factory=dict)
    blurs: frozenset[Origin] = frozenset()

    @property
    def thing(self) -> Thing:
        return ("table", self.id)

    def column(self, column_id: int) -> Column | None:
        return next((column for column in self.columns if column_id in column.ids), None)

    def named(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def read(self, row: Row) -> dict[str, Any]:
        return {column.name: _value(column, row) for column in self.columns}

    def content(self) -> list[dict[str, Any]]:
        return [self.read(row) for row in self.rows.values()]


def _value(column: Column, row: Row) -> Any:
    return next((row.values[i] for i in column.ids if i in row.values), column.initial)


@dataclass(frozen=True, slots=True)
class State:
    """What a branch holds at one version: valid objects only."""

    databases: Mapping[int, Database] = field(default_factory=dict)
    tables: Mapping[int, Table] = field(default_factory=dict)

    def with_table(self, table: Table) -> State:
        return replace(self, tables={**self.tables, table.id: table})

    def with_database(self, database: Database) -> State:
        return replace(self, databases={**self.databases, database.id: database})

    def with_object(self, item: Database | Table) -> State:
        return self.with_database(item) if isinstance(item, Database) else self.with_table(item)

    def get(self, thing: Thing) -> Database | Table | None:
        kind, identifier = thing
        return self.databases.get(identifier) if kind == "database" else self.tables.get(identifier)

    def things(self) -> set[Thing]:
        return {item.thing for item in (*self.databases.values(), *self.tables.values())}

    def names(self) -> dict[tuple[int | None, str], list[Thing]]:
        """Who bears each name, by the database that it is of."""
        found: dict[tuple[int | None, str], list[Thing]] = {}
        for database in self.databases.values():
            found.setdefault((None, database.name), []).append(database.thing)
        for table in self.tables.values():
            found.setdefault((table.database_id, table.name), []).append(table.thing)
        return found

    def without(self, things: Iterable[Thing]) -> State:
        gone = set(things)
        return State(
            {i: database for i, database in self.databases.items() if ("database", i) not in gone},
            {i: table for i, table in self.tables.items() if ("table", i) not in gone},
        )

    def full_name(self, table: Table) -> str:
        return f"{self.databases[table.database_id].name}.{table.name}"


@dataclass(frozen=True, slots=True)
class Change:
    """An attribute of a thing set from one value to another. ``key`` ("exists",) tells creation and drop."""

    origin: Origin
    thing: Thing
    key: tuple[Any, ...]
    before: Any
    after: Any


EVERYTHING = None
"""The scope of a full overwrite."""


@dataclass(frozen=True, slots=True)
class RowWork:
    """What a statement did to rows: ``kind`` insert, delete, update, overwrite, partition or compaction; ``touched``
    the images that it took away; ``scope`` the partitions that it emptied first, EVERYTHING for the whole table.
    ``spared`` are the ids of rows that a merge left alone when it redid the emptying; ``restored`` is the version that
    a RESTORE went back to. ``found_nothing``: redone by a merge, it met none of its rows.
    """

    origin: Origin
    thing: Thing
    kind: str
    touched: tuple[Row, ...] = ()
    written: tuple[Row, ...] = ()
    scope: frozenset[Partition] | None = frozenset()
    spared: frozenset[int] = frozenset()
    restored: int | None = None
    found_nothing: bool = False

    @property
    def empties_all(self) -> bool:
        return self.kind == "overwrite" and self.scope is EVERYTHING


Entry = Change | RowWork


def _ends_rows(entry: Entry) -> bool:
    """Whether nothing is left of the rows that a table had before."""
    if isinstance(entry, RowWork):
        return entry.empties_all
    return entry.key == ("exists",) and entry.after is None


@dataclass(frozen=True, slots=True)
class Snapshot:
    state: State
    line: int
    reach: frozenset[Origin]
    is_merge: bool = False


@dataclass(frozen=True, slots=True)
class Restore:
    """A RESTORE of a table on a branch, and the commits whose work on its rows it took back. ``overtaken``: the later
    versions of that branch that overwrote the whole table, or dropped it, be it by a merge.
    """

    branch: str
    origin: Origin
    thing: Thing
    took_back: frozenset[Origin]
    overtaken: set[Origin] = field(default_factory=set)


class Branch:
    """A line of entries, the state they led to, and every commit that the head reaches (P6). ``transaction``: the id
    of the open one whose statements it stands for. ``restores`` are those of all branches of the lake.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = State()
        self.line: list[Entry] = []
        self.reach: frozenset[Origin] = frozenset()
        self.versions: dict[int, Snapshot] = {}
        self.head = 0
        self.transaction: str | None = None
        self.restores: list[Restore] = []

    def cut(self, name: str, version: int) -> Branch:
        """A new branch that begins as this one was at a version."""
        snapshot = self.versions[version]
        child = Branch(name)
        child.state, child.reach, child.head = snapshot.state, snapshot.reach, version
        child.line = self.line[: snapshot.line]
        child.restores = self.restores
        child.versions = {number: kept for number, kept in self.versions.items() if number <= version}
        return child

    def commit(
        self, version: int, state: State, entries: Iterable[Entry], reach: frozenset[Origin] = frozenset()
    ) -> None:
        assert version > self.head
        self.state, self.head = state, version
        for entry in entries:
            for restore in self.restores if _ends_rows(entry) else ():
                if (restore.branch, restore.thing) == (self.name, entry.thing):
                    restore.overtaken.add(version)
            if isinstance(entry, RowWork) and entry.restored is not None and entry.origin == version:
                since = self.line[self.versions[entry.restored].line :]
                works = (work for work in since if isinstance(work, RowWork) and work.thing == entry.thing)
                self.restores.append(Restore(self.name, version, entry.thing, frozenset(w.origin for w in works)))
            self.line.append(entry)
        self.reach = self.reach | reach | {version}
        self.versions[version] = Snapshot(state, len(self.line), self.reach, is_merge=bool(reach))

    def last(self, thing: Thing) -> Database | Table | None:
        """A thing as it was last seen here, None where it never was."""
        for version in sorted(self.versions, reverse=True):
            found = self.versions[version].state.get(thing)
            if found is not None:
                return found
        return None


class Model:
    """What statements do to branches. Every method takes the version that the product gave the commit."""

    def __init__(self) -> None:
        self.branches = {"main": Branch("main")}
        self._numbers = itertools.count(1)

    def number(self) -> int:
        """A fresh id for a column, a row or a file."""
        return next(self._numbers)

    def create_branch(self, name: str, parent: str, version: int) -> None:
        self.branches[name] = self.branches[parent].cut(name, version)

    def commit_workspace(self, branch: Branch, version: int, workspace: Branch) -> None:
        """All that a transaction did, as if one commit had done it."""
        known: dict[int, Row] = {}

        def dated(row: Row) -> Row:
            if row.writer <= branch.head:
                return row
            if id(row) not in known:
                birth = version if row.birth > branch.head else row.birth
                previous = dated(row.previous) if row.previous is not None else None
                known[id(row)] = replace(row, birth=birth, writer=version, previous=previous)
            return known[id(row)]

        entries: list[Entry] = []
        for entry in workspace.line[len(branch.line) :]:
            if isinstance(entry, RowWork):
                touched, written = (tuple(dated(row) for row in rows) for rows in (entry.touched, entry.written))
                entries.append(replace(entry, origin=version, touched=touched, written=written))
            else:
                entries.append(replace(entry, origin=version))
        tables = {
            i: replace(table, rows={key: dated(row) for key, row in table.rows.items()})
            for i, table in workspace.state.tables.items()
        }
        branch.commit(version, replace(workspace.state, tables=tables), entries)

    # -- objects ----------------------------------------------------------------------------------------------------

    def create(self, branch: Branch, version: int, created: Database | Table) -> None:
        change = Change(version, created.thing, ("exists",), False, True)
        branch.commit(version, branch.state.with_object(created), [change])

    def drop(self, branch: Branch, version: int, thing: Thing) -> None:
        """A dropped database takes its tables along."""
        gone = [thing]
        if thing[0] == "database":
            gone += [("table", t.id) for t in branch.state.tables.values() if t.database_id == thing[1]]
        entries = [Change(version, item, ("exists",), True, False) for item in gone]
        branch.commit(version, branch.state.without(gone), entries)

    def rename_database(self, branch: Branch, version: int, database: Database, name: str) -> None:
        change = Change(version, ("database", database.id), ("name",), database.name, name)
        branch.commit(version, branch.state.with_database(replace(database, name=name)), [change])

    def rename_table(self, branch: Branch, version: int, table: Table, database_id: int, name: str) -> None:
        """Name and database are two attributes: one side may rename what the other moves."""
        thing = ("table", table.id)
        changes = [
            Change(version, thing, ("name",), table.name, name),
            Change(version, thing, ("database",), table.database_id, database_id),
        ]
        moved = replace(table, name=name, database_id=database_id)
        branch.commit(version, branch.state.with_table(moved), [c for c in changes if c.before != c.after])

    def set_property(self, branch: Branch, version: int, owner: Database | Table, key: str, value: str | None) -> None:
        """``value`` None unsets."""
        properties = {k: v for k, v in owner.properties.items() if k != key}
        if value is not None:
            properties[key] = value
        change = Change(version, owner.thing, ("property", key), owner.properties.get(key), value)
        branch.commit(version, branch.state.with_object(replace(owner, properties=properties)), [change])

    # -- columns ----------------------------------------------------------------------------------------------------

    def add_column(self, branch: Branch, version: int, table: Table, column: Column) -> None:
        change = Change(version, ("table", table.id), ("column", column.id, "exists"), None, column)
        widened = replace(table, columns=(*table.columns, column))
        branch.commit(version, branch.state.with_table(widened), [change])

    def drop_column(self, branch: Branch, version: int, table: Table, column: Column) -> None:
        change = Change(version, ("table", table.id), ("column", column.id, "exists"), column, None)
        narrowed = replace(table, columns=tuple(item for item in table.columns if item.id != column.id))
        branch.commit(version, branch.state.with_table(narrowed), [change])

    def alter_column(
        self, branch: Branch, version: int, table: Table, column: Column, attribute: str, value: Any
    ) -> None:
        before = getattr(column, attribute)
        change = Change(version, ("table", table.id), ("column", column.id, attribute), before, value)
        altered = replace(column, **{attribute: value})
        columns = tuple(altered if item.id == column.id else item for item in table.columns)
        branch.commit(version, branch.state.with_table(replace(table, columns=columns)), [change])

    # -- rows -------------------------------------------------------------------------------------------------------

    def insert(self, branch: Branch, version: int, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        written = self._new_rows(table, version, rows)
        self._commit_rows(branch, table, RowWork(version, ("table", table.id), "insert", (), written))

    def delete(self, branch: Branch, version: int, table: Table, matched: Sequence[Row]) -> None:
        self._commit_rows(branch, table, RowWork(version, ("table", table.id), "delete", tuple(matched)))

    def update(
        self, branch: Branch, version: int, table: Table, matched: Sequence[Row], column: Column, value: Any
    ) -> None:
        images = self._images(version, table, matched, column, value)
        self._commit_rows(branch, table, RowWork(version, ("table", table.id), "update", tuple(matched), images))

    def _images(
        self, version: int, table: Table, matched: Sequence[Row], column: Column, value: Any
    ) -> tuple[Row, ...]:
        images = []
        for row in matched:
            values = {item.id: table.read(row)[item.name] for item in table.columns} | {column.id: value}
            partition = tuple(values[i] for i in table.partition_by)
            images.append(Row(row.id, values, partition, 0, row.birth, version, row))
        return self._filed(images)

    def merge_into(
        self,
        branch: Branch,
        version: int,
        table: Table,
        *,
        updated: tuple[Sequence[Row], Column, Any],
        deleted: Sequence[Row],
        inserted: Sequence[Mapping[str, Any]],
    ) -> None:
        """The update, the delete and the insert that a MERGE amounts to, as one commit."""
        images = self._images(version, table, *updated)
        works = [
            RowWork(version, ("table", table.id), "update", tuple(updated[0]), images),
            RowWork(version, ("table", table.id), "delete", tuple(deleted)),
            RowWork(version, ("table", table.id), "insert", (), self._new_rows(table, version, inserted)),
        ]
        self._commit_rows(branch, table, *(work for work in works if work.touched or work.written))

    def overwrite(
        self,
        branch: Branch,
        version: int,
        table: Table,
        scope: frozenset[Partition] | None,
        rows: Sequence[Mapping[str, Any]],
        kind: str = "overwrite",
    ) -> None:
        """Empty the scope, then write rows. TRUNCATE has none; so has DROP PARTITION, whose kind is ``partition``."""
        touched = tuple(row for row in table.rows.values() if scope is EVERYTHING or row.partition in scope)
        written = self._new_rows(table, version, rows)
        self._commit_rows(branch, table, RowWork(version, ("table", table.id), kind, touched, written, scope))

    def compact(self, branch: Branch, version: int, table: Table) -> None:
        work = RowWork(version, ("table", table.id), "compaction")
        branch.commit(version, branch.state.with_table(replace(table, blurs=table.blurs | {branch.head})), [work])

    def _new_rows(self, table: Table, version: int, rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
        made = []
        for row in rows:
            values = {column.id: row.get(column.name, column.default) for column in table.columns}
            partition = tuple(values[i] for i in table.partition_by)
            made.append(Row(self.number(), values, partition, 0, version, version))
        return self._filed(made)

    def _filed(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """One file per partition value."""
        files: dict[Partition, int] = {}
        return tuple(replace(row, file=files.setdefault(row.partition, self.number())) for row in rows)

    @staticmethod
    def _commit_rows(branch: Branch, table: Table, *works: RowWork) -> None:
        gone = {row.id for work in works for row in work.touched}
        kept = {i: row for i, row in table.rows.items() if i not in gone}
        rows = kept | {row.id: row for work in works for row in work.written}
        branch.commit(works[0].origin, branch.state.with_table(replace(table, rows=rows)), works)
