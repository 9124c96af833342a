"""Rows of a table with a primary key: the key takes the place of the row id (R10).

A key that an update changed is two keys: the old one is deleted, the new one inserted (R14). A key that holds a
partition column is read from where the row lies, as both sides name that partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.schema import Column, Schema, has_key_in_partition
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import Array, Ints, image_codes, image_places
from merge_app.lineage.segments import Group, Whose
from merge_app.lineage.shared_partitions import SharedPartitions


def key_schema(schema: Schema) -> Schema:
    """The columns of the primary key alone, without partition columns."""
    columns = tuple(_key_columns_read(schema))
    return Schema(columns=columns, primary_key=tuple(column.id for column in columns))


def key_columns(schema: Schema) -> list[Column]:
    found = (schema.column(identifier) for identifier in schema.primary_key)
    return [column for column in found if column is not None]


def _key_columns_read(schema: Schema) -> list[Column]:
    """Those that are read from files."""
    return [column for column in key_columns(schema) if column.id not in schema.partition_by]


@dataclass(slots=True)
class Keys:
    """Gives each primary key a code; a code is never changed. ``places``: of source and target, how they name the
    partitions that both know; used only where a partition column is part of the key.
    """

    schema: Schema
    reader: Reader
    places: tuple[SharedPartitions, SharedPartitions] = (SharedPartitions(), SharedPartitions())
    _known: list[Any] = field(default_factory=list)
    """By column the keys in the order of their codes; the last one is the place, where that is part of the key."""
    _place_of: dict[int, int] = field(default_factory=dict)
    """By file, a place in which a side has or had it."""
    _images: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Images that have a code, ascending. No image is read twice."""
    _code_of: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def has_place(self) -> bool:
        return has_key_in_partition(self.schema)

    def codes(self, images: Ints, places: Ints) -> Ints:
        """Those of the keys of images, by code of the image. ``places``: where these lie, as both sides name it."""
        if not len(images):
            return np.zeros(0, dtype=np.int64)
        if self.has_place:
            return self._codes([*self._cells(images), pa.array(places, type=pa.int64())])
        unique, first = np.unique(images, return_index=True)
        fresh = images[np.sort(first[~are_among(unique, self._images)])]
        if len(fresh):
            known = np.concatenate([self._images, fresh])
            order = np.argsort(known)
            codes = np.concatenate([self._code_of, self._codes(self._cells(fresh))])
            self._images, self._code_of = known[order], codes[order]
        found: Ints = self._code_of[np.searchsorted(self._images, images)]
        return found

    def of_rows(self, parts: Sequence[Mapping[str, Array]]) -> list[Ints]:
        """The codes of rows that both sides show or took away: ``parts`` are these four, the source's first."""
        images = [image_codes(rows["held"], rows["held_at"]) for rows in parts]
        places = [self._places_of(rows, side) for rows, side in zip(parts, (0, 0, 1, 1), strict=True)]
        codes = self.codes(np.concatenate(images), np.concatenate(places))
        return np.split(codes, np.cumsum([len(part) for part in images])[:-1])

    def _places_of(self, rows: Mapping[str, Array], side: int) -> Ints:
        """Where rows of a side lie or lay, as both sides name it."""
        if not self.has_place:
            return np.zeros(len(rows["held"]), dtype=np.int64)
        found = self.places[side].of(rows["held_in"], rows["held_until"])
        files, first = np.unique(rows["held"], return_index=True)
        for file_id, place in zip(files.tolist(), found[first].tolist(), strict=True):
            self._place_of.setdefault(file_id, place)
        return found

    def places_shared(self, images: Ints) -> Ints:
        """The same of images that both sides know."""
        if not (self.has_place and len(images)):
            return np.zeros(len(images), dtype=np.int64)
        files, at = np.unique(image_places(images)[0], return_inverse=True)
        found = [self._place_of.get(file_id, self._born_in(file_id)) for file_id in files.tolist()]
        return np.array(found, dtype=np.int64)[at]

    def _born_in(self, file_id: int) -> int:
        return self.reader.code(self.reader.scans[file_id].partition)

    def result_keys(self, codes: Ints, partitions: Ints) -> Ints:
        """The keys of rows in the partitions that they lie in after the merge, as numbers: equal keys are equal."""
        of_key = [self.schema.partition_by.index(i) for i in self.schema.primary_key if i in self.schema.partition_by]
        shown, at = np.unique(partitions, return_inverse=True)
        values = [tuple(self.reader.values(code)[place] for place in of_key) for code in shown.tolist()]
        numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
        places = np.array([numbers[value] for value in values], dtype=np.int64)[at.reshape(-1)]
        parts = [_numbers(column)[codes] for column in self._known[:-1]]
        return _together([*parts, places])

    def _cells(self, images: Ints) -> list[Any]:
        """The columns of the key that are read from files."""
        columns = _key_columns_read(self.schema)
        if not columns:
            return []
        wanted, at = np.unique(images, return_inverse=True)
        cells = self.reader.engine().cells_read(*self.reader.find(wanted, key_schema(self.schema)))
        return [cells.columns[column.id].take(pa.array(at.reshape(-1))) for column in columns]

    def _codes(self, columns: list[Any]) -> Ints:
        known = len(self._known[0]) if self._known else 0
        if self._known:
            columns = [pa.concat_arrays([one, other]) for one, other in zip(self._known, columns, strict=True)]
        numbers = _together([_numbers(column) for column in columns])
        _, first, group = np.unique(numbers, return_index=True, return_inverse=True)
        # In order of first appearance: keys that have a code keep it.
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        fresh = pa.array(np.sort(first))
        self._known = [column.take(fresh) for column in columns]
        found: Ints = rank[group[known:]]
        return found


def _numbers(column: Any) -> Array:
    """Equal values have equal numbers. So have 0 and -0, which SQL takes for one key."""
    if pa.types.is_floating(column.type):
        column = pc.add(column, pa.scalar(0, type=column.type))
    indices = pc.fill_null(column.dictionary_encode().indices, -1)
    found: Array = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _together(columns: Sequence[Ints]) -> Ints:
    """Rows of small numbers as one number each: equal rows have equal numbers. No number exceeds that of the rows."""
    found = columns[0]
    for column in columns[1:]:
        lowest = column.min(initial=0)
        both = found * (column.max(initial=0) - lowest + 1) + (column - lowest)
        found = np.unique(both, return_inverse=True)[1].reshape(-1)
    return found


def by_key_ranges(found: Sequence[Group], schema: Schema, reader: Reader) -> list[Group]:
    """Groups whose keys may meet are looked into row by row, where one comes as a whole beside another that does not.

    One row may have taken the key of another, which lies in a file with other row ids.
    """
    ranges = [_key_range(group, schema, reader) for group in found]
    order = sorted(range(len(found)), key=lambda at: ranges[at][0])
    result = list(found)
    bundle: list[int] = []
    reached: _Bound = _LOWEST
    for at in order:
        low, high = ranges[at]
        if bundle and low > reached:
            _look_into(result, bundle)
            bundle, reached = [], _LOWEST
        bundle.append(at)
        reached = max(reached, high)
    _look_into(result, bundle)
    return result


_Bound = tuple[int, Any]
_LOWEST: _Bound = (0, 0)
_HIGHEST: _Bound = (2, 0)
_ORDERED = frozenset({"tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz"})


def _look_into(groups: list[Group], bundle: Sequence[int]) -> None:
    has_target = [bool(groups[at].target or groups[at].target_gone) for at in bundle]
    comes = any(groups[at].whose is not Whose.TARGET for at in bundle)
    stays = any(has and groups[at].whose is not Whose.SOURCE for at, has in zip(bundle, has_target, strict=True))
    if comes and stays:
        for at in bundle:
            groups[at] = replace(groups[at], whose=Whose.ROWS)


def _key_range(group: Group, schema: Schema, reader: Reader) -> tuple[_Bound, _Bound]:
    """Bounds of the first column of the key that files hold, as far as statistics say them in the order of values."""
    column = next(iter(_key_columns_read(schema)), None)
    if column is None or column.type not in _ORDERED:
        return _LOWEST, _HIGHEST
    files = {file.file_id for file in (*group.source, *group.target)}
    files |= {item.file_id for item in (*group.source_gone, *group.target_gone)}
    low, high = _HIGHEST, _LOWEST
    for file_id in files:
        known = (reader.scans[file_id].statistics or {}).get(column.id)
        if known is None or known.minimum is None or known.maximum is None:
            return _LOWEST, _HIGHEST
        low, high = min(low, (1, known.minimum)), max(high, (1, known.maximum))
    return low, high
