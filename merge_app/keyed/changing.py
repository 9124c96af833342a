"""Which matched rows the batch would change: rows that have its values already are not written (rows §1.5)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from merge_app.keyed.comparing import same_values
from merge_app.keyed.dataset import DataFile, Dataset
from merge_app.keyed.schemas import conformed
from merge_app.keyed.values import STEP_ROWS, Decisions, Flags, Integers


def changed_rows(dataset: Dataset, decisions: Decisions, batch: pa.Table, fields: Sequence[pa.Field]) -> Flags:
    """Of each matched row whether the batch has another value in one of the fields, which are columns of the batch."""

    def of_file(number: int) -> Flags:
        part = slice(*np.searchsorted(decisions.files, [number, number + 1]))
        file = dataset.files[number]
        with pq.ParquetFile(dataset.root / file.path, metadata=file.footer) as opened:
            compared = _Compared(file, opened, batch, fields)
            return compared.changed(decisions.positions[part], decisions.rows[part])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(of_file, np.unique(decisions.files).tolist()))
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)


class _Compared:
    """Rows of one file beside rows of the batch. A column is read only for rows that no column before it changes, and
    small columns go first.
    """

    def __init__(self, file: DataFile, opened: pq.ParquetFile, batch: pa.Table, fields: Sequence[pa.Field]) -> None:
        self._file, self._opened, self._batch = file, opened, batch
        self._fields = sorted(fields, key=lambda field: _bytes_of(file, field.name))

    def changed(self, positions: Integers, rows: Integers) -> Flags:
        """``positions`` are ascending, ``rows`` those of the batch that come there."""
        changed = np.zeros(len(positions), np.bool_)
        first = 0
        for group in range(self._file.footer.num_row_groups):
            last = first + self._file.footer.row_group(group).num_rows
            part = slice(*np.searchsorted(positions, [first, last]))
            changed[part] = self._changed_in_group(group, positions[part] - first, rows[part])
            first = last
        return changed

    def _changed_in_group(self, group: int, positions: Integers, rows: Integers) -> Flags:
        changed = np.zeros(len(positions), np.bool_)
        for field in self._fields:
            wanted = pa.schema([field.with_nullable(True)])
            open_ = np.flatnonzero(~changed)
            if not len(open_):
                break
            stored = conformed(self._stored(group, field), wanted).column(0)
            for step in _steps(open_):
                given = self._batch.select([field.name]).take(pa.array(rows[step]))
                kept = stored.take(pa.array(positions[step]))
                changed[step] = ~same_values(kept, conformed(given, wanted).column(0))
        return changed

    def _stored(self, group: int, field: pa.Field) -> pa.Table:
        if field.name not in self._file.schema.names:
            return pa.table([pa.nulls(self._file.footer.row_group(group).num_rows, field.type)], names=[field.name])
        return self._opened.read_row_group(group, columns=[field.name]).select([field.name])


def _bytes_of(file: DataFile, name: str) -> int:
    """How much a column takes in the first row group, without the columns that it is compressed from."""
    if not file.footer.num_row_groups:
        return 0
    group = file.footer.row_group(0)
    chunks = (group.column(index) for index in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] == name)


def _steps(rows: Integers) -> Iterator[Integers]:
    return (rows[first : first + STEP_ROWS] for first in range(0, len(rows), STEP_ROWS))
