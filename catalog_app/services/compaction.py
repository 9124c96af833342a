"""Which files of a table OPTIMIZE rewrites, and why: one choice for the statement and for what pages say of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.layout import clustering_of, is_laid, order_of, with_layout
from catalog_app.domain.state import TableState
from catalog_app.domain.transforms import FileLayout
from catalog_app.selectors.segments import SegmentState
from catalog_app.services.publishing import files_refused

TARGET_BYTES = 128 * 1024 * 1024
"""What OPTIMIZE aims at; files of at least half of it are left alone."""


class Reason(StrEnum):
    """Why a file is rewritten. A file has one: the first that holds."""

    DELETES = "deletes"
    PUBLISHING = "publishing"
    LAYOUT = "layout"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Compaction:
    """The files that a rewrite takes, in the order of the segments, with the reason of each."""

    chosen: tuple[tuple[SegmentState, Reason], ...]

    @property
    def segments(self) -> list[SegmentState]:
        return [segment for segment, _ in self.chosen]

    def count(self, reason: Reason) -> int:
        return sum(1 for _, found in self.chosen if found is reason)

    @property
    def files_after(self) -> int:
        """About how many files the chosen ones become, from the bytes of their live rows."""
        live: dict[PartitionValues, float] = defaultdict(float)
        for segment in self.segments:
            rows = max(0, segment.rows - segment.deleted_rows)
            live[segment.partition] += segment.bytes * rows / segment.rows if segment.rows else 0
        return sum(ceil(size / TARGET_BYTES) for size in live.values())


def compaction_of(table: TableState, segments: Sequence[SegmentState], order: tuple[int, ...] = ()) -> Compaction:
    """Files with deletes; files that other engines would read otherwise than lakeui; files that lie otherwise than the
    table, or ``order``, says; and small files that are not alone at their place.
    """
    order = order or clustering_of(table.properties)
    schema = with_layout(table.schema, table.properties)
    refused = files_refused(table.schema, segments)
    due: dict[int, Reason] = {}
    places: dict[tuple[PartitionValues, FileLayout], int] = defaultdict(int)
    for segment in segments:
        if segment.delete_paths:
            due[segment.file_id] = Reason.DELETES
        elif segment.file_id in refused:
            due[segment.file_id] = Reason.PUBLISHING
        elif not is_laid(segment.layout, schema) or (order and order_of(segment.layout) != order):
            due[segment.file_id] = Reason.LAYOUT
        if segment.file_id in due or _is_small(segment):
            places[segment.partition, segment.layout] += 1
    return Compaction(
        tuple(
            (segment, due.get(segment.file_id, Reason.SMALL))
            for segment in segments
            if segment.file_id in due or (_is_small(segment) and places[segment.partition, segment.layout] > 1)
        )
    )


def _is_small(segment: SegmentState) -> bool:
    return segment.bytes < TARGET_BYTES // 2
