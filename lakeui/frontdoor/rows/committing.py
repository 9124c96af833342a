"""From a statement's operations to a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from catalog_app.domain.operations import FileEffects, ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.engine.copy_on_write import Copied
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.services.files import data_files_register, waiting_register
from catalog_app.services.registered import files_waiting
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rehearsal import FilesNeeded, Rehearsal
from merge_app.comparison.parent_merge import forward_foresee
from merge_app.execution.apply import Applied
from merge_app.execution.cloning import TableClone
from merge_app.execution.commit import ReadSet, StatementDraft, statement_commit, statement_judge
from merge_app.execution.report import finding_as_json
from merge_app.execution.staged import StagedDefinition
from merge_app.planning.merge_plan import MergePlan


def commit_operations(
    call: Call,
    *,
    branch: Branch,
    seen: Snapshot,
    operation: str,
    operations: Sequence[Operation | None],
    databases: Mapping[int, DatabaseState] | None = None,
    tables: Mapping[int, TableState] | None = None,
    definitions: Mapping[int, StagedDefinition] | None = None,
    metrics: Mapping[str, int] | None = None,
    tested: Sequence[ReadSet] = (),
    clones: Mapping[int, TableClone] | None = None,
    keep: Callable[[Applied], None] | None = None,
) -> StatementResult:
    """Commit what there is to do; a statement that changes nothing makes no version. ``keep`` writes more in the same
    transaction, and is something to do itself.
    """
    wanted = tuple(item for item in operations if item is not None)
    if not wanted and keep is None:
        return StatementResult(version=seen.version, metrics=dict(metrics or {}))
    states = databases or {}, tables or {}, definitions or {}
    staged = StatementDraft(branch.pk, seen, wanted, *states, tuple(tested), clones=clones or {})
    rehearsal, ahead = call.rehearsal, None
    if rehearsal is not None and keep is None:
        ahead = _looked_ahead(rehearsal, call, staged, operation)
        if ahead is not None and _is_foreseen(rehearsal, ahead):
            return StatementResult(version=seen.version, metrics=dict(metrics or {}))
    if rehearsal is not None and rehearsal.has_counted:
        raise FilesNeeded
    staged = _with_files(staged, rehearsal)
    look = None if rehearsal is None else partial(_look, rehearsal, call, branch, staged, has_looked=ahead is not None)
    record = partial(_record, keep, look) if keep is not None or look is not None else None
    applied = statement_commit(
        staged, call.header(operation), engine, record=record, is_rehearsal=rehearsal is not None
    )
    notes = [finding_as_json(note) for note in applied.notes]
    extra = {"notes": notes} if notes else {}
    return StatementResult(version=applied.version, metrics=dict(metrics or {}), extra=extra)


def _with_files(staged: StatementDraft, rehearsal: Rehearsal | None) -> StatementDraft:
    """The statement with all of its files written, and as rows: its commit needs them."""
    operations = staged.operations
    if rehearsal is not None and rehearsal.copy is not None:
        operations = tuple(_with_copies(item, rehearsal.copy) for item in operations)
        rehearsal.copy = None
    if registered := waiting_register():
        operations = tuple(_with_ids(item, registered) for item in operations)
    return replace(staged, operations=operations)


def _with_copies(operation: Operation, copy: Callable[[], Copied]) -> Operation:
    """The compaction by which copy-on-write puts files right, with these files written."""
    effects = operation.effects
    if operation.kind is not OperationKind.COMPACTION or effects is None:
        return operation
    return replace(operation, effects=replace(effects, added=data_files_register(operation.object_id, copy().added)))


def _with_ids(operation: Operation, ids: Mapping[int, int]) -> Operation:
    """The operation with its files under other ids."""
    effects = operation.effects
    if effects is None:
        return operation
    added = tuple(replace(item, file_id=ids.get(item.file_id, item.file_id)) for item in effects.added)
    deletes = (
        replace(item, delete_file_id=ids.get(item.delete_file_id, item.delete_file_id)) for item in effects.deletes
    )
    removed = tuple(ids.get(item, item) for item in effects.removed)
    return replace(operation, effects=FileEffects(added, removed, tuple(deletes)))


def _looked_ahead(rehearsal: Rehearsal, call: Call, staged: StatementDraft, operation: str) -> Branch | None:
    """The branch on which the statement was planned, where its plan says what becomes of rows, and nothing else
    changes: files that wait are no rows yet, and nothing is committed.
    """
    is_of_rows = all(item.is_data and item.effects is not None and not item.changes for item in staged.operations)
    if not is_of_rows or rehearsal.keeps_tables or staged.clones or files_waiting() is None:
        return None
    judged = statement_judge(staged, call.header(operation))
    if judged is None or judged[0].notes:
        return None
    planned, branch = judged
    labels = _labels(staged)
    _note(rehearsal, staged, labels)
    states = [item.after for item in planned.objects if isinstance(item.after, TableState)]
    rehearsal.look_ahead(states, staged, labels, call.segments)
    return branch


def _is_foreseen(rehearsal: Rehearsal, branch: Branch) -> bool:
    """Whether it is known without the commit what a merge to the parent would then say."""
    is_known, said = forward_foresee(branch) if rehearsal.foresees else (True, None)
    rehearsal.parent_merge = said
    return is_known


def _record(
    keep: Callable[[Applied], None] | None,
    look: Callable[[MergePlan, Branch], None] | None,
    planned: MergePlan,
    applied: Applied,
    branch: Branch,
) -> None:
    if keep is not None:
        keep(applied)
    if look is not None:
        look(planned, branch)


def _look(
    rehearsal: Rehearsal,
    call: Call,
    was: Branch,
    staged: StatementDraft,
    planned: MergePlan,
    branch: Branch,
    *,
    has_looked: bool,
) -> None:
    if not has_looked:
        _look_at_tables(rehearsal, call, was, staged, planned, branch)
    rehearsal.foresee(branch, call.context)


def _look_at_tables(
    rehearsal: Rehearsal, call: Call, was: Branch, staged: StatementDraft, planned: MergePlan, branch: Branch
) -> None:
    labels = _labels(staged)
    _note(rehearsal, staged, labels)
    same = (item.after for item in planned.objects if item.after == item.before)
    unaltered = {state.table_id: state for state in same if isinstance(state, TableState) and not state.is_dropped}
    is_alone = branch.head_commit is not None and branch.head_commit.parent_id == was.head_commit_id
    rehearsal.look(branch, staged.seen, labels, unaltered, call.segments, is_alone=is_alone)


def _labels(staged: StatementDraft) -> dict[int, str]:
    """The tables by their names."""
    labels = {}
    for table_id, table in staged.tables.items():
        database = staged.databases.get(table.database_id)
        labels[table_id] = f"{database.name}.{table.name}" if database else table.name
    return labels


def _note(rehearsal: Rehearsal, staged: StatementDraft, labels: Mapping[int, str]) -> None:
    """What the statement does, with the names of its objects and the columns that they have or get."""
    for item in staged.operations:
        if item.object_kind is ObjectKind.DATABASE:
            known = staged.databases.get(item.object_id)
            rehearsal.operations.append((known.name if known else "", Schema(), item))
        else:
            state = staged.tables.get(item.object_id)
            rehearsal.operations.append((labels.get(item.object_id, ""), state.schema if state else Schema(), item))
