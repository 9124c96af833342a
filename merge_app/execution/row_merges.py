"""Rows merged by primary key: the three sights of a table, and what the engine says or makes of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import NO_SWEEPS, RowJudgement, RowMerge, Sweep, Sweeps
from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.models import Branch
from catalog_app.selectors.changes import table_files_at
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import SegmentState, definitions_load, file_scan, segments_list
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services.files import data_files_register, delete_files_register
from lakeui.common.errors import NotFound
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.apply import RowWorkResult
from merge_app.execution.base import base_snapshot, bases_load
from merge_app.execution.operations import operations_load
from merge_app.execution.reach import own_ranges, reach_load, reached_at
from merge_app.planning.row_merges import choices_of, columns_merged, sweep_of
from merge_app.planning.sides import sides_of
from merge_app.planning.surviving import ObjectChanges, surviving
from merge_app.planning.values import MergeRows, PlanInput, Resolution

_SWEEPING = (OperationKind.OVERWRITE, OperationKind.PARTITION)
_ORIGINS = "SELECT id, origin_branch_id, origin_version FROM catalog_app_commitoperation WHERE id = ANY(%(ids)s)"


def sweeps_load(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, tables: Collection[int]
) -> dict[int, Sweeps]:
    """By table whose rows are merged by key, what both sides swept since the merge base."""
    sides = sides_of(planned)
    if source is None or not tables:
        return {}
    base = _MergeBase.of(source, destination)
    keys = [(ObjectKind.TABLE, table_id) for table_id in tables]
    return {key[1]: base.sweeps(sides.source[key], sides.destination_of(*key)) for key in keys}


@dataclass(frozen=True, slots=True)
class _MergeBase:
    """The merge base, and the versions from which on the source and the destination know it."""

    snapshot: Snapshot | None
    source: int
    destination: int

    @classmethod
    def of(cls, source: Snapshot, destination: Snapshot) -> _MergeBase:
        base = base_snapshot(source, destination)
        return cls(None, 0, 0) if base is None else cls(base, reached_at(source, base), reached_at(destination, base))

    def sweeps(self, source: ObjectChanges, destination: ObjectChanges) -> Sweeps:
        """What both sides swept since."""
        return Sweeps(self._sweep(source, self.source), self._sweep(destination, self.destination))

    def _sweep(self, changes: ObjectChanges, since: int) -> Sweep:
        """Of what a side merged together with the base, what was made on it counts."""
        together = [
            item.operation_id
            for item in changes.operations
            if item.kind in _SWEEPING and item.version == since and item.is_replay
        ]
        if self.snapshot is None or not together:
            return sweep_of(changes, since)
        origins = {item: (branch, version) for item, branch, version in fetch_all(_ORIGINS, {"ids": together})}
        branches = Branch.objects.in_bulk([branch for branch, _ in origins.values()])
        made_on_base = {
            (branch, version)
            for branch, version in set(origins.values())
            if reached_at(branch_snapshot(branches[branch]).at(version), self.snapshot)
        }
        return sweep_of(changes, since, [item for item, commit in origins.items() if commit in made_on_base])


def rows_judge(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    sweeps: Mapping[int, Sweeps],
    engine: EngineSource,
) -> dict[int, RowJudgement]:
    """By table, what merging its rows by key comes to, decisions counted in."""
    return {
        table_id: engine().rows_judge(_planned_merge(planned, source, destination, table_id, swept))
        for table_id, swept in sweeps.items()
    }


def tables_apart(planned: PlanInput, source: Snapshot | None, destination: Snapshot) -> set[int]:
    """The tables with a key, changed by the source, of which the sides had not the same files before what they did
    since they last met: merges by key write rows anew, under ids of either side, so that files do not lead to them.
    """
    if source is None:
        return set()
    sides = sides_of(planned)
    changed = {
        table_id
        for (kind, table_id), mine in sides.source.items()
        if kind is ObjectKind.TABLE
        and table_id in planned.tables
        and mine.hits("insert", "update", "delete")
        and not (mine.dropped or mine.created)
        and planned.tables[table_id].schema.is_keyed
    }
    if not changed:
        return set()
    there = _files_before(planned.source, source, changed)
    here = _files_before(planned.destination, destination, changed)
    return {table_id for table_id in changed if there[table_id] != here[table_id]}


def _files_before(operations: Iterable[Operation], snapshot: Snapshot, tables: Collection[int]) -> dict[int, Any]:
    """By table, the files with their deletes that the side had before its operations on rows and partitions."""
    began: dict[int, int] = {}
    for item in operations:
        if item.object_kind is ObjectKind.TABLE and (item.is_data or item.kind is OperationKind.PARTITION):
            began.setdefault(item.object_id, item.version)
    return table_files_at(
        snapshot, {table_id: began[table_id] - 1 if table_id in began else snapshot.version for table_id in tables}
    )


def _planned_merge(
    planned: PlanInput, source: Snapshot | None, destination: Snapshot, table_id: int, sweeps: Sweeps
) -> RowMerge:
    assert source is not None
    sides = sides_of(planned)
    mine = sides.source[ObjectKind.TABLE, table_id]
    theirs = sides.destination_of(ObjectKind.TABLE, table_id)
    state = planned.source_tables.get(table_id)
    schema = columns_merged(mine, theirs, planned.tables[table_id], state).schema
    work = MergeRows(schema, choices_of(planned.resolutions, table_id), sweeps)
    return row_merge_load(table_id, work, source, destination)


def row_merge_load(table_id: int, work: MergeRows, source: Snapshot, destination: Snapshot) -> RowMerge:
    """The files that merge base, source and destination do not all show in the same way."""
    bases = bases_load(source, destination)
    merge = three_snapshots_load(table_id, work, bases[0] if bases else None, source, destination)
    if not merge.has_files:
        return merge
    beside = (
        three_snapshots_load(table_id, work, base_snapshot(other, bases[0]), other, bases[0]) for other in bases[1:]
    )
    return replace(merge, further=tuple(item for item in beside if item.base != item.source))


def three_snapshots_load(
    table_id: int, work: MergeRows, base: Snapshot | None, source: Snapshot, destination: Snapshot
) -> RowMerge:
    """The files that three sights of a table do not all show in the same way."""
    snapshots = [segments_seen(snapshot, table_id) for snapshot in (base, source, destination)]
    shared = set.intersection(*({as_seen(item) for item in snapshot} for snapshot in snapshots))
    left = [[item for item in snapshot if as_seen(item) not in shared] for snapshot in snapshots]
    schemas = definitions_load({item.definition_id for snapshot in left for item in snapshot})
    of_base, of_source, of_destination = (
        tuple(file_scan(item, schemas[item.definition_id]) for item in snapshot) for snapshot in left
    )
    return RowMerge(table_id, work.schema, of_base, of_source, of_destination, work.choices, work.sweeps)


def compared_rows_load(
    source: Branch, destination: Branch, table_id: int, resolutions: Iterable[Resolution] = ()
) -> RowMerge:
    """The three sights of a table of two branches, read under the columns that their merge would have, or those of the
    branch that has the table. Raises NotFound where neither has.
    """
    there, here = branch_snapshot(source), branch_snapshot(destination)
    state, before = _valid_table(there, table_id), _valid_table(here, table_id)
    sweeps = NO_SWEEPS
    if state is not None and before is not None:
        reach, other = reach_load(there), reach_load(here)
        mine, theirs = (
            surviving(operations_load(own_ranges(own, known), known, databases=(), tables=[table_id]))
            for own, known in ((there, other), (here, reach))
        )
        key = (ObjectKind.TABLE, table_id)
        nothing = ObjectChanges(*key)
        changes = mine.get(key, nothing), theirs.get(key, nothing)
        schema = columns_merged(*changes, before, state).schema
        sweeps = _MergeBase.of(there, here).sweeps(*changes)
    elif (known := state or before) is not None:
        schema = known.schema
    else:
        raise NotFound("table", str(table_id), where=f"on the branches {source.name} and {destination.name}")
    return row_merge_load(table_id, MergeRows(schema, choices_of(resolutions, table_id), sweeps), there, here)


def _valid_table(snapshot: Snapshot | None, table_id: int) -> TableState | None:
    state = None if snapshot is None else tables_load(snapshot, [table_id]).get(table_id)
    return None if state is None or state.is_dropped else state


def segments_seen(snapshot: Snapshot | None, table_id: int) -> list[SegmentState]:
    """The table's segments; none where it is not there."""
    if snapshot is None or _valid_table(snapshot, table_id) is None:
        return []
    return segments_list(snapshot, table_id)


def as_seen(segment: SegmentState) -> tuple[int, frozenset[str]]:
    """A file with the deletes that mask it."""
    return segment.file_id, frozenset(segment.delete_paths)


def rows_merge(
    table_id: int, work: MergeRows, source: Snapshot, destination: Snapshot, engine: RowEngine
) -> RowWorkResult:
    """Stage and register what the merge makes of the table's rows."""
    merged = engine.rows_merge(row_merge_load(table_id, work, source, destination))
    files = data_files_register(table_id, [file for _, file in merged.files])
    deletes = delete_files_register(table_id, [file for _, file in merged.delete_files])
    return RowWorkResult(
        rows=tuple((kind, file.file_id) for (kind, _), file in zip(merged.files, files, strict=True)),
        row_deletes=tuple(
            (kind, file.delete_file_id, file.data_file_id)
            for (kind, _), file in zip(merged.delete_files, deletes, strict=True)
        ),
    )
