"""Tables with a primary key whose rows both sides changed: judged and merged by key, not by file (semantics §3).

What the destination gets are operations of the merge's own, not replays: rows that other branches know by the files of
the source lie in new ones. So where such operations meet anything later, rows are compared by key again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.row_merge import RowChoice, RowJudgement, Sweep, Take
from catalog_app.domain.state import TableState
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.columns import ColumnRedo, columns_redo
from merge_app.planning.findings import Problem
from merge_app.planning.partition_paths import dropped_partitions, earlier_names
from merge_app.planning.surviving import RESTORED_VERSION, ObjectChanges, is_full_overwrite
from merge_app.planning.values import DataPlan, MergeRows, Resolution, ResolutionPart

ROWS_MERGED = "rows_merged_by_key"
"""Metric of the operations that a merge by key makes."""
ROW_PARTS = frozenset({ResolutionPart.ROWS, ResolutionPart.ROW, ResolutionPart.CELL})
_CHANGING = ("insert", "delete", "update")
_SWEEPING = ("overwrite", "partition", "drop")
_COUNTS = {
    OperationKind.UPDATE: "rows_updated",
    OperationKind.DELETE: "rows_deleted",
    OperationKind.INSERT: "rows_inserted",
}


def merges_by_key(
    source: ObjectChanges, destination: ObjectChanges, before: TableState, *, is_apart: bool = False
) -> bool:
    """Whether rows are judged one by one: both sides changed some, a merge by key is among what is redone, or the
    destination has its rows in other files than the source had them from (``is_apart``). What sweeps whole partitions
    or tables is redone as in tables without a key, as long as files lead to the rows; the source's own overwrite of the
    table always is.
    """
    if not source.hits(*_CHANGING) or source.overwrites_all:
        return False
    if source.created or source.undropped or destination.created or destination.undropped:
        return False
    is_needed = is_apart or any(ROWS_MERGED in item.metrics for item in source.operations)
    is_swept = source.hits(*_SWEEPING) or destination.hits(*_SWEEPING)
    if not is_needed and (is_swept or not destination.hits(*_CHANGING)):
        return False
    # Asked last, as a schema that nobody looks at is not even read.
    return before.schema.is_keyed


def sweep_of(changes: ObjectChanges, since: int, made_since: Collection[int] = ()) -> Sweep:
    """What the side swept after the version ``since`` of its own; ``made_since`` are operations that it merged at that
    very version and that count too.
    """

    def counts(item: Operation) -> bool:
        return item.version > since or item.operation_id in made_since

    found = [item for item in changes.data if item.kind is OperationKind.OVERWRITE and counts(item)]
    if any(is_full_overwrite(item) for item in found):
        return Sweep(None, puts_back=any(RESTORED_VERSION in item.metrics for item in found))
    written = {values for item in found for values in (item.overwrite.partitions if item.overwrite else None) or ()}
    partitions = [item for item in changes.operations if item.kind is OperationKind.PARTITION and counts(item)]
    dropped = {values for item in partitions for values in dropped_partitions(item)}
    named = {name for values in dropped for name in earlier_names(changes.operations, values)}
    return Sweep(frozenset(written | named))


def columns_merged(
    source: ObjectChanges, destination: ObjectChanges, before: TableState, state: TableState | None
) -> ColumnRedo:
    """The columns that the merged table will have: what its rows are read under."""
    return columns_redo(
        before.schema,
        source.columns,
        destination.columns,
        source_schema=state.schema if state else None,
        replaces_rows=source.overwrites_all,
    )


def choices_of(resolutions: Iterable[Resolution], table_id: int) -> tuple[RowChoice, ...]:
    """What was decided of a table's rows."""
    return tuple(
        _choice(item)
        for item in resolutions
        if item.part in ROW_PARTS and item.key_of_object == (ObjectKind.TABLE, table_id)
    )


def _choice(item: Resolution) -> RowChoice:
    take = Take(item.decision.value)
    if item.part is ResolutionPart.CELL:
        column, _, key = item.part_key.partition(":")
        return RowChoice(take, key, int(column), item.value)
    return RowChoice(take, item.part_key, value=item.value)


def row_problems(judged: RowJudgement) -> Iterator[Problem]:
    """One problem for each pair of changes that conflicts in any row."""
    for item in judged.open:
        yield Problem(
            (item.source.value, item.destination.value),
            VerdictCode.PRIMARY_KEY_CLASH,
            "",
            _SENTENCES.get((item.source, item.destination), "Both changed rows of one key, and not to the same."),
            {"rows": item.rows, "keys": list(item.keys)},
        )


_SENTENCES = {
    (OperationKind.INSERT, OperationKind.INSERT): "Both have a new row with the same key, and they differ.",
    (OperationKind.UPDATE, OperationKind.UPDATE): "Both changed a cell of one row, to different values.",
    (OperationKind.DELETE, OperationKind.UPDATE): "The destination changed a row that the source took away.",
    (OperationKind.UPDATE, OperationKind.DELETE): "The source changed a row that the destination took away.",
}


def rows_plan(judged: RowJudgement, given: MergeRows) -> DataPlan | None:
    """None where nothing changes on the destination."""
    return DataPlan(row_work=(given,)) if judged.changes else None


def row_operations(judged: RowJudgement, source: ObjectChanges) -> tuple[Operation, ...]:
    """What the merge does to the destination's rows, as operations of its own. There is one even if it has nothing to
    do: the destination then knows of rows that it shows in other files. Not if the source only says that itself.
    """
    counts = {kind: judged.changes[kind] for kind in _COUNTS if judged.changes.get(kind)}
    if not counts and not all(_does_nothing(operation) for operation in source.data):
        counts = {OperationKind.UPDATE: 0}
    return tuple(
        Operation(
            kind,
            ObjectKind.TABLE,
            source.object_id,
            metrics={_COUNTS[kind]: rows, ROWS_MERGED: 1},
            version=_last_version(source.data),
            branch=source.branch,
        )
        for kind, rows in counts.items()
    )


def _does_nothing(operation: Operation) -> bool:
    rows = (operation.metrics.get(name, 0) for name in _COUNTS.values())
    return ROWS_MERGED in operation.metrics and not any(rows)


def _last_version(operations: Sequence[Operation]) -> int:
    return max((operation.version for operation in operations), default=0)
