"""Rows that one side of a merge changed since the merge base, counted by the engine: what is left out with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.row_counts import Counted, RowCounts
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.segments import SegmentState, definitions_load, file_scan, segments_list
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.base import base_snapshot
from merge_app.execution.engine_source import EngineSource
from merge_app.planning.values import LeftValues, PlanInput


def left_values_load(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    wanted: Mapping[int, Mapping[str, Collection[Column]]],
    engine: EngineSource,
) -> dict[int, tuple[LeftValues, ...]]:
    """By table, the changed values of the ``wanted`` columns of each side, those that there are."""
    if source is None or not wanted:
        return {}
    base = base_snapshot(source, destination)
    found: dict[int, tuple[LeftValues, ...]] = {}
    for table_id, sides in wanted.items():
        states = {"source": planned.source_tables[table_id], "destination": planned.tables[table_id]}
        snapshots = {"source": source, "destination": destination}
        values: list[LeftValues] = []
        for side, columns in sides.items():
            watched = [column.id for column in columns]
            counts = rows_count(table_id, states[side].schema, base, snapshots[side], engine, watched=watched)
            values += (
                LeftValues(side, column.id, column.name, counted.rows, counted.examples)
                for column in columns
                if (counted := counts.values[column.id]).rows
            )
        if values:
            found[table_id] = tuple(values)
    return found


def rows_count(
    table_id: int,
    schema: Schema,
    before: Snapshot | None,
    after: Snapshot | None,
    engine: EngineSource,
    *,
    watched: Collection[int] = (),
) -> RowCounts:
    """The rows in which two snapshots of a table differ, read under ``schema``; None sees nothing. Only files that the
    two do not share are read, and the engine is not asked where there are none.
    """
    snapshots = [_segments_seen(snapshot, table_id) for snapshot in (before, after)]
    shared = {_as_seen(item) for item in snapshots[0]} & {_as_seen(item) for item in snapshots[1]}
    left = [[item for item in snapshot if _as_seen(item) not in shared] for snapshot in snapshots]
    if not any(left):
        return RowCounts(values={column_id: Counted() for column_id in watched})
    definitions = definitions_load({item.definition_id for snapshot in left for item in snapshot})
    scans = [TableScan(table_id, schema, _files(snapshot, definitions)) for snapshot in left]
    return engine().count_changes(*scans, watched=tuple(watched))


def _valid_table(snapshot: Snapshot | None, table_id: int) -> TableState | None:
    state = None if snapshot is None else tables_load(snapshot, [table_id]).get(table_id)
    return None if state is None or state.is_dropped else state


def _segments_seen(snapshot: Snapshot | None, table_id: int) -> list[SegmentState]:
    """The table's segments; none where it is not there."""
    if snapshot is None or _valid_table(snapshot, table_id) is None:
        return []
    return segments_list(snapshot, table_id)


def _as_seen(segment: SegmentState) -> tuple[int, frozenset[str]]:
    """A file with the deletes that mask it."""
    return segment.file_id, frozenset(segment.delete_paths)


def _files(segments: Collection[SegmentState], definitions: Mapping[int, Schema]) -> tuple[FileScan, ...]:
    return tuple(file_scan(item, definitions[item.definition_id]) for item in segments)
