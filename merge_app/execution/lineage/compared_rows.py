"""Pages of rows that either side of a merge changed: each as the merge looks at it, with what becomes of it.

A row is compared with the newest image that both sides know. Rows in conflict are those that refuse the merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import Behind, RowConflicts
from catalog_app.domain.schema import Schema
from catalog_app.engine.answers import json_rows
from catalog_app.engine.values import QueryResult
from merge_app.execution.lineage.cells import met_rows
from merge_app.execution.lineage.keys import met_by_row
from merge_app.execution.lineage.looked_at import LookedAt, RefusedRow
from merge_app.execution.lineage.shown_rows import UNMOVED, rows_shown
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Mask
from merge_app.lineage.outcomes import Outcome, taken
from merge_app.lineage.result_rows import result_partitions

SOURCE, TARGET = 0, 1
SNAPSHOTS = 4
"""Base, source, target and result."""


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side's facts of the pairs. ``image``: where the row lies; ``value``: its code among the facts."""

    image: Ints
    value: Ints
    partition: Array
    is_news: Mask
    is_placed: Mask
    is_nothing: Mask

    @classmethod
    def of(cls, looked_at: LookedAt, number: int) -> _Side:
        pairs, side = looked_at.merged.pairs, looked_at.sides[number]
        at = (pairs.source_at, pairs.target_at)[number]
        news = (looked_at.news.from_source, looked_at.news.from_target)[number]
        files, positions = taken(side.file, at, 0), taken(side.position, at, 0)
        image, partition = side.facts.image, side.facts.partition
        other = looked_at.sides[1 - number].facts
        other_at = (pairs.target_at, pairs.source_at)[number]
        stamps = taken(image.stamp, at, 0)
        placed = taken(partition.stamp, at, 0)
        return cls(
            np.where(files > 0, (files << 32) + positions, ABSENT),
            taken(image.value, at, ABSENT),
            taken(partition.value, at, ABSENT),
            news(stamps) & (stamps != taken(other.image.stamp, other_at, 0)),
            news(placed) & (placed != taken(other.partition.stamp, other_at, 0)),
            _nothing(image, at),
        )

    @property
    def is_live(self) -> Mask:
        return np.asarray(self.image != ABSENT, dtype=np.bool_)


def _nothing(image: FactColumns, at: Array) -> Mask:
    """Where the row is again as it was (P7)."""
    found = np.zeros(len(at), dtype=np.bool_)
    has = np.flatnonzero(at >= 0)
    found[has] = image.take(at[has]).is_nothing
    return found


@dataclass
class ComparedRows:
    """The rows that a merge looked at, in the order of pages: conflicts first, each part by the text of the key."""

    looked_at: LookedAt
    schema: Schema
    only_conflicts: bool = False
    _sides: tuple[_Side, _Side] = field(init=False)
    _base: Ints = field(init=False)
    _order: list[tuple[bool, str, int]] = field(init=False)
    """Whether it conflicts not, key, and position among the pairs."""

    def __post_init__(self) -> None:
        self._sides = _Side.of(self.looked_at, SOURCE), _Side.of(self.looked_at, TARGET)
        self._base = self._bases()
        refused = self.looked_at.conflicts
        listed = [(False, row.key, at) for at, row in refused.items()]
        if not self.only_conflicts:
            others = np.array([at for at in self._changed() if at not in refused], dtype=np.int64)
            listed += [(True, key, int(at)) for at, key in zip(others, self._keys(others), strict=True)]
        self._order = sorted(listed)

    @property
    def conflicts(self) -> tuple[RowConflicts, ...]:
        return self.looked_at.judged.conflicts if self.looked_at.judged is not None else ()

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> QueryResult:
        """The rows behind a place, or of one key. A row that is left open has no result."""
        found = self._order if key is None else [item for item in self._order if item[1] == key]
        if behind is not None:
            found = [item for item in found if item[:2] > (not behind.is_conflict, behind.key)]
        end = min(limit, len(found))
        # Rows of one key are not parted: the next page begins behind a key.
        while 0 < end < len(found) and found[end][:2] == found[end - 1][:2]:
            end += 1
        at = np.array([item[2] for item in found[:end]], dtype=np.int64)
        rows = [
            [item[1], not item[0], self._row(item).is_left, *changes, *(image is not None for image in images), *cells]
            for item, changes, images in zip(found[:end], self._changes(at), self._images(at), strict=True)
            for cells in [[value for image in images for value in image or [None] * len(self.schema.columns)]]
        ]
        return QueryResult((), rows, len(found) > end)

    def _row(self, item: tuple[bool, str, int]) -> RefusedRow:
        return self.looked_at.conflicts.get(item[2], RefusedRow(item[1], is_left=False))

    # -- what either side did ---------------------------------------------------------------------------------------

    def _bases(self) -> Ints:
        """The newest images that both sides know. A fact that is no news is known to both."""
        mine, theirs = self._sides
        base = np.where(theirs.is_news, mine.image, theirs.image)
        both = np.flatnonzero(mine.is_news & theirs.is_news)
        base[both] = self._shared(both)
        return base

    def _shared(self, at: Ints) -> Ints:
        """The same of rows that both sides changed."""
        pairs, sides = self.looked_at.merged.pairs, self.looked_at.sides
        found = np.full(len(at), ABSENT, dtype=np.int64)
        if not self.schema.is_keyed:
            met = met_rows(sides[0].facts, sides[1].facts, self.looked_at.news)
            images = met_by_row(self.looked_at.cells.reader, met, self.looked_at.reaches).base
            place = np.searchsorted(pairs.row_id[at], met.row_id)
            found[place] = images
            return found
        for image, places in ((sides[1].facts.image, pairs.target_at), (sides[0].facts.image, pairs.source_at)):
            has = np.flatnonzero(places[at] >= 0)
            has = has[image.was_known[places[at][has]]]
            found[has] = image.was[places[at][has]]
        return found

    def _kinds(self, number: int) -> Array:
        """What a side did to each row: the place of it in ``_DONE``."""
        side, has_base = self._sides[number], self._base != ABSENT
        is_changed = side.is_news & ~side.is_nothing
        is_moved = side.is_placed & side.is_live & has_base
        found = np.zeros(len(self._base), dtype=np.int8)
        found[is_moved] = _UPDATED
        found[is_changed & side.is_live] = _UPDATED
        found[is_changed & side.is_live & ~has_base] = _INSERTED
        found[is_changed & ~side.is_live] = 0
        found[is_changed & ~side.is_live & has_base] = _DELETED
        return found

    def _changed(self) -> list[int]:
        found: list[int] = np.flatnonzero((self._kinds(SOURCE) > 0) | (self._kinds(TARGET) > 0)).tolist()
        return found

    def _changes(self, at: Ints) -> Iterator[list[str | None]]:
        mine, theirs = self._kinds(SOURCE)[at].tolist(), self._kinds(TARGET)[at].tolist()
        return ([_DONE[one], _DONE[other]] for one, other in zip(mine, theirs, strict=True))

    # -- what is shown ----------------------------------------------------------------------------------------------

    def _keys(self, at: Ints) -> Sequence[str]:
        """Keys as JSON; without a primary key row ids."""
        if not self.schema.is_keyed:
            return [str(row_id) for row_id in self.looked_at.merged.pairs.row_id[at].tolist()]
        wanted = Schema(
            columns=tuple(
                column
                for column in self.schema.columns
                if column.id in self.schema.primary_key or column.id in self.schema.partition_by
            ),
            primary_key=self.schema.primary_key,
            partition_by=self.schema.partition_by,
        )
        images, partitions = self._named_by(at)
        return [row[-1] for row in rows_shown(self.looked_at.cells.reader, wanted, images, partitions, with_keys=True)]

    def _named_by(self, at: Ints) -> tuple[Ints, Array]:
        """The image that has the row's key, and where it lies."""
        images, partitions = self._base[at].copy(), np.full(len(at), UNMOVED, dtype=np.int64)
        for side in (self._sides[TARGET], self._sides[SOURCE]):
            here = side.is_live[at]
            images[here], partitions[here] = side.image[at][here], side.partition[at][here]
        return images, partitions

    def _images(self, at: Ints) -> Iterator[tuple[list[Any] | None, ...]]:
        """The rows in base, source, target and result."""
        base = self._read(self._base[at], np.full(len(at), UNMOVED, dtype=np.int64))
        mine, theirs = (self._read(side.image[at], side.partition[at]) for side in self._sides)
        return zip(base, mine, theirs, self._results(at, mine, theirs), strict=True)

    def _read(self, images: Ints, partitions: Array) -> list[list[Any] | None]:
        found: list[list[Any] | None] = [None] * len(images)
        there = np.flatnonzero(images != ABSENT)
        rows = rows_shown(self.looked_at.cells.reader, self.schema, images[there], partitions[there])
        for place, row in zip(there.tolist(), rows, strict=True):
            found[place] = row
        return found

    def _results(
        self, at: Ints, mine: list[list[Any] | None], theirs: list[list[Any] | None]
    ) -> list[list[Any] | None]:
        """The rows after the merge."""
        merged, sides = self.looked_at.merged, self.looked_at.sides
        facts = sides[0].facts, sides[1].facts
        values = merged.row_facts(*facts, 0).value[at]
        partitions = result_partitions(merged, *facts)[at]
        outcome = merged.rows.outcome[at]
        is_source = np.isin(outcome, (Outcome.SOURCE, Outcome.SOURCE_DECIDED))
        made = {int(place): number for number, place in enumerate(self.looked_at.made.at)}
        found: list[list[Any] | None] = [None] * len(at)
        apart: list[int] = []
        for number, place in enumerate(at.tolist()):
            refused = self.looked_at.conflicts.get(place)
            if (refused is not None and refused.is_left) or values[number] == ABSENT:
                continue
            here = SOURCE if is_source[number] else TARGET
            if place in made:
                found[number] = self._made(made[place], (mine, theirs), number, at, partitions[number])
            elif self._sides[here].partition[place] == partitions[number]:
                found[number] = (mine, theirs)[here][number]
            else:
                apart.append(number)
        images = np.where(is_source, self._sides[SOURCE].image[at], self._sides[TARGET].image[at])
        for number, row in zip(apart, self._read(images[apart], partitions[apart]), strict=True):
            found[number] = row
        return found

    def _made(
        self, place: int, shown: tuple[list[list[Any] | None], ...], number: int, at: Ints, partition: int
    ) -> list[Any]:
        """An image of the merge's own: its cells, and the partition columns of the side that has the row there."""
        cells = self.looked_at.made.cells.columns
        one = [cells[column.id].slice(place, 1) for column in self.schema.columns]
        (row,) = json_rows(pa.Table.from_arrays(one, names=[str(n) for n in range(len(one))]))
        for side in (SOURCE, TARGET):
            held = shown[side][number]
            if held is not None and self._sides[side].partition[at[number]] == partition:
                for n, column in enumerate(self.schema.columns):
                    if column.id in self.schema.partition_by:
                        row[n] = held[n]
        return row


_INSERTED, _UPDATED, _DELETED = 1, 2, 3
_DONE: Sequence[str | None] = (
    None,
    OperationKind.INSERT.value,
    OperationKind.UPDATE.value,
    OperationKind.DELETE.value,
)
