"""One object of a comparison as JSON: states aligned by column id and by property key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from catalog_app.domain.checks import check_name, checks_of, condition_shown
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import (
    Change,
    ColumnAttribute,
    ColumnChange,
    Operation,
    PartitionChange,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from lakeui.api.tables.table_serializers import columns_shown, partition_shown
from merge_app.comparison.compare_object import ObjectComparison, ObjectSnapshot, ResultPreview, SideCommit, States
from merge_app.planning.field_changes import paths_changed

SIDES = ("base", "source", "destination", "result")


def object_as_json(
    found: ObjectComparison, entry: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The body of ``ObjectComparisonAnswer`` but for the heads. ``entry`` is the object's in the list."""
    is_open = found.preview is not None and entry["verdict"] != "conflict"
    return {
        "kind": entry["kind"],
        "object_id": entry["object_id"],
        "name": entry["name"],
        "action": entry["action"],
        "verdict": entry["verdict"],
        "brings": entry["brings"],
        "rule_table": next((cell["rule_table"] for cell in cells if cell["rule_table"]), entry["kind"]),
        "cells": list(cells),
        "source_commits": [_commit(item, found.states) for item in found.source_commits],
        "dest_commits": [_commit(item, found.states) for item in found.destination_commits],
        "names": {side: snapshot.name if snapshot else None for side, snapshot in _snapshots(found.states).items()},
        "columns": _columns(found.states),
        "properties": _properties(found.states),
        "partitions": {
            "source": _partitions(found.source_partitions, found.states),
            "destination": _partitions(found.destination_partitions, found.states),
        },
        "files": _files(found.preview) if found.preview and is_open else None,
        "preview": _preview(found.preview) if found.preview and is_open else None,
    }


def _snapshots(states: States) -> dict[str, ObjectSnapshot | None]:
    return {side: getattr(states, side) for side in SIDES}


def _commit(item: SideCommit, states: States) -> dict[str, Any]:
    return {
        "version": item.version,
        "branch": item.branch,
        "operation": item.operation,
        "statement": item.statement,
        "author": item.author,
        "time": item.time,
        "operations": [
            {
                "kind": done.kind.value,
                "object_kind": done.object_kind.value,
                "metrics": done.metrics,
                "changed": _changed(done, states),
            }
            for done in item.operations
        ],
        "rows": item.rows,
        "files_added": item.files_added,
        "files_touched": item.files_touched,
        "files": [asdict(file) for file in item.files],
    }


def _changed(operation: Operation, states: States) -> list[str]:
    """The columns, property keys and partitions that an operation changed, by name, each once."""
    return list(dict.fromkeys(name for change in operation.changes for name in _names(change, states)))


def _names(change: Change, states: States) -> list[str]:
    match change:
        case ColumnChange(attribute=ColumnAttribute.NESTED):
            return paths_changed(change.before, change.after, _column_name(change, states))
        case ColumnChange():
            return [_column_name(change, states)]
        case PropertyChange(key=key):
            return [check_name(key)]
        case PartitionChange():
            values = [change.before, change.after]
            return [_partition_text(_values(_schema(states), one)) for one in values if one is not None]
        case Rename():
            return []


def _column_name(change: ColumnChange, states: States) -> str:
    """As the operation made it or found it; otherwise by the newest state of the object that has it."""
    for given in (change.after, change.before):
        if change.attribute is ColumnAttribute.NAME and given is not None:
            return str(given)
        if change.attribute is ColumnAttribute.EXISTS and given is not None:
            return str(given["name"])
    for snapshot in reversed(list(_snapshots(states).values())):
        for ids, shown in _columns_of(snapshot):
            if change.column_id in ids:
                return str(shown["name"])
    return str(change.column_id)


def _partition_text(values: Mapping[str, str | None] | None) -> str:
    return "/".join(f"{name}={value}" for name, value in (values or {}).items())


def _columns(states: States) -> list[dict[str, Any]]:
    """One row a column, in the order of the result; columns that it lacks come last."""
    rows: list[dict[str, Any]] = []
    by_id: dict[int, dict[str, Any]] = {}
    snapshots = _snapshots(states)
    for side in reversed(SIDES):
        for column, shown in _columns_of(snapshots[side]):
            row = next((by_id[identifier] for identifier in column if identifier in by_id), None)
            if row is None:
                row = {"id": column[0], **dict.fromkeys(SIDES)}
                rows.append(row)
            row[side] = row[side] or shown
            by_id.update(dict.fromkeys(column, row))
    for row in rows:
        row["is_changed"] = row["destination"] != row["result"]
    return rows


def _columns_of(snapshot: ObjectSnapshot | None) -> list[tuple[tuple[int, ...], dict[str, Any]]]:
    """Of each column every id that it goes by, and how it is shown."""
    if snapshot is None or not isinstance(snapshot.state, TableState):
        return []
    schema = snapshot.state.schema
    return [(column.ids, shown) for column, shown in zip(schema.columns, columns_shown(schema), strict=True)]


def _properties(states: States) -> list[dict[str, Any]]:
    held = {side: _properties_of(snapshot) for side, snapshot in _snapshots(states).items()}
    keys = sorted({key for properties in held.values() for key in properties})
    rows = [{"key": key, **{side: held[side].get(key) for side in SIDES}} for key in keys]
    return [{**row, "is_changed": row["destination"] != row["result"]} for row in rows]


def _properties_of(snapshot: ObjectSnapshot | None) -> dict[str, str]:
    """Constraints with the names that their columns have on that side."""
    if snapshot is None:
        return {}
    state = snapshot.state
    if not isinstance(state, TableState):
        return state.properties
    checks = {key: condition_shown(stored, state.schema) for key, stored in checks_of(state.properties).items()}
    return {**state.properties, **checks}


def _schema(states: States) -> Schema:
    """That of the oldest state that there is."""
    return next(
        (s.state.schema for s in _snapshots(states).values() if s is not None and isinstance(s.state, TableState)),
        Schema(),
    )


def _partitions(changes: Iterable[PartitionChange], states: States) -> list[dict[str, Any]]:
    schema = _schema(states)
    return [{"before": _values(schema, item.before), "after": _values(schema, item.after)} for item in changes]


def _values(schema: Schema, values: PartitionValues | None) -> dict[str, str | None] | None:
    return None if values is None else partition_shown(schema, values)


def _files(preview: ResultPreview) -> dict[str, Any]:
    after = preview.after
    return {
        "brought": [asdict(file) for file in after.brought],
        "brought_count": after.brought_count,
        "removed": [asdict(file) for file in after.removed],
        "removed_count": after.removed_count,
        "delete_files_attached": after.delete_files_attached,
        "rewrites": after.rewrites,
    }


def _preview(preview: ResultPreview) -> dict[str, Any]:
    before, after = preview.before, preview.after
    return {
        "rows_before": before.rows,
        "rows_after": after.rows,
        "rows_are_exact": after.rows_are_exact,
        "files_before": before.files,
        "files_after": after.files,
        "bytes_before": before.bytes,
        "bytes_after": after.bytes,
        "schema_changes": preview.makes_schema_version,
        "invisible_schema_versions": list(after.invisible_schema_versions),
        "discarded_schema_versions": list(preview.discarded_schema_versions),
    }
