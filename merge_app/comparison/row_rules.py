"""Conditions over old and new values, asked of changed rows by DuckDB in memory.

A condition is Spark SQL of a closed set of operators, in which Spark and DuckDB answer alike. What else it holds is
refused by name. DuckDB gets the values of the columns that it names, and reaches neither files nor network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from catalog_app.domain.plan_facts import RowFinding
from lakeui.common.errors import InvalidValue

LONGEST = 2000
"""Characters of a condition."""
SIDES = ("old", "new")
_KNOWN: tuple[type[exp.Expr], ...] = (
    *(exp.And, exp.Or, exp.Not, exp.Paren, exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE),
    *(exp.Is, exp.Null, exp.In, exp.Between, exp.Like, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs),
    *(exp.Coalesce, exp.Upper, exp.Lower, exp.Length, exp.Case, exp.If, exp.Greatest, exp.Least),
    *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean),
)
_PLAIN = (
    *("tinyint", "smallint", "int", "bigint", "byte", "short", "long", "integer", "decimal", "float", "double", "real"),
    *("boolean", "string", "varchar", "date", "timestamp", "timestamp_ntz", "timestamp_ltz"),
)
"""Types of which a rule compares values, without their parameters. Not CHAR: Spark pads what it compares with it."""


@dataclass(frozen=True, slots=True)
class RowPair:
    """A changed row by column names: as the target has it, and as the merge makes it; None where it is not there."""

    key: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None

    @property
    def change(self) -> str:
        if self.old is None:
            return "insert"
        return "delete" if self.new is None else "update"


def condition_check(condition: str) -> None:
    """Raises InvalidValue for what is no condition over ``old.column`` and ``new.column``, naming what is not known."""
    _read(condition)


def rule_ask(condition: str, changes: Sequence[str], rows: Sequence[RowPair], types: Mapping[str, str]) -> RowFinding:
    """Ask the condition of the rows that were changed so. ``types``: SQL types by the names of columns, folded."""
    asked = [row for row in rows if row.change in changes]
    try:
        return _ask(_read(condition), asked, types)
    except InvalidValue as refusal:
        return RowFinding(len(asked), problem=refusal.message)


def emptied_count(rows: Sequence[RowPair]) -> int:
    """How many values of rows that stay become NULL."""
    return sum(
        value is not None and row.new.get(name) is None
        for row in rows
        if row.old is not None and row.new is not None
        for name, value in row.old.items()
    )


def _read(condition: str) -> exp.Expr:
    if not 0 < len(condition.strip()) <= LONGEST:
        raise _wrong(f"A condition has 1 to {LONGEST} characters.", condition)
    try:
        found = sqlglot.parse_one(condition, read="spark")
    except SqlglotError as error:
        said = str(error).splitlines()[0]
        raise _wrong(f"The condition {condition} is not understood: {said}", condition) from None
    for part in found.walk():
        if not isinstance(part, _KNOWN):
            raise _wrong(f"A condition of a policy does not know {part.sql(dialect='spark')}.", condition)
        if isinstance(part, exp.Like) and "\\" in part.sql(dialect="spark"):
            # Spark escapes by it, DuckDB takes it as it is.
            raise _wrong(f"A backslash in {part.sql(dialect='spark')} is not known.", condition)
        if isinstance(part, exp.Column) and not _is_of_row(part):
            raise _wrong(f"The column {part.sql(dialect='spark')} is neither of old nor of new.", condition)
    return found


def _wrong(message: str, condition: str) -> InvalidValue:
    return InvalidValue(
        message,
        remedy="Write comparisons of old.column and new.column with AND, OR, NOT, IS NULL, IN, BETWEEN, LIKE, CASE,"
        " + - * /, abs, coalesce, upper, lower, length, greatest and least.",
        field="condition",
        condition=condition[:LONGEST],
    )


def _is_of_row(column: exp.Column) -> bool:
    return column.table.casefold() in SIDES and not column.db


def _ask(found: exp.Expr, rows: Sequence[RowPair], types: Mapping[str, str]) -> RowFinding:
    """DuckDB's answer. Values go in as texts, and are cast to the types of their columns."""
    columns: dict[tuple[str, str], str] = {}
    for column in list(found.find_all(exp.Column)):
        side, name = column.table.casefold(), column.name.casefold()
        kind = _kind(name, types)
        field = columns.setdefault((side, name), f"c{len(columns)}")
        column.replace(exp.Cast(this=exp.column(field), to=exp.DataType.build(kind, dialect="spark")))
    # A condition that is a column alone was replaced in its place only if it has a parent.
    if isinstance(found, exp.Column):
        field = columns[found.table.casefold(), found.name.casefold()]
        found = exp.Cast(this=exp.column(field), to=exp.DataType.build(_kind(found.name.casefold(), types), "spark"))
    if not rows:
        return RowFinding(0)
    table = pa.table({"n": pa.array(range(len(rows)), pa.int64()), **dict(_fields(columns, rows))})
    return _answer(found.sql(dialect="duckdb"), table, rows)


def _kind(name: str, types: Mapping[str, str]) -> str:
    kind = types.get(name)
    if kind is None:
        raise InvalidValue(f"there is no column {name}")
    if kind.partition("(")[0].casefold() not in _PLAIN:
        raise InvalidValue(f"the column {name} is {kind}, of which rules compare no values")
    return kind


def _fields(columns: Mapping[tuple[str, str], str], rows: Sequence[RowPair]) -> Iterator[tuple[str, pa.Array]]:
    for (side, name), field in columns.items():
        values = [_text((getattr(row, side) or {}).get(name)) for row in rows]
        yield field, pa.array(values, pa.string())


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _answer(condition: str, table: pa.Table, rows: Sequence[RowPair]) -> RowFinding:
    import duckdb

    limits: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "memory_limit": "256MB",
        "threads": "1",
    }
    with duckdb.connect(":memory:", config=limits) as connection:
        connection.register("changed", table)
        connection.execute("SET lock_configuration = true")
        try:
            answer = connection.execute(
                f"SELECT count(*), min(n) FROM changed WHERE ({condition}) IS NOT TRUE"
            ).fetchone()
        except duckdb.Error as error:
            return RowFinding(len(rows), problem=str(error).splitlines()[0])
    assert answer is not None
    count, first = answer
    return RowFinding(count, "" if first is None else _shown(rows[first]))


def _shown(row: RowPair) -> str:
    return f"row {row.key}"
