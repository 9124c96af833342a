"""Identity columns: numbers that no row of a column has twice, on whichever branches its rows were written.

A table counts its numbers once for all its branches. The number n gives each identity column START + n * INCREMENT. A
column keeps both for as long as it exists, so two different n never give it one value. Numbers that were taken are not
given back: what fails after that leaves a gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1
_STORED = re.compile(r"`[^`]+` AS IDENTITY (ALWAYS|BY DEFAULT) START WITH (-?\d+) INCREMENT BY (-?\d+)")


@dataclass(frozen=True, slots=True)
class Identity:
    """``always``: no statement gives the column a value of its own."""

    start: int = 1
    step: int = 1
    always: bool = True

    @property
    def shown(self) -> str:
        """As a statement says it."""
        return f"GENERATED {self._kind} AS IDENTITY (START WITH {self.start} INCREMENT BY {self.step})"

    @property
    def _kind(self) -> str:
        return "ALWAYS" if self.always else "BY DEFAULT"

    def stored(self, mark: str) -> str:
        """As the table keeps it, of the column with this mark."""
        return f"`{mark}` AS IDENTITY {self._kind} START WITH {self.start} INCREMENT BY {self.step}"

    def counts_like(self, other: Identity | None) -> bool:
        return other is not None and (self.start, self.step) == (other.start, other.step)

    def value(self, number: int) -> int:
        return self.start + number * self.step

    def number_behind(self, value: int) -> int:
        """The first number whose value lies behind this one."""
        return max(0, (value - self.start) // self.step + 1)


def in_bigint(value: int) -> bool:
    return _LEAST <= value <= _GREATEST


def identity_read(stored: str) -> Identity | None:
    """What is stored of an identity column; None of any other constraint."""
    found = _STORED.fullmatch(stored)
    return None if found is None else Identity(int(found[2]), int(found[3]), found[1] == "ALWAYS")
