"""Rows second (lineage §7): the facts of the rows of files that meet, as columns. Data columns are not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from catalog_app.domain.files import FACT_KINDS, FileScan, PartitionValues, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.storage.deletes import StoredFacts
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Kind, Mask, News, RowFacts
from merge_app.lineage.segments import DOT, Gone, Group, ShownFile, Stamp
from merge_app.lineage.shared_places import NOW

KINDS = {
    "insert": Kind.INSERT,
    "update": Kind.UPDATE,
    "delete": Kind.DELETE,
    "overwrite": Kind.OVERWRITE,
    "restore": Kind.RESTORE,
    "compaction": Kind.UPDATE,
    "move": Kind.UPDATE,
    "": Kind.NEVER,
}
"""Kinds of events; rows that were only put elsewhere count as the images that they are."""

if [Kind[name.upper()] for name in FACT_KINDS[1:]] != list(range(1, len(FACT_KINDS))):
    raise AssertionError("the kinds that files store are not numbered as those of facts")

_BIRTHS = """
SELECT f.base, f.id, f.partition, s.stamp, f.base + f.rows FROM catalog_app_datafile f LEFT JOIN LATERAL (
    SELECT stamp FROM catalog_app_segment s WHERE s.file_id = f.id AND s.kind <> 'restore' LIMIT 1
) s ON true
WHERE f.table_id = %(table)s AND NOT f.stores_row_ids AND f.base <= %(largest)s AND f.base + f.rows > %(smallest)s
ORDER BY f.base
"""

_CLONED_BIRTHS = """
SELECT f.base, f.id, f.partition, s.stamp, f.base + f.rows FROM catalog_app_datafile f
JOIN LATERAL (
    SELECT stamp FROM catalog_app_segment s WHERE s.file_id = f.id AND s.kind = 'insert' ORDER BY s.id LIMIT 1
) s ON true
WHERE f.table_id = %(table)s AND f.stores_row_ids
  AND f.smallest_row_id <= %(largest)s AND f.largest_row_id >= %(smallest)s
ORDER BY f.id
"""
"""Files that were inserted with the ids of their rows: those of a clone. What wrote these rows first is not in the
table.
"""


@dataclass(slots=True)
class Reader:
    """Reads lineage columns of one table's files, each file once. ``wanted``: data files and delete files that will be
    asked for.
    """

    table_id: int
    scans: Mapping[int, FileScan]
    delete_paths: Mapping[int, str]
    engine: Callable[[], RowEngine]
    partitions: dict[PartitionValues, int] = field(default_factory=dict)
    wanted: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))
    _files: dict[int, tuple[Ints, StoredFacts | None]] = field(default_factory=dict)
    _marks: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    def file(self, file_id: int) -> tuple[Ints, StoredFacts | None]:
        """Row ids by position, and the facts that the file stores."""
        if file_id not in self._files:
            self._files[file_id] = self.engine().file_rows(self.scans[file_id])
        return self._files[file_id]

    def rows(self, file_id: int, row_ids: Ints | None) -> tuple[Ints, Ints, StoredFacts | None]:
        """Of the rows with one of these ascending ids, None for all: positions, ascending, row ids and stored facts."""
        if row_ids is None or file_id in self._files:
            held, stored = self.file(file_id)
            if row_ids is None:
                return np.arange(len(held)), held, stored
            at = np.flatnonzero(_are_among(held, row_ids))
            return at, held[at], None if stored is None else StoredFacts(*(column[at] for column in stored))
        return self.engine().rows_find(self.scans[file_id], row_ids)

    def marks(self, delete_file: int) -> tuple[Ints, Ints]:
        """Positions and row ids that a delete file names."""
        if delete_file not in self._marks:
            self._marks[delete_file] = self.engine().file_marks(self.delete_paths[delete_file])
        return self._marks[delete_file]

    def scan(self, files: Sequence[int], schema: Schema) -> TableScan:
        """Files, read under another schema."""
        return TableScan(self.table_id, schema, tuple(self.scans[file_id] for file_id in files))

    def code(self, partition: PartitionValues) -> int:
        return self.partitions.setdefault(partition, len(self.partitions))

    def values(self, code: int) -> PartitionValues:
        """The partition of a code."""
        return self.names[code]

    @property
    def names(self) -> dict[int, PartitionValues]:
        """Partitions by code."""
        return {code: values for values, code in self.partitions.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The rows of a side: facts, and where live rows lie: the file by id, 0 where a row is deleted, and position.
    ``undoes``: of a restored row, the stamp that the restore replaced. ``row_id``: the rows' own, also where a key
    takes its place among the facts.
    """

    facts: RowFacts
    file: Ints
    position: Ints
    undoes: Ints
    row_id: Ints


@dataclass(slots=True)
class _Columns:
    """Rows as they are collected: one array a column and file. ``held``, ``held_at``: file and position of the image,
    of a deleted row of the last one that it had there. ``held_in``, ``held_until``: in which partition the file
    lay, and at which version of the side: ``NOW``, or when the row was taken away.
    """

    row_id: list[Ints] = field(default_factory=list)
    stamp: list[Ints] = field(default_factory=list)
    kind: list[Array] = field(default_factory=list)
    brings_stamp: list[Ints] = field(default_factory=list)
    brings_kind: list[Array] = field(default_factory=list)
    undoes: list[Ints] = field(default_factory=list)
    prior: list[Ints] = field(default_factory=list)
    file: list[Ints] = field(default_factory=list)
    position: list[Ints] = field(default_factory=list)
    partition: list[Ints] = field(default_factory=list)
    placed: list[Ints] = field(default_factory=list)
    placed_kind: list[Array] = field(default_factory=list)
    placed_brings: list[Ints] = field(default_factory=list)
    placed_undoes: list[Ints] = field(default_factory=list)
    held: list[Ints] = field(default_factory=list)
    held_at: list[Ints] = field(default_factory=list)
    held_in: list[Ints] = field(default_factory=list)
    held_until: list[Ints] = field(default_factory=list)

    def whole(self) -> dict[str, Array]:
        empty = np.zeros(0, dtype=np.int64)
        return {
            name: np.concatenate([empty, *getattr(self, name)]).astype(np.int64) for name in self.__dataclass_fields__
        }


def collected(
    shown: Sequence[ShownFile], gone: Sequence[Gone], reader: Reader, row_ids: Ints | None = None
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The rows that a side shows, and each fact of rows that it took away or masks; ``row_ids``: of these alone."""
    live, dead = _Columns(), _Columns()
    for file in shown:
        _collect_file(file, reader, live, dead, row_ids)
    for item in gone:
        _collect_gone(item, reader, dead, row_ids)
    return live.whole(), dead.whole()


def side_rows(
    shown: Sequence[ShownFile], gone: Sequence[Gone], reader: Reader, row_ids: Ints | None = None
) -> dict[str, Array]:
    """The rows that a side shows, and those that it took away or masks, by row id; ``row_ids``: these alone."""
    rows, taken = collected(shown, gone, reader, row_ids)
    order = np.lexsort((taken["stamp"], taken["row_id"]))
    taken = {name: column[order] for name, column in taken.items()}
    last = np.ones(len(order), dtype=bool)
    last[:-1] = taken["row_id"][1:] != taken["row_id"][:-1]
    last &= ~np.isin(taken["row_id"], rows["row_id"])
    both = {name: np.concatenate([column, taken[name][last]]) for name, column in rows.items()}
    order = np.argsort(both["row_id"], kind="stable")
    return {name: column[order] for name, column in both.items()}


def _collect_file(file: ShownFile, reader: Reader, live: _Columns, dead: _Columns, wanted: Ints | None) -> None:
    positions, row_ids, stored = reader.rows(file.file_id, wanted)
    count, stamp = len(row_ids), file.stamp
    is_restore = stamp.kind == "restore"
    stamps = np.full(count, stamp.brings_stamp if is_restore else stamp.version, dtype=np.int64)
    kind = KINDS[stamp.brings_kind or "insert" if is_restore else stamp.kind]
    kinds = np.full(count, int(kind), dtype=np.int64)
    prior, undoes, brings = (np.zeros(count, dtype=np.int64) for _ in range(3))
    brings_kinds = np.full(count, int(Kind.UPDATE), dtype=np.int64)
    if stored is not None:
        stamps = np.where(stored.stamp > 0, stored.stamp, stamps)
        kinds = np.where(stored.kind > 0, stored.kind, kinds)
        prior, undoes = stored.prior.copy(), stored.undoes.copy()
        brings = np.where((kinds == Kind.RESTORE) & (undoes > 0), prior, 0)
    if is_restore:
        prior, undoes = stamps, np.full(count, stamp.undoes, dtype=np.int64)
        brings = np.where(brings > 0, brings, stamps)
        stamps, kinds = np.full(count, stamp.version), np.full(count, int(Kind.RESTORE), dtype=np.int64)
    for item in sorted(file.stamped, key=lambda mark: mark.stamp.version):
        at = _places(positions, reader.marks(item.file_id)[0])
        # What is restored is handed on. A fact that a merge decided brings nothing back.
        is_decided = (kinds[at] == Kind.RESTORE) & (brings[at] == 0)
        brings_kinds[at] = np.where(is_decided, int(Kind.RESTORE), int(Kind.UPDATE))
        is_back = item.stamp.kind == "restore" and item.stamp.undoes > 0
        brings[at] = np.where(brings[at] > 0, brings[at], stamps[at]) if is_back else 0
        prior[at], undoes[at] = stamps[at], item.stamp.undoes
        stamps[at], kinds[at] = item.stamp.version, int(KINDS[item.stamp.kind])
    brings_kinds = np.where(brings > 0, brings_kinds, 0)
    shown = np.ones(count, dtype=bool)
    for item in file.deletes:
        marked, ids = reader.marks(item.file_id)
        shown[_places(positions, marked)] = False
        rows = file.file_id, *_chosen(marked, ids, wanted)
        held = {"held_in": reader.code(file.partition), "held_until": NOW}
        _collect_dead(rows, item.stamp, dead, _place_until(file, item.stamp, reader) | held)
    at = np.flatnonzero(shown)
    for name, column in (
        ("row_id", row_ids), ("stamp", stamps), ("kind", kinds), ("brings_stamp", brings),
        ("brings_kind", brings_kinds), ("undoes", undoes), ("prior", prior),
    ):  # fmt: skip
        getattr(live, name).append(column[at])
    live.file.append(np.full(len(at), file.file_id, dtype=np.int64))
    live.position.append(positions[at])
    live.held.append(live.file[-1])
    live.held_at.append(positions[at])
    places = _place_columns(file.partition, file.placed, reader)
    for name, value in {**places, "held_in": places["partition"], "held_until": NOW}.items():
        getattr(live, name).append(np.full(len(at), value, dtype=np.int64))


def _places(positions: Ints, among: Ints) -> Ints:
    """Where ascending positions are among others."""
    found: Ints = np.flatnonzero(np.isin(positions, among))
    return found


def _chosen(positions: Ints, row_ids: Ints, wanted: Ints | None) -> tuple[Ints, Ints]:
    if wanted is None:
        return positions, row_ids
    at = _are_among(row_ids, wanted)
    return positions[at], row_ids[at]


def _are_among(values: Ints, ascending: Ints) -> Mask:
    """Which of the values are among others, which ascend: a search for each, without sets of either."""
    if not len(ascending):
        return np.zeros(len(values), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.asarray(ascending[place] == values, dtype=np.bool_)


def _place_columns(partition: PartitionValues, placed: Stamp, reader: Reader) -> dict[str, int]:
    return {
        "partition": reader.code(partition),
        "placed": placed.version,
        "placed_kind": int(Kind[(placed.kind or "never").upper()]),
        "placed_brings": placed.brings_stamp,
        "placed_undoes": placed.undoes,
    }


def _collect_gone(item: Gone, reader: Reader, dead: _Columns, wanted: Ints | None) -> None:
    held = {"held_in": reader.code(item.partition), "held_until": item.stamp.version}
    place = _place_until(item, item.stamp, reader) | held
    _collect_dead((item.file_id, *_gone_places(item, reader, wanted)), item.stamp, dead, place)


def gone_rows(item: Gone, reader: Reader) -> Ints:
    """The row ids of what was taken away."""
    return _gone_places(item, reader)[1]


def _gone_places(item: Gone, reader: Reader, wanted: Ints | None = None) -> tuple[Ints, Ints]:
    """Positions and row ids of what was taken away."""
    if item.delete_file is not None:
        return _chosen(*reader.marks(item.delete_file), wanted)
    positions, row_ids, _ = reader.rows(item.file_id, wanted)
    left = np.ones(len(row_ids), dtype=bool)
    for mask in item.masks:
        left[_places(positions, reader.marks(mask)[0])] = False
    return positions[left], row_ids[left]


def _place_until(item: ShownFile | Gone, stamp: Stamp, reader: Reader) -> dict[str, int]:
    """Where rows lay that were deleted at ``stamp``. A later rename says nothing of them."""
    if item.placed.version > stamp.version:
        return {"partition": ABSENT, "placed": 0, "placed_kind": 0, "placed_brings": 0, "placed_undoes": 0}
    return _place_columns(item.partition, item.placed, reader)


def _collect_dead(rows: tuple[int, Ints, Ints], stamp: Stamp, dead: _Columns, place: Mapping[str, int]) -> None:
    """``rows``: file, positions and row ids."""
    if not stamp.version:
        return
    file_id, positions, row_ids = rows
    count = len(row_ids)
    kind = Kind.DELETE if stamp.kind == "update" else KINDS[stamp.kind]
    brings_kind = int(KINDS.get(stamp.brings_kind, Kind.NEVER))
    values = (stamp.version, int(kind), stamp.brings_stamp, brings_kind, stamp.undoes, stamp.brings_stamp)
    dead.row_id.append(row_ids)
    dead.held.append(np.full(count, file_id, dtype=np.int64))
    dead.held_at.append(positions)
    for name, value in zip(("stamp", "kind", "brings_stamp", "brings_kind", "undoes", "prior"), values, strict=True):
        getattr(dead, name).append(np.full(count, value, dtype=np.int64))
    for name, value in {"file": 0, "position": -1, **place}.items():
        getattr(dead, name).append(np.full(count, value, dtype=np.int64))


def placed_rows(group: Group, reader: Reader, news: News, *, is_whole: bool = False) -> tuple[Placed, Placed]:
    """The rows of both sides whose facts differ or may: unless ``is_whole``, those that neither side has news of are
    left out.
    """
    wanted = None
    if not is_whole:
        both = (group.source, group.source_gone, news.of_source), (group.target, group.target_gone, news.of_target)
        wanted = np.unique(np.concatenate([ids for side in both for ids in _with_news(*side, reader)]))
    source = side_rows(group.source, group.source_gone, reader, wanted)
    target = side_rows(group.target, group.target_gone, reader, wanted)
    fresh = np.unique(
        np.concatenate(
            [
                rows["row_id"][is_whole | is_news(rows["stamp"]) | is_news(rows["placed"])]
                for rows, is_news in ((source, news.from_source), (target, news.from_target))
            ]
        )
    )
    births = Births.load(reader, fresh)
    sides = []
    for rows, of_side in ((source, news.of_source), (target, news.of_target)):
        at = np.flatnonzero(_are_among(rows["row_id"], fresh))
        sides.append(placed({name: column[at] for name, column in rows.items()}, births, of_side))
    return sides[0], sides[1]


def _with_news(shown: Sequence[ShownFile], gone: Sequence[Gone], news: Ints, reader: Reader) -> Iterator[Ints]:
    """The row ids of which a side may have news. Files that have none themselves are not read."""
    yield np.zeros(0, dtype=np.int64)
    known = set(news.tolist())
    for file in shown:
        if file.stamp.version == DOT or not file.segment_id or _may_hold_news(file, news):
            yield _news_in(file, news, reader)
        for item in (*file.stamped, *file.deletes):
            if item.stamp.version in known:
                yield reader.marks(item.file_id)[1]
    for gone_item in gone:
        if gone_item.stamp.version in known or gone_item.placed.version in known:
            yield gone_rows(gone_item, reader)


def _may_hold_news(file: ShownFile, news: Ints) -> bool:
    """Whether a stamp of the file's rows or of where they lie may be news, apart from what marks say."""
    # What a restore brings back has the restore's stamp, whatever the file stores.
    single = [file.placed.version, file.stamp.version if file.stamp.kind == "restore" else 0]
    if np.isin(single, news).any():
        return True
    first, last = (max(file.oldest, 1), file.newest) if file.newest else (file.stamp.version,) * 2
    at = int(np.searchsorted(news, first))
    return at < len(news) and int(news[at]) <= last


def _news_in(file: ShownFile, news: Ints, reader: Reader) -> Ints:
    row_ids, stored = reader.file(file.file_id)
    if stored is None or file.stamp.kind == "restore" or file.placed.version in news:
        return row_ids
    return row_ids[np.isin(np.where(stored.stamp > 0, stored.stamp, file.stamp.version), news)]


def image_codes(files: Array, positions: Array) -> Array:
    """Images by file and position."""
    found: Array = (files << 32) + positions
    return found


def image_places(codes: Array) -> tuple[Array, Array]:
    """Files and positions of images."""
    return codes >> 32, codes & ((1 << 32) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Births:
    """The files that rows were inserted by, with partition and stamp. ``own`` of them hold rows by address: ``first``
    ascends, ``end`` is behind the last. The others were inserted with the ids of their rows, by a clone: ``cloned`` are
    these ids, ascending, and ``cloned_at`` the places of their files.
    """

    first: Ints
    file: Ints
    partition: Ints
    stamp: Ints
    end: Ints
    own: int
    cloned: Ints
    cloned_at: Ints

    @classmethod
    def load(cls, reader: Reader, row_ids: Ints) -> Births:
        own = fetch_all(_BIRTHS, _bounds(reader, row_ids))
        found = cls.of_rows(reader, own, (), row_ids[:0])
        lacking = row_ids[found.lacks(row_ids)]
        if not len(lacking):
            return found
        return cls.of_rows(reader, own, fetch_all(_CLONED_BIRTHS, _bounds(reader, lacking)), lacking)

    @classmethod
    def of_rows(
        cls, reader: Reader, own: Sequence[tuple[Any, ...]], cloned: Sequence[tuple[Any, ...]], lacking: Ints
    ) -> Births:
        """``lacking``: the row ids to look for in the files ``cloned``."""
        found = [
            (first, file_id, reader.code(tuple(json_value(partition))), DOT if stamp is None else stamp, end)
            for first, file_id, partition, stamp, end in (*own, *cloned)
        ]
        first, file, partition, stamp, end = (np.array([row[n] for row in found], dtype=np.int64) for n in range(5))
        held = [reader.rows(row[1], lacking)[1] for row in cloned]
        places = [np.full(len(ids), place, dtype=np.int64) for place, ids in enumerate(held, len(own))]
        # A file that holds a row which another one updated was inserted before that one.
        ids, at = (np.concatenate([lacking[:0], *parts])[::-1] for parts in (held, places))
        cloned_ids, newest = np.unique(ids, return_index=True)
        return cls(first, file, partition, stamp, end, len(own), cloned_ids, at[newest])

    def lacks(self, row_ids: Ints) -> Mask:
        """Which of the rows have no address in a file of the table."""
        at = np.searchsorted(self.first[: self.own], row_ids, side="right") - 1
        inside = np.zeros(len(row_ids), dtype=np.bool_)
        known = at >= 0
        inside[known] = row_ids[known] < self.end[: self.own][at[known]]
        return ~inside

    def of(self, row_ids: Ints) -> Array:
        """The places of their files."""
        at: Array = np.searchsorted(self.first[: self.own], row_ids, side="right") - 1
        if len(self.cloned):
            place = np.minimum(np.searchsorted(self.cloned, row_ids), len(self.cloned) - 1)
            is_cloned = self.lacks(row_ids) & (self.cloned[place] == row_ids)
            at = np.where(is_cloned, self.cloned_at[place], at)
        return at


def _bounds(reader: Reader, row_ids: Ints) -> dict[str, int]:
    smallest, largest = (int(row_ids[0]), int(row_ids[-1])) if len(row_ids) else (0, -1)
    return {"table": reader.table_id, "smallest": smallest, "largest": largest}


def placed(rows: Mapping[str, Array], births: Births, news: Ints, keys: Ints | None = None) -> Placed:
    """``keys``: in a table with a primary key, ascending codes that take the place of the row ids (R10)."""
    at = births.of(rows["row_id"])
    is_live = rows["file"] > 0
    image = np.where(is_live, image_codes(rows["file"], rows["position"]), ABSENT)
    # P7: an image that was there before is what the other side knows, if that knows the stamp that it had then, and not
    # what a restore replaced by it.
    knows_prior, knows_undone = (~np.isin(rows[name], news) for name in ("prior", "undoes"))
    is_back = (rows["prior"] > 0) & knows_prior & ((rows["undoes"] == 0) | ~knows_undone)
    facts = FactColumns(
        rows["stamp"],
        rows["kind"],
        image,
        rows["brings_stamp"],
        rows["brings_kind"],
        image,
        rows["prior"],
        is_back,
    )
    partition = _partition_facts(rows, births.partition[at], births.stamp[at], news)
    identity = rows["row_id"] if keys is None else keys
    facts_of = RowFacts(identity, facts, partition, births.file[at], births.stamp[at])
    return Placed(facts_of, rows["file"], rows["position"], rows["undoes"], rows["row_id"])


def _partition_facts(rows: Mapping[str, Array], born_in: Ints, born_at: Ints, news: Ints) -> FactColumns:
    """Who decided where the rows lie: a rename or restore; else who wrote them there."""
    # A row that is younger than the rename was written where it lies.
    is_decided = rows["placed"] > born_at
    is_live = rows["file"] > 0
    written = np.where(is_live & (rows["partition"] != born_in), rows["stamp"], born_at)
    stamps = np.where(is_decided, rows["placed"], written)
    kinds = np.where(is_decided, rows["placed_kind"], int(Kind.UPDATE))
    # P7: a partition that the rows had before is what the other side knows, if that knows its stamp of then, and not
    # what was replaced since.
    prior = np.where(rows["placed_brings"] > 0, rows["placed_brings"], born_at)
    knows_prior, knows_undone = (~np.isin(stamp, news) for stamp in (prior, rows["placed_undoes"]))
    has_prior = (kinds == Kind.RESTORE) | ((kinds == Kind.MOVE) & (rows["partition"] == born_in))
    is_back = is_decided & has_prior & knows_prior & ((rows["placed_undoes"] == 0) | ~knows_undone)
    return FactColumns(
        # A stamp that the other side knows decides nothing, whichever it is.
        np.where(np.isin(stamps, news), stamps, 0),
        kinds,
        rows["partition"],
        rows["placed_brings"],
        np.where(rows["placed_brings"] > 0, int(Kind.MOVE), 0),
        rows["partition"],
        prior,
        is_back,
    )
