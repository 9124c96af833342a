"""Parts of files, and deletes of all live rows: this process writes them, without Spark."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.files import ROW_ID_COLUMN, FileScan, NewDeleteFile, TableScan
from catalog_app.engine.rewriting import _bins, mark_live_rows, part_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import StoredFacts, read_integers, stored_row_ids, write_deletes
from catalog_app.storage.facts import file_rows, rows_find
from catalog_app.storage.warehouse import Warehouse
from tests.engine.lake import schema_of

SCHEMA = schema_of("id bigint")


class Files:
    """Files of one table, each with the row ids that it is given, or with those of its addresses."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = Warehouse(str(folder))
        bases = itertools.count(0, 100)
        self.writer = FileWriter(self.warehouse, lambda table_id, count: next(bases), lambda table_id, count: 0)
        self._numbers = itertools.count(1)

    def plain(self, rows: int) -> FileScan:
        return self._write(pa.table({"__c1": pa.array(range(rows), pa.int64())}), with_row_ids=False)

    def holding(self, *row_ids: int) -> FileScan:
        values = pa.array(row_ids, pa.int64())
        return self._write(pa.table({"__c1": values, ROW_ID_COLUMN: values}), with_row_ids=True)

    def _write(self, table: pa.Table, *, with_row_ids: bool) -> FileScan:
        (file,) = self.writer.write_arrow(Target(1, SCHEMA, with_row_ids=with_row_ids), table)
        return FileScan(
            next(self._numbers), file.path, file.base, file.rows, SCHEMA, stores_row_ids=file.stores_row_ids
        )

    def without(self, file: FileScan, *row_ids: int) -> FileScan:
        """The file with one more delete file, which marks these rows."""
        stored = stored_row_ids(self.warehouse, file)
        positions = np.flatnonzero(np.isin(stored, row_ids)).astype(np.int64)
        made = write_deletes(self.warehouse, table_id=1, file=file, positions=positions, row_ids=stored[positions])
        return replace(file, delete_paths=(*file.delete_paths, made.path))

    def marked(self, made: Iterable[NewDeleteFile]) -> dict[int, list[int]]:
        """Row ids by the number of the file in which they are marked."""
        return {
            item.data_file_id: np.unique(read_integers(self.warehouse, item.path, ROW_ID_COLUMN)).tolist()
            for item in made
        }


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_sizes_of_files_are_those_of_the_catalog() -> None:
    """A store is not asked for them: these files are nowhere."""
    sizes = {0: 30, 100: 30, 200: 50, 300: 90, 400: 10}
    found = tuple(FileScan(base, f"1/data/{base}", base, 100, SCHEMA, bytes=size) for base, size in sizes.items())
    packed = [[file.base for file in files] for _, files in _bins(TableScan(1, SCHEMA, found), 100)]
    assert packed == [[0, 100], [200], [300, 400]]


def test_all_live_rows_of_a_file_are_marked(files: Files) -> None:
    file = files.without(files.holding(0, 1, 2, 101), 2)
    made = mark_live_rows(files.writer, 1, file)
    assert made is not None
    assert files.marked([made]) == {file.file_id: [0, 1, 101]}
    assert mark_live_rows(files.writer, 1, files.without(file, 0, 1, 101)) is None


def facts_of(*stamps: int) -> StoredFacts:
    numbers = np.array(stamps, dtype=np.int64)
    return StoredFacts(numbers, np.full(len(stamps), 2), numbers * 10, numbers * 100)


def test_parts_of_files_keep_ids_and_facts(files: Files) -> None:
    file = files.plain(4)
    made = part_rows(files.writer, 1, file, np.array([1, 3]), facts_of(5, 6, 7, 0))
    assert (made.rows, made.stores_row_ids, made.smallest_row_id, made.largest_row_id) == (2, True, 1, 3)
    assert made.stamps == (0, 6)
    part = FileScan(9, made.path, made.base, made.rows, SCHEMA, stores_row_ids=True, stores_stamps=True)
    row_ids, facts = file_rows(files.warehouse, part)
    assert facts is not None
    assert (row_ids.tolist(), facts.stamp.tolist(), facts.kind.tolist()) == ([1, 3], [6, 0], [2, 2])
    assert (facts.prior.tolist(), facts.undoes.tolist()) == ([60, 0], [600, 0])


def test_a_part_of_a_part_stores_facts_once(files: Files) -> None:
    file = files.holding(11, 12, 13)
    first = part_rows(files.writer, 1, file, np.array([0, 1]), facts_of(5, 6, 7))
    part = FileScan(9, first.path, first.base, first.rows, SCHEMA, stores_row_ids=True, stores_stamps=True)
    second = part_rows(files.writer, 1, part, np.array([1]), facts_of(8, 9))
    found = FileScan(10, second.path, second.base, second.rows, SCHEMA, stores_row_ids=True, stores_stamps=True)
    row_ids, facts = file_rows(files.warehouse, found)
    assert facts is not None
    assert (row_ids.tolist(), facts.stamp.tolist()) == ([12], [9])


def test_rows_are_found_by_id_with_their_facts(files: Files) -> None:
    made = part_rows(files.writer, 1, files.holding(11, 12, 13), np.array([0, 1, 2]), facts_of(5, 0, 7))
    part = FileScan(9, made.path, made.base, made.rows, SCHEMA, stores_row_ids=True, stores_stamps=True)
    at, row_ids, facts = rows_find(files.warehouse, part, np.array([2, 12, 13]))
    assert facts is not None
    assert (at.tolist(), row_ids.tolist(), facts.stamp.tolist()) == ([1, 2], [12, 13], [0, 7])
    assert facts.undoes.tolist() == [0, 700]
    at, row_ids, facts = rows_find(files.warehouse, files.holding(21, 20), np.array([20, 99]))
    assert (at.tolist(), row_ids.tolist(), facts) == ([1], [20], None)
    plain = files.plain(3)
    at, row_ids, facts = rows_find(files.warehouse, plain, np.array([plain.base + 1, plain.base + 3]))
    assert (at.tolist(), row_ids.tolist(), facts) == ([1], [plain.base + 1], None)
