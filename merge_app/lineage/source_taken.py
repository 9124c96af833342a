"""A table as the source has it, because a person decided so: its files come, and what differs is news to both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from merge_app.lineage.facts import ABSENT, Array, FactColumns, Kind, News, TableFacts
from merge_app.lineage.outcomes import Decided, Outcome, Pairs, TableOutcome, taken
from merge_app.lineage.result_rows import Rows, by_file
from merge_app.lineage.segments import DOT, WRITTEN_THERE, Group, Stamp
from merge_app.lineage.sorted_join import differing_rows
from merge_app.lineage.steps import CarrySegments, MarkRows, RemoveSegments, Step


def source_taken(facts: TableFacts, news: News) -> TableOutcome:
    """Every row is as on the source. What the target alone changed, or both, is decided."""
    source, target = facts.source, facts.target
    pairs = differing_rows(source, target)
    on_source = taken(source.image.value, pairs.source_at, ABSENT) != ABSENT
    on_target = taken(target.image.value, pairs.target_at, ABSENT) != ABSENT
    rows = Decided.of(_outcome(pairs, source.image, target.image, news, on_source | on_target))
    swept = np.flatnonzero(on_target & (pairs.source_at < 0))
    rows.give(swept, np.full(len(swept), ABSENT), Outcome.SCOPE)
    partitions = Decided.of(_outcome(pairs, source.partition, target.partition, news, on_source))
    return TableOutcome(pairs, rows, partitions, ())


def _outcome(pairs: Pairs, source: FactColumns, target: FactColumns, news: News, is_asked: Array) -> Array:
    of_source, of_target = taken(source.stamp, pairs.source_at, 0), taken(target.stamp, pairs.target_at, 0)
    same = taken(source.value, pairs.source_at, ABSENT) == taken(target.value, pairs.target_at, ABSENT)
    comes = news.from_source(of_source) & ~news.from_target(of_target)
    decided = np.where(comes, Outcome.SOURCE, Outcome.SOURCE_DECIDED)
    stays = (of_source == of_target) & ((of_source > 0) | same)
    return np.where(is_asked & (pairs.source_at >= 0) & ~stays, decided, Outcome.TARGET).astype(np.int8)


def taken_whole(group: Group, rows: Rows) -> Iterator[Step]:
    """The files of the group as the source shows them, with the facts that are decided."""
    gone = ~rows.is_live & np.isin(rows.outcome, (Outcome.SCOPE, Outcome.SOURCE_DECIDED))
    kinds = np.where(rows.outcome == Outcome.SCOPE, int(Kind.OVERWRITE), rows.source_kind)
    on_target = by_file(np.where(gone, rows.target_file, 0))
    live = rows.is_live & (rows.outcome == Outcome.SOURCE_DECIDED)
    on_source = by_file(np.where(live, rows.source_file, 0))
    placed = _placed(rows)
    for file in group.target:
        at = on_target.get(file.file_id, np.zeros(0, dtype=np.int64))
        for kind in np.unique(kinds[at]):
            positions = rows.target_position[at[kinds[at] == kind]]
            yield MarkRows.of(file.file_id, positions, _decided(kind), is_leaving=True)
        yield RemoveSegments(file.file_id, file.segment_id)
    for file in group.source:
        yield CarrySegments(replace(file, placed=placed.get(file.file_id, file.placed)))
        at = on_source.get(file.file_id, np.zeros(0, dtype=np.int64))
        # What the image was decided against is recorded: a branch that knows both has decided for
        # itself. A         # restored fact names there what it replaced.
        against = np.where(kinds[at] == Kind.RESTORE, 0, rows.target_stamp[at])
        facts = np.stack([kinds[at].astype(np.int64), against], axis=1)
        for kind, beaten in np.unique(facts, axis=0):
            positions = rows.source_position[at[(facts == (kind, beaten)).all(axis=1)]]
            stamp = replace(_decided(kind), undoes=int(beaten))
            yield MarkRows.of(file.file_id, positions, stamp, is_live=True)


def _placed(rows: Rows) -> dict[int, Stamp]:
    """By file of which the source's partition was decided, as what: where all rows were written there, as an update."""
    at = np.flatnonzero(rows.is_live & (rows.placing == Outcome.SOURCE_DECIDED))
    files, is_moved = rows.source_file[at], rows.placed_kind[at] != Kind.UPDATE
    renamed = set(files[is_moved].tolist())
    return {f: _decided(Kind.MOVE) if f in renamed else WRITTEN_THERE for f in np.unique(files).tolist()}


def _decided(kind: int) -> Stamp:
    return Stamp(DOT, Kind(int(kind)).name.lower())
