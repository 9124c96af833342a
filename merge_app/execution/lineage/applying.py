"""Steps become segments, removals and deletes of one commit: bulk SQL over all its tables at once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from catalog_app.domain.files import FileScan, NewDataFile, RowsFact
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Schema
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import files_load
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from catalog_app.services.files import data_files_register, delete_files_register
from catalog_app.storage.cells import RowCells
from catalog_app.storage.facts import rows_facts
from lakeui.common.errors import NotSupported, Stale
from merge_app.execution.lineage.readers import delete_paths_load
from merge_app.execution.record import Recorded
from merge_app.execution.staged import RowWorkResult, StagedDefinition
from merge_app.lineage.segments import AS_BEFORE, AS_WRITTEN, DOT, Marked, ShownFile, Stamp
from merge_app.lineage.steps import (
    LAYOUT_ONLY,
    AttachDeletes,
    CarrySegments,
    MarkRows,
    RemoveSegments,
    StagedKey,
    Step,
    TableSteps,
    WriteRows,
)
from merge_app.planning.data import shown_file
from merge_app.planning.merge_plan import MergePlan


def rows_write(table_id: int, steps: TableSteps, engine: RowEngine, schema: Schema) -> tuple[Step, ...]:
    """Write the rows that the merge makes, and register their files: steps that carry them. The merge decided them."""
    made: list[NewDataFile] = []
    for step in steps.images:
        kept = {column.id: step.cells.columns.get(column.id) for column in schema.columns}
        if None in kept.values():
            raise NotSupported(
                "Merged rows lack a column that a decision keeps.", remedy="Decide the rows and the column apart."
            )
        made += engine.cells_write(table_id, schema, RowCells(kept, step.cells.partition), step.row_ids)
    placed = {partition: who for step in steps.images for partition, who in step.placed}
    stamp = Stamp(DOT, "update")
    return tuple(
        CarrySegments(shown_file(added, stamp, placed.get(added.partition, AS_WRITTEN)))
        for added in data_files_register(table_id, made)
    )


def steps_stage(
    table_id: int, steps: TableSteps, engine: RowEngine, staged_schema: Schema | None
) -> dict[StagedKey, int]:
    """Write the files that the steps need, and register them. They are visible by the commit alone."""
    marks, writes = steps.marks, steps.writes
    if not (marks or writes):
        return {}
    read = {*(step.file_id for step in marks), *(step.file.file_id for step in writes)}
    scans = files_load(table_id, read, [], staged_schema=staged_schema)
    added = delete_files_register(
        table_id, [engine.mark_rows(table_id, scans[step.file_id], step.positions) for step in marks]
    )
    made = data_files_register(table_id, [_rows_write(table_id, step, scans, engine) for step in writes])
    staged = {step.key: item.delete_file_id for step, item in zip(marks, added, strict=True)}
    return staged | {step.key: item.file_id for step, item in zip(writes, made, strict=True)}


def _rows_write(table_id: int, step: WriteRows, scans: Mapping[int, FileScan], engine: RowEngine) -> NewDataFile:
    file, scan = step.file, scans[step.file.file_id]
    events = sorted(file.stamped, key=lambda mark: mark.stamp.version)
    paths = delete_paths_load([mark.file_id for mark in events])
    marks = [(engine.file_marks(paths[mark.file_id])[0], _fact(mark.stamp)) for mark in events]
    marks += [(mark.positions, _fact(mark.stamp)) for mark in step.decided]
    facts = rows_facts(_fact(file.stamp), engine.file_rows(scan)[1], marks, scan.rows)
    return engine.part_rows(table_id, scan, step.positions, facts)


def _fact(stamp: Stamp) -> RowsFact:
    """As a file stores it: the stamp of a commit that is not made yet is that of the file's segment."""
    versions = (0 if version == DOT else version for version in (stamp.version, stamp.brings_stamp, stamp.undoes))
    version, prior, undoes = versions
    return RowsFact(version, stamp.kind, prior, undoes)


_LINE = """line AS MATERIALIZED (
    SELECT h.table_id, h.version, h.definition_id FROM snapshot l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.version <= l.max_version AND h.table_id = ANY(%(table_ids)s)
)"""

_COLUMNS = "operation_id bigint, stamp bigint, kind text, brings_stamp bigint, brings_kind text, undoes_stamp bigint"
_NAMES = "stamp, kind, brings_stamp, brings_kind, undoes_stamp"


def _version(stamp: str) -> str:
    return f"nullif(CASE {stamp} WHEN {DOT} THEN %(version)s ELSE {stamp} END, 0)"


def _values(alias: str) -> str:
    stamps = [_version(f"{alias}.{name}") for name in _STAMPS]
    return f"coalesce({stamps[0]}, 0), {alias}.kind, {stamps[1]}, {alias}.brings_kind, {stamps[2]}"


_STAMPS = ("stamp", "brings_stamp", "undoes_stamp")

_REMOVE = f"""
INSERT INTO catalog_app_segmentremoval (table_id, branch_id, removed_version, segment_id, {_NAMES})
SELECT w.table_id, %(branch)s, %(version)s, w.segment_id, {_values("w")}
FROM jsonb_to_recordset(%(rows)s::jsonb) AS w(table_id bigint, segment_id bigint, {_COLUMNS})
"""

_EXPIRED = """
(SELECT e.path, false FROM brought b JOIN catalog_app_expiredfile e ON e.data_file_id = b.file_id LIMIT 1)
UNION ALL (SELECT NULL, true FROM brought WHERE NOT is_visible LIMIT 1)
"""

_CARRY = f"""
WITH {SNAPSHOT}, {_LINE}, brought AS (
INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id, definition_id,
                                 schema_version, is_visible, {_NAMES}, partition, partition_stamp, partition_kind,
                                 partition_brings, partition_undoes)
SELECT w.table_id, %(branch)s, coalesce(s.operation_id, w.operation_id), %(version)s, w.file_id,
       coalesce(s.definition_id, w.definition_id), coalesce(s.schema_version, w.schema_version),
       s.id IS NULL OR line.version IS NOT NULL, {_values("w")}, coalesce(w.partition, f.partition),
       greatest(coalesce(kept.partition_stamp, {_version("w.placed")}, 0), 0),
       coalesce(kept.partition_kind, w.placed_kind), coalesce(kept.partition_brings, {_version("w.placed_brings")}),
       coalesce(kept.partition_undoes, {_version("w.placed_undoes")})
FROM jsonb_to_recordset(%(rows)s::jsonb) AS w(
    table_id bigint, file_id bigint, segment_id bigint, definition_id bigint, schema_version bigint, {_COLUMNS},
    partition jsonb, placed bigint, placed_kind text, placed_brings bigint, placed_undoes bigint)
JOIN catalog_app_datafile f ON f.id = w.file_id
LEFT JOIN catalog_app_segment s ON s.id = w.segment_id
LEFT JOIN LATERAL (
    SELECT m.* FROM catalog_app_segment m
    JOIN snapshot l ON l.branch_id = m.branch_id AND m.added_version <= l.max_version
    WHERE m.table_id = w.table_id AND m.partition_stamp > 0 AND m.partition = w.partition
      AND w.placed = {AS_BEFORE.version}
    ORDER BY m.partition_stamp DESC LIMIT 1
) kept ON true
LEFT JOIN line ON line.table_id = s.table_id AND line.version = s.schema_version
     AND line.definition_id = s.definition_id
ORDER BY w.file_id
RETURNING file_id, is_visible) {_EXPIRED}
"""

_CARRY_WRITTEN = f"""
WITH {SNAPSHOT}, {_LINE}, carried AS MATERIALIZED (
    SELECT id::bigint FROM unnest(string_to_array(%(segments)s, ' ')) AS c(id)
), brought AS (
INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id, definition_id,
                                 schema_version, is_visible, {_NAMES}, partition, partition_stamp, partition_kind,
                                 partition_brings, partition_undoes)
SELECT s.table_id, %(branch)s, s.operation_id, %(version)s, s.file_id, s.definition_id, s.schema_version,
       line.version IS NOT NULL, {", ".join(f"s.{name}" for name in _NAMES.split(", "))}, s.partition,
       s.partition_stamp, s.partition_kind, s.partition_brings, s.partition_undoes
FROM carried JOIN catalog_app_segment s ON s.id = carried.id AND s.id BETWEEN %(first)s AND %(last)s
LEFT JOIN line ON line.table_id = s.table_id AND line.version = s.schema_version
     AND line.definition_id = s.definition_id
ORDER BY s.file_id
RETURNING file_id, is_visible) {_EXPIRED}
"""

_SHOWN = f"""
WITH {SNAPSHOT}, here AS (
    SELECT branch_id, CASE WHEN branch_id = %(branch)s THEN %(version)s ELSE max_version END AS max_version
    FROM snapshot
)"""
_TARGETS = """
FROM jsonb_to_recordset(%(rows)s::jsonb) AS w(
    table_id bigint, file_id bigint, rows_file bigint, {columns})
JOIN here h ON true JOIN catalog_app_segment t
  ON t.table_id = w.table_id AND t.file_id = w.file_id AND t.branch_id = h.branch_id
 AND t.added_version <= h.max_version AND NOT EXISTS (
    SELECT 1 FROM here m JOIN catalog_app_segmentremoval r
      ON r.branch_id = m.branch_id AND r.removed_version <= m.max_version WHERE r.segment_id = t.id)
"""

_GO = f"""{_SHOWN}
INSERT INTO catalog_app_segmentremoval (table_id, branch_id, operation_id, removed_version, segment_id, {_NAMES})
SELECT w.table_id, %(branch)s, w.operation_id, %(version)s, t.id, {_values("w")} {_TARGETS.format(columns=_COLUMNS)}
ORDER BY t.id
"""

_ATTACH = f"""{_SHOWN}
INSERT INTO catalog_app_segmentdelete (table_id, branch_id, operation_id, attached_version, segment_id, delete_file_id,
                                       {_NAMES})
SELECT w.table_id, %(branch)s, w.operation_id, %(version)s, t.id, w.rows_file, {_values("w")}
{_TARGETS.format(columns=_COLUMNS)} ORDER BY t.id, w.rows_file
"""

_STAMP = f"""{_SHOWN}
INSERT INTO catalog_app_segmentstamp (table_id, branch_id, stamped_version, segment_id, rows_file_id, {_NAMES})
SELECT w.table_id, %(branch)s, %(version)s, t.id, w.rows_file, {_values("w")} {_TARGETS.format(columns=_COLUMNS)}
ORDER BY t.id, w.rows_file
"""

_INVISIBLE = f"""
WITH {SNAPSHOT}
INSERT INTO catalog_app_invisibleschemahistory (branch_id, table_id, version, definition_id, added_version)
SELECT DISTINCT %(branch)s, s.table_id, s.schema_version, s.definition_id, %(version)s
FROM catalog_app_segment s
WHERE s.table_id = ANY(%(table_ids)s) AND s.branch_id = %(branch)s AND s.added_version = %(version)s
  AND NOT s.is_visible
  AND NOT EXISTS (SELECT 1 FROM catalog_app_segmentremoval r WHERE r.segment_id = s.id AND r.branch_id = %(branch)s)
  AND NOT EXISTS (
    SELECT 1 FROM snapshot l JOIN catalog_app_invisibleschemahistory i
      ON i.branch_id = l.branch_id AND i.added_version <= l.max_version
    WHERE i.table_id = s.table_id AND i.version = s.schema_version AND i.definition_id = s.definition_id)
RETURNING table_id, version
"""


def steps_apply(
    plan: MergePlan,
    *,
    branch_id: int,
    version: int,
    snapshot: Snapshot,
    recorded: Recorded,
    definitions: Mapping[int, StagedDefinition],
    row_work: Mapping[int, RowWorkResult],
    is_merge: bool,
) -> tuple[tuple[int, int], ...]:
    """Write the steps of all tables as part of the commit ``version``; ``snapshot`` is the target before it. Answers
    table and version of the schemas that a merge keeps invisible. Raises Stale where it brings a file that expired:
    VACUUM marks under the branch's lock.
    """
    tables = {item.object_id: item.data.steps for item in plan.objects if item.data is not None}
    shared = {"branch": branch_id, "version": version, "table_ids": list(tables), **snapshot.parameters}
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for table_id, steps in tables.items():
        done, definition = row_work.get(table_id, RowWorkResult()), definitions.get(table_id)
        operations = [identity for _, identity in recorded.get((ObjectKind.TABLE, table_id), ())]
        for name, row in _rows((*steps.steps, *done.written), done.staged, definition, operations):
            rows[name].append({"table_id": table_id, **row})
    brought = _rows_apply(tables, rows, shared)
    for path, _ in brought:
        if path is not None:
            raise Stale(
                f"The file {path} expired while this was planned; nothing was written.",
                remedy="Go back to a version within the retention.",
            )
    has_invisible = is_merge and any(is_invisible for _, is_invisible in brought)
    return tuple(fetch_all(_INVISIBLE, shared)) if has_invisible else ()


FEW = 20
"""Rows of a statement up to which PostgreSQL may keep its plan: one that knows no sizes is good for these."""


def _rows_apply(
    tables: Mapping[int, TableSteps], rows: Mapping[str, list[dict[str, Any]]], shared: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Write the steps, ``rows`` by kind. Answers path and ``is_invisible`` of each file that the commit brings."""
    written = [step.segments for steps in tables.values() for step in steps.written]
    brought: list[tuple[Any, ...]] = []
    if written:
        ids = np.concatenate(written)
        # The bounds say nothing new: by them PostgreSQL sees that it need not read the whole table.
        asked = {"segments": " ".join(map(str, ids.tolist())), "first": int(ids.min()), "last": int(ids.max())}
        brought += fetch_all(_CARRY_WRITTEN, {**shared, **asked})
    for name, query in (
        ("leave", f"{_ATTACH} RETURNING id"),
        ("remove", f"{_REMOVE} RETURNING id"),
        ("carry", _CARRY),
        ("attach", f"{_ATTACH} RETURNING id"),
        ("stamp", f"{_STAMP} RETURNING id"),
        ("go", f"{_GO} RETURNING id"),
    ):
        if found := rows.get(name):
            answered = fetch_all(query, {**shared, "rows": json.dumps(found)}, prepared=len(found) <= FEW)
            brought += answered if name == "carry" else []
    return brought


def _rows(
    steps: Sequence[Step],
    staged: Mapping[StagedKey, int],
    definition: StagedDefinition | None,
    operations: Sequence[int],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """``operations``: the ids of the recorded operations, of which steps name the places."""
    for step in steps:
        match step:
            case RemoveSegments() if step.segment_id:
                yield "remove", {"segment_id": step.segment_id, **_stamp(step.stamp)}
            case RemoveSegments():
                yield "go", {"file_id": step.file_id, **_owner(step, operations), **_stamp(step.stamp)}
            case WriteRows():
                moved = replace(step.file, partition=step.partition, placed=step.placed, stamp=_WRITTEN)
                yield "carry", {**_segment(moved, definition), "file_id": staged[step.key]}
            case CarrySegments():
                file = step.file
                yield "carry", {**_segment(file, definition), **_owner(step, operations)}
                yield from (("attach", _marks(file.file_id, mark)) for mark in file.deletes)
                yield from (("stamp", _marks(file.file_id, mark)) for mark in file.stamped)
                if step.is_leaving:
                    yield "go", {"file_id": file.file_id, **_stamp(LAYOUT_ONLY)}
            case AttachDeletes():
                name = "leave" if step.is_leaving else "attach"
                yield name, {**_marks(step.file_id, step.delete), **_owner(step, operations)}
            case MarkRows():
                mark = Marked(staged[step.key], step.stamp)
                name = "stamp" if step.is_live else "leave" if step.is_leaving else "attach"
                yield name, _marks(step.file_id, mark)


def _owner(step: RemoveSegments | CarrySegments | AttachDeletes, operations: Sequence[int]) -> dict[str, int]:
    return {} if step.operation is None else {"operation_id": operations[step.operation]}


_WRITTEN = Stamp(DOT, "compaction")
"""The stamp of a file that a merge wrote: its rows store theirs."""


def _segment(file: ShownFile, definition: StagedDefinition | None) -> dict[str, Any]:
    under = (definition.definition_id, definition.schema_version) if definition else (None, None)
    return {
        "file_id": file.file_id,
        "segment_id": file.segment_id or None,
        "definition_id": under[0],
        "schema_version": under[1],
        "partition": list(file.partition),
        "placed": file.placed.version,
        "placed_kind": file.placed.kind,
        "placed_brings": file.placed.brings_stamp,
        "placed_undoes": file.placed.undoes,
        **_stamp(file.stamp),
    }


def _marks(file_id: int, mark: Marked) -> dict[str, Any]:
    return {"file_id": file_id, "rows_file": mark.file_id, **_stamp(mark.stamp)}


def _stamp(stamp: Stamp) -> dict[str, Any]:
    return {
        "stamp": stamp.version,
        "kind": stamp.kind,
        "brings_stamp": stamp.brings_stamp,
        "brings_kind": stamp.brings_kind,
        "undoes_stamp": stamp.undoes,
    }
