"""Named points at which a test has a process die or wait, to see what a half-done statement leaves behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

POINTS = (
    "task.claimed",
    "task.finishing",
    "write.begin",
    "write.staged",
    "write.registered",
    "write.planned",
    "write.row_work",
    "write.committing",
    "write.released",
    "write.committed",
    "merge.planned",
    "merge.row_work",
    "catalogs.joining",
    "merge.joined",
    "merge.committing",
    "merge.committed",
    "restore.planned",
    "restore.committing",
    "restore.committed",
    "transaction.committing",
    "transaction.committed",
    "vacuum.committing",
    "vacuum.committed",
    "vacuum.removing",
    "backup.dumped",
    "backup.copying",
    "backup.naming",
    "restoring.files",
    "restoring.loaded",
    "upsert.staged",
    "upsert.replacing",
    "upsert.between",
    "upsert.replaced",
)
"""Every point there is. ``committing`` is the end of a database transaction, ``released`` when others see what it did
and the disk may not have it yet, ``committed`` right after it.
"""

_DIRECTORY = os.environ.get("LAKEUI_FAULTS")
_LOOK_SECONDS = 0.02


def fault_point(name: str) -> None:
    """Do nothing, unless the directory LAKEUI_FAULTS holds a file called ``name``: then do once what it says.

    ``kill`` ends this process as ``kill -9`` does; ``pause`` waits until the mark is removed. The mark is the file
    itself under the name that ``reached_mark`` gives: one process gets to rename it, and the next attempt passes.
    """
    if _DIRECTORY:
        _act(Path(_DIRECTORY), name)


def reached_mark(directory: Path, name: str) -> Path:
    """The file that shows that somebody acted at the point."""
    return directory / f"{name}.reached"


def _act(directory: Path, name: str) -> None:
    if name not in POINTS:
        raise ValueError(f"{name} is not a fault point")
    armed, mark = directory / name, reached_mark(directory, name)
    try:
        # Read first: whoever waits for the mark may remove it as soon as it is there.
        action = armed.read_text()
        armed.rename(mark)
    except FileNotFoundError:
        return
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    # A file can only be looked at; no product process ever comes here, as LAKEUI_FAULTS is set by tests only.
    while mark.exists():
        time.sleep(_LOOK_SECONDS)
