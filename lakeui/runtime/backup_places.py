"""Where backups lie: a folder of this machine, or an address of an object store. Each backup is a folder there.

A folder of this machine gets its name when the backup is whole; until then it is called ``.part-…``. In a store
nothing is renamed: ``backup.json`` comes last, and a folder without it is no backup.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.fs as pafs
from django.db import connection

from catalog_app.domain.stores import kind_of
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point

PART = ".part-"
CONTENTS = "backup.json"
DUMP = "database.dump"
FILES = "files.txt"
LOCK = ".lock"
MARK = ".lakeui-backups"
"""In every place of backups, so that files of others are no files of backups."""
_NAME = re.compile(r"\d{8}T\d{6}\.\d{6}Z")
"""Of folders that are backups. Others belong to somebody else: a warehouse has numbers as names."""
_LOCK_CLASS = 1785686391
"""Of advisory locks, those of addresses that backups go to."""


@contextmanager
def place_locked(place: Warehouse) -> Iterator[None]:
    """One run at a time. In a folder that holds for all; at an address for the runs on one database. Raises
    InvalidValue where another one works there.
    """
    if place.is_local:
        _folder_make(Path(place.root))
        with (Path(place.root) / LOCK).open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _busy(place) from None
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [_LOCK_CLASS, place.root])
        if not cursor.fetchone()[0]:
            raise _busy(place)
    try:
        yield
    finally:
        # A restore closes the connection, and the lock ends with it.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [_LOCK_CLASS, place.root])


def _busy(place: Warehouse) -> InvalidValue:
    return InvalidValue(f"Another backup or restore works in {place.root}.", remedy="Wait until it has ended.")


def _folder_make(folder: Path) -> None:
    """A dump holds hashes of passwords and tokens: a folder that is new is its owner's alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def place_claim(place: Warehouse) -> None:
    """The place is for backups alone from here on. Raises InvalidValue where it holds other files."""
    if place.exists(MARK):
        return
    others = [file.path for file in place.all_under("") if file.path != LOCK and not file.path.startswith(PART)]
    if others and not names(place):
        raise InvalidValue(
            f"{place.root} holds files that are of no backup, such as {others[0]}.",
            remedy="Name an empty place: what is below it goes with old backups.",
        )
    if place.is_local:
        _folder_make(Path(place.root))
    place.write(MARK, b"")


@contextmanager
def part_made(place: Warehouse) -> Iterator[Path]:
    """A folder of this machine for the files of a backup that is yet to be published. What earlier runs left goes."""
    if not place.is_local:
        for name in set(_folders(place)) - set(names(place)):
            place.discard(name)
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)
        return
    folder = Path(place.root)
    for left in folder.glob(f"{PART}*"):
        shutil.rmtree(left)
    _folder_make(folder)
    part = folder / f"{PART}{os.getpid()}"
    part.mkdir()
    yield part


def part_publish(place: Warehouse, part: Path, name: str) -> None:
    """From here on it is a backup."""
    if place.is_local:
        _sync(part)
        fault_point("backup.naming")
        part.rename(Path(place.root) / name)
        _sync(Path(place.root))
        return
    for file in (DUMP, FILES):
        place.put(part / file, f"{name}/{file}")
    fault_point("backup.naming")
    place.put(part / CONTENTS, f"{name}/{CONTENTS}")


def names(place: Warehouse) -> list[str]:
    """Of whole backups, oldest first."""
    return [name for name in _folders(place) if place.exists(f"{name}/{CONTENTS}")]


def _folders(place: Warehouse) -> list[str]:
    """A bucket of Google answers no folders: there, all files are listed."""
    if kind_of(place.root) == "gs":
        return sorted({name for file in place.all_under("") if _NAME.fullmatch(name := file.path.partition("/")[0])})
    selector = pafs.FileSelector(place.absolute("").rstrip("/"), allow_not_found=True)
    found = (info.base_name for info in place.filesystem.get_file_info(selector) if not info.is_file)
    return sorted(name for name in found if _NAME.fullmatch(name))


def text_of(place: Warehouse, path: str) -> str:
    with place.local_copy(path) as copy:
        return copy.read_text(encoding="utf-8")


def backup_remove(place: Warehouse, name: str) -> None:
    """Without its ``backup.json`` it is no backup, whatever is left of it."""
    place.remove(f"{name}/{CONTENTS}")
    place.discard(name)


def _sync(folder: Path) -> None:
    """What the folder holds is on the disk."""
    for path in (*(one for one in folder.iterdir() if one.is_file() and one.name != LOCK), folder):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
