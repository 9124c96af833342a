"""Live rows of a merged table that lack a value of a required column (R6), counted on the result.

Statistics answer for most files. Cells are read only of files that may hold such rows, and of columns that the rows of
a side are not known to fill.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from catalog_app.domain.checks import checks_enforced, columns_read
from catalog_app.domain.files import FileScan, PartitionValues
from catalog_app.domain.generated import generated_values
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
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


@dataclass(frozen=True)
class ResultTable:
    """The columns and properties of the merged table, and both sides as they show it; None: the source has no such
    table.
    """

    schema: Schema
    properties: Mapping[str, str]
    source: TableState | None
    target: TableState

    @cached_property
    def unfilled(self) -> dict[str, tuple[Column, ...]]:
        """By side, the required columns that its rows are not known to fill."""
        required = [column for column in self.schema.columns if not column.nullable]
        return {
            side: tuple(column for column in required if not _is_proved(column, None if own is None else own.schema))
            for side, own in ((SOURCE, self.source), (TARGET, self.target))
        }

    @cached_property
    def checks(self) -> dict[str, str]:
        """The constraints that have all their columns: a merge with another is refused anyway."""
        found = checks_enforced(self.properties).items()
        return {key: stored for key, stored in found if all(self.schema.column(i) for i in columns_read(stored))}


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


def rows_lacking(
    table_id: int, given: ResultTable, steps: TableSteps, target: Snapshot, engine: EngineSource
) -> Lacking:
    """A side keeps its own columns filled, so a fast forward lacks nothing."""
    of_side, found = given.unfilled, Counter[tuple[str, int]]()
    asked = tuple({column.id: column for columns in of_side.values() for column in columns}.values())
    own = None if given.source is None else given.source.schema
    with_target = bool(of_side[TARGET])
    for shown in result_rows(table_id, steps, target, own, with_target=with_target) if asked else ():
        wanted = of_side[shown.side] if shown.at is None else asked
        for column, rows in _of_file(table_id, shown, wanted, given.schema, engine):
            found[shown.side, column.id] += rows
    partition_by = given.schema.partition_by
    computed = generated_values(given.properties, given.schema) if steps.images else ()
    # Images of the merge's own may lack what follows from their other cells, too.
    of_images = {column.id: column for column in given.schema.columns if column.id in computed and not column.nullable}
    for image in steps.images:
        cells = image.cells
        for i in {column.id: column for column in asked} | of_images:
            held = cells.partition[partition_by.index(i)] if i in partition_by else cells.columns[i]
            found[SOURCE, i] += held.null_count
    return {key: rows for key, rows in found.items() if rows}


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
