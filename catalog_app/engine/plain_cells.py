"""Single rows of files by their addresses, read by this process: Spark starts a job for them, and scans every file.

A value that a file holds as the table has it means the same to whoever reads it. All else is Spark's: files that lie
outside, columns that are decoded or lie elsewhere than the file says, nested and rare types, and very many values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, TableScan, is_outside
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.answers import LARGEST_ANSWER_BYTES, json_rows
from catalog_app.engine.decoding import held
from catalog_app.engine.plain_values import INTEGER_BITS
from catalog_app.engine.types import arrow_type, storage_type
from catalog_app.storage.cells import RowCells
from catalog_app.storage.deletes import Integers
from catalog_app.storage.facts import field_id
from catalog_app.storage.warehouse import Warehouse

MOST_VALUES = 200_000_000
"""Of files that are looked through, rows times columns: more are read by the cores of Spark."""
MOST_BYTES = 256 * 1024 * 1024
"""What the rows that are read take at most."""
UNREADABLE = (OSError, pa.ArrowInvalid)
"""What a file raises that is gone, damaged or out of reach. Spark reads it again, and says what is wrong."""
BATCH_BYTES = 16 * 1024 * 1024
BATCH_ROWS = 65_536

_TEXT_PARTITIONS = frozenset({*INTEGER_BITS, "string", "boolean", "date"})
"""Types of partition columns whose text is one, whatever the session's zone."""
_NO_TEXT_OF_JSON = "[\x00-\x1f]"
"""Signs that JSON escapes, each library in its own way."""


class _Elsewhere(Exception):
    """Spark has to read this."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows of one file: positions, ascending, and the values of columns that it holds or NULL."""

    file: FileScan
    positions: Integers
    columns: Sequence[int | None]
    """By column of the schema the field id in the file, None where the file lacks it."""


def plain_cells(
    warehouse: Warehouse,
    scan: TableScan,
    addresses: Integers,
    *,
    with_keys: bool = False,
    most_bytes: int | None = None,
) -> RowCells | None:
    """What ``cells.cells_read`` gives; None where Spark is needed, and for more than ``most_bytes``."""
    most = MOST_BYTES if most_bytes is None else most_bytes
    try:
        wanted, places = np.unique(addresses, return_inverse=True)
        kinds = _kinds(scan.schema)
        parts = _parts(scan, wanted)
        found = _columns(warehouse, scan.schema, kinds, parts, most).take(places.reshape(-1))
        return RowCells(found.columns, found.partition, _keys(scan.schema, found)) if with_keys else found
    except (_Elsewhere, *UNREADABLE):
        return None


def plain_shown(
    warehouse: Warehouse, scan: TableScan, addresses: Integers, *, with_keys: bool = False
) -> list[list[Any]] | None:
    """What ``cells.cells_shown`` gives; None where Spark is needed."""
    found = plain_cells(warehouse, scan, addresses, with_keys=with_keys)
    rows = None if found is None or not scan.schema.columns else cells_shown_plainly(scan.schema, found)
    if found is None or rows is None or not with_keys:
        return rows
    return [[*row, key] for row, key in zip(rows, found.keys, strict=True)]


def cells_shown_plainly(schema: Schema, cells: RowCells) -> list[list[Any]] | None:
    """Rows of ``plain_cells`` as JSON values; None where they are too many bytes for an answer."""
    arrays = [cells.columns[column.id] for column in schema.columns]
    table = pa.Table.from_arrays(arrays, names=[f"c{place}" for place in range(len(arrays))])
    return None if table.nbytes > LARGEST_ANSWER_BYTES else json_rows(table)


# -- which files hold what ---------------------------------------------------------------------------------------------


def _kinds(schema: Schema) -> list[pa.DataType]:
    kinds = []
    for column in schema.columns:
        kind = None if column.type.startswith("char(") else arrow_type(column.type)
        if kind is None or (column.id in schema.partition_by and column.type not in _TEXT_PARTITIONS):
            raise _Elsewhere
        kinds.append(kind)
    return kinds


def _parts(scan: TableScan, wanted: Integers) -> list[_Part]:
    """The rows by file, in order of their addresses."""
    parts, count = [], 0
    for file in sorted(scan.files, key=lambda file: file.base):
        start, end = np.searchsorted(wanted, [file.base, file.base + file.rows])
        if start < end:
            parts.append(_Part(file, wanted[start:end] - file.base, _held(scan.schema, file)))
            count += end - start
    if count != len(wanted) or sum(part.file.rows for part in parts) * len(scan.schema.columns) > MOST_VALUES:
        raise _Elsewhere
    return parts


def _held(schema: Schema, file: FileScan) -> list[int | None]:
    is_moved = file.is_moved and bool(schema.partition_by)
    if is_outside(file.path) or file.by_name or is_moved:
        raise _Elsewhere
    if schema.partition_by and len(file.partition) != len(schema.partition_by):
        raise _Elsewhere
    return [_field_id(column, file.schema) for column in schema.columns]


def _field_id(column: Column, written: Schema) -> int | None:
    found = held(column, written)
    if found is None:
        if column.initial_default is not None:
            raise _Elsewhere
        return None
    if found.id is None or storage_type(found.type) != storage_type(column.type):
        raise _Elsewhere
    return found.id


# -- reading -----------------------------------------------------------------------------------------------------------


def _columns(
    warehouse: Warehouse, schema: Schema, kinds: Sequence[pa.DataType], parts: Sequence[_Part], most_bytes: int
) -> RowCells:
    """The rows of the parts, one after the other."""
    read: list[list[pa.Array]] = [[] for _ in kinds]
    size = 0
    for part in parts:
        for batch in _rows(warehouse, part, kinds, most_bytes):
            size += sum(values.nbytes for values in batch)
            if size > most_bytes:
                raise _Elsewhere
            for chunks, values in zip(read, batch, strict=True):
                chunks.append(values)
    columns = {
        column.id: pa.concat_arrays(chunks) if chunks else pa.nulls(0, kind)
        for column, kind, chunks in zip(schema.columns, kinds, read, strict=True)
    }
    return RowCells(columns, tuple(_partition(parts, place) for place in range(len(schema.partition_by))))


def _partition(parts: Sequence[_Part], place: int) -> pa.Array:
    texts = [pa.nulls(0, pa.string())]
    for part in parts:
        text = pa.scalar(part.file.partition[place], pa.string())
        texts.append(pa.repeat(text, len(part.positions)))
    return pa.concat_arrays(texts)


def _rows(warehouse: Warehouse, part: _Part, kinds: Sequence[pa.DataType], most_bytes: int) -> Iterator[list[pa.Array]]:
    """The rows of one file in pieces: by column of the schema its values."""
    path, found = warehouse.absolute(part.file.path), 0
    metadata = pq.read_metadata(path, filesystem=warehouse.filesystem)
    leaves = _leaves(metadata, part, kinds)
    names = {identifier: metadata.schema.column(leaf).path for identifier, leaf in leaves.items()}
    texts = _dictionaries(metadata, leaves)
    with pq.ParquetFile(
        path, filesystem=warehouse.filesystem, metadata=metadata, read_dictionary=texts or None
    ) as stored:
        for rows in _taken(stored, list(leaves.values()), list(names.values()), part.positions):
            found += rows.num_rows
            yield [
                pa.nulls(rows.num_rows, kind)
                if identifier is None
                else _whole(rows.column(names[identifier]), kind, most_bytes)
                for identifier, kind in zip(part.columns, kinds, strict=True)
            ]
    if found != len(part.positions):
        raise _Elsewhere


def _leaves(metadata: pq.FileMetaData, part: _Part, kinds: Sequence[pa.DataType]) -> dict[int, int]:
    """By field id, in order of the file, the number of the column that holds it."""
    wanted = {identifier: kind for identifier, kind in zip(part.columns, kinds, strict=True) if identifier is not None}
    paths = [metadata.schema.column(leaf).path for leaf in range(metadata.num_columns)]
    found = {}
    for field in metadata.schema.to_arrow_schema():
        identifier = field_id(field)
        if identifier in wanted:
            is_plain = field.type == wanted[identifier] and paths.count(field.name) == 1 and "." not in field.name
            if not is_plain or identifier in found:
                raise _Elsewhere
            found[identifier] = paths.index(field.name)
    if not found or found.keys() != wanted.keys():
        raise _Elsewhere
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _dictionaries(metadata: pq.FileMetaData, leaves: dict[int, int]) -> list[str]:
    """Columns of texts and bytes with dictionaries: as such, a long value that many rows have is read once."""
    found = []
    for leaf in leaves.values():
        chunks = [metadata.row_group(group).column(leaf) for group in range(metadata.num_row_groups)]
        if any(chunk.physical_type == "BYTE_ARRAY" and chunk.has_dictionary_page for chunk in chunks):
            found.append(metadata.schema.column(leaf).path)
    return found


def _taken(
    stored: pq.ParquetFile, leaves: Sequence[int], names: list[str], positions: Integers
) -> Iterator[pa.RecordBatch]:
    """The rows at these positions. Of a row group what lies behind the last is not decoded."""
    start = 0
    for number in range(stored.num_row_groups):
        group = stored.metadata.row_group(number)
        low, high = np.searchsorted(positions, [start, start + group.num_rows])
        inside, first = positions[low:high] - start, 0
        start += group.num_rows
        if not len(inside):
            continue
        size = _batch_rows(group, leaves, int(inside[-1]) + 1)
        # Few rows need no second thread, for which they would wait.
        are_few = int(inside[-1]) < BATCH_ROWS
        for batch in stored.iter_batches(size, row_groups=[number], columns=names, use_threads=not are_few):
            low, high = np.searchsorted(inside, [first, first + batch.num_rows])
            if low < high:
                yield batch.take(pa.array(inside[low:high] - first))
            first += batch.num_rows
            if first > inside[-1]:
                break


def _batch_rows(group: pq.RowGroupMetaData, leaves: Sequence[int], wanted: int) -> int:
    """How many rows are decoded at once: fewer where they are wide. The first ``wanted`` rows of the group fill whole
    batches.
    """
    width = sum(group.column(leaf).total_uncompressed_size for leaf in leaves) / max(group.num_rows, 1)
    most = int(min(max(BATCH_BYTES / max(width, 1), 1), BATCH_ROWS))
    return -(-wanted // -(-wanted // most))


def _whole(values: pa.Array, kind: pa.DataType, most_bytes: int) -> pa.Array:
    if not pa.types.is_dictionary(values.type):
        return values
    lengths = pc.binary_length(values.dictionary).take(values.indices)
    if (pc.sum(lengths).as_py() or 0) > most_bytes:
        raise _Elsewhere
    return values.dictionary_decode().cast(kind)


# -- keys --------------------------------------------------------------------------------------------------------------


def _keys(schema: Schema, cells: RowCells) -> list[str]:
    """The primary key of each row as Spark writes it as JSON (``whole_values.row_text``)."""
    columns = [column for identifier in schema.primary_key if (column := schema.column(identifier)) is not None]
    if not columns:
        raise _Elsewhere
    parts: list[Any] = []
    for column in columns:
        name = json.dumps(column.name, ensure_ascii=False)
        parts += [f"{',' if parts else '{'}{name}:", _json(column, cells.columns[column.id])]
    found: list[str] = pc.binary_join_element_wise(*parts, "}", "").to_pylist()
    return found


def _json(column: Column, values: pa.Array) -> pa.Array:
    if values.null_count:
        raise _Elsewhere
    if column.type in INTEGER_BITS:
        return pc.cast(values, pa.string())
    if column.type != "string" or pc.any(pc.match_substring_regex(values, _NO_TEXT_OF_JSON)).as_py():
        raise _Elsewhere
    escaped = pc.replace_substring(pc.replace_substring(values, "\\", "\\\\"), '"', '\\"')
    return pc.binary_join_element_wise('"', escaped, '"', "")
