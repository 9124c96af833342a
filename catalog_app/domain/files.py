"""Data files, delete files and scans as values: what the engine writes, and what it is asked to read.

Row addressing. Every data file owns the address range ``[base, base + rows)`` of its table; the address of a
physical row is ``base + position``. A file written by INSERT stores no row ids: a row's id *is* its address. A file
written by UPDATE or compaction stores ids in the reserved column ``_row_id`` (Iceberg field id 2147483540), so
``row id = coalesce(_row_id, base + position)`` for every file. A delete file belongs to one data file and lies under
the same ``base=<base>`` folder name, so that deletes are matched on one bigint, the address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from catalog_app.domain.schema import Schema
from catalog_app.domain.transforms import FileLayout

ROW_ID_FIELD = 2147483540
ROW_ID_COLUMN = "_row_id"
SHOWN_ROW_ID, SHOWN_COMMIT, SHOWN_FILE = "__lake_id", "__lake_commit", "__lake_path"
"""What a scan can show of each row beside its columns: its id, the version that decided it, the path of its file."""
STAMP_FIELD = 2147483539
STAMP_COLUMN = "_last_updated_sequence_number"
FACT_FIELDS = {
    STAMP_COLUMN: STAMP_FIELD,
    "_last_updated_kind": 2147483450,
    "_brings_sequence_number": 2147483449,
    "_undoes_sequence_number": 2147483448,
}
"""The columns that hold the facts of rows, by field id. The last three lie in the range that Iceberg keeps free for
columns of metadata, and are no ids of its own.
"""

PartitionValues = tuple[str | None, ...]

_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*://")


def is_outside(path: str) -> bool:
    """Whether a file lies outside of the warehouse: a table took it over where it lies. It never belongs to lakeui,
    which reads it and neither changes nor removes it. Such a path is absolute, with its scheme.
    """
    return _OUTSIDE.match(path) is not None


FACT_KINDS = ("", "insert", "update", "delete", "overwrite", "restore", "move")
"""Kinds of changes in the order of the numbers that files store."""


@dataclass(frozen=True, slots=True)
class RowsFact:
    """The fact of rows of a file: who decided it, by what kind of change. A restore, or a decision of a merge, adds the
    stamp that the image had before. A restore also that of the fact which it replaced. 0 for none.
    """

    stamp: int = 0
    kind: str = ""
    prior: int = 0
    undoes: int = 0


NO_FACT = RowsFact()


def kind_number(kind: str) -> int:
    """How files store a kind. Rows that were only put elsewhere count as the images that they are."""
    return FACT_KINDS.index(kind if kind in FACT_KINDS else "update")


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Bounds of one column in one file. ``minimum`` and ``maximum`` are JSON scalars: numbers as numbers,
    dates and timestamps in ISO 8601 UTC, decimals as text; None where unknown or all null. ``buckets``: of all its
    values, as the file's layout says; that is stored with the layout.
    """

    minimum: Any
    maximum: Any
    nulls: int
    buckets: FileLayout = ()

    def as_json(self) -> list[Any]:
        return [self.minimum, self.maximum, self.nulls]


Statistics = dict[int, ColumnStatistics]
"""By column id. A column that the file does not hold is absent."""


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A data file staged in the warehouse, not yet visible. ``path`` is relative to the warehouse, or absolute
    (``is_outside``). ``by_name`` and ``lacks_partition``: as of ``FileScan``.
    ``partition`` has one text per partition column (Spark's cast to string; None for null). ``stamps``: the smallest
    and largest stamp that the file stores; None: all its rows have the stamp of the commit that takes it. 0 is the
    smallest where some rows have it. ``layout``: what holds for each of its rows; a file may say nothing.
    """

    path: str
    base: int
    rows: int
    bytes: int
    partition: PartitionValues = ()
    statistics: Statistics | None = None
    stores_row_ids: bool = False
    smallest_row_id: int | None = None
    largest_row_id: int | None = None
    stamps: tuple[int, int] | None = None
    by_name: bool = False
    lacks_partition: bool = False
    layout: FileLayout = ()


@dataclass(frozen=True, slots=True)
class NewDeleteFile:
    """A staged delete file (columns ``file_path``, ``pos``, ``_row_id``) for one data file."""

    path: str
    data_file_id: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class FileScan:
    """One visible data file: how to find, decode and mask it. ``schema`` is the definition it was written under.

    ``fact``: that of its rows, but for those that store another one, and for the positions of the files ``stamped``,
    which come with theirs in order of decision. ``is_moved``: ``partition`` are not the values that the file stores,
    or it stores none. ``by_name``: the file has no field ids, and holds columns under their names in ``schema``.
    ``bytes``: how long it is; 0 where that does not count.
    """

    file_id: int
    path: str
    base: int
    rows: int
    schema: Schema
    partition: PartitionValues = ()
    delete_paths: tuple[str, ...] = ()
    statistics: Statistics | None = None
    stores_row_ids: bool = False
    stores_stamps: bool = False
    fact: RowsFact = NO_FACT
    stamped: tuple[tuple[str, RowsFact], ...] = ()
    is_moved: bool = False
    by_name: bool = False
    layout: FileLayout = ()
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TableScan:
    """Everything a reader needs: the schema to read as, and the files. Pure metadata; reading touches no database.

    ``shows``: the columns, such as ``SHOWN_ROW_ID``, that the query which reads it finds behind those of the table.
    """

    table_id: int
    schema: Schema
    files: tuple[FileScan, ...]
    shows: tuple[str, ...] = ()


def own_facts_open(scan: TableScan, after: int) -> TableScan:
    """The scan, facts of a transaction without stamps: its commits, all after ``after``, become one that is not made
    yet. A file stores no stamp then, and has that of its segment.
    """

    def opened(fact: RowsFact) -> RowsFact:
        stamp, prior, undoes = (0 if n > after else n for n in (fact.stamp, fact.prior, fact.undoes))
        return RowsFact(stamp, fact.kind, prior, undoes)

    files = (
        replace(file, fact=opened(file.fact), stamped=tuple((path, opened(fact)) for path, fact in file.stamped))
        for file in scan.files
    )
    return replace(scan, files=tuple(files))
