"""Keys of the row groups that may match, read from their files and folders and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from merge_app.upsert.dataset import DataFile, Dataset
from merge_app.upsert.keys import key_names, normal, normal_type
from merge_app.upsert.partitions import partition_value
from merge_app.upsert.row_groups import RowGroup
from merge_app.upsert.schemas import conformed


def keys_read(dataset: Dataset, groups: Sequence[RowGroup], fields: Sequence[pa.Field]) -> pa.RecordBatchReader:
    """Keys in normal form as ``k0``, ``k1``, …, with the number of the file and the position in it, file by file."""
    kinds = [normal_type(field.type) for field in fields]
    keys = zip(key_names(len(fields)), kinds, strict=True)
    schema = pa.schema([("file", pa.int32()), ("position", pa.int64()), *keys])
    return pa.RecordBatchReader.from_batches(schema, _batches(dataset, groups, fields, schema))


def _batches(
    dataset: Dataset, groups: Sequence[RowGroup], fields: Sequence[pa.Field], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    for number, of_file in groupby(groups, key=lambda group: group.file):
        chosen = list(of_file)
        file = dataset.files[number]
        positions = np.concatenate([np.arange(group.first, group.first + group.rows) for group in chosen])
        stored = _stored_keys(dataset, file, chosen, fields)
        keys = [_key(file, field, stored, len(positions)) for field in fields]
        numbers = np.full(len(positions), number, np.int32)
        yield from pa.table([numbers, positions, *keys], schema=schema).to_batches()


def _stored_keys(dataset: Dataset, file: DataFile, groups: Sequence[RowGroup], fields: Sequence[pa.Field]) -> pa.Table:
    """The key columns that lie in the file, not in the name of its folder."""
    inside = [field for field in fields if field.name in file.schema.names and field.name not in file.partition_texts]
    with pq.ParquetFile(dataset.root / file.path) as opened:
        read = opened.read_row_groups([group.group for group in groups], columns=[field.name for field in inside])
    return conformed(read, pa.schema(inside))


def _key(file: DataFile, field: pa.Field, stored: pa.Table, rows: int) -> pa.ChunkedArray:
    if field.name in stored.column_names:
        return normal(stored.column(field.name))
    if field.name in file.partition_texts:
        value = partition_value(file, field)
        return normal(pa.chunked_array([pa.repeat(value, rows)]))
    return pa.chunked_array([pa.nulls(rows, normal_type(field.type))])
