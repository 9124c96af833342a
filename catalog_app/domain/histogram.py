"""How values spread: numbers over intervals of one width, and the most frequent values. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

BINS = 20
TOP = 5
"""So many of the most frequent values are named."""


@dataclass(frozen=True, slots=True)
class Bin:
    """``count`` values lie in an interval around ``at``; all intervals of a column have one width."""

    at: float
    count: int


@dataclass(frozen=True, slots=True)
class Frequent:
    """A JSON value, and in how many rows it stands."""

    value: Any
    count: int


@dataclass(frozen=True, slots=True)
class Intervals:
    """``BINS`` intervals from the least to the largest number; one interval where their distance is no number."""

    least: float
    width: float

    @classmethod
    def between(cls, least: float | None, largest: float | None) -> Intervals | None:
        """None where there is no number, or where the distance of both is infinite."""
        if least is None or largest is None or not math.isfinite(largest - least):
            return None
        return cls(least, (largest - least) / BINS)

    def place(self, value: float) -> int:
        return min(math.floor((value - self.least) / self.width), BINS - 1) if self.width else 0

    def bin(self, place: int, count: int) -> Bin:
        return Bin(self.least + (place + 0.5) * self.width, count)

    def bins(self, numbers: Iterable[tuple[float, int]]) -> tuple[Bin, ...]:
        """Of numbers with their counts; intervals without any are left out."""
        counts = [0] * BINS
        for value, count in numbers:
            counts[self.place(value)] += count
        return tuple(self.bin(place, count) for place, count in enumerate(counts) if count)
