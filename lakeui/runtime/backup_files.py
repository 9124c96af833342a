"""The files of backups: from the warehouse to where backups lie, and back. Each of the two is a folder or an address.

A file has its name in the target once it is whole. Files never change, so one that has its size is not copied again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from catalog_app.domain.files import is_outside
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.runtime.backup_places import PART

READ_BYTES = 1024 * 1024
LARGEST_COPY = 5 * 1024**3
"""So many bytes a store copies by itself; a larger file passes through this process."""
REQUESTS = 8
"""So many files are copied at a time where a store takes part."""


def files_keep(
    source: Warehouse, target: Warehouse, needed: Mapping[str, int | None], *, link: bool = False
) -> dict[str, int]:
    """Have each file in the target too; by path, the size.

    Without a size it may be missing in the source; with one it must be there, or be in the target already.
    """
    kept = {path: found for path, found in sizes(target, needed).items() if needed[path] == found}
    missing = [(path, size) for path, size in needed.items() if path not in kept]
    keep = partial(_file_keep, source, target, link=link)
    with ThreadPoolExecutor(1 if source.is_local and target.is_local else REQUESTS) as pool:
        # The first that fails ends it: those that wait are not begun.
        for (path, _), size in zip(missing, pool.map(keep, missing), strict=True):
            if size is not None:
                kept[path] = size
            fault_point("backup.copying")
    return kept


def files_check(warehouse: Warehouse, needed: Mapping[str, int | None]) -> dict[str, int]:
    """The sizes of files that stay where they are: nothing is written there. One without a size may be missing. Raises
    InvalidValue for another one that is not there, or has another size.
    """
    found = sizes(warehouse, needed)
    for path, size in needed.items():
        if size is not None and found.get(path) != size:
            raise gone(path)
    return found


def sizes(root: Warehouse, paths: Mapping[str, object]) -> dict[str, int]:
    """Of those of the paths that are files there, the size. A store is listed, and not asked for each."""
    asked = [path for path in paths if root.is_local or is_outside(path)]
    found = {path: root.size(path) for path in asked if _is_file(root, path)}
    if len(asked) < len(paths):
        found |= {file.path: file.bytes for file in root.all_under("") if file.path in paths}
    return found


def gone(path: str) -> InvalidValue:
    return InvalidValue(
        f"The file {path} is not there any more, or has another size: VACUUM ran, or the disk lost it.",
        remedy="Run it again; where it stays so, check_catalog names what is missing.",
    )


def _is_file(root: Warehouse, path: str) -> bool:
    """A file that was taken over lies in the store of the warehouse, and in no other."""
    is_reached = not is_outside(path) or path.partition("://")[0] == root.location("").partition("://")[0]
    return is_reached and root.exists(path)


def _file_keep(source: Warehouse, target: Warehouse, wanted: tuple[str, int | None], *, link: bool) -> int | None:
    """The size of the file in the target; None where it may be missing and is."""
    path, size = wanted
    if not _is_file(source, path):
        if size is None:
            return None
        raise gone(path)
    if target.is_local and source.is_local:
        target.make_folder(path.rpartition("/")[0])
        _file_place(Path(source.absolute(path)), Path(target.absolute(path)), link=link)
    elif target.is_local:
        target.make_folder(path.rpartition("/")[0])
        _file_fetch(source, path, Path(target.absolute(path)))
    elif source.filesystem is target.filesystem and (size or 0) <= LARGEST_COPY:
        target.filesystem.copy_file(source.absolute(path), target.absolute(path))
    else:
        _file_send(source, target, path)
    kept = target.size(path)
    if size not in (None, kept):
        raise InvalidValue(f"The file {path} has {kept} bytes instead of {size}.", remedy="Run check_catalog.")
    return kept


def _file_fetch(source: Warehouse, path: str, placed: Path) -> None:
    part = placed.with_name(f"{PART}{placed.name}")
    with source.filesystem.open_input_stream(source.absolute(path)) as stream, part.open("wb") as written:
        shutil.copyfileobj(stream, written, READ_BYTES)
        written.flush()
        os.fsync(written.fileno())
    part.rename(placed)


def _file_send(source: Warehouse, target: Warehouse, path: str) -> None:
    if source.is_local:
        read = Path(source.absolute(path))
        _link_refuse(read)
        target.put(read, path)
        return
    with (
        source.filesystem.open_input_stream(source.absolute(path)) as stream,
        target.filesystem.open_output_stream(target.absolute(path)) as written,
    ):
        shutil.copyfileobj(stream, written, READ_BYTES)


def _link_refuse(read: Path) -> None:
    if read.is_symlink():
        raise InvalidValue(f"The file {read} is a symbolic link.", remedy="Put the file itself there.")


def _file_place(read: Path, placed: Path, *, link: bool) -> None:
    """Raises InvalidValue where ``read`` is a symbolic link: what it leads to is no file of the lake."""
    _link_refuse(read)
    part = placed.with_name(f"{PART}{placed.name}")
    part.unlink(missing_ok=True)
    if link:
        try:
            os.link(read, part)
        except OSError:
            raise InvalidValue(
                "The folder and the warehouse lie on different disks.", remedy="Leave --link out."
            ) from None
    else:
        # Neither is followed, also where one comes to be a link meanwhile.
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with (
            os.fdopen(os.open(read, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source,
            os.fdopen(os.open(part, new, 0o666), "wb") as written,
        ):
            shutil.copyfileobj(source, written, READ_BYTES)
            written.flush()
            os.fsync(written.fileno())
    part.rename(placed)
