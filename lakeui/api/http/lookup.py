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
class AddressedBranch:
    """A branch, and its look-up chain as of the version that is looked at."""

    branch: Branch
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class AddressedDatabase(AddressedBranch):
    database: DatabaseState


@dataclass(frozen=True, slots=True)
class AddressedTable(AddressedDatabase):
    table: TableState


def addressed_branch(request: Request, catalog: str, branch: str, version: int | None) -> AddressedBranch:
    """The branch at ``version``, its head when None. Raises NotFound."""
    found = branch_get(catalog_of(request, catalog), branch)
    snapshot = branch_snapshot(found)
    return AddressedBranch(found, snapshot if version is None else snapshot.at(version_check(found, version)))


def addressed_database(
    request: Request, catalog: str, branch: str, database: str, version: int | None
) -> AddressedDatabase:
    place = addressed_branch(request, catalog, branch, version)
    return AddressedDatabase(place.branch, place.snapshot, database_get(place.snapshot, database))


def addressed_table(
    request: Request, catalog: str, branch: str, database: str, table: str, version: int | None
) -> AddressedTable:
    place = addressed_database(request, catalog, branch, database, version)
    found = table_get(place.snapshot, place.database, table)
    return AddressedTable(place.branch, place.snapshot, place.database, found)


def source_branch(request: Request, catalog: Catalog, name: str) -> Branch:
    """The branch that a source names: of the catalog, or of the one that the name begins with."""
    try:
        return branch_get(catalog, name)
    except NotFound:
        other, dot, branch = name.partition(".")
        if not dot:
            raise
        return branch_get(catalog_of(request, other), branch)
