"""What the statistics of a table's files say of its columns, without a look at any row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from catalog_app.domain.files import ColumnStatistics, Statistics
from catalog_app.domain.schema import Column, Schema


class CountedFile(Protocol):
    """A file that the version shows. ``deleted_rows`` is an upper bound."""

    @property
    def rows(self) -> int: ...

    @property
    def deleted_rows(self) -> int: ...

    @property
    def statistics(self) -> Statistics: ...


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """No value of the column lies outside of ``minimum`` and ``maximum``, and at most ``nulls`` are missing; None: not
    known. ``is_exact``: no row of the files is deleted, so that the missing values are counted exactly.
    """

    column_id: int
    name: str
    type: str
    nulls: int | None
    minimum: Any
    maximum: Any
    is_exact: bool


def column_bounds(schema: Schema, files: Iterable[CountedFile]) -> list[ColumnBounds]:
    """Of each column in the order of the table. A file that says nothing of a column leaves the column unknown, but for
    one without rows.
    """
    seen = [file for file in files if file.rows]
    is_exact = not any(file.deleted_rows for file in seen)
    return [_bounds(column, [file.statistics.get(column.id) for file in seen], is_exact) for column in schema.columns]


def _bounds(column: Column, found: list[ColumnStatistics | None], is_exact: bool) -> ColumnBounds:
    known = [item for item in found if item is not None]
    if len(known) < len(found):
        return ColumnBounds(column.id, column.name, column.type, None, None, None, is_exact=False)
    key: Callable[[Any], Any] = Decimal if column.type.startswith("decimal") else _itself
    values = [item for item in known if item.minimum is not None and item.maximum is not None]
    return ColumnBounds(
        column.id,
        column.name,
        column.type,
        sum(item.nulls for item in known),
        min((item.minimum for item in values), key=key, default=None),
        max((item.maximum for item in values), key=key, default=None),
        is_exact=is_exact,
    )


def _itself(value: Any) -> Any:
    return value
