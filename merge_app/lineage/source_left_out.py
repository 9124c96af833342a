"""A table as the target has it, because a person decided so: rows that the source changed are news to both sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from merge_app.lineage.facts import ABSENT, Kind, News, TableFacts
from merge_app.lineage.outcomes import Decided, Outcome, TableOutcome, taken
from merge_app.lineage.result_rows import Rows, by_file
from merge_app.lineage.segments import DOT, Stamp
from merge_app.lineage.sorted_join import differing_rows
from merge_app.lineage.steps import MarkRows, Step


def source_left_out(facts: TableFacts, news: News) -> TableOutcome:
    """Every row is as on the target. One that it shows and the source changed is decided: no stamp says so else."""
    source, target = facts.source, facts.target
    pairs = differing_rows(source, target)
    image = taken(source.image.value, pairs.source_at, ABSENT), taken(target.image.value, pairs.target_at, ABSENT)
    is_changed = news.from_source(taken(source.image.stamp, pairs.source_at, 0)) & (image[0] != image[1])
    decided = np.where(is_changed & (image[1] != ABSENT), Outcome.TARGET_DECIDED, Outcome.TARGET).astype(np.int8)
    stays = np.full(len(pairs), Outcome.TARGET, dtype=np.int8)
    return TableOutcome(pairs, Decided.of(decided), Decided.of(stays), ())


def marked_as_kept(rows: Rows) -> Iterator[Step]:
    """Marks of the decided rows, in the files where they lie. A mark names the stamp that the row was decided against:
    who knows both has decided.
    """
    kept = np.where(rows.outcome == Outcome.TARGET_DECIDED, rows.target_file, 0)
    for file_id, at in by_file(kept).items():
        facts = np.stack([rows.target_kind[at].astype(np.int64), rows.source_stamp[at]], axis=1)
        for kind, against in np.unique(facts, axis=0):
            positions = rows.target_position[at[(facts == (kind, against)).all(axis=1)]]
            stamp = Stamp(DOT, Kind(int(kind)).name.lower(), undoes=int(against))
            yield MarkRows.of(file_id, positions, stamp, is_live=True)
