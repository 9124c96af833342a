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

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow.fs as pafs

from catalog_app.domain.files import is_outside

COPIED_BYTES = 1024 * 1024
NO_TABLE = 0
"""The number, which no table has, under which rows are staged whose table is yet to be made."""
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file under the warehouse: its relative path, its size, and when it was written."""

    path: str
    bytes: int
    modified: datetime


class Warehouse:
    """One root folder, local or any URI that both pyarrow.fs and Spark resolve."""

    def __init__(self, root: str) -> None:
        self._is_local = not _SCHEME.match(root)
        self.root = str(Path(root).resolve()) if self._is_local else root.rstrip("/")
        self.filesystem, self._base = self._resolve()
        self._base = self._base.rstrip("/")

    def _resolve(self) -> tuple[pafs.FileSystem, str]:
        if self._is_local:
            return pafs.LocalFileSystem(), self.root
        # Spark says s3a:// for what pyarrow calls s3://.
        resolved: tuple[pafs.FileSystem, str] = pafs.FileSystem.from_uri(_s3_plain(self.root))
        return resolved

    @property
    def is_local(self) -> bool:
        """Whether its files are files of this machine."""
        return self._is_local

    def absolute(self, path: str) -> str:
        """The path inside ``filesystem``."""
        if is_outside(path):
            return path.partition("://")[2]
        return f"{self._base}/{path}"

    def spark_path(self, path: str) -> str:
        """The path as Spark's readers and writers take it."""
        if is_outside(path):
            place = path.partition("://")[2]
            return place if self._is_local else f"{self.root.partition('://')[0]}://{place}"
        return f"{self.root}/{path}"

    def location(self, path: str) -> str:
        """Where other engines find a file (Iceberg's ``file_path``). Nothing is encoded: they take the text behind the
        scheme as the path that it is. What Hadoop calls s3a:// is s3:// to them.
        """
        if is_outside(path):
            return path
        return f"file://{self._base}/{path}" if self._is_local else _s3_plain(self.spark_path(path))

    def new_staging(self, table_id: int) -> str:
        """A fresh folder name for one write of a table; made when first written to."""
        return f"{table_id}/staging/{uuid.uuid4().hex}"

    def make_folder(self, path: str) -> None:
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
        """A file that is there whole, with this content or with that before."""
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

    def place_data(self, staged: str, *, table_id: int, base: int) -> str:
        """Move a staged data file to its place; answers its path there."""
        return self._place(staged, f"{table_id}/data/base={base}")

    def place_deletes(self, staged: str, *, table_id: int, base: int) -> str:
        """Move a staged delete file to the folder named after its data file's base."""
        return self._place(staged, f"{table_id}/deletes/base={base}")

    def _place(self, staged: str, folder: str) -> str:
        path = f"{folder}/{uuid.uuid4().hex}.parquet"
        self.make_folder(folder)
        self.filesystem.move(self.absolute(staged), self.absolute(path))
        return path

    def files_under(self, folder: str) -> list[StoredFile]:
        """Parquet files below a folder, sorted by path; none where the folder does not exist."""
        found = (file for file in self.all_under(folder) if file.path.endswith(".parquet"))
        return sorted((file for file in found if not _is_hidden(file.path)), key=lambda file: file.path)

    def all_under(self, folder: str) -> list[StoredFile]:
        """Every file below a folder, work in progress included."""
        selector = pafs.FileSelector(self.absolute(folder), recursive=True, allow_not_found=True)
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
        if self.filesystem.get_file_info(self.absolute(folder)).type == pafs.FileType.Directory:
            self.filesystem.delete_dir(self.absolute(folder))

    def remove(self, path: str) -> None:
        """Remove one file; nothing happens where there is none. Raises ValueError for one that is not lakeui's."""
        if is_outside(path):
            raise ValueError(f"{path} was taken over and does not belong to the warehouse")
        if self.exists(path):
            self.filesystem.delete_file(self.absolute(path))


def _s3_plain(location: str) -> str:
    return re.sub(r"^s3[an]://", "s3://", location)


def _is_hidden(path: str) -> bool:
    """Whether Spark's own work-in-progress lies there (``_temporary``, ``.part-0.crc``)."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith((".", "_")) or "/_temporary/" in path
