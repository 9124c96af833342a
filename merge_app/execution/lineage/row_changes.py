"""What either side of a merge did to the rows that the merge looked at, beside the newest image that both know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.schema import Schema
from merge_app.execution.lineage.known_rows import KnownRows
from merge_app.execution.lineage.looked_at import LookedAt
from merge_app.execution.lineage.met_rows import met_rows
from merge_app.execution.lineage.shown_rows import UNMOVED, Row, rows_named, rows_there
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Mask
from merge_app.lineage.outcomes import taken
from merge_app.lineage.segments import ShownFile

SOURCE, TARGET = 0, 1
INSERTED, UPDATED, DELETED = 1, 2, 3
DONE: Sequence[str | None] = (
    None,
    OperationKind.INSERT.value,
    OperationKind.UPDATE.value,
    OperationKind.DELETE.value,
)
"""What a side did to a row, by its number."""


@dataclass(frozen=True, slots=True, eq=False)
class SideRows:
    """One side's facts of the pairs. ``image``: where the row lies, by code. ``is_news``, ``is_placed``: where the
    other side does not know the fact of the row, and of its partition. ``is_nothing``: where it is again as it was.
    """

    image: Ints
    partition: Array
    is_news: Mask
    is_placed: Mask
    is_nothing: Mask

    @classmethod
    def of(cls, looked_at: LookedAt, number: int) -> SideRows:
        side, other = looked_at.sides[number].facts, looked_at.sides[1 - number].facts
        at, other_at = looked_at.at(number), looked_at.at(1 - number)
        news = (looked_at.news.from_source, looked_at.news.from_target)[number]

        def is_news(own: FactColumns, others: FactColumns) -> Mask:
            stamps = taken(own.stamp, at, 0)
            return news(stamps) & (stamps != taken(others.stamp, other_at, 0))

        return cls(
            looked_at.sides[number].images(at),
            looked_at.partition(number),
            is_news(side.image, other.image),
            is_news(side.partition, other.partition),
            _nothing(side.image, at),
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


@dataclass(eq=False)
class RowChanges:
    """The rows by their positions among the pairs. ``base``: the newest images that both sides know; ``base_in``: by
    code, where these lie as far as both know.
    """

    looked_at: LookedAt
    schema: Schema
    sides: tuple[SideRows, SideRows] = field(init=False)
    base: Ints = field(init=False)
    base_in: Array = field(init=False)

    def __post_init__(self) -> None:
        self.sides = SideRows.of(self.looked_at, SOURCE), SideRows.of(self.looked_at, TARGET)
        self.base = self._bases()
        self.base_in = self._bases_in()

    def shown(self, at: Ints) -> tuple[list[Row], list[Row], list[Row]]:
        """Rows in base, source and target, read at once."""
        images = [self.base[at], *(side.image[at] for side in self.sides)]
        partitions = [self.base_in[at], *(side.partition[at] for side in self.sides)]
        found = self.read(np.concatenate(images), np.concatenate(partitions))
        return found[: len(at)], found[len(at) : 2 * len(at)], found[2 * len(at) :]

    def read(self, images: Ints, partitions: Array) -> list[Row]:
        """Rows by their images and where they lie."""
        return rows_there(self.looked_at.cells.reader, self.schema, images, partitions)

    def row_ids(self, number: int) -> Ints:
        """Those of a side, else of the other."""
        of_sides = self.looked_at.row_ids
        own, other = of_sides[number], of_sides[1 - number]
        return np.where(own > 0, own, other)

    def fresh(self, number: int) -> list[ShownFile]:
        """The side's files of rows that the other side does not know, none of which is among the pairs."""
        groups = self.looked_at.fresh
        files = (file for group in groups for file in (group.source, group.target)[number])
        return sorted(files, key=lambda file: file.smallest)

    def named_by(self, at: Ints, number: int = SOURCE) -> tuple[Ints, Array]:
        """By row an image that names it, and where that lies: of the side, else of the other, else of the base."""
        images, partitions = self.base[at].copy(), self.base_in[at].copy()
        for side in (self.sides[1 - number], self.sides[number]):
            live = side.is_live[at]
            images[live], partitions[live] = side.image[at][live], side.partition[at][live]
        return images, partitions

    def names(self, images: Ints, partitions: Array, columns: Sequence[int]) -> list[str]:
        """The cells of images in these columns as JSON."""
        return rows_named(self.looked_at.cells.reader, self.schema, images, partitions, columns)

    def _bases(self) -> Ints:
        """The newest images that both sides know. A fact that is no news is known to both."""
        source, target = self.sides
        base = np.where(target.is_news, source.image, target.image)
        both = np.flatnonzero(source.is_news & target.is_news)
        base[both] = self._shared(both)
        return base

    def _bases_in(self) -> Array:
        """A side that did not move a row has it where both know it; of one that both moved, the file tells."""
        source, target = self.sides
        found = np.full(len(self.base), UNMOVED, dtype=np.int64)
        for side in (source, target):
            stays = side.is_live & ~side.is_placed
            found[stays] = side.partition[stays]
        return found

    def _shared(self, at: Ints) -> Ints:
        """The same of rows that both sides changed."""
        pairs, sides = self.looked_at.merged.pairs, self.looked_at.sides
        found = np.full(len(at), ABSENT, dtype=np.int64)
        if not self.schema.is_keyed:
            met = met_rows(sides[0].facts, sides[1].facts, self.looked_at.news)
            images, _ = KnownRows.of(self.looked_at.cells.reader, self.schema, met.row_id).newest(met.row_id)
            place = np.searchsorted(pairs.row_id[at], met.row_id)
            found[place] = images
            return found
        for image, places in ((sides[1].facts.image, pairs.target_at), (sides[0].facts.image, pairs.source_at)):
            has = np.flatnonzero(places[at] >= 0)
            has = has[image.was_known[places[at][has]]]
            found[has] = image.was[places[at][has]]
        return found

    def kinds(self, number: int) -> Array:
        """What a side did to each row: the place of it in ``DONE``."""
        side, has_base = self.sides[number], self.base != ABSENT
        is_changed = side.is_news & ~side.is_nothing
        is_moved = side.is_placed & side.is_live & has_base
        found = np.zeros(len(self.base), dtype=np.int8)
        found[is_moved] = UPDATED
        found[is_changed & side.is_live] = UPDATED
        found[is_changed & side.is_live & ~has_base] = INSERTED
        found[is_changed & ~side.is_live] = 0
        found[is_changed & ~side.is_live & has_base] = DELETED
        return found
