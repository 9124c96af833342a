"""What deciding one row, or one cell of it, keeps and leaves out: the values that base, source and target have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.schema import Column
from catalog_app.models import Branch
from lakeui.common.errors import NotFound
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.row_merges import compared_rows_load
from merge_app.planning.effects import example_text, value_text
from merge_app.planning.values import Decision, Effect, LeftOut, Resolution, ResolutionPart

Row = Sequence[Any] | None
_HEAD = 5
"""So many members of a compared row stand before the marks of the snapshots."""


@dataclass(frozen=True, slots=True)
class ConflictingRow:
    """A row that both sides changed, as each has it, and the columns in which they differ."""

    key: str
    columns: tuple[Column, ...]
    base: Row
    source: Row
    destination: Row

    def clashing(self) -> list[Column]:
        """The columns that both changed to different values."""
        if self.source is None or self.destination is None:
            return []
        return [column for place, column in enumerate(self.columns) if self._clashes(place)]

    def _clashes(self, place: int) -> bool:
        assert self.source is not None
        assert self.destination is not None
        mine, theirs = self.source[place], self.destination[place]
        if self.base is None:
            return bool(mine != theirs)
        return bool(mine != theirs and self.base[place] not in (mine, theirs))

    def values(self, side: str, columns: Sequence[Column]) -> Mapping[str, Any] | None:
        """The values that a side has in these columns; None where it has not the row."""
        row: Row = self.source if side == "source" else self.destination
        if row is None:
            return None
        return {column.name: row[self.columns.index(column)] for column in columns}


def row_find(source: Branch, destination: Branch, table_id: int, key: str, engine: EngineSource) -> ConflictingRow:
    """The conflicting row of that key. Raises NotFound where no conflict is of it."""
    task = compared_rows_load(source, destination, table_id)
    found = []
    if task.has_files:
        found = engine().rows_compare(task, limit=1, behind=None, only_conflicts=True, key=key).rows
    if not found:
        raise NotFound("conflicting row", key, where="between these branches")
    columns = task.schema.columns
    held, values = found[0][_HEAD : _HEAD + 3], found[0][_HEAD + 3 :]
    size = len(columns)
    base, mine, theirs = (values[at * size : (at + 1) * size] if held[at] else None for at in range(3))
    return ConflictingRow(key, columns, base, mine, theirs)


def row_effect(source: Branch, destination: Branch, resolution: Resolution, engine: EngineSource) -> Effect:
    """What the decision about a row or a cell does. Raises NotFound where no conflict is of that row or cell."""
    column_id, key = _place(resolution)
    row = row_find(source, destination, resolution.object_id, key, engine)
    columns = row.clashing()
    if column_id is not None:
        columns = [column for column in columns if column_id in column.ids]
        if not columns:
            raise NotFound("conflicting cell", resolution.part_key, where="between these branches")
    branches = {"source": source.name, "destination": destination.name}
    chosen = {Decision.TAKE_SOURCE: "source", Decision.TAKE_DESTINATION: "destination"}.get(resolution.decision)
    named = example_text(key)
    if chosen is None:
        kept = "the larger value of each cell" if resolution.decision is Decision.LARGER else resolution.value
        told = [f"{branches[side]}'s {_text(row.values(side, columns))}" for side in branches]
        lost = [LeftOut(side, "values", 1, (_json(row.values(side, columns)),)) for side in branches]
        return Effect(f"Row {named}: keeps {kept} instead of {' and '.join(told)}.", tuple(lost))
    other = "destination" if chosen == "source" else "source"
    mine, theirs = row.values(chosen, columns), row.values(other, columns)
    text = f"Row {named}: keeps {branches[chosen]}'s {_text(mine)}; leaves out {branches[other]}'s {_text(theirs)}."
    what = "rows changed on both" if resolution.part is ResolutionPart.ROW else "values"
    return Effect(text, (LeftOut(other, what, 1, (key if what.startswith("rows") else _json(theirs),)),))


def _place(resolution: Resolution) -> tuple[int | None, str]:
    """The column, None for the row as a whole, and the key of the row."""
    if resolution.part is ResolutionPart.ROW:
        return None, resolution.part_key
    column, _, key = resolution.part_key.partition(":")
    return int(column), key


def _text(values: Mapping[str, Any] | None) -> str:
    if values is None:
        return "deletion of it"
    return ", ".join(f"{name} {value_text(value)}" for name, value in values.items()) or "row"


def _json(values: Mapping[str, Any] | None) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)
