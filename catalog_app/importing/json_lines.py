"""JSON: an array of objects, or objects one after another, made one object a line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from catalog_app.domain.types import ParsedType
from catalog_app.importing.json_maps import pairs_written
from catalog_app.importing.json_numbers import Number, is_sure
from lakeui.common.errors import InvalidValue

CHUNK_CHARACTERS = 1024 * 1024
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Written:
    """How many objects were written, and whether all numbers keep their digits as BIGINT and double alike."""

    objects: int
    is_sure: bool


def json_lines_write(path: Path, target: Path, maps: Mapping[str, ParsedType]) -> Written:
    """Write each object of the file as one line, its text unchanged but for line breaks and the objects that are maps.

    ``maps``: the types of columns that hold maps, by member. Raises InvalidValue with the line of what is no object or
    cannot be read.
    """
    count = 0
    with path.open(encoding="utf-8-sig", newline="") as file, target.open("w", encoding="utf-8") as lines:
        objects = _Objects(file, maps)
        for text in objects:
            # Outside of strings line breaks mean nothing, inside JSON has none.
            lines.write(text.replace("\r", " ").replace("\n", " ") + "\n")
            count += 1
    return Written(count, objects.is_sure)


class _Objects:
    """The texts of a file's objects in order, holding no more of it than needed."""

    def __init__(self, file: TextIO, maps: Mapping[str, ParsedType]) -> None:
        self._file = file
        self._maps = maps
        self._text = ""
        self._place = 0
        self._line = 1
        self._chunk = CHUNK_CHARACTERS
        self.is_sure = True
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._members,
            parse_constant=self._refuse_constant,
            parse_int=self._number,
            parse_float=self._number,
        )

    def __iter__(self) -> Iterator[str]:
        is_array = self._peek() == "["
        if is_array:
            self._step()
        while (character := self._peek()) and character != "]":
            yield self._object()
            if is_array and self._peek() == ",":
                self._step()
                if self._peek() in ("", "]"):
                    raise self._fault("A value is missing behind the last comma", self._place)
            elif is_array and self._peek() != "]":
                raise self._fault("The array does not end, or a comma is missing", self._place)
        if is_array != (self._peek() == "]"):
            raise self._fault("The array does not end" if is_array else "A ] has no beginning", self._place)
        if is_array:
            self._step()
            if self._peek():
                raise self._fault("Something follows the array", self._place)

    def _object(self) -> str:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                behind = error.pos - self._place
                if self._more():
                    continue
                raise self._fault(error.msg, self._place + behind) from None
            if not isinstance(value, dict):
                raise self._fault('Here is no object: a row is written as {"column": value}', self._place)
            text = self._text[self._place : end] if self._maps.keys().isdisjoint(value) else self._with_pairs(value)
            self._place = end
            return text

    def _with_pairs(self, row: Mapping[str, Any]) -> str:
        # Keys become numbers, which the decoder has not seen.
        self.is_sure = False
        return pairs_written(row, self._maps, self._line_at(self._place))

    def _peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            match = _BLANK.match(self._text, self._place)
            assert match is not None
            self._place = match.end()
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def _step(self) -> None:
        self._place += 1

    def _more(self) -> bool:
        """Read on, each time twice as much: a value that fills the file is not looked at once a chunk."""
        read = self._file.read(self._chunk)
        self._line += self._text.count("\n", 0, self._place)
        self._text, self._place = self._text[self._place :] + read, 0
        self._chunk = CHUNK_CHARACTERS if len(self._text) < self._chunk else self._chunk * 2
        return bool(read)

    def _line_at(self, place: int) -> int:
        return self._line + self._text.count("\n", 0, place)

    def _fault(self, what: str, place: int) -> InvalidValue:
        line = self._line_at(place)
        return InvalidValue(
            f"Line {line:,} of the JSON cannot be read: {what}.",
            remedy="Write an array of objects, or one object a line.",
            line=line,
        )

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """The object of these members. Raises InvalidValue where two have one name: one of the values would be lost."""
        read = dict(pairs)
        if len(read) != len(pairs):
            ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
            line = self._line_at(self._place)
            raise InvalidValue(
                f"The object that begins on line {line:,} of the JSON has the member {name} twice.",
                remedy="Write each member of an object once.",
                line=line,
                field=name,
            )
        return read

    def _number(self, text: str) -> Number:
        self.is_sure = self.is_sure and is_sure(text)
        return Number(text)

    def _refuse_constant(self, name: str) -> Any:
        raise self._fault(f"JSON has no value {name}", self._place)
