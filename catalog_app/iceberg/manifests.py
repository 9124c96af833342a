"""Manifests and manifest lists as bytes.

Files are put into chunks by a rule that looks at one file at a time, so that a commit changes only the chunk that it
adds to or takes from. The manifests of the others stay those of the versions before. A chunk's digest names
all that its manifest says.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fastavro

from catalog_app.domain.files import PartitionValues, Statistics
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import FileLayout, Transform
from catalog_app.domain.types import ParsedType
from catalog_app.iceberg.avro_schemas import PARTITION_FIELDS, V2, V3, entry_schema, list_schema, partition_names
from catalog_app.iceberg.puffin import VECTOR_OFFSET, vector_length
from catalog_app.iceberg.serialized_values import bound_bytes, partition_value, value_bytes
from catalog_app.iceberg.transforms import transform_field, transform_name, transform_type
from catalog_app.iceberg.types import schema_json
from lakeui.common.records import record

DATA, DELETES = 0, 1
"""What a manifest lists, in Iceberg's numbers."""
_EXISTING = 0
_PATH_FIELD = 2147483546
_CHUNK, _LONGEST_CHUNK = 256, 1024
"""Files of a chunk, on average and at most."""
_SCATTERED = 2654435761


SpecKey = tuple[tuple[int, ...], tuple[Transform, ...]]
"""The ids of partition columns, and transforms of others, by which files lie."""


@record(frozen=True, slots=True)
class ListedFile:
    """A data file as a version shows it. ``schema`` is that under which it was written, ``version`` the one that took
    it in, ``location`` where an engine finds it. ``layout``: what it says of columns that the table has. ``base``: the
    id of its first row, and ``stamp`` the number of who decided its rows, where the file stores none.
    """

    file_id: int
    location: str
    rows: int
    bytes: int
    version: int
    schema: Schema
    partition: PartitionValues = ()
    statistics: Statistics = field(default_factory=dict)
    layout: FileLayout = ()
    base: int = 0
    stamp: int = 0

    @property
    def lies_by(self) -> SpecKey:
        """What names its specification."""
        return self.schema.partition_by, tuple([laid.transform for laid in self.layout]) if self.layout else ()

    @property
    def values(self) -> tuple[Any, ...]:
        """Of each field of its specification: texts of columns, then values of transforms."""
        return (*self.partition, *(laid.value for laid in self.layout)) if self.layout else self.partition


@record(frozen=True, slots=True)
class ListedDeletes:
    """Positions of one data file that are gone, as a file of their own at ``location``: of Parquet in version 2, of
    Puffin in version 3.
    """

    data: ListedFile
    location: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Spec:
    """Partition columns, and transforms of columns, by which files lie apart; a table may have files of several."""

    id: int
    columns: tuple[Column, ...]
    laid: tuple[tuple[Transform, Column], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"spec-id": self.id, "fields": self.fields}

    @property
    def fields(self) -> list[dict[str, Any]]:
        sources = [
            *((column, "identity") for column in self.columns),
            *((column, one.text) for one, column in self.laid),
        ]
        return [
            {"source-id": column.id, "field-id": identifier, "name": name, "transform": transform}
            for (name, identifier, _), (column, transform) in zip(self.typed, sources, strict=True)
        ]

    @property
    def typed(self) -> tuple[tuple[str, int, ParsedType], ...]:
        """Of each field the name that people know, the id, and the type of its values."""
        return (
            *((column.name, PARTITION_FIELDS + column.id, column.parsed) for column in self.columns),
            *(
                (transform_name(one, column.name), transform_field(one), transform_type(one, column))
                for one, column in self.laid
            ),
        )


@dataclass(frozen=True, slots=True)
class Chunk:
    """The files of one manifest, ``content`` says of which sort. ``types``: those of the columns that have bounds.
    ``form``: the version of Iceberg's format.
    """

    content: int
    spec: Spec
    files: tuple[ListedFile | ListedDeletes, ...]
    types: Mapping[int, ParsedType]
    form: int = V2

    @property
    def digest(self) -> str:
        """Names all that the manifest says of its files."""
        files = [
            (item.location, data.location, data.values, data.version, data.stamp, data.base, item.rows)
            for item, data in zip(self.files, map(_data, self.files), strict=True)
        ]
        said = json.dumps([self.form, self.content, self.spec.as_json(), self._typed(), files])
        return hashlib.sha256(said.encode()).hexdigest()

    def _typed(self) -> list[Any]:
        return sorted((identifier, kind.text) for identifier, kind in self.types.items())

    @property
    def rows(self) -> int:
        return sum(item.rows for item in self.files)

    @property
    def versions(self) -> tuple[int, int]:
        """The oldest number of the rows of a file, and the newest version that took in a file."""
        data = [_data(item) for item in self.files]
        return min(item.stamp for item in data), max(item.version for item in data)


def chunks(
    content: int, specs: Mapping[SpecKey, Spec], schema: Schema, files: Sequence[Any], form: int = V2
) -> Iterator[Chunk]:
    """The files, those of one specification together, in order of version and id, cut where a file's id says so.
    ``form``: the version of Iceberg's format.
    """
    groups: dict[SpecKey, list[Any]] = {}
    for item in files:
        groups.setdefault(_data(item).lies_by, []).append(item)
    for key, group in sorted(groups.items()):
        placed = sorted([((data := _data(item)).version, data.file_id, number) for number, item in enumerate(group)])
        part: list[Any] = []
        for _, file_id, number in placed:
            part.append(group[number])
            if _is_last(file_id) or len(part) == _LONGEST_CHUNK:
                yield _chunk(content, specs[key], schema, part, form)
                part = []
        if part:
            yield _chunk(content, specs[key], schema, part, form)


def _data(item: ListedFile | ListedDeletes) -> ListedFile:
    return item.data if isinstance(item, ListedDeletes) else item


def _is_last(file_id: int) -> bool:
    return file_id * _SCATTERED % 2**32 < 2**32 // _CHUNK


def _chunk(content: int, spec: Spec, schema: Schema, files: Sequence[Any], form: int) -> Chunk:
    """Columns that were dropped keep the type that they had, so that a drop changes no manifest."""
    types: dict[int, ParsedType] = {}
    seen: set[int] = set()
    for item in files if content == DATA else ():
        written = _data(item).schema
        if id(written) in seen:
            continue
        seen.add(id(written))
        for column in written.columns:
            now = schema.column(column.id)
            kind = column.parsed if now is None or now.id != column.id else now.parsed
            if not kind.fields:
                types[column.id] = kind
    return Chunk(content, spec, tuple(files), types, form)


def manifest_bytes(chunk: Chunk, schema: Schema) -> bytes:
    """The manifest of a chunk. ``schema``: that of the table when the manifest was made."""
    typed = chunk.spec.typed
    names = partition_names([(name, identifier - PARTITION_FIELDS) for name, identifier, _ in typed])
    records = (_entry(chunk, item, names) for item in chunk.files)
    said = {
        "schema": json.dumps(schema_json(schema)),
        "schema-id": "0",
        "partition-spec": json.dumps(chunk.spec.fields),
        "partition-spec-id": str(chunk.spec.id),
        "format-version": str(chunk.form),
        "content": "deletes" if chunk.content == DELETES else "data",
    }
    fields = [(name, identifier, kind) for name, (_, identifier, kind) in zip(names, typed, strict=True)]
    return _written(entry_schema(fields, chunk.form), records, said)


def _written(schema: dict[str, Any], records: Any, said: dict[str, str]) -> bytes:
    target = io.BytesIO()
    fastavro.writer(target, fastavro.parse_schema(schema), records, codec="deflate", metadata=said)
    return target.getvalue()


def _entry(chunk: Chunk, item: ListedFile | ListedDeletes, names: Sequence[str]) -> dict[str, Any]:
    data = _data(item)
    partition = [_field_value(field, value) for field, value in zip(chunk.spec.typed, data.values, strict=True)]
    described: dict[str, Any] = {
        "content": chunk.content,
        "file_path": item.location,
        "file_format": "PARQUET",
        "partition": dict(zip(names, partition, strict=True)),
        "record_count": item.rows,
        "file_size_in_bytes": item.bytes,
    }
    if isinstance(item, ListedFile):
        described |= {**_measured(item, chunk.types), "first_row_id": item.base}
    elif chunk.form == V3:
        described |= {
            "file_format": "PUFFIN",
            "referenced_data_file": data.location,
            "content_offset": VECTOR_OFFSET,
            "content_size_in_bytes": vector_length(data.location, item.bytes),
        }
    else:
        path = [{"key": _PATH_FIELD, "value": data.location.encode()}]
        described |= {"lower_bounds": path, "upper_bounds": path, "referenced_data_file": data.location}
    return {
        "status": _EXISTING,
        "snapshot_id": data.version,
        "sequence_number": data.stamp,
        "file_sequence_number": data.version,
        "data_file": described,
    }


def _measured(item: ListedFile, types: Mapping[int, ParsedType]) -> dict[str, Any]:
    counts, nulls, lower, upper = [], [], [], []
    for identifier, bounds in item.statistics.items():
        kind = types.get(identifier)
        if kind is None:
            continue
        counts.append({"key": identifier, "value": item.rows})
        nulls.append({"key": identifier, "value": bounds.nulls})
        low, high = bound_bytes(kind, bounds.minimum), bound_bytes(kind, bounds.maximum)
        if low is not None:
            lower.append({"key": identifier, "value": low})
        if high is not None:
            upper.append({"key": identifier, "value": high})
    found = {"value_counts": counts, "null_value_counts": nulls, "lower_bounds": lower, "upper_bounds": upper}
    # fastavro takes the name of the type beside the value. Else it looks through each list to find that it is none.
    return {name: ("array", values) for name, values in found.items()}


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """The manifest of a chunk, where it lies and how long it is."""

    chunk: Chunk
    location: str
    bytes: int


def list_bytes(manifests: Sequence[StoredManifest], version: int, form: int = V2) -> bytes:
    """The manifest list of a version of the table, in a version of the format."""
    said = {"snapshot-id": str(version), "sequence-number": str(version), "format-version": str(form)}
    return _written(list_schema(form), (_listed(manifest) for manifest in manifests), said)


def _listed(manifest: StoredManifest) -> dict[str, Any]:
    chunk = manifest.chunk
    oldest, newest = chunk.versions
    # Each entry says its own. A reader takes none of them from a manifest that has no number itself.
    first = min(_data(item).base for item in chunk.files) if chunk.content == DATA else None
    return {
        "first_row_id": first,
        "manifest_path": manifest.location,
        "manifest_length": manifest.bytes,
        "partition_spec_id": chunk.spec.id,
        "content": chunk.content,
        "sequence_number": newest,
        "min_sequence_number": oldest,
        "added_snapshot_id": newest,
        "added_files_count": 0,
        "existing_files_count": len(chunk.files),
        "deleted_files_count": 0,
        "added_rows_count": 0,
        "existing_rows_count": chunk.rows,
        "deleted_rows_count": 0,
        "partitions": [_summary(chunk, place, field) for place, field in enumerate(chunk.spec.typed)] or None,
    }


def _field_value(field: tuple[str, int, ParsedType], value: Any) -> Any:
    """A value of a partition's field as Avro takes it."""
    return partition_value(field[2], value, field[0]) if isinstance(value, str) else value


def _summary(chunk: Chunk, place: int, field: tuple[str, int, ParsedType]) -> dict[str, Any]:
    """Bounds of one field of partitions over the files of a manifest."""
    kind = field[2]
    values = [_field_value(field, _data(item).values[place]) for item in chunk.files]
    known = [value for value in values if value is not None and not _is_nan(value)]
    return {
        "contains_null": any(value is None for value in values),
        "contains_nan": any(_is_nan(value) for value in values),
        "lower_bound": value_bytes(kind, min(known)) if known else None,
        "upper_bound": value_bytes(kind, max(known)) if known else None,
    }


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
