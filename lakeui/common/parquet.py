"""How Parquet files are written, whoever reads them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq


def dictionary_columns(schema: pa.Schema) -> list[str]:
    """Paths of the leaves that may be dictionary encoded, for ``use_dictionary``: those outside of arrays and maps.

    A chunk that holds only NULL would get an empty dictionary, and Spark looks an element up before it asks whether it
    is NULL. *Example:* ``exists(a, e -> e IS NULL)`` over ``[NULL]``.
    """
    return [path for field in schema for path in _leaves(field.name, field.type)]


def without_dictionary(metadata: pq.FileMetaData) -> frozenset[str]:
    """Paths of the leaves that a file holds without a dictionary: one of their values would be longer than they are."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    encoded = {chunk.path_in_schema for chunk in chunks if any("DICTIONARY" in name for name in chunk.encodings)}
    return frozenset(chunk.path_in_schema for chunk in chunks) - encoded


def _leaves(path: str, kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif not pa.types.is_nested(kind):
        yield path
