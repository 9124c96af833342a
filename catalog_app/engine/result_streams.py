"""A kept result as it is sent: one stream of Arrow, CSV or Parquet, a piece at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from catalog_app.engine.exporting import csv_table
from lakeui.common.parquet import dictionary_columns

ROW_GROUP_BYTES = 32 * 1024 * 1024
"""A row group of a Parquet file is held until it is whole."""
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class _Sent(io.RawIOBase):
    """What a writer wrote since it was last asked."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._written

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._written += len(piece)
        return len(piece)

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def arrow_sent(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """An Arrow IPC stream."""
    yield schema.serialize().to_pybytes()
    for batch in batches:
        yield batch.serialize().to_pybytes()
    yield _END


def csv_sent(schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, escapes: bool = False) -> Iterator[bytes]:
    """CSV with a header, texts in quotes."""
    names = schema.names
    sent = _Sent()
    shown = csv_table(schema.empty_table(), names, escapes=escapes).schema
    with pacsv.CSVWriter(sent, shown) as writer:
        for batch in batches:
            writer.write_table(csv_table(pa.Table.from_batches([batch]), names, escapes=escapes))
            yield sent.take()
    yield sent.take()


def parquet_sent(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """One Parquet file. Its row groups are small enough to be held."""
    sent = _Sent()
    held: list[pa.RecordBatch] = []
    dictionaries = dictionary_columns(schema)
    with pq.ParquetWriter(sent, schema, compression="zstd", use_dictionary=dictionaries) as writer:
        for batch in batches:
            held.append(batch)
            if sum(one.nbytes for one in held) >= ROW_GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(held))
                held.clear()
                yield sent.take()
        if held:
            writer.write_table(pa.Table.from_batches(held))
    yield sent.take()


Sender = Callable[[pa.Schema, Iterable[pa.RecordBatch]], Iterator[bytes]]
SENDERS: Mapping[str, Sender] = {"arrow": arrow_sent, "csv": csv_sent, "parquet": parquet_sent}
