"""Files that describe a table to other engines: made once of what they say, and kept.

Files get their final name when they are written, and are registered when they are whole. So a crash leaves a file that
nothing names, which VACUUM finds; of two processes that make one at the same time, one is registered and the other one
removed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from django.utils import timezone

from catalog_app.domain.schema import Schema
from catalog_app.engine.plain_values import literal_value
from catalog_app.iceberg.avro_schemas import V3
from catalog_app.iceberg.manifest_lists import StoredManifest, stored_manifest
from catalog_app.iceberg.manifests import Chunk, ListedDeletes, ListedFile, manifest_bytes
from catalog_app.iceberg.puffin import vector_file
from catalog_app.iceberg.types import NO_DEFAULTS, REWRITE, Defaults, default_json, files_check, has_default
from catalog_app.models import PublishedFile
from catalog_app.selectors.listed_files import ShownFile, statistics_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.storage.deletes import deleted_positions, positions_file
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import NotSupported


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


def defaults_of(schema: Schema, form: int) -> Defaults:
    """Of columns that rows may be older than, where what they read as is a literal of the column's type."""
    if form != V3:
        return NO_DEFAULTS
    found: dict[int, Any] = {}
    for column in schema.columns:
        with suppress(ValueError):
            if has_default(column):
                value = literal_value(column, str(column.initial_default))
                found[column.id] = default_json(column, value)
    return found


def files_can_be_shown(
    schema: Schema, segments: Sequence[ShownFile], schemas: Mapping[int, Schema], defaults: Defaults
) -> None:
    """Raise NotSupported where engines would read the files otherwise than lakeui."""
    for written in schemas.values():
        files_check(schema, written, defaults)
    if any(segment.is_moved for segment in segments):
        raise NotSupported("A partition of the table was renamed without its files.", remedy=REWRITE)


def listed_file(warehouse: Warehouse, segment: ShownFile, schema: Schema, now: Schema) -> ListedFile:
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
        named=segment.definition_id if segment.by_name else None,
    )


def deletes_kept(
    place: Place, segments: Sequence[ShownFile], data: Sequence[ListedFile], form: int
) -> list[ListedDeletes]:
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

    wanted = [(digest_of(named, f.location, sorted(set(paths))), maker(f.location, paths)) for f, paths in marked]
    kept = place.keep(suffix, wanted)
    return [
        ListedDeletes(file, place.warehouse.location(found.path), found.rows, found.bytes)
        for (file, _), found in zip(marked, kept, strict=True)
    ]


def manifests_kept(place: Place, schema: Schema, found: Sequence[Chunk]) -> list[StoredManifest]:
    """The manifests of chunks. ``schema``: that of the table."""

    def maker(chunk: Chunk) -> Callable[[], tuple[bytes, int]]:
        return lambda: (manifest_bytes(_measured(chunk), schema), 0)

    kept = place.keep(".avro", [(chunk.digest, maker(chunk)) for chunk in found])
    return [
        stored_manifest(chunk, place.warehouse.location(file.path), file.bytes)
        for chunk, file in zip(found, kept, strict=True)
    ]


def _measured(chunk: Chunk) -> Chunk:
    """The chunk with the statistics of its data files, which its digest does not need: files never change."""
    data = [item for item in chunk.files if isinstance(item, ListedFile)]
    found = statistics_load([item.file_id for item in data])
    return (
        replace(chunk, files=tuple(replace(item, statistics=found[item.file_id]) for item in data)) if data else chunk
    )


def digest_of(*said: object) -> str:
    """Names what a file is made of."""
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
