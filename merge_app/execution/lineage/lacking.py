"""Live rows of a merged table that lack a value of a required column (R6), counted on the result.

Statistics answer for most files. Cells are read only of files that may hold such rows, and of columns that the rows of
a side are not known to fill.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalog_app.domain.files import FileScan, PartitionValues
from catalog_app.domain.schema import Column, Schema
from catalog_app.selectors.definitions import definitions_load
from catalog_app.selectors.segments import file_scan, files_load, segments_list
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.readers import Reader, delete_paths_load
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import Ints, image_codes
from merge_app.lineage.steps import AttachDeletes, CarrySegments, RemoveSegments, TableSteps

Lacking = Mapping[tuple[str, int], int]
"""By side whose image it is, and column: the rows without a value."""
SOURCE, TARGET = "source", "destination"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the merged table and of both sides; None: the side has no such table. ``computed``: the ids of
    merged columns that follow from others.
    """

    merged: Schema
    source: Schema | None
    target: Schema
    computed: frozenset[int] = frozenset()

    @property
    def of_source(self) -> tuple[Column, ...]:
        return _unproved(self.merged, self.source)

    @property
    def of_target(self) -> tuple[Column, ...]:
        return _unproved(self.merged, self.target)

    @property
    def of_either(self) -> tuple[Column, ...]:
        return tuple({column.id: column for column in (*self.of_source, *self.of_target)}.values())

    @property
    def of_images(self) -> tuple[Column, ...]:
        """Required columns that images of the merge's own are not known to fill."""
        known = self.of_either
        required = (column for column in self.merged.columns if column.id in self.computed and not column.nullable)
        return (*known, *(column for column in required if column not in known))


@dataclass(frozen=True, slots=True, eq=False)
class ShownRows:
    """Rows of a file that the result shows: those ``at`` these positions, None for all, without those that ``deletes``
    (paths) and ``marked`` name.
    """

    side: str
    scan: FileScan
    partition: PartitionValues
    deletes: Sequence[str] = ()
    marked: Sequence[Ints] = ()
    at: Ints | None = None

    def positions(self, engine: EngineSource) -> Ints:
        left = np.arange(self.scan.rows) if self.at is None else self.at
        for gone in (*(engine().file_marks(path)[0] for path in self.deletes), *self.marked):
            left = left[~are_among(left, gone)]
        return left


def rows_lacking(table_id: int, columns: Columns, steps: TableSteps, target: Snapshot, engine: EngineSource) -> Lacking:
    """A side keeps its own columns filled, so a fast forward lacks nothing."""
    asked, found = columns.of_either, Counter[tuple[str, int]]()
    of_side = {SOURCE: columns.of_source, TARGET: columns.of_target}
    with_target = bool(columns.of_target)
    for shown in result_rows(table_id, steps, target, columns.source, with_target=with_target) if asked else ():
        wanted = of_side[shown.side] if shown.at is None else asked
        for column, rows in _of_file(table_id, shown, wanted, columns.merged, engine):
            found[shown.side, column.id] += rows
    partition_by = columns.merged.partition_by
    for image in steps.images:
        cells = image.cells
        for column in columns.of_images:
            is_partition = column.id in partition_by
            held = cells.partition[partition_by.index(column.id)] if is_partition else cells.columns[column.id]
            found[SOURCE, column.id] += held.null_count
    return {key: rows for key, rows in found.items() if rows}


def _unproved(merged: Schema, own: Schema | None) -> tuple[Column, ...]:
    """Required columns that the rows of a side are not known to fill."""
    return tuple(column for column in merged.columns if not (column.nullable or _is_proved(column, own)))


def _is_proved(column: Column, own: Schema | None) -> bool:
    columns = (own.column(i) for i in column.ids) if own is not None else ()
    known = next((item for item in columns if item is not None), None)
    if known is None:
        return column.initial_default is not None
    return not known.nullable and known.initial_default == column.initial_default


def result_rows(
    table_id: int, steps: TableSteps, target: Snapshot, source: Schema | None, *, with_target: bool
) -> Iterator[ShownRows]:
    """The files of the result, with the rows of them that it shows; those that stay on the target where that is asked
    for. ``source``: the schema of what a statement staged.
    """
    carried = [step.file for step in steps.steps if isinstance(step, CarrySegments)]
    attached = [step for step in steps.steps if isinstance(step, AttachDeletes) and not step.is_leaving]
    paths = delete_paths_load(
        {mark.file_id for file in carried for mark in file.deletes} | {step.delete.file_id for step in attached}
    )
    further: dict[int, list[str]] = defaultdict(list)
    for step in attached:
        further[step.file_id].append(paths[step.delete.file_id])
    marked: dict[int, list[Ints]] = defaultdict(list)
    for mark in steps.marks:
        if not (mark.is_live or mark.is_leaving):
            marked[mark.file_id].append(mark.positions)
    removed = {step.file_id for step in steps.steps if isinstance(step, RemoveSegments)}
    segments = segments_list(target, table_id) if with_target else []
    schemas = definitions_load({segment.definition_id for segment in segments})
    for segment in segments:
        if (i := segment.file_id) not in removed:
            scan = file_scan(segment, schemas[segment.definition_id])
            deletes = (*scan.delete_paths, *further[i])
            yield ShownRows(TARGET, scan, scan.partition, deletes, marked[i])
    written = [int(i) for step in steps.written for i in step.files]
    files = {*written, *(file.file_id for file in carried), *(step.file.file_id for step in steps.writes)}
    scans = files_load(table_id, files, [], staged_schema=source) if files else {}
    for file in carried:
        i = file.file_id
        deletes = (*(paths[mark.file_id] for mark in file.deletes), *further[i])
        yield ShownRows(SOURCE, scans[i], file.partition, deletes, marked[i])
    for i in written:
        yield ShownRows(SOURCE, scans[i], scans[i].partition)
    for part in steps.writes:
        yield ShownRows(SOURCE, scans[part.file.file_id], part.partition, at=part.positions)


def _of_file(
    table_id: int, shown: ShownRows, wanted: Sequence[Column], merged: Schema, engine: EngineSource
) -> Iterator[tuple[Column, int]]:
    read = []
    for column in wanted:
        if column.id in merged.partition_by:
            if shown.partition[merged.partition_by.index(column.id)] is None:
                yield column, len(shown.positions(engine))
        elif not _is_filled(shown.scan, column):
            read.append(column)
    if not read:
        return
    positions = shown.positions(engine)
    columns = tuple(replace(column, nullable=True) for column in (*read, *merged.partition_columns))
    schema = Schema(columns, partition_by=merged.partition_by)
    cells = CellReader(schema, Reader(table_id, {shown.scan.file_id: shown.scan}, {}, engine))
    found = cells.read(image_codes(shown.scan.file_id, positions))
    for column in read:
        yield column, found.columns[column.id].null_count


def _is_filled(scan: FileScan, column: Column) -> bool:
    """Whether statistics show that no row of the file lacks a value."""
    held = next((item for item in map(scan.schema.column, column.ids) if item is not None), None)
    if held is None:
        return column.initial_default is not None
    known = (scan.statistics or {}).get(held.id)
    return known is not None and not known.nulls
