"""Exact counts of each column: NULLs, different values, the least, the largest, the most frequent, how numbers spread.

DuckDB groups the values of one column at a time, and spills what exceeds its memory. It reads files of this machine
that hold the column as the table declares it. Every other column is counted by Spark, with the same SQL.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, TableScan, is_outside
from catalog_app.domain.histogram import BINS, TOP, Bin, Frequent, Intervals
from catalog_app.domain.schema import Column
from catalog_app.engine.answers import json_rows
from catalog_app.engine.decoding import held
from catalog_app.engine.types import arrow_type, quoted, storage_type
from catalog_app.storage.deletes import deleted_positions
from catalog_app.storage.facts import field_id
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import EngineError

MEMORY = "256MB"
"""What DuckDB holds of the values of one column; the rest is on disk."""

Ask = Callable[[str], list[list[Any]]]
"""Rows of a query over ``{rows}``, which has the column ``v``."""

_DUCKDB_TYPES = {"timestamp": "TIMESTAMPTZ", "timestamp_ntz": "TIMESTAMP", "string": "VARCHAR", "binary": "BLOB"}
_NUMBERS = re.compile(r"(tinyint|smallint|int|bigint|float|double|decimal\(.*\))$")
_WITHOUT_BOUNDS = re.compile(r"(array|map|struct|variant|binary|interval)\b")
_NOT_GROUPED = re.compile(r"\b(map|variant)\b")
_NESTED_PLAIN = re.compile(r"\b(map|variant|interval|time|char|varchar|void)\b")
_PATTERN = re.compile(r"[*?\[\]{}]")
_OWN_NAMES = frozenset({"file_index", "file_row_number", "filename"})
_FINITE = "abs(CAST(v AS DOUBLE)) < CAST('Infinity' AS DOUBLE)"


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """Of the live rows. One NaN and one zero count as values. ``distinct`` is None for types whose values are not
    compared; ``least`` and ``largest`` are JSON values, None for types without an order. ``top`` has the most frequent
    values of a type with an order. Of more than ``TOP`` values it leaves out those of one row.
    """

    column: Column
    rows: int
    nulls: int
    distinct: int | None
    least: Any
    largest: Any
    bins: tuple[Bin, ...]
    top: tuple[Frequent, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """A data file as DuckDB reads it: which column of it has which field id, and the positions that are deleted."""

    scan: FileScan
    path: str
    fields: dict[int, pa.Field]
    deleted: np.ndarray[Any, np.dtype[np.int64]]


def columns_counted(
    warehouse: Warehouse, scan: TableScan, spark: Ask, on_cancel: Callable[[Callable[[], None]], None]
) -> Iterator[ColumnCounts]:
    """The columns in the order of the table. ``spark`` asks for rows of a query whose ``{rows}`` is the table.

    Raises EngineError where ``on_cancel`` stopped it.
    """
    import duckdb

    files = _files(warehouse, scan)
    with (
        tempfile.TemporaryDirectory(prefix="lakeui-profile-") as folder,
        duckdb.connect(config=_settings(folder)) as connection,
    ):
        on_cancel(connection.interrupt)
        rows = None if files is None else sum(file.scan.rows - len(file.deleted) for file in files)

        def ask(text: str) -> list[list[Any]]:
            return json_rows(connection.sql(text).to_arrow_table())

        for column in scan.schema.columns:
            source = None if files is None else _source(connection, column, files)
            if source is not None and rows is not None:
                try:
                    yield _counted(column, rows, source, ask)
                    continue
                except duckdb.InterruptException as problem:
                    raise EngineError("The count of the columns was stopped.") from problem
                except duckdb.Error:
                    # Text that is not UTF-8, a value beyond DuckDB's range: Spark reads them.
                    pass
            if rows is None:
                ((rows,),) = spark("SELECT count(*) AS n FROM {rows}")
            yield _counted(column, rows, f"(SELECT {quoted(column.name)} AS v FROM {{rows}})", spark)


def _settings(folder: str) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": MEMORY,
        "temp_directory": folder,
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "TimeZone": "UTC",
        # Statistics of files leave NaN out, and DuckDB concludes from them that every value is finite.
        "disabled_optimizers": "statistics_propagation",
    }


def _counted(column: Column, rows: int, source: str, ask: Ask) -> ColumnCounts:
    kind = storage_type(column.type)
    if _NOT_GROUPED.search(kind):
        ((values,),) = ask(f"SELECT count(v) AS n FROM {source} AS s")
        return ColumnCounts(column, rows, rows - values, None, None, None, ())
    bounds = ["min(v) AS least", "max(v) AS largest"] if not _WITHOUT_BOUNDS.match(kind) else []
    is_number = bool(_NUMBERS.match(kind))
    if is_number:
        bounds += [f"{way}(CASE WHEN {_FINITE} THEN CAST(v AS DOUBLE) END) AS {way}_finite" for way in ("min", "max")]
    ((values, distinct, *found),) = ask(
        f"SELECT {', '.join(['CAST(coalesce(sum(n), 0) AS BIGINT) AS n', 'count(*) AS d', *bounds])} FROM"
        f" (SELECT v, count(*) AS n FROM {source} AS s WHERE v IS NOT NULL GROUP BY v) AS g"
    )
    least, largest = (_one_zero(value) for value in (found[:2] or (None, None)))
    bins = _bins(source, found[2], found[3], ask) if is_number else ()
    top = _top(source, values, distinct, ask) if not _WITHOUT_BOUNDS.match(kind) else ()
    return ColumnCounts(column, rows, rows - values, distinct, least, largest, bins, top)


def _top(source: str, values: int, distinct: int, ask: Ask) -> tuple[Frequent, ...]:
    """Of equally frequent values the least ones."""
    if distinct == values > TOP:
        return ()
    found = ask(
        f"SELECT v, count(*) AS n FROM {source} AS s WHERE v IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT {TOP}"
    )
    return tuple(Frequent(_one_zero(value), count) for value, count in found if count > 1 or distinct <= TOP)


def _one_zero(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value


def _bins(source: str, least: float | None, largest: float | None, ask: Ask) -> tuple[Bin, ...]:
    """How many finite numbers lie in each of ``BINS`` intervals; those without any are left out."""
    intervals = Intervals.between(least, largest)
    if intervals is None:
        return ()
    start, width = _double(intervals.least), _double(intervals.width)
    place = f"floor((CAST(v AS DOUBLE) - {start}) / {width})" if intervals.width else "0"
    found = ask(
        f"SELECT b, count(*) AS n FROM (SELECT CAST(least({place}, {BINS - 1}) AS INT) AS b FROM {source} AS s"
        f" WHERE {_FINITE}) AS t GROUP BY b ORDER BY b"
    )
    return tuple(intervals.bin(number, count) for number, count in found)


def _double(value: float) -> str:
    return f"CAST('{value!r}' AS DOUBLE)"


# -- files that DuckDB reads -------------------------------------------------------------------------------------------


def _files(warehouse: Warehouse, scan: TableScan) -> list[_File] | None:
    """None where Spark has to read the table: files that lie elsewhere, or that find their columns by name."""
    is_moved = any(file.is_moved for file in scan.files) and bool(scan.schema.partition_by)
    if not warehouse.is_local or is_moved or any(is_outside(file.path) or file.by_name for file in scan.files):
        return None

    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda file: _opened(warehouse, file), scan.files))
    except FileNotFoundError:
        # Spark names the file that is gone.
        return None
    return found if all(map(_is_unmistakable, found)) else None


def _opened(warehouse: Warehouse, file: FileScan) -> _File:
    path = warehouse.absolute(file.path)
    fields = {field_id(field): field for field in pq.read_schema(path)}
    return _File(file, path, fields, deleted_positions(warehouse, file.delete_paths))


def _is_unmistakable(file: _File) -> bool:
    """Whether DuckDB takes path and names as they are: it reads patterns, folds letters, and has columns of its own."""
    names = [field.name.casefold() for field in file.fields.values()]
    return not _PATTERN.search(file.path) and len(set(names)) == len(names) and _OWN_NAMES.isdisjoint(names)


def _source(connection: Any, column: Column, files: Sequence[_File]) -> str | None:
    """SQL of the values of the column in all live rows but those of files without it; None where Spark reads them."""
    kind = storage_type(column.type)
    is_nested = "<" in kind
    wanted = None if column.type.startswith("char(") or is_nested else arrow_type(column.type)
    if wanted is None and (not is_nested or _NESTED_PLAIN.search(column.type)):
        return None
    groups: dict[tuple[str, bool], list[_File]] = {}
    for file in files:
        found = held(column, file.scan.schema)
        if found is None and column.initial_default is None:
            continue
        field = None if found is None or found.id is None else file.fields.get(found.id)
        if found is None or field is None or not _is_as_declared(column, file, field, wanted):
            return None
        groups.setdefault((field.name, bool(len(file.deleted))), []).append(file)
    if not groups:
        return f"(SELECT CAST(NULL AS {_DUCKDB_TYPES.get(kind, kind)}) AS v WHERE false)" if wanted else None
    parts = [
        _part(connection, name, of_name, f"deleted_{column.id}_{number}" if is_deleted else None)
        for number, ((name, is_deleted), of_name) in enumerate(groups.items())
    ]
    return f"({' UNION ALL '.join(parts)})"


def _is_as_declared(column: Column, file: _File, field: pa.Field, wanted: pa.DataType | None) -> bool:
    if wanted is not None:
        return bool(field.type == wanted)
    written = next((item for item in file.scan.schema.columns if item.id == column.id), None)
    return written is not None and written.parsed.identified == column.parsed.identified


def _part(connection: Any, name: str, files: Sequence[_File], deleted: str | None) -> str:
    paths = ", ".join("'" + file.path.replace("'", "''") + "'" for file in files)
    value = '"' + name.replace('"', '""') + '"'
    text = f"SELECT {value} AS v FROM read_parquet([{paths}], hive_partitioning = false) AS f"
    if deleted is None:
        return text
    numbers = np.repeat(np.arange(len(files)), [len(file.deleted) for file in files])
    positions = np.concatenate([file.deleted for file in files])
    connection.register(deleted, pa.table({"file": numbers, "position": positions}))
    marks = f"SELECT 1 FROM {deleted} AS d WHERE d.file = file_index AND d.position = file_row_number"
    return f"{text} WHERE NOT EXISTS ({marks})"
