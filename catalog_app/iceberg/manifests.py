"""Manifests as bytes.

Files are put into chunks by a rule that looks at one file at a time, so that a commit changes only the chunk that it
adds to or takes from. The manifests of the others stay those of the versions before. A chunk's digest names
all that its manifest says.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fastavro

from catalog_app.domain.files import PartitionValues, Statistics
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import FileLayout, Transform
from catalog_app.domain.types import ParsedType
from catalog_app.iceberg.avro_schemas import PARTITION_FIELDS, V2, V3, entry_schema, partition_names
from catalog_app.iceberg.puffin import VECTOR_OFFSET, vector_length
from catalog_app.iceberg.serialized_values import bound_bytes, partition_value
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
    id of its first row, and ``stamp`` the number of who decided its rows, where the file stores none. ``named``: the
    definition of its columns, where it has no field ids.
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
    named: int | None = None

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
            for item, data in zip(self.files, map(data_of, self.files), strict=True)
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
        data = [data_of(item) for item in self.files]
        return min(item.stamp for item in data), max(item.version for item in data)


def chunks(
    content: int, specs: Mapping[SpecKey, Spec], schema: Schema, files: Sequence[Any], form: int = V2
) -> Iterator[Chunk]:
    """The files, those of one specification together, in order of version and id, cut where a file's id says so.
    ``form``: the version of Iceberg's format.
    """
    groups: dict[SpecKey, list[Any]] = {}
    for item in files:
        groups.setdefault(data_of(item).lies_by, []).append(item)
    for key, group in sorted(groups.items()):
        placed = sorted([((data := data_of(item)).version, data.file_id, number) for number, item in enumerate(group)])
        part: list[Any] = []
        for _, file_id, number in placed:
            part.append(group[number])
            if is_last(file_id) or len(part) == _LONGEST_CHUNK:
                yield _chunk(content, specs[key], schema, part, form)
                part = []
        if part:
            yield _chunk(content, specs[key], schema, part, form)


def data_of(item: ListedFile | ListedDeletes) -> ListedFile:
    """The data file that an item of a manifest is about."""
    return item.data if isinstance(item, ListedDeletes) else item


def is_last(file_id: int) -> bool:
    """Whether a chunk ends with that file, whatever other files there are."""
    return file_id * _SCATTERED % 2**32 < 2**32 // _CHUNK


def _chunk(content: int, spec: Spec, schema: Schema, files: Sequence[Any], form: int) -> Chunk:
    """Columns that were dropped keep the type that they had, so that a drop changes no manifest."""
    types: dict[int, ParsedType] = {}
    seen: set[int] = set()
    for item in files if content == DATA else ():
        written = data_of(item).schema
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
    return avro_bytes(entry_schema(fields, chunk.form), records, said)


def avro_bytes(schema: dict[str, Any], records: Any, said: dict[str, str]) -> bytes:
    target = io.BytesIO()
    fastavro.writer(target, fastavro.parse_schema(schema), records, codec="deflate", metadata=said)
    return target.getvalue()


def _entry(chunk: Chunk, item: ListedFile | ListedDeletes, names: Sequence[str]) -> dict[str, Any]:
    data = data_of(item)
    partition = [field_value(field, value) for field, value in zip(chunk.spec.typed, data.values, strict=True)]
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


def field_value(field: tuple[str, int, ParsedType], value: Any) -> Any:
    """A value of a partition's field as Avro takes it."""
    return partition_value(field[2], value, field[0]) if isinstance(value, str) else value
