"""What people decided of rows in conflict, worked into the cells of merged rows (R10, decisions)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.row_merge import RowChoice, Take
from catalog_app.domain.schema import Schema
from catalog_app.storage.cells import RowCells
from catalog_app.storage.times_as_numbers import type_with_numbers
from merge_app.lineage.cells import array_of_plain, cells_put, is_nan
from merge_app.lineage.facts import Mask

SIDES = (Take.SOURCE, Take.DESTINATION)


@dataclass(frozen=True, slots=True)
class _OfRow:
    """What was decided of one row: of the row, and by column id takes and values as JSON."""

    take: Take | None = None
    cells: dict[int, Take] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choices:
    """By key as JSON what was decided of the row, and ``rule`` for all rows. A cell counts before its row, and a row
    before the rule.
    """

    schema: Schema
    rule: RowChoice | None
    of_rows: Mapping[str, _OfRow]

    @classmethod
    def of(cls, schema: Schema, choices: Sequence[RowChoice]) -> Choices:
        ids = {column.name.casefold(): column.id for column in schema.columns}
        found: dict[str, _OfRow] = {}
        for choice in (item for item in choices if item.key):
            known = found.get(choice.key, _OfRow())
            if choice.column_id is not None:
                values = {choice.column_id: choice.value} if choice.take is Take.EDITED else {}
                cells = {**known.cells, choice.column_id: choice.take}
                found[choice.key] = _OfRow(known.take, cells, {**known.values, **values})
            else:
                given = json.loads(choice.value) if choice.take is Take.EDITED else {}
                named = {ids[n.casefold()]: json.dumps(value) for n, value in given.items() if n.casefold() in ids}
                found[choice.key] = _OfRow(choice.take, known.cells, {**named, **known.values})
        return cls(schema, next((choice for choice in choices if not choice.key), None), found)

    def decide(
        self, source: RowCells, target: RowCells, merged: Mapping[int, Any], clashes: Mapping[int, Mask]
    ) -> tuple[dict[int, Any], Mask]:
        """The merged columns with decided cells, and the rows of which a cell is left. ``clashes``: by column, where
        its cell conflicts.
        """
        rows = len(source.keys)
        columns, left = dict(merged), np.zeros(rows, dtype=np.bool_)
        newest = self._newest(source, target)
        for identifier, clash in clashes.items():
            sides = source.columns[identifier], target.columns[identifier]
            from_source, edited = np.zeros(rows, dtype=np.bool_), dict[int, Any]()
            for at in np.flatnonzero(clash).tolist():
                take, value = self._taken(source.keys[at], identifier)
                match self._outcome(take, value, (sides[0][at], sides[1][at]), newest[at] if newest else None):
                    case None:
                        left[at] = True
                    case pa.Scalar() as cell:
                        edited[at] = cell
                    case is_source:
                        from_source[at] = is_source
            values = pc.if_else(pa.array(from_source), sides[0], columns[identifier])
            columns[identifier] = _edited(values, edited)
        for identifier, texts in self._beside(source.keys, clashes).items():
            if identifier in columns:
                cells = {at: typed(text, columns[identifier].type) for at, text in texts.items()}
                left[[at for at, cell in cells.items() if cell is None]] = True
                known = {at: cell for at, cell in cells.items() if cell is not None}
                columns[identifier] = _edited(columns[identifier], known)
        return columns, left

    def _beside(self, keys: Sequence[str], clashes: Mapping[int, Mask]) -> dict[int, dict[int, str]]:
        """By column, and by the place of an edited row in conflict, what was given for a cell that does not conflict.
        The key and the partition are never edited.
        """
        found: dict[int, dict[int, str]] = {}
        fixed = {*self.schema.primary_key, *self.schema.partition_by}
        for at in np.flatnonzero(np.any([*clashes.values()], axis=0)).tolist():
            of_row = self.of_rows.get(keys[at], _OfRow())
            if of_row.take is Take.EDITED:
                for identifier, text in of_row.values.items():
                    if identifier not in fixed and not (identifier in clashes and clashes[identifier][at]):
                        found.setdefault(identifier, {})[at] = text
        return found

    def gone(self, key: str, kept: RowCells) -> Take | dict[int, Any] | None:
        """What becomes of a row that one side took away: a side, or by column the cells that differ from the row that
        is ``kept``; None: nothing decides it.
        """
        of_row = self.of_rows.get(key, _OfRow())
        take = of_row.take or (self.rule.take if self.rule else None)
        if take in SIDES:
            return take
        if take is not Take.EDITED:
            return None
        cells = {i: typed(text, kept.columns[i].type) for i, text in of_row.values.items() if i in kept.columns}
        return None if any(cell is None for cell in cells.values()) else cells

    def side_of(self, key: str, column_id: int) -> Take | None:
        """The side whose cell was chosen."""
        take = self._taken(key, column_id)[0]
        return take if take in SIDES else None

    def _taken(self, key: str, column_id: int) -> tuple[Take | None, str | None]:
        of_row = self.of_rows.get(key, _OfRow())
        take = of_row.cells.get(column_id) or of_row.take or (self.rule.take if self.rule else None)
        return take, of_row.values.get(column_id)

    def _outcome(
        self, take: Take | None, value: str | None, cells: tuple[Any, Any], newest: bool | None
    ) -> bool | pa.Scalar | None:
        """True: the source's cell; False: the target's."""
        match take:
            case Take.SOURCE | Take.DESTINATION:
                return take is Take.SOURCE
            case Take.LARGER:
                return _greater(*cells)
            case Take.NEWEST:
                return newest
            case Take.EDITED if value is not None:
                return typed(value, cells[1].type)
        return None

    def _newest(self, source: RowCells, target: RowCells) -> list[bool | None] | None:
        """By row, whether the source's is the newer one."""
        if self.rule is None or self.rule.take is not Take.NEWEST:
            return None
        column = self.schema.named(self.rule.value)
        if column is None:
            return None
        return list(map(_greater, source.columns[column.id], target.columns[column.id]))


def _greater(one: Any, other: Any) -> bool | None:
    """None: that cannot be said."""
    first, second = _plain(one), _plain(other)
    if first is None or second is None or first == second or is_nan(first) or is_nan(second):
        return None
    try:
        return bool(first > second)
    except TypeError:
        return None


def _plain(cell: Any) -> Any:
    return cell.cast(type_with_numbers(cell.type)).as_py()


def typed(text: str, kind: Any) -> Any:
    """JSON as a value of an Arrow type; None where it is none of that type."""
    value = json.loads(text)
    try:
        if isinstance(value, str) and not pa.types.is_string(kind):
            return pa.scalar(value).cast(kind)
        return pa.scalar(value, type=kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


def _edited(values: Any, cells: Mapping[int, Any]) -> Any:
    if not cells:
        return values
    places = sorted(cells)
    return cells_put(values, places, array_of_plain([_plain(cells[at]) for at in places], values.type))


def with_cells(kept: RowCells, rows: Sequence[Mapping[int, Any]]) -> dict[int, Any]:
    """The columns of rows, with the cells that differ."""
    return {
        identifier: _edited(values, dict(_cells_of(identifier, rows))) for identifier, values in kept.columns.items()
    }


def _cells_of(identifier: int, rows: Sequence[Mapping[int, Any]]) -> Iterator[tuple[int, Any]]:
    return ((at, cells[identifier]) for at, cells in enumerate(rows) if identifier in cells)
