"""Rows whose image a merge makes, of cells of both sides or by a decision, where they belong: ready to be written.

Where a generated column is part of the partition, that follows from the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import PartitionValues
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import NotSupported
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import MadeRows
from merge_app.execution.lineage.looked_at import LookedAt
from merge_app.lineage.ascending import without
from merge_app.lineage.facts import ABSENT, Array, Ints, Mask
from merge_app.lineage.outcomes import Finding, Outcome
from merge_app.lineage.result_rows import Rows
from merge_app.lineage.row_steps import who_placed
from merge_app.lineage.segments import DOT, Stamp
from merge_app.lineage.steps import WriteImages


def with_computed_partitions(rows: LookedAt, made: MadeRows) -> LookedAt:
    """Made rows lie where their cells say. Sides that differ in generated columns alone are no conflict there."""
    reader, merged = rows.cells, rows.merged
    computed = _computed_places(reader)
    if not (computed and len(made.at)):
        return rows
    codes = rows.partitions[made.at]
    cells = reader.computed(placed_cells(rows, made, codes))
    texts = zip(*(column.to_pylist() for column in cells.partition), strict=True)
    wanted = np.array([reader.reader.code(values) for values in texts], dtype=np.int64)
    moved = wanted != codes
    merged.partitions.give(made.at[moved], wanted[moved], Outcome.CELLS)
    settled = merged.pairs.row_id[made.at[_are_same_elsewhere(rows, made.at, computed)]]
    return rows.with_findings(_without_partitions(merged.findings, settled))


def placed_cells(rows: LookedAt, made: MadeRows, codes: Array) -> RowCells:
    """The rows with the columns and texts of the partitions ``codes``; generated columns are those of either side."""
    columns, reader = dict(made.cells.columns), rows.cells
    places = range(len(reader.schema.partition_by))
    if places:
        columns |= _partition_columns(rows, made.at, codes)
    names = reader.reader.names
    texts = ([names[code][place] for code in codes.tolist()] for place in places)
    return RowCells(columns, tuple(pa.array(each, type=pa.string()) for each in texts))


def _computed_places(reader: CellReader) -> tuple[int, ...]:
    """Which of the partition's columns are generated."""
    return tuple(at for at, column in enumerate(reader.schema.partition_by) if column in reader.generated)


def _without_partitions(findings: Sequence[Finding], settled: Ints) -> Iterator[Finding]:
    for finding in findings:
        if finding.keys != (("partition",),) or finding.rows is None:
            yield finding
        elif len(left := without(finding.rows, settled)):
            yield replace(finding, rows=left)


def _are_same_elsewhere(rows: LookedAt, at: Ints, computed: Sequence[int]) -> Mask:
    """Where both sides have the row in one partition, but for generated columns."""
    plain = _plain_codes(rows.cells, computed)
    own = (rows.partition(number)[at].tolist() for number in (0, 1))
    return np.array([plain.get(s) == plain.get(t) for s, t in zip(*own, strict=True)], dtype=bool)


def _plain_codes(reader: CellReader, computed: Sequence[int]) -> dict[int, PartitionValues]:
    """By code, the partition's values without those of generated columns."""
    return {
        code: tuple(value for at, value in enumerate(values) if at not in computed)
        for code, values in reader.reader.names.items()
    }


def _partition_columns(rows: LookedAt, at: Ints, codes: Array) -> Mapping[int, pa.Array]:
    """Those of the side that has the row where it belongs."""
    reader = rows.cells
    plain = _plain_codes(reader, _computed_places(reader))
    wanted = [plain[code] for code in codes.tolist()]
    has = []
    for number in (0, 1):
        own = rows.partition(number)[at].tolist()
        is_there = [plain.get(code) == values for code, values in zip(own, wanted, strict=True)]
        has.append(np.array(is_there, dtype=np.bool_) & (rows.images(at, number) != ABSENT))
    from_target = has[1]
    if not (from_target | has[0]).all():
        raise NotSupported(
            "Rows that both branches changed belong into a partition that was renamed since.",
            remedy="Rename the partition on the target too, and merge again.",
        )
    read = rows.read(at[from_target], 1), rows.read(at[~from_target], 0)
    order = np.argsort(np.concatenate([np.flatnonzero(from_target), np.flatnonzero(~from_target)]))
    return {
        column: pa.concat_arrays([part.columns[column] for part in read if len(part.columns[column])]).take(
            pa.array(order)
        )
        for column in reader.schema.partition_by
    }


def made_completed(rows: LookedAt, result: Rows) -> MadeRows:
    """The made rows with the columns of the partition where they belong, and with those that follow from others."""
    made = rows.made
    if not len(made.at):
        return made
    return replace(made, cells=rows.cells.computed(placed_cells(rows, made, result.partition[made.at])))


def made_rows_written(rows: LookedAt, result: Rows) -> Iterator[WriteImages]:
    """The step that writes them; none without any."""
    at = rows.made.at
    if len(at):
        yield WriteImages.of(rows.made.cells, rows.row_ids[2][at], dict(_placed(rows, result)))


def _placed(rows: LookedAt, result: Rows) -> Iterator[tuple[PartitionValues, Stamp]]:
    shown_on_source, shown_on_target = (
        {file.file_id: file for file in side} for side in (rows.group.source, rows.group.target)
    )
    at, codes = rows.made.at, result.partition[rows.made.at]
    for code in np.unique(codes):
        who = who_placed(shown_on_target, shown_on_source, result, at[codes == code])
        if who.version and (who.version != DOT or who.kind == "move"):
            yield rows.cells.reader.values(int(code)), who
