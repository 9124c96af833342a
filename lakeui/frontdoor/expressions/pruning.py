"""Which segments statistics rule out, before any file is read."""

from __future__ import annotations

import time
from collections.abc import Sequence

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.schema import Column
from catalog_app.pruning.predicates import ANYTHING, Predicate, Pruner
from catalog_app.pruning.ranges import may_share_values
from catalog_app.selectors.segments import SegmentState
from lakeui.sql import statements as sql


def pruned(segments: Sequence[SegmentState], columns: Sequence[Column], predicate: Predicate) -> list[SegmentState]:
    """The segments whose statistics do not rule out that the predicate is true of a row."""
    if predicate == ANYTHING:
        return list(segments)
    pruner = pruner_of(predicate, columns)
    return [segment for segment in segments if pruner.may_match(segment.statistics, segment.rows)]


def predicate_of(where: sql.Condition | None) -> Predicate:
    return where.predicate if where is not None else ANYTHING


def pruner_of(predicate: Predicate, columns: Sequence[Column]) -> Pruner:
    return Pruner(predicate, columns, now=time.time_ns() // 1000)


def sharing_keys(
    segments: Sequence[SegmentState], key: Sequence[Column], staged: Sequence[NewDataFile]
) -> list[SegmentState]:
    """The segments whose statistics do not rule out that they hold a key which a staged file holds too."""
    return [
        segment
        for segment in segments
        if any(may_share_values(key, segment.statistics, segment.rows, file.statistics or {}) for file in staged)
    ]
