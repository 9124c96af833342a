"""What reads the lineage columns of a table's files: paths are looked up once, when the first is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from catalog_app.domain.files import FileScan, PartitionValues, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import files_load
from catalog_app.storage.deletes import StoredFacts
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.vectors import CommitsReached
from merge_app.lineage.ascending import are_among, ascending
from merge_app.lineage.facts import Ints, image_places
from merge_app.lineage.segments import Gone, ShownFile

Found = TypeVar("Found")


@dataclass(slots=True)
class Reader:
    """Reads lineage columns of one table's files, each file once. ``wanted``: data files and delete files that will be
    asked for. ``keys_of``: codes of the primary keys of images, of a table that has one. ``commits``: those of
    the merge.
    """

    table_id: int
    scans: Mapping[int, FileScan]
    delete_paths: Mapping[int, str]
    engine: Callable[[], RowEngine]
    partitions: dict[PartitionValues, int] = field(default_factory=dict)
    wanted: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))
    keys_of: Callable[[Ints], Ints] | None = None
    commits: CommitsReached = field(default_factory=CommitsReached)
    _files: dict[int, tuple[Ints, StoredFacts | None]] = field(default_factory=dict)
    _marks: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    def file(self, file_id: int) -> tuple[Ints, StoredFacts | None]:
        """Row ids by position, and the facts that the file stores."""
        if file_id not in self._files:
            self._files[file_id] = self.engine().file_rows(self.scans[file_id])
        return self._files[file_id]

    def rows(self, file_id: int, row_ids: Ints | None) -> tuple[Ints, Ints, StoredFacts | None]:
        """Of the rows with one of these ascending ids, None for all: positions, ascending, row ids and stored facts."""
        if row_ids is None or file_id in self._files:
            held, stored = self.file(file_id)
            if row_ids is None:
                return np.arange(len(held)), held, stored
            at = np.flatnonzero(are_among(held, row_ids))
            return at, held[at], None if stored is None else StoredFacts(*(column[at] for column in stored))
        return self.engine().rows_find(self.scans[file_id], row_ids)

    def marks(self, delete_file: int) -> tuple[Ints, Ints]:
        """Positions and row ids that a delete file names."""
        if delete_file not in self._marks:
            self._marks[delete_file] = self.engine().file_marks(self.delete_paths[delete_file])
        return self._marks[delete_file]

    def find(
        self, images: Ints, schema: Schema, lies: Mapping[int, PartitionValues] | None = None
    ) -> tuple[TableScan, Ints]:
        """What holds the images, read under ``schema``, and their addresses there. ``lies``: by file the partition that
        it lies in, where it may be another than it was written to.
        """
        files, positions = image_places(images)
        named = ascending(files)
        scans = (_lying(self.scans[file_id], (lies or {}).get(file_id)) for file_id in named.tolist())
        scan = TableScan(self.table_id, schema, tuple(scans))
        bases = np.array([file.base for file in scan.files], dtype=np.int64)
        return scan, bases[np.searchsorted(named, files)] + positions

    def code(self, partition: PartitionValues) -> int:
        return self.partitions.setdefault(partition, len(self.partitions))

    def values(self, code: int) -> PartitionValues:
        """The partition of a code."""
        return self.names[code]

    @property
    def names(self) -> dict[int, PartitionValues]:
        """Partitions by code."""
        return {code: values for values, code in self.partitions.items()}


def _lying(file: FileScan, partition: PartitionValues | None) -> FileScan:
    if partition is None or partition == file.partition:
        return file
    return replace(file, partition=partition, is_moved=True)


_PATHS = "SELECT id, path FROM catalog_app_deletefile WHERE id = ANY(%(ids)s)"


def reader_of(
    table_id: int,
    shown: Iterable[ShownFile],
    gone: Iterable[Gone],
    engine: EngineSource,
    schema: Schema | None = None,
) -> Reader:
    """``schema``: what files that a statement staged are written under."""
    files: set[int] = set()
    deletes: set[int] = set()
    for file in shown:
        files.add(file.file_id)
        deletes.update(mark.file_id for mark in (*file.deletes, *file.stamped))
    for item in gone:
        files.add(item.file_id)
        deletes.update(item.masks)
        if item.delete_file is not None:
            deletes.add(item.delete_file)
    scans = _LookedUp("data file", files, lambda ids: files_load(table_id, ids, [], staged_schema=schema))
    paths = _LookedUp("delete file", deletes, delete_paths_load)
    return Reader(table_id, scans, paths, engine, wanted=(files, deletes))


def delete_paths_load(delete_files: Collection[int]) -> dict[int, str]:
    """Paths of delete files by id."""
    return dict(fetch_all(_PATHS, {"ids": list(delete_files)})) if delete_files else {}


class _LookedUp(dict[int, Found]):
    """What ``load`` finds, by id. All that are wanted are looked up with the first that is asked for."""

    def __init__(self, what: str, wanted: set[int], load: Callable[[Collection[int]], Mapping[int, Found]]) -> None:
        super().__init__()
        self._what, self._wanted, self._load = what, wanted, load

    def __missing__(self, identity: int) -> Found:
        self.update(self._load({*self._wanted, identity} - self.keys()))
        if identity not in self:
            raise LookupError(f"there is no {self._what} {identity}")
        return self[identity]
