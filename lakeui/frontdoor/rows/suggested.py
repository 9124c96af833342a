"""Suggested values of cells as one UPDATE, which changes all of them or none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column, Schema
from catalog_app.models import Branch
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.sql.metadata_columns import ROW_ID
from lakeui.sql.parameters import parameters_read
from merge_app.review.errors import SuggestionOutdated
from merge_app.review.models import Comment


@dataclass(frozen=True, slots=True)
class Suggested:
    """The value that a cell is to have, and the one that it had when that was suggested. ``by``: who suggested it."""

    table_id: int
    row_key: str
    column_id: int
    was: Any
    value: Any
    by: str = ""

    @classmethod
    def of(cls, comment: Comment) -> Suggested:
        assert comment.object_id is not None
        assert comment.column_id is not None
        kept = comment.suggestion
        return cls(
            comment.object_id, comment.row_key, comment.column_id, kept.was, kept.value, comment.author.get_username()
        )


@dataclass(frozen=True, slots=True)
class SuggestedUpdate:
    """The statement, and the values of its markers."""

    statement: str
    parameters: dict[str, Any]


def suggested_update(branch: Branch, wanted: Sequence[Suggested], *, note: str = "") -> SuggestedUpdate:
    """The UPDATE of the table as the branch has it now. A cell that has another value by then keeps all of them as they
    are. ``note``: said at its end, with who suggested them.

    Raises SuggestionOutdated where the branch has no such cell any more, and InvalidValue for what cannot be suggested.
    """
    tables = {item.table_id for item in wanted}
    if len(tables) > 1:
        raise InvalidValue(
            "The suggestions are of several tables.", remedy="Apply those of one table at a time.", field="comments"
        )
    if len({(item.row_key, item.column_id) for item in wanted}) < len(wanted):
        raise InvalidValue("Two suggestions are of one cell.", remedy="Choose one of them.", field="comments")
    schema, label = _table(branch, tables.pop())
    if not schema.primary_key and len({item.row_key for item in wanted}) > 1:
        raise InvalidValue(
            "The suggestions are of several rows of a table without a primary key.",
            remedy="Apply those of one row at a time.",
            field="comments",
        )
    built = _Update(schema)
    for row_key in dict.fromkeys(item.row_key for item in wanted):
        built.row(row_key, [item for item in wanted if item.row_key == row_key])
    names = ", ".join(sorted({" ".join(item.by.split()) for item in wanted if item.by}))
    said = f" -- {note}: suggested by {names}" if note else ""
    parameters_read(built.parameters)
    return SuggestedUpdate(built.statement(label) + said, built.parameters)


def _table(branch: Branch, table_id: int) -> tuple[Schema, str]:
    snapshot = branch_snapshot(branch)
    table = tables_load(snapshot, [table_id]).get(table_id)
    if table is None or table.is_dropped:
        raise _outdated(f"The branch {branch.name} does not have the table any more.")
    database = databases_load(snapshot, [table.database_id])[table.database_id]
    return table.schema, f"{quote_name(database.name)}.{quote_name(table.name)}"


@dataclass
class _Update:
    schema: Schema
    parameters: dict[str, Any] = field(default_factory=dict)
    _values: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _rows: list[str] = field(default_factory=list)

    def row(self, row_key: str, wanted: Iterable[Suggested]) -> None:
        """Add what is wanted of one row."""
        is_row = self._named(row_key)
        are_as_before = []
        for item in wanted:
            column = self.schema.column(item.column_id)
            if column is None:
                raise _outdated("The branch does not have the column any more.")
            name = quote_name(column.name)
            self._values.setdefault(name, []).append((is_row, self._marker(column, item.value)))
            are_as_before.append(f"{name} <=> {self._marker(column, item.was)}")
        self._rows.append(" AND ".join([is_row, *are_as_before]))

    def _named(self, row_key: str) -> str:
        """The row by its primary key, or by its row id in a table without one."""
        if not self.schema.primary_key:
            return f"{ROW_ID} = {_row_id(self.schema, row_key)}"
        return " AND ".join(
            f"{quote_name(column.name)} <=> {self._marker(column, value)}"
            for column, value in _key(self.schema, row_key)
        )

    def statement(self, label: str) -> str:
        values = ", ".join(f"{name} = {self._value(name, given)}" for name, given in self._values.items())
        rows = " OR ".join(f"({row})" for row in self._rows)
        if len(self._rows) > 1:
            # All of them, or none.
            rows = f"({rows}) AND (SELECT count(*) FROM {label} WHERE {rows}) = {len(self._rows)}"
        return f"UPDATE {label} SET {values} WHERE {rows}"

    def _value(self, name: str, given: Sequence[tuple[str, str]]) -> str:
        if not self.schema.primary_key:
            return given[0][1]
        return f"CASE {' '.join(f'WHEN {row} THEN {value}' for row, value in given)} ELSE {name} END"

    def _marker(self, column: Column, value: Any) -> str:
        name = f"v{len(self.parameters) + 1}"
        self.parameters[name] = {"value": value, "type": column.type}
        return f":{name}"


def _row_id(schema: Schema, row_key: str) -> int:
    """The row id that comparisons call a row by where the table has no primary key."""
    if not row_key.isascii() or not row_key.isdecimal():
        if row_key.startswith("{"):
            raise _outdated("The table has no primary key on the branch.")
        raise InvalidValue(
            "This is no id of a row.", remedy="Send `key` of a row, as comparisons of rows name it.", field="row_key"
        )
    if schema.named(ROW_ID) is not None:
        raise InvalidValue(
            f"The table has a column {ROW_ID} and no primary key, so no statement names its rows.",
            remedy="Write what you mean in a comment, or add a primary key to the table.",
            field="suggestion",
        )
    return int(row_key)


def _key(schema: Schema, row_key: str) -> list[tuple[Column, Any]]:
    """The columns of the primary key and their values in the row, by the key as comparisons say it."""
    try:
        values = json.loads(row_key)
    except ValueError:
        values = None
    columns = [column for column in schema.columns if column.id in schema.primary_key]
    if not isinstance(values, dict):
        raise InvalidValue(
            "This is no key of a row.", remedy="Send `key` of a row, as comparisons of rows name it.", field="row_key"
        )
    if {column.name for column in columns} != values.keys():
        raise _outdated("The table has another primary key on the branch.")
    return [(column, values[column.name]) for column in columns]


def _outdated(message: str) -> LakeError:
    return SuggestionOutdated(message, remedy="Look at the row as it is now, and suggest anew.")
