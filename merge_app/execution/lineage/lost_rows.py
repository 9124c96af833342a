"""What is left out of one side's rows: net changes that the other side does not show, values without a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from catalog_app.domain.row_counts import EXAMPLES_SHOWN, Counted, RowCounts, telling_columns, told_apart
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType
from catalog_app.engine.types import is_arrow_writable
from lakeui.common.errors import ResultTooLarge
from merge_app.execution.lineage.row_changes import DELETED, INSERTED, SOURCE, TARGET, UPDATED, RowChanges
from merge_app.execution.lineage.shown_rows import cells_there, rows_named, rows_there
from merge_app.lineage.ascending import without
from merge_app.lineage.cells import cells_equal
from merge_app.lineage.facts import ABSENT, Array, Ints, Mask, image_codes
from merge_app.lineage.result_rows import positions_masked
from merge_app.lineage.segments import ShownFile
from merge_app.planning.left_out import LeftPart

READ_AT_ONCE = 10_000
"""So many rows are read at once to see whether they differ, fewer where they are long."""
PROBED, COMPARED_AT_ONCE = 1_000, 100_000
"""The same of rows that are compared column by column: of the first all columns are read."""


def lost_rows(changes: RowChanges, *, of_source: bool) -> RowCounts:
    """``of_source``: that side is left out. A row that both sides show alike, or neither shows, is not lost."""
    number = SOURCE if of_source else TARGET
    kinds, (source, target) = changes.kinds(number), changes.sides
    both = np.flatnonzero((kinds > 0) & source.is_live & target.is_live)
    kinds[both[_alike(changes, both)]] = 0
    kinds[~(source.is_live | target.is_live)] = 0
    known = [_of_pairs(changes, number, np.flatnonzero(kinds == kind)) for kind in (INSERTED, UPDATED, DELETED)]
    new = _of_files(changes, number, lambda _, positions: positions)
    named = _Naming(changes, changes.schema, tuple(column.id for column in telling_columns(changes.schema)))
    return RowCounts(named.counted(known[0], new), named.counted(known[1]), named.counted(known[2]))


def lost_values(changes: RowChanges, number: int, schema: Schema, part: LeftPart) -> Counted:
    """The values that a side's net changes put into a column of its ``schema``, or into a field of one. Each is another
    than in the newest image of the row which both sides know. The examples hold the column's value too.
    """
    column, values = part.column, _Values(changes, schema, part.column, part.way)
    side, kinds = changes.sides[number], changes.kinds(number)
    at = np.flatnonzero((kinds == INSERTED) | (kinds == UPDATED))
    at = at[values.differ((changes.base[at], changes.base_in[at]), (side.image[at], side.partition[at]))]
    first = at[np.argsort(changes.row_ids(number)[at], kind="stable")[:EXAMPLES_SHOWN]]
    known = _Found(len(at), changes.row_ids(number)[first], side.image[first], side.partition[first])
    shown = dict.fromkeys((*(naming.id for naming in telling_columns(schema)), column.id))
    return _Naming(changes, schema, tuple(shown), (column.name,)).counted(
        known, _of_files(changes, number, values.held)
    )


def _alike(changes: RowChanges, at: Ints) -> Mask:
    """Where both sides show the same values. One image at one place is the same."""
    source, target = changes.sides
    found = np.asarray(source.partition[at] == target.partition[at], dtype=np.bool_)
    is_other = found & (source.image[at] != target.image[at])
    left = at[is_other]
    if all(is_arrow_writable(column.type) for column in changes.schema.columns):
        found[is_other] = _equal(changes, source.image[left], target.image[left])
        return found

    def same(part: slice) -> list[bool]:
        shown = (changes.read(side.image[left[part]], side.partition[left[part]]) for side in (source, target))
        return [one == other for one, other in zip(*shown, strict=True)]

    found[is_other] = _by_parts(len(left), same)
    return found


def _equal(changes: RowChanges, source: Ints, target: Ints) -> Mask:
    """Where images have equal cells beside their partitions. Columns in which rows before differ are read first: of
    rows that differ in them no other column is read.
    """
    reader, by = changes.looked_at.cells.reader, changes.schema.partition_by
    columns = tuple(column for column in changes.schema.columns if column.id not in by)
    ends = [0, *range(min(PROBED, len(source)), len(source), COMPARED_AT_ONCE), len(source)]
    first: tuple[Column, ...] = ()
    found = []
    for start, end in pairwise(ends):
        alike, differing = np.ones(end - start, dtype=np.bool_), []
        for wanted in (first, tuple(column for column in columns if column not in first)):
            at = np.flatnonzero(alike)
            if wanted and len(at):
                one, other = (cells_there(reader, wanted, side[start:end][at]).columns for side in (source, target))
                equal = [cells_equal(one[column.id], other[column.id]) for column in wanted]
                alike[at] = np.logical_and.reduce(equal)
                differing += [column for column, mask in zip(wanted, equal, strict=True) if not mask.all()]
        first = tuple(differing)
        found.append(alike)
    return np.concatenate(found)


def _by_parts(rows: int, judged: Callable[[slice], list[bool]]) -> Mask:
    """What is judged of rows, of which as many are read at once as an answer holds."""
    found = np.zeros(rows, dtype=np.bool_)
    start, size = 0, READ_AT_ONCE
    while start < rows:
        part = slice(start, min(start + size, rows))
        try:
            found[part] = judged(part)
        except ResultTooLarge:
            if part.stop - start == 1:
                raise
            size = (part.stop - start + 1) // 2
        else:
            start = part.stop
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """How many rows there are, and of the first the row ids, images and where these lie."""

    rows: int
    row_ids: Ints
    images: Ints
    partitions: Array


def _of_pairs(changes: RowChanges, number: int, at: Ints) -> _Found:
    row_ids = changes.row_ids(SOURCE)[at]
    first = np.argsort(row_ids, kind="stable")[:EXAMPLES_SHOWN]
    return _Found(len(at), row_ids[first], *changes.named_by(at[first], number))


def _of_files(changes: RowChanges, number: int, chosen: Callable[[ShownFile, Ints], Ints]) -> _Found:
    """Rows that the other side does not know. ``chosen``: those that count, of the live positions of a file."""
    reader = changes.looked_at.cells.reader
    rows = 0
    first: list[tuple[int, int, int]] = []
    for file in changes.fresh(number):
        at = chosen(file, without(np.arange(file.rows), positions_masked(file, reader)))
        rows += len(at)
        shown = at[: EXAMPLES_SHOWN - len(first)]
        places = zip(shown.tolist(), image_codes(file.file_id, shown).tolist(), strict=True)
        first += [(file.smallest + position, image, reader.code(file.partition)) for position, image in places]
    columns = np.array(first, dtype=np.int64).reshape(-1, 3)
    return _Found(rows, columns[:, 0], columns[:, 1], columns[:, 2])


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Values of one column of a side's table, or of the field that ``way`` leads to."""

    changes: RowChanges
    schema: Schema
    column: Column
    way: tuple[str, ...] = ()

    def differ(self, before: tuple[Ints, Array], after: tuple[Ints, Array]) -> Mask:
        """Where rows, by image and where it lies, have another value after. None before counts as NULL."""

        def differs(part: slice) -> list[bool]:
            was, now = (self._read(images[part], partitions[part]) for images, partitions in (before, after))
            return [one != other for one, other in zip(was, now, strict=True)]

        return _by_parts(len(after[0]), differs)

    def held(self, file: ShownFile, positions: Ints) -> Ints:
        """The positions with a value. Statistics mostly say that all have one, or none."""
        scan = self.changes.looked_at.cells.reader.scans[file.file_id]
        own = next((known for known in map(scan.schema.column, self.column.ids) if known is not None), None)
        if own is None:
            return positions if self.column.initial_default is not None else positions[:0]
        statistics = (scan.statistics or {}).get(own.id)
        if not self.way and statistics is not None and statistics.nulls in (0, file.rows):
            return positions if not statistics.nulls else positions[:0]
        images = image_codes(file.file_id, positions)
        place = np.full(len(positions), self.changes.looked_at.cells.reader.code(file.partition), dtype=np.int64)
        nowhere = np.full(len(positions), ABSENT, dtype=np.int64)
        return positions[self.differ((nowhere, place), (images, place))]

    def _read(self, images: Ints, partitions: Array) -> list[Any]:
        """None where there is no image."""
        by = self.schema.partition_by
        narrow = Schema(tuple(c for c in self.schema.columns if c.id == self.column.id or c.id in by), partition_by=by)
        place = narrow.columns.index(self.column)
        rows = rows_there(self.changes.looked_at.cells.reader, narrow, images, partitions)
        return [None if row is None else _inside(row[place], self.column.parsed, self.way) for row in rows]


def _inside(value: Any, kind: ParsedType, way: tuple[str, ...]) -> Any:
    """The value of a field, from a value as rows show it. Inside of an array or a map it is the list of what its
    elements, keys or values have, None where none has one.
    """
    if value is None or not way:
        return value
    below = next(item.type for item in kind.fields if item.name == way[0])
    if kind.name == "struct":
        return _inside(value[way[0]], below, way[1:])
    if way[0] == "key":
        # Rows show keys as texts.
        return list(value)
    items = value if kind.name == "array" else value.values()
    found = [_inside(item, below, way[1:]) for item in items]
    return found if any(item is not None for item in found) else None


@dataclass(frozen=True, slots=True, eq=False)
class _Naming:
    """Names rows by their cells in some columns, read under a schema. ``always``: columns that each name holds."""

    changes: RowChanges
    schema: Schema
    columns: tuple[int, ...]
    always: tuple[str, ...] = ()

    def counted(self, *found: _Found) -> Counted:
        row_ids, images, partitions = (
            np.concatenate([getattr(each, name) for each in found]) for name in ("row_ids", "images", "partitions")
        )
        first = np.argsort(row_ids, kind="stable")[:EXAMPLES_SHOWN]
        reader = self.changes.looked_at.cells.reader
        shown = rows_named(reader, self.schema, images[first], partitions[first], self.columns) if len(first) else ()
        names = tuple(shown) if self.schema.is_keyed else told_apart(shown, always=self.always)
        return Counted(sum(each.rows for each in found), names)
