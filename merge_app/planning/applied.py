"""The changes of a statement applied to the state of an object that others left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import PartitionChange, PropertyChange
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from merge_app.planning.net_changes import ObjectChanges


def database_applied(before: DatabaseState, changes: ObjectChanges) -> DatabaseState:
    if changes.dropped:
        return replace(before, is_dropped=True)
    return replace(
        before,
        name=changes.rename.after.name if changes.rename else before.name,
        properties=properties_apply(before.properties, changes.properties),
        is_dropped=before.is_dropped and not changes.undropped,
    )


def table_applied(before: TableState, changes: ObjectChanges, schema: Schema) -> TableState:
    """``schema``: the columns that come of it."""
    name, database_id = before.name, before.database_id
    if changes.rename is not None:
        old, new = changes.rename.before, changes.rename.after
        name = new.name if new.name != old.name else name
        if new.database_id != old.database_id and new.database_id is not None:
            database_id = new.database_id
    return replace(
        before,
        name=name,
        database_id=database_id,
        schema=schema,
        properties=properties_apply(before.properties, changes.properties),
        declared_partitions=_partitions_apply(before.declared_partitions, changes.partitions),
        is_dropped=before.is_dropped and not changes.undropped,
    )


def properties_apply(properties: Mapping[str, str], changes: Mapping[str, PropertyChange]) -> dict[str, str]:
    """The properties with each changed key set to its new value or taken away."""
    result = dict(properties)
    for key, change in changes.items():
        if change.after is None:
            result.pop(key, None)
        else:
            result[key] = change.after
    return result


def _partitions_apply(
    declared: frozenset[PartitionValues], changes: tuple[PartitionChange, ...]
) -> frozenset[PartitionValues]:
    """A renamed partition stays declared only if it was; all that goes, goes before what comes."""
    if not changes:
        return declared
    gone = {change.before for change in changes if change.before is not None}
    come = {
        change.after
        for change in changes
        if change.after is not None and (change.before is None or change.before in declared)
    }
    return frozenset((declared - gone) | come)
