"""The facts of a side's rows, with the places where live rows lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from merge_app.execution.lineage.births import Births
from merge_app.execution.lineage.keys import Keys
from merge_app.execution.lineage.readers import Reader
from merge_app.execution.lineage.rows import by_time, collected, newest_rows, rows_with_news, shown_by_one_side
from merge_app.lineage.ascending import are_among, ascending
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Kind, Mask, News, RowFacts, image_codes
from merge_app.lineage.outcomes import taken
from merge_app.lineage.segments import Group


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

    def images(self, at: Array) -> Ints:
        """By code where the rows ``at`` these positions lie, -1 for none; ``ABSENT`` where they are not live."""
        files = taken(self.file, at, 0)
        return np.where(files > 0, image_codes(files, taken(self.position, at, 0)), ABSENT)


class KeyTwice(Exception):
    """One side shows a primary key twice. The catalog is damaged."""


@dataclass(frozen=True, slots=True, eq=False)
class BothSides:
    """The rows of both sides by row id, or by the code of the primary key that takes its place (R10). ``ids`` and
    ``row_ids``: pairs of such an id and the row id, of all rows that had the id on either side.
    """

    source: Placed
    target: Placed
    ids: Ints
    row_ids: Ints

    def row_ids_of(self, ids: Ints) -> Ints:
        """The row ids, ascending, of all rows that had one of these ids."""
        found: Ints = ascending(self.row_ids[are_among(self.ids, ids)])
        return found


def placed_rows(
    group: Group, reader: Reader, news: News, keys: Keys | None = None, *, is_whole: bool = False
) -> BothSides:
    """The rows of both sides whose facts differ or may: unless ``is_whole``, those that neither side has news of are
    left out. Only lineage columns and ``keys`` are read.
    """
    # Another row may have taken the key of a row that one side alone shows.
    alone = np.zeros(0, dtype=np.int64) if keys is None else shown_by_one_side(group, reader)
    may = None if is_whole else ascending(np.concatenate([alone, rows_with_news(group, reader, news)]))
    # By side, what it shows and what it took away.
    parts: list[Mapping[str, Array]] = [
        *collected(group.source, group.source_gone, reader, may, news.of_source),
        *collected(group.target, group.target_gone, reader, may, news.of_target),
    ]
    asked = (news.from_source, news.from_source, news.from_target, news.from_target)
    if not is_whole:
        fresh = [rows["row_id"][_is_fresh(rows, is_news)] for rows, is_news in zip(parts, asked, strict=True)]
        wanted = ascending(np.concatenate([*fresh, alone]))
        # Tables have very many rows: what is narrowed is let go.
        parts = [_where(rows, are_among(rows["row_id"], wanted)) for rows in parts]
    ids = [rows["row_id"] for rows in parts] if keys is None else keys.of_rows(parts)
    if keys is not None:
        is_fresh = [_is_fresh(rows, is_news) for rows, is_news in zip(parts, asked, strict=True)]
        fresh_ids = ascending(np.concatenate([each[mask] for each, mask in zip(ids, is_fresh, strict=True)]))
        # Keys without news stay as they are: somebody may have left rows out before.
        kept = [are_among(each, fresh_ids) for each in ids]
        ids = [each[mask] for each, mask in zip(ids, kept, strict=True)]
        parts = [_where(rows, mask) for rows, mask in zip(parts, kept, strict=True)]
    row_ids = np.concatenate([rows["row_id"] for rows in parts])
    births = Births.load(reader, ascending(row_ids))
    source, target = (
        _side((parts[at], ids[at]), (parts[at + 1], ids[at + 1]), births.lying(*files, reader), of_side, keys)
        for at, files, of_side in (
            (0, (group.source, group.source_gone), news.of_source),
            (2, (group.target, group.target_gone), news.of_target),
        )
    )
    return BothSides(source, target, np.concatenate(ids), row_ids)


def _is_fresh(rows: Mapping[str, Array], is_news: Callable[[Array], Mask]) -> Mask:
    return is_news(rows["stamp"]) | is_news(rows["placed"])


def _where(rows: Mapping[str, Array], mask: Mask) -> Mapping[str, Array]:
    return rows if mask.all() else {name: column[mask] for name, column in rows.items()}


_Facts = tuple[Mapping[str, Array], Ints]
"""Facts with their ids."""


def _side(live: _Facts, dead: _Facts, births: Births, news: Ints, keys: Keys | None) -> Placed:
    """``given``: when rows got other keys than they were inserted with, 0 for others (R14)."""
    (shown, shown_ids), (gone, gone_ids) = live, dead
    order = by_time(gone, gone_ids)
    given = np.zeros(len(shown_ids), dtype=np.int64)
    if keys is not None:
        if len(ascending(shown_ids)) != len(shown_ids):
            raise KeyTwice(f"one side shows a key twice: rows {np.sort(shown['row_id'])[:20].tolist()}")
        given = _given_at(live, dead, news)
        gone = _restored_before(gone, gone_ids, order, births, news)
    gone = {**gone, "given": np.zeros(len(gone_ids), dtype=np.int64)}
    return _placed(*newest_rows({**shown, "given": given}, shown_ids, gone, gone_ids, order), births, news)


def _given_at(live: _Facts, dead: _Facts, news: Ints) -> Ints:
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


def _placed(rows: Mapping[str, Array], ids: Ints, births: Births, news: Ints) -> Placed:
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
    born_at = np.maximum(births.stamp[at], rows["given"])
    partition = _partition_facts(rows, (births.partition[at], births.lies[at]), born_at, news)
    facts_of = RowFacts(ids, facts, partition, births.file[at], births.stamp[at])
    return Placed(facts_of, rows["file"], rows["position"], rows["undoes"], rows["row_id"])


def _partition_facts(rows: Mapping[str, Array], births: tuple[Ints, Ints], born_at: Ints, news: Ints) -> FactColumns:
    """Who decided where the rows lie: a rename or restore; else who wrote them there. ``births``: the partitions that
    the rows were born in, as they were called then, and as the side calls them.
    """
    born_in, lies_in = births
    # A row that is younger than the rename was written where it lies.
    is_decided = rows["placed"] > born_at
    is_live = rows["file"] > 0
    is_elsewhere = is_live & ((rows["partition"] != born_in) | (rows["partition"] != lies_in))
    # An image that was written elsewhere, and that a restore returned, lies there by the restore.
    came_back = is_elsewhere & ~is_decided & (rows["kind"] == Kind.RESTORE) & (rows["brings_stamp"] > 0)
    written = np.where(is_elsewhere, rows["stamp"], born_at)
    stamps = np.where(is_decided, rows["placed"], written)
    kinds = np.where(is_decided, rows["placed_kind"], np.where(came_back, int(Kind.RESTORE), int(Kind.UPDATE)))
    brings = np.where(came_back, rows["brings_stamp"], rows["placed_brings"])
    brought = np.where(came_back, int(Kind.UPDATE), int(Kind.MOVE))
    return FactColumns(
        # A stamp that the other side knows decides nothing, whichever it is.
        np.where(np.isin(stamps, news), stamps, 0),
        kinds,
        rows["partition"],
        brings,
        np.where(brings > 0, brought, 0),
        rows["partition"],
        np.zeros(len(kinds), dtype=np.int64),
        # What both sides know is found of partitions that met (``with_places``).
        np.zeros(len(kinds), dtype=np.bool_),
    )
