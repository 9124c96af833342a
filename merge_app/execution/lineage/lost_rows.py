"""What is left out of one side's rows where the other side is taken: its net changes that the other does not show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from catalog_app.domain.row_counts import EXAMPLES_SHOWN, Counted, RowCounts, telling_columns
from merge_app.execution.lineage.row_changes import DELETED, INSERTED, SOURCE, TARGET, UPDATED, RowChanges
from merge_app.lineage.facts import Array, Ints, Mask
from merge_app.lineage.result_rows import positions_masked

COMPARED_AT_ONCE = 10_000
"""So many rows are read at once to see whether they differ."""


def lost_rows(changes: RowChanges, *, of_source: bool) -> RowCounts:
    """``of_source``: that side is left out. A row that both sides show alike, or neither shows, is not lost."""
    kinds, (mine, theirs) = changes.kinds(SOURCE if of_source else TARGET), changes.sides
    both = np.flatnonzero((kinds > 0) & mine.is_live & theirs.is_live)
    kinds[both[_alike(changes, both)]] = 0
    kinds[~(mine.is_live | theirs.is_live)] = 0
    known = [_of_pairs(changes, np.flatnonzero(kinds == kind)) for kind in (INSERTED, UPDATED, DELETED)]
    new = _of_files(changes, of_source=of_source)
    return RowCounts(_counted(changes, known[0], new), _counted(changes, known[1]), _counted(changes, known[2]))


def _alike(changes: RowChanges, at: Ints) -> Mask:
    """Where both sides show the same values."""
    found = np.zeros(len(at), dtype=np.bool_)
    for start in range(0, len(at), COMPARED_AT_ONCE):
        part = at[start : start + COMPARED_AT_ONCE]
        _, mine, theirs = changes.shown(part)
        found[start : start + COMPARED_AT_ONCE] = [one == other for one, other in zip(mine, theirs, strict=True)]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """How many rows there are, and of the first the row ids, images and where these lie."""

    rows: int
    row_ids: Ints
    images: Ints
    partitions: Array


def _of_pairs(changes: RowChanges, at: Ints) -> _Found:
    row_ids = changes.row_ids[at]
    first = np.argsort(row_ids, kind="stable")[:EXAMPLES_SHOWN]
    return _Found(len(at), row_ids[first], *changes.named_by(at[first]))


def _of_files(changes: RowChanges, *, of_source: bool) -> _Found:
    """Rows that the other side does not know: their files are not read."""
    reader = changes.looked_at.cells.reader
    groups = changes.looked_at.fresh
    files = sorted((f for g in groups for f in (g.source if of_source else g.target)), key=lambda file: file.smallest)
    rows = 0
    first: list[tuple[int, int, int]] = []
    for file in files:
        masked = positions_masked(file, reader)
        rows += file.rows - len(masked)
        if len(first) < EXAMPLES_SHOWN:
            shown = np.setdiff1d(np.arange(min(file.rows, len(masked) + EXAMPLES_SHOWN)), masked)[:EXAMPLES_SHOWN]
            first += [(file.smallest + at, (file.file_id << 32) + at, reader.code(file.partition)) for at in shown]
    columns = np.array(first[:EXAMPLES_SHOWN], dtype=np.int64).reshape(-1, 3)
    return _Found(rows, columns[:, 0], columns[:, 1], columns[:, 2])


def _counted(changes: RowChanges, *found: _Found) -> Counted:
    columns = [column.id for column in telling_columns(changes.schema)]
    row_ids, images, partitions = (
        np.concatenate([getattr(each, name) for each in found]) for name in ("row_ids", "images", "partitions")
    )
    first = np.argsort(row_ids, kind="stable")[:EXAMPLES_SHOWN]
    examples = changes.names(images[first], partitions[first], columns) if len(first) else ()
    return Counted(sum(each.rows for each in found), tuple(examples))
