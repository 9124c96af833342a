"""Data files written anew: rows replaced where they lie, rows taken out, and new rows in files of their own.

One file in gives one file out, in the same order, unless it grew over the largest size. Memory holds one row group.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeui.common.parquet import dictionary_columns
from merge_app.upsert.dataset import DataFile
from merge_app.upsert.inputs_outputs import STEP_ROWS, FileFormat, Flags, Integers, rows_taken
from merge_app.upsert.schemas import completed, conformed

_OWN_MARK = re.compile(r"\.[0-9a-f]{12}$")


@dataclass(frozen=True, slots=True)
class Replacement:
    """What changes in one file: at ``positions``, ascending, come ``rows`` of the batch; rows at ``removed`` go."""

    file: DataFile
    positions: Integers
    rows: Integers
    removed: Integers


class PartWriter:
    """Writes tables to files ``<stem>.<mark>.parquet`` in a folder, as many as their largest size asks for.

    ``written`` lists them relative to ``root``, in order. Nothing is made where no row is written.
    """

    def __init__(self, root: Path, folder: str, stem: str, schema: pa.Schema, form: FileFormat) -> None:
        self._root, self._folder, self._stem = root, folder, stem
        self._schema, self._form = schema, form
        self._waiting: list[pa.Table] = []
        self._waiting_rows = self._rows_in_file = 0
        self._writer: pq.ParquetWriter | None = None
        self.written: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._close_file()

    def write(self, table: pa.Table) -> None:
        while table.num_rows:
            part = table.slice(0, self._room())
            table = table.slice(part.num_rows)
            self._waiting.append(part)
            self._waiting_rows += part.num_rows
            if not self._room():
                self._flush()

    def _room(self) -> int:
        """Rows that the row group in hand still takes."""
        largest = min(self._form.row_group_size, self._form.max_rows_per_file - self._rows_in_file)
        return largest - self._waiting_rows

    def _flush(self) -> None:
        if not self._waiting_rows:
            return
        writer = self._writer or self._open_file()
        writer.write_table(pa.concat_tables(self._waiting).unify_dictionaries(), row_group_size=self._waiting_rows)
        self._rows_in_file += self._waiting_rows
        self._waiting, self._waiting_rows = [], 0
        if self._rows_in_file >= self._form.max_rows_per_file:
            self._close_file()

    def _open_file(self) -> pq.ParquetWriter:
        name = f"{self._stem}.{uuid.uuid4().hex[:12]}.parquet"
        path = f"{self._folder}/{name}" if self._folder else name
        (self._root / path).parent.mkdir(parents=True, exist_ok=True)
        compression, encoded = self._form.compression or "none", dictionary_columns(self._schema)
        self._writer = pq.ParquetWriter(
            self._root / path, self._schema, compression=compression, use_dictionary=encoded
        )
        self.written.append(path)
        return self._writer

    def _close_file(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer, self._rows_in_file = None, 0


def file_rewrite(
    change: Replacement, *, source: Path, staged: Path, batch: pa.Table, schema: pa.Schema, form: FileFormat
) -> list[str]:
    """Write the file of ``change`` under ``staged``, changed; answers the paths there, none where no row is left."""
    file = change.file
    stem = _OWN_MARK.sub("", file.path.rpartition("/")[2].rpartition(".")[0])
    with (
        pq.ParquetFile(source / file.path) as opened,
        PartWriter(staged, file.folder, stem, schema, form) as writer,
    ):
        if _is_whole(change, batch, schema):
            _write_given(writer, change, batch, schema)
            return writer.written
        first = 0
        for step in opened.iter_batches(batch_size=STEP_ROWS):
            rows = completed(pa.Table.from_batches([step]), schema)
            writer.write(_changed(rows, first, change, batch))
            first += step.num_rows
    return writer.written


def _is_whole(change: Replacement, batch: pa.Table, schema: pa.Schema) -> bool:
    """Whether the batch has every value of every row of the file."""
    return len(change.positions) == change.file.footer.num_rows and set(schema.names) <= set(batch.column_names)


def _write_given(writer: PartWriter, change: Replacement, batch: pa.Table, schema: pa.Schema) -> None:
    for first in range(0, len(change.rows), STEP_ROWS):
        writer.write(completed(rows_taken(batch, change.rows[first : first + STEP_ROWS]), schema))


def rows_write(
    rows: Integers, *, folder: str, staged: Path, batch: pa.Table, schema: pa.Schema, form: FileFormat
) -> list[str]:
    """Write rows of the batch to new files of one partition folder under ``staged``; answers the paths there."""
    with PartWriter(staged, folder, "part", schema, form) as writer:
        for first in range(0, len(rows), STEP_ROWS):
            writer.write(completed(rows_taken(batch, rows[first : first + STEP_ROWS]), schema))
    return writer.written


def _changed(table: pa.Table, first: int, change: Replacement, batch: pa.Table) -> pa.Table:
    """Rows ``first`` and following of the file, changed. Columns that the batch lacks keep their values."""
    last = first + table.num_rows
    start, stop = np.searchsorted(change.positions, [first, last])
    if stop > start:
        given = conformed(rows_taken(batch, change.rows[start:stop]), table.schema)
        origin = np.arange(table.num_rows)
        origin[change.positions[start:stop] - first] = table.num_rows + np.arange(stop - start)
        indices = pa.array(origin)
        for column in _shared(table, given):
            values = pa.chunked_array([*table.column(column).chunks, *given.column(column).chunks])
            table = table.set_column(
                table.schema.get_field_index(column), table.schema.field(column), values.take(indices)
            )
    removed = change.removed[(change.removed >= first) & (change.removed < last)] - first
    if len(removed):
        stays = np.ones(table.num_rows, np.bool_)
        stays[removed] = False
        table = table.filter(pa.array(stays))
    return table


def _shared(table: pa.Table, given: pa.Table) -> Iterator[str]:
    return (name for name in table.column_names if name in given.column_names)


def replacements(
    files: Sequence[DataFile], file_numbers: Integers, positions: Integers, rows: Integers, moves: Flags
) -> list[Replacement]:
    """Matched rows by file. ``moves`` marks those whose new image belongs to another partition."""
    found = []
    for number in np.unique(file_numbers):
        start, stop = np.searchsorted(file_numbers, [number, number + 1])
        part = slice(int(start), int(stop))
        stays = ~moves[part]
        found.append(Replacement(files[number], positions[part][stays], rows[part][stays], positions[part][~stays]))
    return found
