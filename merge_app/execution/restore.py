"""RESTORE and UNDROP: a past state applied as one new commit, without copying a file (semantics §5)."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.domain.state_diff import state_after, state_operations
from catalog_app.models import Branch
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.snapshot_diff import changed_objects, table_files, tables_with_file_changes
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services.deleted_keys import deleted_keys_restore
from lakeui.common.errors import BranchProtected, MergeConflict
from lakeui.common.faults import fault_point
from merge_app.audit.models import MergeAttempt
from merge_app.audit.services import AttemptRecord, attempt_record
from merge_app.execution.apply import Applied, CommitHeader
from merge_app.execution.attribute_facts import Restores
from merge_app.execution.commit import StatementDraft, statement_commit
from merge_app.execution.deleted_keys import tables_with_other_tombstones
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.restoring import restored_files
from merge_app.execution.lineage.staged_files import RestoredFiles
from merge_app.execution.outcome import refusal_describe
from merge_app.execution.replacements import overwrite_with, replaces_rows
from merge_app.execution.views import ViewChange, views_restore, views_restoring
from merge_app.planning.merge_plan import MergePlan
from merge_app.planning.net_changes import RESTORED_VERSION


@dataclass(frozen=True, slots=True)
class Scope:
    """The objects that go back; None: all that changed since."""

    databases: frozenset[int] | None = None
    tables: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Recovery:
    """What is to be committed to bring objects of a branch back, and how the audit names it.

    ``version`` is the one gone back to; for an undrop, the branch's head. ``seen`` is the chain that the operations
    were found on; the branch may have moved since, and is then judged. ``views`` go back with a whole branch.
    ``merge_id`` is the record of the merge that is undone. ``tombstones``: the tables of which other ones count then.
    """

    kind: Literal["restore", "undrop"]
    branch: Branch
    seen: Snapshot
    version: int
    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    tables: Mapping[int, TableState] = field(default_factory=dict)
    notes: Sequence[dict[str, Any]] = ()
    views: tuple[ViewChange, ...] = ()
    merge_id: UUID | None = None
    tombstones: frozenset[int] = frozenset()


def restore_plan(branch: Branch, version: int, scope: Scope) -> Recovery:
    """What turns the branch's present state of the objects into that of ``version``. Reads only."""
    now = branch_snapshot(branch)
    then = now.at(version)
    is_whole = scope == Scope()
    views = views_restoring(then, now) if is_whole else ()
    scope = _resolve(scope, then, now)
    databases_now, tables_now = _states(now, scope)
    databases_then, tables_then = _states(then, scope)
    operations: list[Operation] = []
    for database_id, state in databases_now.items():
        operations += state_operations(state, databases_then.get(database_id))
    going = {item.object_id for item in operations if item.kind is OperationKind.DROP}
    valid_then: dict[int, TableState] = {}
    for table_id, table in tables_now.items():
        past = tables_then.get(table_id)
        if past is None and table.database_id in going:
            continue
        changes = state_operations(table, past)
        operations += changes
        if past is not None and not past.is_dropped:
            # Columns that merges made one since then stay one.
            valid_then[table_id] = replace(state_after(table, changes), is_dropped=False)
    # A table that goes keeps those that it has: UNDROP brings them back with its rows.
    gone = tables_now.keys() - valid_then.keys()
    replaced = {item.object_id for item in operations if any(replaces_rows(change) for change in item.changes)}
    operations += _data_operations(then, now, valid_then, replaced)
    return Recovery(
        "restore",
        branch,
        now,
        version,
        tuple(operations),
        {**databases_now, **{i: state for i, state in databases_then.items() if not state.is_dropped}},
        {**tables_now, **valid_then},
        views=views,
        tombstones=tables_with_other_tombstones(then, now, None if is_whole else valid_then) - gone,
    )


def _resolve(scope: Scope, then: Snapshot, now: Snapshot) -> Scope:
    if scope.databases is not None and scope.tables is not None:
        return scope
    databases, tables = changed_objects(then, now)
    return Scope(
        frozenset(databases) if scope.databases is None else scope.databases,
        frozenset(tables) if scope.tables is None else scope.tables,
    )


def _states(snapshot: Snapshot, scope: Scope) -> tuple[dict[int, DatabaseState], dict[int, TableState]]:
    return databases_load(snapshot, scope.databases or ()), tables_load(snapshot, scope.tables or ())


def _data_operations(
    then: Snapshot, now: Snapshot, tables: Collection[int], always: Collection[int]
) -> list[Operation]:
    """One overwrite per table whose files differ: all segments go, those of then come, with their deletes. Tables in
    ``always`` are overwritten even so: only with all rows replaced may a type become narrower, or older rows read
    otherwise.
    """
    changed = tables_with_file_changes(then, now, tables) | (set(always) & set(tables))
    files_then, files_now = table_files(then, changed), table_files(now, changed)
    operations = []
    for table_id in sorted(changed):
        wanted, present = files_then.get(table_id, ()), files_now.get(table_id, ())
        overwrite = overwrite_with(table_id, wanted, present, always=table_id in always)
        if overwrite is not None:
            operations.append(replace(overwrite, metrics={RESTORED_VERSION: then.version, **overwrite.metrics}))
    return operations


def recovery_run(recovery: Recovery, header: CommitHeader, engine: EngineSource) -> dict[str, Any]:
    """Commit it, with its audit record in the same transaction. Raises MergeConflict, recorded too, where a name or
    home of then is held by another object, or where the branch moved in a way that does not fit.
    """
    started = time.monotonic()
    branch = recovery.branch
    if not (recovery.operations or recovery.views or recovery.tombstones):
        return recovery_result(_earlier(header) or _nothing_recorded(recovery, header))
    staged = _draft(recovery, engine)
    recorded: list[MergeAttempt] = []

    def record(planned: MergePlan, applied: Applied, _: Branch) -> None:
        views_restore(branch.pk, recovery.seen, applied, recovery.views)
        deleted_keys_restore(
            tables=recovery.tombstones, branch_id=branch.pk, version=applied.version, restores=recovery.version
        )
        body = _body(recovery, planned) | {"duration_ms": round(1000 * (time.monotonic() - started))}
        done = "restored" if recovery.kind == "restore" else "undropped"
        recorded.append(attempt_record(_record(recovery, header, done, body, planned.fingerprint, applied.version)))
        fault_point("restore.committing")

    fault_point("restore.planned")
    try:
        statement_commit(staged, header, engine, record=record)
    except MergeConflict as refusal:
        _record_refusal(recovery, header, refusal.details | {"message": refusal.message})
        raise
    except BranchProtected as refusal:
        body = {"conflicts": [], "notes": [], "message": refusal.message, "protection": refusal.as_problem()}
        _record_refusal(recovery, header, body)
        raise
    fault_point("restore.committed")
    done = recorded[0] if recorded else _earlier(header)
    assert done is not None
    return recovery_result(done)


def _draft(recovery: Recovery, engine: EngineSource) -> StatementDraft:
    return StatementDraft(
        recovery.branch.pk,
        recovery.seen,
        recovery.operations,
        recovery.databases,
        recovery.tables,
        restored=_restored(recovery, engine),
        restores=Restores(recovery.version if recovery.kind == "restore" else None),
    )


def _nothing_recorded(recovery: Recovery, header: CommitHeader) -> MergeAttempt:
    body = {"notes": list(recovery.notes), "objects": 0}
    return attempt_record(_record(recovery, header, "nothing to do", body))


def _restored(recovery: Recovery, engine: EngineSource) -> dict[int, RestoredFiles]:
    """By table what becomes of its files, where rows are merged by lineage."""
    tables = [item.object_id for item in recovery.operations if RESTORED_VERSION in item.metrics]
    return restored_files(tables, recovery.seen, recovery.version, engine) if tables else {}


def _record_refusal(recovery: Recovery, header: CommitHeader, body: dict[str, Any]) -> None:
    with transaction.atomic():
        attempt_record(_record(recovery, header, "refused", body))


def _body(recovery: Recovery, planned: MergePlan) -> dict[str, Any]:
    described = refusal_describe(planned)
    objects = {(item.object_kind, item.object_id) for item in recovery.operations}
    objects |= {(ObjectKind.TABLE, table_id) for table_id in recovery.tombstones}
    return {
        **described,
        "notes": [*recovery.notes, *described["notes"]],
        "restored_version": recovery.version,
        **({"undone_merge": str(recovery.merge_id)} if recovery.merge_id else {}),
        "objects": len(objects) + len(recovery.views),
    }


def _record(
    recovery: Recovery,
    header: CommitHeader,
    outcome: str,
    body: dict[str, Any],
    fingerprint: str = "",
    version: int | None = None,
) -> AttemptRecord:
    branch = recovery.branch
    return AttemptRecord(
        catalog_id=branch.catalog_id,
        kind=recovery.kind,
        source=f"{branch.name} at version {recovery.version}",
        destination=branch.name,
        outcome=outcome,
        source_head=recovery.version,
        destination_head=recovery.seen.version,
        merge_base=recovery.version,
        fingerprint=fingerprint,
        body={**body, "statement": header.statement},
        version=version,
        actor_id=header.author_id,
        actor_name=header.author_name,
        task_id=header.task_id,
    )


def _earlier(header: CommitHeader) -> MergeAttempt | None:
    """The record of another attempt at the same task, if one committed first."""
    if header.task_id is None:
        return None
    return MergeAttempt.objects.filter(task_id=header.task_id, version__isnull=False).first()


def recovery_result(attempt: MergeAttempt) -> dict[str, Any]:
    """What whoever asked for the recovery gets as the answer."""
    return {
        "audit_id": str(attempt.merge_id),
        "outcome": attempt.kind if attempt.version is not None else attempt.outcome,
        "version": attempt.destination_head if attempt.version is None else attempt.version,
        "notes": attempt.body["notes"],
        "objects": attempt.body["objects"],
    }


def undrop_plan(
    branch: Branch, state: DatabaseState | TableState, members: Sequence[TableState], new_name: str | None
) -> Recovery:
    """Bring a dropped object back, a database with the tables that its drop took."""
    name = new_name or state.name
    after = replace(state, is_dropped=False, name=name)
    operations = state_operations(state, after)
    for table in members:
        operations += state_operations(table, replace(table, is_dropped=False))
    databases = {after.database_id: after} if isinstance(after, DatabaseState) else {}
    tables = {table.table_id: replace(table, is_dropped=False) for table in members}
    if isinstance(after, TableState):
        tables[after.table_id] = after
    snapshot = branch_snapshot(branch)
    return Recovery("undrop", branch, snapshot, snapshot.version, operations, databases, tables)


def branch_undropped(branch: Branch, header: CommitHeader) -> MergeAttempt:
    """Record that a whole branch was undropped as it was. Part of the caller's transaction."""
    snapshot = branch_snapshot(branch)
    recovery = Recovery("undrop", branch, snapshot, snapshot.version, ())
    return attempt_record(_record(recovery, header, "undropped", {"notes": [], "objects": 0}))
