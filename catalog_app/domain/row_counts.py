"""How many rows one side changed, with the first of each kind.

A row is named by a JSON object: its primary key, or without one the first columns that tell the named rows apart.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.schema import Column, Schema

EXAMPLES_SHOWN = 3
"""So many rows of each kind are named; all are counted."""
_LEAST_NAMING, _MOST_NAMING = 2, 3
"""So many columns name a row that has no primary key."""
_LOOKED_AT = 16
"""So many columns are looked at for some that tell rows without a primary key apart."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows of one kind. ``examples`` name the first of them, in the order of their ids or keys."""

    rows: int = 0
    examples: tuple[str, ...] = ()


NOTHING = Counted()


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows by what became of them."""

    inserted: Counted = NOTHING
    updated: Counted = NOTHING
    deleted: Counted = NOTHING


def telling_columns(schema: Schema) -> tuple[Column, ...]:
    """The columns whose values name a row to a person; without a primary key those that may."""
    if schema.is_keyed:
        found = (schema.column(identifier) for identifier in schema.primary_key)
        return tuple(column for column in found if column is not None)
    return schema.columns[:_LOOKED_AT]


def told_apart(names: Sequence[str], *, always: Collection[str] = ()) -> tuple[str, ...]:
    """Names of rows without a primary key, each left with the first columns that tell them apart, and those of
    ``always``.
    """
    rows = [json.loads(name) for name in names]
    columns = [column for column in (rows[0] if rows else ()) if column not in always]
    chosen = _telling(columns, rows)
    chosen += [column for column in columns if column not in chosen][: max(0, _LEAST_NAMING - len(chosen))]
    kept = {*chosen, *always}
    shown = ({column: value for column, value in row.items() if column in kept} for row in rows)
    return tuple(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in shown)


def _telling(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[str]:
    """The first columns that part the rows; none for a single one."""
    chosen: list[str] = []
    parts = 1
    for column in columns:
        if parts == len(rows) or len(chosen) == _MOST_NAMING:
            break
        found = len({json.dumps([row.get(name) for name in (*chosen, column)]) for row in rows})
        if found > parts:
            chosen.append(column)
            parts = found
    return chosen
