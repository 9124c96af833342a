"""Which facts of which tables a plan needs: first the cells, then, only where they ask for it, the file sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog_app.domain.operations import ColumnAttribute, ObjectKind
from catalog_app.domain.schema import Schema
from merge_app.planning.conditions import ROW_AXES, ROW_PLACING_AXES, columns_stricter, required_columns
from merge_app.planning.resolutions import statements_of
from merge_app.planning.row_merges import merges_by_key
from merge_app.planning.sides import sides_of
from merge_app.planning.surviving import ObjectChanges
from merge_app.planning.values import FactKind, PlanInput

_FILE_AXES = ("delete", "update", "compaction", "partition")
_REPLACING_AXES = (*_FILE_AXES, "overwrite")
_SWEEPING_AXES = ("overwrite", "partition")


def needs(given: PlanInput, apart: Collection[int] = ()) -> dict[int, set[FactKind]]:
    """By table id, for an input without facts and without file effects. Tables that need nothing are absent. ``apart``:
    those with a key of which the destination has its rows in other files than the source had them from.
    """
    sides = sides_of(given)
    found = {}
    for (kind, object_id), source in sides.source.items():
        before = given.tables.get(object_id)
        if kind is not ObjectKind.TABLE or source.dropped or before is None:
            continue
        destination = sides.destination_of(kind, object_id)
        if destination.dropped:
            continue
        # A statement's rows lie on no branch that could be compared: it is judged by files.
        if given.source_head and merges_by_key(source, destination, before, is_apart=object_id in apart):
            found[object_id] = {FactKind.ROWS, *_row_needs(source, destination, _stricter(given, object_id))}
            continue
        wanted = _statement_needs(given, object_id) | _table_needs(
            source, destination, before.schema, _stricter(given, object_id)
        )
        if wanted:
            found[object_id] = wanted
    return found


def _statement_needs(given: PlanInput, table_id: int) -> set[FactKind]:
    """Statements are run on the files that the destination inserted."""
    return {FactKind.DESTINATION_EFFECTS} if statements_of(given.resolutions, table_id) else set()


def _stricter(given: PlanInput, table_id: int) -> frozenset[int]:
    before, state = given.tables.get(table_id), given.source_tables.get(table_id)
    return frozenset() if before is None or state is None else columns_stricter(before.schema, state.schema)


def _table_needs(
    source: ObjectChanges, destination: ObjectChanges, schema: Schema, stricter: frozenset[int]
) -> set[FactKind]:
    wanted: set[FactKind] = set()
    if source.hits(*_FILE_AXES):
        wanted.add(FactKind.SOURCE_EFFECTS)
        if destination.hits(*_REPLACING_AXES) or (source.hits("partition") and destination.hits(*ROW_AXES)):
            wanted.add(FactKind.DESTINATION_EFFECTS)
    if source.hits("overwrite") and not source.overwrites_all and destination.hits(*ROW_AXES):
        # What the destination wrote in partitions that the source overwrote is counted.
        wanted |= {FactKind.SOURCE_EFFECTS, FactKind.DESTINATION_EFFECTS}
    if any(change.before is not None and change.after is not None for change in source.partitions):
        wanted.add(FactKind.PARTITIONS)
    wanted |= _row_needs(source, destination, stricter)
    if source.hits(*ROW_AXES) and destination.hits(*ROW_PLACING_AXES) and schema.is_keyed:
        wanted.add(FactKind.PRIMARY_KEYS)
        if source.hits(*_SWEEPING_AXES) or destination.hits(*_SWEEPING_AXES):
            # Rows that are swept away give no key to anything; files tell which.
            wanted |= {FactKind.SOURCE_EFFECTS, FactKind.DESTINATION_EFFECTS}
    return wanted


def _row_needs(source: ObjectChanges, destination: ObjectChanges, stricter: frozenset[int]) -> set[FactKind]:
    mine, theirs = source.hits(*ROW_AXES), destination.hits(*ROW_AXES)
    is_judged = (mine and (stricter or required_columns(destination))) or (theirs and required_columns(source))
    return {FactKind.COVERAGE} if is_judged else set()


def columns_required(given: PlanInput) -> Mapping[int, frozenset[int]]:
    """By table id, the columns that either side made required or the destination alone requires, and those that the
    other side added under their names: the ones whose values ``FactKind.COVERAGE`` is about.
    """
    sides = sides_of(given)
    found = {}
    for (kind, object_id), source in sides.source.items():
        if kind is ObjectKind.TABLE:
            destination = sides.destination_of(kind, object_id)
            found[object_id] = _stricter(given, object_id) | _required_with_twins(source, destination)
    return found


def _required_with_twins(source: ObjectChanges, destination: ObjectChanges) -> set[int]:
    required = required_columns(source) | required_columns(destination)
    added = {**_added_names(source), **_added_names(destination)}
    names = {added[identifier] for identifier in required & added.keys()}
    return required | {identifier for identifier, name in added.items() if name in names}


def _added_names(changes: ObjectChanges) -> dict[int, str]:
    return {
        column_id: change.after["name"].casefold()
        for (column_id, attribute), change in changes.columns.items()
        if attribute is ColumnAttribute.EXISTS and change.after is not None
    }
