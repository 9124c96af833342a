"""Partitions of rows that a merge makes, where a generated column is part of the partition: it follows from the row."""

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
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.ascending import without
from merge_app.lineage.facts import ABSENT, Array, Ints, Mask
from merge_app.lineage.outcomes import Finding, Outcome, Pairs, TableOutcome, taken
from merge_app.lineage.result_rows import result_partitions
from merge_app.lineage.segments import Group

Sides = tuple[Placed, Placed]


def with_computed_partitions(
    made: MadeRows, merged: TableOutcome, sides: Sides, group: Group, reader: CellReader
) -> TableOutcome:
    """Made rows lie where their cells say. Sides that differ in generated columns alone are no conflict there."""
    computed = _computed_places(reader)
    if not (computed and len(made.at)):
        return merged
    codes = result_partitions(merged, sides[0].facts, sides[1].facts)[made.at]
    cells = reader.computed(placed_cells(made, codes, merged.pairs, sides, group, reader))
    texts = zip(*(column.to_pylist() for column in cells.partition), strict=True)
    wanted = np.array([reader.reader.code(values) for values in texts], dtype=np.int64)
    moved = wanted != codes
    merged.partitions.give(made.at[moved], wanted[moved], Outcome.CELLS)
    is_same = _are_same_elsewhere(made.at, merged.pairs, sides, reader, computed)
    settled = merged.pairs.row_id[made.at[is_same]]
    return replace(merged, findings=tuple(_without_partitions(merged.findings, settled)))


def placed_cells(
    made: MadeRows, codes: Array, pairs: Pairs, sides: Sides, group: Group, reader: CellReader
) -> RowCells:
    """The rows with the columns and texts of the partitions ``codes``; generated columns are those of either side."""
    columns = dict(made.cells.columns)
    places = range(len(reader.schema.partition_by))
    if places:
        columns |= _partition_columns(made.at, codes, pairs, sides, group, reader)
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


def _are_same_elsewhere(at: Ints, pairs: Pairs, sides: Sides, reader: CellReader, computed: Sequence[int]) -> Mask:
    """Where both sides have the row in one partition, but for generated columns."""
    plain = _plain_codes(reader, computed)
    places = (pairs.source_at, pairs.target_at)
    own = [taken(side.facts.partition.value, place[at], ABSENT) for side, place in zip(sides, places, strict=True)]
    return np.array([plain.get(s) == plain.get(t) for s, t in zip(*(o.tolist() for o in own), strict=True)], dtype=bool)


def _plain_codes(reader: CellReader, computed: Sequence[int]) -> dict[int, PartitionValues]:
    """By code, the partition's values without those of generated columns."""
    return {
        code: tuple(value for at, value in enumerate(values) if at not in computed)
        for code, values in reader.reader.names.items()
    }


def _partition_columns(
    at: Ints, codes: Array, pairs: Pairs, sides: Sides, group: Group, reader: CellReader
) -> Mapping[int, pa.Array]:
    """Those of the side that has the row where it belongs."""
    plain = _plain_codes(reader, _computed_places(reader))
    wanted = [plain[code] for code in codes.tolist()]
    has = []
    images = []
    for side, place in zip(sides, (pairs.source_at[at], pairs.target_at[at]), strict=True):
        own = taken(side.facts.partition.value, place, ABSENT).tolist()
        codes_of = side.images(place)
        is_there = [plain.get(code) == values for code, values in zip(own, wanted, strict=True)]
        has.append(np.array(is_there, dtype=np.bool_) & (codes_of != ABSENT))
        images.append(codes_of)
    from_target = has[1]
    if not (from_target | has[0]).all():
        raise NotSupported(
            "Rows that both branches changed belong into a partition that was renamed since.",
            remedy="Rename the partition on the target too, and merge again.",
        )
    read = (
        reader.read(images[1][from_target], group.target),
        reader.read(images[0][~from_target], group.source),
    )
    order = np.argsort(np.concatenate([np.flatnonzero(from_target), np.flatnonzero(~from_target)]))
    return {
        column: pa.concat_arrays([part.columns[column] for part in read if len(part.columns[column])]).take(
            pa.array(order)
        )
        for column in reader.schema.partition_by
    }
