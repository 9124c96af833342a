"""Tables for other engines: metadata of Apache Iceberg over the data files as they lie.

What is made is kept: metadata by version, manifests and delete files by what they say. The version after one that was
made lately takes the manifests of that one, but for those whose files a commit changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from catalog_app.domain.layout import with_layout
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import FORMAT_VERSION
from catalog_app.iceberg.avro_schemas import V2, V3
from catalog_app.iceberg.manifest_lists import StoredManifest, list_bytes
from catalog_app.iceberg.manifests import DATA, DELETES, chunks
from catalog_app.iceberg.metadata import TableVersion, specs_of, table_metadata
from catalog_app.iceberg.types import files_check, schema_json
from catalog_app.models import PublishedTable
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.listed_files import files_shown
from catalog_app.selectors.segments import SegmentState
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.selectors.table_versions import TableChange, table_change
from catalog_app.services.published import FRESH
from catalog_app.services.publishing_changes import manifests_since
from catalog_app.services.publishing_files import (
    Place,
    Published,
    defaults_of,
    deletes_kept,
    digest_of,
    files_can_be_shown,
    listed_file,
    manifests_kept,
)
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.collector import collector_paused
from lakeui.common.errors import NotSupported


def table_publish(
    warehouse: Warehouse, snapshot: Snapshot, table: TableState, form: int | None = None
) -> PublishedTable:
    """The table as the chain sees it, in a version of Iceberg's format: that which it says itself where ``form`` is
    None. Raises NotSupported, by name, where engines would show other rows than lakeui.
    """
    change = table_change(snapshot, table.table_id)
    form = form or form_of(table)
    place = Published(warehouse, table.table_id)
    key: dict[str, Any] = {"table_id": table.table_id, "format": form, "root": warehouse.location("")}
    now = timezone.now()
    kept = PublishedTable.objects.filter(**key, branch_id=change.branch_id, version=change.version).defer("manifests")
    for found in kept:
        if found.published_at > now - FRESH:
            return found
    with collector_paused():
        before = manifests_since(place, snapshot, table, form, now - FRESH)
        manifests = _all_manifests(place, snapshot, table, form) if before is None else before.manifests
        metadata = _metadata(place, manifests, table, change, form)
    text = json.dumps(metadata)
    (stored,) = place.keep(".metadata.json", [(digest_of("metadata", text), lambda: (text.encode(), 0))])
    given: dict[str, Any] = {
        "metadata": metadata,
        "location": warehouse.location(stored.path),
        # Files of manifests that stay were looked at when the version before was made.
        "published_at": now if before is None else before.published_at,
        "schema_version": table.schema_version,
        "manifests": [manifest.as_json() for manifest in manifests],
    }
    named = {**key, "branch_id": change.branch_id, "version": change.version}
    published, _ = PublishedTable.objects.update_or_create(**named, defaults=given)
    return published


def form_of(table: TableState) -> int:
    """The version of Iceberg's format that the table asks for."""
    return V3 if table.properties.get(FORMAT_VERSION) == str(V3) else V2


def metadata_make(
    place: Place, snapshot: Snapshot, table: TableState, change: TableChange, form: int
) -> dict[str, Any]:
    """The metadata of the table as the chain sees it, in a version of the format. All files that they lead to are at
    the place. Raises NotSupported.
    """
    # Large tables have very many files, and no value of theirs is in a cycle.
    with collector_paused():
        return _metadata(place, _all_manifests(place, snapshot, table, form), table, change, form)


def _all_manifests(place: Place, snapshot: Snapshot, table: TableState, form: int) -> list[StoredManifest]:
    schema_json(table.schema)
    segments = files_shown(snapshot, table.table_id)
    schemas = definitions_load({segment.definition_id for segment in segments})
    files_can_be_shown(table.schema, segments, schemas, defaults_of(table.schema, form))
    data = [listed_file(place.warehouse, segment, schemas[segment.definition_id], table.schema) for segment in segments]
    specs = specs_of(with_layout(table.schema, table.properties), [file.lies_by for file in data])
    deletes = deletes_kept(place, segments, data, form)
    found = [*chunks(DATA, specs, table.schema, data, form), *chunks(DELETES, specs, table.schema, deletes, form)]
    return manifests_kept(place, table.schema, found)


def _metadata(
    place: Place, manifests: Sequence[StoredManifest], table: TableState, change: TableChange, form: int
) -> dict[str, Any]:
    said = digest_of("list", form, change.version, [manifest.location for manifest in manifests])
    (listed,) = place.keep(".avro", [(said, lambda: (list_bytes(manifests, change.version, form), 0))])
    specs = specs_of(with_layout(table.schema, table.properties), [manifest.lies_by for manifest in manifests])
    named = sorted({definition for manifest in manifests for definition in manifest.named})
    schemas = definitions_load(named)
    shown = TableVersion(
        table,
        change.version,
        int(change.at.timestamp() * 1000),
        place.warehouse.location(place.folder),
        place.warehouse.location(listed.path),
        tuple(manifests),
        tuple(specs.values()),
        tuple(schemas[definition] for definition in named),
        form,
        defaults_of(table.schema, form),
    )
    return table_metadata(shown)


def files_refused(schema: Schema, segments: Sequence[SegmentState]) -> frozenset[int]:
    """The files for which a table is refused. It is shown again when these are written anew."""
    refused = {segment.file_id for segment in segments if segment.is_moved and not segment.lacks_partition}
    for definition_id, written in definitions_load({segment.definition_id for segment in segments}).items():
        try:
            files_check(schema, written)
        except NotSupported:
            refused |= {segment.file_id for segment in segments if segment.definition_id == definition_id}
    return frozenset(refused)
