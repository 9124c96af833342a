"""Rows into data files: few rows through Arrow in this process, many by a Spark job.

Rows arrive under the schema's names (and ``__row_id``), pass under internal ones (``__c<id>``) and lie in files under
the schema's names with field ids. One write makes one file per partition value while the data is small; only size
splits it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_COLUMN, ROW_ID_FIELD, NewDataFile, PartitionValues
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import FileLayout, LaidBy, Transform, is_whole, transform_value
from catalog_app.domain.types import ParsedType
from catalog_app.engine.decoding import file_name, internal_name
from catalog_app.engine.file_sizes import become_one
from catalog_app.engine.ordering import RowOrder
from catalog_app.engine.reading import FACTS, FIELD_ID, ROW_ID
from catalog_app.engine.result_batches import gathered
from catalog_app.engine.transforms import transform_sql
from catalog_app.engine.types import is_arrow_writable, quoted
from catalog_app.storage.facts import field_id
from catalog_app.storage.field_ids import field_ids_add
from catalog_app.storage.footers import FileFacts, facts_of, read_facts
from catalog_app.storage.warehouse import StoredFile, Warehouse
from lakeui.common.parquet import dictionary_columns

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

MOST_BYTES = 64 * 1024 * 1024
"""Rows that pass through this process take so much at most; more are written by a Spark job."""
SMALL_ROWS = 10_000
"""Up to so many rows are written by this process: a Spark job costs more than they do."""
ROWS_PER_FILE = 20_000_000
PARTITION = "__lake_p"
_LONG_VALUE = 48

Allocate = Callable[[int, int], int]
"""(table id, count) → first of ``count`` fresh addresses of the table."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where rows go: the table, the schema they are written under, and whether row ids, and facts of rows beside them,
    are stored with them.
    """

    table_id: int
    schema: Schema
    with_row_ids: bool = False
    with_facts: bool = False

    @property
    def columns(self) -> list[str]:
        """Internal names in order."""
        return [internal for internal, _, _ in self.fields()]

    @property
    def inputs(self) -> list[str]:
        """SQL that gives rows their internal names."""
        named = [f"{quoted(column.name)} AS {internal_name(column)}" for column in self.schema.columns]
        hidden = [ROW_ID, *FACTS] if self.with_facts else [ROW_ID] if self.with_row_ids else []
        names = [ROW_ID_COLUMN, *FACT_FIELDS]
        return [*named, *(f"{value} AS {name}" for value, name in zip(hidden, names, strict=False))]

    @property
    def partition_texts(self) -> list[str]:
        """SQL of each partition value as text, those of the layout behind those of columns."""
        return [
            *(f"CAST({internal_name(column)} AS STRING)" for column in self.schema.partition_columns),
            *(f"CAST({transform_sql(one, column.type, internal_name(column))} AS STRING)" for one, column in self.laid),
        ]

    @property
    def laid(self) -> list[tuple[Transform, Column]]:
        """The transforms by which files are laid, with their columns."""
        found = ((one, self.schema.column(one.column_id)) for one in self.schema.layout)
        return [(one, column) for one, column in found if column is not None]

    @property
    def clustered(self) -> list[str]:
        """Internal names of the columns by which rows are sorted."""
        found = (self.schema.column(identifier) for identifier in self.schema.clustered_by)
        return [internal_name(column) for column in found if column is not None]

    def staged(self, path: str, texts: PartitionValues, content: pa.Buffer | None = None) -> Staged:
        """A file of rows that all have these ``partition_texts``."""
        count = len(self.schema.partition_by)
        layout = (
            LaidBy(one, column.type, text if text is None or not is_whole(one, column.type) else int(text))
            for (one, column), text in zip(self.laid, texts[count:], strict=True)
        )
        return Staged(path, texts[:count], tuple(layout), content)

    def fields(self) -> list[tuple[str, str, int]]:
        """Internal name, name in the file, field id."""
        named = [(internal_name(column), file_name(column), column.id) for column in self.schema.columns]
        facts = [(name, name, identifier) for name, identifier in FACT_FIELDS.items()]
        hidden = [(ROW_ID_COLUMN, ROW_ID_COLUMN, ROW_ID_FIELD), *(facts if self.with_facts else [])]
        return [*named, *hidden] if self.with_row_ids else named


@dataclass(frozen=True, slots=True)
class Staged:
    """A file with its partition value, and what transforms of columns are for each of its rows. It lies in staging, or
    is ``content`` that is yet to be written.
    """

    path: str
    partition: PartitionValues
    layout: FileLayout = ()
    content: pa.Buffer | None = None


class FileWriter:
    """Writes rows of one warehouse and puts the files in place. ``number`` gives the first of some fresh numbers for
    the identity columns of a table.
    """

    def __init__(self, warehouse: Warehouse, allocate: Allocate, number: Allocate) -> None:
        self.warehouse = warehouse
        self.number = number
        self._allocate = allocate

    def write(self, target: Target, rows: DataFrame, *, may_be_small: bool) -> list[NewDataFile]:
        """Stage ``rows``. With ``may_be_small`` a few are fetched first, and written here if they are all."""
        if may_be_small:
            table = self.fetch(target, rows, extra=(), limit=SMALL_ROWS)
            if table is not None:
                return self.write_arrow(target, table)
        return self.write_spark(target, rows)

    def fetch(self, target: Target, rows: DataFrame, *, extra: Sequence[str], limit: int) -> pa.Table | None:
        """All rows with their partition texts and the columns ``extra`` if they are at most ``limit``, take at most
        ``MOST_BYTES`` and Arrow can hold them, else None.
        """
        if not all(is_arrow_writable(column.type) for column in target.schema.columns):
            return None
        partitions = [f"{text} AS {PARTITION}{index}" for index, text in enumerate(target.partition_texts)]
        named = rows.selectExpr(*target.inputs, *extra)
        kinds = {internal_name(column): column.type for column in target.schema.columns}
        wanted = named.selectExpr(*target.columns, *extra, *partitions)
        table = gathered(wanted, kinds, limit=limit + 1, most_bytes=MOST_BYTES)
        return table if table is not None and table.num_rows <= limit else None

    def write_arrow(self, target: Target, table: pa.Table) -> list[NewDataFile]:
        """Write a table that ``fetch`` gave, one file per partition value in order of first appearance. Each is written
        at once, under the name that it keeps.
        """
        if table.num_rows == 0:
            return []
        schema = _arrow_schema(target, table.schema)
        base, written = self._allocate(target.table_id, table.num_rows), []
        try:
            for texts, part in _by_partition(table, len(target.partition_texts)):
                path = self.warehouse.new_data(table_id=target.table_id, base=base)
                renamed = part.select(target.columns).rename_columns([name for _, name, _ in target.fields()])
                stored = renamed.cast(schema)
                content = _whole_file(stored)
                written.append(_new_file(target.staged(path, texts), facts_of(content, stored), base))
                self.warehouse.write(path, content)
                base += part.num_rows
        except BaseException:
            for file in written:
                self.warehouse.remove(file.path)
            raise
        return written

    def write_table(self, table: pa.Table, path: str, *, compression: str = "zstd") -> None:
        with self.open_table(path, table.schema, compression=compression) as output:
            output.write_table(table)

    def open_table(
        self, path: str, schema: pa.Schema, *, compression: str = "zstd", plain: Collection[str] = ()
    ) -> pq.ParquetWriter:
        """A file to write tables of that schema to, one after the other. ``plain``: leaves without a dictionary."""
        place, filesystem = self.warehouse.absolute(path), self.warehouse.filesystem
        return _parquet_writer(place, schema, plain, filesystem=filesystem, compression=compression)

    def write_spark(self, target: Target, rows: DataFrame, order: RowOrder | None = None) -> list[NewDataFile]:
        """Write by a Spark job. Without partitions the order of the rows is kept, where neither ``order`` nor the
        table's clustering asks for another.
        """
        texts = target.partition_texts
        partitions = [f"{PARTITION}{index}" for index in range(len(texts))]
        values = [f"{_folder_value(text)} AS {PARTITION}{i}" for i, text in enumerate(texts)]
        rows = rows.selectExpr(*target.inputs).selectExpr(*target.columns, *values)
        if order is not None:
            rows = order.applied(rows, partitions)
        elif clustered := target.clustered:
            rows = rows.repartitionByRange(*partitions, *clustered).sortWithinPartitions(*partitions, *clustered)
        elif partitions:
            rows = rows.hint("rebalance", *partitions)
        staging = self.warehouse.new_staging(target.table_id)
        try:
            self.run_job(target, rows, staging, partitions)
            staged = self._combined(target, staging, joins=order is None)
            if order is not None:
                staged = [replace(file, layout=(*file.layout, *order.marks)) for file in staged]
            return self.place(target.table_id, staged)
        finally:
            self.warehouse.discard(staging)

    def run_job(self, target: Target, rows: DataFrame, staging: str, folders: list[str]) -> None:
        """The Spark job itself: ``rows`` under internal names into ``staging``, one level per folder column."""
        rows = rows.toDF(*[name for _, name, _ in target.fields()], *folders)
        for _, name, identifier in target.fields():
            rows = rows.withMetadata(name, {FIELD_ID: identifier})
        writer = rows.write.options(**self.warehouse.spark_options).mode("error")
        writer = writer.option("maxRecordsPerFile", ROWS_PER_FILE)
        if folders:
            writer = writer.partitionBy(*folders)
        writer.parquet(self.warehouse.spark_path(staging))
        self._identify(target, staging)

    def _identify(self, target: Target, staging: str) -> None:
        """Give fields inside of columns their ids: Spark has a way to write those of columns only."""
        nested = {file_name(column): column.parsed for column in target.schema.columns if column.nested is not None}
        if nested:
            paths = [file.path for file in self.warehouse.files_under(staging)]
            with ThreadPoolExecutor(max_workers=8) as pool:
                list(pool.map(lambda path: field_ids_add(self.warehouse, path, nested), paths))

    def _combined(self, target: Target, staging: str, *, joins: bool) -> list[Staged]:
        """What the job left; if it ``joins``, with small files of one partition value made one."""
        groups: dict[str, list[StoredFile]] = {}
        for file in self.warehouse.files_under(staging):
            groups.setdefault(file.path[len(staging) + 1 :].rpartition("/")[0], []).append(file)
        staged = []
        for folder, files in groups.items():
            texts = self._partition_of(target, folder, files[0].path)
            paths = [file.path for file in files]
            if joins and become_one([file.bytes for file in files]):
                staged.append(target.staged("", texts, self._concatenated(paths)))
            else:
                staged += [target.staged(path, texts) for path in paths]
        return staged

    def _concatenated(self, paths: list[str]) -> pa.Buffer:
        absolute = [self.warehouse.absolute(path) for path in paths]
        tables = [pq.read_table(path, filesystem=self.warehouse.filesystem, partitioning=None) for path in absolute]
        return _whole_file(pa.concat_tables(tables))

    def _partition_of(self, target: Target, folder: str, path: str) -> PartitionValues:
        """Decode a folder such as ``__lake_p0=vBerlin/__lake_p1=n``."""
        segments = [segment.partition("=")[2] for segment in folder.split("/")] if folder else []
        values = []
        sources = [*((None, column) for column in target.schema.partition_columns), *target.laid]
        for (one, column), text in zip(sources, segments, strict=True):
            kind, value = text[0], unquote(text[1:])
            values.append({"n": None, "v": value}[kind] if kind != "h" else self._first_text(path, column, one))
        return tuple(values)

    def _first_text(self, path: str, column: Column, of: Transform | None) -> str:
        """The value that all rows of a staged file share, of the column or what is made of it: only texts are too long
        for a folder name.
        """
        found = self._first_value(path, column)
        return found if of is None else str(transform_value(of, column.type, found))

    def _first_value(self, path: str, column: Column) -> str:
        name = file_name(column)
        with pq.ParquetFile(self.warehouse.absolute(path), filesystem=self.warehouse.filesystem) as file:
            value = file.read(columns=[name]).column(0)[0].as_py()
        return value.decode() if isinstance(value, bytes) else str(value)

    def place(self, table_id: int, staged: list[Staged]) -> list[NewDataFile]:
        """Read the footers of the files, take addresses for all, and put them in place. None stays if one fails."""
        with ThreadPoolExecutor(max_workers=8) as pool:
            facts = list(pool.map(self._facts, staged))
        filled = [(file, fact) for file, fact in zip(staged, facts, strict=True) if fact.rows]
        if not filled:
            return []
        rows = [fact.rows for _, fact in filled]
        bases = accumulate(rows[:-1], initial=self._allocate(table_id, sum(rows)))
        # A store copies each file: an answer takes a while, and no copy waits for another.
        with ThreadPoolExecutor(max_workers=8) as pool:
            placing = [
                pool.submit(copy_context().run, self._place_one, table_id, file, fact, base)
                for (file, fact), base in zip(filled, bases, strict=True)
            ]
            try:
                return [one.result() for one in placing]
            except BaseException:
                pool.shutdown(cancel_futures=True)
                for one in placing:
                    if not one.cancelled() and one.exception() is None:
                        self.warehouse.remove(one.result().path)
                raise

    def _facts(self, file: Staged) -> FileFacts:
        return read_facts(self.warehouse, file.path) if file.content is None else facts_of(file.content)

    def _place_one(self, table_id: int, file: Staged, fact: FileFacts, base: int) -> NewDataFile:
        if file.content is None:
            path = self.warehouse.place_data(file.path, table_id=table_id, base=base)
        else:
            path = self.warehouse.new_data(table_id=table_id, base=base)
            self.warehouse.write(path, file.content)
        return _new_file(replace(file, path=path), fact, base)


def _new_file(file: Staged, fact: FileFacts, base: int) -> NewDataFile:
    row_ids = fact.row_ids
    return NewDataFile(
        path=file.path,
        base=base,
        rows=fact.rows,
        bytes=fact.bytes,
        partition=file.partition,
        layout=file.layout,
        statistics=fact.statistics,
        stores_row_ids=row_ids is not None,
        smallest_row_id=row_ids[0] if row_ids else None,
        largest_row_id=row_ids[1] if row_ids else None,
        stamps=fact.stamps,
    )


def _whole_file(table: pa.Table) -> pa.Buffer:
    content = pa.BufferOutputStream()
    with _parquet_writer(content, table.schema) as output:
        output.write_table(table)
    return content.getvalue()


def _parquet_writer(
    place: Any, schema: pa.Schema, plain: Collection[str] = (), *, compression: str = "zstd", **options: Any
) -> pq.ParquetWriter:
    """Row ids ascend, and each is there once: a dictionary of them is longer than they are."""
    ascending = [field.name for field in schema if field_id(field) == ROW_ID_FIELD]
    return pq.ParquetWriter(
        place,
        schema,
        compression=compression,
        use_dictionary=[path for path in dictionary_columns(schema) if path not in {*ascending, *plain}],
        column_encoding=dict.fromkeys(ascending, "DELTA_BINARY_PACKED"),
        store_schema=False,
        store_decimal_as_integer=True,
        **options,
    )


def _folder_value(text: str) -> str:
    """SQL of a folder name that tells null, empty and long values apart."""
    long = f"char_length({text}) > {_LONG_VALUE}"
    return f"coalesce(CASE WHEN {long} THEN concat('h', sha2({text}, 256)) ELSE concat('v', {text}) END, 'n')"


def _arrow_schema(target: Target, read: pa.Schema) -> pa.Schema:
    kinds = {internal_name(column): column.parsed for column in target.schema.columns}
    return pa.schema(
        [
            _arrow_field(pa.field(name, read.field(internal).type), identifier, kinds.get(internal))
            for internal, name, identifier in target.fields()
        ]
    )


def _arrow_field(field: pa.Field, identifier: int | None, kind: ParsedType | None) -> pa.Field:
    """The field with its id, and the fields inside of it with theirs."""
    found = field if kind is None else field.with_type(_arrow_type(field.type, kind))
    return found if identifier is None else found.with_metadata({"PARQUET:field_id": str(identifier)})


def _arrow_type(given: pa.DataType, kind: ParsedType) -> pa.DataType:
    if not kind.fields:
        return given
    if pa.types.is_map(given):
        found = [given.key_field, given.item_field]
    else:
        found = [given.field(place) for place in range(given.num_fields)]
    inside = [
        _arrow_field(item, field.ids[0] if field.ids else None, field.type)
        for item, field in zip(found, kind.fields, strict=True)
    ]
    if pa.types.is_struct(given):
        return pa.struct(inside)
    return pa.map_(*inside) if pa.types.is_map(given) else pa.list_(*inside)


def _by_partition(table: pa.Table, count: int) -> list[tuple[PartitionValues, pa.Table]]:
    """The rows of each partition value, in their order."""
    if count == 0:
        return [((), table)]
    texts = [table.column(f"{PARTITION}{index}").to_pylist() for index in range(count)]
    positions: dict[PartitionValues, list[int]] = {}
    for position, values in enumerate(zip(*texts, strict=True)):
        positions.setdefault(values, []).append(position)
    return [(values, table.take(pa.array(found))) for values, found in positions.items()]
