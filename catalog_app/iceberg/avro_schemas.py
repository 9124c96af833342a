"""The Avro schemas of manifests and manifest lists, with the field ids of Iceberg's spec."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from catalog_app.domain.types import ParsedType

V2, V3 = 2, 3
"""The format versions that are written."""
PARTITION_FIELDS = 1000
"""The field of a partition has this number plus the id of its column: the same in every specification."""


def _field(name: str, kind: Any, identifier: int) -> dict[str, Any]:
    return {"name": name, "type": kind, "field-id": identifier}


def _optional(name: str, kind: Any, identifier: int) -> dict[str, Any]:
    return {"name": name, "type": ["null", kind], "default": None, "field-id": identifier}


def _map(name: str, value: str, identifier: int, key_id: int) -> dict[str, Any]:
    """A map with whole numbers as keys: Avro has it as an array of pairs."""
    pair = {
        "type": "record",
        "name": f"k{key_id}_v{key_id + 1}",
        "fields": [_field("key", "int", key_id), _field("value", value, key_id + 1)],
    }
    return _optional(name, {"type": "array", "items": pair, "logicalType": "map"}, identifier)


def _list(name: str, element: Any, identifier: int, element_id: int) -> dict[str, Any]:
    return _optional(name, {"type": "array", "items": element, "element-id": element_id}, identifier)


def partition_name(name: str) -> str:
    """The name of a partition's field in Avro, which knows letters, digits and underscores only."""
    safe = re.sub(r"[^A-Za-z0-9_]", lambda found: f"_x{ord(found[0]):X}", name)
    return safe if not safe[:1].isdigit() else f"_{safe}"


def partition_names(fields: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """The names of all fields of a partition, each once: one that is taken gets its number, that of its column."""
    found: list[str] = []
    for shown, number in fields:
        name = partition_name(shown)
        while name in found:
            name += f"_{number}"
        found.append(name)
    return tuple(found)


def _partition_type(kind: ParsedType, identifier: int) -> Any:
    match kind.name:
        case "tinyint" | "smallint" | "int":
            return "int"
        case "bigint":
            return "long"
        case "date":
            return {"type": "int", "logicalType": "date"}
        case "timestamp" | "timestamp_ntz" as name:
            return {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": name == "timestamp"}
        case "decimal":
            precision, scale = kind.parameters
            return {
                "type": "fixed",
                # A named type is defined once in a schema.
                "name": f"decimal_{precision}_{scale}_{identifier}",
                "size": _decimal_bytes(precision),
                "logicalType": "decimal",
                "precision": precision,
                "scale": scale,
            }
        case "boolean" | "float" | "double" as name:
            return name
        case _:
            return "string"


def _decimal_bytes(precision: int) -> int:
    """The fewest bytes that hold every number of so many digits."""
    largest: int = 10**precision - 1
    return (largest.bit_length() + 8) // 8


def entry_schema(partition: Sequence[tuple[str, int, ParsedType]], form: int = V2) -> dict[str, Any]:
    """A manifest's entries, for files whose partitions have these fields: name in Avro, id and type."""
    return {
        "type": "record",
        "name": "manifest_entry",
        "fields": [
            _field("status", "int", 0),
            _optional("snapshot_id", "long", 1),
            _optional("sequence_number", "long", 3),
            _optional("file_sequence_number", "long", 4),
            _field("data_file", _data_file(partition, form), 2),
        ],
    }


def _data_file(partition: Sequence[tuple[str, int, ParsedType]], form: int) -> dict[str, Any]:
    rows_and_vectors = [
        _optional("first_row_id", "long", 142),
        _optional("content_offset", "long", 144),
        _optional("content_size_in_bytes", "long", 145),
    ]
    fields = [_optional(name, _partition_type(kind, identifier), identifier) for name, identifier, kind in partition]
    return {
        "type": "record",
        "name": "r2",
        "fields": [
            _field("content", "int", 134),
            _field("file_path", "string", 100),
            _field("file_format", "string", 101),
            _field("partition", {"type": "record", "name": "r102", "fields": fields}, 102),
            _field("record_count", "long", 103),
            _field("file_size_in_bytes", "long", 104),
            _map("column_sizes", "long", 108, 117),
            _map("value_counts", "long", 109, 119),
            _map("null_value_counts", "long", 110, 121),
            _map("nan_value_counts", "long", 137, 138),
            _map("lower_bounds", "bytes", 125, 126),
            _map("upper_bounds", "bytes", 128, 129),
            _optional("key_metadata", "bytes", 131),
            _list("split_offsets", "long", 132, 133),
            _list("equality_ids", "int", 135, 136),
            _optional("sort_order_id", "int", 140),
            _optional("referenced_data_file", "string", 143),
            *(rows_and_vectors if form == V3 else ()),
        ],
    }


_SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        _field("contains_null", "boolean", 509),
        _optional("contains_nan", "boolean", 518),
        _optional("lower_bound", "bytes", 510),
        _optional("upper_bound", "bytes", 511),
    ],
}
_LISTED: dict[str, Any] = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        _field("manifest_path", "string", 500),
        _field("manifest_length", "long", 501),
        _field("partition_spec_id", "int", 502),
        _field("content", "int", 517),
        _field("sequence_number", "long", 515),
        _field("min_sequence_number", "long", 516),
        _field("added_snapshot_id", "long", 503),
        _field("added_files_count", "int", 504),
        _field("existing_files_count", "int", 505),
        _field("deleted_files_count", "int", 506),
        _field("added_rows_count", "long", 512),
        _field("existing_rows_count", "long", 513),
        _field("deleted_rows_count", "long", 514),
        _list("partitions", _SUMMARY, 507, 508),
        _optional("key_metadata", "bytes", 519),
    ],
}


def list_schema(form: int) -> dict[str, Any]:
    """A manifest list's entries."""
    if form == V2:
        return _LISTED
    return {**_LISTED, "fields": [*_LISTED["fields"], _optional("first_row_id", "long", 520)]}
