"""A data set replaced as a whole: one process at a time, the old state or the new, never a mixture (rows §3).

The new state is a folder beside the data set that links every file that stays, and it takes the data set's place in one
exchange of two names. A process killed before the exchange leaves the old state, one killed after it the new. What it
was working with lies in the hidden folder ``.<name>.merging`` and goes when the next merge begins.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeui.common.errors import InvalidValue, Overloaded, Stale
from lakeui.common.faults import fault_point
from merge_app.upsert.dataset import Dataset, entries_list, is_stale_after_change

_NEXT, _PREVIOUS = "next", "previous"
_LOOK_SECONDS = 0.05
_AT_CURRENT_FOLDER = -100
_RENAME_EXCHANGE = 2


@contextmanager
def workspace(root: Path, *, lock_seconds: float) -> Iterator[Path]:
    """The hidden folder in which the data set's next state is made, empty and ours alone until the end.

    Raises Overloaded where another merge holds it for longer than ``lock_seconds``.
    """
    folder = root.parent / f".{root.name}.merging"
    root.parent.mkdir(parents=True, exist_ok=True)
    handle = _lock(folder, root, time.monotonic() + lock_seconds)
    try:
        _recover(folder, root)
        _empty(folder)
        yield folder
    finally:
        # The folder goes while it is locked: whoever waits for it sees that it is gone, and makes it anew.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def dataset_replace(dataset: Dataset, folder: Path, *, staged: Path, added: Iterable[str], removed: set[str]) -> None:
    """Put the state made of the data set less ``removed`` and with ``added``, from ``staged``, in the data set's place.

    Raises Stale where somebody else changed the folder since it was read; it stays as they left it.
    """
    following = folder / _NEXT
    _link_kept(dataset, following, removed)
    for path in added:
        place = following / path
        place.parent.mkdir(parents=True, exist_ok=True)
        (staged / path).rename(place)
        _sync(place)
    for parent, _, _ in os.walk(following):
        _finish_folder(Path(parent), dataset.root / Path(parent).relative_to(following))
    require_as_read(dataset)
    fault_point("upsert.replacing")
    _take_place(following, dataset.root, folder / _PREVIOUS)
    fault_point("upsert.replaced")


def require_as_read(dataset: Dataset) -> None:
    """Raise Stale where the folder is not as it was when it was read."""
    if tuple(entries_list(dataset.root)) != dataset.entries:
        raise _changed_meanwhile(dataset)


# -- one process at a time --------------------------------------------------------------------------------------------


def _lock(folder: Path, root: Path, deadline: float) -> int:
    """An open, locked handle on the folder. The lock is the system's, and goes with the process."""
    while True:
        handle = _open(folder)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(folder, handle):
                return handle
            os.close(handle)
        except BlockingIOError:
            os.close(handle)
            if time.monotonic() >= deadline:
                raise Overloaded(
                    f"Another merge is writing to {root}.", remedy="Try again when it is done, or raise lock_seconds."
                ) from None
            # A blocking flock has no time limit.
            time.sleep(_LOOK_SECONDS)


def _open(folder: Path) -> int:
    while True:
        try:
            folder.mkdir(exist_ok=True)
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            if not folder.parent.is_dir():
                raise
        except PermissionError as problem:
            raise InvalidValue(
                f"{folder.parent} is not writable.",
                remedy="A data set is replaced as a whole: the folder that holds it must be writable.",
            ) from problem


def _is_still(folder: Path, handle: int) -> bool:
    """Whether the folder that was locked is the one of that name still; its last owner removes it."""
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except FileNotFoundError:
        return False


def _recover(folder: Path, root: Path) -> None:
    """Finish a replacement in two steps that died between them: the new state was whole."""
    if (folder / _PREVIOUS).exists() and not root.exists():
        (folder / _NEXT).rename(root)


def _empty(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()


# -- the new state ----------------------------------------------------------------------------------------------------


def _link_kept(dataset: Dataset, following: Path, removed: set[str]) -> None:
    following.mkdir()
    made = {following}
    for entry in dataset.entries:
        if entry.path in removed or is_stale_after_change(entry.path):
            continue
        place = following / entry.path
        if place.parent not in made:
            place.parent.mkdir(parents=True, exist_ok=True)
            made.add(place.parent)
        try:
            os.link(dataset.root / entry.path, place, follow_symlinks=False)
        except FileNotFoundError:
            raise _changed_meanwhile(dataset) from None
        except OSError:
            # A file system without links, or with too many of this file.
            shutil.copy2(dataset.root / entry.path, place, follow_symlinks=False)


def _finish_folder(folder: Path, before: Path) -> None:
    if before.is_dir():
        shutil.copymode(before, folder)
    _sync(folder)


def _changed_meanwhile(dataset: Dataset) -> Stale:
    return Stale(
        f"The files of {dataset.root} were changed while the merge read them; nothing was written.",
        remedy="Run the merge again; write to the folder through merges only while one is running.",
    )


def _take_place(following: Path, root: Path, previous: Path) -> None:
    if not root.exists():
        following.rename(root)
    elif not _exchange(following, root):
        # Readers find nothing between the two renames; a merge that comes after a death in between continues here.
        root.rename(previous)
        fault_point("upsert.between")
        following.rename(root)
    _sync(root.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step (renameat2 of Linux); False where the file system or system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    current = ctypes.c_int(_AT_CURRENT_FOLDER)
    if rename(current, os.fsencode(one), current, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)) == 0:
        return True
    code = ctypes.get_errno()
    if code in {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _sync(path: Path) -> None:
    """Have the disk keep what the file or folder holds."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
