"""Parquet files that tasks of Spark write into a store through PyArrow, one request each.

This runs in executors, which have PyArrow and not lakeui. So the module imports nothing else but how Parquet is
written, and both are sent along with the job (``SENT``). An attempt at a task writes under names that no other one has.
What the job answers names the files of those attempts that count: what a dead one left is in no answer.

Each task has addresses of its own for its rows, so a file gets its last name before its rows are counted. Attempts at a
task share these addresses: one of them counts.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from lakeui.common import parquet
from lakeui.common.parquet import Seen, footer_of, parquet_writer

SENT = (sys.modules[__name__], parquet)
"""Modules that executors get by value."""
HELD_BYTES = 64 * 1024 * 1024
"""Rows that a task holds at most, in Arrow; they are written together. A batch may be larger."""
ANSWERED_BYTES = 1024 * 1024
"""A file that is smaller comes with the answer of its task: this process writes it, and others of its partition value,
as one file under the name that it keeps.
"""
SENT_BYTES = 1024 * 1024
"""Rows that Spark is about to read come along with the job, while they are a smaller file than this."""
ANSWERED_TASKS = 32
"""So many tasks may answer so much; those behind them less and less, however many there are."""
TASKS, TASK_ROWS = 1024, 1 << 25
"""So many tasks of a job have addresses, each for so many rows. The files of others lie in staging until they are
placed.
"""
ANSWER = """path STRING, base BIGINT, texts ARRAY<STRING>, rows BIGINT, bytes BIGINT, footer BINARY, nan ARRAY<STRING>,
    nulls MAP<STRING, BIGINT>, content BINARY"""
"""What a task says of each of its files. ``path`` is empty where it comes as ``content``, ``base`` where it has no
address.
"""
_ANSWER = pa.schema(
    [
        ("path", pa.string()),
        ("base", pa.int64()),
        ("texts", pa.list_(pa.string())),
        ("rows", pa.int64()),
        ("bytes", pa.int64()),
        ("footer", pa.binary()),
        ("nan", pa.list_(pa.string())),
        ("nulls", pa.map_(pa.string(), pa.int64())),
        ("content", pa.binary()),
    ]
)

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class Places:
    """Where tasks write: a file that has an address below ``data``, another one in ``staging``. ``first`` is the first
    of the addresses of all tasks; None where they have none.
    """

    filesystem: pafs.FileSystem
    staging: str
    data: str = ""
    first: int | None = None

    def new(self, base: int | None) -> str:
        folder = self.staging if base is None else f"{self.data}/base={base}"
        return f"{folder}/{uuid.uuid4().hex}.parquet"


@dataclass(frozen=True, slots=True)
class SmallFile:
    """A file that one task reads at once: its ``content`` where that comes along with the job, else where it lies."""

    content: bytes = b""
    filesystem: pafs.FileSystem | None = None
    path: str = ""

    def read(self) -> pa.Buffer:
        if self.filesystem is None:
            return pa.py_buffer(self.content)
        with self.filesystem.open_input_file(self.path) as stored:
            return stored.read_buffer(stored.size())


def task_writer(
    places: Places, schema: pa.Schema, *, rows_per_file: int, answers: bool
) -> Callable[[Batches], Batches]:
    """What a task does with its rows: the columns of ``schema`` in order, and the texts of their folder behind them.
    Rows of one folder follow each other. ``answers``: whether small files come with the answer.
    """

    def write(batches: Batches) -> Batches:
        number = _task_number()
        room, file, taken = _room(number) if answers else 0, None, 0
        for batch in batches:
            for texts, rows in _runs(batch, len(schema)):
                if file is None or file.texts != texts or file.rows + rows.num_rows > rows_per_file:
                    if file is not None:
                        yield file.ended(room)
                        room, taken = room - file.answered, taken + file.rows
                    most = max(rows_per_file, rows.num_rows)
                    file = _File(places, _base(places.first, number, taken, most), schema, texts)
                file.add(rows)
        if file is not None:
            yield file.ended(room)

    return write


def task_reader(file: SmallFile, schema: pa.Schema) -> Callable[[Batches], Batches]:
    """The rows of the file, whatever rows come, as Spark takes them."""

    def read(_: Batches) -> Batches:
        with pq.ParquetFile(pa.BufferReader(file.read())) as opened:
            for batch in opened.iter_batches():
                yield from pa.Table.from_batches([batch]).cast(schema).to_batches()

    return read


def _task_number() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _room(number: int) -> int:
    """Bytes that this task may answer."""
    return ANSWERED_BYTES * ANSWERED_TASKS // max(number + 1, ANSWERED_TASKS)


def _base(first: int | None, number: int, taken: int, most: int) -> int | None:
    """The address of the first row of a file of at most so many rows, behind those that the task has ``taken``. None
    where the task has no address for each of them.
    """
    if first is None or number >= TASKS or taken + most > TASK_ROWS:
        return None
    return first + number * TASK_ROWS + taken


def _runs(batch: pa.RecordBatch, columns: int) -> Iterator[tuple[list[str | None], pa.Table]]:
    """The rows of a batch by their folder, in order."""
    table = pa.Table.from_batches([batch])
    folders = [column.combine_chunks() for column in table.columns[columns:]]
    ends = {batch.num_rows} if batch.num_rows else set()
    for values in folders:
        ends.update(pc.run_end_encode(values).run_ends.to_pylist())
    begin = 0
    for end in sorted(ends):
        yield [values[begin].as_py() for values in folders], table.select(range(columns)).slice(begin, end - begin)
        begin = end


class _File:
    """One file. It opens in the store when its rows are more than a task holds."""

    def __init__(self, places: Places, base: int | None, schema: pa.Schema, texts: list[str | None]) -> None:
        self.texts, self.rows, self.answered = texts, 0, 0
        self._filesystem, self._schema = places.filesystem, schema
        self._base, self._path = base, places.new(base)
        self._held: list[pa.Table] = []
        self._held_bytes = 0
        self._metadata: list[pq.FileMetaData] = []
        self._seen = Seen()
        self._stream: Any = None
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: pa.Table) -> None:
        stored = rows.rename_columns(self._schema.names).cast(self._schema)
        self.rows += stored.num_rows
        self._seen.add(stored)
        self._held.append(stored)
        self._held_bytes += stored.nbytes
        if self._held_bytes >= HELD_BYTES:
            self._flush(self._stream or self._filesystem.open_output_stream(self._path))

    def ended(self, room: int) -> pa.RecordBatch:
        """Its row of the answer."""
        if self._held:
            self._flush(self._stream or pa.BufferOutputStream())
        assert self._writer is not None
        self._writer.close()
        size, content = self._stream.tell(), self._content(room)
        said = {
            "path": self._path if content is None else "",
            "base": self._base,
            "texts": self.texts,
            "rows": self.rows,
            "bytes": size,
            "footer": footer_of(self._metadata[0]),
            "nan": sorted(self._seen.nan),
            "nulls": list(self._seen.nulls.items()),
            "content": content,
        }
        return pa.RecordBatch.from_pylist([said], _ANSWER)

    def _content(self, room: int) -> bytes | None:
        """What is answered of it; None where it is in the store now."""
        if not isinstance(self._stream, pa.BufferOutputStream):
            self._stream.close()
            return None
        content = self._stream.getvalue()
        if content.size <= room:
            self.answered = content.size
            return bytes(content)
        with self._filesystem.open_output_stream(self._path) as stream:
            stream.write(content)
        return None

    def _flush(self, stream: Any) -> None:
        group = pa.concat_tables(self._held)
        if self._writer is None:
            self._stream = stream
            self._writer = parquet_writer(stream, self._schema, first=group, metadata_collector=self._metadata)
        self._writer.write_table(group)
        self._held, self._held_bytes = [], 0
