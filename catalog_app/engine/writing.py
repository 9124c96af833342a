"""Rows into data files: few rows through Arrow in this process, many by a Spark job.

Rows arrive under the schema's names (and ``__row_id``), pass under internal ones (``__c<id>``) and lie in files under
the schema's names with field ids. One write makes one file per partition value while the data is small; only size
splits it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import NewDataFile, PartitionValues
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.file_sizes import become_one
from catalog_app.engine.ordering import RowOrder
from catalog_app.engine.result_batches import gathered
from catalog_app.engine.targets import PARTITION, Staged, Target
from catalog_app.engine.types import is_arrow_writable
from catalog_app.engine.write_jobs import Addresses, Allocate, Release, WriteJob, Written, write_job
from catalog_app.storage.footers import FileFacts, facts_of, facts_of_footer, read_facts
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import Seen, footer_of, parquet_writer

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

MOST_BYTES = 64 * 1024 * 1024
"""Rows that pass through this process take so much at most; more are written by a Spark job."""
SMALL_ROWS = 10_000
"""Up to so many rows are written by this process: a Spark job costs more than they do."""


@dataclass(slots=True)
class OpenFile:
    """A data file that is being written. ``facts`` are known when it is closed."""

    output: pq.ParquetWriter
    seen: Seen = field(default_factory=Seen)
    facts: FileFacts | None = None

    def write(self, table: pa.Table) -> None:
        self.seen.add(table)
        self.output.write_table(table)


class FileWriter:
    """Writes rows of one warehouse and puts the files in place. ``number`` gives the first of some fresh numbers for
    the identity columns of a table. ``release`` takes addresses back.
    """

    def __init__(
        self, warehouse: Warehouse, allocate: Allocate, number: Allocate, release: Release = lambda *_: None
    ) -> None:
        self.warehouse = warehouse
        self.number = number
        self._allocate = allocate
        self._release = release

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
        base, written = self._allocate(target.table_id, table.num_rows), []
        try:
            for texts, part in _by_partition(table, len(target.partition_texts)):
                path = self.warehouse.new_data(table_id=target.table_id, base=base)
                stored = target.stored(part)
                content = whole_file(stored)
                written.append(_new_file(target.staged(path, texts), facts_of(content, stored), base))
                self.warehouse.write(path, content)
                base += part.num_rows
        except BaseException:
            self.warehouse.remove_all([file.path for file in written])
            raise
        return written

    @contextmanager
    def open_data(self, path: str, schema: pa.Schema, *, plain: Collection[str]) -> Iterator[OpenFile]:
        """A data file that tables of the schema are written to, one after the other. ``plain``: leaves without a
        dictionary.
        """
        collected: list[pq.FileMetaData] = []
        with self.warehouse.filesystem.open_output_stream(self.warehouse.absolute(path)) as stream:
            with parquet_writer(stream, schema, plain=plain, metadata_collector=collected) as output:
                opened = OpenFile(output)
                yield opened
            opened.facts = facts_of_footer(footer_of(collected[0]), stream.tell(), opened.seen)

    def addresses_take(self, table_id: int, count: int) -> int:
        """The first of so many fresh addresses of the table."""
        return self._allocate(table_id, count)

    def write_spark(self, target: Target, rows: DataFrame, order: RowOrder | None = None) -> list[NewDataFile]:
        """Write by a Spark job. Without partitions the order of the rows is kept, where neither ``order`` nor the
        table's clustering asks for another.
        """
        with self.job(target) as job:
            texts = target.partition_texts
            partitions = [f"{PARTITION}{index}" for index in range(len(texts))]
            values = [f"{job.folder_value(text)} AS {PARTITION}{i}" for i, text in enumerate(texts)]
            rows = rows.selectExpr(*target.inputs).selectExpr(*target.columns, *values)
            if order is not None:
                rows = order.applied(rows, partitions)
            elif clustered := target.clustered:
                rows = rows.repartitionByRange(*partitions, *clustered).sortWithinPartitions(*partitions, *clustered)
            elif partitions:
                rows = job.apart(rows.hint("rebalance", *partitions), partitions)
            staged = self._combined(target, job.run(target, rows, partitions), joins=order is None)
            if order is not None:
                staged = [replace(file, layout=(*file.layout, *order.marks)) for file in staged]
            return self.place(target.table_id, staged)

    @contextmanager
    def job(self, target: Target, *, keeps: bool = True) -> Iterator[WriteJob]:
        """A job for rows of the target. Files that it leaves in staging go at the end. ``keeps``: whether its files
        become those of the table.
        """
        staging = self.warehouse.new_staging(target.table_id)
        by_arrow = all(is_arrow_writable(column.type) for column in target.schema.columns)
        addresses = Addresses(self._allocate, self._release) if keeps else None
        job = write_job(self.warehouse, staging, addresses, by_arrow=by_arrow)
        try:
            yield job
        except BaseException:
            self.warehouse.remove_all(job.placed)
            raise
        finally:
            if job.stages:
                self.warehouse.discard(staging)

    def _combined(self, target: Target, files: Sequence[Written], *, joins: bool) -> list[Staged]:
        """What the job left; if it ``joins``, with small files of one partition value made one. Those that lie at their
        place stay there.
        """
        groups: dict[PartitionValues, list[Written]] = {}
        for file in files:
            groups.setdefault(file.texts, []).append(file)
        staged = []
        for texts, found in groups.items():
            is_placed = any(file.is_placed for file in found)
            if joins and not is_placed and become_one([file.bytes for file in found]):
                staged.append(target.staged("", texts, self._concatenated(found)))
            else:
                staged += [target.staged(file.path, texts, file.content, file.facts, base=file.base) for file in found]
        return staged

    def _concatenated(self, files: Sequence[Written]) -> pa.Buffer:
        return whole_file(pa.concat_tables([self.rows_of(file) for file in files]))

    def rows_of(self, file: Written) -> pa.Table:
        if file.content is not None:
            return pq.read_table(pa.BufferReader(file.content))
        place = self.warehouse.absolute(file.path)
        return pq.read_table(place, filesystem=self.warehouse.filesystem, partitioning=None)

    def place(self, table_id: int, staged: list[Staged]) -> list[NewDataFile]:
        """Read the footers of the files, take addresses for those that have none, and put them in place. None stays if
        one fails.
        """
        with ThreadPoolExecutor(max_workers=8) as pool:
            facts = list(pool.map(self._facts, staged))
        filled = [(file, fact) for file, fact in zip(staged, facts, strict=True) if fact.rows]
        if not filled:
            return []
        bases = self._bases(table_id, filled)
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

    def _bases(self, table_id: int, files: Sequence[tuple[Staged, FileFacts]]) -> Iterator[int]:
        """The address of the first row of each file."""
        rows = [fact.rows if file.base is None else 0 for file, fact in files]
        fresh = accumulate(rows[:-1], initial=self._allocate(table_id, sum(rows)) if any(rows) else 0)
        return (given if file.base is None else file.base for (file, _), given in zip(files, fresh, strict=True))

    def _facts(self, file: Staged) -> FileFacts:
        if file.facts is not None:
            return file.facts
        return read_facts(self.warehouse, file.path) if file.content is None else facts_of(file.content)

    def _place_one(self, table_id: int, file: Staged, fact: FileFacts, base: int) -> NewDataFile:
        if file.content is not None:
            path = self.warehouse.new_data(table_id=table_id, base=base)
            self.warehouse.write(path, file.content)
        elif file.base is not None:
            path = file.path
        else:
            path = self.warehouse.place_data(file.path, table_id=table_id, base=base)
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


def whole_file(table: pa.Table) -> pa.Buffer:
    """A file of these rows. Columns that repeat nothing have no dictionary."""
    content = pa.BufferOutputStream()
    with parquet_writer(content, table.schema, first=table) as output:
        output.write_table(table)
    return content.getvalue()


def _by_partition(table: pa.Table, count: int) -> list[tuple[PartitionValues, pa.Table]]:
    """The rows of each partition value, in their order."""
    if count == 0:
        return [((), table)]
    texts = [table.column(f"{PARTITION}{index}").to_pylist() for index in range(count)]
    positions: dict[PartitionValues, list[int]] = {}
    for position, values in enumerate(zip(*texts, strict=True)):
        positions.setdefault(values, []).append(position)
    return [(values, table.take(pa.array(found))) for values, found in positions.items()]
