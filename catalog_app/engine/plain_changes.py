"""The first rows that two snapshots of a table do not share, found by this process: ids and deletes say which rows to
read. A job of Spark reads, joins and sorts all of them.

It answers what ``changes_dataframe`` answers, or None: many rows, and all that ``plain_cells`` leaves to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.engine.plain_cells import UNREADABLE, cells_shown_plainly, plain_cells
from catalog_app.engine.row_diff import files_masked
from catalog_app.engine.types import storage_type
from catalog_app.storage.cells import RowCells
from catalog_app.storage.deletes import Integers, deleted_positions, stored_row_ids
from catalog_app.storage.equal_values import same_values
from catalog_app.storage.warehouse import Warehouse

MOST_ROWS = 5_000_000
"""The ids of so many rows are held in memory. More are compared by Spark."""
MOST_COMPARED = 1_000_000
"""Of rows that both snapshots have, so many values are compared. More are compared by Spark."""
_CHANGES = (("delete", "update_before"), ("insert", "update_after"))
"""Of a row before and after: what it is called where the other side lacks the row, and where it has it."""


class _Elsewhere(Exception):
    """Spark has to find the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Rows of one snapshot: their ids, ascending, and the address of each."""

    scan: TableScan
    ids: Integers
    addresses: Integers

    def cells(self, warehouse: Warehouse, ids: Integers) -> RowCells:
        found = plain_cells(warehouse, self.scan, self.addresses[np.searchsorted(self.ids, ids)])
        if found is None:
            raise _Elsewhere
        return found


def plain_changes(warehouse: Warehouse, before: TableScan, after: TableScan, *, limit: int) -> QueryResult | None:
    """At most ``limit`` rows of what ``changes_dataframe`` gives; None where Spark is needed."""
    schema = after.schema
    if before.schema != schema or not schema.columns:
        return None
    masked = files_masked(before, after), files_masked(after, before)
    files = (*before.files, *(file for file in after.files if file.file_id not in masked[1]))
    if sum(file.rows for file in files) > MOST_ROWS:
        return None
    try:
        sides = _side(warehouse, before, masked[0]), _side(warehouse, after, masked[1])
        rows = _first(warehouse, sides, limit + 1)
    except (_Elsewhere, *UNREADABLE):
        return None
    kinds = ((column.name, storage_type(column.type)) for column in schema.columns)
    return QueryResult((("change", "string"), ("row_id", "bigint"), *kinds), rows[:limit], len(rows) > limit)


def _side(warehouse: Warehouse, scan: TableScan, masked: Mapping[int, FileScan]) -> _Side:
    """The live rows of the scan; of files that are ``masked`` those that the deletes there mark."""
    ids, addresses = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for file in scan.files:
        is_read = np.ones(file.rows, dtype=np.bool_)
        if file.file_id in masked:
            is_read[:] = False
            is_read[deleted_positions(warehouse, masked[file.file_id].delete_paths)] = True
        if is_read.any():
            is_read[deleted_positions(warehouse, file.delete_paths)] = False
        positions = np.flatnonzero(is_read)
        if len(positions):
            ids.append(stored_row_ids(warehouse, file)[positions])
            addresses.append(positions + file.base)
    found, places = np.concatenate(ids), np.concatenate(addresses)
    if (found[:-1] > found[1:]).any():
        order = np.argsort(found, kind="stable")
        found, places = found[order], places[order]
    return _Side(scan, found, places)


def _first(warehouse: Warehouse, sides: tuple[_Side, _Side], most: int) -> list[list[Any]]:
    """The first ``most`` rows. The first ids are mostly of rows that differ; if not, all others are compared."""
    # Those of either side ascend, so the first of both are among the first of each.
    first = np.union1d(sides[0].ids[:most], sides[1].ids[:most])[:most]
    rows = _differing(warehouse, sides, first, most)
    if len(rows) < most and len(first) == most:
        rest = np.union1d(sides[0].ids, sides[1].ids)[most:]
        if len(rest) * len(sides[0].scan.schema.columns) > MOST_COMPARED:
            raise _Elsewhere
        rows += _differing(warehouse, sides, rest, most - len(rows))
    return rows[:most]


def _differing(warehouse: Warehouse, sides: tuple[_Side, _Side], ids: Integers, most: int) -> list[list[Any]]:
    """Of the rows with these ids the first that differ, in order of their ids."""
    schema = sides[0].scan.schema
    here = [np.isin(ids, side.ids, assume_unique=True) for side in sides]
    cells = [side.cells(warehouse, ids[has]) for side, has in zip(sides, here, strict=True)]
    both = here[0] & here[1]
    differs = ~both
    shared = [held.take(np.flatnonzero(both[has])) for held, has in zip(cells, here, strict=True)]
    differs[both] = ~_same(schema, shared[0], shared[1])
    wanted = np.zeros(len(ids), dtype=np.bool_)
    wanted[np.flatnonzero(differs)[:most]] = True
    found: list[tuple[int, int, list[Any]]] = []
    for place, (held, has) in enumerate(zip(cells, here, strict=True)):
        shown = cells_shown_plainly(schema, held.take(np.flatnonzero(wanted[has])))
        if shown is None:
            raise _Elsewhere
        chosen = wanted & has
        for identifier, is_update, values in zip(ids[chosen].tolist(), both[chosen].tolist(), shown, strict=True):
            found.append((identifier, place, [_CHANGES[place][is_update], identifier, *values]))
    return [row for _, _, row in sorted(found, key=lambda item: item[:2])]


def _same(schema: Schema, one: RowCells, other: RowCells) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Row by row whether all values are the same, as ``same_value`` says it in SQL."""
    columns = [same_values(one.columns[column.id], other.columns[column.id]) for column in schema.columns]
    same: np.ndarray[Any, np.dtype[np.bool_]] = np.logical_and.reduce(columns)
    return same
