"""Which segments statistics rule out, before any file is read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from catalog_app.domain.files import ROW_ID_FIELD, ColumnStatistics, NewDataFile, Statistics
from catalog_app.domain.schema import Column
from catalog_app.pruning.predicates import ANYTHING, Predicate, Pruner, names_column
from catalog_app.pruning.ranges import may_share_values
from catalog_app.selectors.segments import SegmentState
from lakeui.sql import statements as sql
from lakeui.sql.metadata_columns import ROW_ID

_ROW_ID = Column(ROW_ID_FIELD, ROW_ID, "bigint")


def pruned(segments: Sequence[SegmentState], columns: Sequence[Column], predicate: Predicate) -> list[SegmentState]:
    """The segments whose statistics do not rule out that the predicate is true of a row."""
    if predicate == ANYTHING:
        return list(segments)
    if names_column(predicate, ROW_ID) and all(column.name.casefold() != ROW_ID for column in columns):
        pruner = pruner_of(predicate, [*columns, _ROW_ID])
        return [
            segment
            for segment in segments
            if any(pruner.may_match(statistics, segment.rows) for statistics in _with_row_ids(segment))
        ]
    pruner = pruner_of(predicate, columns)
    return [segment for segment in segments if pruner.may_match(segment.statistics, segment.rows)]


def _with_row_ids(segment: SegmentState) -> Iterator[Statistics]:
    """The statistics with bounds of row ids. A row without a stored id has its address, so a file that stores ids has
    two ranges.
    """
    own = segment.base, segment.base + segment.rows - 1
    for least, most in {segment.row_ids, own}:
        yield {**segment.statistics, ROW_ID_FIELD: ColumnStatistics(least, most, 0)}


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
