"""Pairs of a merge that have the same value in one column, and new images that are columns of the source: what waits
in this process needs no job of Spark.

Whole numbers and texts are equal to whoever compares them. All else is Spark's: other conditions and types, several
clauses, values that would have to be cast or computed, and very many rows. Few rows may keep values, or get such as an
UPDATE by key gives. A row that is only deleted may meet many of the source. Else keys that stand there twice are
Spark's too.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import ROW_ID_COLUMN, FileScan, is_outside
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine import by_key
from catalog_app.engine.by_key import Term, changed, is_as_declared, key_terms, positions_of, rows_at
from catalog_app.engine.decoding import file_name, internal_name
from catalog_app.engine.delete_update import RowFilter
from catalog_app.engine.merge_source import FEW_ROWS
from catalog_app.engine.merge_values import Act, Family, FrozenSource, MergeTask, Rule
from catalog_app.engine.plain_cells import UNREADABLE
from catalog_app.engine.plain_rows import plain_values, source_column
from catalog_app.engine.plain_values import INTEGER_BITS
from catalog_app.engine.types import arrow_type
from catalog_app.engine.writing import MOST_BYTES as MOST_IMAGE_BYTES
from catalog_app.engine.writing import FileWriter, Target
from catalog_app.storage.deletes import Integers, deleted_positions, stored_row_ids

MOST_ROWS = 20_000_000
"""Of files that are looked through: more are read by the cores of Spark."""
MOST_BYTES = 256 * 1024 * 1024
"""Of the compared column in one file, without what repeats in its dictionary."""
BATCH_ROWS = 1_000_000
PLAIN_TEXT_BYTES = 4
"""A text that stands in a file as it is takes so many bytes at least."""


class _Elsewhere(Exception):
    """Spark has to read this."""


Matches = tuple[Integers, Integers, Integers]
"""Addresses and row ids of rows of the target, and the numbers of their rows in the source."""


@dataclass(slots=True)
class _Limit:
    """How many pairs may be found. Threads share it."""

    left: int
    _lock: Lock = field(default_factory=Lock)

    def keep(self, found: Matches) -> Matches:
        """Raises _Elsewhere where that is too many."""
        with self._lock:
            self.left -= len(found[0])
            if self.left < 0:
                raise _Elsewhere
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows of the target, each with the number of its row in the source. ``images``: by internal name what the rule
    writes of each, None where it writes nothing. ``rule``: the index of the rule, -1 where nothing happens.
    """

    addresses: Integers
    row_ids: Integers
    numbers: Integers
    rule: int
    images: pa.Table | None


@dataclass(frozen=True, slots=True)
class _Key:
    """The column that is compared, the values of the source's rows, each once beside NULL, and what else is true of a
    row that matches.
    """

    column: Column
    values: pa.Array
    terms: tuple[Term, ...]


def pairs_by_key(writer: FileWriter, task: MergeTask, source: FrozenSource, target: Target) -> Pairs | None:
    """What the join of a merge finds, with the new images of ``target``; None where Spark is needed."""
    if not task.scan.files:
        nothing = np.empty(0, np.int64)
        return Pairs(nothing, nothing, nothing, -1, None)
    matched = [(number, rule) for number, rule in enumerate(task.rules) if rule.family is Family.MATCHED]
    acts_on_others = any(rule.family is Family.NOT_MATCHED_BY_SOURCE for rule in task.rules)
    if acts_on_others or len(matched) > 1 or any(rule.condition is not None for _, rule in matched):
        return None
    key = _key(task, source)
    if key is None or not _is_readable(task, key):
        return None
    number, rule = matched[0] if matched else (-1, None)
    limit = _limit(task, source, target, key, rule)
    if limit is None:
        return None
    try:
        with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 8)) as pool:
            found = list(pool.map(lambda file: limit.keep(_matched(writer, file, key)), task.scan.files))
    except (_Elsewhere, *UNREADABLE):
        return None
    addresses, row_ids, numbers = (
        np.concatenate([np.empty(0, np.int64), *parts]) for parts in zip(*found, strict=True)
    )
    images = None
    if rule is not None and rule.act is Act.UPDATE:
        given = _given(target, source, rule, key, numbers)
        images = None if given is None else _images(writer, task, rule, given, [places for places, _, _ in found])
        if images is None:
            return None
        images = images.append_column(ROW_ID_COLUMN, pa.array(row_ids))
    return Pairs(addresses, row_ids, numbers, number, images)


def _limit(task: MergeTask, source: FrozenSource, target: Target, key: _Key, rule: Rule | None) -> _Limit | None:
    """Before a file is read. None where the rule writes what has to be computed or cast, whatever rows it finds."""
    if rule is None or rule.act is not Act.UPDATE or source.table is None:
        return _Limit(FEW_ROWS)
    given = _sources(target, source, source.table.slice(0, 0), rule, key, np.empty(0, np.int64))
    if len(given) == len(target.schema.columns):
        return _Limit(FEW_ROWS)
    return None if _own_values(task, rule, given) is None else _Limit(by_key.MOST_FOUND)


def _key(task: MergeTask, source: FrozenSource) -> _Key | None:
    """What ON compares, where it is one column of whole numbers or texts with one of the same kind."""
    if len(task.compares) != 1 or source.table is None:
        return None
    ((identifier, text),) = task.compares
    column, place = task.scan.schema.column(identifier), source_column(source, text)
    terms = terms_beside(task.scan.schema, task.alias, task.beside)
    if column is None or place is None or terms is None or not are_comparable(column.type, source.columns[place][1]):
        return None
    values = source.table.column(place).combine_chunks().cast(_compared_as(column))
    present = values.drop_null()
    once = pc.unique(present)
    if len(once) == len(present):
        return _Key(column, values, terms)
    # Which source row a deleted one meets matters to nothing else.
    return _Key(column, once, terms) if [rule.act for rule in task.rules] == [Act.DELETE] else None


def are_comparable(target: str, source: str) -> bool:
    """Whether values of columns of these types are equal to Spark where they are here."""
    return (target in INTEGER_BITS and source in INTEGER_BITS) or target == source == "string"


def terms_beside(schema: Schema, alias: str, beside: str | None) -> tuple[Term, ...] | None:
    """What a condition beside the key compares; None where Spark has to judge it."""
    if not beside:
        return ()
    found = key_terms(schema, RowFilter(beside, alias))
    return None if found is None else tuple(found)


def _compared_as(column: Column) -> pa.DataType:
    return pa.string() if column.type == "string" else pa.int64()


def _is_readable(task: MergeTask, key: _Key) -> bool:
    """Whether every file holds the columns as the table has them, and they are not too many."""
    files, schema = task.scan.files, task.scan.schema
    most = by_key.MOST_ROWS if key.terms else MOST_ROWS
    if sum(file.rows for file in files) > most or schema.partition_by:
        return False
    columns = [key.column, *(term.column for term in key.terms)]
    return all(
        not (is_outside(file.path) or file.by_name) and all(_holds(file.schema, column) for column in columns)
        for file in files
    )


def _holds(written: Schema, column: Column) -> bool:
    found = next((item for item in written.columns if item.id == column.id), None)
    return found is not None and found.type == column.type and file_name(found) == file_name(column)


def _matched(writer: FileWriter, file: FileScan, key: _Key) -> Matches:
    """Addresses and row ids of the live rows of the file that match, and the numbers of the source's rows."""
    numbers = pa.chunked_array(_numbers(writer, file, key), pa.int32())
    is_hit = pc.is_valid(numbers).to_numpy()
    is_hit[deleted_positions(writer.warehouse, file.delete_paths)] = False
    positions = np.flatnonzero(is_hit).astype(np.int64)
    if key.terms and len(positions):
        positions = np.intersect1d(positions, positions_of(writer, file, key.terms), assume_unique=True)
    if not len(positions):
        return positions, positions, positions
    chosen = numbers.take(pa.array(positions)).to_numpy().astype(np.int64)
    return positions + file.base, stored_row_ids(writer.warehouse, file)[positions], chosen


def _numbers(writer: FileWriter, file: FileScan, key: _Key) -> list[pa.Array]:
    """By position the number of the source's row with the same value, or NULL."""
    name, path = file_name(key.column), writer.warehouse.absolute(file.path)
    metadata = pq.read_metadata(path, filesystem=writer.warehouse.filesystem)
    paths = [metadata.schema.column(leaf).path for leaf in range(metadata.num_columns)]
    if paths.count(name) != 1:
        raise _Elsewhere
    chunks = [metadata.row_group(group).column(paths.index(name)) for group in range(metadata.num_row_groups)]
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    if size > MOST_BYTES:
        raise _Elsewhere
    # Texts that repeat are read once, and looked up once. Of texts that differ Arrow would make a dictionary first.
    is_repeated = key.column.type == "string" and size < PLAIN_TEXT_BYTES * metadata.num_rows
    texts = [name] if is_repeated else None
    with pq.ParquetFile(
        path, filesystem=writer.warehouse.filesystem, metadata=metadata, read_dictionary=texts
    ) as stored:
        batches = stored.iter_batches(BATCH_ROWS, columns=[name], use_threads=False)
        return [_looked_up(batch.column(name), key) for batch in batches]


def _looked_up(values: pa.Array, key: _Key) -> pa.Array:
    if pa.types.is_dictionary(values.type):
        return _looked_up(values.dictionary, key).take(values.indices)
    return pc.index_in(values.cast(_compared_as(key.column)), value_set=key.values, skip_nulls=True)


def _given(
    target: Target, source: FrozenSource, rule: Rule, key: _Key, numbers: Integers
) -> dict[int, pa.ChunkedArray | pa.Array] | None:
    """By column id what the source gives each pair; None where that is too much."""
    if target.partition_texts or source.table is None or _bytes_of(source.table, numbers) > MOST_IMAGE_BYTES:
        return None
    return _sources(target, source, source.table.take(pa.array(numbers)), rule, key, numbers)


def _sources(
    target: Target, source: FrozenSource, rows: pa.Table, rule: Rule, key: _Key, numbers: Integers
) -> dict[int, pa.ChunkedArray | pa.Array]:
    columns = target.schema.columns
    values = {c.id: _image(c, source, rows, rule.values.get(c.name), key, numbers) for c in columns}
    return {identifier: found for identifier, found in values.items() if found is not None}


def _images(
    writer: FileWriter,
    task: MergeTask,
    rule: Rule,
    given: Mapping[int, pa.ChunkedArray | pa.Array],
    addresses: Sequence[Integers],
) -> pa.Table | None:
    """What the rule writes of each pair, under internal names; None where it has to compute, cast or refuse.
    ``addresses``: those of the pairs, by file.
    """
    schema = task.scan.schema
    is_whole = len(given) == len(schema.columns)
    own = None if is_whole else _own(writer, task, _own_values(task, rule, given), addresses)
    if own is None and not is_whole:
        return None
    columns: dict[str, pa.ChunkedArray | pa.Array] = {}
    for column in schema.columns:
        name = internal_name(column)
        values = given[column.id] if column.id in given or own is None else own.column(name)
        if values.null_count and not column.nullable:
            return None
        columns[name] = values
    return pa.table(columns)


def _own_values(task: MergeTask, rule: Rule, given: Collection[int]) -> by_key.Assigned | None:
    """What the rule makes of the target alone, beside columns that are ``given``; None where Spark has to compute or to
    read it.
    """
    schema = task.scan.schema
    if any(arrow_type(column.type) is None for column in schema.columns):
        return None
    left = [column.name for column in schema.columns if column.id not in given]
    return by_key.assigned(schema, [(name, rule.values[name]) for name in left if name in rule.values], task.alias)


def _own(
    writer: FileWriter, task: MergeTask, new: by_key.Assigned | None, addresses: Sequence[Integers]
) -> pa.Table | None:
    """The rows at these addresses, with the new values; None where they are many, or Spark has to read something."""
    schema = task.scan.schema
    if new is None:
        return None
    found = [(file, places) for file, places in zip(task.scan.files, addresses, strict=True) if len(places)]
    rows = sum(len(places) for _, places in found), sum(file.rows for file, _ in found)
    are_many = rows[0] > by_key.MOST_FOUND or rows[1] > by_key.MOST_ROWS
    if are_many or not all(is_as_declared(file, schema) for file, _ in found):
        return None
    parts = [pa.table({internal_name(c): pa.nulls(0, arrow_type(c.type)) for c in schema.columns})]
    for file, places in found:
        old = rows_at(writer, schema, file, places - file.base)
        images = None if old is None else changed(schema, old, new)
        if images is None:
            return None
        parts.append(images)
    return pa.concat_tables(parts)


def _bytes_of(table: pa.Table, numbers: Integers) -> int:
    """What the rows of these numbers take at most: a row that many others match is copied for each."""
    most = int(np.bincount(numbers).max(initial=0))
    if most <= 1:
        return int(table.nbytes)
    size, places = 0, pa.array(numbers)
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
            size += pc.sum(pc.binary_length(column).take(places)).as_py() or 0
        elif pa.types.is_nested(column.type):
            size += column.nbytes * most
        else:
            size += column.nbytes * len(numbers) // table.num_rows
    return size


def _image(
    column: Column, source: FrozenSource, rows: pa.Table, text: str | None, key: _Key, numbers: Integers
) -> pa.ChunkedArray | pa.Array | None:
    if text is not None:
        return plain_values(column, source, rows, text)
    # A column that keeps its value has that of the source where ON compares them.
    return key.values.take(pa.array(numbers)).cast(arrow_type(column.type)) if column.id == key.column.id else None
