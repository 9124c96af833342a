"""Which type takes every value of a column of text: decided over the whole column, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.importing.values import Misfit

_PADDED = r"^[+-]?0[0-9]"
_EXACT_DIGITS = 15
"""A double keeps so many decimal digits; numbers with more become decimals."""
_LARGEST_PRECISION = 38


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    arrow: pa.DataType
    is_not: str = ""
    """A pattern of texts that parse but probably mean something else: 007 is no number that may lose its zeros."""


_CANDIDATES = (
    _Candidate("boolean", pa.bool_(), r"^[01]$"),
    _Candidate("bigint", pa.int64(), _PADDED),
    _Candidate("double", pa.float64(), _PADDED),
    _Candidate("date", pa.date32()),
    _Candidate("timestamp_ntz", pa.timestamp("us")),
    _Candidate("timestamp", pa.timestamp("us", "UTC")),
)
TIMES = ("date", "timestamp_ntz", "timestamp")
EVERY = tuple(candidate.name for candidate in _CANDIDATES)


@dataclass(slots=True)
class TextProfile:
    """What a column's values can be. ``misfits``: by type, the first value that it does not take."""

    candidates: Sequence[str] = EVERY
    misfits: dict[str, Misfit] = field(default_factory=dict)
    has_values: bool = False
    _unlikely: set[str] = field(default_factory=set)
    _digits: tuple[int, int] | None = (0, 0)
    """Most digits before and after the point; None where some number has an exponent or is none."""

    def add(self, values: pa.Array, *, first_row: int) -> None:
        """Look at a batch whose first value is in row ``first_row``."""
        present = values.drop_null()
        self.has_values = self.has_values or len(present) > 0
        for candidate in _CANDIDATES:
            if candidate.name in self.candidates and candidate.name not in self.misfits:
                self._try(candidate, values, present, first_row)
        if "double" in self._possible:
            self._count_digits(present)

    def _try(self, candidate: _Candidate, values: pa.Array, present: pa.Array, first_row: int) -> None:
        if candidate.is_not and pc.any(pc.match_substring_regex(present, candidate.is_not)).as_py():
            self._unlikely.add(candidate.name)
        if not _parses(candidate, present):
            text = present[_first_unparsed(candidate, present)].as_py()
            row = first_row + pc.index(values, text).as_py()
            self.misfits[candidate.name] = Misfit(row, text if len(text) <= 80 else f"{text[:79]}…")

    @property
    def _possible(self) -> list[str]:
        return [name for name in self.candidates if name not in self.misfits and name not in self._unlikely]

    def _count_digits(self, present: pa.Array) -> None:
        if self._digits is None or not len(present):
            return
        plain = pc.all(pc.match_substring_regex(present, r"^[+-]?[0-9]*\.?[0-9]*$")).as_py()
        if not plain:
            self._digits = None
            return
        digits = pc.replace_substring_regex(present, r"^[+-]", "")
        point = pc.find_substring(digits, ".")
        length = pc.utf8_length(digits)
        whole = pc.if_else(pc.less(point, 0), length, point)
        part = pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1))
        before, after = self._digits
        self._digits = max(before, pc.max(whole).as_py()), max(after, pc.max(part).as_py())

    @property
    def inferred(self) -> str:
        """The first type that takes every value; ``string`` without any."""
        found = next(iter(self._possible), "string")
        if not self.has_values:
            return "string"
        return self._number() if found == "double" else found

    def _number(self) -> str:
        if self._digits is None or sum(self._digits) <= _EXACT_DIGITS:
            return "double"
        precision, scale = sum(self._digits), self._digits[1]
        return f"decimal({precision},{scale})" if precision <= _LARGEST_PRECISION else "double"


def _first_unparsed(candidate: _Candidate, values: pa.Array) -> int:
    """The place of the first value that does not parse; there is one."""
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if _parses(candidate, values[low : middle + 1]):
            low = middle + 1
        else:
            high = middle
    return low


def _parses(candidate: _Candidate, values: pa.Array) -> bool:
    try:
        pc.cast(values, candidate.arrow)
    except pa.ArrowInvalid:
        return False
    return True
