"""Which type takes every value of a column of text: decided over the whole column, batch by batch.

A type is inferred only where each value comes back as it was written: 1E5, NAN, +4930123, 0x1F and 007 are texts. A
number of a column with fractions may gain digits at its end, never lose one. Where a person chose how the file writes
numbers or days, the text is what SQL writes for the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.importing.local_texts import LocalTexts
from catalog_app.importing.spec import Misfit

LARGEST_PRECISION = 38
_WHOLE = r"^-?(0|[1-9][0-9]*)$"
_PLAIN = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_ZONE = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)"
_HEXADECIMAL = r"^\s*[+-]?0[xX]"
_SMALL = r"^-?0\.0000"
"""Doubles of that size come back with an exponent."""
_NEGATIVE_ZERO = r"^-0(\.0*)?$"
_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class _Candidate:
    """``as_written`` matches the texts that come back as they were; ``refused`` those that Arrow takes for a value and
    a cast in SQL does not.
    """

    name: str
    arrow: pa.DataType
    as_written: str
    refused: str = ""


_CANDIDATES = (
    _Candidate("boolean", pa.bool_(), r"^(true|false|True|False|TRUE|FALSE)$"),
    _Candidate("bigint", pa.int64(), _WHOLE, _HEXADECIMAL),
    _Candidate("double", pa.float64(), _PLAIN, _HEXADECIMAL),
    _Candidate("date", pa.date32(), f"^{_DAY}$"),
    _Candidate("timestamp_ntz", pa.timestamp("us"), f"^{_DAY}([ T]{_TIME})?$"),
    _Candidate("timestamp", pa.timestamp("us", "UTC"), f"^{_DAY}[ T]{_TIME}{_ZONE}$"),
)
TIMES = ("date", "timestamp_ntz", "timestamp")
EVERY = tuple(candidate.name for candidate in _CANDIDATES)


@dataclass(slots=True)
class _Digits:
    """Of a column of plain numbers: the most digits before and after the point, and what its values are like."""

    before: int = 0
    after: int = 0
    is_whole: bool = True
    is_double: bool = True
    """A double gives each value back as it was written."""
    has_negative_zero: bool = False

    def add(self, present: pa.Array) -> None:
        digits = pc.replace_substring_regex(present, r"^-", "")
        point = pc.find_substring(digits, ".")
        length = pc.utf8_length(digits)
        has_no_point = pc.less(point, 0)
        whole = pc.if_else(has_no_point, length, point)
        part = pc.if_else(has_no_point, 0, pc.subtract(pc.subtract(length, point), 1))
        self.before = max(self.before, pc.max(whole).as_py())
        self.after = max(self.after, pc.max(part).as_py())
        self.is_whole = self.after == 0
        self.is_double = self.is_double and _comes_back_from_double(present)
        self.has_negative_zero = self.has_negative_zero or _matches_any(present, _NEGATIVE_ZERO)

    @property
    def type(self) -> str:
        """The type that keeps every digit; ``string`` where none does."""
        if self.is_double and not self.is_whole:
            return "double"
        precision = self.before + self.after
        has_decimal = precision <= LARGEST_PRECISION and not self.has_negative_zero
        return f"decimal({precision},{self.after})" if has_decimal else "string"


@dataclass(slots=True)
class TextProfile:
    """What a column's values can be. ``misfits``: by type, the first value that it does not take."""

    candidates: Sequence[str] = EVERY
    local: LocalTexts = field(default_factory=LocalTexts)
    misfits: dict[str, Misfit] = field(default_factory=dict)
    has_values: bool = False
    _changed: set[str] = field(default_factory=set)
    """Types that take the values but would not give each back as it was written."""
    _digits: _Digits = field(default_factory=_Digits)

    def add(self, values: pa.Array, *, first_row: int) -> None:
        """Look at a batch whose first value is in row ``first_row``."""
        present = values.drop_null()
        if not len(present):
            return
        self.has_values = True
        for candidate in _CANDIDATES:
            if candidate.name in self.candidates and candidate.name not in self.misfits:
                self._try(candidate, values, present, first_row)
        if "double" in self._possible:
            self._digits.add(self.local.plain(present, "double"))

    def _try(self, candidate: _Candidate, values: pa.Array, present: pa.Array, first_row: int) -> None:
        plain = self.local.plain(present, candidate.name)
        if not pc.all(pc.match_substring_regex(plain, candidate.as_written)).as_py():
            self._changed.add(candidate.name)
        if candidate.name == "bigint" and _matches_any(plain, _NEGATIVE_ZERO):
            self._changed.add(candidate.name)
        if not _parses(candidate, plain):
            text = present[_first_unparsed(candidate, plain)].as_py()
            row = first_row + pc.index(values, text).as_py()
            shown = text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
            self.misfits[candidate.name] = Misfit(row, shown)

    @property
    def _possible(self) -> list[str]:
        return [name for name in self.candidates if name not in self.misfits and name not in self._changed]

    @property
    def inferred(self) -> str:
        """The first type that takes every value; ``string`` without any."""
        found = next(iter(self._possible), "string")
        if not self.has_values:
            return "string"
        return self._digits.type if found == "double" else found


def _comes_back_from_double(present: pa.Array) -> bool:
    if _matches_any(present, _SMALL):
        return False
    back = pc.cast(pc.cast(present, pa.float64()), pa.string())
    same = pc.or_(pc.equal(back, present), pc.equal(pc.binary_join_element_wise(back, "0", "."), present))
    return bool(pc.all(same).as_py())


def _matches_any(values: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())


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
    # A text of another form than the chosen one is NULL.
    if values.null_count or (candidate.refused and _matches_any(values, candidate.refused)):
        return False
    try:
        pc.cast(values, candidate.arrow)
    except pa.ArrowInvalid:
        return False
    return True
