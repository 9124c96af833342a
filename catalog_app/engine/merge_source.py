"""The source of a merge, computed once: both passes over it see the same rows, whatever its query depends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import TableScan
from catalog_app.engine.first_rows import first_values
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.merge_values import FrozenSource, SourceRows
from catalog_app.engine.plain_rows import source_column
from catalog_app.engine.reading import query_dataframe
from catalog_app.engine.result_batches import gathered
from catalog_app.engine.staging import Staging
from catalog_app.engine.types import (
    CHAR_TYPE,
    char_metadata,
    char_type,
    is_arrow_writable,
    spark_type,
    storable_type,
    storage_type,
    type_text,
)
from catalog_app.engine.writing import MOST_BYTES, FileWriter

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

FEW_ROWS = 200_000
"""Up to so many rows pass through this process, where Spark jobs would cost more than they do."""
MOST_KEYS = 5_000_000
"""Distinct keys beyond which they prune nothing."""
NUMBER = "__lake_number"
TASK_BITS = 33
"""``monotonically_increasing_id`` has the number of the task above so many bits."""
_KEY = "__lake_key"
_NO_FIELD_ID = {"frozen": True}
"""What a column says of itself in place of the field id that it has in its table."""


def freeze_rows(
    spark: SparkSession, writer: FileWriter, staging: Staging, source: SourceRows, *, may_be_small: bool
) -> FrozenSource:
    """The source's rows, numbered: few when Spark is about to read them, many at once."""
    here = _rows_here(writer, staging, source) if may_be_small else None
    if here is not None:
        return here
    frame = query_dataframe(spark, writer.warehouse, source.query.text, source.query.tables)
    if source.columns is not None:
        frame = frame.toDF(*source.columns)
    if source.is_distinct:
        frame = frame.distinct()
    keys = [f"({text}\n) AS {_KEY}{index}" for index, text in enumerate(source.keys)]
    keyed = frame.alias(source.alias).selectExpr("*", *keys)
    known = _known_columns(source) or [(field.name, type_text(field.dataType)) for field in keyed.schema.fields]
    types = [storable_type(kind) for _, kind in known]
    count = len(types) - len(keys)
    names = [frozen_column(i) if i < count else f"{_KEY}{i - count}" for i in range(len(types))]
    casts = (f"CAST({name} AS {kind}) AS {name}" for name, kind in zip(names, types, strict=True))
    stored = keyed.toDF(*names).selectExpr(*casts)
    columns = tuple((name, kind) for (name, _), kind in zip(known[:count], types, strict=False))
    described = tuple(known[:count])
    asked = list(zip(names[count:], types[count:], strict=True))
    chars = _chars(frame) if _reads_chars(source.query) else {}
    table = _few_rows(stored, dict(zip(names, types, strict=True))) if may_be_small else None
    if table is None:
        many = _freeze_many(
            writer, staging, source.alias, stored, columns, asked, by_arrow=all(map(is_arrow_writable, types))
        )
        return replace(many, described=described, chars=chars, key_types=tuple(types[count:]))
    values = tuple(_distinct(kind, table.column(name)) for name, kind in asked)
    few = table.select(names[:count])
    few_rows = FrozenSource(staging.folder, source.alias, columns, few.num_rows, few.nbytes, values, few, described)
    return replace(few_rows, chars=chars, key_types=tuple(types[count:]), staging=staging)


def _reads_chars(query: QuerySource) -> bool:
    """Whether the query names a table with a CHAR column; only then Spark is asked which of its columns are."""
    for relation in query.tables.values():
        if isinstance(relation, TableScan) and any(char_metadata(column.type) for column in relation.schema.columns):
            return True
        if isinstance(relation, QuerySource) and _reads_chars(relation):
            return True
    return False


def _chars(frame: DataFrame) -> dict[int, str]:
    kinds = (char_type(field.metadata) for field in frame.schema.fields)
    return {place: kind for place, kind in enumerate(kinds) if kind is not None}


def frozen_dataframe(spark: SparkSession, frozen: FrozenSource) -> DataFrame:
    """The frozen rows under their own names and alias, each with its ``__lake_number``."""
    frame = frozen_rows(spark, frozen)
    for place, kind in frozen.chars.items():
        frame = frame.withMetadata(frozen_column(place), {CHAR_TYPE: kind})
    return frame.toDF(*(name for name, _ in frozen.columns), NUMBER).alias(frozen.alias)


def frozen_column(index: int) -> str:
    """What a column of a frozen source is called in its files."""
    return f"c{index}"


def frozen_rows(spark: SparkSession, frozen: FrozenSource) -> DataFrame:
    """The rows as the files have them, each with its number. Few are held now, once."""
    from pyspark.sql.types import LongType, StructField, StructType

    assert frozen.staging is not None
    fields = [StructField(frozen_column(i), spark_type(spark, kind)) for i, (_, kind) in enumerate(frozen.columns)]
    schema = StructType([*fields, StructField(NUMBER, LongType())])
    if frozen.table is None:
        return frozen.staging.read_many(spark, frozen.paths, schema)
    if not frozen.held:
        numbered = frozen.table.append_column(NUMBER, pa.array(range(frozen.rows), pa.int64()))
        frozen.held.append(frozen.staging.hold(numbered.rename_columns(schema.names)))
    return frozen.staging.read(spark, frozen.held[0], schema)


def frozen_reader(frozen: FrozenSource) -> Callable[[SparkSession], DataFrame] | None:
    """How Spark gets the rows; None where they lie nowhere that it reads."""
    return None if frozen.staging is None else lambda spark: frozen_rows(spark, frozen)


def _known_columns(source: SourceRows) -> list[tuple[str, str]] | None:
    if source.described is None or len(source.key_types) != len(source.keys):
        return None
    return [*source.described, *zip(source.keys, source.key_types, strict=True)]


def _few_rows(stored: DataFrame, kinds: Mapping[str, str]) -> pa.Table | None:
    if not all(is_arrow_writable(kind) for kind in kinds.values()):
        return None
    table = gathered(stored, kinds, limit=FEW_ROWS + 1, most_bytes=MOST_BYTES)
    return table if table is not None and table.num_rows <= FEW_ROWS else None


def _rows_here(writer: FileWriter, staging: Staging, source: SourceRows) -> FrozenSource | None:
    """Few rows of a source that is columns of a table, read by this process; None where Spark is needed."""
    if source.plain is None or source.described is None or len(source.key_types) != len(source.keys):
        return None
    held = [storage_type(column.type) for _, column in source.plain.columns]
    kinds = [kind for _, kind in source.described]
    if kinds != held or any(storable_type(kind) != kind for kind in kinds):
        return None
    table = first_values(writer.warehouse, source.plain, limit=FEW_ROWS + 1, most_bytes=MOST_BYTES)
    if table is None or table.num_rows > FEW_ROWS or table.nbytes > MOST_BYTES:
        return None
    if source.is_distinct:
        table = table.group_by(table.column_names).aggregate([])
    found = FrozenSource(
        staging.folder, source.alias, source.described, table.num_rows, table.nbytes, (), table, source.described
    )
    places = [source_column(found, text) for text in source.keys]
    if any(place is None or kinds[place] != kind for place, kind in zip(places, source.key_types, strict=True)):
        return None
    keys = tuple(_distinct(kinds[place], table.column(place)) for place in places if place is not None)
    return replace(found, keys=keys, key_types=source.key_types, staging=staging)


def _freeze_many(
    writer: FileWriter,
    staging: Staging,
    alias: str,
    stored: DataFrame,
    columns: tuple[tuple[str, str], ...],
    keys: Sequence[tuple[str, str]],
    *,
    by_arrow: bool,
) -> FrozenSource:
    from pyspark.sql.connect.functions import col

    # A table's columns bring its field ids along: of a column that stands here twice Spark could not read either.
    bare = stored.select(*(col(name).alias(name, metadata=_NO_FIELD_ID) for name in stored.columns))
    numbered = bare.selectExpr("*", f"monotonically_increasing_id() AS {NUMBER}")
    files = staging.write_many(numbered, by_arrow=by_arrow)
    counts = [_number_and_rows(file.metadata) for file in files]
    paths, rows = [file.path for file in files], sum(count for _, count in counts)
    values = tuple(
        _distinct(kind, _stored_keys(writer, paths, name)) if 0 < rows <= MOST_KEYS else None for name, kind in keys
    )
    size, before = sum(file.bytes for file in files), _rows_before(counts)
    found = FrozenSource(staging.folder, alias, columns, rows, size, values, rows_before=before)
    return replace(found, staging=staging, paths=paths)


def _number_and_rows(metadata: pq.FileMetaData) -> tuple[int, int]:
    """The number of a row of a frozen file, which stands in its last column, and how many rows it has."""
    if not metadata.num_rows:
        return 0, 0
    return int(metadata.row_group(0).column(metadata.num_columns - 1).statistics.min), metadata.num_rows


def _rows_before(numbers: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """How many rows lie before those of each task. ``numbers``: of each file a number of a row, and its rows."""
    rows: dict[int, int] = {}
    for number, count in numbers:
        task = number >> TASK_BITS
        rows[task] = rows.get(task, 0) + count
    before, total = [], 0
    for task in range(max(rows, default=-1) + 1):
        before.append(total)
        total += rows.get(task, 0)
    return tuple(before)


def _distinct(kind: str, values: pa.ChunkedArray) -> tuple[str, pa.Array] | None:
    """The distinct values with their type text; None for types that Arrow cannot tell apart, such as nested ones."""
    # Only Arrow knows for which types it has such a function; without the values no file is left out, that is all.
    try:
        return kind, pc.unique(values)
    except pa.ArrowNotImplementedError:
        return None


def _stored_keys(writer: FileWriter, paths: Sequence[str], name: str) -> pa.ChunkedArray:
    columns = []
    for path in paths:
        with pq.ParquetFile(writer.warehouse.absolute(path), filesystem=writer.warehouse.filesystem) as file:
            columns.append(file.read(columns=[name]).column(0))
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
