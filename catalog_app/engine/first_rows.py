"""The first rows of a table, read by this process: a job of Spark costs more than all else that a preview takes.

It answers what Spark answers, or None: all that ``plain_cells`` leaves to Spark, and too many bytes for an answer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.engine.answers import LARGEST_ANSWER_BYTES, json_rows
from catalog_app.engine.inputs_outputs import PlainRead, QueryResult
from catalog_app.engine.plain_cells import UNREADABLE, plain_cells
from catalog_app.engine.types import storage_type
from catalog_app.storage.deletes import Integers, deleted_positions
from catalog_app.storage.warehouse import Warehouse

MOST_FILES = 200
"""They are opened one after the other. More are read at once by the cores of Spark."""


def first_rows(warehouse: Warehouse, plain: PlainRead, *, limit: int) -> QueryResult | None:
    """At most ``limit`` rows of the query, in the order in which they were written; None where Spark is needed."""
    table = first_values(warehouse, plain, limit=limit + 1, most_bytes=LARGEST_ANSWER_BYTES)
    if table is None or table.nbytes > LARGEST_ANSWER_BYTES:
        return None
    columns = tuple((name, storage_type(column.type)) for name, column in plain.columns)
    return QueryResult(columns, json_rows(table.slice(0, limit)), table.num_rows > limit)


def first_values(warehouse: Warehouse, plain: PlainRead, *, limit: int, most_bytes: int) -> pa.Table | None:
    """The same rows as columns ``c0``, ``c1``, .., where they take at most ``most_bytes``."""
    wanted = {column.id: column for _, column in plain.columns}
    if not wanted:
        return None
    most = limit if plain.limit is None else min(plain.limit, limit)
    try:
        scan, addresses = _first_live(warehouse, plain.scan, most)
    except UNREADABLE:
        return None
    if len(scan.files) > MOST_FILES:
        return None
    schema = replace(plain.scan.schema, columns=tuple(wanted.values()))
    cells = plain_cells(warehouse, replace(scan, schema=schema), addresses, most_bytes=most_bytes)
    if cells is None:
        return None
    arrays = [cells.columns[column.id] for _, column in plain.columns]
    return pa.Table.from_arrays(arrays, names=[f"c{place}" for place in range(len(arrays))])


def _first_live(warehouse: Warehouse, scan: TableScan, most: int) -> tuple[TableScan, Integers]:
    """The files that have the first ``most`` live rows, and the addresses of these, ascending."""
    files: list[FileScan] = []
    found, left = [np.empty(0, dtype=np.int64)], most
    for file in sorted(scan.files, key=lambda file: file.base):
        if left <= 0 or len(files) > MOST_FILES:
            break
        deleted = deleted_positions(warehouse, file.delete_paths)
        # So many rows from the beginning hold as many live ones, whatever is deleted among them.
        positions = np.arange(min(file.rows, left + len(deleted)), dtype=np.int64)
        live = positions[~np.isin(positions, deleted, assume_unique=True)][:left]
        files.append(file)
        found.append(live + file.base)
        left -= len(live)
    return replace(scan, files=tuple(files)), np.concatenate(found)
