"""From a scan to a DataFrame: decode by schema version, mask deleted rows, address every row.

Files are grouped by how the schema read maps onto the schema that they were written under. While files are read,
columns are called ``__c<id>``, unless they are nested (see ``decoding``): no name that a user chose (``base``,
``_metadata``) can meet one of Spark's or ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import (
    FACT_FIELDS,
    ROW_ID_COLUMN,
    ROW_ID_FIELD,
    SHOWN_FILE,
    SHOWN_ROW_ID,
    FileScan,
    PartitionValues,
    TableScan,
    is_outside,
)
from catalog_app.domain.schema import Schema
from catalog_app.engine.cached_answers import Known
from catalog_app.engine.decoding import Held, decoded, held, internal_name, read_name
from catalog_app.engine.deleted_positions import few_addresses, is_among
from catalog_app.engine.inputs_outputs import FileSource, QuerySource, Tables
from catalog_app.engine.outside import OUTSIDE_BASE, POSITION, with_bases
from catalog_app.engine.row_metadata import with_row_metadata
from catalog_app.engine.spark_calls import bound_dataframe, sql_dataframe
from catalog_app.engine.types import (
    char_metadata,
    declared_metadata,
    quoted,
    spark_type,
    storage_type,
    text_literal,
    unknown_null,
)
from catalog_app.storage.deletes import POSITION_COLUMN, POSITION_FIELD

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

ADDRESS, ROW_ID = "__lake_place", SHOWN_ROW_ID
FACTS = tuple(f"__lake{name}" for name in FACT_FIELDS)
"""What rows store as their facts, in the order of the columns in files."""
BASE = "__lake_base"
FIELD_ID = "parquet.field.id"
MASKED_AT_ONCE = 5_000_000
"""Files with deletes are read together with the others as long as they hold at most so many rows."""
_MASKED = "__lake_masked"
_PLACEHOLDER = re.compile(r"\b__lake_\d+\b")
TARGET = "__lake_0"
"""Where subqueries read other tables, that of the statement has this placeholder."""
_BASE_SQL = "CAST(base AS BIGINT)"

_file_schemas: Known[str, Any] = Known()
"""By path; what is written into a file never changes."""

_OWN_NAMES = frozenset({"base", "_metadata", ROW_ID_COLUMN, *FACT_FIELDS})
"""What Spark and this module call columns beside those of a table."""


@dataclass(frozen=True, slots=True)
class _Group:
    """What files must share to be read in one scan; ``folder`` is the one above their ``base=`` folders. ``is_apart``:
    files with deletes, of which there are too many to be read with others. ``moved_to``: of a partition that was
    renamed its values, which stand in no file. ``is_outside``: the files have no such folders.
    """

    held: tuple[Held | None, ...]
    is_apart: bool
    stores_row_ids: bool
    stores_stamps: bool
    folder: str
    moved_to: PartitionValues | None = None
    is_outside: bool = False


def table_dataframe(
    spark: SparkSession, warehouse: Warehouse, scan: TableScan, *, with_address: bool = False, with_facts: bool = False
) -> DataFrame:
    """The live rows of the scan, with ``ROW_ID`` and ``ADDRESS`` behind their columns if wanted, and behind these
    ``BASE`` and ``FACTS`` as the file stores them.

    Few deleted rows are left out by a list. Of many, only rows of files that have deletes are looked up among these.
    Where there are few, all files are one scan: a union of two would cost more than it spares, as every row is copied
    for it.
    """
    parts = [
        _read_group(spark, warehouse, scan.schema, group, files, with_address=with_address, with_facts=with_facts)
        for group, files in _groups(scan, with_address=with_address, with_facts=with_facts).items()
    ]
    if not parts:
        return _empty(spark, scan.schema, (ROW_ID, ADDRESS) if with_address else ())
    return reduce(lambda one, other: one.unionAll(other), parts)


def _groups(scan: TableScan, *, with_address: bool, with_facts: bool) -> dict[_Group, list[FileScan]]:
    groups: dict[_Group, list[FileScan]] = {}
    are_many = sum(file.rows for file in scan.files if file.delete_paths) > MASKED_AT_ONCE
    # Files of one definition share its value: it is compared once, not once a file.
    mapped: dict[tuple[int, bool], tuple[Held | None, ...]] = {}
    for file in scan.files:
        form = id(file.schema), file.by_name
        if form not in mapped:
            mapped[form] = tuple(held(column, file.schema, by_name=file.by_name) for column in scan.schema.columns)
        lies_outside = is_outside(file.path)
        group = _Group(
            mapped[form],
            are_many and bool(file.delete_paths),
            with_address and file.stores_row_ids,
            with_facts and file.stores_stamps,
            "" if lies_outside else file.path.rsplit("/", 2)[0],
            file.partition if file.is_moved else None,
            lies_outside,
        )
        groups.setdefault(group, []).append(file)
    return groups


def _read_group(
    spark: SparkSession,
    warehouse: Warehouse,
    schema: Schema,
    group: _Group,
    files: Sequence[FileScan],
    *,
    with_address: bool,
    with_facts: bool,
) -> DataFrame:
    """The live rows of files that are read alike. Rows of delete files are left out, few of them by their addresses."""
    marked = [file for file in files if file.delete_paths]
    found = [(column, item) for column, item in zip(schema.columns, group.held, strict=True) if item is not None]
    values = [internal_name(column) for column in schema.columns]
    fixed = _partition_literals(schema, group.moved_to)
    found = [(column, item) for column, item in found if column.id not in fixed]
    names = {column.id: read_name(column, item, _OWN_NAMES.union(values)) for column, item in found}
    fields = [*((names[column.id], item.type, item.id) for column, item in found), *_own_fields(group)]
    places = bool(with_address or with_facts or marked)
    frame, base, address = _read_placed(spark, warehouse, fields, group, files, places=places)
    columns = [
        fixed.get(column.id) or decoded(column, item, names.get(column.id, ""))
        for column, item in zip(schema.columns, group.held, strict=True)
    ]
    if group.stores_row_ids:
        columns.append(ROW_ID_COLUMN)
    if with_facts:
        columns.append(f"{base} AS {BASE}")
        columns += [name if group.stores_stamps else f"CAST(NULL AS bigint) AS {name}" for name in FACT_FIELDS]
    few = few_addresses(warehouse, marked)
    if with_address or marked:
        columns.append(f"{address} AS {ADDRESS}")
    if few is None:
        columns.append(_masked(files, marked, base, address))
    frame = _live(spark, warehouse, frame.selectExpr(*columns), group, marked, few)
    if not with_address:
        return named(frame, schema, values)
    row_id = f"coalesce({ROW_ID_COLUMN}, {ADDRESS})" if group.stores_row_ids else ADDRESS
    facts = {BASE: BASE, **dict(zip(FACTS, FACT_FIELDS, strict=True))} if with_facts else {}
    return named(frame, schema, values, {ROW_ID: row_id, ADDRESS: ADDRESS, **facts})


def _own_fields(group: _Group) -> Iterator[tuple[str, str, int | None]]:
    """What the group's files store of each row beside its columns."""
    if group.stores_row_ids:
        yield ROW_ID_COLUMN, "bigint", ROW_ID_FIELD
    if group.stores_stamps:
        for name, identifier in FACT_FIELDS.items():
            yield name, "bigint", identifier


def _live(
    spark: SparkSession,
    warehouse: Warehouse,
    frame: DataFrame,
    group: _Group,
    marked: Sequence[FileScan],
    few: Sequence[int] | None,
) -> DataFrame:
    """The rows that no delete file marks. ``few``: the addresses of those, None where they are many."""
    if few:
        return frame.filter(f"NOT {is_among(ADDRESS, few)}")
    if few is None:
        gone = deleted_addresses(spark, warehouse, marked).toDF(_MASKED)
        return frame.join(gone if group.is_apart else gone.hint("broadcast"), _MASKED, "left_anti")
    return frame


def _read_placed(
    spark: SparkSession,
    warehouse: Warehouse,
    fields: Sequence[tuple[str, str, int | None]],
    group: _Group,
    files: Sequence[FileScan],
    *,
    places: bool,
) -> tuple[DataFrame, str, str]:
    """The files as they are read, and SQL of the base and the address of a row, for ``places`` only."""
    folder = group.folder if places and not group.is_outside else None
    frame = _read_files(spark, warehouse, fields, folder, [file.path for file in files])
    if places and group.is_outside:
        return with_bases(spark, warehouse, frame, files), OUTSIDE_BASE, f"{OUTSIDE_BASE} + {POSITION}"
    return frame, _BASE_SQL, f"{_BASE_SQL} + _metadata.row_index"


def _partition_literals(schema: Schema, values: PartitionValues | None) -> dict[int, str]:
    """SQL of the partition columns of a renamed partition, by column."""
    if values is None:
        return {}
    return {
        column.id: f"CAST({'NULL' if text is None else text_literal(text)} AS {storage_type(column.type)})"
        f" AS {internal_name(column)}"
        for column, text in zip(schema.partition_columns, values, strict=True)
    }


def named(
    frame: DataFrame,
    schema: Schema,
    values: Sequence[str],
    further: Mapping[str, str] = MappingProxyType({}),
    *,
    says: Callable[[str], dict[str, Any] | None] = char_metadata,
) -> DataFrame:
    """SQL values under the names of the schema's columns, which say where they are CHAR. ``further``: SQL of columns of
    ours, by name. ``says``: by its type, what else a column says.
    """
    from pyspark.sql.connect.functions import expr

    outputs = []
    for column, value in zip(schema.columns, values, strict=True):
        metadata = says(column.type)
        output = expr(value)
        outputs.append(output.alias(column.name) if metadata is None else output.alias(column.name, metadata=metadata))
    return frame.select(*outputs, *(expr(value).alias(name) for name, value in further.items()))


def _masked(files: Sequence[FileScan], marked: Sequence[FileScan], base: str, address: str) -> str:
    """SQL of the address by which a row is looked up among the deleted ones: in files that have none NULL, and so not
    at all.
    """
    if len(marked) == len(files):
        return f"{address} AS {_MASKED}"
    bases = ", ".join(str(file.base) for file in marked)
    return f"CASE WHEN {base} IN ({bases}) THEN {address} END AS {_MASKED}"


def _read_files(
    spark: SparkSession,
    warehouse: Warehouse,
    fields: Sequence[tuple[str, str, int | None]],
    folder: str | None,
    paths: Sequence[str],
) -> DataFrame:
    """Columns (name, type, field id) of these files, those without an id by name. With the folder above their ``base=``
    folders also ``base``, which Spark copies into every row whether it is used or not.
    """
    from pyspark.sql.types import StructField, StructType

    schema = StructType(
        [
            StructField(name, spark_type(spark, kind), True, {} if identifier is None else {FIELD_ID: identifier})
            for name, kind, identifier in fields
        ]
    )
    reader = spark.read.schema(schema)
    if folder is not None:
        reader = reader.option("basePath", warehouse.spark_path(folder))
    return reader.parquet(*(warehouse.spark_path(path) for path in paths))


def deleted_addresses(spark: SparkSession, warehouse: Warehouse, files: Sequence[FileScan]) -> DataFrame:
    """The addresses that the files' deletes mark: base of the folder plus position."""
    by_folder: dict[str, list[str]] = {}
    for path in dict.fromkeys(path for file in files for path in file.delete_paths):
        by_folder.setdefault(path.rsplit("/", 2)[0], []).append(path)
    fields: list[tuple[str, str, int | None]] = [(POSITION_COLUMN, "bigint", POSITION_FIELD)]
    parts = [
        _read_files(spark, warehouse, fields, folder, paths).selectExpr(
            f"CAST(base AS BIGINT) + {POSITION_COLUMN} AS {ADDRESS}"
        )
        for folder, paths in by_folder.items()
    ]
    return reduce(lambda one, other: one.unionAll(other), parts)


def _empty(
    spark: SparkSession,
    schema: Schema,
    shows: Sequence[str] = (),
    says: Callable[[str], dict[str, Any] | None] = char_metadata,
) -> DataFrame:
    """No rows. Nothing else judges the constants of a query, so there the optimizer must not know the NULLs: beside one
    that it knows it computes no constant, and refuses none as with rows.
    """
    types = [storage_type(column.type) for column in schema.columns]
    values = [f"CAST(NULL AS {kind})" if shows else unknown_null(kind) for kind in types]
    further = {name: f"CAST(NULL AS {'string' if name == SHOWN_FILE else 'bigint'})" for name in shows}
    return named(spark.range(0), schema, values, further, says=says)


def query_dataframe(
    spark: SparkSession, warehouse: Warehouse, text: str, tables: Mapping[str, TableScan | FileSource | QuerySource]
) -> DataFrame:
    """Checked SQL with its placeholders bound to scans, to files, or to the queries of views."""
    return _bound(spark, text, {name: _relation(spark, warehouse, relation) for name, relation in tables.items()})


def declared_dataframe(spark: SparkSession, warehouse: Warehouse, text: str, tables: Tables) -> DataFrame:
    """The same over tables without rows. A column that the query only selects says as what it is declared: CHAR(n),
    VARCHAR(n) or what holds them.
    """

    def declared(relation: TableScan | FileSource | QuerySource) -> DataFrame:
        if isinstance(relation, QuerySource):
            return declared_dataframe(spark, warehouse, relation.text, relation.tables)
        if isinstance(relation, FileSource):
            return file_dataframe(spark, warehouse, relation)
        return _empty(spark, relation.schema, relation.shows, declared_metadata)

    return _bound(spark, text, {name: declared(relation) for name, relation in tables.items()})


def _bound(spark: SparkSession, text: str, bound: Mapping[str, DataFrame]) -> DataFrame:
    if not bound:
        return sql_dataframe(spark, text)
    return bound_dataframe(spark, lambda names: _PLACEHOLDER.sub(lambda match: names[match[0]], text), bound)


def selected(
    spark: SparkSession,
    warehouse: Warehouse,
    frame: DataFrame,
    alias: str,
    texts: Sequence[str],
    tables: Tables,
    condition: str | None = None,
) -> DataFrame:
    """Expressions over the frame's rows under the alias, of those for which the condition is true. Subqueries of both
    read ``tables``, whose placeholders are numbered from 1.
    """
    bound = {TARGET: frame} | {name: _relation(spark, warehouse, relation) for name, relation in tables.items()}
    # A line break ends what may be a comment at the end of an expression. Spark makes joins of subqueries that stand
    # in a conjunct, not of those in a cast; beside a condition NULL is one.
    where = "" if condition is None else f"\nWHERE ({condition}\n) AND true"
    return _bound(spark, "SELECT " + ",\n".join(texts) + f"\nFROM {TARGET} AS {quoted(alias)}" + where, bound)


def _scan_dataframe(spark: SparkSession, warehouse: Warehouse, scan: TableScan) -> DataFrame:
    """The live rows of the scan with what it shows of them."""
    if set(scan.shows) <= {ROW_ID}:
        return table_dataframe(spark, warehouse, scan, with_address=bool(scan.shows))
    if not scan.files:
        return _empty(spark, scan.schema, scan.shows)
    rows = table_dataframe(spark, warehouse, scan, with_address=True, with_facts=True)
    return with_row_metadata(spark, warehouse, rows, scan, address=ADDRESS, base=BASE, stamp=FACTS[0])


def _relation(spark: SparkSession, warehouse: Warehouse, relation: TableScan | FileSource | QuerySource) -> DataFrame:
    if isinstance(relation, TableScan):
        return _scan_dataframe(spark, warehouse, relation)
    if isinstance(relation, FileSource):
        return file_dataframe(spark, warehouse, relation)
    return query_dataframe(spark, warehouse, relation.text, relation.tables)


def file_dataframe(spark: SparkSession, warehouse: Warehouse, source: FileSource) -> DataFrame:
    """The file's rows under their names."""
    if source.read is not None:
        rows: DataFrame = source.read(spark)
        return rows.toDF(*source.names)
    path = warehouse.spark_path(source.path)
    # Spark runs a job to find the columns of a file, and does so in every call.
    schema = _file_schemas.get(path) or _file_schemas.keep(path, spark.read.parquet(path).schema)
    return spark.read.schema(schema).parquet(path).toDF(*source.names)
