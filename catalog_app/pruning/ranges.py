"""Whether two files can hold rows of the same values, by the bounds of both."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.files import ColumnStatistics, Statistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.comparison import bound_reader, domain_of, may_hold_nan
from catalog_app.pruning.predicates import known_of


def may_share_values(columns: Sequence[Column], one: Statistics, rows: int, other: Statistics) -> bool:
    """Whether a file of statistics ``one`` and so many rows can hold values in all columns, none NULL, that a file of
    statistics ``other`` holds too.
    """
    return all(_may_share(column, known_of(column, one), rows, known_of(column, other)) for column in columns)


def _may_share(column: Column, one: ColumnStatistics | None, rows: int, other: ColumnStatistics | None) -> bool:
    if one is not None and rows > 0 and one.nulls >= rows:
        return False
    domain = domain_of(column.type, column.type)
    if one is None or other is None or domain is None:
        return True
    read = bound_reader(domain, column.type)
    ends = [read(bound) for bound in (one.minimum, one.maximum, other.minimum, other.maximum)]
    if any(end is None for end in ends) or may_hold_nan(column.type):
        return True
    return bool(ends[0] <= ends[3] and ends[2] <= ends[1])
