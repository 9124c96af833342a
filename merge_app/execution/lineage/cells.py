"""Cells of rows that both sides changed (lineage §5, R10): data columns of two images and of the one that both know.

Where a row lies says its partition, which is a fact of its own: partition columns are read, and not compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.storage.cells import RowCells
from lakeui.common.records import record
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.lineage.cells import ColumnMerge, cells_equal, column_merge
from merge_app.lineage.choices import Choices
from merge_app.lineage.facts import Ints, Mask
from merge_app.lineage.outcomes import CONFLICT, NO_BASE, Outcome, TableOutcome
from merge_app.lineage.segments import Group

NEW = 1 << 61
"""From here on codes of images that the merge makes, in the order in which it made them."""


@record(frozen=True, slots=True, eq=False)
class CellConflict:
    """A row of which both sides changed a cell differently. ``is_left``: undecided. ``image``: that of the source."""

    key: str
    image: int
    has_base: bool
    is_left: bool


@dataclass(frozen=True, slots=True, eq=False)
class MadeRows:
    """Images that the merge makes, by the positions of their rows among the pairs."""

    at: Ints
    cells: RowCells


NOTHING_MADE = MadeRows(np.zeros(0, dtype=np.int64), RowCells({}))


@dataclass(slots=True)
class Cells:
    """What ``table_merge`` asks for merged images. ``made``: these, in the order of their codes."""

    reader: CellReader
    group: Group
    how: Mapping[int, ColumnMerge] = field(default_factory=dict)
    choices: Choices | None = None
    made: RowCells | None = None
    conflicts: list[CellConflict] = field(default_factory=list)

    def __call__(self, source: Ints, target: Ints, base: Ints) -> Ints:
        """``CONFLICT`` where both sides changed one cell differently and nothing decides it."""
        has_base = base != NO_BASE
        source_rows = self.reader.read(source, self.group.source)
        target_rows = self.reader.read(target, self.group.target, with_keys=False)
        absent = [self.reader.absent(images) for images in (source, target)]
        sides = {column: _sides(column, source_rows, target_rows, absent) for column in self.reader.compared()}
        columns = {**target_rows.columns, **{column: other for column, (_, other) in sides.items()}}
        # Where both sides have the same the base says nothing, unless equal changes add up.
        asked = {
            column: how
            for column, (ours, other) in sides.items()
            if column not in self.reader.generated
            and (
                (how := self.how.get(column, ColumnMerge.CONFLICT)) is not ColumnMerge.CONFLICT
                or not cells_equal(ours, other).all()
            )
        }
        before = self._before(base, has_base, asked, target_rows)
        clashes: dict[int, Mask] = {}
        unknown = self.reader.crossed.without(base)
        for column, how in asked.items():
            is_base = has_base & ~unknown[column] if column in unknown else has_base
            merged = column_merge(*sides[column], before[column], is_base, how)
            columns[column], clashes[column] = merged.values, merged.conflicts
        left = np.zeros(len(source), dtype=np.bool_)
        for clash in clashes.values():
            left |= clash
        is_conflict = left.copy()
        if self.choices is not None and left.any():
            columns, left = self.choices.decide(source_rows, target_rows, columns, clashes)
        self.made = RowCells(columns, target_rows.partition, source_rows.keys)
        for at in np.flatnonzero(is_conflict).tolist():
            key = source_rows.keys[at] if source_rows.keys else ""
            self.conflicts.append(CellConflict(key, int(source[at]), bool(has_base[at]), bool(left[at])))
        return np.where(left, CONFLICT, NEW + np.arange(len(source), dtype=np.int64))

    def _before(self, base: Ints, has_base: Mask, columns: Collection[int], target: RowCells) -> Mapping[int, Any]:
        """These cells of the base; without one they are not looked at."""
        if not (has_base.any() and columns):
            return target.columns
        found = self.reader.read_bases(base[has_base], columns)
        place = pa.array(np.maximum(np.cumsum(has_base) - 1, 0))
        return {column: found.columns[column].take(place) for column in columns}

    def of(self, merged: TableOutcome) -> MadeRows:
        """The images among these that no scope took away."""
        rows = merged.rows
        is_new = rows.given >= NEW
        at, given = rows.given_at[is_new], rows.given[is_new]
        stays = rows.outcome[at] == Outcome.CELLS
        if self.made is None or not stays.any():
            return NOTHING_MADE
        return MadeRows(at[stays], self.made.take(given[stays] - NEW))


def _sides(column: int, source: RowCells, target: RowCells, absent: Sequence[Mapping[int, Mask]]) -> tuple[Any, Any]:
    """The cells of both sides. A side that dropped the column says nothing of them."""
    ours, other = source.columns[column], target.columns[column]
    if column in absent[0]:
        ours = pc.if_else(pa.array(absent[0][column]), other, ours)
    if column in absent[1]:
        other = pc.if_else(pa.array(absent[1][column]), ours, other)
    return ours, other
