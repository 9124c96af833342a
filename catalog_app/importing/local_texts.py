"""Numbers and days as people of a country write them, read as SQL writes them.

Which of two signs is the decimal mark, and whether the day or the month stands first, is never guessed: a person
chooses it. A text of another form is no value, also where a cast would take it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.assignment import NUMBERS
from lakeui.common.errors import InvalidValue

_TIMES = ("date", "timestamp", "timestamp_ntz")
_TIME_OF_DAY = r"([ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
_NO_DIGITS = r"[+-]?(?i:nan|inf|infinity)"
_DATE_MARKS = (r"\.", "/", "-")


class NumberFormat(StrEnum):
    """How 1234.5 is written. Each group behind the first has three digits; a number may do without groups."""

    COMMA_POINT = "1,234.5"
    POINT_COMMA = "1.234,5"
    BLANK_COMMA = "1 234,5"
    APOSTROPHE_POINT = "1'234.5"


class DateOrder(StrEnum):
    """In which order a day is written, between points, slashes or hyphens. Years have four digits."""

    YEAR_FIRST = "y-m-d"
    DAY_FIRST = "d.m.y"
    MONTH_FIRST = "m/d/y"


_MARKS = {
    NumberFormat.COMMA_POINT: (",", r"\."),
    NumberFormat.POINT_COMMA: (r"\.", ","),
    NumberFormat.BLANK_COMMA: ("[ \u00a0\u2009\u202f]", ","),
    NumberFormat.APOSTROPHE_POINT: ("['\u2019]", r"\."),
}
"""Patterns of what stands between groups, and before the fraction."""

_PARTS = {DateOrder.YEAR_FIRST: "ymd", DateOrder.DAY_FIRST: "dmy", DateOrder.MONTH_FIRST: "mdy"}


@dataclass(frozen=True, slots=True)
class LocalTexts:
    """What was chosen of a file's texts; None: a text is read as SQL reads it."""

    numbers: NumberFormat | None = None
    dates: DateOrder | None = None

    def plain(self, texts: pa.Array, kind: str) -> pa.Array:
        """The texts as SQL writes values of the type ``kind``, without blanks around them; NULL where a text is not of
        the chosen form. The same array where nothing is chosen for the type.
        """
        name = kind.partition("(")[0]
        if not pa.types.is_string(texts.type):
            return texts
        if self.numbers is not None and name in NUMBERS:
            return _numbers_plain(pc.utf8_trim_whitespace(texts), self.numbers)
        if self.dates is not None and name in _TIMES:
            return _days_plain(pc.utf8_trim_whitespace(texts), self.dates)
        return texts

    def require(self, texts: pa.Array, column: str, kind: str, *, first_row: int) -> pa.Array:
        """As ``plain``. Raises InvalidValue with the row of a text that is not of the chosen form, or that is no day of
        the calendar.
        """
        plain = self.plain(texts, kind)
        if plain is texts:
            return texts
        is_number = kind.partition("(")[0] in NUMBERS
        fits = plain.is_valid() if is_number else pc.and_(plain.is_valid(), _are_days(plain))
        wrong = np.flatnonzero(pc.and_(texts.is_valid(), pc.invert(fits)).to_numpy(False))
        if not len(wrong):
            return plain
        place = int(wrong[0])
        form = f"number written as {self.numbers}" if is_number else f"day written as {self.dates}"
        raise InvalidValue(
            f"Row {first_row + place:,}: {texts[place].as_py()} of column {column} is no {form}.",
            remedy="Mend the value, choose another form for the file, or the type string for the column.",
            row=first_row + place,
            column=column,
        )


def sample_plain(sample: Sequence[Sequence[Any]], types: Sequence[str], local: LocalTexts) -> list[list[Any]]:
    """Rows of a file with the values that its columns get in these types; a text that is none of them stays."""
    if local == LocalTexts() or not sample:
        return [list(row) for row in sample]
    columns = []
    for values, kind in zip(zip(*sample, strict=True), types, strict=True):
        texts = pa.array(values, pa.string())
        columns.append(pc.coalesce(local.plain(texts, kind), texts).to_pylist())
    return [list(row) for row in zip(*columns, strict=True)]


def _numbers_plain(texts: pa.Array, form: NumberFormat) -> pa.Array:
    group, point = _MARKS[form]
    whole = f"(?:[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]+)"
    pattern = f"^(?:[+-]?{whole}(?:{point}[0-9]+)?(?:[eE][+-]?[0-9]+)?|{_NO_DIGITS})$"
    fitting = _only(texts, pattern)
    return pc.replace_substring_regex(pc.replace_substring_regex(fitting, group, ""), point, ".")


def _days_plain(texts: pa.Array, order: DateOrder) -> pa.Array:
    parts = _PARTS[order]
    groups = {"y": "([0-9]{4})", "m": "([0-9]{1,2})", "d": "([0-9]{1,2})"}
    year, month, day = (parts.index(part) + 1 for part in "ymd")
    patterns = [f"^{mark.join(groups[part] for part in parts)}{_TIME_OF_DAY}$" for mark in _DATE_MARKS]
    plain = _only(texts, "|".join(patterns))
    for pattern in patterns:
        plain = pc.replace_substring_regex(plain, pattern, rf"\{year}-\{month}-\{day}\4")
    plain = pc.replace_substring_regex(plain, r"^([0-9]{4})-([0-9])-", r"\1-0\2-")
    return pc.replace_substring_regex(plain, r"^([0-9]{4}-[0-9]{2})-([0-9])($|[ T])", r"\1-0\2\3")


def _only(texts: pa.Array, pattern: str) -> pa.Array:
    return pc.if_else(pc.match_substring_regex(texts, pattern), texts, pa.scalar(None, pa.string()))


def _are_days(plain: pa.Array) -> pa.Array:
    """Which of the texts begin with a day of the calendar: a month has no day 31 beyond its end."""
    days = pc.utf8_slice_codeunits(plain, 0, 10)
    parsed = pc.strptime(days, format="%Y-%m-%d", unit="s", error_is_null=True)
    return pc.fill_null(pc.equal(pc.strftime(parsed, format="%Y-%m-%d"), days), False)
