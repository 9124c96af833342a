"""What callers give to the engine and get back from it, as values without PySpark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.files import NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.schema import Column


@dataclass(frozen=True, slots=True)
class ValuesSource:
    """Literal rows: one SQL expression text per value; ``DEFAULT`` is the column's default."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class FileSource:
    """Rows of a Parquet file of the warehouse whose columns ``c0``, ``c1``, .. go by ``names``; ``rows`` of them. With
    ``read`` Spark gets them by that. ``content``: the file, where it does not lie at its path.
    """

    path: str
    names: tuple[str, ...]
    rows: int
    read: Callable[[Any], Any] | None = field(default=None, compare=False)
    content: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class QuerySource:
    """Rows of a query: Spark SQL in which identifiers (``__lake_0``) stand for tables, files, or views' queries."""

    text: str
    tables: Mapping[str, TableScan | FileSource | QuerySource] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlainRead:
    """Columns of a table as they are, each with its name in the answer; rows in any order, all of them or any
    ``limit``.
    """

    scan: TableScan
    columns: tuple[tuple[str, Column], ...]
    limit: int | None = None


RowSource = QuerySource | ValuesSource | FileSource
Tables = Mapping[str, TableScan | FileSource | QuerySource]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """``columns`` are (name, Spark type text); ``rows`` hold JSON values; ``truncated`` if there were more."""

    columns: tuple[tuple[str, str], ...]
    rows: list[list[Any]]
    truncated: bool


@dataclass(frozen=True, slots=True)
class RowChanges:
    """What a row-level statement staged. ``emptied`` are files that have no live row left: the caller removes them from
    the branch, and no delete file is written for them. ``rows`` counts the rows deleted or updated.
    """

    delete_files: tuple[NewDeleteFile, ...] = ()
    images: tuple[NewDataFile, ...] = ()
    emptied: tuple[int, ...] = ()
    rows: int = 0
    files_scanned: int = 0
