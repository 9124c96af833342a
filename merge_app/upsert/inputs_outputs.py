"""What a keyed merge is asked to do, what it decided, and what it did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakeui.common.errors import InvalidValue
from lakeui.common.nearest import nearest_name

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
STEP_ROWS = 65_536
"""Rows in hand while a file is gone through: a take of wide text rows must stay below Arrow's 2 GiB a column."""

CODECS = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")
UNLIMITED = 2**63 - 1

_Choice = TypeVar("_Choice", bound=StrEnum)


def rows_taken(values: Any, rows: Integers) -> Any:
    """Rows of a table or a column by their numbers; where these follow each other, nothing is copied."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool((np.diff(rows) == 1).all()):
        return values.slice(int(rows[0]), len(rows))
    return values.take(pa.array(rows))


class Strategy(StrEnum):
    """What becomes of rows of the batch: those whose key the target has, and those whose key it lacks."""

    INSERT = "insert"
    UPDATE = "update"
    UPSERT = "upsert"

    @property
    def updates(self) -> bool:
        return self is not Strategy.INSERT

    @property
    def inserts(self) -> bool:
        return self is not Strategy.UPDATE


class ExtraColumns(StrEnum):
    """What becomes of columns of the batch that the target lacks, without schema evolution."""

    REFUSE = "refuse"
    IGNORE = "ignore"


class Implementation(StrEnum):
    """How rows are matched: DuckDB's MERGE, or a join, UNION ALL and NOT EXISTS, which every DuckDB has."""

    NATIVE = "native"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The question, checked.

    Keys are compared null-safely, and NaN equals NaN. Two rows of the batch with one key raise DuplicateKey, unless
    ``dedup_by`` names columns: the greatest row wins (rows §4). With ``schema_evolution`` the data set gains new
    columns and wider types, and columns that the batch lacks stay as they are. Without it such columns are an error. So
    are additional ones, unless ``extra_columns`` is ``ignore``. ``use_merge``: True demands DuckDB's MERGE, False
    refuses it, None takes it where this DuckDB has it. ``memory_limit`` is DuckDB's, ``lock_seconds`` how long another
    merge is waited for.
    """

    strategy: Strategy
    key_columns: tuple[str, ...]
    dedup_by: tuple[str, ...]
    partition_columns: tuple[str, ...] | None
    schema_evolution: bool
    extra_columns: ExtraColumns
    use_merge: bool | None
    memory_limit: str
    lock_seconds: float

    def named(self, known: Sequence[str]) -> MergeOptions:
        """With the target's spelling of its columns."""
        partitions = self.partition_columns
        return replace(
            self,
            key_columns=spelled(self.key_columns, known),
            dedup_by=spelled(self.dedup_by, known),
            partition_columns=None if partitions is None else spelled(partitions, known),
        )


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How data files are written. Without a size there is no limit to it."""

    compression: str | None
    max_rows_per_file: int
    row_group_size: int

    @classmethod
    def of(cls, compression: str | None, max_rows_per_file: int | None, row_group_size: int | None) -> FileFormat:
        """Raises InvalidValue for a codec that is not known, and for sizes below one row."""
        if compression is not None and compression.lower() not in CODECS:
            raise InvalidValue(
                f"{compression!r} is not a compression.",
                remedy=f"Use one of: {', '.join(CODECS)}.",
                field="compression",
                nearest=nearest_name(compression, CODECS),
            )
        for name, value in (("max_rows_per_file", max_rows_per_file), ("row_group_size", row_group_size)):
            if value is not None and value < 1:
                raise InvalidValue(f"{name} is {value}.", remedy="Give a number of rows, 1 or more, or None.")
        sizes = (UNLIMITED if value is None else value for value in (max_rows_per_file, row_group_size))
        return cls(compression, *sizes)


@dataclass(frozen=True, slots=True)
class Decisions:
    """What becomes of which row. Of equal length: ``files``, ``positions`` and ``rows`` say which row of the batch
    replaces the row of a file at a position, ordered by file and position. ``inserted`` are rows of the batch,
    ascending.
    """

    files: Integers
    positions: Integers
    rows: Integers
    inserted: Integers

    def of(self, kept: Flags) -> Decisions:
        """Without the matched rows that are not ``kept``."""
        return Decisions(self.files[kept], self.positions[kept], self.rows[kept], self.inserted)


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Rows and files of one merge. Every file of the target before it was skipped by its footer, or had keys read
    (``files_scanned``); ``files_reused`` are in the data set still, ``files_removed`` are not. ``rows_unchanged`` had
    the values of the batch already. ``bytes_written`` is None after a dry run, which writes none.
    """

    strategy: Strategy
    implementation: Implementation
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_unchanged: int = 0
    files_skipped: int = 0
    files_scanned: int = 0
    files_added: int = 0
    files_removed: int = 0
    files_reused: int = 0
    bytes_written: int | None = None
    added_columns: tuple[str, ...] = field(default=())


def choice(kind: type[_Choice], given: str, what: str) -> _Choice:
    """A member of an enumeration by its value; the error lists the valid ones."""
    try:
        return kind(given)
    except ValueError:
        valid = ", ".join(item.value for item in kind)
        raise InvalidValue(f"{given!r} is not a {what}.", remedy=f"Use one of: {valid}.") from None


def refuse_extra_columns(known: Iterable[str], given: Iterable[str], *, ranking: Iterable[str], where: str) -> None:
    """Raise InvalidValue where the batch has columns that the target lacks and that do not only rank its rows."""
    known = list(known)
    taken = {name.casefold() for name in (*known, *ranking)}
    extra = [name for name in given if name.casefold() not in taken]
    if extra:
        nearest = nearest_name(extra[0], known)
        meant = f"Did you mean {nearest}? " if nearest else ""
        raise InvalidValue(
            f"The batch has the column {', '.join(extra)}, which {where} lacks.",
            remedy=f"{meant}Leave it out, merge with schema_evolution, or with extra_columns=ignore.",
            field=extra[0],
            nearest=nearest,
            columns=extra,
        )


def spelled(given: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Names as ``known`` spells them; case makes no difference where a name is not there as it is written."""
    exact = set(known)
    by_folded = {name.casefold(): name for name in exact}
    return names(name if name in exact else by_folded.get(name.casefold(), name) for name in given)


def names(given: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several, each once."""
    listed = (given,) if isinstance(given, str) else tuple(given)
    if len(set(listed)) != len(listed):
        raise InvalidValue(f"A column is named twice: {', '.join(listed)}.", remedy="Name each column once.")
    return listed
