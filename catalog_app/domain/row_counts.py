"""How many rows two snapshots of a table do not share, with the first of each kind.

A row is named by a JSON object: its primary key, or without one its first columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """Rows by what became of them between two snapshots. ``values``: by column id, the rows that were inserted with a
    value in the column or updated to another one; their examples hold that value beside the row's name.
    """

    inserted: Counted = NOTHING
    updated: Counted = NOTHING
    deleted: Counted = NOTHING
    values: Mapping[int, Counted] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.inserted.rows + self.updated.rows + self.deleted.rows


def telling_columns(schema: Schema) -> tuple[Column, ...]:
    """The columns whose values name a row to a person."""
    if schema.is_keyed:
        found = (schema.column(identifier) for identifier in schema.primary_key)
        return tuple(column for column in found if column is not None)
    return schema.columns[:_TELLING_COLUMNS]
