"""Rows that stay deleted by decision, though the source shows them: the merge deletes them in the source's file.

A mark needs a file. One that the target does not show comes and goes in one commit, so that no version of the target
shows it. Without the mark, the newest fact of the row is what the source did to it before it wrote that image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from merge_app.lineage.ascending import without
from merge_app.lineage.facts import Array, Ints, Kind
from merge_app.lineage.result_rows import MarksReader, positions_masked
from merge_app.lineage.segments import DOT, ShownFile, Stamp
from merge_app.lineage.steps import LAYOUT_ONLY, CarrySegments, MarkRows, Step

Deleted = tuple[Ints, Array]
"""Positions of rows in a file of the source, and the kind of each one's deletion."""


def carried(file: ShownFile, come: Ints, deleted: Deleted, reader: MarksReader) -> Iterator[Step]:
    """A file that the target does not show comes for the rows at the positions ``come``, and for marks of others."""
    yield CarrySegments(file) if len(come) else CarrySegments(replace(file, stamped=()), is_leaving=True)
    left_out = without(np.arange(file.rows), np.concatenate([come, deleted[0], positions_masked(file, reader)]))
    if len(left_out):
        yield MarkRows.of(file.file_id, left_out, LAYOUT_ONLY)
    yield from deletions(file.file_id, deleted)


def deletions(file_id: int, deleted: Deleted, *, is_leaving: bool = False) -> Iterator[Step]:
    """Marks of rows in a file. ``is_leaving``: the target shows the file without them, and may remove it as well."""
    positions, kinds = deleted
    for kind in np.unique(kinds):
        stamp = Stamp(DOT, Kind(int(kind)).name.lower())
        yield MarkRows.of(file_id, positions[kinds == kind], stamp, is_leaving=is_leaving)
