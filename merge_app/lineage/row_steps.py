"""From the outcome of rows to steps on segments: which files are carried, removed, marked (lineage §7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from merge_app.lineage.ascending import are_among, ascending, without
from merge_app.lineage.decided_deletions import Deleted, carried, deletions
from merge_app.lineage.facts import Array, Ints, Kind
from merge_app.lineage.outcomes import Outcome
from merge_app.lineage.result_rows import SOURCES, MarksReader, Rows, by_file, positions_masked
from merge_app.lineage.segments import AS_WRITTEN, DOT, Group, Marked, ShownFile, Stamp
from merge_app.lineage.split_files import Files, Shares, parted
from merge_app.lineage.steps import (
    LAYOUT_ONLY,
    AttachDeletes,
    CarrySegments,
    MarkRows,
    RemoveSegments,
    Step,
)


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


def carried_by_row(group: Group, rows: Rows, reader: MarksReader) -> Iterator[Step]:
    """The rows of the group as they were decided."""
    shown_on_target = {file.file_id: file for file in group.target}
    shown_on_source = {file.file_id: file for file in group.source}
    on_source, on_target = by_file(rows.source_file), by_file(rows.target_file)
    none = np.zeros(0, dtype=np.int64)
    from_source, is_made = np.isin(rows.outcome, SOURCES), rows.outcome == Outcome.CELLS
    deleted_as, on_source_alone = _deleted_as(rows), by_file(_stay_deleted(rows))
    # An image that both sides show at one place stays there: its fact alone is the source's.
    in_place = from_source & rows.is_live & (rows.source_file == rows.target_file)
    in_place &= rows.source_position == rows.target_position
    for file_id in sorted({*shown_on_target, *shown_on_source}):
        source, target = on_source.get(file_id, none), on_target.get(file_id, none)
        shares = Shares(
            file_id,
            shown_on_target.get(file_id),
            shown_on_source.get(file_id),
            target,
            come=source[from_source[source] & rows.is_live[source] & ~in_place[source]],
            take=target[in_place[target]],
            stay=target[rows.is_live[target] & ~from_source[target] & ~is_made[target]],
            go=target[(from_source[target] & ~in_place[target]) | ~rows.is_live[target] | is_made[target]],
            stay_deleted=on_source_alone.get(file_id, none),
        )
        if shares.are_parted(rows, reader):
            yield from parted(shares, deleted_as, rows, (shown_on_target, shown_on_source), reader)
        else:
            yield from _of_file(shares, deleted_as, rows, (shown_on_target, shown_on_source), reader)


def _stay_deleted(rows: Rows) -> Ints:
    """The source's files of rows that it alone shows and that stay deleted by decision; 0 for all other rows. What
    the commit at hand did to them itself no other branch knows.
    """
    is_decided = (rows.outcome == Outcome.TARGET_DECIDED) & ~rows.is_live & (rows.target_file == 0) & ~rows.is_own
    return np.where(is_decided, rows.source_file, 0)


def _of_file(
    shares: Shares, deleted_as: Array, rows: Rows, files: tuple[Files, Files], reader: MarksReader
) -> Iterator[Step]:
    """A file whose rows go into one partition."""
    come, stay, file_id = shares.come, shares.stay, shares.file_id
    stay = stay[rows.outcome[stay] == Outcome.TARGET_DECIDED]
    decided = come[rows.outcome[come] == Outcome.SOURCE_DECIDED]
    yield from _file_steps(
        _FileRows(
            file_id,
            _put(shares.shown_on_target, files, rows, shares.live, reader),
            _put(shares.shown_on_source, files, rows, shares.live, reader),
            shares.shown_on_target,
            go=rows.target_position[shares.go],
            deleted_as=deleted_as[shares.go],
            come=rows.source_position[come],
            live=np.concatenate([rows.target_position[stay], rows.source_position[decided]]),
            live_kind=np.concatenate([rows.target_kind[stay], rows.source_kind[decided]]),
            stay_deleted=shares.deletions(rows),
        ),
        reader,
    )
    yield from _facts_taken(file_id, rows, shares.take)


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
    file: ShownFile | None, files: tuple[Files, Files], rows: Rows, lives: Array, reader: MarksReader
) -> ShownFile | None:
    """The file in the partition where these of its rows belong: all that are looked at and live in it."""
    if file is None or not len(lives):
        return file
    partition = reader.values(int(rows.partition[lives[0]]))
    placed = file.placed_in(partition, who_placed(*files, rows, lives))
    return replace(file, partition=partition, placed=placed)


def who_placed(shown_on_target: Files, shown_on_source: Files, rows: Rows, lives: Array) -> Stamp:
    placing = rows.placing[lives]
    decided = lives[placing >= Outcome.TARGET_DECIDED]
    if len(decided):
        return Stamp(DOT, Kind(int(rows.placed_kind[decided[0]])).name.lower())
    of_source = placing == Outcome.SOURCE
    files = [shown_on_source[int(f)] for f in np.unique(rows.source_file[lives[of_source]]) if f]
    files += [shown_on_target[int(f)] for f in np.unique(rows.target_file[lives[~of_source]]) if f]
    return max((file.placed for file in files), key=lambda stamp: stamp.version, default=AS_WRITTEN)


def _deleted_as(rows: Rows) -> Array:
    """The kind under which this commit deletes a row; 0 where another commit tells it, or where the
    row lives in another file.
    """
    is_recorded = ~rows.is_live & (rows.is_own | (rows.outcome == Outcome.SOURCE_DECIDED))
    deleted_as = np.where(is_recorded, rows.source_kind, 0)
    deleted_as = np.where(rows.outcome == Outcome.CELLS, int(Kind.UPDATE), deleted_as)
    return np.where(~rows.is_live & (rows.outcome == Outcome.SCOPE), int(Kind.OVERWRITE), deleted_as)


@dataclass(frozen=True, slots=True, eq=False)
class _FileRows:
    """Of one file, positions of rows: those that go, each with the kind of its deletion, those that come, those that
    live by decision, and those that stay deleted by decision. Those shown are in the partition of the result,
    ``before`` as the target shows it.
    """

    file_id: int
    shown_on_target: ShownFile | None
    shown_on_source: ShownFile | None
    before: ShownFile | None
    go: Ints
    deleted_as: Array
    come: Ints
    live: Ints
    live_kind: Array
    stay_deleted: Deleted

    def gone(self, positions: Ints) -> Iterator[tuple[Ints, Stamp]]:
        """Of these positions of rows that go, those of each kind; those of which another commit tells come first."""
        are_these = are_among(self.go, positions)
        kinds, ordered = self.deleted_as[are_these], self.go[are_these]
        for kind in np.unique(kinds):
            stamp = Stamp(DOT, Kind(int(kind)).name.lower()) if kind else LAYOUT_ONLY
            yield ordered[kinds == kind], stamp


def _file_steps(item: _FileRows, reader: MarksReader) -> Iterator[Step]:
    if item.shown_on_target is None:
        if item.shown_on_source is not None and (len(item.come) or len(item.stay_deleted[0])):
            yield from carried(item.shown_on_source, item.come, item.stay_deleted, reader)
    elif (
        item.shown_on_source is not None and are_among(item.come, positions_masked(item.shown_on_target, reader)).any()
    ):
        yield from _shown_again(item, item.shown_on_target, item.shown_on_source, reader)
    else:
        yield from _marked(item, item.shown_on_target, reader)
    if item.shown_on_target is not None:
        yield from deletions(item.file_id, item.stay_deleted, is_leaving=True)
    for kind in np.unique(item.live_kind):
        stamp = Stamp(DOT, Kind(int(kind)).name.lower())
        yield MarkRows.of(item.file_id, item.live[item.live_kind == kind], stamp, is_live=True)


def _marked(item: _FileRows, shown_on_target: ShownFile, reader: MarksReader) -> Iterator[Step]:
    """The target still shows the file, with fewer rows, or with none."""
    left, masked = item.go, positions_masked(shown_on_target, reader)
    if len(left) and len(left) + len(masked) == shown_on_target.rows and not len(item.live):
        (_, stamp), *further = item.gone(left)
        yield from (MarkRows.of(item.file_id, positions, kind, is_leaving=True) for positions, kind in further)
        yield RemoveSegments(item.file_id, shown_on_target.segment_id, stamp)
        return
    if shown_on_target != item.before:
        yield RemoveSegments(item.file_id, shown_on_target.segment_id)
        yield CarrySegments(shown_on_target)
    known = {mark.file_id for mark in shown_on_target.deletes}
    dead = ascending(np.concatenate([left, masked]))
    for mark in item.shown_on_source.deletes if item.shown_on_source is not None else ():
        positions = reader.marks(mark.file_id)[0]
        if mark.file_id not in known and are_among(positions, dead).all():
            yield AttachDeletes(item.file_id, mark)
            left = without(left, positions)
    yield from (MarkRows.of(item.file_id, positions, stamp) for positions, stamp in item.gone(left))


def _shown_again(
    item: _FileRows, shown_on_target: ShownFile, shown_on_source: ShownFile, reader: MarksReader
) -> Iterator[Step]:
    """The target shows rows of the file again: what is masked is put together anew."""
    dead = ascending(np.concatenate([without(positions_masked(shown_on_target, reader), item.come), item.go]))
    marks = {mark.file_id: mark for mark in (*shown_on_target.deletes, *shown_on_source.deletes)}
    kept = [mark for mark in marks.values() if are_among(reader.marks(mark.file_id)[0], dead).all()]
    stamped = {mark.file_id: mark for mark in (*shown_on_target.stamped, *shown_on_source.stamped)}
    yield RemoveSegments(item.file_id, shown_on_target.segment_id)
    again = replace(shown_on_source, deletes=tuple(kept), stamped=tuple(stamped.values()))
    yield CarrySegments(again)
    left = without(dead, positions_masked(again, reader))
    yield from (MarkRows.of(item.file_id, positions, stamp) for positions, stamp in item.gone(left))
    untold = without(left, item.go)
    if len(untold):
        yield MarkRows.of(item.file_id, untold, LAYOUT_ONLY)
