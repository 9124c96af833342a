"""Operations to and from JSON: how changes lie in the history and in audit records."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from catalog_app.domain.operations import (
    Change,
    ColumnAttribute,
    ColumnChange,
    ObjectName,
    OverwriteScope,
    PartitionChange,
    PropertyChange,
    Rename,
)

_TYPES: dict[str, type[Change]] = {
    "rename": Rename,
    "property": PropertyChange,
    "column": ColumnChange,
    "partition": PartitionChange,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


def change_as_json(change: Change) -> dict[str, Any]:
    return {"change": _NAMES[type(change)], **asdict(change)}


def change_from_json(value: dict[str, Any]) -> Change:
    fields = {key: item for key, item in value.items() if key != "change"}
    match value["change"]:
        case "rename":
            return Rename(ObjectName(**fields["before"]), ObjectName(**fields["after"]))
        case "property":
            return PropertyChange(**fields)
        case "column":
            return ColumnChange(
                fields["column_id"], ColumnAttribute(fields["attribute"]), fields["before"], fields["after"]
            )
        case "partition":
            return PartitionChange(_values(fields["before"]), _values(fields["after"]))
        case other:
            raise ValueError(f"unknown change {other!r}")


def scope_as_json(scope: OverwriteScope | None) -> dict[str, Any] | None:
    if scope is None:
        return None
    return {"partitions": None if scope.partitions is None else [list(values) for values in scope.partitions]}


def scope_from_json(value: dict[str, Any] | None) -> OverwriteScope | None:
    if value is None:
        return None
    partitions = value["partitions"]
    return OverwriteScope(None if partitions is None else tuple(tuple(values) for values in partitions))


def _values(value: list[str | None] | None) -> tuple[str | None, ...] | None:
    return None if value is None else tuple(value)
