"""Rows that branches merged crosswise and decided otherwise, where single cells are not read (P7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from catalog_app.domain.schema import Schema
from merge_app.execution.lineage.met_rows import KnownRows, met_rows
from merge_app.execution.lineage.placed import Placed
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.facts import Ints, News
from merge_app.lineage.outcomes import Pairs


def with_one_past(sides: tuple[Placed, Placed], reader: Reader, schema: Schema, news: News) -> tuple[Placed, Placed]:
    """Both sides. A row that both changed is again as it was only where one newest image is what both know: of several
    that did not know each other, each is a decision.
    """
    source, target = (side.facts for side in sides)
    met = met_rows(source, target, news)
    as_before = source.image.is_nothing[met.source_at] | target.image.is_nothing[met.target_at]
    at = np.flatnonzero(as_before)
    if not len(at):
        return sides
    pairs = Pairs(met.row_id[at], met.source_at[at], met.target_at[at])
    past = KnownRows.of(reader, schema, pairs.row_id).met(pairs)
    if not past.crossed:
        return sides
    several = np.isin(past.base, [row.images[0] for row in past.crossed])
    decided_source, decided_target = (
        _decided(side, rows[several]) for side, rows in zip(sides, (past.source, past.target), strict=True)
    )
    return decided_source, decided_target


def _decided(side: Placed, at: Ints) -> Placed:
    """The side, with rows that are not as they were."""
    image = side.facts.image
    was_known = np.array(image.was_known)
    was_known[at] = False
    return replace(side, facts=replace(side.facts, image=replace(image, was_known=was_known)))
