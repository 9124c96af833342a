"""One row on three sides, merged as semantics §3 says, in plain Python: what engines are compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.row_merge import RowChoice, Take
from catalog_app.domain.schema import Column

Row = Mapping[int, Any] | None
"""Values by column id; None where the row is not there."""
Sides = tuple[Row, Row, Row]
"""A row in base, source and target."""


@dataclass(frozen=True, slots=True)
class Merged:
    """``conflicting``: ids of the cells that conflict, all where one side took the row away. ``left``: those that
    nothing decides.
    """

    row: Row
    conflicting: frozenset[int]
    left: frozenset[int]


def row_merged(columns: Sequence[Column], key: str, sides: Sides, choices: Sequence[RowChoice] = ()) -> Merged:
    """``sides``: base, source, destination."""
    base, source, destination = sides
    nothing: frozenset[int] = frozenset()
    if source in (base, destination):
        return Merged(destination, nothing, nothing)
    if destination == base:
        return Merged(source, nothing, nothing)
    if source is None or destination is None:
        return _one_is_gone(columns, key, source, destination, choices)
    cells = {column.id: _cell(column.id, base, source, destination) for column in columns}
    conflicting = frozenset(identifier for identifier, found in cells.items() if found is None)
    # Whoever writes a row that conflicts says what it is, also where its cells do not conflict.
    if conflicting:
        written = _written(columns, key, choices)
        cells |= {identifier: (value,) for identifier, value in written.items() if identifier not in conflicting}
    row, left = {}, set()
    for column in columns:
        value = cells[column.id] or _decided(columns, column, key, source, destination, choices)
        if value is None:
            left.add(column.id)
        row[column.id] = destination[column.id] if value is None else value[0]
    return Merged(row, conflicting, frozenset(left))


def _written(columns: Sequence[Column], key: str, choices: Sequence[RowChoice]) -> Mapping[int, Any]:
    """By column id what a decision of the whole row gives."""
    choice = _choice(choices, key, None)
    if choice is None or choice.take is not Take.EDITED:
        return {}
    given = json.loads(choice.value)
    return {column.id: given[column.name] for column in columns if column.name in given}


def _cell(identifier: int, base: Row, source: Mapping[int, Any], destination: Mapping[int, Any]) -> tuple[Any] | None:
    """The value of a cell, in a tuple of its own; None where both changed it to different ones."""
    of_source, of_target = source[identifier], destination[identifier]
    if of_source == of_target:
        return (of_source,)
    if base is not None and of_source == base[identifier]:
        return (of_target,)
    if base is not None and of_target == base[identifier]:
        return (of_source,)
    return None


def _decided(
    columns: Sequence[Column],
    column: Column,
    key: str,
    source: Mapping[int, Any],
    destination: Mapping[int, Any],
    choices: Sequence[RowChoice],
) -> tuple[Any] | None:
    choice = _choice(choices, key, column.id)
    if choice is None:
        return None
    of_source, of_target = source[column.id], destination[column.id]
    match choice.take:
        case Take.SOURCE:
            return (of_source,)
        case Take.DESTINATION:
            return (of_target,)
        case Take.LARGER:
            return (
                None
                if of_source is None or of_target is None or of_source == of_target
                else (max(of_source, of_target),)
            )
        case Take.NEWEST:
            judge = next(item.id for item in columns if item.name == choice.value)
            one, other = source[judge], destination[judge]
            if one is None or other is None or one == other:
                return None
            return (of_source if one > other else of_target,)
        case Take.EDITED:
            given = json.loads(choice.value)
            if choice.column_id is not None:
                return (given,)
            return (given[column.name],) if column.name in given else None


def _one_is_gone(
    columns: Sequence[Column], key: str, source: Row, destination: Row, choices: Sequence[RowChoice]
) -> Merged:
    everything = frozenset(column.id for column in columns)
    choice = _choice(choices, key, None)
    if choice is None or choice.take in (Take.LARGER, Take.NEWEST):
        return Merged(destination, everything, everything)
    if choice.take is Take.EDITED:
        kept, given = source or destination or {}, json.loads(choice.value)
        typed = [item for item in choices if item.key == key and item.column_id and item.take is Take.EDITED]
        cells = {item.column_id: json.loads(item.value) for item in typed}
        row = {column.id: cells.get(column.id, given.get(column.name, kept[column.id])) for column in columns}
        return Merged(row, everything, frozenset())
    return Merged(source if choice.take is Take.SOURCE else destination, everything, frozenset())


def _choice(choices: Sequence[RowChoice], key: str, column_id: int | None) -> RowChoice | None:
    """The decision that counts most: of the cell, then of the row, then of all."""
    of_cell = [item for item in choices if item.key == key and item.column_id == column_id and column_id is not None]
    of_row = [item for item in choices if item.key == key and item.column_id is None]
    return next(iter((*of_cell, *of_row, *(item for item in choices if not item.key))), None)
