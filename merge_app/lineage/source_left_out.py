"""A table as the target has it, because a person decided so: rows that the source changed are news to both sides.

A row that the target does not show is deleted by the decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from merge_app.lineage.decided_deletions import carried, deletions
from merge_app.lineage.facts import ABSENT, Array, Ints, Kind, News, RowFacts, TableFacts
from merge_app.lineage.outcomes import Decided, Outcome, Pairs, TableOutcome, taken
from merge_app.lineage.result_rows import MarksReader, Rows, by_file
from merge_app.lineage.segments import DOT, Group, Stamp
from merge_app.lineage.sorted_join import differing_rows
from merge_app.lineage.steps import CarrySegments, MarkRows, RemoveSegments, Step


def source_left_out(facts: TableFacts, news: News) -> TableOutcome:
    """Every row is as on the target. What the source changed is decided: no stamp says so else. So is a row that the
    source changed to what the target shows: a third branch may have what that change replaced.
    """
    source, target = facts.source, facts.target
    pairs = differing_rows(source, target)
    on_source = taken(source.image.value, pairs.source_at, ABSENT) != ABSENT
    on_target = taken(target.image.value, pairs.target_at, ABSENT) != ABSENT
    is_changed = news.from_source(taken(source.image.stamp, pairs.source_at, 0)) & (on_source | on_target)
    decided = np.where(is_changed, Outcome.TARGET_DECIDED, Outcome.TARGET).astype(np.int8)
    return TableOutcome(pairs, Decided.of(decided), Decided.of(_partitions(pairs, source, target, news)), ())


def _partitions(pairs: Pairs, source: RowFacts, target: RowFacts, news: News) -> Array:
    """A partition that the source renamed is decided. One that an image was written into goes with that image."""
    outcome = np.full(len(pairs), Outcome.TARGET, dtype=np.int8)
    at = np.flatnonzero((pairs.source_at >= 0) & (pairs.target_at >= 0))
    source_place, target_place = source.partition.take(pairs.source_at[at]), target.partition.take(pairs.target_at[at])
    is_live = (source.image.value[pairs.source_at[at]] != ABSENT) & (target.image.value[pairs.target_at[at]] != ABSENT)
    is_renamed = np.isin(source_place.kind, (Kind.MOVE, Kind.RESTORE)) & news.from_source(source_place.stamp)
    outcome[at[is_live & is_renamed & (source_place.value != target_place.value)]] = Outcome.TARGET_DECIDED
    return outcome


def marked_as_decided(group: Group, rows: Rows, reader: MarksReader) -> Iterator[Step]:
    """Marks of the decided rows. The target shows as much as before."""
    yield from _placed_again(group, rows)
    is_decided = rows.outcome == Outcome.TARGET_DECIDED
    yield from _kept(rows, np.where(is_decided, rows.target_file, 0))
    is_left_out = is_decided & (rows.target_file == 0)
    target_ids, source_files = {file.file_id for file in group.target}, {file.file_id: file for file in group.source}
    for file_id, at in by_file(np.where(is_left_out, rows.source_file, 0)).items():
        deleted = rows.source_position[at], np.full(len(at), int(Kind.DELETE))
        if file_id in target_ids:
            yield from deletions(file_id, deleted, is_leaving=True)
        else:
            yield from carried(source_files[file_id], at[:0], deleted, reader)


def _placed_again(group: Group, rows: Rows) -> Iterator[Step]:
    """Files whose partition the source renamed: the merge decides it against the newest such rename."""
    decided = np.where(rows.placing == Outcome.TARGET_DECIDED, rows.target_file, 0)
    target_files = {file.file_id: file for file in group.target}
    for file_id, at in by_file(decided).items():
        file, against = target_files[file_id], int(rows.source_placed[at].max())
        yield RemoveSegments(file_id, file.segment_id)
        yield CarrySegments(replace(file, placed=Stamp(DOT, "move", undoes=against)))


def _kept(rows: Rows, files: Ints) -> Iterator[Step]:
    """Marks of rows that the target shows, in the files where they lie. A mark names the stamp that the row was decided
    against: who knows both has decided.
    """
    for file_id, at in by_file(files).items():
        facts = np.stack([rows.target_kind[at].astype(np.int64), rows.source_stamp[at]], axis=1)
        for kind, against in np.unique(facts, axis=0):
            positions = rows.target_position[at[(facts == (kind, against)).all(axis=1)]]
            stamp = Stamp(DOT, Kind(int(kind)).name.lower(), undoes=int(against))
            yield MarkRows.of(file_id, positions, stamp, is_live=True)
