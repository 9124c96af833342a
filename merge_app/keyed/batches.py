"""The batch, frozen: one table whose rows have numbers, in memory or in a file that is mapped into it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from lakeui.common.errors import InvalidValue
from merge_app.keyed.schemas import conformed
from merge_app.keyed.values import names, spelled

Batch: TypeAlias = pa.Table | pa.RecordBatch | pa.RecordBatchReader | Sequence[pa.Table]
"""What ``merge`` takes as data. A reader's rows go through a file, so that they may be more than memory holds."""


def batch_open(data: Batch, schema: pa.Schema | None) -> pa.Table | pa.RecordBatchReader:
    """The batch as a table or a reader, with the columns and types of ``schema`` where one is given."""
    found = _opened(data, schema)
    names(found.schema.names)
    return found


def _opened(data: Batch, schema: pa.Schema | None) -> pa.Table | pa.RecordBatchReader:
    if isinstance(data, pa.RecordBatchReader):
        return data if schema is None else _conformed_reader(data, schema)
    if isinstance(data, pa.Table | pa.RecordBatch):
        tables = [data if isinstance(data, pa.Table) else pa.Table.from_batches([data])]
    else:
        tables = list(data)
    if not tables:
        raise InvalidValue("The batch is an empty list.", remedy="Give one table at least; it may have no rows.")
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as problem:
        raise InvalidValue(
            f"The tables of the batch do not go together: {problem}", remedy="Give them one schema."
        ) from problem
    return table if schema is None else conformed(table, schema)


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
    """The columns of the schema, in its types. A reader is emptied into a file below ``folder``."""
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
