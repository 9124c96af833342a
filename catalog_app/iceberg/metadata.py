"""Table metadata of one version: one schema, one snapshot; and with those of the versions before it."""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.nested import fields_within
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import COMMENT, TableState, comment_of, stated_properties
from catalog_app.domain.table_properties import FORMAT_VERSION
from catalog_app.domain.types import ParsedType
from catalog_app.iceberg.avro_schemas import PARTITION_FIELDS, V2, V3
from catalog_app.iceberg.manifest_lists import StoredManifest
from catalog_app.iceberg.manifests import DELETES, Spec, SpecKey
from catalog_app.iceberg.transforms import transform_field, transform_name
from catalog_app.iceberg.types import Defaults, schema_json
from lakeui.common.errors import NotSupported

_NAMESPACE = uuid.UUID("8f2ad3cd-4be5-46e2-9a3f-0b0f5a4d1c11")
_LARGEST_NUMBER = 0x7FFFFFFF
"""Of a specification: it is an INT."""
_READERS_OWN = "schema.name-mapping."
"""Properties by which engines find columns: files have ids, and what people set there means nothing to lakeui."""


@dataclass(frozen=True, slots=True)
class TableVersion:
    """The version of a table that engines see. ``version`` is that of the commit that made it, ``at_ms`` when.
    ``named``: the schemas of files without field ids, which hold columns under the names that these say. ``form``: the
    version of Iceberg's format. ``defaults``: of its columns.
    """

    table: TableState
    version: int
    at_ms: int
    location: str
    manifest_list: str
    manifests: tuple[StoredManifest, ...]
    specs: tuple[Spec, ...]
    named: tuple[Schema, ...] = ()
    form: int = V2
    defaults: Defaults = field(default_factory=dict)

    @property
    def next_row_id(self) -> int:
        """Above the ids of all its rows: a file holds ids of its own addresses, or of older ones."""
        return max((manifest.next_row for manifest in self.manifests), default=0)


def specs_of(schema: Schema, files: Iterable[SpecKey]) -> dict[SpecKey, Spec]:
    """The specification of the table, whose schema has its layout, and those of its files."""
    own = (schema.partition_by, schema.layout)
    found: dict[SpecKey, Spec] = {}
    for key in (own, *sorted(set(files) - {own})):
        columns, transforms = key
        known = [schema.column(identifier) for identifier in columns]
        for identifier, column in zip(columns, known, strict=True):
            if column is None or column.id != identifier:
                raise NotSupported(
                    "Some files lie under a partition column that the table has no more.",
                    remedy="Run OPTIMIZE on the table, which writes its files anew, and read it again.",
                )
        laid = tuple((one, column) for one in transforms if (column := schema.column(one.column_id)) is not None)
        found[key] = Spec(_spec_number(key), tuple(column for column in known if column is not None), laid)
    _names_check(schema, found.values())
    return found


def _spec_number(key: SpecKey) -> int:
    """The same in every version of a table, as manifests of several versions stand beside each other."""
    columns, transforms = key
    said = json.dumps([columns, [[one.name, one.number, one.column_id] for one in transforms]])
    return (zlib.crc32(said.encode()) & _LARGEST_NUMBER or 1) if columns or transforms else 0


def _names_check(schema: Schema, specs: Collection[Spec]) -> None:
    """Raise NotSupported where two fields or specifications would have one id, or a field the name of a column."""
    fields = {one: (transform_field(one), transform_name(one, c.name)) for spec in specs for one, c in spec.laid}
    names = {name.casefold() for _, name in fields.values()}
    taken = [column.name for column in schema.columns if column.name.casefold() in names]
    is_twice = len({identifier for identifier, _ in fields.values()}) < len(fields)
    if taken or is_twice or len({spec.id for spec in specs}) < len(specs):
        raise NotSupported(
            f"A partition field has the name of column {taken[0]}." if taken else "Two partitions have one id.",
            remedy="Rename the column, or read the table through lakeui.",
        )


def table_metadata(shown: TableVersion) -> dict[str, Any]:
    """The metadata as JSON."""
    schema = shown.table.schema
    identifiers = [
        identifier
        for column in schema.columns
        for identifier in (*column.ids, *(i for inner in fields_within(column.parsed) for i in inner.ids))
    ]
    partitions = [identifier for spec in shown.specs for _, identifier, _ in spec.typed]
    metadata = {
        "format-version": shown.form,
        "table-uuid": str(uuid.uuid5(_NAMESPACE, shown.location)),
        "location": shown.location,
        "last-sequence-number": shown.version,
        "last-updated-ms": shown.at_ms,
        "last-column-id": max(identifiers, default=0),
        "current-schema-id": 0,
        "schemas": [schema_json(schema, shown.defaults)],
        "default-spec-id": shown.specs[0].id,
        "partition-specs": [spec.as_json() for spec in shown.specs],
        "last-partition-id": max(partitions, default=PARTITION_FIELDS - 1),
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {**_properties(shown.table), **_mapping(schema, shown.named)},
        "current-snapshot-id": shown.version,
        "refs": {"main": {"snapshot-id": shown.version, "type": "branch"}},
        "snapshots": [_snapshot(shown)],
        "snapshot-log": [{"snapshot-id": shown.version, "timestamp-ms": shown.at_ms}],
        "metadata-log": [],
    }
    return {**metadata, "next-row-id": shown.next_row_id} if shown.form == V3 else metadata


def with_history(
    metadata: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]], tags: Mapping[str, int]
) -> dict[str, Any]:
    """The metadata of a version with the snapshots of ``earlier`` ones, the oldest first, and references by the
    versions of ``tags``. An earlier one is left out where its partitions are of columns that are gone or are called
    otherwise now. So is one whose files are read by other names. These are said once for all snapshots.
    """
    specs = {spec["spec-id"]: spec for spec in metadata["partition-specs"]}
    shown = []
    for one in earlier:
        own = {spec["spec-id"]: spec for spec in one["partition-specs"]}
        if _of_all(one) == _of_all(metadata) and _specs_fit(metadata, own.values(), specs):
            specs |= own
            shown.append(one)
    schemas = [_without_id(metadata["schemas"][0])]
    snapshots: list[dict[str, Any]] = []
    for one in (*shown, metadata):
        schema = _without_id(one["schemas"][0])
        if schema not in schemas:
            schemas.append(schema)
        parent = {"parent-snapshot-id": snapshots[-1]["snapshot-id"]} if snapshots else {}
        snapshots.append({**one["snapshots"][0], "schema-id": schemas.index(schema), **parent})
    refs = dict(metadata["refs"])
    for name, version in tags.items():
        found = [item["snapshot-id"] for item in snapshots if item["snapshot-id"] <= version]
        # Of a version before the first snapshot nothing is known here.
        if found and name not in refs:
            refs[name] = {"snapshot-id": found[-1], "type": "tag"}
    return {
        **metadata,
        "last-column-id": max(one["last-column-id"] for one in (*shown, metadata)),
        "schemas": [{**schema, "schema-id": number} for number, schema in enumerate(schemas)],
        "partition-specs": list(specs.values()),
        "last-partition-id": max(one["last-partition-id"] for one in (*shown, metadata)),
        "snapshots": snapshots,
        "snapshot-log": [{name: item[name] for name in ("snapshot-id", "timestamp-ms")} for item in snapshots],
        "refs": refs,
    } | ({"next-row-id": max(one["next-row-id"] for one in (*shown, metadata))} if "next-row-id" in metadata else {})


def _specs_fit(
    metadata: Mapping[str, Any], specs: Iterable[Mapping[str, Any]], known: Mapping[int, Mapping[str, Any]]
) -> bool:
    """Whether specifications stand beside the ``known`` ones, over the columns of today. A field is called as no column
    but its own, where it is the column.
    """
    columns = {field["id"]: field["name"].casefold() for field in metadata["schemas"][0]["fields"]}
    return all(
        known.get(spec["spec-id"], spec) == spec
        and all(
            columns.get(field["source-id"]) == field["name"].casefold()
            if field["transform"] == "identity"
            else field["source-id"] in columns and field["name"].casefold() not in columns.values()
            for field in spec["fields"]
        )
        for spec in specs
    )


def _without_id(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "schema-id"}


def _of_all(metadata: Mapping[str, Any]) -> tuple[Any, ...]:
    """What all snapshots of a table share."""
    said = (metadata[name] for name in ("format-version", "location"))
    return (*said, metadata["properties"].get(f"{_READERS_OWN}default"))


def _properties(table: TableState) -> dict[str, str]:
    stated = {
        name: value
        for name, value in stated_properties(table).items()
        if name not in (COMMENT, FORMAT_VERSION) and not name.startswith(_READERS_OWN)
    }
    comment = comment_of(table)
    return {**stated, "comment": comment} if comment else stated


def _mapping(schema: Schema, named: Sequence[Schema]) -> dict[str, str]:
    """By which names files without ids hold the columns of today."""
    if not named:
        return {}
    columns = []
    for column in schema.columns:
        held = [other for written in named for other in written.columns if other.id == column.id]
        if held:
            names = list(dict.fromkeys(other.name for other in held))
            columns.append(_mapped(column.id, names, column.parsed, [other.parsed for other in held]))
    return {f"{_READERS_OWN}default": json.dumps(columns)}


def _mapped(identifier: int, names: Sequence[str], kind: ParsedType, held: Sequence[ParsedType]) -> dict[str, Any]:
    inside = []
    for member in kind.fields:
        others = [other for written in held for other in written.fields if set(other.ids) & set(member.ids)]
        if others and member.ids:
            known = list(dict.fromkeys(other.name for other in others))
            inside.append(_mapped(member.ids[0], known, member.type, [other.type for other in others]))
    entry: dict[str, Any] = {"field-id": identifier, "names": list(names)}
    return {**entry, "fields": inside} if inside else entry


def _snapshot(shown: TableVersion) -> dict[str, Any]:
    data = [manifest for manifest in shown.manifests if manifest.content != DELETES]
    deletes = [manifest for manifest in shown.manifests if manifest.content == DELETES]
    totals: Mapping[str, int] = {
        "total-records": sum(manifest.rows for manifest in data),
        "total-data-files": sum(manifest.files for manifest in data),
        "total-files-size": sum(manifest.bytes for manifest in shown.manifests),
        "total-delete-files": sum(manifest.files for manifest in deletes),
        "total-position-deletes": sum(manifest.rows for manifest in deletes),
        "total-equality-deletes": 0,
    }
    snapshot = {
        "snapshot-id": shown.version,
        "sequence-number": shown.version,
        "timestamp-ms": shown.at_ms,
        "manifest-list": shown.manifest_list,
        "summary": {"operation": "overwrite", **{name: str(value) for name, value in totals.items()}},
        "schema-id": 0,
    }
    # Every file says the ids of its rows, and none is left to be given.
    return {**snapshot, "first-row-id": shown.next_row_id, "added-rows": 0} if shown.form == V3 else snapshot
