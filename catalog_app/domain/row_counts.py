"""How many rows one side changed, with the first of each kind.

A row is named by a JSON object: its primary key, or without one its first columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.schema import Column, Schema

EXAMPLES_SHOWN = 3
"""So many rows of each kind are named; all are counted."""
_TELLING_COLUMNS = 2
"""So many columns name a row that has no primary key."""


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
    """The columns whose values name a row to a person."""
    if schema.is_keyed:
        found = (schema.column(identifier) for identifier in schema.primary_key)
        return tuple(column for column in found if column is not None)
    return schema.columns[:_TELLING_COLUMNS]
