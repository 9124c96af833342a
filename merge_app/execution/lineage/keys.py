"""Rows of a table with a primary key: the key takes the place of the row id (R10).

A key that an update changed is two keys: the old one is deleted, the new one inserted (R14). A key that holds a
partition column is read from where the row lies, as both sides name that partition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.schema import Column, Schema, has_key_in_partition
from merge_app.execution.lineage.births import Births
from merge_app.execution.lineage.crossed import crossed_rows
from merge_app.execution.lineage.met_rows import Met
from merge_app.execution.lineage.own_pasts import OwnPasts
from merge_app.execution.lineage.pasts import SharedFacts, shared_facts
from merge_app.execution.lineage.placed import Placed, placed
from merge_app.execution.lineage.readers import Reader
from merge_app.execution.lineage.rows import collected, rows_with_news, shown_by_one_side
from merge_app.execution.lineage.vectors import CommitsReached
from merge_app.lineage.ascending import are_among, ascending
from merge_app.lineage.facts import ABSENT, Array, Ints, Kind, Mask, News, image_codes, image_places
from merge_app.lineage.outcomes import Pairs
from merge_app.lineage.segments import Group, Whose
from merge_app.lineage.shared_partitions import SharedPartitions


class KeyTwice(Exception):
    """One side shows a primary key twice. The catalog is damaged."""


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
        """Those of the keys of images, by code of the image. ``places``: see ``places_of``."""
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

    def places_of(self, rows: Mapping[str, Array], side: int) -> Ints:
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


@dataclass(frozen=True, slots=True, eq=False)
class KeyedRows:
    """Both sides by key. ``row_ids``: pairs of key and row id, of all rows that had the key on either side."""

    source: Placed
    target: Placed
    row_keys: Ints
    row_ids: Ints


def keyed_rows(group: Group, reader: Reader, news: News, keys: Keys) -> KeyedRows:
    """The rows of both sides whose facts differ or may. Only their keys are read."""
    # Another row may have taken the key of a row that one side alone shows.
    alone = shown_by_one_side(group, reader)
    may = ascending(np.concatenate([alone, rows_with_news(group, reader, news)]))
    sides = (
        collected(group.source, group.source_gone, reader, may, news.of_source),
        collected(group.target, group.target_gone, reader, may, news.of_target),
    )
    wanted = _wanted(sides, news, alone)
    parts = [_where(rows, are_among(rows["row_id"], wanted)) for side in sides for rows in side]
    # Tables have very many rows: what is narrowed is let go.
    del sides
    images = [image_codes(rows["held"], rows["held_at"]) for rows in parts]
    places = [keys.places_of(rows, side) for rows, side in zip(parts, (0, 0, 1, 1), strict=True)]
    codes = keys.codes(np.concatenate(images), np.concatenate(places))
    ends = np.cumsum([len(part) for part in images])[:-1]
    asked = [news.from_source, news.from_source, news.from_target, news.from_target]
    fresh = np.concatenate([_is_fresh(rows, is_news) for rows, is_news in zip(parts, asked, strict=True)])
    # Keys without news stay as they are: somebody may have left rows out before.
    kept = np.split(are_among(codes, codes[fresh]), ends)
    by_part = [part[mask] for part, mask in zip(np.split(codes, ends), kept, strict=True)]
    parts = [_where(rows, mask) for rows, mask in zip(parts, kept, strict=True)]
    codes, ids = np.concatenate(by_part), np.concatenate([rows["row_id"] for rows in parts])
    births = Births.load(reader, ascending(ids))
    files = (group.source, group.source_gone), (group.target, group.target_gone)
    found = [
        _by_key(parts[at], by_part[at], parts[at + 1], by_part[at + 1], births.lying(*files[at // 2], reader), of_side)
        for at, of_side in ((0, news.of_source), (2, news.of_target))
    ]
    return KeyedRows(found[0], found[1], codes, ids)


def _wanted(sides: Sequence[tuple[Mapping[str, Array], Mapping[str, Array]]], news: News, alone: Ints) -> Ints:
    """The row ids that a side has news of, and ``alone``."""
    fresh = [
        rows["row_id"][_is_fresh(rows, is_news)]
        for side, is_news in zip(sides, (news.from_source, news.from_target), strict=True)
        for rows in side
    ]
    found: Ints = ascending(np.concatenate([*fresh, alone]))
    return found


def _is_fresh(rows: Mapping[str, Array], is_news: Callable[[Array], Mask]) -> Mask:
    return is_news(rows["stamp"]) | is_news(rows["placed"])


def _where(rows: Mapping[str, Array], mask: Mask) -> Mapping[str, Array]:
    return rows if mask.all() else {name: column[mask] for name, column in rows.items()}


def _by_key(
    live: Mapping[str, Array], live_keys: Ints, dead: Mapping[str, Array], dead_keys: Ints, births: Births, news: Ints
) -> Placed:
    """One fact a key: that of the row which is shown, else the newest of those that are gone."""
    if len(ascending(live_keys)) != len(live_keys):
        raise KeyTwice(f"one side shows a key twice: rows {np.sort(live['row_id'])[:20].tolist()}")
    every, every_key = dead, dead_keys
    order = np.lexsort((dead["placed"], dead["stamp"], dead_keys))
    dead = _restored_before(dead, dead_keys, order, births, news)
    last = np.ones(len(order), dtype=np.bool_)
    last[:-1] = dead_keys[order][1:] != dead_keys[order][:-1]
    chosen = order[last & ~are_among(dead_keys[order], live_keys)]
    both = np.concatenate([live_keys, dead_keys[chosen]])
    order = np.argsort(both, kind="stable")
    rows = {name: np.concatenate([column, dead[name][chosen]])[order] for name, column in live.items()}
    given = np.zeros(len(both), dtype=np.int64)
    given[: len(live_keys)] = _given_at((live, live_keys), (every, every_key), news)
    return placed(rows, births, news, (both[order], given[order]))


def _given_at(live: tuple[Mapping[str, Array], Ints], dead: tuple[Mapping[str, Array], Ints], news: Ints) -> Ints:
    """When rows got the keys that they have, of those that had other keys since both met; else 0. Such a key is
    inserted (R14), and its partition with it. What comes back lies where it lay.
    """
    (rows, keys), (gone, gone_keys) = live, dead
    found = np.zeros(len(keys), dtype=np.int64)
    order = np.argsort(rows["row_id"])
    at = np.flatnonzero(are_among(gone["row_id"], rows["row_id"][order]) & np.isin(gone["stamp"], news))
    place = order[np.searchsorted(rows["row_id"], gone["row_id"][at], sorter=order)]
    others = (keys[place] != gone_keys[at]) & (rows["kind"][place] != Kind.RESTORE)
    np.maximum.at(found, place[others], gone["stamp"][at[others]])
    return found


def _restored_before(
    dead: Mapping[str, Array], keys: Ints, order: Ints, births: Births, news: Ints
) -> Mapping[str, Array]:
    """Where a restore took away a row that the other side never knew, the key is again as it was before that row, and
    lies where it lay. The restore speaks for what had happened to it (§4b). ``order``: by key and stamp.
    """
    is_own = (dead["kind"] == Kind.RESTORE) & (dead["brings_stamp"] == 0)
    is_own[is_own] = np.isin(births.stamp[births.of(dead["row_id"][is_own])], news)
    hit = np.flatnonzero(is_own[order][1:] & (keys[order][1:] == keys[order][:-1]))
    if not len(hit):
        return dead
    lay = ("row_id", "partition", "placed", "placed_kind", "placed_brings")
    found = {**dead, **{name: dead[name].copy() for name in (*lay, "brings_stamp", "brings_kind", "prior")}}
    for before, at in zip(order[hit].tolist(), order[hit + 1].tolist(), strict=True):
        own = ("brings_stamp", "brings_kind") if found["brings_stamp"][before] else ("stamp", "kind")
        found["brings_stamp"][at], found["brings_kind"][at] = (found[name][before] for name in own)
        found["prior"][at] = found["brings_stamp"][at]
        for name in lay:
            found[name][at] = found[name][before]
    return found


def met_by_row(reader: Reader, schema: Schema, met: Pairs) -> Met:
    """Rows that both sides changed, each with the newest fact that both know. ``schema``: of the merged table."""
    facts = shared_facts(reader, ascending(met.row_id))
    return _met(met, facts.row_id, facts, _columns_held(reader, schema, facts.image), reader.commits)


def places_by_row(reader: Reader, schema: Schema, apart: Pairs) -> Ints:
    """Of rows whose partitions met, the partition that both sides know, ``ABSENT`` for none."""
    facts = shared_facts(reader, ascending(apart.row_id))
    return _places(reader, facts, facts.row_id, _columns_held(reader, schema, facts.image), apart.row_id)


def met_by_key(reader: Reader, keys: Keys, rows: KeyedRows, pairs: tuple[Pairs, Pairs]) -> tuple[Met, Ints]:
    """The same by key: of all rows that had the key, as long as they had it. A key without such a fact was on neither
    side when they met last. ``pairs``: keys whose images met, and keys whose partitions did. Of these the partition
    that both know is found, ``ABSENT`` for none.
    """
    met, placed_apart = pairs
    wanted = np.union1d(met.row_id, placed_apart.row_id)
    facts = shared_facts(reader, ascending(rows.row_ids[are_among(rows.row_keys, wanted)]))
    codes, held = (
        keys.codes(facts.image, keys.places_shared(facts.image)),
        _columns_held(reader, keys.schema, facts.image),
    )
    places = _places(reader, facts, codes, held, placed_apart.row_id)
    return _met(met, codes, facts, held, reader.commits), places


def _places(reader: Reader, facts: SharedFacts, of: Ints, held: Ints, wanted: Ints) -> Ints:
    shown = ~facts.is_removal
    last, _ = _newest(wanted, of[shown], facts.image[shown], facts.stamp[shown], held[shown])
    places = np.full(len(last), ABSENT, dtype=np.int64)
    known = last != ABSENT
    places[known] = facts.places(reader, last[known])
    return places


def _met(met: Pairs, of: Ints, facts: SharedFacts, held: Ints, commits: CommitsReached) -> Met:
    """``of``: of each fact the row or key."""
    value = facts.value
    base, stamp = _newest(met.row_id, of, value, facts.stamp, held)
    crossed, several = crossed_rows(met.row_id, base, (of, value, facts.stamp), commits)
    is_known = (stamp > 0) | facts.are_all
    pasts = OwnPasts(of, value, facts.stamp, commits)
    return Met(met, base, stamp, is_known, crossed, are_among(met.row_id, several), pasts)


def _columns_held(reader: Reader, schema: Schema, images: Ints) -> Ints:
    """How many columns of the table the file of each image has: one that was written after a drop has fewer."""
    files, at = np.unique(image_places(images)[0], return_inverse=True)
    wanted = [column.ids for column in schema.columns]
    counts = [
        sum(any(held.column(i) is not None for i in ids) for ids in wanted)
        for held in (reader.scans[file_id].schema for file_id in files.tolist())
    ]
    return np.array(counts, dtype=np.int64)[at.reshape(-1)]


def _newest(wanted: Ints, keys: Ints, images: Ints, stamps: Ints, held: Ints) -> tuple[Ints, Ints]:
    """Of images of one stamp the one with most columns; a commit that took one away and shows another shows that."""
    order = np.lexsort((images, held, images != ABSENT, stamps, keys))
    keys, images, stamps = keys[order], images[order], stamps[order]
    last = np.searchsorted(keys, wanted, side="right") - 1
    found = np.zeros(len(wanted), dtype=np.bool_)
    at = np.flatnonzero(last >= 0)
    found[at] = keys[last[at]] == wanted[at]
    base, stamp = np.full(len(wanted), ABSENT, dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    base[found], stamp[found] = images[last[found]], stamps[last[found]]
    return base, stamp


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
