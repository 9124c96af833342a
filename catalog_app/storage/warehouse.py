"""The warehouse: where data and delete files lie, and how staged files get there.

All paths that leave this module are relative to the root, with forward slashes. Per table:
``<table_id>/data/base=<base>/<uuid>.parquet``, ``<table_id>/deletes/base=<base>/<uuid>.parquet``,
``<table_id>/staging/<uuid>/`` for what is not yet placed, and ``<table_id>/iceberg/`` for what describes the table to
other engines. A crash leaves orphans only; no file is ever changed.
Files that people sent to be imported lie under ``imports/<uuid>/`` until they expire, kept results under
``results/<uuid>/``.

Files that a table took over lie outside, in the same store, under absolute paths (``is_outside``). They are read only.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pyarrow.fs as pafs
from django.conf import settings

from catalog_app.domain.files import is_outside
from catalog_app.domain.stores import StoreOptions, is_in_store, kind_of, path_in_store, s3_of_hadoop, s3_plain
from catalog_app.storage.object_stores import store_filesystem
from catalog_app.storage.s3_removals import folder_remove, objects_remove
from lakeui.common.errors import InvalidValue

COPIED_BYTES = 1024 * 1024
_ONE_COPY = {
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
_LOCAL = pafs.LocalFileSystem()
NO_TABLE = 0
"""The number, which no table has, under which rows are staged whose table is yet to be made."""

_MADE: ContextVar[list[str] | None] = ContextVar("paths made", default=None)


@contextmanager
def paths_noted() -> Iterator[list[str]]:
    """The paths that data and delete files get inside: in this thread, and in others that run in its context."""
    made: list[str] = []
    token = _MADE.set(made)
    try:
        yield made
    finally:
        _MADE.reset(token)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file under the warehouse: its relative path, its size, and when it was written."""

    path: str
    bytes: int
    modified: datetime


class Warehouse:
    """One root: a folder, or an address below a bucket of S3 or of Google, or below a container of Azure. ``options``
    say how the store is reached, by default as the settings do. Raises InvalidValue for an address of another store.

    A store has no folders and moves no file: to move is to copy. So what can be written under its last name is.
    """

    def __init__(self, root: str, options: StoreOptions | None = None) -> None:
        self._is_local = not is_in_store(root)
        if not self._is_local and not kind_of(root):
            raise InvalidValue(
                f"Files at {root.partition('://')[0]}:// cannot be served.",
                remedy="Let LAKEUI_WAREHOUSE be a folder, or an address that begins with s3://, gs:// or abfss://.",
            )
        self.root = str(Path(root).resolve()) if self._is_local else s3_plain(root.rstrip("/"))
        self._base = self.root.rstrip("/") if self._is_local else path_in_store(self.root)
        self._options = options

    def below(self, folder: str) -> Warehouse:
        """A folder of it as a root."""
        return Warehouse(f"{self.root}/{folder}", self._options)

    def overlaps(self, other: Warehouse) -> bool:
        """Whether one root lies in the other, or is the other."""
        mine, theirs = (f"{root.rstrip('/')}/" for root in (self.root, other.root))
        return mine.startswith(theirs) or theirs.startswith(mine)

    @property
    def filesystem(self) -> pafs.FileSystem:
        if self._is_local:
            return _LOCAL
        return store_filesystem(self.root, self.options)

    @property
    def options(self) -> StoreOptions:
        """How its store is reached."""
        return self._options or settings.LAKEUI["STORE"]

    @property
    def is_local(self) -> bool:
        """Whether its files are files of this machine."""
        return self._is_local

    def absolute(self, path: str) -> str:
        """The path inside ``filesystem``."""
        if is_outside(path):
            return path_in_store(path)
        return f"{self._base}/{path}"

    def spark_path(self, path: str) -> str:
        """The path as Spark's readers and writers take it."""
        if is_outside(path):
            return path_in_store(path) if self._is_local else s3_of_hadoop(path)
        return s3_of_hadoop(f"{self.root}/{path}")

    @property
    def spark_options(self) -> dict[str, str]:
        """How Spark's writers commit. The files of a task go to their folder when the task ends, so that a store copies
        each once. A task that fails there fails the job: its folder is removed.
        """
        return {} if self._is_local else dict(_ONE_COPY)

    @property
    def task_filesystem(self) -> pafs.FileSystem | None:
        """The store as tasks of Spark open it, by keys that they find as their driver does. None where files are moved
        to their place, and where PyArrow finds no key of the account.
        """
        if self._is_local or kind_of(self.root) == "abfs":
            return None
        return store_filesystem(self.root, replace(self.options, access_key="", secret_key=""))

    def location(self, path: str) -> str:
        """Where other engines find a file (Iceberg's ``file_path``). Nothing is encoded: they take the text behind the
        scheme as the path that it is.
        """
        if is_outside(path):
            return path
        return f"file://{self._base}/{path}" if self._is_local else f"{self.root}/{path}"

    def new_staging(self, table_id: int) -> str:
        """A fresh folder name for one write of a table; made when first written to."""
        return f"{table_id}/staging/{uuid.uuid4().hex}"

    def make_folder(self, path: str) -> None:
        """A folder that files can be written into. A store needs none."""
        if self._is_local:
            self.filesystem.create_dir(self.absolute(path), recursive=True)

    def new_import(self, identity: uuid.UUID) -> str:
        """The folder of one import; made when first written to."""
        return f"imports/{identity.hex}"

    def result_folder(self, identity: uuid.UUID) -> str:
        """The folder of one kept result."""
        return f"results/{identity.hex}"

    def new_result(self, identity: uuid.UUID) -> str:
        """A fresh folder in it, for one attempt at making the result; made when first written to."""
        return f"{self.result_folder(identity)}/{uuid.uuid4().hex}"

    def put(self, local: Path, path: str) -> None:
        """Copy a file of this machine into the warehouse."""
        self.make_folder(path.rpartition("/")[0])
        with local.open("rb") as source, self.filesystem.open_output_stream(self.absolute(path)) as target:
            shutil.copyfileobj(source, target, COPIED_BYTES)

    def write(self, path: str, content: bytes) -> None:
        """A new file. Its name must be unknown to all readers before it is whole."""
        self.make_folder(path.rpartition("/")[0])
        with self.filesystem.open_output_stream(self.absolute(path)) as target:
            target.write(content)

    def replace(self, path: str, content: bytes) -> None:
        """A file that is there whole, with this content or with that before. A store shows no file before it is."""
        if not self._is_local:
            self.write(path, content)
            return
        waiting = f"{path}.{uuid.uuid4().hex}.part"
        self.write(waiting, content)
        self.filesystem.move(self.absolute(waiting), self.absolute(path))

    @contextmanager
    def local_copy(self, path: str) -> Iterator[Path]:
        """A file of the warehouse as one of this machine: itself, or a copy that lasts as long as the context."""
        if self._is_local:
            yield Path(self.absolute(path))
            return
        with tempfile.NamedTemporaryFile() as copy:
            with self.filesystem.open_input_stream(self.absolute(path)) as source:
                shutil.copyfileobj(source, copy, COPIED_BYTES)
            copy.flush()
            yield Path(copy.name)

    def data_folder(self, table_id: int) -> str:
        """Above the folders of data files."""
        return f"{table_id}/data"

    def new_data(self, *, table_id: int, base: int) -> str:
        """The path of a data file that is yet to be written, in a folder that is there."""
        return self._new(f"{self.data_folder(table_id)}/base={base}")

    def data_written(self, table_id: int, base: int, name: str) -> str:
        """The path of a data file that somebody wrote at its place."""
        return _noted(f"{self.data_folder(table_id)}/base={base}/{name}")

    def data_discard(self, table_id: int, bases: range) -> None:
        """Remove the data files whose first row has one of these addresses."""
        found = []
        for file in self.all_under(self.data_folder(table_id)):
            base = file.path.split("/base=")[-1].partition("/")[0]
            if base.isdecimal() and int(base) in bases:
                found.append(file.path)
        self.remove_all(found)

    def new_deletes(self, *, table_id: int, base: int) -> str:
        """The path of a delete file that is yet to be written, in the folder named after its data file's base."""
        return self._new(f"{table_id}/deletes/base={base}")

    def place_data(self, staged: str, *, table_id: int, base: int) -> str:
        """Move a staged data file to its place; answers its path there. In a store it is copied: its folder goes with
        all that is in it (``discard``), by one request for a thousand files.
        """
        path = self.new_data(table_id=table_id, base=base)
        place = self.filesystem.move if self._is_local else self.filesystem.copy_file
        place(self.absolute(staged), self.absolute(path))
        return path

    def _new(self, folder: str) -> str:
        self.make_folder(folder)
        return _noted(f"{folder}/{uuid.uuid4().hex}.parquet")

    def files_under(self, folder: str) -> list[StoredFile]:
        """Parquet files below a folder, sorted by path; none where the folder does not exist."""
        found = (file for file in self.all_under(folder) if file.path.endswith(".parquet"))
        return sorted((file for file in found if not _is_hidden(file.path)), key=lambda file: file.path)

    def all_under(self, folder: str) -> list[StoredFile]:
        """Every file below a folder, work in progress included. The empty name is the root."""
        selector = pafs.FileSelector(self.absolute(folder).rstrip("/"), recursive=True, allow_not_found=True)
        return [
            StoredFile(info.path[len(self._base) + 1 :], info.size, info.mtime)
            for info in self.filesystem.get_file_info(selector)
            if info.type == pafs.FileType.File
        ]

    def size(self, path: str) -> int:
        return int(self.filesystem.get_file_info(self.absolute(path)).size or 0)

    def exists(self, path: str) -> bool:
        return bool(self.filesystem.get_file_info(self.absolute(path)).type == pafs.FileType.File)

    def discard(self, folder: str) -> None:
        """Remove a staging folder with all that is in it; nothing happens where there is none."""
        place = self.absolute(folder)
        if self._is_s3:
            folder_remove(place, self.options)
        # A store is not asked first, as the answer takes two requests.
        elif not self._is_local or self.filesystem.get_file_info(place).type == pafs.FileType.Directory:
            self._folder_delete(folder)

    def discard_files(self, folder: str, paths: Sequence[str]) -> None:
        """As ``discard``, where no other files are in the folder: S3 is not asked which."""
        if self._is_s3:
            self.remove_all(paths)
        else:
            self.discard(folder)

    def remove(self, path: str) -> None:
        """Remove one file; nothing happens where there is none. Raises ValueError for one that is not lakeui's."""
        self.remove_all([path])

    def remove_all(self, paths: Sequence[str]) -> None:
        """Remove files, those of S3 by one request for a thousand; nothing happens where one is not there. Raises
        ValueError where one is not lakeui's.
        """
        for path in filter(is_outside, paths):
            raise ValueError(f"{path} was taken over and does not belong to the warehouse")
        if self._is_s3:
            objects_remove([self.absolute(path) for path in paths], self.options)
            return
        for path in filter(self.exists, paths):
            self.filesystem.delete_file(self.absolute(path))
            self._folder_remove(path.rpartition("/")[0])

    @property
    def _is_s3(self) -> bool:
        return kind_of(self.root) == "s3"

    def _folder_remove(self, folder: str) -> None:
        """PyArrow keeps an empty object in place of a folder of a store whose last file goes. That of a data file goes
        too: no other file ever comes there.
        """
        if not self._is_local and "/data/base=" in folder and not self.all_under(folder):
            self._folder_delete(folder)

    def _folder_delete(self, folder: str) -> None:
        """A bucket of Google has no object for most folders: it says so after their files went."""
        try:
            self.filesystem.delete_dir(self.absolute(folder))
        except OSError:
            if self._is_local or self.all_under(folder):
                raise


def _noted(path: str) -> str:
    if (made := _MADE.get()) is not None:
        made.append(path)
    return path


def _is_hidden(path: str) -> bool:
    """Whether Spark's own work-in-progress lies there (``_temporary``, ``.part-0.crc``)."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith((".", "_")) or "/_temporary/" in path
