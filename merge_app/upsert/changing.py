"""Which matched rows the batch would change: rows that have its values already are not written (rows §1.5)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.pruning.intervals import UNKNOWN, Bounds
from catalog_app.storage.equal_values import same_values
from merge_app.upsert.dataset import DataFile, Dataset
from merge_app.upsert.inputs_outputs import STEP_ROWS, Decisions, Flags, Integers, rows_taken
from merge_app.upsert.row_groups import group_bounds
from merge_app.upsert.schemas import conformed, decoded


def changed_rows(dataset: Dataset, decisions: Decisions, batch: pa.Table, fields: Sequence[pa.Field]) -> Flags:
    """Of each matched row whether the batch has another value in one of the fields, which are columns of the batch."""
    comparison = _Comparison(batch, fields)

    def of_file(number: int) -> Flags:
        part = slice(*np.searchsorted(decisions.files, [number, number + 1]))
        file = dataset.files[number]
        with pq.ParquetFile(dataset.root / file.path, metadata=file.footer) as opened:
            compared = _Compared(file, opened, comparison)
            return compared.changed(decisions.positions[part], decisions.rows[part])

    numbers = np.unique(decisions.files).tolist()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(of_file, numbers))
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)


class _Comparison:
    """What all files are compared with: the batch, its bounds, and by column how many rows differed there so far."""

    def __init__(self, batch: pa.Table, fields: Sequence[pa.Field]) -> None:
        self.batch, self.fields = batch, fields
        self.bounds = {field.name: bounds_of(batch.column(field.name), field) for field in fields}
        self.differed: Counter[str] = Counter()


class _Compared:
    """Rows of one file beside rows of the batch. A column is read only for rows that no column before it changes.
    Columns in which most rows differed go first, then small ones.
    """

    def __init__(self, file: DataFile, opened: pq.ParquetFile, comparison: _Comparison) -> None:
        self._file, self._opened, self._comparison = file, opened, comparison
        self._bytes = {field.name: _bytes_of(file, field.name) for field in comparison.fields}

    def changed(self, positions: Integers, rows: Integers) -> Flags:
        """``positions`` are ascending, ``rows`` those of the batch that come there."""
        changed = np.zeros(len(positions), np.bool_)
        first = 0
        for group in range(self._file.footer.num_row_groups):
            last = first + self._file.footer.row_group(group).num_rows
            part = slice(*np.searchsorted(positions, [first, last]))
            if part.stop > part.start:
                changed[part] = self._changed_in_group(group, positions[part] - first, rows[part])
            first = last
        return changed

    def _changed_in_group(self, group: int, positions: Integers, rows: Integers) -> Flags:
        bounds = self._comparison.bounds
        if any(differ(group_bounds(self._file, group, f), bounds[f.name]) for f in self._comparison.fields):
            return np.ones(len(positions), np.bool_)
        changed = np.zeros(len(positions), np.bool_)
        differed = self._comparison.differed
        for field in sorted(self._comparison.fields, key=lambda f: (-differed[f.name], self._bytes[f.name])):
            wanted = pa.schema([field.with_nullable(True)])
            open_ = np.flatnonzero(~changed)
            if not len(open_):
                break
            stored = conformed(self._stored(group, field), wanted).column(0)
            for step in _steps(open_):
                given = rows_taken(self._comparison.batch.select([field.name]), rows[step])
                kept = rows_taken(stored, positions[step])
                changed[step] = ~same_values(kept, conformed(given, wanted).column(0))
            differed[field.name] += int(changed[open_].sum())
        return changed

    def _stored(self, group: int, field: pa.Field) -> pa.Table:
        if field.name not in self._file.schema.names:
            return pa.table([pa.nulls(self._file.footer.row_group(group).num_rows, field.type)], names=[field.name])
        return self._opened.read_row_group(group, columns=[field.name]).select([field.name])


def differ(stored: Bounds, given: Bounds) -> bool:
    """Whether bounds say that no value stored is one of those given. A NaN is in no bound, so none may be given."""
    if given is UNKNOWN or (stored.may_have_null and given.may_have_null):
        return False
    if stored.is_null or given.is_null:
        return True
    ends = (stored.maximum, given.minimum), (given.maximum, stored.minimum)
    return any(low is not None and high is not None and pc.less(low, high).as_py() for low, high in ends)


def bounds_of(values: pa.ChunkedArray, field: pa.Field) -> Bounds:
    """Of the batch's values in the type of the data set. Unknown but for numbers and times: texts take long to order,
    and what changes in all rows is mostly a time or a number.
    """
    kind = decoded(field.type)
    if not (pa.types.is_temporal(kind) or pa.types.is_integer(kind) or _is_real(kind)):
        return UNKNOWN
    try:
        plain = values.cast(kind)
        if pa.types.is_floating(kind) and pc.any(pc.is_nan(plain)).as_py():
            return UNKNOWN
        found = pc.min_max(plain)
    except pa.ArrowException:
        return UNKNOWN
    is_null = plain.null_count == len(plain)
    low, high = (None, None) if is_null else (found["min"], found["max"])
    return Bounds(low, high, may_have_null=plain.null_count > 0, is_null=is_null)


def _is_real(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _bytes_of(file: DataFile, name: str) -> int:
    """How much a column takes in the first row group, without the columns that it is compressed from."""
    if not file.footer.num_row_groups:
        return 0
    group = file.footer.row_group(0)
    chunks = (group.column(index) for index in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] == name)


def _steps(rows: Integers) -> Iterator[Integers]:
    return (rows[first : first + STEP_ROWS] for first in range(0, len(rows), STEP_ROWS))
