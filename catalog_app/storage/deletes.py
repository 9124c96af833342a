"""Delete files: Iceberg v2 position deletes of one data file, with the row ids that they took.

Columns: ``file_path`` (where the data file lay), ``pos`` (from 0) and ``_row_id``. lakeui itself finds the data file by
the ``base=`` folder, and joins on the address ``base + pos``. Other engines are given files made of these
(``positions_file``), which name where the data file lies now.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import ROW_ID_COLUMN, ROW_ID_FIELD, FileScan, NewDeleteFile, is_outside
from catalog_app.storage.warehouse import Warehouse

PATH_COLUMN, PATH_FIELD = "file_path", 2147483546
POSITION_COLUMN, POSITION_FIELD = "pos", 2147483545

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]


def _field(name: str, kind: pa.DataType, identifier: int, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"PARQUET:field_id": str(identifier)})


SCHEMA = pa.schema(
    [
        _field(PATH_COLUMN, pa.string(), PATH_FIELD),
        _field(POSITION_COLUMN, pa.int64(), POSITION_FIELD),
        _field(ROW_ID_COLUMN, pa.int64(), ROW_ID_FIELD),
    ]
)


def write_deletes(
    warehouse: Warehouse, *, table_id: int, file: FileScan, positions: Integers, row_ids: Integers
) -> NewDeleteFile:
    """Write one delete file for ``file``, under the name that it keeps."""
    order = np.argsort(positions, kind="stable")
    location = pa.scalar(warehouse.location(file.path))
    ascending = positions[order]
    columns = [pa.repeat(location, len(order)), pa.array(ascending), pa.array(row_ids[order])]
    content = pa.BufferOutputStream()
    table = pa.Table.from_arrays(columns, schema=SCHEMA)
    differences = dict.fromkeys((POSITION_COLUMN, ROW_ID_COLUMN), "DELTA_BINARY_PACKED")
    how = {"compression": "zstd", "store_schema": False, "use_dictionary": [PATH_COLUMN]}
    pq.write_table(table, content, column_encoding=differences, **how)
    path, whole = warehouse.new_deletes(table_id=table_id, base=file.base), content.getvalue()
    warehouse.write(path, whole)
    # The statement's own examples, and the next write of the file, need these.
    _KEPT.keep(warehouse, path, _distinct(ascending))
    return NewDeleteFile(path=path, data_file_id=file.file_id, rows=len(order), bytes=whole.size)


def positions_file(location: str, positions: Integers) -> bytes:
    """A delete file of ascending positions for other engines, as Iceberg v2 has it."""
    target = pa.BufferOutputStream()
    columns = [pa.repeat(pa.scalar(location), len(positions)), pa.array(positions)]
    pq.write_table(
        pa.Table.from_arrays(columns, schema=pa.schema([SCHEMA.field(PATH_COLUMN), SCHEMA.field(POSITION_COLUMN)])),
        target,
        compression="zstd",
        store_schema=False,
    )
    return bytes(target.getvalue())


def deleted_positions(warehouse: Warehouse, paths: Iterable[str]) -> Integers:
    """The distinct positions that delete files of one data file mark, ascending."""
    found = [_KEPT.of(warehouse, path) for path in dict.fromkeys(paths)]
    return _distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)


def _distinct(positions: Integers) -> Integers:
    """Those of one file mostly are, and ascend: to see that takes less than to sort them."""
    return positions if (positions[1:] > positions[:-1]).all() else np.unique(positions)


class _KeptPositions:
    """The positions of delete files that were read or written last. No file of ours is written twice. Threads share
    them.
    """

    MOST = 4_000_000
    LONGEST = 1_000_000

    def __init__(self) -> None:
        self._of: dict[str, Integers] = {}
        self._room = self.MOST
        self._lock = Lock()

    def of(self, warehouse: Warehouse, path: str) -> Integers:
        found = self._of.get(warehouse.absolute(path))
        if found is None:
            found = read_integers(warehouse, path, POSITION_COLUMN)
            self.keep(warehouse, path, found)
        return found

    def keep(self, warehouse: Warehouse, path: str, found: Integers) -> None:
        """Those that were kept first make room."""
        place = warehouse.absolute(path)
        if is_outside(path) or len(found) > self.LONGEST:
            return
        with self._lock:
            if place in self._of:
                return
            self._of[place] = found
            self._room -= _size(found)
            while self._room < 0:
                self._room += _size(self._of.pop(next(iter(self._of))))


def _size(found: Integers) -> int:
    """What a file needs besides its positions counts as a hundred of them."""
    return len(found) + 100


_KEPT = _KeptPositions()


def read_integers(warehouse: Warehouse, path: str, name: str) -> Integers:
    """One column of 64-bit integers without nulls, whole."""
    return read_columns(warehouse, path, name)[0]


def read_columns(warehouse: Warehouse, path: str, *names: str) -> list[Integers]:
    """Columns of 64-bit integers without nulls, whole."""
    with pq.ParquetFile(warehouse.absolute(path), filesystem=warehouse.filesystem) as file:
        # One column needs no second thread, for which a small file would wait.
        table = file.read(columns=list(names), use_threads=len(names) > 1)
    return [table.column(name).to_numpy().astype(np.int64, copy=False) for name in names]


def stored_row_ids(warehouse: Warehouse, file: FileScan) -> Integers:
    """The row id of every physical row of a data file, by position."""
    if file.stores_row_ids:
        return read_integers(warehouse, file.path, ROW_ID_COLUMN)
    return np.arange(file.base, file.base + file.rows, dtype=np.int64)


class StoredFacts(NamedTuple):
    """By position, the facts that a data file stores, as of ``RowsFact``. Kinds are numbers. Stamp 0: that of the
    segment; kind 0: all of the segment's fact.
    """

    stamp: Integers
    kind: Integers
    prior: Integers
    undoes: Integers


def live_rows(warehouse: Warehouse, file: FileScan) -> int:
    """Rows of a data file that no delete marks."""
    return file.rows - len(deleted_positions(warehouse, file.delete_paths))


def live_row_ids(warehouse: Warehouse, files: Iterable[FileScan]) -> Integers:
    """The row ids of the rows of these files that no delete marks, ascending."""
    found = [np.delete(stored_row_ids(warehouse, f), deleted_positions(warehouse, f.delete_paths)) for f in files]
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
