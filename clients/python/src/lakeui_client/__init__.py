"""A lakeui server from Python: branches, statements, comparisons, merges, merge requests.

with Lake("http://127.0.0.1:8000", token).catalog("demo").branch("fix", from_="main") as b:
    b.sql("UPDATE flights.airlines SET name = ? WHERE carrier = ?", ["United", "UA"])
    print(b.diff())
    b.merge()
"""

from lakeui_client.errors import (
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
from lakeui_client.lake import Branch, Catalog, Lake, MergeRequest, Session
from lakeui_client.results import KeptResult
from lakeui_client.values import Compared, Conflict, Diff, Merged, Rehearsal, Result, Undone

__all__ = [
    "Branch",
    "Catalog",
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
    "Rehearsal",
    "Result",
    "Session",
    "Stale",
    "Unauthenticated",
    "Undone",
    "WaitsForPeople",
]
__version__ = "0.1.0"
