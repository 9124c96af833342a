"""A plan becomes a commit: one transaction, a number of statements that does not grow with the rows it moves.

The caller holds the target's branch lock, has planned on exactly the head that is locked, and has done the
plan's row work. Nothing here decides anything: conflicts, names and effects are the plan's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction

from catalog_app.domain.agents import Account
from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.protection import Change, MergeAuthority
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Commit
from catalog_app.rules.codes import VerdictCode
from catalog_app.selectors.agents import account_of, agent_commit_require
from catalog_app.selectors.history import ROW_METRICS
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.protection import Asked, protection_judge
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from lakeui.common.instruments import instruments
from merge_app.audit.bypasses import bypass_record
from merge_app.execution.attribute_facts import (
    Restores,
    Written,
    attributes_record,
    facts_made,
    is_decided,
    merged_facts,
    restored_facts,
    statement_facts,
)
from merge_app.execution.cloning import TableClone, clones_apply
from merge_app.execution.lineage.applying import steps_apply
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.reads import TableRead, reads_copy, reads_record
from merge_app.execution.record import (
    Pairs,
    definitions_of_merged,
    objects_record,
    operations_as_json,
    operations_of,
    recorded_under,
    schemas_record,
)
from merge_app.execution.staged import RowWorkResult, StagedDefinition
from merge_app.execution.version_vectors import NOTHING, VersionVector
from merge_app.planning.data import dropped_partitions
from merge_app.planning.merge_plan import Finding, MergePlan, ObjectPlan
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit


@dataclass(frozen=True, slots=True)
class CommitHeader:
    """What the history shows of a commit besides what it did. ``operation`` is its name in SHOW HISTORY.

    ``authority``, an approved merge request, and ``bypass_reason``, an owner's, get past the protection of a branch.
    ``publishes``: what was done in a workspace is not written, but merged, as far as that protection goes.
    ``reads``: the tables that the statement read. ``message``: what the author says of it.
    ``is_rehearsal``: the transaction is taken back, so the branch stays where it is, and other writers of it go on.
    """

    operation: str
    statement: str = ""
    author_id: int | None = None
    author_name: str = ""
    task_id: UUID | None = None
    authority: MergeAuthority | None = None
    bypass_reason: str = ""
    publishes: bool = False
    reads: tuple[TableRead, ...] = ()
    message: str = ""
    is_rehearsal: bool = False

    @property
    def asked(self) -> Asked:
        """What the protection of a branch is asked with."""
        return Asked(self.author_id, self.authority, self.bypass_reason)


@dataclass(frozen=True, slots=True)
class Applied:
    """``notes`` say what the rule tables discarded or skipped of it, where the branch had moved. ``invisible``: table
    and version of each schema that a merge kept beside the visible ones.
    """

    commit_id: int
    version: int
    notes: tuple[Finding, ...] = ()
    schema_tables: tuple[int, ...] = field(default=())
    invisible: tuple[tuple[int, int], ...] = ()


def plan_apply(
    plan: MergePlan,
    *,
    branch: Branch,
    header: CommitHeader,
    source: SourceSide | None = None,
    merge_parent: int | None = None,
    definitions: Mapping[int, StagedDefinition] | None = None,
    row_work: Mapping[int, RowWorkResult] | None = None,
    restores: Restores | None = None,
    clones: Mapping[int, TableClone] | None = None,
) -> Applied:
    """Write the plan as the next commit of ``branch``, whose row the caller has locked, but for a rehearsal."""
    snapshot = branch_snapshot(branch)
    merged = merged_facts(plan, snapshot, source) if source is not None else None
    pairs = operations_of(plan)
    made = _plan_commit_write(plan, pairs, branch, header, source, merge_parent, merged or {})
    commit, version = made.commit, made.commit.version
    recorded = recorded_under(pairs, made.operation_ids)
    objects_record(plan, branch_id=branch.pk, version=version, recorded=recorded)
    new_definitions = schemas_record(plan, branch_id=branch.pk, version=version)
    facts = _facts_made(plan, snapshot, version, merged, restores)
    attributes_record(facts, branch_id=branch.pk, version=version)
    staged = {t: StagedDefinition(*known) for t, known in definitions_of_merged(plan, snapshot).items()}
    staged |= {**(definitions or {}), **{t: StagedDefinition(d, version) for t, d in new_definitions.items()}}
    invisible = steps_apply(
        plan,
        branch_id=branch.pk,
        version=version,
        snapshot=snapshot,
        recorded=recorded,
        definitions=staged,
        row_work=row_work or {},
        is_merge=source is not None,
    )
    if clones:
        clones_apply(clones, branch_id=branch.pk, version=version, recorded=recorded, definitions=new_definitions)
    _reads_write(commit, plan, header, source)
    branch.head_version, branch.head_commit = version, commit
    return Applied(commit.pk, version, plan.notes, tuple(new_definitions), invisible)


def commit_judge(plan: MergePlan, branch: Branch, header: CommitHeader) -> None:
    """Raises BranchProtected, PermissionDenied and LimitReached, as the commit of a statement's plan would."""
    account = account_of(header.author_id)
    asked = replace(header.asked, stale_reads=stale_tables(plan), account=account)
    protection_judge(branch, Change.MERGE if header.publishes else Change.WRITE, asked)
    if account.agent is not None:
        metrics = [operation.metrics for item in plan.objects for operation in item.operations]
        rows = sum(each.get(name, 0) for each in metrics for name in ROW_METRICS)
        _agent_require(plan, branch, account, planned_rows=rows)


def _plan_commit_write(
    plan: MergePlan,
    pairs: Pairs,
    branch: Branch,
    header: CommitHeader,
    source: SourceSide | None,
    merge_parent: int | None,
    merged: Written,
) -> CommitWritten:
    """The commit with the plan's operations, ``pairs``, in their order. ``merge_parent``: the head commit of a merged
    branch; without it nothing of the source is reachable from here. Raises what ``_commit_write`` and
    ``_agent_require`` do.
    """
    is_replay = source is not None and not source.is_workspace
    made = _commit_write(
        branch,
        header,
        is_write=not is_replay,
        merge_parent=merge_parent,
        stale=stale_tables(plan),
        decides=not is_replay or is_decided(merged) or any(_decides(item) for item in plan.objects),
        operations=operations_as_json(pairs, is_replay=is_replay),
        reached=NOTHING if source is None or merge_parent is None else _newly_reached(branch, source),
    )
    if made.author.agent is not None:
        _agent_require(plan, branch, made.author)
    return made


def _facts_made(
    plan: MergePlan, snapshot: Snapshot, version: int, merged: Written | None, restores: Restores | None
) -> Written:
    """The facts of a merge, of a restore, or of a statement."""
    if merged is not None:
        return facts_made(merged, version)
    return statement_facts(plan, version) if restores is None else restored_facts(plan, snapshot, version, restores)


def _reads_write(commit: Commit, plan: MergePlan, header: CommitHeader, source: SourceSide | None) -> None:
    """Record what the commit's statement read, or what those of its transaction did."""
    written = [item.object_id for item in plan.objects if item.kind is ObjectKind.TABLE]
    if header.reads:
        reads_record(commit, written, header.reads)
    if source is not None and source.is_workspace:
        reads_copy(commit, written, source.front.branch_ids[0])


def _agent_require(plan: MergePlan, branch: Branch, author: Account, *, planned_rows: int | None = None) -> None:
    """Raises what ``agent_commit_require`` does, of what the commit of the plan changes on the branch."""
    if branch.is_workspace:
        return
    named = {state.database_id: state.name for state in databases_list(branch_snapshot(branch))}
    databases = [item for item in plan.objects if item.kind is ObjectKind.DATABASE]
    named |= {item.object_id: item.after.name for item in databases}
    changed = {
        f"{state.name}.*" if isinstance(state, DatabaseState) else f"{named.get(state.database_id, '')}.{state.name}"
        for item in plan.objects
        for state in (item.before, item.after)
        if state is not None
    }
    uncounted = {
        f"{named.get(item.after.database_id, '')}.{item.after.name}"
        for item in plan.objects
        if isinstance(item.after, TableState) and any(map(takes_rows_uncounted, item.operations))
    }
    agent_commit_require(author, changed, uncounted=uncounted, planned_rows=planned_rows)


def takes_rows_uncounted(operation: Operation) -> bool:
    """Whether all rows of the table, or of a partition, go at once: no metric counts those."""
    return operation.kind is OperationKind.OVERWRITE or bool(dropped_partitions(operation))


def _decides(item: ObjectPlan) -> bool:
    """Whether a merge does something to the object that its source did not."""
    is_own = any(each.operation_id is None and each.origin is None for each in item.operations)
    return is_own or (item.data is not None and item.data.decides)


_COMMIT = """
WITH made AS (
    INSERT INTO catalog_app_commit (catalog_id, branch_id, version, parent_id, merge_parent_id, operation, statement,
                                    message, author_id, author_name, task_id, decides, committed_at)
    SELECT %(catalog_id)s, %(branch_id)s, lakeui_next_version(%(catalog_id)s), %(parent_id)s::bigint,
           %(merge_parent_id)s::bigint, %(operation)s, %(statement)s, %(message)s,
           %(author_id)s::bigint, %(author_name)s, %(task_id)s::uuid, %(decides)s,
           greatest(clock_timestamp(), (SELECT committed_at FROM catalog_app_commit WHERE id = %(parent_id)s::bigint))
    RETURNING id, version, committed_at
), moved AS (
    UPDATE catalog_app_branch b SET head_version = made.version, head_commit_id = made.id
    FROM made WHERE b.id = %(branch_id)s AND NOT %(is_rehearsal)s
), operations AS (
    INSERT INTO catalog_app_commitoperation (commit_id, branch_id, version, object_kind, object_id, kind, changes,
                                             created, overwrite, metrics, origin_id, origin_branch_id, origin_version,
                                             already_done)
    SELECT made.id, %(branch_id)s, made.version, o.object_kind, o.object_id, o.kind, o.changes, o.created, o.overwrite,
           o.metrics, o.origin_id, coalesce(o.origin_branch_id, %(branch_id)s),
           coalesce(o.origin_version, made.version), o.already_done
    FROM made, ROWS FROM (jsonb_to_recordset(%(operations)s::jsonb) AS (
        object_kind text, object_id bigint, kind text, changes jsonb, created jsonb, overwrite jsonb, metrics jsonb,
        origin_id bigint, origin_branch_id bigint, origin_version bigint, already_done boolean)) WITH ORDINALITY AS o(
        object_kind, object_id, kind, changes, created, overwrite, metrics, origin_id, origin_branch_id,
        origin_version, already_done, place)
    ORDER BY o.place
    RETURNING id
), reached AS (
    INSERT INTO catalog_app_branchreach (branch_id, at_version, reached_branch_id, reached_version)
    SELECT %(branch_id)s, made.version, r.branch_id, r.upto
    FROM made, unnest(%(reached_branches)s::bigint[], %(reached_versions)s::bigint[]) AS r(branch_id, upto)
)
SELECT made.id, made.version, made.committed_at, (SELECT array_agg(id ORDER BY id) FROM operations),
       EXISTS (SELECT FROM catalog_app_protectionrule r WHERE r.catalog_id = %(catalog_id)s),
       EXISTS (SELECT FROM catalog_app_agent a WHERE a.user_id = %(author_id)s::bigint),
       EXISTS (SELECT FROM merge_app_webhook w WHERE w.catalog_id = %(catalog_id)s AND w.is_active
               AND w.events @> ARRAY['commit'])
FROM made
"""
"""The commit, its operations in their order, the branch's new head, and what it reaches by a merge. Also whether its
catalog has rules of protection, whether its author is an agent, and whether a webhook wants commits.
"""


@dataclass(frozen=True, slots=True)
class CommitWritten:
    """A commit, the ids of its operations, in their order, and its author as of the commit."""

    commit: Commit
    operation_ids: Sequence[int]
    author: Account


def stale_tables(plan: MergePlan) -> tuple[str, ...]:
    """The tables of which the plan brings stale reads."""
    tables = (note.details["table"] for note in plan.notes if note.code == VerdictCode.STALE_READ)
    return tuple(dict.fromkeys(tables))


def commit_write(branch: Branch, header: CommitHeader) -> CommitWritten:
    """A commit of one branch alone, whose operations the caller writes."""
    return _commit_write(branch, header)


def _commit_write(
    branch: Branch,
    header: CommitHeader,
    *,
    is_write: bool = True,
    merge_parent: int | None = None,
    stale: tuple[str, ...] = (),
    decides: bool = True,
    operations: str = "[]",
    reached: VersionVector = NOTHING,
) -> CommitWritten:
    """The commit row, under the next version of the catalog, as the head of the branch, and the ids of its operations.
    Only under the branch's lock do its versions increase. It is later than its parent even where the clock is not.

    Every commit comes through here, so this is where the branch's protection holds, and what holds agents. Raises
    BranchProtected and PermissionDenied, and the caller's transaction takes back what was written.
    """
    known = _commit_row(branch, header, merge_parent) | {"decides": decides}
    more = {
        "operations": operations,
        "reached_branches": list(reached.keys()),
        "reached_versions": list(reached.values()),
        "is_rehearsal": header.is_rehearsal,
    }
    found = fetch_all(_COMMIT, {**known, **more}, prepared=True)
    ((identity, version, moment, ids, is_guarded, is_of_agent, is_wanted),) = found
    commit = Commit(id=identity, version=version, committed_at=moment, **known)
    transaction.on_commit(instruments().commits.inc)
    author = account_of(header.author_id) if is_of_agent else Account(header.author_id)
    if is_guarded or is_of_agent:
        change = Change.WRITE if is_write and not header.publishes else Change.MERGE
        asked = replace(header.asked, stale_reads=stale, account=author)
        _protection_keep(branch, header, change, asked, commit.version)
    if is_wanted and not branch.is_workspace:
        event_emit(catalog_id=branch.catalog_id, event=WebhookEvent.COMMIT, build=lambda: _message(commit, branch))
    return CommitWritten(commit, ids or (), author)


def _commit_row(branch: Branch, header: CommitHeader, merge_parent: int | None) -> dict[str, Any]:
    return {
        "catalog_id": branch.catalog_id,
        "branch_id": branch.pk,
        "parent_id": branch.head_commit_id,
        "merge_parent_id": merge_parent,
        "operation": header.operation,
        "statement": header.statement,
        "message": header.message,
        "author_id": header.author_id,
        "author_name": header.author_name,
        "task_id": header.task_id,
    }


def _protection_keep(branch: Branch, header: CommitHeader, change: Change, asked: Asked, version: int) -> None:
    """Judge the commit by the branch's protection, and record a bypass. Raises BranchProtected and PermissionDenied."""
    bypass = protection_judge(branch, change, asked)
    if bypass is not None:
        bypass_record(
            bypass,
            branch=branch,
            statement=header.statement,
            actor_id=header.author_id,
            actor_name=header.author_name,
            task_id=header.task_id,
            version=version,
        )


def _message(commit: Commit, branch: Branch) -> dict[str, Any]:
    """The commit as webhooks get it, without its statement, which may hold values."""
    return {
        "catalog": branch.catalog.name,
        "branch": branch.name,
        "version": commit.version,
        "operation": commit.operation,
        "author": commit.author_name,
        "at": commit.committed_at.isoformat(),
        "task": str(commit.task_id) if commit.task_id else None,
    }


def _newly_reached(branch: Branch, source: SourceSide) -> VersionVector:
    """What the branch reaches by a merge and did not before."""
    known, reached = source.target_vector, source.version_vector.items()
    return {other: upto for other, upto in reached if upto > known.get(other, -1) and other != branch.pk}
