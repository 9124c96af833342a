"""A data set: a folder of Parquet files, plain or in Hive partitions (``day=2026-01-31/``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq

from lakeui.common.errors import InvalidValue
from merge_app.upsert.schemas import unified, without_views

SUFFIXES = (".parquet", ".parq", ".pq")
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_STALE_SUMMARY = "_metadata"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file below the folder, by what tells whether it is still the same one."""

    path: str
    inode: int
    bytes: int
    modified: int


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file, its path relative to the folder, and its footer."""

    path: str
    footer: pq.FileMetaData
    schema: pa.Schema

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    def leaf(self, name: str) -> int | None:
        """The number of a plain column among the leaves that the footer describes."""
        schema = self.footer.schema
        return next((i for i in range(self.footer.num_columns) if schema.column(i).path == name), None)

    @property
    def partition_texts(self) -> Mapping[str, str | None]:
        return partition_texts(self.folder)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A folder as it was when it was looked at. ``schema`` is that of the files together, None where there is none."""

    root: Path
    entries: tuple[Entry, ...]
    files: tuple[DataFile, ...]
    schema: pa.Schema | None
    partition_columns: tuple[str, ...]


def dataset_read(root: Path) -> Dataset:
    """List the folder and read every footer. A folder that does not exist is a data set without files."""
    entries = tuple(entries_list(root))
    paths = [entry.path for entry in entries if is_data_file(entry.path)]
    with ThreadPoolExecutor() as pool:
        files = tuple(pool.map(lambda path: _file_read(root, path), paths))
    schema = unified((file.path, file.schema) for file in files) if files else None
    return Dataset(root, entries, files, schema, _partition_columns(files))


def entries_list(root: Path) -> Iterator[Entry]:
    """Every file below the folder, sorted by path."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            status = path.lstat()
            relative = path.relative_to(root).as_posix()
            found.append(Entry(relative, status.st_ino, status.st_size, status.st_mtime_ns))
    yield from sorted(found, key=lambda entry: entry.path)


def is_data_file(path: str) -> bool:
    """Readers pass over names that begin with a dot or an underscore, and so does the merge."""
    return path.endswith(SUFFIXES) and not any(part.startswith((".", "_")) for part in path.split("/"))


def is_stale_after_change(path: str) -> bool:
    """Whether a file sums up row groups of others, and would lie about them after a merge."""
    return path.rpartition("/")[2] == _STALE_SUMMARY


def partition_texts(folder: str) -> dict[str, str | None]:
    """Partition values by column as a path says them, None for NULL."""
    parts = (part.partition("=") for part in folder.split("/") if "=" in part)
    return {unquote(name): None if text == NULL_PARTITION else unquote(text) for name, _, text in parts}


def partition_folder(texts: Mapping[str, str | None]) -> str:
    """The path of a partition, as Hive writes it."""
    return "/".join(
        f"{quote(name, safe='')}={NULL_PARTITION if text is None else quote(text, safe=' ')}"
        for name, text in texts.items()
    )


def _file_read(root: Path, path: str) -> DataFile:
    try:
        footer = pq.read_metadata(root / path)
        return DataFile(path, footer, without_views(footer.schema.to_arrow_schema()))
    except (pa.ArrowException, OSError) as problem:
        raise InvalidValue(
            f"{path} cannot be read as Parquet: {problem}", remedy="Repair the file or take it out of the folder."
        ) from problem


def _partition_columns(files: tuple[DataFile, ...]) -> tuple[str, ...]:
    layouts = {tuple(file.partition_texts): file.path for file in files}
    if len(layouts) > 1:
        (first, one), (second, other) = list(layouts.items())[:2]
        raise InvalidValue(
            f"{one} is partitioned by {', '.join(first) or 'nothing'}, {other} by {', '.join(second) or 'nothing'}.",
            remedy="Give all files of the data set the same partition folders.",
        )
    return next(iter(layouts), ())
