"""Rows merged by primary key on the engine in memory: the three sights as dictionaries by key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import Behind, MergedRows, RowConflicts, RowJudgement, RowMerge
from catalog_app.engine.values import QueryResult
from tests.stateful.memory_engine import LiveRow
from tests.stateful.memory_merging import MergingMemoryEngine
from tests.stateful.row_model import Merged, Place, Row, Sights, row_merged, swept_sights

INSERT, UPDATE, DELETE = OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE
LiveRows = tuple[LiveRow | None, LiveRow | None, LiveRow | None]
"""A row in base, source and destination."""


class KeyedMemoryEngine(MergingMemoryEngine):
    """The engine in memory that also merges rows by key."""

    def rows_judge(self, task: RowMerge) -> RowJudgement:
        changes: dict[OperationKind, int] = {}
        conflicts: dict[tuple[OperationKind, OperationKind], list[tuple[str, bool]]] = {}
        combined = 0
        discarded: dict[OperationKind, int] = {}
        for key, _, sights, merged in self._merged(task):
            act = _act(sights, merged)
            if merged.is_discarded:
                kind = UPDATE if sights[1] else DELETE
                discarded[kind] = discarded.get(kind, 0) + 1
            if act is not None:
                changes[act] = changes.get(act, 0) + 1
                combined += merged.is_combined
            if merged.conflicting:
                pair = _change(sights[0], sights[1]), _change(sights[0], sights[2])
                conflicts.setdefault(pair, []).append((key, bool(merged.left)))
        found = tuple(_conflicts(*pair, conflicts[pair]) for pair in sorted(conflicts))
        return RowJudgement(changes, combined, found, discarded)

    def _merged(self, task: RowMerge) -> Iterator[tuple[str, LiveRows, Sights, Merged]]:
        base, source, destination = (self._by_key(task, files) for files in (task.base, task.source, task.destination))
        held = {**base, **source, **destination}
        for further in reversed(task.further):
            changed = self._changed_by_source(further)
            base |= {key: row for key, row in changed.items() if key in held and row is not None}
            base = {key: row for key, row in base.items() if changed.get(key, row) is not None}
        for key in sorted(held):
            live = base.get(key), source.get(key), destination.get(key)
            sights, is_discarded = swept_sights(task.sweeps, (_place(live[0]), _place(live[1]), _place(live[2])))
            merged = row_merged(task.schema.columns, key, sights, task.choices)
            yield key, live, sights, replace(merged, is_discarded=is_discarded)

    def _changed_by_source(self, task: RowMerge) -> dict[str, LiveRow | None]:
        """The rows that the source changed and the destination did not, as the source has them."""
        base, source, destination = (self._by_key(task, files) for files in (task.base, task.source, task.destination))
        values = {
            key: [None if row is None else row.values for row in (base.get(key), source.get(key), destination.get(key))]
            for key in {**base, **source, **destination}
        }
        return {key: source.get(key) for key, (was, mine, theirs) in values.items() if mine != was == theirs}

    def _by_key(self, task: RowMerge, files: tuple[FileScan, ...]) -> dict[str, LiveRow]:
        found = {}
        for row in self._live(TableScan(task.table_id, task.schema, files)):
            named = {column.name: row.values[column.id] for column in task.keys}
            found[json.dumps(named, separators=(",", ":"))] = row
        return found

    def rows_merge(self, task: RowMerge) -> MergedRows:
        images: dict[OperationKind, list[tuple[dict[int, Any], int | None]]] = {UPDATE: [], INSERT: []}
        marks: dict[OperationKind, list[LiveRow]] = {UPDATE: [], DELETE: []}
        held = {row.row_id for row in self._by_key(task, task.destination).values()}
        for _, (_, source, destination), sights, merged in self._merged(task):
            act = _act(sights, merged)
            if act in images:
                assert act is not None
                owner = destination or source
                row_id = owner.row_id if owner else None
                is_taken = act is INSERT and row_id in held
                images[act].append((dict(merged.row or {}), None if is_taken else row_id))
            if act in marks:
                assert act is not None
                assert destination is not None
                marks[act].append(destination)
        files = [
            (kind, file)
            for kind, rows in images.items()
            for is_fresh in (False, True)
            for file in self._write(task.table_id, task.schema, [row for row in rows if (row[1] is None) == is_fresh])
        ]
        scan = TableScan(task.table_id, task.schema, task.destination)
        deletes = [(kind, file) for kind, rows in marks.items() for file in self._marked_rows(scan, rows)]
        return MergedRows(tuple(files), tuple(deletes))

    def _marked_rows(self, scan: TableScan, rows: list[LiveRow]) -> Iterator[Any]:
        for file in scan.files:
            positions = {row.position: row.row_id for row in rows if row.file.file_id == file.file_id}
            if positions:
                yield self._write_deletes(scan.table_id, file, positions)

    def rows_compare(
        self, task: RowMerge, *, limit: int, behind: Behind | None, only_conflicts: bool, key: str | None = None
    ) -> QueryResult:
        rows = [row for row in self._compared(task, only_conflicts) if key in (None, row[0])]
        rows.sort(key=lambda row: (not row[1], row[0]))
        if behind is not None:
            rows = [row for row in rows if (not row[1], row[0]) > (not behind.is_conflict, behind.key)]
        return QueryResult((), rows[:limit], len(rows) > limit)

    def _compared(self, task: RowMerge, only_conflicts: bool) -> Iterator[list[Any]]:
        for key, live, (base, *sides), merged in self._merged(task):
            changed = [side != base for side in sides]
            if not (any(changed) or merged.is_discarded) or (only_conflicts and not merged.conflicting):
                continue
            kinds = [
                _change(base, side).value if is_changed else None
                for side, is_changed in zip(sides, changed, strict=True)
            ]
            result = None if merged.left else merged.row
            images = [*(None if row is None else row.values for row in live), result]
            cells = [None if image is None else image[c.id] for image in images for c in task.schema.columns]
            held = [image is not None for image in images]
            yield [key, bool(merged.conflicting), bool(merged.left), *kinds, *held, *cells]


def _place(row: LiveRow | None) -> Place | None:
    return None if row is None else Place(row.row_id, row.file.partition, row.values)


def _act(sights: Sights, merged: Merged) -> OperationKind | None:
    """What becomes of the row on the destination; nothing while it conflicts, or where it is that already."""
    destination = sights[2]
    if merged.left or merged.row == destination:
        return None
    if merged.row is None:
        return DELETE
    return INSERT if destination is None else UPDATE


def _change(before: Row, after: Row) -> OperationKind:
    if before is None:
        return INSERT
    return DELETE if after is None else UPDATE


def _conflicts(source: OperationKind, destination: OperationKind, found: list[tuple[str, bool]]) -> RowConflicts:
    left = tuple(key for key, is_left in found if is_left)
    return RowConflicts(source, destination, len(found), len(left), tuple(key for key, _ in found), left)
