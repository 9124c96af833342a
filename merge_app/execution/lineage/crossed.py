"""Rows of which both sides know several images, and no one of these knew all others: branches merged them crosswise.

The newest such image is no base: it lacks what the others changed. The base is what these images come to, merged by
cells over the newest image that all of them knew. Where they clash, the cell has no base.

*Example:* f adds 1 to n, g adds 10. Main merges both, dev merges both. Main and dev show 11, and their base is 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.storage.cells import RowCells
from merge_app.execution.lineage.vectors import CommitsKnown, CommitsReached
from merge_app.lineage.ascending import are_among
from merge_app.lineage.cells import ColumnMerge, cells_put, column_merge
from merge_app.lineage.facts import ABSENT, Ints, Mask

Read = Callable[[Ints], RowCells]
Absent = Callable[[Ints], Mapping[int, Mask]]


@dataclass(frozen=True, slots=True)
class CrossedRow:
    """Images of a row that no other image knew, the newest first, and the newest image that all of them knew."""

    images: tuple[int, ...]
    common: int


@dataclass(frozen=True, slots=True, eq=False)
class CrossedBases:
    """The cells of bases by the code of the newest image, ascending. ``unknown``: by column, where there is none."""

    newest: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cells: RowCells = field(default_factory=lambda: RowCells({}))
    unknown: Mapping[int, Mask] = field(default_factory=dict)

    def put(self, codes: Ints, found: RowCells) -> RowCells:
        """The cells that were read of images, with those of the bases in their places."""
        at, places = self._among(codes)
        if not len(at):
            return found
        columns = dict(found.columns)
        for column in columns.keys() & self.cells.columns.keys():
            columns[column] = cells_put(columns[column], at, self.cells.columns[column].take(pa.array(places)))
        return RowCells(columns, found.partition, found.keys)

    def without(self, codes: Ints) -> Mapping[int, Mask]:
        """By column, which of these images are no base of it."""
        at, places = self._among(codes)
        found = {}
        for column, mask in self.unknown.items():
            if mask[places].any():
                found[column] = np.zeros(len(codes), dtype=np.bool_)
                found[column][at] = mask[places]
        return found

    def _among(self, codes: Ints) -> tuple[Ints, Ints]:
        """Which codes are of bases, and of which."""
        if not len(self.newest):
            return self.newest, self.newest
        places = np.minimum(np.searchsorted(self.newest, codes), len(self.newest) - 1)
        at = np.flatnonzero(self.newest[places] == codes)
        return at, places[at]


def crossed_rows(
    wanted: Ints, base: Ints, rows: tuple[Ints, Ints, Ints], commits: CommitsReached
) -> tuple[list[CrossedRow], Ints]:
    """Of the wanted rows those that are crossed, and which of the others have several newest facts, as one commit took
    away what another wrote. ``base``: the newest value of each; ``rows``: row, value and stamp of each fact that both
    sides know; ``commits``: those of the merge.
    """
    keys, images, stamps = rows
    shared = commits.shared
    if len(shared) < 2 or not len(keys):
        return [], keys[:0]
    asked = are_among(keys, wanted)
    order = np.lexsort((images[asked], stamps[asked], keys[asked]))
    keys, images, stamps = (column[asked][order] for column in rows)
    if not len(keys):
        return [], keys
    numbers, places = np.unique(stamps, return_inverse=True)
    known = commits.known(numbers.tolist(), shared)
    on = np.array([known.made.get(stamp, 0) for stamp in numbers.tolist()], dtype=np.int64)[places.reshape(-1)]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    ends = np.append(starts[1:], len(keys))
    differs = on != np.repeat(on[starts], ends - starts)
    may = np.flatnonzero(np.logical_or.reduceat(differs, starts) & np.logical_and.reduceat(on > 0, starts))
    base_of = dict(zip(wanted.tolist(), base.tolist(), strict=True)) if len(may) else {}
    bases: dict[tuple[int, ...], tuple[tuple[int, ...], int]] = {}
    found: list[CrossedRow] = []
    several: list[int] = []
    for start, end in zip(starts[may].tolist(), ends[may].tolist(), strict=True):
        of_stamp = dict(zip(stamps[start:end].tolist(), images[start:end].tolist(), strict=True))
        key = tuple(of_stamp)
        newest, common = bases[key] = bases.get(key) or _newest_and_common(known, key)
        values = (base_of[int(keys[start])], *(of_stamp[stamp] for stamp in newest[1:]))
        if len(values) > 1 and ABSENT not in values:
            found.append(CrossedRow(values, of_stamp.get(common, ABSENT)))
        elif len(set(values)) > 1:
            several.append(int(keys[start]))
    return found, np.array(several, dtype=np.int64)


def _newest_and_common(known: CommitsKnown, stamps: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Of stamps, ascending: those that no other one knew, and the newest that all of these knew; 0 without one, and
    where that did not know all others that they knew.
    """
    newest = known.maxima(stamps)
    shared = [stamp for stamp in stamps if stamp not in newest and all(known.knew(n, stamp) for n in newest)]
    is_one = bool(shared) and all(known.knew(shared[-1], stamp) for stamp in shared[:-1])
    return newest, shared[-1] if is_one else 0


def crossed_bases(
    rows: Sequence[CrossedRow], read: Read, absent: Absent, how: Mapping[int, ColumnMerge]
) -> CrossedBases:
    """What the images of each row come to. ``how``: by column, what becomes of a cell that two of them changed."""
    if not rows:
        return CrossedBases()
    ordered = sorted(rows, key=lambda row: row.images[0])
    codes = np.array([row.images[0] for row in ordered], dtype=np.int64)
    common = np.array([row.common for row in ordered], dtype=np.int64)
    columns: dict[int, Any] = dict(read(codes).columns)
    lacks = {column: mask.copy() for column, mask in absent(codes).items()}
    unknown = {column: np.zeros(len(ordered), dtype=np.bool_) for column in columns}
    for number in range(1, max(len(row.images) for row in ordered)):
        at = np.array([place for place, row in enumerate(ordered) if len(row.images) > number], dtype=np.int64)
        others = np.array([ordered[place].images[number] for place in at.tolist()], dtype=np.int64)
        has_base = common[at] != ABSENT
        other_rows, before, missing = read(others), read(np.where(has_base, common[at], others)), absent(others)
        for column, values in list(columns.items()):
            newest, other = values.take(pa.array(at)), other_rows.columns[column]
            # An image that lacks a cell says nothing of it.
            if column in lacks:
                newest = pc.if_else(pa.array(lacks[column][at]), other, newest)
                lacks[column][at] &= missing.get(column, np.zeros(len(at), dtype=np.bool_))
            if column in missing:
                other = pc.if_else(pa.array(missing[column]), newest, other)
            merged = column_merge(
                other, newest, before.columns[column], has_base, how.get(column, ColumnMerge.CONFLICT)
            )
            columns[column] = cells_put(values, at, merged.values)
            unknown[column][at] |= merged.conflicts
    return CrossedBases(codes, RowCells(columns), {column: mask for column, mask in unknown.items() if mask.any()})
