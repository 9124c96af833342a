"""What is left out of one side's rows where the other side is taken: its net changes that the other does not show."""

from __future__ import annotations

import numpy as np

from catalog_app.domain.row_counts import EXAMPLES_SHOWN, Counted, RowCounts, telling_columns
from merge_app.execution.lineage.row_changes import DELETED, INSERTED, SOURCE, TARGET, UPDATED, RowChanges
from merge_app.lineage.facts import Ints, Mask

COMPARED_AT_ONCE = 10_000
"""So many rows are read at once to see whether they differ."""


def lost_rows(changes: RowChanges, *, of_source: bool) -> RowCounts:
    """``of_source``: that side is left out. A row that both sides show alike, or neither shows, is not lost."""
    kinds, (mine, theirs) = changes.kinds(SOURCE if of_source else TARGET), changes.sides
    both = np.flatnonzero((kinds > 0) & mine.is_live & theirs.is_live)
    kinds[both[_alike(changes, both)]] = 0
    kinds[~(mine.is_live | theirs.is_live)] = 0
    inserted, updated, deleted = (_counted(changes, np.flatnonzero(kinds == k)) for k in (INSERTED, UPDATED, DELETED))
    return RowCounts(inserted, updated, deleted)


def _alike(changes: RowChanges, at: Ints) -> Mask:
    """Where both sides show the same values."""
    found = np.zeros(len(at), dtype=np.bool_)
    for start in range(0, len(at), COMPARED_AT_ONCE):
        part = at[start : start + COMPARED_AT_ONCE]
        mine, theirs = (changes.read(side.image[part], side.partition[part]) for side in changes.sides)
        found[start : start + COMPARED_AT_ONCE] = [one == other for one, other in zip(mine, theirs, strict=True)]
    return found


def _counted(changes: RowChanges, at: Ints) -> Counted:
    if not len(at):
        return Counted()
    columns = [column.id for column in telling_columns(changes.schema)]
    first = at[np.argsort(changes.row_ids[at], kind="stable")[:EXAMPLES_SHOWN]]
    return Counted(len(at), tuple(changes.keys(first, columns)))
