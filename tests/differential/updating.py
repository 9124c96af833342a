"""UPDATE and DELETE as queries of the rows that are left and of those that are new, for INSERT .. BY NAME."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.differential.altering import Column
from tests.differential.kinds import Kind, Struct
from tests.differential.statements import Delete, Update, behind


@dataclass(frozen=True, slots=True)
class Parts:
    """Queries of a statement: rows that are ``kept`` as they are, rows that are ``written``, and any row of what is
    ``forbidden`` refuses it.
    """

    kept: str
    written: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


def delete_parts(statement: Delete, table: str) -> Parts:
    kept = f"SELECT * FROM {table} AS {statement.alias} WHERE ({statement.where or 'true'}) IS NOT TRUE"
    return Parts(behind(statement.common, kept))


def update_parts(statement: Update, table: str, columns: Sequence[Column]) -> Parts:
    condition = f"({statement.where or 'true'})"
    values = assigned(columns, statement.assignments, statement.alias)
    rows = f"FROM {table} AS {statement.alias} WHERE {condition}"
    kept, written = f"SELECT * {rows} IS NOT TRUE", f"SELECT {values} {rows}"
    return Parts(behind(statement.common, kept), (behind(statement.common, written),))


def assigned(columns: Sequence[Column], assignments: Sequence[tuple[str, str]], alias: str) -> str:
    """Every column of a row after SET. A field that is set makes its struct anew around it."""
    return ", ".join(f"{_value(column, assignments, alias)} AS {column.name}" for column in columns)


def _value(column: Column, assignments: Sequence[tuple[str, str]], alias: str) -> str:
    given = {tuple(target.split(".")): value for target, value in assignments}
    kept = f"{alias}.{column.name}"
    inner = {path[1:]: value for path, value in given.items() if path[0] == column.name}
    return _within(column.kind, kept, inner)


def _within(kind: Kind, kept: str, given: dict[tuple[str, ...], str]) -> str:
    if not given:
        return kept
    if () in given:
        return "NULL" if given[()].upper() == "DEFAULT" else given[()]
    assert isinstance(kind, Struct)
    parts = [
        f"'{name}', {_within(inner, f'{kept}.{name}', {p[1:]: v for p, v in given.items() if p[0] == name})}"
        for name, inner in kind.fields
    ]
    return f"named_struct({', '.join(parts)})"
