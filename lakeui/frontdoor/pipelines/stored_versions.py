"""Which files of its target a run has to read: those that can hold versions of the batch's keys."""

from __future__ import annotations

from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from catalog_app.engine.merge_values import FrozenSource
from catalog_app.pruning.keys import KnownKeys, files_with_keys, known_keys
from catalog_app.pruning.predicates import Compared
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from lakeui.common.counts import counted
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.expressions.pruning import pruned
from merge_app.pipelines.definition.writes import BatchWrite


def stored_versions(call: Call, write: BatchWrite, table: TableState, batch: FrozenSource) -> TableScan:
    """The files that can hold versions which rows of the batch end, split or repeat. ``batch`` has the values of the
    unique key as its keys.
    """
    keys = _keys(write, table, batch)
    until = table.schema.named(write.times[1])
    segments = segments_list(call.snapshot, table.table_id)
    holding = files_with_keys(keys, [segment.statistics for segment in segments])
    chosen = [
        segment
        for segment, may_hold in zip(segments, holding, strict=True)
        if _may_matter(write, segment, until, may_hold=bool(may_hold))
    ]
    call.context.step("read versions", f"{len(chosen):,} of {counted(len(segments), 'file')} of {table.name}")
    return table_scan(call.snapshot, table, chosen)


def _keys(write: BatchWrite, table: TableState, batch: FrozenSource) -> list[KnownKeys]:
    found = []
    for name, values in zip(write.keys, batch.keys, strict=True):
        column = table.schema.named(name)
        if column is not None and values is not None:
            kind, array = values
            found.append(known_keys(column, kind, array, null_safe=True))
    return [keys for keys in found if keys is not None]


def _may_matter(write: BatchWrite, segment: SegmentState, until: Column | None, *, may_hold: bool) -> bool:
    """``may_hold``: the segment can hold a key of the batch. Rows with times of their own may split any version of
    their key. The time of a run is after all others: only open versions matter to it, and where a key can be gone
    those of every key do.
    """
    is_open = may_hold_open(write, segment, until)
    if write.gone_column and is_open:
        return True
    return (write.keeps_times or is_open) and may_hold


def may_hold_open(write: BatchWrite, segment: SegmentState, until: Column | None) -> bool:
    """Whether a version in the segment may hold still, by the column of its end."""
    ids = until.ids if until else ()
    known = next((segment.statistics[i] for i in ids if i in segment.statistics), None)
    if known is None or known.nulls:
        return True
    marker = write.open_marker
    if marker is None:
        return False
    if until is None or marker.constant is None:
        return True
    return bool(pruned([segment], [until], Compared(until.name, "=", (marker.constant,))))
