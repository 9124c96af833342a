"""The earlier versions of a table that its metadata list: engines read one of them by its number or its tag."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.utils import timezone

from catalog_app.domain.state import TableState
from catalog_app.iceberg.metadata import with_history
from catalog_app.models import Branch, PublishedTable, Tag
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import Snapshot, version_check
from catalog_app.selectors.table_versions import TableChange, table_changes
from catalog_app.services.published import FRESH
from catalog_app.services.publishing import table_publish
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import NotFound, NotSupported

VERSIONS = 10
"""So many versions are listed, the newest of them included."""
MOST_FILES = 10_000
"""Of a table with more files, those earlier versions are listed that were asked for while they were the newest."""


def metadata_with_history(
    warehouse: Warehouse, snapshot: Snapshot, table: TableState, shown: PublishedTable
) -> dict[str, Any]:
    """The metadata of the published table with the versions before it on the chain, and with the tags of its branch.
    A version whose partitions cannot stand beside those of today is not among them.
    """
    branch = Branch.objects.select_related("parent").get(pk=snapshot.branch_ids[0])
    changes = table_changes(snapshot, table.table_id, most=VERSIONS)
    earlier = [change for change in changes if change.version < shown.version and _lives(branch, change.version)]
    kept = {
        found.version: found
        for found in PublishedTable.objects.filter(
            table_id=table.table_id,
            format=shown.format,
            root=shown.root,
            version__in=[change.version for change in earlier],
            published_at__gt=timezone.now() - FRESH,
        ).defer("manifests")
    }
    is_small = int(shown.metadata["snapshots"][0]["summary"]["total-data-files"]) <= MOST_FILES
    found = []
    # Each version is made of the one before it.
    for change in reversed(earlier):
        one = kept.get(change.version)
        if one is None and is_small:
            one = _made(warehouse, snapshot, change, table.table_id, shown.format)
        if one is not None:
            found.append(one.metadata)
    tags = Tag.objects.filter(branch=branch, version__lte=snapshot.version).values_list("name", "version")
    return with_history(shown.metadata, found, dict(tags))


def _lives(branch: Branch, version: int) -> bool:
    """Whether VACUUM has left all files of the version."""
    try:
        version_check(branch, version)
    except NotFound:
        return False
    return True


def _made(
    warehouse: Warehouse, snapshot: Snapshot, change: TableChange, table_id: int, form: int
) -> PublishedTable | None:
    then = snapshot.at(change.version)
    table = tables_load(then, [table_id]).get(table_id)
    if table is None or table.is_dropped:
        return None
    with suppress(NotSupported):
        return table_publish(warehouse, then, table, form)
    return None
