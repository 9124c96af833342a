"""Which files of a table two snapshots do not share."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.files import PartitionValues, TableScan
from catalog_app.domain.state import TableState
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from catalog_app.selectors.snapshots import Snapshot


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """What has to be read of either snapshot to find the rows in which they differ, and how many files that spares."""

    before: TableScan
    after: TableScan
    files_shared: int

    @property
    def files(self) -> int:
        return len({file.file_id for scan in (self.before, self.after) for file in scan.files})


def files_changed(before: Snapshot | None, after: Snapshot, table: TableState) -> ChangedFiles:
    """The files, deletes included, that only one of the snapshots has; ``before`` None is one without the table.
    ``table`` is the table as ``after`` shows it.
    """
    return segments_changed(after, table, _segments(before, table.table_id), _segments(after, table.table_id))


def segments_changed(after: Snapshot, table: TableState, *sides: list[SegmentState]) -> ChangedFiles:
    """The same of two lists of segments: those before, and those that ``after`` has."""
    shared = {_as_seen(item) for item in sides[0]} & {_as_seen(item) for item in sides[1]}
    scans = [table_scan(after, table, [item for item in side if _as_seen(item) not in shared]) for side in sides]
    read = {file.file_id for scan in scans for file in scan.files}
    everything = {item.file_id for side in sides for item in side}
    return ChangedFiles(scans[0], scans[1], len(everything - read))


def _segments(snapshot: Snapshot | None, table_id: int) -> list[SegmentState]:
    """The table's segments; none where it does not exist or is dropped."""
    if snapshot is None or state_valid(snapshot, table_id) is None:
        return []
    return segments_list(snapshot, table_id)


def state_valid(snapshot: Snapshot, table_id: int) -> TableState | None:
    state = tables_load(snapshot, [table_id]).get(table_id)
    return None if state is None or state.is_dropped else state


def _as_seen(segment: SegmentState) -> tuple[int, PartitionValues, frozenset[str]]:
    """A file with its partition and the deletes that mask it."""
    return segment.file_id, segment.partition, frozenset(segment.delete_paths)
