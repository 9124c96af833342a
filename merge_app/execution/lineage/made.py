"""Rows whose image a merge makes, of cells of both sides or by a decision, ready to be written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import PartitionValues
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import NotSupported
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import MadeRows
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.facts import ABSENT, Array, Ints, News
from merge_app.lineage.outcomes import Pairs, TableOutcome, taken
from merge_app.lineage.result_rows import Rows
from merge_app.lineage.row_steps import who_placed
from merge_app.lineage.segments import DOT, Group, Stamp
from merge_app.lineage.steps import WriteImages


def result_ids(pairs: Pairs, sides: tuple[Placed, Placed], news: News) -> tuple[Ints, Ints, Ints]:
    """By row the id on the source, on the target, and that of a row which the merge makes of both: the younger one."""
    source, target = (
        taken(side.row_id, at, 0) for side, at in zip(sides, (pairs.source_at, pairs.target_at), strict=True)
    )
    born = [
        taken(side.facts.inserted, at, 0) for side, at in zip(sides, (pairs.source_at, pairs.target_at), strict=True)
    ]
    is_source = news.from_source(born[0]) & (~news.from_target(born[1]) | (born[0] > born[1]))
    of_both = np.where((target == 0) | (is_source & (source != 0)), source, target)
    return source, target, of_both


def made_completed(
    made: MadeRows, merged: TableOutcome, rows: Rows, sides: tuple[Placed, Placed], group: Group, reader: CellReader
) -> MadeRows:
    """The rows with the columns of the partition where they belong, and with the columns that follow from others."""
    if not len(made.at):
        return made
    columns = dict(made.cells.columns)
    if reader.schema.partition_by:
        columns |= _partition_columns(made.at, rows.partition[made.at], merged.pairs, sides, group, reader)
    return replace(made, cells=reader.computed(RowCells(columns)))


def made_rows_written(
    made: MadeRows,
    merged: TableOutcome,
    rows: Rows,
    sides: tuple[Placed, Placed],
    news: News,
    group: Group,
    reader: CellReader,
) -> Iterator[WriteImages]:
    """The step that writes them; none without any."""
    if not len(made.at):
        return
    codes = rows.partition[made.at]
    names = reader.reader.names
    texts = [names[code] for code in codes.tolist()]
    places = range(len(reader.schema.partition_by))
    arrays = tuple(pa.array([values[place] for values in texts], type=pa.string()) for place in places)
    row_ids = result_ids(merged.pairs, sides, news)[2][made.at]
    placed = dict(_placed(made.at, codes, rows, group, reader))
    yield WriteImages.of(RowCells(made.cells.columns, arrays), row_ids, placed)


def _placed(
    at: Ints, codes: Array, rows: Rows, group: Group, reader: CellReader
) -> Iterator[tuple[PartitionValues, Stamp]]:
    here = {file.file_id: file for file in group.target}
    there = {file.file_id: file for file in group.source}
    for code in np.unique(codes):
        who = who_placed(here, there, rows, at[codes == code])
        if who.version and (who.version != DOT or who.kind == "move"):
            yield reader.reader.values(int(code)), who


def _partition_columns(
    at: Ints, codes: Array, pairs: Pairs, sides: tuple[Placed, Placed], group: Group, reader: CellReader
) -> Mapping[int, pa.Array]:
    """Those of the side that has the row where it belongs."""
    places = pairs.source_at[at], pairs.target_at[at]
    own = [taken(side.facts.partition.value, place, ABSENT) for side, place in zip(sides, places, strict=True)]
    images = [_place_codes(side, place) for side, place in zip(sides, places, strict=True)]
    from_target = (own[1] == codes) & (images[1] != ABSENT)
    if not (from_target | ((own[0] == codes) & (images[0] != ABSENT))).all():
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


def _place_codes(side: Placed, at: Array) -> Ints:
    files, positions = taken(side.file, at, 0), taken(side.position, at, 0)
    return np.where(files > 0, (files << 32) + positions, ABSENT)
