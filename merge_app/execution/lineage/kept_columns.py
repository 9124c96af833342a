"""Columns that one side dropped and the merged table has: rows that it wrote since get their values back.

A file written after the drop lacks the column. Where the result shows a row of such a file, its cells of the column are
those of the other side's image, else of the newest image that either side took away. A row without such an image is
new since the drop, and has none. The same holds of fields of structs.

*Example:* the source drops v and sets w of row 1, the target keeps v by decision: row 1 has the source's w and the
target's v.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType, field_ids
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import NotSupported
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.ascending import are_among, without
from merge_app.lineage.cells import cells_put
from merge_app.lineage.facts import ABSENT, Ints, Kind, Mask, image_codes, image_places
from merge_app.lineage.result_rows import positions_masked
from merge_app.lineage.segments import DOT, Group, ShownFile, Stamp
from merge_app.lineage.steps import (
    AttachDeletes,
    CarrySegments,
    MarkRows,
    RemoveSegments,
    Step,
    WriteImages,
    WriteRows,
)

_WRITTEN = Stamp(DOT, Kind.UPDATE.name.lower())
_LIVE = 1 << 62
"""The rank of a live image: behind all files."""


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """Columns of the merged table that a side dropped, and ids of fields inside of others. ``schema``: the merged
    table's.
    """

    reader: Reader
    columns: Sequence[Column]
    fields: AbstractSet[int] = frozenset()
    schema: Schema = field(default_factory=Schema)

    def lacking(self, file_id: int) -> frozenset[int]:
        """Those that a file was written without."""
        held = self.reader.scans[file_id].schema
        columns = (c.id for c in self.columns if not any(held.column(i) is not None for i in c.ids))
        return frozenset(columns) | self._fields_lacking(held)

    def _fields_lacking(self, held: Schema) -> frozenset[int]:
        if not self.fields:
            return frozenset()
        written = frozenset[int]().union(*(field_ids(column.parsed) for column in held.columns))
        return frozenset(self.fields - written)

    def place(self, identity: int) -> tuple[int, tuple[int, ...]]:
        """The id of the column, or of the one that has the field, and the positions of structs' fields on the way.
        Raises NotSupported of a field inside of an array or a map.
        """
        if identity not in self.fields:
            return identity, ()
        found = ((column.id, _way(column.parsed, identity)) for column in self.schema.columns)
        column, way = next((column, way) for column, way in found if way is not None)
        return column, way

    def are_lacking(self, files: Sequence[ShownFile], others: Sequence[ShownFile]) -> bool:
        """Whether one of the files was written without a column that one of the others has."""
        if not (self.columns or self.fields):
            return False
        lacking = [self.lacking(file.file_id) for file in files]
        return any(each - self.lacking(file.file_id) for each in lacking for file in others)

    def absent(self, images: Ints) -> dict[int, Mask]:
        """By column, where an image lies in a file without it."""
        if not (self.columns and len(images)):
            return {}
        files, at = np.unique(image_places(images)[0], return_inverse=True)
        lacking = [self.lacking(int(file_id)) for file_id in files]
        found = {}
        for column in self.columns:
            mask = np.array([column.id in each for each in lacking], dtype=np.bool_)[at.reshape(-1)]
            if mask.any():
                found[column.id] = mask
        return found


def with_values_back(
    kept: KeptColumns, groups: Sequence[Group], steps: Sequence[Step], cells: CellReader
) -> list[Step]:
    """The steps, after which no row of the result lacks a value of a kept column that an image of it has."""
    if not (kept.columns or kept.fields):
        return list(steps)
    sides = [group.source for group in groups] + [group.target for group in groups]
    files = {file.file_id for side in sides for file in side}
    lacking = frozenset[int]().union(*(kept.lacking(file_id) for file_id in files))
    if not lacking:
        return list(steps)
    if lacking & kept.fields and any(isinstance(step, WriteImages) for step in steps):
        raise _fields_refusal("cells of a row that both branches changed")
    images = _Images(kept, groups)
    found: list[Step] = []
    completed = []
    for step in steps:
        if isinstance(step, WriteRows) and kept.lacking(step.file.file_id):
            shown = replace(step.file, partition=step.partition, placed=step.placed)
            part = images.completed(shown, step.positions, cells)
            if part is not None:
                completed.append(part)
                found += _without(step, part.positions)
                continue
        found.append(step)
    for file, positions in _shown(groups, steps, kept):
        part = images.completed(file, positions, cells)
        if part is not None:
            completed.append(part)
            found.append(MarkRows.of(file.file_id, part.positions, _WRITTEN))
    return [*found, *_written(completed)]


def _fields_refusal(what: str) -> NotSupported:
    return NotSupported(
        f"The result keeps a field that one branch dropped, and lakeui does not put it back into {what}.",
        remedy="Add the field to that branch again and set its values there. Or take the drop.",
    )


def _way(kind: ParsedType, identity: int) -> tuple[int, ...] | None:
    """The positions of the fields from the type down to the field; None where it is not inside."""
    for at, item in enumerate(kind.fields):
        inside = () if identity in item.ids else _way(item.type, identity)
        if inside is not None:
            if kind.name != "struct":
                raise _fields_refusal(f"elements of {kind.name}s")
            return (at, *inside)
    return None


def _with_field(newer: Any, older: Any, way: Sequence[int]) -> Any:
    """The structs with the older ones' value of one field. A struct that is NULL stays so."""
    at, *deeper = way
    parts, value = newer.flatten(), older.flatten()[at]
    parts[at] = _with_field(parts[at], value, deeper) if deeper else value
    return pa.StructArray.from_arrays(parts, fields=list(newer.type), mask=newer.is_null())


def _without(step: WriteRows, positions: Ints) -> Iterator[WriteRows]:
    left = without(step.positions, positions)
    if len(left):
        decided = (
            MarkRows.of(mark.file_id, rows, mark.stamp, is_live=True)
            for mark in step.decided
            if len(rows := without(mark.positions, positions))
        )
        yield WriteRows.of(step.file, step.partition, step.placed, left, decided)


def _shown(groups: Iterable[Group], steps: Iterable[Step], kept: KeptColumns) -> Iterator[tuple[ShownFile, Ints]]:
    """Files that lack a column, as the result shows them, with the positions of the rows that it shows."""
    shown_on_target = {file.file_id: file for group in groups for file in group.target}
    gone: dict[int, list[Ints]] = {}
    for step in steps:
        match step:
            case RemoveSegments():
                shown_on_target.pop(step.file_id, None)
            case CarrySegments():
                shown_on_target[step.file.file_id] = step.file
            case AttachDeletes(is_leaving=False):
                gone.setdefault(step.file_id, []).append(kept.reader.marks(step.delete.file_id)[0])
            case MarkRows(is_live=False, is_leaving=False):
                gone.setdefault(step.file_id, []).append(step.positions)
    for file_id, file in sorted(shown_on_target.items()):
        if kept.lacking(file_id):
            masked = np.concatenate([positions_masked(file, kept.reader), *gone.get(file_id, ())])
            yield file, without(np.arange(file.rows), masked)


@dataclass(frozen=True, slots=True, eq=False)
class _Completed:
    """Rows of one file with values of the kept columns, and where the file lies."""

    positions: Ints
    row_ids: Ints
    cells: RowCells
    partition: PartitionValues
    placed: Stamp


def _written(parts: Sequence[_Completed]) -> Iterator[Step]:
    return (
        WriteImages.of(part.cells, part.row_ids, {part.partition: part.placed} if part.placed.version else {})
        for part in parts
    )


def _whole(values: Any) -> Any:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


@dataclass(slots=True)
class _Images:
    """Images of rows that have a kept column, by column: row ids, ascending, with one image and its rank each."""

    kept: KeptColumns
    groups: Sequence[Group]
    _known: dict[int, tuple[Ints, Ints, Ints]] = field(default_factory=dict)

    def completed(self, file: ShownFile, positions: Ints, cells: CellReader) -> _Completed | None:
        """The rows of the file of which an image has a column that the file lacks; None without any."""
        all_at, all_ids, _ = self.kept.reader.rows(file.file_id, None)
        row_ids = all_ids[np.searchsorted(all_at, positions)]
        lacking = sorted(self.kept.lacking(file.file_id), key=lambda i: (i in self.kept.fields, i))
        values = {column: self._of(column, row_ids) for column in lacking}
        if cells.with_keys:
            self._by_key(values, file, positions, cells)
        has_any = np.zeros(len(row_ids), dtype=np.bool_)
        for images in values.values():
            has_any |= images != ABSENT
        at = np.flatnonzero(has_any)
        if not len(at):
            return None
        read = cells.read(image_codes(file.file_id, positions[at]), [file])
        columns = dict(read.columns)
        for column, images in values.items():
            present = np.flatnonzero(images[at] != ABSENT)
            if len(present):
                target, way = self.kept.place(column)
                given = cells.read(images[at][present]).columns[target]
                if way:
                    given = _with_field(_whole(columns[target].take(present)), _whole(given), way)
                columns[target] = cells_put(columns[target], present, given)
        found = RowCells(columns, read.partition)
        return _Completed(positions[at], row_ids[at], found, file.partition, file.placed)

    def _by_key(self, values: Mapping[int, Ints], file: ShownFile, positions: Ints, cells: CellReader) -> None:
        """Rows without an image of their row id have that of their key: it may have been deleted and inserted again."""
        for column, images in values.items():
            at = np.flatnonzero(images == ABSENT)
            _, known, ranks = self._known[column]
            if len(at) and len(known):
                ordered = known[np.argsort(ranks, kind="stable")]
                of_keys = dict(zip(cells.read(ordered).keys, ordered.tolist(), strict=True))
                keys = cells.read(image_codes(file.file_id, positions[at]), [file]).keys
                images[at] = [of_keys.get(key, ABSENT) for key in keys]

    def _of(self, column: int, row_ids: Ints) -> Ints:
        if column not in self._known:
            self._known[column] = self._load(column)
        known, images, _ = self._known[column]
        found = np.full(len(row_ids), ABSENT, dtype=np.int64)
        place = np.searchsorted(known, row_ids)
        inside = np.flatnonzero(place < len(known))
        inside = inside[known[place[inside]] == row_ids[inside]]
        found[inside] = images[place[inside]]
        return found

    def _load(self, column: int) -> tuple[Ints, Ints, Ints]:
        """A live image goes before one that was taken away; of these a younger file goes before an older one."""
        none = np.zeros(0, dtype=np.int64)
        parts = [(none, none, none)]
        for group in self.groups:
            shown = (*group.source, *group.target)
            parts += [self._of_file(file.file_id, file) for file in shown if self._has(file.file_id, column)]
            files = {item.file_id for item in (*group.source_gone, *group.target_gone)}
            parts += [self._of_file(file_id, None) for file_id in sorted(files) if self._has(file_id, column)]
        ids, images, ranks = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.lexsort((images, ranks, ids))
        last = np.ones(len(order), dtype=np.bool_)
        last[:-1] = ids[order][1:] != ids[order][:-1]
        return ids[order][last], images[order][last], ranks[order][last]

    def _has(self, file_id: int, column: int) -> bool:
        return column not in self.kept.lacking(file_id)

    def _of_file(self, file_id: int, shown: ShownFile | None) -> tuple[Ints, Ints, Ints]:
        positions, row_ids, _ = self.kept.reader.rows(file_id, None)
        ranks = np.full(len(positions), file_id, dtype=np.int64)
        if shown is not None:
            ranks[~are_among(positions, positions_masked(shown, self.kept.reader))] = _LIVE
        return row_ids, image_codes(file_id, positions), ranks
