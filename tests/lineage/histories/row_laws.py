"""Laws 7 and 8 by what the statements of a history did to rows: who changed a row last, and which branch knows it.

A number stands for a statement, or for a merge that may have decided something. It is no model of merging: it says
only whose row must be there.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from catalog_app.domain.checks import condition_shown
from catalog_app.domain.generated import generated_values
from catalog_app.domain.schema import Schema
from catalog_app.domain.types import Field, ParsedType
from tests.lineage.histories.history import History, Law, Merged
from tests.lineage.histories.states import Cells, Shown, State, same_column
from tests.support.expressions import evaluate

Row = tuple[int, int]
"""Number of the table, and the row's id."""
SWEEPS = re.compile(r"OVERWRITE|TRUNCATE|DROP PARTITION|OR REPLACE TABLE")
UNDONE = re.compile(r"DROP TABLE|DROP DATABASE|UNDROP|RESTORE (DATABASE|BRANCH|MERGE)")
MERGED_CELLS = ("n", "tags")
"""Columns whose merged cells may be new values."""


class RowLaw(Law, ABC):
    def begun(self, history: History) -> None:
        self.events = 0
        self.known: dict[str, set[int]] = defaultdict(set)
        self.last: dict[str, dict[Row, int]] = defaultdict(dict)
        self.sweeps: set[int] = set()
        self.dropped: set[int] = set()
        self.cells: dict[tuple[Row, int], list[Any]] = defaultdict(list)
        for state in history.states.values():
            self._note_cells(state)

    def changed(self, history: History, b: str, sql: str, before: State, after: State) -> None:
        self.events += 1
        self.known[b].add(self.events)
        if SWEEPS.search(sql) or "RESTORE" in sql:
            self.sweeps.add(self.events)
        if UNDONE.search(sql):
            # What happens to rows of a table that is dropped is not seen.
            self.dropped |= (before.tables.keys() ^ after.tables.keys()) | set(self._moved(before, after))
        for number in before.tables.keys() | after.tables.keys():
            old, new = before.tables.get(number), after.tables.get(number)
            # Rows that a replaced table takes over are other rows, with the same values.
            is_replaced = old is not None and f"OR REPLACE TABLE {old.path} " in sql
            for row in (old.rows if old else {}).keys() | (new.rows if new else {}).keys():
                if is_replaced or not (old and new and is_same(old, new, row, with_place=True)):
                    self.last[b][number, row] = self.events
        self._note_cells(after)

    def _moved(self, before: State, after: State) -> Iterator[int]:
        return (n for n in before.tables.keys() & after.tables.keys() if before.tables[n].path != after.tables[n].path)

    def _note_cells(self, state: State) -> None:
        for number, table in state.tables.items():
            for row, cells in table.rows.items():
                for column, value in cells.items():
                    if value not in (held := self.cells[(number, row), column]):
                        held.append(value)

    def merged(self, history: History, merge: Merged) -> None:
        if merge.is_refused:
            return
        of_source, of_target = self.known[merge.source], self.known[merge.target]
        self.check(merge, of_source, of_target)
        self.events += 1
        decides = not (of_source <= of_target or of_target <= of_source)
        last = self.last[merge.target]
        for row in self.last[merge.source].keys() | last.keys():
            s, d = (self.last[name].get(row, 0) for name in (merge.source, merge.target))
            winner = d if s in of_target or s == 0 else s if d in of_source or d == 0 else None
            side = merge.into if winner == d else merge.before
            if winner is None or not self._is_as(side, merge.after, row):
                winner, decides = self.events, True
            last[row] = winner
        if decides and not merge.target.startswith("mirror"):
            of_target.add(self.events)
        of_target |= of_source
        self._note_cells(merge.after)

    def _is_as(self, side: State, after: State, row: Row) -> bool:
        number, i = row
        if number not in after.tables or number not in side.tables:
            return True
        old, new = side.tables[number], after.tables[number]
        return (i in old.rows) == (i in new.rows) and (i not in new.rows or is_same(old, new, i))

    def rows(self, merge: Merged) -> Iterator[tuple[Row, Shown, Shown, Shown]]:
        """Of tables that all three show, and that were never dropped."""
        for number in merge.before.tables.keys() & merge.into.tables.keys() & merge.after.tables.keys():
            if number not in self.dropped:
                three = [state.tables[number] for state in (merge.before, merge.into, merge.after)]
                for i in set().union(*(table.rows for table in three)):
                    yield (number, i), three[0], three[1], three[2]

    @abstractmethod
    def check(self, merge: Merged, of_source: set[int], of_target: set[int]) -> None: ...


def is_same(one: Shown, other: Shown, row: int, *, with_place: bool = False) -> bool:
    """Whether both show the row with the same cells, in columns that both have."""
    if row not in one.rows or row not in other.rows:
        return False
    for column in one.columns.values():
        held = same_column(column, other) if with_place or column.name != "p" else None
        if held is not None and not _is_same_cell(column, one.rows[row][column.id], held, other.rows[row][held.id]):
            return False
    return True


def _is_same_cell(column: Any, value: Any, other: Any, held: Any) -> bool:
    return is_same_value(column.parsed, value, other.parsed, held)


def is_same_value(kind: ParsedType, value: Any, other: ParsedType, held: Any) -> bool:
    """Structs at any depth are compared by the fields that both have, which may have other names."""
    if value is None or held is None or not kind.fields or kind.name != other.name:
        return bool(value == held)
    if kind.name == "struct":
        of_target = {identifier: field for field in other.fields for identifier in field.ids}
        pairs = ((field, of_target[i]) for field in kind.fields for i in field.ids if i in of_target)
        return all(is_same_value(one.type, value[one.name], two.type, held[two.name]) for one, two in pairs)
    if kind.name == "array":
        values: Any = zip(value, held, strict=False)
    else:
        values = ((value[key], held.get(key)) for key in value)
    is_alike = len(value) == len(held) and (kind.name == "array" or value.keys() == held.keys())
    inner, of_other = kind.fields[-1].type, other.fields[-1].type
    return is_alike and all(is_same_value(inner, one, of_other, two) for one, two in values)


class NoLoss(RowLaw):
    """A row of the source that is news to the target, and whose absence there the source knows, is live after.

    Likewise of the target, unless a scope of the source took it. What is the same on both stays.
    """

    def check(self, merge: Merged, of_source: set[int], of_target: set[int]) -> None:
        is_swept = bool((of_source - of_target) & self.sweeps)
        for row, source, target, after in self.rows(merge):
            i = row[1]
            s, d = (self.last[name].get(row, 0) for name in (merge.source, merge.target))
            if s == d:
                assert (i in source.rows) == (i in target.rows), f"row {i} has one stamp and two states"
                assert i not in target.rows or is_same(target, after, i) or is_swept, f"row {i} of both is lost"
            elif i in source.rows and s not in of_target and s and (d in of_source or not d):
                assert is_same(source, after, i), f"row {i} of the source is lost"
            elif i in target.rows and d not in of_source and d and (s in of_target or not s):
                assert is_same(target, after, i) or is_swept, f"row {i} of the target is lost"


class NoInvention(RowLaw):
    """Every row of the result has an image that the source or target had, by ``cell`` and by key cells of theirs.

    A restored column shows what rows hold whose drop was known then (R13): what the row ever showed.
    """

    def check(self, merge: Merged, of_source: set[int], of_target: set[int]) -> None:
        for row, source, target, after in self.rows(merge):
            i = row[1]
            if i not in after.rows:
                continue
            assert i in source.rows or i in target.rows, f"row {i} is invented"
            if not after.is_keyed and target.properties.get("merge.conflicts") != "cell":
                assert is_same(source, after, i) or is_same(target, after, i), f"row {i} is of two images"
            computed = generated_values(after.properties, Schema(tuple(after.columns.values())))
            for column in after.columns.values():
                if column.id in computed:
                    self._is_computed(after, column, computed[column.id], i)
                elif column.parsed.name == "struct":
                    self._fields_are_known(row, column, after.rows[i], source, target)
                elif column.name not in ("p", *MERGED_CELLS):
                    self._is_known(row, column, after.rows[i], source, target)

    def _is_computed(self, table: Shown, column: Any, stored: str, i: int) -> None:
        row = {each.name.casefold(): table.rows[i][each.id] for each in table.columns.values()}
        expected = evaluate(condition_shown(stored, Schema(tuple(table.columns.values()))), row)
        assert table.rows[i][column.id] == expected, f"{column.name} of row {i} does not follow from the others"

    def _fields_are_known(self, row: Row, column: Any, cells: Cells, *sides: Shown) -> None:
        """Each field of a struct holds what a side had in it, or nothing."""
        had: dict[int, list[tuple[ParsedType, Any]]] = defaultdict(list)
        for side in sides:
            held = same_column(column, side)
            if held is not None and row[1] in side.rows:
                for field, value in fields_of(held, side.rows[row[1]][held.id]):
                    for identifier in field.ids:
                        had[identifier].append((field.type, value))
        for field, value in fields_of(column, cells[column.id]):
            known = [item for identifier in field.ids for item in had[identifier]]
            is_known = value is None or any(is_same_value(field.type, value, *item) for item in known)
            assert is_known, f"field of {column.name} of row {row[1]} is invented: {value}"

    def _is_known(self, row: Row, column: Any, cells: Cells, *sides: Shown) -> None:
        value, had = cells[column.id], [None, default_of(column)]
        for side in sides:
            held = same_column(column, side)
            if held is not None:
                had.append(default_of(held))
                if row[1] in side.rows:
                    cell = side.rows[row[1]][held.id]
                    if _is_same_cell(column, value, held, cell):
                        return
                    had.append(cell)
        if not all(same_column(column, side) for side in sides):
            had += [item for key in column.ids for item in self.cells.get((row, key), [])]
        assert value in had, f"cell {column.name} of row {row[1]} is invented: {value}, had {had}"


def fields_of(column: Any, value: Any) -> list[tuple[Field, Any]]:
    """The fields of a struct with their values."""
    return [(field, None if value is None else value[field.name]) for field in column.parsed.fields]


def default_of(column: Any) -> Any:
    text = column.initial_default
    return None if text is None else int(text) if text.isdigit() else text.strip("'")
