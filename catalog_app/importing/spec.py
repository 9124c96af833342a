"""Files of people's own as values: how one is read, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from catalog_app.importing.local_texts import DateOrder, LocalTexts, NumberFormat
from catalog_app.importing.unpacking import Compression


class FileFormat(StrEnum):
    """What a file holds, by its content."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What becomes of the file's column ``source``. ``type`` is canonical Spark SQL type text."""

    source: str
    name: str
    type: str
    include: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read. The first four and the last two are of CSV; None in ``header``, ``delimiter`` and
    ``skip_lines``: as the file looks.

    ``null_text``: what, unquoted, stands for NULL beside nothing at all. ``skip_lines``: how many lines at the
    beginning are no part of the table, such as a title. ``encoding``: of a text file, a name of
    ``ENCODINGS``; None for files that are no text. ``compression`` is what the file's first bytes say.
    """

    header: bool | None = None
    delimiter: str | None = None
    null_text: str = ""
    skip_lines: int | None = 0
    columns: tuple[ColumnChoice, ...] = ()
    encoding: str | None = None
    compression: Compression | None = None
    numbers: NumberFormat | None = None
    dates: DateOrder | None = None

    @property
    def local(self) -> LocalTexts:
        return LocalTexts(self.numbers, self.dates)

    @property
    def chosen(self) -> tuple[ColumnChoice, ...]:
        return tuple(column for column in self.columns if column.include)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Reading:
        columns = tuple(ColumnChoice(**column) for column in value["columns"])
        packed = value.get("compression")
        numbers, dates = value.get("numbers"), value.get("dates")
        enums = {
            "compression": Compression(packed) if packed else None,
            "numbers": NumberFormat(numbers) if numbers else None,
            "dates": DateOrder(dates) if dates else None,
        }
        return cls(**{**value, "columns": columns, **enums})


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first value of a column that a type does not take; ``row`` counts from 1."""

    row: int
    value: str


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column of a file. ``inferred`` is the type that takes all its values; ``misfits`` name, by type, the first
    value that a type does not take. Text columns (``is_text``) are cast when they are loaded. ``is_empty``: no row has
    a value.
    """

    source: str
    inferred: str
    is_text: bool
    misfits: Mapping[str, Misfit] = field(default_factory=dict)
    is_empty: bool = False


_TAKEN_AS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint",)),
    **dict.fromkeys(("float", "double", "decimal"), ("double",)),
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), ("date", "timestamp", "timestamp_ntz")),
}
"""By the name of a type, those of which one must take a text for a cast to succeed."""


def misfit_of(column: FoundColumn, chosen_type: str) -> Misfit | None:
    """A value of the column for which a cast to the type would fail; None where none is known."""
    tried = _TAKEN_AS.get(chosen_type.partition("(")[0], ())
    found = [column.misfits.get(name) for name in tried]
    return found[0] if found and None not in found else None


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over a file found. ``sample`` holds its first rows as JSON values, in the columns' order.
    ``doubled``: names of columns that another one has before them; case makes no difference.
    """

    reading: Reading
    columns: tuple[FoundColumn, ...]
    rows: int
    sample: list[list[Any]]
    warnings: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()

    def with_warnings(self, *more: str) -> Scan:
        return replace(self, warnings=(*self.warnings, *more))

    def as_json(self) -> dict[str, Any]:
        """All but the reading, ``is_empty``, and ``doubled``, which the warnings name."""
        columns = [asdict(column) for column in self.columns]
        for column in columns:
            del column["is_empty"]
        return {
            "columns": columns,
            "rows": self.rows,
            "sample": self.sample,
            "warnings": list(self.warnings),
        }
