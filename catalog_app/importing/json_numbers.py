"""Numbers of JSON in types that keep each of their digits, at any depth.

JSON says of a number neither how large nor how exact it is. Arrow reads what is no BIGINT as a double, which keeps 15
to 17 digits. Where that would change a number of a column, the column is read as decimals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from catalog_app.importing.text_types import LARGEST_PRECISION
from lakeui.common.errors import InvalidValue

ITEM = "[]"
"""What stands in a path for the items of an array."""
KEY, VALUE = "{key}", "{value}"
"""The members of the pairs that an object becomes where it is a map."""
Place = tuple[str, ...]
_SURE_DIGITS = 15
_BIGINT = 2**63


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def path_text(place: Sequence[str]) -> str:
    """A path as people write it: ``m.value``, ``a.element.x``."""
    shown: list[str] = []
    for part in place:
        if part in (KEY, VALUE) and shown[-1:] == ["element"]:
            shown[-1] = part.strip("{}")
        else:
            shown.append("element" if part == ITEM else part)
    return ".".join(shown)


def is_sure(text: str) -> bool:
    """Whether the number keeps its digits as a BIGINT and as a double alike, whatever stands beside it."""
    return (len(text) <= _SURE_DIGITS and text.isdecimal()) or comes_back(text)


def comes_back(text: str) -> bool:
    """Whether a double has exactly the digits of the number."""
    back = repr(float(text))
    return back == text or Decimal(back) == Decimal(text)


@dataclass(slots=True)
class _Profile:
    """The numbers of one place: the most digits before and after the point, and what they are like."""

    before: int = 1
    after: int = 0
    is_whole: bool = True
    is_bigint: bool = True
    inexact: tuple[int, str] | None = None
    """Row (from 1) and text of the first number that is another one as a double."""

    def add(self, text: str, row: int) -> None:
        is_whole = text.removeprefix("-").isdecimal()
        digits = Decimal(text).as_tuple()
        assert isinstance(digits.exponent, int)
        self.before = max(self.before, len(digits.digits) + digits.exponent)
        self.after = max(self.after, -digits.exponent)
        self.is_whole = self.is_whole and is_whole
        self.is_bigint = self.is_bigint and is_whole and -_BIGINT <= int(text) < _BIGINT
        if self.inexact is None and not comes_back(text):
            self.inexact = (row, text)

    def type(self, place: Place) -> pa.DataType:
        """The type that keeps every digit. Raises InvalidValue where none does."""
        if self.is_bigint:
            return pa.int64()
        if self.inexact is None and not self.is_whole:
            return pa.float64()
        if self.before + self.after <= LARGEST_PRECISION:
            return pa.decimal128(self.before + self.after, self.after)
        row, text = self.inexact or (1, "its number")
        column = path_text(place)
        raise InvalidValue(
            f"Row {row:,}: {text} in {column} would lose digits as a double, and no decimal has room for all digits of"
            f" {column}: {self.before} before the point and {self.after} behind it.",
            remedy="Write these numbers as texts.",
            row=row,
            column=place[0],
        )


@dataclass(slots=True)
class NumberProfiles:
    """What the numbers of a file are like, by the place where they stand."""

    found: dict[Place, _Profile] = field(default_factory=dict)

    def look(self, value: Any, row: int, place: Place = ()) -> None:
        if isinstance(value, Number):
            self.found.setdefault(place, _Profile()).add(value, row)
        elif isinstance(value, dict):
            for name, item in value.items():
                self.look(item, row, (*place, name))
        elif isinstance(value, list):
            for item in value:
                self.look(item, row, (*place, ITEM))

    def require(self) -> None:
        """Raise InvalidValue for the first number that no type keeps."""
        for place, profile in self.found.items():
            profile.type(place)

    def kept(self, kind: pa.DataType, place: Place) -> pa.DataType:
        """The type with numbers in types that keep them."""
        if pa.types.is_list(kind):
            return pa.list_(self.kept(kind.value_type, (*place, ITEM)))
        if pa.types.is_struct(kind):
            return pa.struct([item.with_type(self.kept(item.type, (*place, item.name))) for item in kind])
        profile = self.found.get(place)
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        return profile.type(place) if profile is not None and is_number else kind


def numbers_profile(lines: Path) -> NumberProfiles:
    """Look at every number of a file of one object a line."""
    profiles = NumberProfiles()
    decoder = json.JSONDecoder(parse_int=Number, parse_float=Number)
    with lines.open(encoding="utf-8", newline="\n") as file:
        for row, line in enumerate(file, start=1):
            value: Mapping[str, Any] = decoder.decode(line)
            profiles.look(value, row)
    return profiles
