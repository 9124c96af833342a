"""Where files may lie that a statement names: at or below the locations that the settings allow, and nowhere else.

Who names another place learns nothing of it: it is refused before anything is looked at, whether it is there or not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow.fs as pafs

from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue, NotFound, PermissionDenied

SETTING = "LAKEUI_IMPORT_LOCATIONS"
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_PATTERN = re.compile(r"[*?\[\]{}\\\x00-\x1f\x7f]")
"""What Spark takes for a pattern, or no path has."""


@dataclass(frozen=True, slots=True)
class OutsideFile:
    """A file below an allowed location: its absolute path with scheme. ``modified_ns``: when, where it was listed."""

    path: str
    bytes: int
    modified_ns: int = 0


@dataclass(frozen=True, slots=True)
class Locations:
    """The allowed locations that lie in the same store as the warehouse."""

    warehouse: Warehouse
    allowed: tuple[str, ...]

    @classmethod
    def of(cls, warehouse: Warehouse, said: Sequence[str]) -> Locations:
        return cls(warehouse, tuple(found for item in said if (found := _plain(item)) is not None))

    @property
    def is_local(self) -> bool:
        return isinstance(self.warehouse.filesystem, pafs.LocalFileSystem)

    @property
    def _start(self) -> str:
        """How paths of the store of the warehouse begin."""
        return self.warehouse.location("").partition("://")[0] + "://"

    def find(self, uri: str) -> str:
        """The absolute path, with scheme, that the text names. Raises PermissionDenied where it is not allowed."""
        path = _plain(uri)
        if path is None or not path.startswith(self._start) or not self._is_below(path, self.allowed):
            raise _refused(uri)
        self._really(path, uri)
        return path

    def files(self, path: str) -> list[OutsideFile]:
        """Every file at or below an allowed path, by name. Raises NotFound where there is nothing."""
        place = self.warehouse.absolute(path)
        (info,) = self.warehouse.filesystem.get_file_info([place])
        if info.type == pafs.FileType.File:
            return [self._outside(info)]
        if info.type == pafs.FileType.NotFound:
            raise NotFound("file or folder", path)
        selector = pafs.FileSelector(place, recursive=True)
        found = self.warehouse.filesystem.get_file_info(selector)
        files = [self._outside(item) for item in found if item.type == pafs.FileType.File]
        return sorted(files, key=lambda file: file.path)

    def _outside(self, info: pafs.FileInfo) -> OutsideFile:
        path = self._start + info.path
        if _PATTERN.search(path):
            raise InvalidValue(
                f"The name of the file {path} holds a character that Spark takes for a pattern.",
                remedy="Rename the file.",
            )
        self._really(path, path)
        return OutsideFile(path, info.size, info.mtime_ns or 0)

    def _really(self, path: str, said: str) -> None:
        """Links lead no further than the allowed locations, and never into the warehouse, whose files have rights."""
        if not self.is_local:
            inside = self.warehouse.location("").rstrip("/")
            if _is_at(path, inside) or _is_at(inside, path):
                raise _refused(said)
            return
        real = "file://" + os.path.realpath(path.removeprefix("file://"))
        roots = ["file://" + os.path.realpath(item.removeprefix("file://")) for item in self.allowed]
        inside = "file://" + os.path.realpath(self.warehouse.root)
        if not self._is_below(real, roots) or _is_at(real, inside) or _is_at(inside, real):
            raise _refused(said)

    @staticmethod
    def _is_below(path: str, roots: Sequence[str]) -> bool:
        return any(_is_at(path, root) for root in roots)


def _is_at(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _plain(uri: str) -> str | None:
    """The location in one form; None where it is none that can be allowed: relative, with steps upwards, with a query,
    with credentials.
    """
    scheme = _SCHEME.match(uri)
    if scheme is None:
        name, path = "file", uri
    else:
        name, path = scheme[1].lower(), uri[scheme.end() :]
    if name in ("s3a", "s3n"):
        name = "s3"
    if name not in ("file", "s3", "gs") or _PATTERN.search(path) or "@" in path.split("/")[0]:
        return None
    if name == "file" and not path.startswith("/"):
        return None
    path = path.rstrip("/")
    parts = path.split("/")[1:] if name == "file" else path.split("/")
    if not parts or any(part in ("", ".", "..") for part in parts):
        return None
    return f"{name}://{path}"


def _refused(uri: str) -> PermissionDenied:
    return PermissionDenied(
        f"Files at {uri} may not be read by statements.",
        remedy=f"Name a place at or below one that {SETTING} lists, or ask who runs lakeui to list it there.",
    )
