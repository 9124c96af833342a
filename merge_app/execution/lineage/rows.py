"""Rows second (lineage §7): the facts of the rows of files that meet, as columns. Data columns are not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from catalog_app.domain.files import FACT_KINDS, PartitionValues
from catalog_app.storage.deletes import StoredFacts
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.ascending import are_among, ascending
from merge_app.lineage.facts import ABSENT, Array, Ints, Kind, News, image_codes
from merge_app.lineage.result_rows import positions_masked
from merge_app.lineage.segments import DOT, Gone, Group, LivedRows, Marked, ShownFile, Stamp
from merge_app.lineage.shared_partitions import NOW

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

NO_NEWS: Ints = np.zeros(0, dtype=np.int64)

if [Kind[name.upper()] for name in FACT_KINDS[1:]] != list(range(1, len(FACT_KINDS))):
    raise AssertionError("the kinds that files store are not numbered as those of facts")


_PLACES = ("partition", "placed", "placed_kind", "placed_brings")
_FACTS = ("stamp", "kind", "brings_stamp", "brings_kind", "undoes", "prior")
_HELD = ("file", "position", "held", "held_at", "held_in", "held_until")
"""``file`` and ``position``: of a live row, else 0 and -1. ``held``, ``held_at``: file and position of the image, of a
deleted row of the last one that it had there. ``held_in``, ``held_until``: in which partition the file lay, and at
which version of the side: ``NOW``, or when the row was taken away.
"""
_Part = dict[str, Array]
"""Rows of one file by column."""


def _part(row_ids: Ints, columns: Mapping[str, Array | int]) -> _Part:
    """A number is that of all rows."""
    arrays = {
        name: np.full(len(row_ids), column, dtype=np.int64) if isinstance(column, int) else column
        for name, column in columns.items()
    }
    return {"row_id": row_ids, **arrays}


def _whole(parts: Sequence[_Part]) -> dict[str, Array]:
    """One array a column. The parts are let go, so that no two columns are held twice."""
    empty = np.zeros(0, dtype=np.int64)
    return {
        name: np.concatenate([empty, *(part.pop(name) for part in parts)]).astype(np.int64, copy=False)
        for name in ("row_id", *_FACTS, *_HELD, *_PLACES)
    }


def collected(
    shown: Sequence[ShownFile], gone: Sequence[Gone], reader: Reader, row_ids: Ints | None = None, news: Ints = NO_NEWS
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The rows that a side shows, and each fact of rows that it took away or masks; ``row_ids``: of these alone.
    ``news``: the stamps that the other side does not know.
    """
    live: list[_Part] = []
    dead: list[_Part] = []
    for file in shown:
        live.append(_live(file, reader, row_ids, news))
        dead += (_marked(file, item, reader, row_ids) for item in file.deletes if item.stamp.version)
    dead += (_gone(item, reader, row_ids) for item in gone if item.stamp.version)
    return _whole(live), _whole(dead)


def newest_rows(
    live: Mapping[str, Array], live_ids: Ints, dead: Mapping[str, Array], dead_ids: Ints, order: Ints | None = None
) -> tuple[dict[str, Array], Ints]:
    """One fact an id, and the ids, ascending: that of the row which is shown, else the newest of those that are gone.
    ``order``: of the dead by id and time.
    """
    order = by_time(dead, dead_ids) if order is None else order
    last = np.ones(len(order), dtype=np.bool_)
    last[:-1] = dead_ids[order][1:] != dead_ids[order][:-1]
    chosen = order[last & ~are_among(dead_ids[order], live_ids)]
    both = np.concatenate([live_ids, dead_ids[chosen]])
    order = np.argsort(both, kind="stable")
    return {name: np.concatenate([column, dead[name][chosen]])[order] for name, column in live.items()}, both[order]


def by_time(dead: Mapping[str, Array], ids: Ints) -> Ints:
    """The order of facts by id, and of each id by stamp."""
    return np.lexsort((dead["placed"], dead["stamp"], ids))


def _live(file: ShownFile, reader: Reader, wanted: Ints | None, news: Ints) -> _Part:
    positions, row_ids, stored = reader.rows(file.file_id, wanted)
    facts = _facts_of(file, reader, positions, stored, news)
    at = np.flatnonzero(~are_among(positions, positions_masked(file, reader)))
    places = _place_columns(file.partition, file.placed, reader)
    held: dict[str, Array | int] = {"held_in": places["partition"], "held_until": NOW}
    held |= {"file": file.file_id, "position": positions[at], "held": file.file_id, "held_at": positions[at]}
    return _part(row_ids[at], {**{name: column[at] for name, column in facts.items()}, **held, **places})


def _marked(file: ShownFile, item: Marked, reader: Reader, wanted: Ints | None) -> _Part:
    """Rows of a file that the side shows without them."""
    held = {"held_in": reader.code(file.partition), "held_until": NOW}
    place = _place_until(file, item.stamp, reader) | held
    return _dead(file.file_id, _chosen(*reader.marks(item.file_id), wanted), item.stamp, place)


def _facts_of(
    file: ShownFile, reader: Reader, positions: Ints, stored: StoredFacts | None, news: Ints
) -> dict[str, Array]:
    """The columns of the facts of a file's rows at ``positions``: as its event says, or as it stores them, and as marks
    that came later say.
    """
    count, stamp = len(positions), file.stamp
    is_restore = stamp.kind == "restore"
    stamps = np.full(count, stamp.brings_stamp if is_restore else stamp.version, dtype=np.int64)
    kind = KINDS[stamp.brings_kind or "insert" if is_restore else stamp.kind]
    kinds = np.full(count, int(kind), dtype=np.int64)
    prior, undoes, brings = (np.zeros(count, dtype=np.int64) for _ in range(3))
    if stored is not None:
        stamps = np.where(stored.stamp > 0, stored.stamp, stamps)
        kinds = np.where(stored.kind > 0, stored.kind, kinds)
        prior, undoes = stored.prior.copy(), stored.undoes.copy()
        brings = np.where((kinds == Kind.RESTORE) & (undoes > 0), prior, 0)
    brings_kinds = _spoken_for(kinds)
    if is_restore:
        prior, undoes = _prior(stamps, stamp, (prior, undoes), news)
        brings = np.where(brings > 0, brings, stamps)
        stamps, kinds = np.full(count, stamp.version), np.full(count, int(Kind.RESTORE), dtype=np.int64)
    for item in sorted(file.stamped, key=lambda mark: mark.stamp.version):
        at = _places(positions, reader.marks(item.file_id)[0])
        # What is restored is handed on. A fact that a merge decided brings nothing back.
        is_decided = (kinds[at] == Kind.RESTORE) & (brings[at] == 0)
        spoken_for = np.where(brings[at] > 0, brings_kinds[at], _spoken_for(kinds[at]))
        brings_kinds[at] = np.where(is_decided, int(Kind.RESTORE), spoken_for)
        is_back = item.stamp.kind == "restore" and item.stamp.undoes > 0
        brings[at] = np.where(brings[at] > 0, brings[at], stamps[at]) if is_back else 0
        prior[at], undoes[at] = _prior(stamps[at], item.stamp, (prior[at], undoes[at]), news)
        stamps[at], kinds[at] = item.stamp.version, int(KINDS[item.stamp.kind])
    return {
        "stamp": stamps,
        "kind": kinds,
        "brings_stamp": brings,
        "brings_kind": np.where(brings > 0, brings_kinds, 0),
        "undoes": undoes,
        "prior": prior,
    }


def _places(positions: Ints, among: Ints) -> Ints:
    """Where ascending positions are among others."""
    found: Ints = np.flatnonzero(are_among(positions, among))
    return found


def _chosen(positions: Ints, row_ids: Ints, wanted: Ints | None) -> tuple[Ints, Ints]:
    if wanted is None:
        return positions, row_ids
    at = are_among(row_ids, wanted)
    return positions[at], row_ids[at]


def _place_columns(partition: PartitionValues, placed: Stamp, reader: Reader) -> dict[str, int]:
    return {
        "partition": reader.code(partition),
        "placed": placed.version,
        "placed_kind": int(Kind[(placed.kind or "never").upper()]),
        "placed_brings": placed.brings_stamp,
    }


def _gone(item: Gone, reader: Reader, wanted: Ints | None) -> _Part:
    held = {"held_in": reader.code(item.partition), "held_until": item.stamp.version}
    place = _place_until(item, item.stamp, reader) | held
    return _dead(item.file_id, _gone_places(item, reader, wanted), item.stamp, place)


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
    for lived in item.lived:
        shown = [(rows.file_id, *_lived_places(rows, reader)) for rows in lived]
        lives_on = are_among(row_ids, np.concatenate([ids for _, _, ids in shown]))
        if reader.keys_of is not None and not lives_on.all():
            # The key may live on in another row.
            keys = reader.keys_of(np.concatenate([image_codes(file_id, at) for file_id, at, _ in shown]))
            lives_on |= are_among(reader.keys_of(image_codes(item.file_id, positions)), ascending(keys))
        left &= lives_on
    return positions[left], row_ids[left]


def _lived_places(rows: LivedRows, reader: Reader) -> tuple[Ints, Ints]:
    """Positions and row ids of rows that a commit shows."""
    if rows.rows_file:
        return reader.marks(rows.rows_file)
    positions, row_ids, _ = reader.rows(rows.file_id, None)
    masked = [reader.marks(mask)[0] for mask in rows.masks]
    left = ~are_among(positions, np.concatenate([positions[:0], *masked]))
    return positions[left], row_ids[left]


def _place_until(item: ShownFile | Gone, stamp: Stamp, reader: Reader) -> dict[str, int]:
    """Where rows lay that were deleted at ``stamp``. A rename that knew this says nothing of them; on a branch that did
    not, they were live, and it moved them.
    """
    if item.placed.version > stamp.version and (
        item.placed.version == DOT or reader.commits.knew(item.placed.version, stamp.version)
    ):
        return {"partition": ABSENT, "placed": 0, "placed_kind": 0, "placed_brings": 0}
    return _place_columns(item.partition, item.placed, reader)


def _prior(stamps: Ints, back: Stamp, before: tuple[Ints, Ints], news: Ints) -> tuple[Ints, Ints]:
    """Of rows that come back: the stamp that they had, and the one that was undone for it. Where the other side does
    not know that stamp, what was so ``before`` counts: it says whether the other side knows the rows as they are. What
    was undone since counts too, where the other side knows it: a merge took it in.
    """
    is_unknown = np.isin(stamps, news) & (before[0] > 0)
    undone = before[1] if not back.undoes or np.isin(back.undoes, news) else back.undoes
    return np.where(is_unknown, before[0], stamps), np.where(is_unknown, undone, back.undoes)


def _spoken_for(kinds: Ints) -> Ints:
    """The kinds for which a restore of live rows speaks that brings facts of these kinds back (§4b)."""
    return np.where(kinds == Kind.OVERWRITE, int(Kind.OVERWRITE), int(Kind.UPDATE))


def _dead(file_id: int, rows: tuple[Ints, Ints], stamp: Stamp, place: Mapping[str, int]) -> _Part:
    """``rows``: positions and row ids."""
    kind = Kind.DELETE if stamp.kind == "update" else KINDS[stamp.kind]
    brings_kind = KINDS.get(stamp.brings_kind, Kind.NEVER)
    values = (stamp.version, kind, stamp.brings_stamp, brings_kind, stamp.undoes, stamp.brings_stamp)
    held: dict[str, Array | int] = {"file": 0, "position": -1, "held": file_id, "held_at": rows[0]}
    return _part(rows[1], {**dict(zip(_FACTS, values, strict=True)), **held, **place})


def rows_with_news(group: Group, reader: Reader, news: News) -> Ints:
    """The row ids, ascending, of which a side may have news; at least those of which it has."""
    both = (group.source, group.source_gone, news.of_source), (group.target, group.target_gone, news.of_target)
    found: Ints = ascending(np.concatenate([ids for side in both for ids in _with_news(*side, reader)]))
    return found


def shown_by_one_side(group: Group, reader: Reader) -> Ints:
    """The ids, ascending, of rows that one side alone shows. Of files that both show only marks are read."""
    sides = tuple({file.file_id: file for file in side} for side in (group.source, group.target))
    empty = np.zeros(0, dtype=np.int64)
    source, target = (
        ascending(np.concatenate([empty, *_shown_elsewhere(side, other, reader)]))
        for side, other in (sides, sides[::-1])
    )
    return ascending(np.concatenate([source[~are_among(source, target)], target[~are_among(target, source)]]))


def _shown_elsewhere(side: Mapping[int, ShownFile], other: Mapping[int, ShownFile], reader: Reader) -> Iterator[Ints]:
    """The ids of rows that a side shows, and that the other does not show in the same file."""
    for file_id, file in side.items():
        own = [reader.marks(item.file_id)[0] for item in file.deletes]
        twin = other.get(file_id)
        if twin is None:
            row_ids = reader.file(file_id)[0]
            is_shown = np.ones(len(row_ids), dtype=np.bool_)
            for positions in own:
                is_shown[positions] = False
            yield row_ids[is_shown]
            continue
        known = {item.file_id for item in file.deletes}
        for item in twin.deletes:
            if item.file_id not in known:
                positions, row_ids = reader.marks(item.file_id)
                yield row_ids[~are_among(positions, np.concatenate([positions[:0], *own]))]


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
