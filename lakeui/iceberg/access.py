"""Keys of the store for those who read a table. A client asks for them by a header, and a setting names their role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rest_framework.request import Request

from catalog_app.domain.state import TableState
from catalog_app.domain.stores import kind_of
from catalog_app.domain.vended_keys import VendedKeys, reading_policy
from catalog_app.models import Catalog
from catalog_app.selectors.listed_files import folders_shown
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.storage.key_lending import keys_lend
from catalog_app.storage.warehouse import Warehouse

HEADER, VENDED = "X-Iceberg-Access-Delegation", "vended-credentials"
NO_STORE = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class StorageAccess:
    """Keys, and the addresses that they are for."""

    keys: VendedKeys
    places: tuple[str, ...]

    @property
    def options(self) -> dict[str, str]:
        return self.keys.options

    @property
    def entries(self) -> list[dict[str, Any]]:
        """One for each place: an engine that reads two tables has two keys, and chooses by the place."""
        return [{"prefix": place, "config": self.options} for place in self.places]


def keys_are_asked(request: Request) -> bool:
    """Whether the client takes keys. It may name other ways beside."""
    return VENDED in (part.strip() for part in request.headers.get(HEADER, "").split(","))


def storage_access(
    warehouse: Warehouse, catalog: Catalog, snapshot: Snapshot, table: TableState, reader: str
) -> StorageAccess | None:
    """Keys for the files of the table. None where no role is lent, where a file lies outside of the warehouse, and
    where the files lie in more folders than a policy can name. None too where a folder holds files of another catalog,
    which the reader may not see. Raises StoreFailed.
    """
    role = warehouse.options.reader_role
    if not role or kind_of(warehouse.root) != "s3" or _is_joined(catalog):
        return None
    shown = folders_shown(catalog.pk, snapshot, table.table_id)
    if shown is None:
        return None
    folders = sorted(shown, key=int)
    policy = reading_policy(warehouse.root, folders, role)
    if policy is None:
        return None
    places = tuple(f"{warehouse.location(folder)}/" for folder in folders)
    return StorageAccess(keys_lend(warehouse.options, policy, reader), places)


def _is_joined(catalog: Catalog) -> bool:
    """Whether the catalog merged with another one. Both then have files in one folder of a table."""
    return catalog.versions_of_id is not None or Catalog.objects.filter(versions_of=catalog).exists()
