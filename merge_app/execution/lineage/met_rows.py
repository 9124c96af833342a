"""Rows that both sides changed: which they are, and what their images come to beside the one both know (P7, R10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa

from catalog_app.domain.schema import Schema
from catalog_app.storage.cells import RowCells
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.crossed import CrossedRow, crossed_rows
from merge_app.execution.lineage.known_rows import KnownRows
from merge_app.execution.lineage.placed import Placed
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.ascending import are_among
from merge_app.lineage.cells import ColumnMerge, cells_equal
from merge_app.lineage.deciding import source_kinds, target_kinds
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Kind, Mask, News, RowFacts, image_places
from merge_app.lineage.outcomes import Pairs, taken
from merge_app.lineage.segments import Gone, Group, ShownFile
from merge_app.lineage.sorted_join import differing_rows


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """Rows that both sides changed. ``base``: the newest fact that both know, an image or ``ABSENT``, and its stamp.
    ``is_known``: where that is known to be so. ``crossed``: rows of which both know several images, that did not know
    each other; ``several``: where one of these facts is a removal. ``known``: all that both know of the rows.
    """

    pairs: Pairs
    base: Ints
    base_stamp: Ints
    is_known: Mask
    crossed: Sequence[CrossedRow]
    several: Mask
    known: KnownRows

    @classmethod
    def of(cls, pairs: Pairs, known: KnownRows) -> Met:
        """A key without such a fact was on neither side when they met last."""
        base, stamp = known.newest(pairs.row_id)
        rows = known.ids, known.facts.value, known.facts.stamp
        crossed, several = crossed_rows(pairs.row_id, base, rows, known.reader.commits)
        is_known = (stamp > 0) | known.facts.are_all
        return cls(pairs, base, stamp, is_known, crossed, are_among(pairs.row_id, several), known)

    @property
    def source(self) -> Ints:
        """Positions on the source."""
        return self.pairs.source_at

    @property
    def target(self) -> Ints:
        """Positions on the target."""
        return self.pairs.target_at

    def decided(self, image: Ints, stamps: Ints, stay: Mask, cells: CellReader) -> Mask:
        """Where a side shows the base, and changed the row all the same. Then the base is one of several facts, or the
        side's fact did not come after it and differs from what it came after. ``stay``: where the cells are the base's.
        """
        shows: Mask = image == self.base
        found: Mask = (shows & (self.base != ABSENT) & ~stay) | (self.several & (stay | shows))
        at = np.flatnonzero((stay | (shows & (image == ABSENT))) & ~found)
        of_side = self.pairs.row_id[at], self.base[at], stamps[at], self.base_stamp[at]
        found[at] = self.known.are_changes(*of_side, partial(_differ, cells))
        return found


def met_rows(source: RowFacts, target: RowFacts, news: News) -> Pairs:
    """Rows whose facts neither side knows of the other, live on one at least."""
    pairs = differing_rows(source, target)
    of_source, of_target = (
        (taken(side.image.stamp, at, 0), taken(side.image.value, at, ABSENT))
        for side, at in ((source, pairs.source_at), (target, pairs.target_at))
    )
    is_met = (of_source[0] != of_target[0]) & news.from_source(of_source[0]) & news.from_target(of_target[0])
    at = np.flatnonzero(is_met & ((of_source[1] != ABSENT) | (of_target[1] != ABSENT)))
    return Pairs(pairs.row_id[at], pairs.source_at[at], pairs.target_at[at])


def met_places(source: RowFacts, target: RowFacts, news: News) -> Pairs:
    """Rows that both sides show, in different partitions, of which neither side knows the other's."""
    pairs = differing_rows(source, target)
    (stamps, values, images), (other_stamps, other_values, other_images) = (
        (
            taken(side.partition.stamp, at, 0),
            taken(side.partition.value, at, ABSENT),
            taken(side.image.value, at, ABSENT),
        )
        for side, at in ((source, pairs.source_at), (target, pairs.target_at))
    )
    is_met = (stamps != other_stamps) & news.from_source(stamps) & news.from_target(other_stamps)
    at = np.flatnonzero(is_met & (values != other_values) & (images != ABSENT) & (other_images != ABSENT))
    return Pairs(pairs.row_id[at], pairs.source_at[at], pairs.target_at[at])


def with_places(pairs: Pairs, places: Ints, sides: tuple[Placed, Placed], news: News) -> tuple[Placed, Placed]:
    """Both sides, of rows whose partitions met with the partition that both know (P7). What an overwrite wrote is a
    change, also where it wrote the row into the partition that it lay in.
    """
    source, target = (side.facts.image for side in sides)
    kinds = source_kinds(source.take(pairs.source_at), news), target_kinds(target.take(pairs.target_at), news)
    found = []
    for side, at, of_image in zip(sides, (pairs.source_at, pairs.target_at), kinds, strict=True):
        known = (places != ABSENT) & (of_image != Kind.OVERWRITE)
        was, was_known = np.array(side.facts.partition.was), np.array(side.facts.partition.was_known)
        was[at[known]], was_known[at[known]] = places[known], True
        partition = replace(side.facts.partition, was=was, was_known=was_known)
        found.append(replace(side, facts=replace(side.facts, partition=partition)))
    return found[0], found[1]


def with_one_past(sides: tuple[Placed, Placed], reader: Reader, schema: Schema, news: News) -> tuple[Placed, Placed]:
    """Both sides, where single cells are not read. A row that both changed is again as it was only where one newest
    image is what both know: of several that did not know each other, each is a decision (P7).
    """
    source, target = (side.facts for side in sides)
    met = met_rows(source, target, news)
    as_before = source.image.is_nothing[met.source_at] | target.image.is_nothing[met.target_at]
    at = np.flatnonzero(as_before)
    if not len(at):
        return sides
    pairs = Pairs(met.row_id[at], met.source_at[at], met.target_at[at])
    past = Met.of(pairs, KnownRows.of(reader, schema, pairs.row_id))
    if not past.crossed:
        return sides
    several = np.isin(past.base, [row.images[0] for row in past.crossed])
    decided_source, decided_target = (
        _decided(side, rows[several]) for side, rows in zip(sides, (past.source, past.target), strict=True)
    )
    return decided_source, decided_target


def _decided(side: Placed, at: Ints) -> Placed:
    """The side, with rows that are not as they were."""
    image = side.facts.image
    was_known = np.array(image.was_known)
    was_known[at] = False
    return replace(side, facts=replace(side.facts, image=replace(image, was_known=was_known)))


def with_values(
    met: Met,
    sides: tuple[Placed, Placed],
    group: Group,
    cells: CellReader,
    how: Mapping[int, ColumnMerge] | None = None,
) -> tuple[Placed, Placed]:
    """Both sides, of rows that met with their past. Equal images have one code, so that what came out alike is alike,
    and what is again as it was is no change (P7). ``how``: what becomes of a cell that both sides changed, as equal
    changes may add up.
    """
    if not len(met.source):
        return sides
    source, target = sides
    images = [source.facts.image.value[met.source], target.facts.image.value[met.target]]
    of_source = _Images.read(cells, images[0], group.source, with_keys=cells.with_keys)
    of_target = _Images.read(cells, images[1], group.target, with_keys=False)
    of_base = _Images.of_bases(cells, met.base)
    alike, stays = _alike(of_source, of_target, of_base, cells, how or {})
    images[0] = np.where(alike, images[1], images[0])
    # The partition is a cell: who moved a row that the other side took away changed it.
    kinds = source.facts.partition.kind[met.source], target.facts.partition.kind[met.target]
    of_sides = (group.source, group.source_gone), (group.target, group.target_gone)
    others = of_target, of_source
    for side, image in enumerate(images):
        moved = _moved(kinds[side], image, met.base, of_sides[side], cells.reader)
        stays[side] = stays[side] & ~(moved & ~others[side].is_there)
    decided = [
        met.decided(image, side.facts.image.stamp[at], stay, cells)
        for image, side, at, stay in zip(images, sides, (met.source, met.target), stays, strict=True)
    ]
    # An image that lacks a cell is as the base is, and as the other side's is, though these two differ.
    base_image = np.where(stays[0] & ~of_source.lacks, images[0], met.base)
    base_image = np.where(stays[1] & ~of_target.lacks, images[1], base_image)
    images[0] = np.where(stays[0] & of_source.lacks, base_image, images[0])
    images[1] = np.where(stays[1] & of_target.lacks, base_image, images[1])
    return (
        _with_past(source, met.source, images[0], base_image, met, decided[0]),
        _with_past(target, met.target, images[1], base_image, met, decided[1]),
    )


def _alike(
    of_source: _Images, of_target: _Images, of_base: _Images, cells: CellReader, how: Mapping[int, ColumnMerge]
) -> tuple[Mask, list[Mask]]:
    """Where the images of both sides are equal, and by side where its image is as the base is. Images that differ from
    the base in a column that adds up are not equal.
    """
    columns = cells.compared()
    both = of_source.is_there & of_target.is_there
    alike, differing = _compared(of_source, of_target, columns, both)
    # Nearly all columns are as they were: what tells a row from its base is read first, the rest where it does not.
    first = [c for c in columns if c in differing or how.get(c, ColumnMerge.CONFLICT) is not ColumnMerge.CONFLICT]
    stays = [of_base.is_there & side.is_there for side in (of_source, of_target)]
    for part in (first, [column for column in columns if column not in first]):
        if part:
            base = of_base.with_cells(cells, stays[0] | stays[1], part)
            stays = [
                _compared(base, side, part, stay)[0] for side, stay in zip((of_source, of_target), stays, strict=True)
            ]
            if part is first:
                sums = [column for column in part if how.get(column) is ColumnMerge.SUM]
                added = _compared(base, of_source, sums, alike & of_base.is_there)[0]
                alike &= added | ~of_base.is_there
    return alike, stays


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """Images by row, where ``is_there``. ``absent`` says which cells those lack that are there, ``unknown`` which
    are not known. ``cells``: of images that were ``read``.
    """

    codes: Ints
    is_there: Mask
    absent: Mapping[int, Mask]
    is_read: Mask
    cells: RowCells
    unknown: Mapping[int, Mask] = field(default_factory=dict)

    @classmethod
    def of(cls, cells: CellReader, codes: Ints) -> _Images:
        """Without their cells."""
        is_there = codes != ABSENT
        return cls(codes, is_there, cells.absent(codes[is_there]), np.zeros_like(is_there), RowCells({}))

    @classmethod
    def read(cls, cells: CellReader, codes: Ints, shown: Sequence[ShownFile], *, with_keys: bool) -> _Images:
        found = cls.of(cells, codes)
        read = cells.read(codes[found.is_there], shown, with_keys=with_keys, keeps=True)
        return replace(found, is_read=found.is_there, cells=read)

    def with_cells(self, cells: CellReader, at: Mask, columns: Sequence[int]) -> _Images:
        """Bases with cells of these columns, where the image is there and ``at``."""
        is_read = at & self.is_there
        read = cells.read_bases(self.codes[is_read], columns, keeps=True)
        return replace(self, is_read=is_read, cells=read)

    @classmethod
    def of_bases(cls, cells: CellReader, codes: Ints) -> _Images:
        """Bases, without their cells."""
        found = cls.of(cells, codes)
        return replace(found, unknown=cells.crossed.without(codes[found.is_there]))

    @property
    def lacks(self) -> Mask:
        """Where an image lacks a cell."""
        found = np.zeros(len(self.is_there), dtype=np.bool_)
        for absent in self.absent.values():
            found[self.is_there] |= absent
        return found


def _compared(one: _Images, other: _Images, columns: Sequence[int], at: Mask) -> tuple[Mask, set[int]]:
    """Where ``at`` and all cells are equal, and the columns in which some differ. Both images were read there. A cell
    that one lacks does not differ.
    """
    found = at.copy()
    if not found.any():
        return found, set()
    same = np.ones(int(found.sum()), dtype=np.bool_)
    differing = set()
    read = [pa.array(np.flatnonzero(at[each.is_read])) for each in (one, other)]
    for column in columns:
        first, second = (
            each.cells.columns[column].take(places) for each, places in zip((one, other), read, strict=True)
        )
        equal = cells_equal(first, second)
        for each in (one, other):
            equal |= each.absent[column][at[each.is_there]] if column in each.absent else False
            equal &= ~each.unknown[column][at[each.is_there]] if column in each.unknown else True
        if not equal.all():
            differing.add(column)
        same &= equal
    found[found] = same
    return found, differing


def _differ(cells: CellReader, one: Ints, other: Ints) -> Mask:
    """Where two images that both sides know differ in a cell, or one alone is there."""
    found = one != other
    at = np.flatnonzero(found & (one != ABSENT) & (other != ABSENT))
    if len(at):
        columns, everywhere = cells.compared(), np.ones(len(at), dtype=np.bool_)
        read = [_Images.of_bases(cells, codes[at]).with_cells(cells, everywhere, columns) for codes in (one, other)]
        found[at] = ~_compared(read[0], read[1], columns, everywhere)[0]
    return found


def _moved(
    kinds: Array, image: Ints, base: Ints, sides: tuple[Sequence[ShownFile], Sequence[Gone]], reader: Reader
) -> Mask:
    """Where an image lies in another partition than its side has or had the base in, and no rename or restore says so.
    ``sides``: the files that the side shows, and those that it took away. A rename before moved both.
    """
    found: Mask = (image != ABSENT) & (base != ABSENT) & (kinds == Kind.UPDATE)
    if found.any():
        lies = {item.file_id: item.partition for items in sides[::-1] for item in items}

        def places(images: Ints) -> Ints:
            files, at = np.unique(image_places(images)[0], return_inverse=True)
            codes = [reader.code(lies.get(i, reader.scans[i].partition)) for i in files.tolist()]
            return np.array(codes, dtype=np.int64)[at.reshape(-1)]

        found[found] = places(image[found]) != places(base[found])
    return found


def _with_past(side: Placed, at: Ints, values: Ints, base: Ints, met: Met, decided: Mask) -> Placed:
    image = side.facts.image

    def put(column: Array, found: Array | bool) -> Array:
        column = np.array(column)
        column[at] = found
        return column

    facts = FactColumns(
        image.stamp,
        image.kind,
        put(image.value, values),
        image.brings_stamp,
        image.brings_kind,
        put(image.was, np.where(met.is_known, base, image.was[at])),
        put(image.was_stamp, np.where(met.is_known, met.base_stamp, image.was_stamp[at])),
        put(image.was_known, (met.is_known | image.was_known[at]) & ~decided),
    )
    return replace(side, facts=replace(side.facts, image=facts))
