"""Rows whose image a merge makes, of cells of both sides or by a decision, ready to be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from catalog_app.domain.files import PartitionValues
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import MadeRows
from merge_app.execution.lineage.computed_partitions import placed_cells
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.facts import Array, Ints, News
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
    placed = placed_cells(made, rows.partition[made.at], merged.pairs, sides, group, reader)
    return replace(made, cells=reader.computed(placed))


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
    row_ids = result_ids(merged.pairs, sides, news)[2][made.at]
    placed = dict(_placed(made.at, rows.partition[made.at], rows, group, reader))
    yield WriteImages.of(made.cells, row_ids, placed)


def _placed(
    at: Ints, codes: Array, rows: Rows, group: Group, reader: CellReader
) -> Iterator[tuple[PartitionValues, Stamp]]:
    shown_on_target = {file.file_id: file for file in group.target}
    shown_on_source = {file.file_id: file for file in group.source}
    for code in np.unique(codes):
        who = who_placed(shown_on_target, shown_on_source, rows, at[codes == code])
        if who.version and (who.version != DOT or who.kind == "move"):
            yield reader.reader.values(int(code)), who
