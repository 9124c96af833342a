"""Cells of rows that both sides changed (lineage §5, R10): data columns of two images and of the one that both know.

Where a row lies says its partition, which is a fact of its own: partition columns are read, and not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.checks import columns_read, condition_shown
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Schema
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import InvalidValue
from lakeui.common.records import record
from merge_app.execution.lineage.crossed import CrossedBases, CrossedRow, crossed_bases
from merge_app.execution.lineage.placed import Placed, image_places
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.ascending import ascending
from merge_app.lineage.cells import ColumnMerge, cells_equal, column_merge
from merge_app.lineage.choices import Choices
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Kind, Mask, News, RowFacts
from merge_app.lineage.outcomes import CONFLICT, NO_BASE, Outcome, Pairs, TableOutcome, taken
from merge_app.lineage.segments import Gone, Group, ShownFile
from merge_app.lineage.sorted_join import differing_rows

NEW = 1 << 61
"""From here on codes of images that the merge makes, in the order in which it made them."""


Absent = Callable[[Ints], Mapping[int, Mask]]


def no_column_absent(images: Ints) -> Mapping[int, Mask]:
    """Of a table without columns that one side dropped."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """Images that were read: in order, where each stands among ``cells``, and in which partitions they were read."""

    images: Ints
    places: Ints
    read_in: Mapping[int, PartitionValues]
    cells: RowCells

    def take(self, images: Ints) -> RowCells | None:
        """The images, where all of them are here."""
        if not len(self.images):
            return None
        at = np.minimum(np.searchsorted(self.images, images), len(self.images) - 1)
        return self.cells.take(self.places[at]) if np.array_equal(self.images[at], images) else None


@dataclass(slots=True)
class CellReader:
    """Reads images of one table under the merged ``schema``. ``with_keys``: with primary keys as JSON.
    ``absent``: by column that one side dropped, where images lie in files without it. ``generated``: by column that is
    no cell of its own, the SQL over the others. ``crossed``: bases that no image shows. ``_kept``: images that are
    asked for again.
    """

    schema: Schema
    reader: Reader
    with_keys: bool = False
    absent: Absent = no_column_absent
    generated: Mapping[int, str] = field(default_factory=dict)
    crossed: CrossedBases = field(default_factory=CrossedBases)
    _kept: list[_Kept] = field(default_factory=list)

    def read(
        self,
        images: Ints,
        shown: Sequence[ShownFile] = (),
        *,
        with_keys: bool | None = None,
        columns: Collection[int] | None = None,
        keeps: bool = False,
    ) -> RowCells:
        """Images by code, in their order. ``shown``: the files of the side that has them. ``with_keys``: not as the
        reader has them. ``columns``: these alone and those of the partition. ``keeps``: until ``forget``.
        """
        has_keys = self.with_keys if with_keys is None else with_keys
        schema = self.schema if columns is None else self._narrowed(columns)
        if not len(images):
            texts = tuple(pa.nulls(0, pa.string()) for _ in schema.partition_by)
            return RowCells({column.id: pa.nulls(0) for column in schema.columns}, texts)
        files, positions = image_places(images)
        partitions = {file.file_id: file.partition for file in shown}
        wanted = [column.id for column in schema.columns]
        for kept in self._kept:
            is_whole = kept.cells.columns.keys() >= set(wanted) and (kept.cells.keys or not has_keys)
            known = kept.take(images) if kept.read_in == partitions and is_whole else None
            if known is not None:
                return known
        named = ascending(files)
        scan = self.reader.scan(named.tolist(), schema)
        moved = tuple(
            replace(file, partition=partitions[file.file_id], is_moved=True)
            if partitions.get(file.file_id, file.partition) != file.partition
            else file
            for file in scan.files
        )
        bases = np.array([file.base for file in moved], dtype=np.int64)
        addresses = bases[np.searchsorted(named, files)] + positions
        found = self.reader.engine().cells_read(replace(scan, files=moved), addresses, with_keys=has_keys)
        if keeps:
            ordered, first = np.unique(images, return_index=True)
            self._kept.append(_Kept(ordered, first, partitions, found))
        return found

    def cross(self, rows: Sequence[CrossedRow], how: Mapping[int, ColumnMerge]) -> None:
        """Put the bases of rows that were merged crosswise in the places of their newest images."""
        found = crossed_bases(rows, lambda images: self.read(images, with_keys=False), self.absent, how)
        self.crossed = replace(found, cells=self.computed(found.cells), unknown=self._unknown(found.unknown))

    def read_bases(self, images: Ints, columns: Collection[int], *, keeps: bool = False) -> RowCells:
        """Images as bases, with their cells in these columns."""
        return self.crossed.put(images, self.read(images, with_keys=False, columns=columns, keeps=keeps))

    def _narrowed(self, columns: Collection[int]) -> Schema:
        wanted = {*columns, *self.schema.partition_by}
        narrow = tuple(column for column in self.schema.columns if column.id in wanted)
        return Schema(columns=narrow, partition_by=self.schema.partition_by)

    def _unknown(self, unknown: Mapping[int, Mask]) -> dict[int, Mask]:
        """A generated column is unknown where a cell is that it reads."""
        found = {column: mask for column, mask in unknown.items() if column not in self.generated}
        for column, stored in self.generated.items():
            read = [unknown[i] for i in columns_read(stored) if i in unknown]
            if read:
                found[column] = np.any(read, axis=0)
        return found

    def computed(self, cells: RowCells) -> RowCells:
        """The rows with their generated columns as they follow from the other cells. The partition is where a row
        lies: a column of it stays. Where an expression has no value, the constraint of the column refuses the row.
        """
        values = {
            column_id: condition_shown(stored, self.schema)
            for column_id, stored in self.generated.items()
            if column_id not in self.schema.partition_by
        }
        if not values or not cells.columns or not len(next(iter(cells.columns.values()))):
            return cells
        try:
            return self.reader.engine().cells_computed(self.schema, cells, values)
        except InvalidValue:
            return cells

    def forget(self) -> None:
        """Let go of the images that were kept."""
        self._kept.clear()

    def compared(self) -> list[int]:
        """The columns whose cells are compared."""
        return [column.id for column in self.schema.columns if column.id not in self.schema.partition_by]


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """Rows that both sides changed. ``source``, ``target``: positions on the sides; ``base``: the newest image that
    both know, ``ABSENT`` for none, and its stamp. ``is_known``: where that is known to be so. ``crossed``: rows of
    which both know several, that did not know each other.
    """

    source: Ints
    target: Ints
    base: Ints
    base_stamp: Ints
    is_known: Mask
    crossed: Sequence[CrossedRow] = ()


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
    source_images, target_images = source.facts.image.value[met.source], target.facts.image.value[met.target]
    merges = how or {}
    of_source = _Images.read(cells, source_images, group.source, with_keys=cells.with_keys)
    of_target = _Images.read(cells, target_images, group.target, with_keys=False)
    columns = cells.compared()
    both = of_source.is_there & of_target.is_there
    alike, differing = _compared(of_source, of_target, columns, both)
    # Nearly all columns are as they were: what tells a row from its base is read first, the rest where it does not.
    first = [c for c in columns if c in differing or merges.get(c, ColumnMerge.CONFLICT) is not ColumnMerge.CONFLICT]
    of_base = _Images.of_bases(cells, met.base)
    stays = [of_base.is_there & side.is_there for side in (of_source, of_target)]
    for part in (first, [column for column in columns if column not in first]):
        if part:
            base = of_base.with_cells(cells, stays[0] | stays[1], part)
            stays = [
                _compared(base, side, part, stay)[0] for side, stay in zip((of_source, of_target), stays, strict=True)
            ]
            if part is first:
                sums = [column for column in part if merges.get(column) is ColumnMerge.SUM]
                added = _compared(base, of_source, sums, alike & of_base.is_there)[0]
                alike &= added | ~of_base.is_there
    source_images = np.where(alike, target_images, source_images)
    # The partition is a cell: who moved a row that the other side took away changed it.
    kinds = source.facts.partition.kind[met.source], target.facts.partition.kind[met.target]
    of_sides = (group.source, group.source_gone), (group.target, group.target_gone)
    moved = [
        _moved(kind, image, met.base, of_side, cells.reader) & ~other.is_there
        for kind, image, of_side, other in zip(
            kinds, (source_images, target_images), of_sides, (of_target, of_source), strict=True
        )
    ]
    stays = [stay & ~away for stay, away in zip(stays, moved, strict=True)]
    # The newest of several images is no base of its own: who shows it decided against the others.
    decided = [
        (image == met.base) & of_base.is_there & ~stay
        for image, stay in zip((source_images, target_images), stays, strict=True)
    ]
    # An image that lacks a cell is as the base is, and as the other side's is, though these two differ.
    base_image = np.where(stays[0] & ~of_source.lacks, source_images, met.base)
    base_image = np.where(stays[1] & ~of_target.lacks, target_images, base_image)
    source_images = np.where(stays[0] & of_source.lacks, base_image, source_images)
    target_images = np.where(stays[1] & of_target.lacks, base_image, target_images)
    return (
        _with_past(source, met.source, source_images, base_image, met, decided[0]),
        _with_past(target, met.target, target_images, base_image, met, decided[1]),
    )


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


@record(frozen=True, slots=True, eq=False)
class CellConflict:
    """A row of which both sides changed a cell differently. ``is_left``: undecided. ``image``: that of the source."""

    key: str
    image: int
    has_base: bool
    is_left: bool


@dataclass(frozen=True, slots=True, eq=False)
class MadeRows:
    """Images that the merge makes, by the positions of their rows among the pairs."""

    at: Ints
    cells: RowCells


NOTHING_MADE = MadeRows(np.zeros(0, dtype=np.int64), RowCells({}))


@dataclass(slots=True)
class Cells:
    """What ``table_merge`` asks for merged images. ``made``: these, in the order of their codes."""

    reader: CellReader
    group: Group
    how: Mapping[int, ColumnMerge] = field(default_factory=dict)
    choices: Choices | None = None
    made: RowCells | None = None
    conflicts: list[CellConflict] = field(default_factory=list)

    def __call__(self, source: Ints, target: Ints, base: Ints) -> Ints:
        """``CONFLICT`` where both sides changed one cell differently and nothing decides it."""
        has_base = base != NO_BASE
        source_rows = self.reader.read(source, self.group.source)
        target_rows = self.reader.read(target, self.group.target, with_keys=False)
        absent = [self.reader.absent(images) for images in (source, target)]
        sides = {column: _sides(column, source_rows, target_rows, absent) for column in self.reader.compared()}
        columns = {**target_rows.columns, **{column: other for column, (_, other) in sides.items()}}
        # Where both sides have the same the base says nothing, unless equal changes add up.
        asked = {
            column: how
            for column, (ours, other) in sides.items()
            if column not in self.reader.generated
            and (
                (how := self.how.get(column, ColumnMerge.CONFLICT)) is not ColumnMerge.CONFLICT
                or not cells_equal(ours, other).all()
            )
        }
        before = self._before(base, has_base, asked, target_rows)
        clashes: dict[int, Mask] = {}
        unknown = self.reader.crossed.without(base)
        for column, how in asked.items():
            is_base = has_base & ~unknown[column] if column in unknown else has_base
            merged = column_merge(*sides[column], before[column], is_base, how)
            columns[column], clashes[column] = merged.values, merged.conflicts
        left = np.zeros(len(source), dtype=np.bool_)
        for clash in clashes.values():
            left |= clash
        is_conflict = left.copy()
        if self.choices is not None and left.any():
            columns, left = self.choices.decide(source_rows, target_rows, columns, clashes)
        self.made = RowCells(columns, target_rows.partition, source_rows.keys)
        for at in np.flatnonzero(is_conflict).tolist():
            key = source_rows.keys[at] if source_rows.keys else ""
            self.conflicts.append(CellConflict(key, int(source[at]), bool(has_base[at]), bool(left[at])))
        return np.where(left, CONFLICT, NEW + np.arange(len(source), dtype=np.int64))

    def _before(self, base: Ints, has_base: Mask, columns: Collection[int], target: RowCells) -> Mapping[int, Any]:
        """These cells of the base; without one they are not looked at."""
        if not (has_base.any() and columns):
            return target.columns
        found = self.reader.read_bases(base[has_base], columns)
        place = pa.array(np.maximum(np.cumsum(has_base) - 1, 0))
        return {column: found.columns[column].take(place) for column in columns}

    def of(self, merged: TableOutcome) -> MadeRows:
        """The images among these that no scope took away."""
        rows = merged.rows
        is_new = rows.given >= NEW
        at, given = rows.given_at[is_new], rows.given[is_new]
        stays = rows.outcome[at] == Outcome.CELLS
        if self.made is None or not stays.any():
            return NOTHING_MADE
        return MadeRows(at[stays], self.made.take(given[stays] - NEW))


def _sides(column: int, source: RowCells, target: RowCells, absent: Sequence[Mapping[int, Mask]]) -> tuple[Any, Any]:
    """The cells of both sides. A side that dropped the column says nothing of them."""
    ours, other = source.columns[column], target.columns[column]
    if column in absent[0]:
        ours = pc.if_else(pa.array(absent[0][column]), other, ours)
    if column in absent[1]:
        other = pc.if_else(pa.array(absent[1][column]), ours, other)
    return ours, other
