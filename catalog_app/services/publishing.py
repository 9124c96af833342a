"""Tables for other engines: metadata of Apache Iceberg over the data files as they lie.

What is made is kept: metadata by version, manifests and delete files by what they say. Files get their final name
when they are written, and are registered when they are whole. So a crash leaves a file that nothing names, which
VACUUM finds; of two processes that make one at the same time, one is registered and the other one removed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

from django.utils import timezone

from catalog_app.domain.layout import with_layout
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import FORMAT_VERSION
from catalog_app.engine.plain_values import literal_value
from catalog_app.iceberg.avro_schemas import V2, V3
from catalog_app.iceberg.manifests import (
    DATA,
    DELETES,
    Chunk,
    ListedDeletes,
    ListedFile,
    StoredManifest,
    chunks,
    list_bytes,
    manifest_bytes,
)
from catalog_app.iceberg.metadata import TableVersion, specs_of, table_metadata
from catalog_app.iceberg.puffin import vector_file
from catalog_app.iceberg.types import (
    NO_DEFAULTS,
    REWRITE,
    Defaults,
    default_json,
    files_check,
    has_default,
    schema_json,
)
from catalog_app.models import PublishedFile, PublishedTable
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.listed_files import ShownFile, files_shown, statistics_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import SegmentState
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.selectors.table_versions import TableChange, table_change
from catalog_app.storage.deletes import deleted_positions, positions_file
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.collector import collector_paused
from lakeui.common.errors import NotSupported

FRESH = timedelta(hours=6)
"""For so long metadata are handed out without a look at their files. It is less than HANDED_OUT by the time to read."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that describes a table: its path, its size, and of a delete file its rows."""

    path: str
    rows: int
    bytes: int


Wanted = Sequence[tuple[str, Callable[[], tuple[bytes, int]]]]
"""Digests, and what makes the bytes (and counts the rows) of the file that each stands for."""


class Place(Protocol):
    """Where the files that describe one table lie. ``folder`` is the table's own."""

    warehouse: Warehouse
    folder: str

    def keep(self, suffix: str, wanted: Wanted) -> list[Kept]:
        """A file for each digest, in order: the one that is there, or what the maker makes."""
        ...


def table_publish(
    warehouse: Warehouse, snapshot: Snapshot, table: TableState, form: int | None = None
) -> PublishedTable:
    """The table as the chain sees it, in a version of Iceberg's format: that which it says itself where ``form`` is
    None. Raises NotSupported, by name, where engines would show other rows than lakeui.
    """
    change = table_change(snapshot, table.table_id)
    key: dict[str, Any] = {
        "table_id": table.table_id,
        "branch_id": change.branch_id,
        "version": change.version,
        "format": form or form_of(table),
        "root": warehouse.location(""),
    }
    now = timezone.now()
    kept = PublishedTable.objects.filter(**key).first()
    if kept is not None and kept.published_at > now - FRESH:
        return kept
    place = Published(warehouse, table.table_id)
    metadata = metadata_make(place, snapshot, table, change, key["format"])
    text = json.dumps(metadata)
    (stored,) = place.keep(".metadata.json", [(_digest("metadata", text), lambda: (text.encode(), 0))])
    given: dict[str, Any] = {"metadata": metadata, "location": warehouse.location(stored.path), "published_at": now}
    published, _ = PublishedTable.objects.update_or_create(**key, defaults=given)
    return published


def form_of(table: TableState) -> int:
    """The version of Iceberg's format that the table asks for."""
    return V3 if table.properties.get(FORMAT_VERSION) == str(V3) else V2


def metadata_make(
    place: Place, snapshot: Snapshot, table: TableState, change: TableChange, form: int
) -> dict[str, Any]:
    """The metadata of the table as the chain sees it, in a version of the format; all files that they lead to are at
    the place. Raises NotSupported.
    """
    # Large tables have very many files, and no value of theirs is in a cycle.
    with collector_paused():
        return table_metadata(_shown(place, snapshot, table, change, form))


def _shown(place: Place, snapshot: Snapshot, table: TableState, change: TableChange, form: int) -> TableVersion:
    warehouse = place.warehouse
    schema_json(table.schema)
    segments = files_shown(snapshot, table.table_id)
    schemas = definitions_load({segment.definition_id for segment in segments})
    defaults = _defaults(table.schema) if form == V3 else NO_DEFAULTS
    _check(table.schema, segments, schemas, defaults)
    data = [_listed(warehouse, segment, schemas[segment.definition_id], table.schema) for segment in segments]
    specs = specs_of(with_layout(table.schema, table.properties), [file.lies_by for file in data])
    deletes = _deletes(place, segments, data, form)
    found = [*chunks(DATA, specs, table.schema, data, form), *chunks(DELETES, specs, table.schema, deletes, form)]
    manifests = _manifests(place, table, found)
    said = _digest("list", form, change.version, [manifest.location for manifest in manifests])
    (listed,) = place.keep(".avro", [(said, lambda: (list_bytes(manifests, change.version, form), 0))])
    return TableVersion(
        table,
        change.version,
        int(change.at.timestamp() * 1000),
        warehouse.location(place.folder),
        warehouse.location(listed.path),
        tuple(manifests),
        tuple(specs.values()),
        tuple(schemas[identity] for identity in sorted({item.definition_id for item in segments if item.by_name})),
        form,
        defaults,
    )


def _defaults(schema: Schema) -> Defaults:
    """Of columns that rows may be older than, where what they read as is a literal of the column's type."""
    found: dict[int, Any] = {}
    for column in schema.columns:
        with suppress(ValueError):
            if has_default(column):
                value = literal_value(column, str(column.initial_default))
                found[column.id] = default_json(column, value)
    return found


def _check(schema: Schema, segments: Sequence[ShownFile], schemas: Mapping[int, Schema], defaults: Defaults) -> None:
    for written in schemas.values():
        files_check(schema, written, defaults)
    if any(segment.is_moved for segment in segments):
        raise NotSupported("A partition of the table was renamed without its files.", remedy=REWRITE)


def files_refused(schema: Schema, segments: Sequence[SegmentState]) -> frozenset[int]:
    """The files for which a table is refused. It is shown again when these are written anew."""
    refused = {segment.file_id for segment in segments if segment.is_moved and not segment.lacks_partition}
    for definition_id, written in definitions_load({segment.definition_id for segment in segments}).items():
        try:
            files_check(schema, written)
        except NotSupported:
            refused |= {segment.file_id for segment in segments if segment.definition_id == definition_id}
    return frozenset(refused)


def _listed(warehouse: Warehouse, segment: ShownFile, schema: Schema, now: Schema) -> ListedFile:
    """``now``: the columns of the table. What the file says of others, or of another type, is left out."""
    layout = segment.layout and tuple(
        laid
        for laid in segment.layout
        if (column := now.column(laid.transform.column_id)) is not None and laid.holds_for(column.type)
    )
    return ListedFile(
        segment.file_id,
        warehouse.location(segment.path),
        segment.rows,
        segment.bytes,
        segment.added_version,
        schema,
        segment.partition,
        layout=layout,
        base=segment.base,
        stamp=segment.stamp,
    )


def _deletes(place: Place, segments: Sequence[ShownFile], data: Sequence[ListedFile], form: int) -> list[ListedDeletes]:
    """For each data file with deletes one file of all its positions that are gone."""
    named, suffix, write = ("vector", ".puffin", vector_file) if form == V3 else ("deletes", ".parquet", positions_file)
    marked = [
        (file, segment.delete_paths) for file, segment in zip(data, segments, strict=True) if segment.delete_paths
    ]

    def maker(location: str, paths: Sequence[str]) -> Callable[[], tuple[bytes, int]]:
        def make() -> tuple[bytes, int]:
            positions = deleted_positions(place.warehouse, paths)
            return write(location, positions), len(positions)

        return make

    wanted = [(_digest(named, f.location, sorted(set(paths))), maker(f.location, paths)) for f, paths in marked]
    kept = place.keep(suffix, wanted)
    return [
        ListedDeletes(file, place.warehouse.location(found.path), found.rows, found.bytes)
        for (file, _), found in zip(marked, kept, strict=True)
    ]


def _manifests(place: Place, table: TableState, found: Sequence[Chunk]) -> list[StoredManifest]:
    def maker(chunk: Chunk) -> Callable[[], tuple[bytes, int]]:
        return lambda: (manifest_bytes(_measured(chunk), table.schema), 0)

    kept = place.keep(".avro", [(chunk.digest, maker(chunk)) for chunk in found])
    return [
        StoredManifest(chunk, place.warehouse.location(file.path), file.bytes)
        for chunk, file in zip(found, kept, strict=True)
    ]


def _measured(chunk: Chunk) -> Chunk:
    """The chunk with the statistics of its data files, which its digest does not need: files never change."""
    data = [item for item in chunk.files if isinstance(item, ListedFile)]
    found = statistics_load([item.file_id for item in data])
    return (
        replace(chunk, files=tuple(replace(item, statistics=found[item.file_id]) for item in data)) if data else chunk
    )


def _digest(*said: object) -> str:
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


_USE = """
WITH wanted AS (
    SELECT id FROM catalog_app_publishedfile WHERE table_id = %(table)s AND digest = ANY(%(digests)s)
    ORDER BY id FOR NO KEY UPDATE
)
UPDATE catalog_app_publishedfile f SET used_at = now() FROM wanted WHERE f.id = wanted.id
RETURNING f.digest, f.path, f.rows, f.bytes
"""
"""In the order of ids, so that two processes do not wait for each other."""


class Published:
    """The files that describe one table, registered by digest, until VACUUM finds that no reader asks for them."""

    def __init__(self, warehouse: Warehouse, table_id: int) -> None:
        self.warehouse, self.folder = warehouse, str(table_id)
        self._table_id = table_id

    def keep(self, suffix: str, wanted: Wanted) -> list[Kept]:
        found = self._use([digest for digest, _ in wanted])
        missing = {digest: make for digest, make in wanted if digest not in found}
        if missing:
            made = {digest: self._write(suffix, *make()) for digest, make in missing.items()}
            PublishedFile.objects.bulk_create(
                [
                    PublishedFile(
                        table_id=self._table_id,
                        digest=digest,
                        path=file.path,
                        rows=file.rows,
                        bytes=file.bytes,
                        used_at=timezone.now(),
                    )
                    for digest, file in made.items()
                ],
                ignore_conflicts=True,
            )
            registered = self._use(list(made))
            for digest, file in made.items():
                if registered[digest].path != file.path:
                    self.warehouse.remove(file.path)
            found |= registered
        return [found[digest] for digest, _ in wanted]

    def _use(self, digests: Collection[str]) -> dict[str, Kept]:
        asked = {"table": self._table_id, "digests": list(digests)}
        return {digest: Kept(*rest) for digest, *rest in fetch_all(_USE, asked)} if digests else {}

    def _write(self, suffix: str, content: bytes, rows: int) -> Kept:
        path = f"{self.folder}/iceberg/{uuid.uuid4().hex}{suffix}"
        self.warehouse.write(path, content)
        return Kept(path, rows, len(content))
