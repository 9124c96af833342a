"""The batch, frozen: one table whose rows have numbers, in memory or in a file that is mapped into it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from lakeui.common.errors import InvalidValue
from lakeui.common.map_keys import holds_maps, single_keys_require
from merge_app.upsert.inputs_outputs import names, spelled
from merge_app.upsert.schemas import conformed, without_views

Row: TypeAlias = Mapping[str, Any]


class ArrowStream(Protocol):
    """What gives its rows as an Arrow stream, as the data frames of pandas, polars and others do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Batch: TypeAlias = pa.Table | pa.RecordBatch | pa.RecordBatchReader | ArrowStream | Sequence[pa.Table] | Sequence[Row]
"""What ``merge`` takes as data. A stream's rows go through a file, so that they may be more than memory holds."""


def batch_open(data: Batch, schema: pa.Schema | None = None) -> pa.Table | pa.RecordBatchReader:
    """The batch as a table or a reader, with the columns and types of ``schema`` where one is given.

    Of rows as dictionaries, each name of any of them is a column; a row without it has NULL there. A data frame's index
    is a column where it has a name. An empty list is a table without columns.
    """
    try:
        found = _opened(data)
    except (pa.ArrowException, OverflowError) as problem:
        raise InvalidValue(
            f"The batch is no table: {problem}",
            remedy="Give all values of a column one type, and all tables one schema.",
        ) from problem
    names(found.schema.names)
    schema = without_views(found.schema if schema is None else schema)
    if schema.equals(found.schema):
        return found
    return conformed(found, schema) if isinstance(found, pa.Table) else _conformed_reader(found, schema)


def _opened(data: Batch) -> pa.Table | pa.RecordBatchReader:
    if isinstance(data, pa.Table | pa.RecordBatchReader):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        has_named_index = any(name is not None for name in data.index.names)
        return pa.Table.from_pandas(data, preserve_index=has_named_index).replace_schema_metadata()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data)
    if isinstance(data, Sequence):
        if all(isinstance(item, pa.Table) for item in data):
            return pa.concat_tables(data, promote_options="permissive") if data else pa.table({})
        if all(isinstance(item, Mapping) for item in data):
            return _of_rows(data)
    raise InvalidValue(
        f"A {type(data).__name__} is no batch.",
        remedy="Give an Arrow table or stream, a data frame of pandas or polars, a list of dictionaries or of tables.",
    )


def _of_rows(rows: Sequence[Row]) -> pa.Table:
    columns = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in columns})


def batch_named(data: pa.Table | pa.RecordBatchReader, known: Sequence[str]) -> pa.Table | pa.RecordBatchReader:
    """The batch with the target's spelling of the columns that differ from it by case alone."""
    spellings = list(spelled(data.schema.names, known))
    if spellings == data.schema.names:
        return data
    if isinstance(data, pa.Table):
        return data.rename_columns(spellings)
    fields = [field.with_name(name) for field, name in zip(data.schema, spellings, strict=True)]
    parts = (part.rename_columns(spellings) for part in data)
    return pa.RecordBatchReader.from_batches(pa.schema(fields, metadata=data.schema.metadata), parts)


def batch_freeze(data: pa.Table | pa.RecordBatchReader, schema: pa.Schema, folder: Path) -> pa.Table:
    """The columns of the schema, in its types. A reader is emptied into a file below ``folder``. Raises InvalidValue
    for a map that has a key twice.
    """
    frozen = _frozen(data, schema, folder)
    for name, column in zip(frozen.column_names, frozen.columns, strict=True):
        row = 1
        for chunk in column.chunks if holds_maps(column.type) else ():
            single_keys_require(chunk, name, first_row=row)
            row += len(chunk)
    return frozen


def _frozen(data: pa.Table | pa.RecordBatchReader, schema: pa.Schema, folder: Path) -> pa.Table:
    if isinstance(data, pa.Table):
        return conformed(data, schema)
    reader = _conformed_reader(data, schema)
    path = str(folder / "batch.arrow")
    with reader, pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, reader.schema) as writer:
        for part in reader:
            writer.write_batch(part)
    return pa.ipc.open_file(pa.memory_map(path)).read_all()


def _conformed_reader(data: pa.RecordBatchReader, schema: pa.Schema) -> pa.RecordBatchReader:
    fields = [field for field in schema if field.name in data.schema.names]
    parts = (
        part
        for given in data
        for part in conformed(pa.Table.from_batches([given]), schema).combine_chunks().to_batches()
    )
    return pa.RecordBatchReader.from_batches(pa.schema(fields, metadata=schema.metadata), parts)
