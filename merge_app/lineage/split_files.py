"""A file whose rows go into several partitions: a segment has one, so each part becomes a file of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from merge_app.lineage.ascending import without
from merge_app.lineage.decided_deletions import Deleted, carried, deletions
from merge_app.lineage.facts import Array, Ints, Kind
from merge_app.lineage.outcomes import Outcome
from merge_app.lineage.result_rows import MarksReader, Rows, positions_masked
from merge_app.lineage.segments import AS_WRITTEN, DOT, ShownFile, Stamp
from merge_app.lineage.steps import MarkRows, RemoveSegments, Step, WriteRows

Files = Mapping[int, ShownFile]
"""The files of one side by id."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The rows of one file by what becomes of them, as places among the rows of the group. ``shown``: those that the
    target shows in it. ``come``: shown as the source shows them; ``take``: shown where they are, with the source's
    fact; ``stay``: as the target shows them; ``go``: not shown in this file any more. ``stay_deleted``: the source
    alone shows them, and by decision they stay deleted.
    """

    file_id: int
    shown_on_target: ShownFile | None
    shown_on_source: ShownFile | None
    shown: Array
    come: Array
    take: Array
    stay: Array
    go: Array
    stay_deleted: Array

    def deletions(self, rows: Rows) -> Deleted:
        """Of the rows that stay deleted."""
        return rows.source_position[self.stay_deleted], rows.target_kind[self.stay_deleted]

    @property
    def live(self) -> Array:
        return np.concatenate([self.come, self.take, self.stay])

    def are_parted(self, rows: Rows, reader: MarksReader) -> bool:
        """Whether rows of the file go into several partitions. Rows without news stay in that of the file."""
        found = {reader.values(int(code)) for code in np.unique(rows.partition[self.live])}
        if self.shown_on_target is None or not found or found == {self.shown_on_target.partition}:
            return len(found) > 1
        return len(found) > 1 or len(self.others(rows, reader)) > 0

    def others(self, rows: Rows, reader: MarksReader) -> Ints:
        """The positions of rows that the target shows in the file and neither side has news of."""
        if self.shown_on_target is None:
            return np.zeros(0, dtype=np.int64)
        known = np.concatenate([positions_masked(self.shown_on_target, reader), rows.target_position[self.shown]])
        return without(np.arange(self.shown_on_target.rows), known)


def parted(
    shares: Shares, deleted_as: Array, rows: Rows, files: tuple[Files, Files], reader: MarksReader
) -> Iterator[Step]:
    """Rows of the file that the result shows are written anew, each with its fact; the file itself goes.
    ``deleted_as``: by row the kind under which this commit records its deletion, 0 for none. ``files``: of target and
    source.
    """
    if shares.shown_on_target is not None:
        for kind in np.unique(deleted_as[shares.go]):
            gone = shares.go[deleted_as[shares.go] == kind]
            if kind:
                stamp = Stamp(DOT, Kind(int(kind)).name.lower())
                yield MarkRows.of(shares.file_id, rows.target_position[gone], stamp, is_leaving=True)
        yield RemoveSegments(shares.file_id, shares.shown_on_target.segment_id)
        yield from _written(
            shares.shown_on_target, shares.stay, rows, rows.target_position, files, reader, shares.others(rows, reader)
        )
    if shares.shown_on_source is not None:
        come = np.concatenate([shares.come, shares.take])
        yield from _written(shares.shown_on_source, come, rows, rows.source_position, files, reader)
        if len(shares.stay_deleted):
            gone = shares.deletions(rows)
            if shares.shown_on_target is not None:
                yield from deletions(shares.file_id, gone, is_leaving=True)
            else:
                yield from carried(shares.shown_on_source, come[:0], gone, reader)


_DECIDED = (Outcome.TARGET_DECIDED, Outcome.SOURCE_DECIDED)


def _written(
    file: ShownFile,
    at: Array,
    rows: Rows,
    position: Ints,
    files: tuple[Files, Files],
    reader: MarksReader,
    others: Ints | None = None,
) -> Iterator[Step]:
    """Rows with the facts that ``file`` shows, but for those that the merge decides. ``others``: positions of further
    rows, which stay in the partition of the file.
    """
    kinds = np.where(rows.outcome == Outcome.TARGET_DECIDED, rows.target_kind, rows.source_kind)
    decided = at[np.isin(rows.outcome[at], _DECIDED)]
    marks = [
        MarkRows.of(
            file.file_id,
            position[decided[kinds[decided] == kind]],
            Stamp(DOT, Kind(int(kind)).name.lower()),
            is_live=True,
        )
        for kind in np.unique(kinds[decided])
    ]
    parts: dict[tuple[tuple[str | None, ...], Stamp], list[Ints]] = defaultdict(list)
    for code, placed, chosen in _placed(at, rows, files):
        partition = reader.values(code)
        parts[partition, file.placed_in(partition, placed)].append(position[chosen])
    if others is not None and len(others):
        parts[file.partition, file.placed].append(others)
    for (partition, placed), positions in parts.items():
        yield WriteRows.of(file, partition, placed, np.concatenate(positions), marks)


def _placed(at: Array, rows: Rows, files: tuple[Files, Files]) -> Iterator[tuple[int, Stamp, Array]]:
    """Rows by the code of their partition, and who decided that."""
    shown_on_target, shown_on_source = files
    is_decided = rows.placing[at] >= Outcome.TARGET_DECIDED
    is_source = rows.placing[at] == Outcome.SOURCE
    place = np.where(is_source, rows.source_file[at], rows.target_file[at])
    whose = np.where(is_decided, rows.placed_kind[at], place)
    keys = np.stack([rows.partition[at], is_decided, is_source & ~is_decided, whose], axis=1).astype(np.int64)
    for key in np.unique(keys, axis=0):
        code, decided, of_source, name = (int(number) for number in key)
        if decided:
            stamp = Stamp(DOT, Kind(name).name.lower())
        else:
            shown = (shown_on_source if of_source else shown_on_target).get(name)
            stamp = AS_WRITTEN if shown is None else shown.placed
        yield code, stamp, at[(keys == key).all(axis=1)]
