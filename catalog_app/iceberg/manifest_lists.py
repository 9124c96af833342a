"""What a manifest list says of each manifest: kept by version, so that the list of the next one is made without a look
at the files of manifests that stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.transforms import Transform
from catalog_app.domain.types import ParsedType
from catalog_app.iceberg.avro_schemas import V2, list_schema
from catalog_app.iceberg.manifests import DATA, Chunk, ListedFile, SpecKey, avro_bytes, data_of, field_value
from catalog_app.iceberg.serialized_values import value_bytes

Key = tuple[int, int]
"""The place of a file among those of a version: the version that took it in, and its id."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one field of partitions, over the files of a manifest."""

    contains_null: bool
    contains_nan: bool
    lower: bytes | None
    upper: bytes | None


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """A manifest: where it lies, and what is true of its files together.

    ``first`` and ``last``: the keys of its first and last file. ``oldest`` and ``newest``: numbers of versions, of rows
    and of files. ``first_row`` is the smallest id of a first row, ``next_row`` is above the ids of all rows of data
    files. ``named``: the definitions of those without field ids.
    """

    location: str
    manifest_bytes: int
    content: int
    spec_id: int
    lies_by: SpecKey
    first: Key
    last: Key
    files: int
    rows: int
    bytes: int
    oldest: int
    newest: int
    first_row: int
    next_row: int
    named: tuple[int, ...] = ()
    bounds: tuple[Bounds, ...] = ()

    def as_json(self) -> list[Any]:
        columns, transforms = self.lies_by
        said = [[one.name, one.number, one.column_id] for one in transforms]
        bounds = [[b.contains_null, b.contains_nan, _hex(b.lower), _hex(b.upper)] for b in self.bounds]
        place = [self.location, self.manifest_bytes, self.content, self.spec_id, [list(columns), said]]
        counts = [self.files, self.rows, self.bytes, self.oldest, self.newest, self.first_row, self.next_row]
        return [*place, list(self.first), list(self.last), *counts, list(self.named), bounds]

    @classmethod
    def from_json(cls, given: Sequence[Any]) -> StoredManifest:
        location, size, content, spec_id, (columns, said), first, last, *counts, named, bounds = given
        files, rows, size_of_files, oldest, newest, first_row, next_row = counts
        return cls(
            location,
            size,
            content,
            spec_id,
            (tuple(columns), tuple(Transform(*one) for one in said)),
            tuple(first),
            tuple(last),
            files,
            rows,
            size_of_files,
            oldest,
            newest,
            first_row,
            next_row,
            tuple(named),
            tuple(Bounds(null, nan, _bytes(low), _bytes(high)) for null, nan, low, high in bounds),
        )


def stored_manifest(chunk: Chunk, location: str, size: int) -> StoredManifest:
    """The manifest of a chunk, which lies at ``location``."""
    data = [data_of(item) for item in chunk.files]
    named = {item.named for item in chunk.files if isinstance(item, ListedFile) and item.named is not None}
    return StoredManifest(
        location,
        size,
        chunk.content,
        chunk.spec.id,
        data[0].lies_by,
        (data[0].version, data[0].file_id),
        (data[-1].version, data[-1].file_id),
        len(data),
        chunk.rows,
        sum(item.bytes for item in chunk.files),
        *chunk.versions,
        min(item.base for item in data),
        max(item.base + item.rows for item in data) if chunk.content == DATA else 0,
        tuple(sorted(named)),
        tuple(_bounds(chunk, place, one) for place, one in enumerate(chunk.spec.typed)),
    )


def list_bytes(manifests: Sequence[StoredManifest], version: int, form: int = V2) -> bytes:
    """The manifest list of a version of the table, in a version of the format."""
    said = {"snapshot-id": str(version), "sequence-number": str(version), "format-version": str(form)}
    return avro_bytes(list_schema(form), (_listed(manifest) for manifest in manifests), said)


def _listed(manifest: StoredManifest) -> dict[str, Any]:
    return {
        # Each entry says its own. A reader takes none of them from a manifest that has no number itself.
        "first_row_id": manifest.first_row if manifest.content == DATA else None,
        "manifest_path": manifest.location,
        "manifest_length": manifest.manifest_bytes,
        "partition_spec_id": manifest.spec_id,
        "content": manifest.content,
        "sequence_number": manifest.newest,
        "min_sequence_number": manifest.oldest,
        "added_snapshot_id": manifest.newest,
        "added_files_count": 0,
        "existing_files_count": manifest.files,
        "deleted_files_count": 0,
        "added_rows_count": 0,
        "existing_rows_count": manifest.rows,
        "deleted_rows_count": 0,
        "partitions": [_summary(bounds) for bounds in manifest.bounds] or None,
    }


def _summary(bounds: Bounds) -> dict[str, Any]:
    return {
        "contains_null": bounds.contains_null,
        "contains_nan": bounds.contains_nan,
        "lower_bound": bounds.lower,
        "upper_bound": bounds.upper,
    }


def _bounds(chunk: Chunk, place: int, field: tuple[str, int, ParsedType]) -> Bounds:
    kind = field[2]
    values = [field_value(field, data_of(item).values[place]) for item in chunk.files]
    known = [value for value in values if value is not None and not _is_nan(value)]
    lower, upper = (value_bytes(kind, min(known)), value_bytes(kind, max(known))) if known else (None, None)
    return Bounds(any(value is None for value in values), any(_is_nan(value) for value in values), lower, upper)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else bytes.fromhex(value)
