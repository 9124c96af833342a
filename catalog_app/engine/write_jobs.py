"""The jobs of Spark by which many rows become files: Spark's own writer for folders, PyArrow in tasks for stores.

Spark's writer takes some 27 requests of a store for each file, as it looks at folders and renames. A task that writes
by PyArrow takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import Transform, transform_value
from catalog_app.engine import task_files
from catalog_app.engine.decoding import file_name
from catalog_app.engine.reading import FIELD_ID
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.task_files import TASK_ROWS, TASKS, Places, SmallFile
from catalog_app.storage.field_ids import field_ids_add
from catalog_app.storage.footers import FileFacts, facts_of_footer
from catalog_app.storage.warehouse import StoredFile, Warehouse
from lakeui.common.parquet import Seen

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType


ROWS_PER_FILE = 20_000_000
_LONG_VALUE = 48

Sources = Sequence[tuple[Transform | None, Column]]
"""What the texts of folders are made of."""
Allocate = Callable[[int, int], int]
"""(table id, count) → first of ``count`` fresh addresses of the table."""
Release = Callable[[int, int, int], None]
"""(table id, first, following): addresses of the table that were allocated together, and that no row has."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file of a job, with the texts of its folder. It is ``content``, or lies at its place where it has a ``base``,
    the address of its first row, and in staging where it has none.
    """

    path: str
    texts: PartitionValues
    bytes: int
    facts: FileFacts | None = None
    content: pa.Buffer | None = None
    base: int | None = None

    @property
    def is_placed(self) -> bool:
        return self.content is None and self.base is not None


@dataclass(slots=True)
class Addresses:
    """Addresses of rows for one job: ``used`` becomes the one that follows the last row."""

    allocate: Allocate
    release: Release
    used: int = 0

    @contextmanager
    def taken(self, warehouse: Warehouse, table_id: int) -> Iterator[int]:
        """The first of those for all tasks. Where the work fails, files that have them go."""
        count = TASKS * TASK_ROWS
        self.used = first = self.allocate(table_id, count)
        try:
            yield first
        except BaseException:
            # Where the store is away, VACUUM finds them.
            with suppress(OSError):
                warehouse.data_discard(table_id, range(first, first + count))
            raise
        finally:
            self.release(table_id, self.used, first + count)


class WriteJob(Protocol):
    """Rows of a target under internal names, and texts of folders in columns behind them, become files in staging."""

    stages: bool
    """Whether files of it may lie in staging. What an attempt at a task left that died is found by VACUUM."""
    placed: Sequence[str]
    """Paths of the files of it that lie at their place."""

    def folder_value(self, text: str) -> str:
        """SQL of the column of a folder. ``text``: SQL of its text."""
        ...

    def apart(self, rows: DataFrame, folders: Sequence[str]) -> DataFrame:
        """Rows whose order does not count, so that those of one folder follow each other in each task."""
        ...

    def run(self, target: Target, rows: DataFrame, folders: Sequence[str]) -> list[Written]:
        """The files in the order of the rows. Rows of one folder follow each other."""
        ...


@dataclass(slots=True)
class SparkJob:
    """Spark's writer, and a listing of what it left: one level of folders for each column."""

    warehouse: Warehouse
    staging: str
    stages: bool = True
    placed: Sequence[str] = ()

    def folder_value(self, text: str) -> str:
        """It tells null, empty and long values apart."""
        long = f"char_length({text}) > {_LONG_VALUE}"
        return f"coalesce(CASE WHEN {long} THEN concat('h', sha2({text}, 256)) ELSE concat('v', {text}) END, 'n')"

    def apart(self, rows: DataFrame, folders: Sequence[str]) -> DataFrame:
        """The writer sorts them."""
        return rows

    def run(self, target: Target, rows: DataFrame, folders: Sequence[str]) -> list[Written]:
        rows = rows.toDF(*[name for _, name, _ in target.fields()], *folders)
        for _, name, identifier in target.fields():
            rows = rows.withMetadata(name, {FIELD_ID: identifier})
        writer = rows.write.options(**self.warehouse.spark_options).mode("error")
        writer = writer.option("maxRecordsPerFile", ROWS_PER_FILE)
        if folders:
            writer = writer.partitionBy(*folders)
        writer.parquet(self.warehouse.spark_path(self.staging))
        files = self._identified(target, self.warehouse.files_under(self.staging))
        return [Written(file.path, self._texts(file, target.sources), file.bytes) for file in files]

    def _identified(self, target: Target, files: list[StoredFile]) -> list[StoredFile]:
        """Give fields inside of columns their ids: Spark has a way to write those of columns only."""
        nested = {file_name(column): column.parsed for column in target.schema.columns if column.nested is not None}
        if not nested:
            return files
        with ThreadPoolExecutor(max_workers=8) as pool:
            list(pool.map(lambda file: field_ids_add(self.warehouse, file.path, nested), files))
        return self.warehouse.files_under(self.staging)

    def _texts(self, file: StoredFile, sources: Sources) -> PartitionValues:
        """Decode a folder such as ``__lake_p0=vBerlin/__lake_p1=n``."""
        folder = file.path[len(self.staging) + 1 :].rpartition("/")[0]
        segments = [segment.partition("=")[2] for segment in folder.split("/")] if folder else []
        values: list[str | None] = []
        for at, text in enumerate(segments):
            kind, value = text[0], unquote(text[1:])
            values.append({"n": None, "v": value}[kind] if kind != "h" else self._first_text(file.path, *sources[at]))
        return tuple(values)

    def _first_text(self, path: str, of: Transform | None, column: Column) -> str:
        """The value that all rows of a staged file share, of the column or what is made of it: only texts are too long
        for a folder name.
        """
        with pq.ParquetFile(self.warehouse.absolute(path), filesystem=self.warehouse.filesystem) as file:
            value = file.read(columns=[file_name(column)]).column(0)[0].as_py()
        found = value.decode() if isinstance(value, bytes) else str(value)
        return found if of is None else str(transform_value(of, column.type, found))


@dataclass(slots=True)
class TaskJob:
    """PyArrow in the tasks. What a task that was repeated wrote before is in no answer: VACUUM finds it.

    With addresses files are written where they stay. What a job that fails wrote there goes at once, as no other one
    has its addresses. Those behind the last row of a job are given back.
    """

    warehouse: Warehouse
    staging: str
    filesystem: pafs.FileSystem
    addresses: Addresses | None = None
    stages: bool = True
    placed: Sequence[str] = ()

    def folder_value(self, text: str) -> str:
        return text

    def apart(self, rows: DataFrame, folders: Sequence[str]) -> DataFrame:
        return rows.sortWithinPartitions(*folders)

    def run(self, target: Target, rows: DataFrame, folders: Sequence[str]) -> list[Written]:
        places = Places(self.filesystem, self.warehouse.absolute(self.staging))
        if self.addresses is None:
            written = self._run(target, rows, folders, places)
        else:
            data = self.warehouse.data_folder(target.table_id)
            with self.addresses.taken(self.warehouse, target.table_id) as first:
                placing = replace(places, data=self.warehouse.absolute(data), first=first)
                written = self._run(target, rows, folders, placing)
                self.addresses.used = max((first, *map(_following, written)))
        self.stages = any(file.path and file.base is None for file in written)
        self.placed = [file.path for file in written if file.is_placed]
        return written

    def _run(self, target: Target, rows: DataFrame, folders: Sequence[str], places: Places) -> list[Written]:
        answers = rows_written(rows, target.columns, folders, target.arrow_schema, places)
        return [self._written(target, said) for said in answers]

    def _written(self, target: Target, said: Mapping[str, Any]) -> Written:
        facts = facts_of_footer(said["footer"], said["bytes"], Seen(set(said["nan"]), dict(said["nulls"])))
        path, base, name = said["path"], said["base"], said["path"].rpartition("/")[2]
        if path and base is not None:
            path = self.warehouse.data_written(target.table_id, base, name)
        elif path:
            path = f"{self.staging}/{name}"
        content = None if said["content"] is None else pa.py_buffer(said["content"])
        return Written(path, tuple(said["texts"]), said["bytes"], facts, content, base)


def _following(file: Written) -> int:
    """The address behind its rows; 0 for a file without one."""
    return 0 if file.base is None or file.facts is None else file.base + file.facts.rows


def rows_written(
    rows: DataFrame,
    names: Sequence[str],
    folders: Sequence[str],
    stored: Callable[[pa.Schema], pa.Schema],
    places: Places,
    *,
    answers: bool = True,
) -> list[dict[str, Any]]:
    """What tasks answer of the files that they write to these places, in the order of the rows. ``stored``: how columns
    of the ``names`` lie in a file.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    _modules_send()
    schema = stored(to_arrow_schema(rows.select(*names).schema, timezone="UTC"))
    write = task_files.task_writer(places, schema, rows_per_file=ROWS_PER_FILE, answers=answers)
    said = rows.select(*names, *folders).mapInArrow(write, task_files.ANSWER)
    found: list[dict[str, Any]] = arrow_rows(said).to_pylist()
    return found


def rows_read(spark: SparkSession, file: SmallFile, schema: StructType) -> DataFrame:
    """The rows of the file, which one task reads."""
    from pyspark.sql.pandas.types import to_arrow_schema

    _modules_send()
    read = task_files.task_reader(file, to_arrow_schema(schema, timezone="UTC"))
    return spark.range(0, 1, 1, 1).mapInArrow(read, schema)


def _modules_send() -> None:
    """Executors get by value what they have not."""
    from pyspark import cloudpickle

    for module in task_files.SENT:
        cloudpickle.register_pickle_by_value(module)


def write_job(warehouse: Warehouse, staging: str, addresses: Addresses | None, *, by_arrow: bool) -> WriteJob:
    """``by_arrow``: whether Arrow holds all of the columns. With ``addresses`` files may be written where they stay."""
    filesystem = warehouse.task_filesystem if by_arrow else None
    return SparkJob(warehouse, staging) if filesystem is None else TaskJob(warehouse, staging, filesystem, addresses)
