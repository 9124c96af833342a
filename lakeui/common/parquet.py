"""How Parquet files are written, whoever reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SAMPLE = 65_536
"""Of so many first rows the distinct values are counted."""
FEW = 1_000
"""Of fewer rows none are: a dictionary of them costs next to no bytes."""
_FIELD_ID, _ROW_ID = b"PARQUET:field_id", b"2147483540"
"""Iceberg's field of row ids has this id. The domain says so too, which executors do not have."""


def parquet_writer(
    place: Any,
    schema: pa.Schema,
    *,
    first: pa.Table | None = None,
    plain: Collection[str] = (),
    compression: str = "zstd",
    **options: Any,
) -> pq.ParquetWriter:
    """Writes tables of the schema to a path of a file system, or to a stream. ``first``: the first of them. ``plain``:
    leaves without a dictionary. Row ids ascend, so they are stored as differences.
    """
    ascending = [field.name for field in schema if (field.metadata or {}).get(_FIELD_ID) == _ROW_ID]
    return pq.ParquetWriter(
        place,
        schema,
        compression=compression,
        use_dictionary=[path for path in dictionary_columns(schema, first) if path not in {*ascending, *plain}],
        column_encoding=dict.fromkeys(ascending, "DELTA_BINARY_PACKED"),
        store_schema=False,
        store_decimal_as_integer=True,
        **options,
    )


def footer_of(metadata: pq.FileMetaData) -> bytes:
    """The footer of a file as one without rows."""
    content = pa.BufferOutputStream()
    metadata.write_metadata_file(content)
    return bytes(content.getvalue())


def without_dictionary(metadata: pq.FileMetaData) -> frozenset[str]:
    """Paths of the leaves that a file holds without a dictionary: one of their values would be longer than they are."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    encoded = {chunk.path_in_schema for chunk in chunks if any("DICTIONARY" in name for name in chunk.encodings)}
    return frozenset(chunk.path_in_schema for chunk in chunks) - encoded


def dictionary_columns(schema: pa.Schema, first: pa.Table | None = None) -> list[str]:
    """Paths of the leaves that are dictionary encoded, for ``use_dictionary``: those outside of arrays and maps. Where
    ``first`` rows have a column with mostly distinct values, it is not: its places in a dictionary compress badly.

    A chunk that holds only NULL would get an empty dictionary, and Spark looks an element up before it asks whether it
    is NULL. *Example:* ``exists(a, e -> e IS NULL)`` over ``[NULL]``.
    """
    return [
        path
        for field in schema
        if first is None or _repeats(first.column(field.name))
        for path in _leaves(field.name, field.type)
    ]


def _repeats(column: pa.ChunkedArray) -> bool:
    if pa.types.is_nested(column.type):
        return True
    sample = column.slice(0, SAMPLE)
    return len(sample) < FEW or 2 * pc.count_distinct(sample).as_py() <= len(sample)


def _leaves(path: str, kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif not pa.types.is_nested(kind):
        yield path


@dataclass
class Seen:
    """What no footer says of rows: columns with NaN, and how many values of nested columns are NULL."""

    nan: set[str] = field(default_factory=set)
    nulls: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pa.Table) -> Seen:
        seen = cls()
        seen.add(table)
        return seen

    def add(self, table: pa.Table) -> None:
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_nested(column.type):
                self.nulls[name] = self.nulls.get(name, 0) + column.null_count
            elif pa.types.is_floating(column.type) and name not in self.nan and holds_nan(column):
                self.nan.add(name)


def holds_nan(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.is_nan(column)).as_py())
