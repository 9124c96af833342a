"""Rows of a kept result, from any row on, in pieces of bounded size: memory does not grow with the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.results import KeptFile
from catalog_app.storage.warehouse import Warehouse

PIECE_BYTES = 4 * 1024 * 1024
"""About what one piece takes as Arrow has it. A single row that is wider is a piece of its own."""
MOST_ROWS = 65_536
BUFFER_BYTES = 1024 * 1024
"""Of each column of the file that is read."""
PROBED_ROWS = 64


def kept_schema(warehouse: Warehouse, files: Sequence[KeptFile], names: Sequence[str]) -> pa.Schema:
    """The columns under their names. Raises FileNotFoundError where the result is gone."""
    with _opened(warehouse, files[0]) as file:
        found = file.schema_arrow
    fields = (found.field(column) for column in files[0].columns)
    return pa.schema([pa.field(name, field.type) for name, field in zip(names, fields, strict=True)])


def kept_batches(
    warehouse: Warehouse, files: Sequence[KeptFile], schema: pa.Schema, *, start: int = 0, limit: int | None = None
) -> Iterator[pa.RecordBatch]:
    """At most ``limit`` rows behind the first ``start``, under the schema. Raises FileNotFoundError where files are
    gone.
    """
    left = limit
    for kept in files:
        if left == 0:
            return
        if start >= kept.rows:
            start -= kept.rows
            continue
        with _opened(warehouse, kept) as file:
            for batch in _batches(file, kept.columns, start):
                found = batch if left is None else batch.slice(0, left)
                yield _under(found, kept.columns, schema)
                if left is not None:
                    left -= found.num_rows
                    if left == 0:
                        return
        start = 0


def _opened(warehouse: Warehouse, kept: KeptFile) -> pq.ParquetFile:
    """Its columns are read through buffers: else a row group would be held as a whole, however large it is."""
    path = warehouse.absolute(kept.path)
    return pq.ParquetFile(path, filesystem=warehouse.filesystem, buffer_size=BUFFER_BYTES, pre_buffer=False)


def _batches(file: pq.ParquetFile, columns: Sequence[str], start: int) -> Iterator[pa.RecordBatch]:
    """The rows of the file behind the first ``start``."""
    wanted = list(dict.fromkeys(columns))
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if start >= rows:
            start -= rows
            continue
        for batch in file.iter_batches(_rows_at_once(file, group, wanted), row_groups=[group], columns=wanted):
            if start >= batch.num_rows:
                start -= batch.num_rows
                continue
            yield batch.slice(start)
            start = 0


def _rows_at_once(file: pq.ParquetFile, group: int, columns: Sequence[str]) -> int:
    """By what the row group says of itself and by its first rows: a dictionary makes wide rows look narrow."""
    probe = next(file.iter_batches(PROBED_ROWS, row_groups=[group], columns=list(columns)))
    stored = file.metadata.row_group(group)
    width = max(probe.nbytes / probe.num_rows, stored.total_byte_size / stored.num_rows, 1)
    return max(1, min(MOST_ROWS, int(PIECE_BYTES / width)))


def _under(batch: pa.RecordBatch, columns: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [batch.column(name) for name in columns]
    same = (
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(arrays, schema, strict=True)
    )
    return pa.RecordBatch.from_arrays(list(same), schema=schema)
