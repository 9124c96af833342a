"""From the outcome of rows to steps on segments: which files are carried, removed, marked (lineage §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from merge_app.lineage.facts import ABSENT, Array, Ints, Kind, RowFacts
from merge_app.lineage.outcomes import Outcome, TableOutcome
from merge_app.lineage.segments import AS_WRITTEN, DOT, Group, Marked, ShownFile, Stamp
from merge_app.lineage.steps import (
    LAYOUT_ONLY,
    AttachDeletes,
    CarrySegments,
    MarkRows,
    RemoveSegments,
    Step,
)


class MarksReader(Protocol):
    """What tells positions and row ids of a delete file."""

    def marks(self, delete_file: int) -> tuple[Ints, Ints]: ...

    def values(self, code: int) -> tuple[str | None, ...]:
        """The values of a partition."""
        ...


class PartsApart(Exception):
    """Rows of one file belong into several partitions, which no segment can say."""

    def __init__(self, file_id: int) -> None:
        super().__init__(f"the rows of data file {file_id} belong into several partitions")


def carried_whole(group: Group) -> Iterator[Step]:
    """The group as the source shows it. What the commit at hand does itself (``DOT``) no other commit tells."""
    shown = {file.file_id: file for file in group.source}
    for file in group.target:
        coming = shown.get(file.file_id)
        if coming is None or not _grows(file, coming):
            own = [item for item in group.source_gone if item.file_id == file.file_id and item.stamp.version == DOT]
            known = {mark.file_id for mark in file.deletes}
            for item in own:
                if item.delete_file is not None and item.delete_file not in known:
                    yield AttachDeletes(file.file_id, Marked(item.delete_file, item.stamp), is_leaving=True)
            stamps = [item.stamp for item in own if item.delete_file is None]
            yield RemoveSegments(file.file_id, file.segment_id, stamps[-1] if stamps else LAYOUT_ONLY)
            continue
        del shown[file.file_id]
        known = {mark.file_id for mark in file.deletes}
        for mark in coming.deletes:
            if mark.file_id not in known:
                yield AttachDeletes(file.file_id, mark)
    for file in shown.values():
        yield CarrySegments(file)


def _grows(file: ShownFile, coming: ShownFile) -> bool:
    """Whether the source's state of a file is the target's with more deletes."""
    marks, further = ({mark.file_id for mark in item.deletes} for item in (file, coming))
    is_same = (file.stamp, file.stamped, file.partition, file.placed) == (
        coming.stamp,
        coming.stamped,
        coming.partition,
        coming.placed,
    )
    return is_same and marks <= further


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a group that differ, by position: outcome, and where either side has them live (file 0: nowhere).
    ``is_own``: where the commit at hand decided the source's fact. ``partition``, ``placing`` and ``placed_kind``: of
    the result the code of the row's partition, how it was decided, and the kind of that fact.
    """

    outcome: Array
    source_file: Ints
    source_position: Ints
    target_file: Ints
    target_position: Ints
    is_live: Array
    source_kind: Array
    target_kind: Array
    is_own: Array
    partition: Array
    placing: Array
    placed_kind: Array
    source_stamp: Ints
    source_undoes: Ints

    @classmethod
    def of(
        cls,
        merged: TableOutcome,
        source: tuple[Ints, Ints],
        target: tuple[Ints, Ints],
        facts: tuple[RowFacts, RowFacts],
        undoes: Ints,
    ) -> Rows:
        """``source``, ``target``: files and positions of the rows of the sides; ``facts``: those of both sides;
        ``undoes``: of the source's images.
        """
        pairs = merged.pairs
        images = facts[0].image, facts[1].image
        values = merged.row_facts(*facts, DOT).value
        placed = merged.partition_facts(*facts, DOT)
        mine, theirs = (
            _at(side.partition.value, at, ABSENT)
            for side, at in zip(facts, (pairs.source_at, pairs.target_at), strict=True)
        )
        # A side whose row is gone says nothing of its partition (R7).
        of_image = np.where(np.isin(merged.rows.outcome, _SOURCES), mine, theirs)
        (source_file, source_position), (target_file, target_position) = source, target
        return cls(
            merged.rows.outcome,
            _at(source_file, pairs.source_at, 0),
            _at(source_position, pairs.source_at, -1),
            _at(target_file, pairs.target_at, 0),
            _at(target_position, pairs.target_at, -1),
            values != ABSENT,
            _at(images[0].kind, pairs.source_at, 0),
            _at(images[1].kind, pairs.target_at, 0),
            _at(images[0].stamp, pairs.source_at, 0) == DOT,
            np.where(placed.value == ABSENT, of_image, placed.value),
            merged.partitions.outcome,
            placed.kind,
            _at(images[0].stamp, pairs.source_at, 0),
            _at(undoes, pairs.source_at, 0),
        )


def _at(column: Ints, at: Array, none: int) -> Ints:
    if not len(column):
        return np.full(len(at), none, dtype=np.int64)
    found: Ints = np.where(at < 0, none, column[at])
    return found


_SOURCES = (Outcome.SOURCE, Outcome.SOURCE_DECIDED)


def carried_by_row(group: Group, rows: Rows, reader: MarksReader) -> Iterator[Step]:
    """The rows of the group as they were decided."""
    here = {file.file_id: file for file in group.target}
    there = {file.file_id: file for file in group.source}
    on_source, on_target = _by_file(rows.source_file), _by_file(rows.target_file)
    none = np.zeros(0, dtype=np.int64)
    from_source, is_made = np.isin(rows.outcome, _SOURCES), rows.outcome == Outcome.CELLS
    told = _told(rows)
    # An image that both sides show at one place stays there: its fact alone is the source's.
    in_place = from_source & rows.is_live & (rows.source_file == rows.target_file)
    in_place &= rows.source_position == rows.target_position
    for file_id in sorted({*here, *there}):
        mine, theirs = on_source.get(file_id, none), on_target.get(file_id, none)
        comes = mine[from_source[mine] & rows.is_live[mine] & ~in_place[mine]]
        goes = theirs[(from_source[theirs] & ~in_place[theirs]) | ~rows.is_live[theirs] | is_made[theirs]]
        taken = theirs[in_place[theirs]]
        stays = theirs[(rows.outcome[theirs] == Outcome.TARGET_DECIDED) & rows.is_live[theirs]]
        decided = comes[rows.outcome[comes] == Outcome.SOURCE_DECIDED]
        lives = np.concatenate([comes, np.setdiff1d(theirs, goes)]) if file_id in here else comes
        yield from _file_steps(
            _FileRows(
                file_id,
                _put(here.get(file_id), here, there, rows, lives, reader),
                _put(there.get(file_id), here, there, rows, lives, reader),
                here.get(file_id),
                go=rows.target_position[goes],
                told=told[goes],
                come=rows.source_position[comes],
                live=np.concatenate([rows.target_position[stays], rows.source_position[decided]]),
                live_kind=np.concatenate([rows.target_kind[stays], rows.source_kind[decided]]),
            ),
            reader,
        )
        yield from _facts_taken(file_id, rows, taken)


def _facts_taken(file_id: int, rows: Rows, at: Array) -> Iterator[Step]:
    """Rows that stay where they are, by their facts on the source."""
    is_decided = rows.outcome[at] == Outcome.SOURCE_DECIDED
    stamps = np.where(is_decided, DOT, rows.source_stamp[at])
    undoes = np.where(is_decided, 0, rows.source_undoes[at])
    facts = np.stack([stamps, rows.source_kind[at].astype(np.int64), undoes], axis=1)
    for fact in np.unique(facts, axis=0):
        chosen = at[(facts == fact).all(axis=1)]
        stamp = Stamp(int(fact[0]), Kind(int(fact[1])).name.lower(), undoes=int(fact[2]))
        yield MarkRows.of(file_id, rows.target_position[chosen], stamp, is_live=True)


def _put(
    file: ShownFile | None,
    here: Mapping[int, ShownFile],
    there: Mapping[int, ShownFile],
    rows: Rows,
    lives: Array,
    reader: MarksReader,
) -> ShownFile | None:
    """The file in the partition where these of its rows belong: all that are looked at and live in it."""
    if file is None or not len(lives):
        return file
    codes = np.unique(rows.partition[lives])
    if len(codes) > 1:
        raise PartsApart(file.file_id)
    partition, placed = reader.values(int(codes[0])), who_placed(here, there, rows, lives)
    if partition != file.partition and not placed.version:
        placed = Stamp(DOT, Kind.MOVE.name.lower())
    return replace(file, partition=partition, placed=placed)


def who_placed(here: Mapping[int, ShownFile], there: Mapping[int, ShownFile], rows: Rows, lives: Array) -> Stamp:
    placing = rows.placing[lives]
    decided = lives[placing >= Outcome.TARGET_DECIDED]
    if len(decided):
        return Stamp(DOT, Kind(int(rows.placed_kind[decided[0]])).name.lower())
    of_source = placing == Outcome.SOURCE
    files = [there[int(f)] for f in np.unique(rows.source_file[lives[of_source]]) if f]
    files += [here[int(f)] for f in np.unique(rows.target_file[lives[~of_source]]) if f]
    return max((file.placed for file in files), key=lambda stamp: stamp.version, default=AS_WRITTEN)


def _told(rows: Rows) -> Array:
    """The kind under which the deletion of a row is told by this commit; 0 where another commit tells it, or where the
    row lives in another file.
    """
    is_told = ~rows.is_live & (rows.is_own | (rows.outcome == Outcome.SOURCE_DECIDED))
    told = np.where(is_told, rows.source_kind, 0)
    told = np.where(rows.outcome == Outcome.CELLS, int(Kind.UPDATE), told)
    return np.where(~rows.is_live & (rows.outcome == Outcome.SCOPE), int(Kind.OVERWRITE), told)


def _by_file(files: Ints) -> dict[int, Array]:
    """By file, the places of its rows."""
    if not len(files):
        return {}
    order = np.argsort(files, kind="stable")
    found, starts = np.unique(files[order], return_index=True)
    return {int(file): part for file, part in zip(found, np.split(order, starts[1:]), strict=True) if file}


@dataclass(frozen=True, slots=True, eq=False)
class _FileRows:
    """Of one file, positions of rows: those that go, each with the kind under which that is told, those that come, and
    those that live by decision. ``here`` and ``there`` are in the partition of the result, ``before`` as it was here.
    """

    file_id: int
    here: ShownFile | None
    there: ShownFile | None
    before: ShownFile | None
    go: Ints
    told: Array
    come: Ints
    live: Ints
    live_kind: Array

    def gone(self, positions: Ints) -> Iterator[tuple[Ints, Stamp]]:
        """Of these positions of rows that go, those of each kind."""
        kinds = self.told[np.isin(self.go, positions)]
        ordered = self.go[np.isin(self.go, positions)]
        for kind in np.unique(kinds):
            stamp = Stamp(DOT, Kind(int(kind)).name.lower()) if kind else LAYOUT_ONLY
            yield ordered[kinds == kind], stamp


def _file_steps(item: _FileRows, reader: MarksReader) -> Iterator[Step]:
    if item.here is None:
        if item.there is not None and len(item.come):
            yield from _carried(item, item.there, reader)
    elif item.there is not None and len(np.intersect1d(item.come, _positions(item.here, reader))):
        yield from _shown_again(item, item.here, item.there, reader)
    else:
        yield from _marked(item, item.here, reader)
    for kind in np.unique(item.live_kind):
        stamp = Stamp(DOT, Kind(int(kind)).name.lower())
        yield MarkRows.of(item.file_id, item.live[item.live_kind == kind], stamp, is_live=True)


def _carried(item: _FileRows, there: ShownFile, reader: MarksReader) -> Iterator[Step]:
    """A file of the source comes for some of its rows."""
    yield CarrySegments(there)
    left_out = np.setdiff1d(np.arange(there.rows), np.concatenate([item.come, _positions(there, reader)]))
    if len(left_out):
        yield MarkRows.of(item.file_id, left_out, LAYOUT_ONLY)


def _marked(item: _FileRows, here: ShownFile, reader: MarksReader) -> Iterator[Step]:
    """The target goes on showing the file, with fewer rows, or with none."""
    left, masked = item.go, _positions(here, reader)
    parts = list(item.gone(left))
    if len(left) and len(left) + len(masked) == here.rows and len(parts) == 1 and not len(item.live):
        yield RemoveSegments(item.file_id, here.segment_id, parts[0][1])
        return
    if here != item.before:
        yield RemoveSegments(item.file_id, here.segment_id)
        yield CarrySegments(here)
    known = {mark.file_id for mark in here.deletes}
    for mark in item.there.deletes if item.there is not None else ():
        positions = reader.marks(mark.file_id)[0]
        if mark.file_id not in known and np.isin(positions, np.concatenate([item.go, masked])).all():
            yield AttachDeletes(item.file_id, mark)
            left = np.setdiff1d(left, positions)
    yield from (MarkRows.of(item.file_id, positions, stamp) for positions, stamp in item.gone(left))


def _positions(file: ShownFile, reader: MarksReader) -> Ints:
    """The positions that the file's deletes mask, ascending."""
    found = [reader.marks(mark.file_id)[0] for mark in file.deletes]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))


def _shown_again(item: _FileRows, here: ShownFile, there: ShownFile, reader: MarksReader) -> Iterator[Step]:
    """The target shows rows of the file again: what is masked is put together anew."""
    dead = np.union1d(np.setdiff1d(_positions(here, reader), item.come), item.go)
    marks = {mark.file_id: mark for mark in (*here.deletes, *there.deletes)}
    kept = [mark for mark in marks.values() if np.isin(reader.marks(mark.file_id)[0], dead).all()]
    stamped = {mark.file_id: mark for mark in (*here.stamped, *there.stamped)}
    yield RemoveSegments(item.file_id, here.segment_id)
    again = replace(there, deletes=tuple(kept), stamped=tuple(stamped.values()))
    yield CarrySegments(again)
    left = np.setdiff1d(dead, _positions(again, reader))
    yield from (MarkRows.of(item.file_id, positions, stamp) for positions, stamp in item.gone(left))
    untold = np.setdiff1d(left, item.go)
    if len(untold):
        yield MarkRows.of(item.file_id, untold, LAYOUT_ONLY)
