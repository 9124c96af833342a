"""A lakeui server from Python: branches, statements, comparisons, merges, merge requests.

with Lake("http://127.0.0.1:8000", token).catalog("demo").branch("fix", from_="main") as b:
    b.sql("UPDATE flights.airlines SET name = ? WHERE carrier = ?", ["United", "UA"])
    print(b.diff())
    b.merge()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeui_client.catalogs import Branch, Catalog, MergeRequest
from lakeui_client.errors import (
    AlreadyPublished,
    ChecksFailed,
    ConflictError,
    ConnectionFailed,
    LakeError,
    NotFound,
    PermissionDenied,
    Stale,
    Unauthenticated,
    WaitsForPeople,
)
from lakeui_client.files import FileTable
from lakeui_client.lake import Lake
from lakeui_client.publishing import Publication
from lakeui_client.results import KeptResult
from lakeui_client.sessions import Session
from lakeui_client.values import Compared, Conflict, Diff, Merged, Rehearsal, Reset, Result, Undone

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = [
    "AlreadyPublished",
    "Branch",
    "Catalog",
    "ChecksFailed",
    "Compared",
    "Conflict",
    "ConflictError",
    "ConnectionFailed",
    "Diff",
    "FileTable",
    "KeptResult",
    "Lake",
    "LakeError",
    "MergeRequest",
    "Merged",
    "NotFound",
    "PermissionDenied",
    "Publication",
    "Rehearsal",
    "Reset",
    "Result",
    "Session",
    "Stale",
    "Unauthenticated",
    "Undone",
    "WaitsForPeople",
    "load_ipython_extension",
]
__version__ = "0.1.0"


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What ``%load_ext lakeui_client`` calls: ``%lake`` and ``%%lake``."""
    from lakeui_client.notebook import load

    load(shell)
