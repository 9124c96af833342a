"""From a statement's operations to a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import Snapshot
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rehearsal import Rehearsal
from merge_app.execution.apply import Applied
from merge_app.execution.cloning import TableClone
from merge_app.execution.commit import ReadSet, StatementDraft, statement_commit
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
    rehearsal = call.rehearsal
    look = None if rehearsal is None else partial(_look, rehearsal, call, branch, staged)
    record = partial(_record, keep, look) if keep is not None or look is not None else None
    applied = statement_commit(
        staged, call.header(operation), engine, record=record, is_rehearsal=rehearsal is not None
    )
    notes = [finding_as_json(note) for note in applied.notes]
    extra = {"notes": notes} if notes else {}
    return StatementResult(version=applied.version, metrics=dict(metrics or {}), extra=extra)


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
    rehearsal: Rehearsal, call: Call, was: Branch, staged: StatementDraft, planned: MergePlan, branch: Branch
) -> None:
    labels = {}
    for table_id, table in staged.tables.items():
        database = staged.databases.get(table.database_id)
        labels[table_id] = f"{database.name}.{table.name}" if database else table.name
    for item in staged.operations:
        if item.object_kind is ObjectKind.DATABASE:
            known = staged.databases.get(item.object_id)
            rehearsal.operations.append((known.name if known else "", Schema(), item))
        else:
            state = staged.tables.get(item.object_id)
            rehearsal.operations.append((labels.get(item.object_id, ""), state.schema if state else Schema(), item))
    same = (item.after for item in planned.objects if item.after == item.before)
    unaltered = {state.table_id: state for state in same if isinstance(state, TableState) and not state.is_dropped}
    is_alone = branch.head_commit is not None and branch.head_commit.parent_id == was.head_commit_id
    rehearsal.look(branch, staged.seen, labels, unaltered, call.segments, is_alone=is_alone)
    rehearsal.foresee(branch, call.context)
