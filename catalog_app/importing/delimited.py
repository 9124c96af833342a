"""CSV: its look guessed from the beginning, its rows as batches of text, its faults by line."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from catalog_app.importing.spec import Reading
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue

DELIMITERS = (",", ";", "\t", "|")
BLOCK_BYTES = 8 * 1024 * 1024
_LOOKED_AT = 64 * 1024
_MOST_LINES_OF_TITLE = 20
_NUMBER = re.compile(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", re.IGNORECASE)

csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True, slots=True)
class Delimited:
    """A CSV file and how it is read: ``header``, ``delimiter`` and ``skip_lines`` are decided."""

    path: Path
    reading: Reading
    names: tuple[str, ...]
    """Of the columns as the file has them; made up where it has none."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, every value a text. Raises InvalidValue with the line where a row cannot be read."""
        self.require_closed_quotes()
        if not self._has_rows():
            return
        texts = [f"c{index}" for index in range(len(self.names))]
        try:
            reader = pacsv.open_csv(
                self.path,
                read_options=pacsv.ReadOptions(
                    block_size=BLOCK_BYTES, use_threads=False, skip_rows=self.skipped, column_names=texts
                ),
                parse_options=pacsv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(texts, pa.string()),
                    null_values=["", self.reading.null_text],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
            skipped = not self.reading.header
            for batch in reader:
                # Names are given by place, as the file's may repeat: the header comes as the first row.
                yield batch if skipped else batch.slice(1)
                skipped = True
        except pa.ArrowInvalid as error:
            raise self._fault(str(error)) from None

    @property
    def delimiter(self) -> str:
        assert self.reading.delimiter is not None
        return self.reading.delimiter

    @property
    def skipped(self) -> int:
        assert self.reading.skip_lines is not None
        return self.reading.skip_lines

    def _has_rows(self) -> bool:
        rows = self._records()
        if self.reading.header:
            next(rows, None)
        return next(rows, None) is not None

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Every row with the line on which it begins."""
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(islice(file, self.skipped, None), delimiter=self.delimiter)
            begins = self.skipped + 1
            for row in rows:
                if row:
                    yield begins, row
                begins = self.skipped + rows.line_num + 1

    def require_closed_quotes(self) -> None:
        """Raise InvalidValue where a quoted value never ends: the parser would take the rest of the file for it."""
        with self.path.open("rb") as file:
            quotes = sum(chunk.count(b'"') for chunk in iter(lambda: file.read(BLOCK_BYTES), b""))
        if quotes % 2:
            self._require_strict()

    def _require_strict(self) -> None:
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(islice(file, self.skipped, None), delimiter=self.delimiter, strict=True)
            begins = self.skipped + 1
            try:
                for _ in rows:
                    begins = self.skipped + rows.line_num + 1
            except csv.Error:
                raise InvalidValue(
                    f"A quoted value in the row that begins on line {begins:,} does not end as it should.",
                    remedy='Close the quotes, and write a quote inside of a value twice ("").',
                    line=begins,
                ) from None

    def _fault(self, said: str) -> InvalidValue:
        """The error of a row that the parser refused, with its line."""
        wanted = len(self.names)
        for line, row in self._records():
            if len(row) != wanted:
                return InvalidValue(
                    f"Line {line:,} has {counted(len(row), 'value')}; the file has {counted(wanted, 'column')}.",
                    remedy="Mend the line, or choose another delimiter.",
                    line=line,
                )
        if "straddling" in said:
            return InvalidValue(f"A row is longer than {BLOCK_BYTES // 1024**2} MiB.", remedy="Shorten it.")
        return InvalidValue(f"The CSV cannot be read: {said}", remedy="Choose another delimiter, or mend the file.")


def delimited_open(path: Path, reading: Reading) -> Delimited:
    """The file with what the reading leaves open decided by its first rows."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        skipped = sum(1 for _ in islice(file, reading.skip_lines or 0))
        start = file.read(_LOOKED_AT)
    if not start.strip("\r\n"):
        raise InvalidValue(f"There is no row behind the first {skipped:,} lines.", remedy="Skip fewer lines.")
    delimiter = reading.delimiter or _guess_delimiter(start)
    if reading.skip_lines is None:
        skipped = _lines_of_title(start, delimiter)
        start = "".join(islice(StringIO(start, newline=""), skipped, None))
    rows = _first_rows(start, delimiter)
    header = _looks_like_header(rows) if reading.header is None else reading.header
    width = len(rows[0])
    names = rows[0] if header else [""] * width
    known = replace(reading, header=header, delimiter=delimiter, skip_lines=skipped)
    return Delimited(path, known, tuple(names))


def _first_rows(start: str, delimiter: str) -> list[list[str]]:
    rows = [row for row in csv.reader(start.splitlines(keepends=True), delimiter=delimiter) if row]
    # The last one may be cut off.
    return rows[:-1] if len(rows) > 1 and len(start) >= _LOOKED_AT else rows


def _lines_of_title(start: str, delimiter: str) -> int:
    """How many lines stand before the names of columns: each has a text in its first cell alone, or nothing."""
    rows = csv.reader(StringIO(start, newline=""), delimiter=delimiter)
    begins = 0
    for row in rows:
        if any(cell.strip() for cell in row[1:]):
            break
        begins = rows.line_num
    else:
        return 0
    names = [cell.strip() for cell in row]
    follows = next((row for row in rows if row), [])
    is_header = all(names) and len(set(names)) == len(names) == len(follows) and _looks_like_header([names, follows])
    return begins if is_header and begins <= _MOST_LINES_OF_TITLE else 0


def _guess_delimiter(start: str) -> str:
    """The delimiter that gives the most rows the same number of columns, more than one."""

    def agreement(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in _first_rows(start, delimiter))
        width, count = widths.most_common(1)[0]
        return (count / widths.total() if width > 1 else 0.0), width

    return max(DELIMITERS, key=agreement)


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Texts without a number among them: all there and all different, or above numbers. One row alone may be one."""
    first, *others = [[value.strip() for value in row] for row in rows]
    if any(_NUMBER.fullmatch(value) for value in first):
        return False
    if all(first) and len(set(first)) == len(first):
        return True
    return any(name and _NUMBER.fullmatch(value) for row in others for name, value in zip(first, row, strict=False))
