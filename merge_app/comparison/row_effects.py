"""What deciding rows by their values keeps and leaves out: one row, one cell of it, or all rows by a rule."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from catalog_app.domain.row_counts import EXAMPLES_SHOWN
from catalog_app.domain.row_merge import KEYS_SHOWN
from catalog_app.domain.schema import Column
from catalog_app.models import Branch
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.nearest import nearest_name
from merge_app.comparison.compared_rows import row_pages
from merge_app.comparison.row_pages import ComparedRow, ComparedRows
from merge_app.execution.engine_source import EngineSource
from merge_app.planning.effects import RuleOutcome, example_text, rule_effect, value_text
from merge_app.planning.merge_plan import Decision, Effect, LeftOut, Resolution, ResolutionPart

Row = Sequence[Any] | None


@dataclass(frozen=True, slots=True)
class ConflictingRow:
    """A row that both sides changed, decided so. ``fixed``: the columns of the key and of the partition; ``computed``:
    those that follow from others; ``combined``: those that no side wins, as what both did is put together.
    """

    compared: ComparedRow
    columns: tuple[Column, ...]
    fixed: frozenset[int]
    computed: frozenset[int]
    combined: frozenset[int] = frozenset()

    def clashing(self) -> list[Column]:
        """The columns that both changed to different values."""
        base, source, target = self.compared.base, self.compared.source, self.compared.target
        if source is None or target is None:
            return []
        before = base or [None] * len(self.columns)
        cells = zip(self.columns, before, source, target, strict=True)
        without = self.computed | (self.combined if base is not None else frozenset())
        return [
            column
            for column, was, one, other in cells
            if column.id not in without and one != other and (base is None or was not in (one, other))
        ]

    def values(self, side: str, columns: Sequence[Column]) -> Mapping[str, Any] | None:
        """The values that a side has in these columns; None where it has not the row."""
        return self._named({"source": self.compared.source, "destination": self.compared.target}[side], columns)

    def outcome(self, columns: Sequence[Column]) -> Mapping[str, Any] | None:
        """The values that come out in these columns."""
        return self._named(self.compared.result, columns)

    def _named(self, row: Row, columns: Sequence[Column]) -> Mapping[str, Any] | None:
        return None if row is None else {column.name: row[self.columns.index(column)] for column in columns}


def rows_decided(source: Branch, destination: Branch, resolution: Resolution, engine: EngineSource) -> ComparedRows:
    """The rows in conflict, decided so."""
    return row_pages(source, destination, resolution.object_id, [resolution], engine, only_conflicts=True)


def _row(pages: ComparedRows, found: ComparedRow) -> ConflictingRow:
    columns = pages.schema.columns
    images: dict[str, Any] = {
        name: _image(columns, getattr(found, name)) for name in ("base", "source", "target", "result")
    }
    fixed = frozenset((*pages.schema.primary_key, *pages.schema.partition_by))
    return ConflictingRow(replace(found, **images), columns, fixed, pages.computed, pages.combined)


def _image(columns: Sequence[Column], values: Row) -> Row:
    """The values of a row; decimals as numbers, which the engine answers as texts."""
    if values is None:
        return None
    return [
        Decimal(value) if isinstance(value, str) and column.type.startswith("decimal") else value
        for column, value in zip(columns, values, strict=True)
    ]


def rows_effect(source: Branch, destination: Branch, resolution: Resolution, engine: EngineSource) -> Effect:
    """What a rule for all conflicting rows makes of them: how many it decides, and the first of these."""
    pages = rows_decided(source, destination, resolution, engine)
    judged = pages.conflicts
    left = sum(item.left for item in judged)
    decided = sum(item.rows for item in judged) - left
    shown: list[ConflictingRow] = []
    if decided:
        page = pages.page(limit=KEYS_SHOWN)
        shown = [_row(pages, found) for found in page.rows if not found.is_open][:EXAMPLES_SHOWN]
    outcome = RuleOutcome(
        decided,
        left,
        keys=tuple(named_row(item.compared.key) for item in shown),
        results=tuple(
            f"{example_text(named_row(item.compared.key))}: {_text(item.outcome(item.clashing()))}" for item in shown
        ),
        left_keys=tuple(map(named_row, sorted(key for item in judged for key in item.left_keys)[:EXAMPLES_SHOWN])),
    )
    return rule_effect(resolution, outcome, source.name, destination.name)


def named_row(key: str) -> str:
    """A row as a JSON object that says what it is named by: its primary key, without one its row id."""
    return json.dumps({"row id": int(key)}) if key.isdigit() else key


def row_effect(source: Branch, destination: Branch, resolution: Resolution, engine: EngineSource) -> Effect:
    """What the decision about a row or a cell does. Raises NotFound where no conflict is of that row or cell."""
    column_id, key = _place(resolution)
    pages = rows_decided(source, destination, resolution, engine)
    found = pages.page(limit=1, key=key).rows
    if not found:
        raise NotFound("conflicting row", key, where="between these branches")
    row = _row(pages, found[0])
    columns = row.clashing()
    if column_id is not None:
        columns = [column for column in columns if column_id in column.ids]
        if not columns:
            raise NotFound("conflicting cell", resolution.part_key, where="between these branches")
    if resolution.decision is Decision.EDITED:
        given = json.loads(resolution.value)
        _edited_check(row, given if column_id is None else {columns[0].name: given})
    branches = {"source": source.name, "destination": destination.name}
    chosen = {Decision.TAKE_SOURCE: "source", Decision.TAKE_DESTINATION: "destination"}.get(resolution.decision)
    named = f"id {key}" if key.isdigit() else example_text(key)
    if resolution.decision is Decision.LARGER and row.compared.is_open:
        return Effect(f"Row {named}: no value is the larger one, so the row stays open.")
    if chosen is None:
        larger = f"the larger {_text(row.outcome(columns))}"
        kept = larger if resolution.decision is Decision.LARGER else resolution.value
        parts = [_of(branches[side], row.values(side, columns)) for side in branches]
        lost = [LeftOut(side, "values", 1, (_json(row.values(side, columns)),)) for side in branches]
        return Effect(f"Row {named}: keeps {kept} instead of {' and '.join(parts)}.", tuple(lost))
    other = "destination" if chosen == "source" else "source"
    values, others = row.values(chosen, columns), row.values(other, columns)
    text = f"Row {named}: keeps {_of(branches[chosen], values)}; leaves out {_of(branches[other], others)}."
    what = "rows changed on both" if resolution.part is ResolutionPart.ROW else "values"
    return Effect(text, (LeftOut(other, what, 1, (key if what.startswith("rows") else _json(others),)),))


def _edited_check(row: ConflictingRow, given: Mapping[str, Any]) -> None:
    """Raises InvalidValue for a column that there is not, another key or partition, and a value that is missing. A
    generated column may have the value of a side, as a form sends all cells of a row.
    """
    known = {column.name.casefold(): column for column in row.columns}
    sides = [row.values(side, row.columns) for side in ("source", "destination")]
    for name, value in given.items():
        column = known.get(name.casefold())
        if column is None:
            raise InvalidValue(
                f"The table has no column {name}.",
                remedy="Give columns of the merged table.",
                field="value",
                nearest=nearest_name(name, [item.name for item in row.columns]),
            )
        if value is None and not column.nullable:
            raise InvalidValue(f"{column.name} is NOT NULL.", remedy="Give a value.", field="value", nearest=None)
        held = [side[column.name] for side in sides if side is not None]
        if column.id in row.fixed and all(str(value) != str(other) for other in held):
            raise InvalidValue(
                f"{column.name} is of the key or the partition of the row, which stay as they are.",
                remedy="Leave the column out; move the row by an UPDATE after the merge.",
                field="value",
                nearest=None,
            )
        if column.id in row.computed and all(str(value) != str(other) for other in held):
            raise InvalidValue(
                f"{column.name} is a generated column, which is computed of the merged row.",
                remedy="Give values of the columns that it reads.",
                field="value",
                nearest=None,
            )


def _place(resolution: Resolution) -> tuple[int | None, str]:
    """The column, None for the row as a whole, and the key of the row."""
    if resolution.part is ResolutionPart.ROW:
        return None, resolution.part_key
    column, _, key = resolution.part_key.partition(":")
    return int(column), key


def _of(branch: str, values: Mapping[str, Any] | None) -> str:
    """What a branch has in a row, in words."""
    return f"the deletion by {branch}" if values is None else f"{_text(values)} of {branch}"


def _text(values: Mapping[str, Any] | None) -> str:
    if values is None:
        return "the deletion"
    return ", ".join(f"{name} {value_text(value)}" for name, value in values.items()) or "the row"


def _json(values: Mapping[str, Any] | None) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)
