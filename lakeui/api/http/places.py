"""What the names in an address mean: a branch as of a version, a database and a table there."""

from __future__ import annotations

from dataclasses import dataclass

from rest_framework.request import Request

from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.snapshots import Snapshot, branch_get, branch_snapshot, version_check
from lakeui.api.http.base import catalog_of
from lakeui.common.errors import NotFound


@dataclass(frozen=True, slots=True)
class BranchPlace:
    """A branch, and its look-up chain as of the version that is looked at."""

    branch: Branch
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class DatabasePlace(BranchPlace):
    database: DatabaseState


@dataclass(frozen=True, slots=True)
class TablePlace(DatabasePlace):
    table: TableState


def branch_place(request: Request, catalog: str, branch: str, version: int | None) -> BranchPlace:
    """The branch at ``version``, its head when None. Raises NotFound."""
    found = branch_get(catalog_of(request, catalog), branch)
    snapshot = branch_snapshot(found)
    return BranchPlace(found, snapshot if version is None else snapshot.at(version_check(found, version)))


def database_place(request: Request, catalog: str, branch: str, database: str, version: int | None) -> DatabasePlace:
    place = branch_place(request, catalog, branch, version)
    return DatabasePlace(place.branch, place.snapshot, database_get(place.snapshot, database))


def table_place(
    request: Request, catalog: str, branch: str, database: str, table: str, version: int | None
) -> TablePlace:
    place = database_place(request, catalog, branch, database, version)
    found = table_get(place.snapshot, place.database, table)
    return TablePlace(place.branch, place.snapshot, place.database, found)


def source_branch(request: Request, catalog: Catalog, name: str) -> Branch:
    """The branch that a source names: of the catalog, or of the one that the name begins with."""
    try:
        return branch_get(catalog, name)
    except NotFound:
        other, dot, branch = name.partition(".")
        if not dot:
            raise
        return branch_get(catalog_of(request, other), branch)
