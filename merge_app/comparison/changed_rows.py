"""Pages of the rows that one side changed, net: each as it was in the newest image that both know, and as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog_app.domain.schema import Schema
from merge_app.execution.lineage.row_changes import DELETED, DONE, INSERTED, UPDATED, RowChanges
from merge_app.execution.lineage.shown_rows import Row, rows_there
from merge_app.lineage.ascending import without
from merge_app.lineage.facts import ABSENT, Array, Ints, image_codes
from merge_app.lineage.result_rows import positions_masked

ALL = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """``rows`` as answers show them, with the ``keys`` by which ``ComparedRows`` names them, one for each line;
    ``truncated`` if there are more.
    """

    rows: list[list[Any]]
    keys: list[str]
    truncated: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """Rows by id, in its order: their images before and after, ``ABSENT`` for none, and where these lie."""

    row_id: Ints
    before: Ints
    after: Ints
    was_in: Array
    is_in: Array

    @property
    def changes(self) -> Array:
        """What was done to each row: the place of it in ``DONE``."""
        found = np.full(len(self.row_id), UPDATED, dtype=np.int8)
        found[self.before == ABSENT] = INSERTED
        found[self.after == ABSENT] = DELETED
        return found

    def take(self, at: Array) -> _Images:
        return _Images(*(getattr(self, name)[at] for name in self.__dataclass_fields__))

    def sorted(self) -> _Images:
        return self.take(np.argsort(self.row_id, kind="stable"))

    def with_others(self, other: _Images) -> _Images:
        both = ((getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__)
        return _Images(*(np.concatenate(pair) for pair in both)).sorted()

    def by_row(self) -> _Images:
        """Each row once: one whose key was changed has its old key before, and the new one after."""
        _, first = np.unique(self.row_id, return_index=True)
        group = np.searchsorted(self.row_id[first], self.row_id)
        found = self.take(first)
        for image, place, own, own_place in (
            (self.before, self.was_in, found.before, found.was_in),
            (self.after, self.is_in, found.after, found.is_in),
        ):
            has = np.flatnonzero(image != ABSENT)
            own[group[has]], own_place[group[has]] = image[has], place[has]
        return found


def rows_changed(
    changes: RowChanges, number: int, schema: Schema, *, limit: int, behind: int | None, change: str | None = None
) -> ChangedRows:
    """At most ``limit`` rows with a greater id than ``behind``: what was done, row id and cells under ``schema``. An
    update gives the row before and after. A row with the cells that it had before is none. ``change``: only rows that
    the side inserted, updated or deleted; no others are read.
    """
    # What a row of a file is is known with the pairs only, so a choice among them needs all.
    of_files = _of_files(changes, number, limit + 1 if change is None else ALL, behind)
    found = _of_pairs(changes, number, behind).with_others(of_files).by_row()
    if change is not None:
        found = found.take(np.flatnonzero(found.changes == DONE.index(change)))
    shown: list[list[Any]] = []
    keys: list[str] = []
    rows = start = 0
    while start < len(found.row_id):
        part = found.take(np.arange(start, min(start + limit + 1, len(found.row_id))))
        start += limit + 1
        for row_id, key, was, now in zip(part.row_id.tolist(), *_named(changes, schema, part), strict=True):
            if was == now:
                continue
            if rows == limit:
                return ChangedRows(shown, keys, truncated=True)
            rows += 1
            lines = _shown(row_id, was, now)
            shown += lines
            keys += [key] * len(lines)
    return ChangedRows(shown, keys, truncated=False)


def _named(changes: RowChanges, schema: Schema, part: _Images) -> tuple[list[str], list[Row], list[Row]]:
    """The rows' names, and the rows before and after. A row is named by its primary key as it is, without one by id."""
    reader, merged = changes.looked_at.cells.reader, changes.schema
    # The key as the merged table calls its columns is read along where the side calls them so too.
    is_read_along = merged.is_keyed and _key_of(schema) == _key_of(merged)
    before, after = (
        rows_there(reader, schema, images, places, with_keys=is_read_along)
        for images, places in ((part.before, part.was_in), (part.after, part.is_in))
    )
    if is_read_along:
        named = [(now or was or [""])[-1] for was, now in zip(before, after, strict=True)]
        before, after = ([None if row is None else row[:-1] for row in rows] for rows in (before, after))
        return named, before, after
    if not merged.is_keyed:
        return [str(row_id) for row_id in part.row_id.tolist()], before, after
    is_after = part.after != ABSENT
    images = np.where(is_after, part.after, part.before)
    places = np.where(is_after, part.is_in, part.was_in)
    return changes.names(images, places, merged.primary_key), before, after


def _key_of(schema: Schema) -> list[tuple[int, str, str]]:
    """By column of the primary key: id, name and type."""
    return [
        (column.id, column.name, column.type)
        for identifier in schema.primary_key
        if (column := schema.column(identifier)) is not None
    ]


def _shown(row_id: int, was: Row, now: Row) -> list[list[Any]]:
    if was is None or now is None:
        return [["insert" if was is None else "delete", row_id, *(now or was or ())]]
    return [["update_before", row_id, *was], ["update_after", row_id, *now]]


def _of_pairs(changes: RowChanges, number: int, behind: int | None) -> _Images:
    kinds, side, row_ids = changes.kinds(number), changes.sides[number], changes.row_ids(number)
    at = np.flatnonzero((kinds > 0) & (row_ids > (-1 if behind is None else behind)))
    kinds = kinds[at]
    return _Images(
        row_ids[at],
        np.where(np.isin(kinds, (UPDATED, DELETED)), changes.base[at], ABSENT),
        np.where(np.isin(kinds, (INSERTED, UPDATED)), side.image[at], ABSENT),
        changes.base_in[at],
        side.partition[at],
    ).sorted()


def _of_files(changes: RowChanges, number: int, limit: int, behind: int | None) -> _Images:
    """The first rows of files that the other side does not know. Of the other files nothing is read."""
    reader = changes.looked_at.cells.reader
    parts = [(np.zeros(0, dtype=np.int64),) * 3]
    rows, reached = 0, 0
    for file in changes.fresh(number):
        if rows >= limit and file.smallest > reached:
            break
        if behind is not None and file.largest <= behind:
            continue
        positions, row_ids, _ = reader.rows(file.file_id, None)
        at = without(positions, positions_masked(file, reader))
        at = at[row_ids[at] > (-1 if behind is None else behind)]
        at = at[np.argsort(row_ids[at], kind="stable")][:limit]
        if len(at):
            rows, reached = rows + len(at), max(reached, int(row_ids[at[-1]]))
        place = np.full(len(at), reader.code(file.partition), dtype=np.int64)
        parts.append((row_ids[at], image_codes(file.file_id, at), place))
    row_ids, images, places = (np.concatenate([part[n] for part in parts]) for n in range(3))
    nothing = np.full(len(row_ids), ABSENT, dtype=np.int64)
    return _Images(row_ids, nothing, images, nothing, places)
