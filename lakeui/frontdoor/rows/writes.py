"""What every write of rows shares: staging on Spark, metrics, and its commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from catalog_app.domain.files import NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.operations import (
    FileEffects,
    Operation,
    OperationKind,
    OverwriteScope,
)
from catalog_app.domain.state_diff import state_after
from catalog_app.engine.copy_on_write import Copied, Marks
from catalog_app.engine.counting import Counting
from catalog_app.selectors.segments import SegmentState
from catalog_app.services import alterations
from catalog_app.services.registered import files_waiting
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, scan_for_copies
from lakeui.frontdoor.columns.evolving import Evolved
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.committing import commit_operations
from lakeui.frontdoor.rows.write_modes import FileCopies, copies_files
from merge_app.execution.apply import Applied
from merge_app.execution.deleted_keys import tombstones_find
from merge_app.execution.staged import StagedDefinition

METRICS = (
    "rows_inserted",
    "rows_updated",
    "rows_deleted",
    "rows_copied",
    "files_scanned",
    "files_skipped",
    "files_rewritten",
    "files_added",
    "files_removed",
    "files_reused",
    "bytes_written",
)
"""What every write names (interfaces §2)."""


def write_metrics(**known: int) -> dict[str, int]:
    """Every metric of a write, those that are not said as 0."""
    return dict.fromkeys(METRICS, 0) | known


def row_metrics(
    segments: Sequence[SegmentState],
    chosen: Sequence[SegmentState],
    removed: Sequence[int],
    copies: FileCopies | None = None,
    **known: int,
) -> dict[str, int]:
    """Metrics of a statement that looked at ``chosen``, took ``removed`` away and made ``copies`` of others."""
    own = write_metrics(
        files_scanned=len(chosen),
        files_skipped=len(segments) - len(chosen),
        files_removed=len(removed),
        files_reused=len(segments) - len(removed) - (copies.removed if copies else 0),
        **known,
    )
    more = copies.operation.metrics if copies and copies.operation else {}
    return {name: count + more.get(name, 0) for name, count in own.items()}


def bytes_of(*staged: Sequence[NewDataFile | NewDeleteFile]) -> int:
    return sum(file.bytes for files in staged for file in files)


@contextmanager
def staging(call: Call) -> Iterator[None]:
    """Work on Spark that stages files."""
    fault_point("write.begin")
    with interruptible(call.context):
        yield
    fault_point("write.staged")


def counting_of(call: Call, target: ResolvedTable) -> Counting | None:
    """Of a dry run whose job may count the rows that it would write."""
    return None if call.rehearsal is None else call.rehearsal.counting(target.table, target.place.branch)


def definition_of(target: ResolvedTable) -> dict[int, StagedDefinition]:
    """The schema version that files written now lie under."""
    assert target.definition_id, "a table that is being made has no definition yet"
    return {target.table.table_id: StagedDefinition(target.definition_id, target.table.schema_version)}


def rows_commit(
    call: Call,
    target: ResolvedTable,
    operation: str,
    operations: Sequence[Operation | None],
    *,
    metrics: Mapping[str, int] | None = None,
    keep: Callable[[Applied], None] | None = None,
) -> StatementResult:
    """Commit what a statement did to rows of one table."""
    place = target.place
    return commit_operations(
        call,
        branch=place.branch,
        seen=place.snapshot,
        operation=operation,
        operations=operations,
        databases={place.database.database_id: place.database},
        tables={target.table.table_id: state_after(target.table, operations)},
        definitions=definition_of(target),
        metrics=metrics,
        keep=keep,
    )


def touched_copy(call: Call, target: ResolvedTable, statement: str, scan: TableScan, marks: Marks) -> Copied:
    """The touched files written anew, where the table asks for that. A dry run counts them, and may need them later."""
    if not copies_files(target.table, statement):
        return Copied()
    whole = scan_for_copies(target.place, scan)
    if call.rehearsal is None or files_waiting() is None:
        return engine().copy(whole, marks)
    call.rehearsal.copy = lambda: engine().copy(whole, marks)
    return engine().copy_foresee(whole, marks)


def commit_rows(
    call: Call,
    target: ResolvedTable,
    name: str,
    kind: OperationKind,
    effects: FileEffects,
    metrics: dict[str, int],
    scope: OverwriteScope | None = None,
    copies: Operation | None = None,
    fresh: Evolved | None = None,
) -> StatementResult:
    """Commit one data operation on the table, its files staged under the table's present schema version, or under the
    ``fresh`` one that comes with it. ``copies`` is the compaction by which copy-on-write puts the touched files right.
    """
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    table, fresh = target.table, fresh or Evolved(target.table)
    own = {name: count - (copies.metrics.get(name, 0) if copies else 0) for name, count in metrics.items()}
    done = alterations.operation(table, kind, effects=effects, overwrite=scope, metrics=own)
    return rows_commit(call, target, name, [fresh.change, done, copies], metrics=metrics)


def has_tombstones(target: ResolvedTable) -> bool:
    """Whether deletes of a pipeline or files of COPY INTO count, which go with all rows, also where there are none."""
    return bool(tombstones_find(target.place.snapshot, target.table.table_id))
