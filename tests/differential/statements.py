"""Statements of a history as values: each has the text that both sides run."""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.kinds import Kind, text


def behind(common: str, statement: str) -> str:
    """The statement behind common tables, if there are any."""
    return f"WITH {common} {statement}" if common else statement


@dataclass(frozen=True, slots=True)
class Create:
    table: str
    columns: tuple[tuple[str, Kind], ...]

    @property
    def text(self) -> str:
        columns = ", ".join(f"{name} {text(kind)}" for name, kind in self.columns)
        return f"CREATE TABLE {self.table} ({columns})"


@dataclass(frozen=True, slots=True)
class Replace:
    """A table that is there is replaced by an empty one with ``columns``, or by the rows of a ``query``."""

    table: str
    columns: tuple[tuple[str, Kind], ...] = ()
    query: str = ""

    @property
    def text(self) -> str:
        columns = ", ".join(f"{name} {text(kind)}" for name, kind in self.columns)
        return f"CREATE OR REPLACE TABLE {self.table} " + (f"AS {self.query}" if self.query else f"({columns})")


@dataclass(frozen=True, slots=True)
class Insert:
    """``rows`` of expressions, or else a ``query``; ``into`` is a list of columns in parentheses, or BY NAME.
    ``common`` are common tables that stand in front.
    """

    table: str
    rows: tuple[tuple[str, ...], ...] = ()
    query: str = ""
    into: str = ""
    common: str = ""

    @property
    def source(self) -> str:
        return self.query or "VALUES " + ", ".join(f"({', '.join(row)})" for row in self.rows)

    @property
    def text(self) -> str:
        insert = " ".join(part for part in ("INSERT INTO", self.table, self.into, self.source) if part)
        return behind(self.common, insert)


@dataclass(frozen=True, slots=True)
class Delete:
    table: str
    where: str = ""
    alias: str = "t"
    common: str = ""

    @property
    def text(self) -> str:
        where = f" WHERE {self.where}" if self.where else ""
        return behind(self.common, f"DELETE FROM {self.table} AS {self.alias}{where}")


@dataclass(frozen=True, slots=True)
class Update:
    table: str
    assignments: tuple[tuple[str, str], ...]
    where: str = ""
    alias: str = "t"
    common: str = ""

    @property
    def text(self) -> str:
        assigned = ", ".join(f"{column} = {value}" for column, value in self.assignments)
        where = f" WHERE {self.where}" if self.where else ""
        return behind(self.common, f"UPDATE {self.table} AS {self.alias} SET {assigned}{where}")


MATCHED, NOT_MATCHED, BY_SOURCE = "MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"


@dataclass(frozen=True, slots=True)
class Clause:
    """``action`` is UPDATE, INSERT or DELETE; ``assignments`` None stands for ``*``."""

    family: str
    condition: str
    action: str
    assignments: tuple[tuple[str, str], ...] | None = ()

    @property
    def text(self) -> str:
        condition = f" AND {self.condition}" if self.condition else ""
        return f"WHEN {self.family}{condition} THEN {self._action}"

    @property
    def _action(self) -> str:
        if self.action == "DELETE":
            return "DELETE"
        if self.assignments is None:
            return "UPDATE SET *" if self.action == "UPDATE" else "INSERT *"
        if self.action == "UPDATE":
            return "UPDATE SET " + ", ".join(f"{column} = {value}" for column, value in self.assignments)
        columns, values = zip(*self.assignments, strict=True)
        return f"INSERT ({', '.join(columns)}) VALUES ({', '.join(values)})"


@dataclass(frozen=True, slots=True)
class Merge:
    """Into ``table AS t`` from ``source AS s``."""

    table: str
    source: str
    on: str
    clauses: tuple[Clause, ...]

    @property
    def text(self) -> str:
        clauses = " ".join(clause.text for clause in self.clauses)
        return f"MERGE INTO {self.table} AS t USING {self.source} AS s ON {self.on} {clauses}"


@dataclass(frozen=True, slots=True)
class Optimize:
    table: str

    @property
    def text(self) -> str:
        return f"OPTIMIZE {self.table}"


@dataclass(frozen=True, slots=True)
class Add:
    """A column, or a field at a path of ``element``, ``value`` and names of fields."""

    table: str
    path: tuple[str, ...]
    kind: Kind

    @property
    def text(self) -> str:
        return f"ALTER TABLE {self.table} ADD COLUMN {'.'.join(self.path)} {text(self.kind)}"


@dataclass(frozen=True, slots=True)
class Drop:
    table: str
    path: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"ALTER TABLE {self.table} DROP COLUMN {'.'.join(self.path)}"


@dataclass(frozen=True, slots=True)
class Rename:
    table: str
    path: tuple[str, ...]
    name: str

    @property
    def text(self) -> str:
        return f"ALTER TABLE {self.table} RENAME COLUMN {'.'.join(self.path)} TO {self.name}"


@dataclass(frozen=True, slots=True)
class Widen:
    table: str
    path: tuple[str, ...]
    kind: Kind

    @property
    def text(self) -> str:
        return f"ALTER TABLE {self.table} ALTER COLUMN {'.'.join(self.path)} TYPE {text(self.kind)}"


@dataclass(frozen=True, slots=True)
class Move:
    """To the front, or behind the column ``after``."""

    table: str
    path: tuple[str, ...]
    after: str = ""

    @property
    def text(self) -> str:
        place = f"AFTER {self.after}" if self.after else "FIRST"
        return f"ALTER TABLE {self.table} ALTER COLUMN {'.'.join(self.path)} {place}"


Alter = Add | Drop | Rename | Widen | Move


@dataclass(frozen=True, slots=True)
class Query:
    text: str


@dataclass(frozen=True, slots=True)
class Find:
    """Which rows a condition holds for. Many are asked as one query."""

    table: str
    where: str
    key: str = "k"

    @property
    def text(self) -> str:
        return f"SELECT {self.key} AS found FROM {self.table} AS t WHERE {self.where}"


Change = Insert | Delete | Update | Merge | Optimize
Setup = Create | Replace | Change | Alter
Question = Query | Find
Statement = Setup | Question


@dataclass(frozen=True, slots=True)
class History:
    """``setup`` makes the state that each of ``trials`` changes on a branch of its own, and ``questions`` read."""

    seed: int
    setup: tuple[Setup, ...]
    trials: tuple[Change, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(statement.table for statement in self.setup if isinstance(statement, Create))
