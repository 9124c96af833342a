"""Rows in the order of several columns at once: a curve through the ranges of each (Z-order), so that bounds of every
column are narrow in each file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import ORDERED, LaidBy, Transform
from catalog_app.engine.decoding import internal_name

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

_BITS = 6
"""Each column has so many bits of the curve: 64 ranges with about as many rows."""
_SAMPLE = 20_000
"""Ranges are made from about so many rows."""
_CURVE = "__lake_curve"


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The columns, in how many files the rows go at least, and how many rows there are."""

    columns: tuple[Column, ...]
    parts: int
    rows: int

    @classmethod
    def of(cls, columns: tuple[Column, ...], *, rows: int, size: int, target_bytes: int) -> RowOrder:
        return cls(columns, max(1, math.ceil(size / target_bytes)), rows)

    @property
    def marks(self) -> tuple[LaidBy, ...]:
        """By which a file is known to hold rows of this order."""
        return tuple(LaidBy(Transform(ORDERED, at, c.id), c.type, None) for at, c in enumerate(self.columns))

    def applied(self, rows: DataFrame, within: list[str]) -> DataFrame:
        """``rows`` under internal names in this order, apart by the columns ``within``."""
        curve = _curve(
            [_rank(internal_name(c), bounds) for c, bounds in zip(self.columns, self._bounds(rows), strict=True)]
        )
        names = [internal_name(column) for column in self.columns]
        curved = rows.selectExpr("*", f"{curve} AS {_CURVE}")
        ranged = curved.repartitionByRange(self.parts, *within, _CURVE)
        return ranged.sortWithinPartitions(*within, _CURVE, *names).drop(_CURVE)

    def _bounds(self, rows: DataFrame) -> list[list[str]]:
        """SQL of the values between the ranges of each column, ascending. A column without values has none."""
        count = (1 << _BITS) - 1
        few = rows if self.rows <= _SAMPLE else rows.sample(_SAMPLE / self.rows, 30)
        lists = [f"array_sort(collect_list({internal_name(c)})) AS s{at}" for at, c in enumerate(self.columns)]
        picked = [
            f"IF(size(s{at}) = 0, array(), transform(sequence(1, {count}),"
            f" i -> CAST(s{at}[CAST(floor(i * size(s{at}) / {count + 1}) AS INT)] AS STRING)))"
            for at in range(len(self.columns))
        ]
        (found,) = few.selectExpr(*lists).selectExpr(*picked).collect()
        return [
            [f"CAST(CAST(X'{text.encode().hex()}' AS STRING) AS {_comparable(column.type)})" for text in texts]
            for column, texts in zip(self.columns, found, strict=True)
        ]


def _comparable(column_type: str) -> str:
    """A type to which texts of the column's values are cast."""
    return "STRING" if column_type.startswith(("varchar", "char")) else column_type


def _rank(column: str, bounds: list[str]) -> str:
    """SQL of how many of the bounds are not above the value; NULL counts as the highest."""

    def tree(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        return f"IF({column} < {bounds[middle]}, {tree(low, middle)}, {tree(middle + 1, high)})"

    return tree(0, len(bounds))


def _curve(ranks: list[str]) -> str:
    """SQL of the bits of the ranks in turn, the highest of each first."""
    count = len(ranks)
    if count == 1:
        return ranks[0]
    bits = (
        f"shiftleft(CAST(shiftright(r{at}, {bit}) & 1 AS BIGINT), {bit * count + count - 1 - at})"
        for bit in range(_BITS)
        for at in range(count)
    )
    body = " | ".join(bits)
    for at, rank in enumerate(ranks):
        body = f"transform(array({rank}), r{at} -> {body})[0]"
    return body
