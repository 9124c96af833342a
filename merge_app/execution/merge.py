"""MERGE BRANCH and COMMIT: snapshot, plan, row work, one database transaction, one audit record per attempt.

A transaction's COMMIT is the merge of its workspace into its target: the same plan, the same judgement (semantics P8).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.protection import Change
from catalog_app.models import Branch
from catalog_app.selectors.protection import protection_judge
from catalog_app.selectors.rows import columns_of, fetch_models, transaction_begin
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.deleted_keys import COPIED, deleted_keys_publish
from catalog_app.services.joins import catalogs_join
from lakeui.common.errors import BranchMoved, SameBranch
from lakeui.common.faults import fault_point
from lakeui.common.traces import span
from merge_app.audit.models import MergeAttempt
from merge_app.execution.apply import plan_apply, stale_tables
from merge_app.execution.attempts import (
    attempt_of,
    finished_before,
    merge_result,
    nothing_record,
    refusal_record,
    refusal_recorded,
    refusal_text,
    transaction_end,
)
from merge_app.execution.commit import (
    ATTEMPTS,
    BEGIN_AGAIN,
    SerializationConflict,
    branch_gone_error,
    branch_lock,
    branch_moved_error,
    branches_lock,
    conflict_error,
    pause_seconds,
)
from merge_app.execution.deleted_keys import Tombstones, tombstones_came, tombstones_made
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.load import merge_source_load, plan_input_load
from merge_app.execution.merge_command import MergeCommand, PreparedMerge, Progress
from merge_app.execution.outcome import outcome_describe, refusal_describe
from merge_app.execution.row_work import row_work_run
from merge_app.execution.version_vectors import merge_base_version
from merge_app.planning.merge_plan import Resolution
from merge_app.planning.plan import plan

_MANY_SEGMENTS = "SET LOCAL work_mem = '64MB'; SET LOCAL random_page_cost = 1.1"
"""PostgreSQL sorts and joins 100,000 segments in memory, and finds them beside a million by an index, as metadata is in
memory. A statement that has few takes no more than it needs.
"""


def merge_prepare(command: MergeCommand, engine: EngineSource) -> PreparedMerge:
    """Snapshot both heads and plan. Reads only."""
    if command.source_id == command.destination_id:
        raise SameBranch("A branch cannot be merged into itself.", remedy="Name another source or target.")
    started = time.monotonic()
    with transaction.atomic():
        transaction_begin(_MANY_SEGMENTS)
        source, destination = _branches(command.source_id, command.destination_id)
        snapshots = branch_snapshot(source), branch_snapshot(destination)
        side = merge_source_load(*snapshots, is_workspace=command.transaction_id is not None)
        resolutions = _resolutions(command, source, destination)
        planned = plan(plan_input_load(side, engine=engine, resolutions=resolutions))
        is_empty = not side.news.decides
    base = merge_base_version(side.version_vector, side.target_vector)
    return PreparedMerge(source, destination, side, base, planned, is_empty, started)


def _resolutions(command: MergeCommand, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
    if command.decided is not None:
        return command.decided.of(source, destination)
    return command.request_port.resolutions(source, destination) if command.request_port else ()


_BRANCHES = (
    f"SELECT {columns_of(Branch, 'b')} FROM catalog_app_branch b WHERE b.id = ANY(%(ids)s) AND b.dropped_at IS NULL"
)


def _branches(*branch_ids: int) -> list[Branch]:
    found = {branch.pk: branch for branch in fetch_models(Branch, _BRANCHES, {"ids": list(branch_ids)})}
    for branch_id in branch_ids:
        if branch_id not in found:
            raise branch_gone_error(branch_id)
    return [found[branch_id] for branch_id in branch_ids]


def merge_dry_run(command: MergeCommand, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    """What the merge would do, through the very plan that it would apply; recorded as an attempt."""
    progress.step("plan", "compare both branches")
    prepared = merge_prepare(command, engine)
    planned = prepared.planned
    verdict = {"mergeable": not planned.conflicts, "fingerprint": planned.fingerprint}
    body = {**verdict, **refusal_describe(planned)}
    return merge_result(attempt_of(prepared, command, "dry run", body))


def merge_run(command: MergeCommand, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    """Merge, or raise MergeConflict with every verdict, BranchProtected or MergeBlocked; a refusal is recorded."""
    with span("merge", {"kind": "merge" if command.transaction_id is None else "transaction"}) as fields:
        done = _merge(command, engine, progress)
        fields |= {name: done[name] for name in ("merge_id", "version")}
        return done


def _merge(command: MergeCommand, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause_seconds(attempt))
        progress.step("plan", "compare both branches")
        prepared = merge_prepare(command, engine)
        if command.request_port is None:
            # Not the judgement that counts, which is the commit's, but one that spares the work before it.
            with refusal_recorded(prepared, command):
                asked = replace(
                    command.header.asked, stale_reads=stale_tables(prepared.planned), account=command.account
                )
                protection_judge(prepared.destination, _change(command), asked)
        if prepared.planned.conflicts:
            message = refusal_text(prepared, command)
            refusal_record(prepared, command, {"message": message})
            way_out = "" if command.transaction_id is None else BEGIN_AGAIN
            raise conflict_error(prepared.planned, message, way_out=way_out)
        if prepared.is_empty:
            return merge_result(nothing_record(prepared, command))
        fault_point("merge.planned")
        progress.step("rows", "rewrite rows")
        row_work = row_work_run(prepared.planned, branch_snapshot(prepared.destination), engine)
        fault_point("merge.row_work")
        progress.check_cancelled()
        if prepared.source.catalog_id != prepared.destination.catalog_id:
            catalogs_join(prepared.source.catalog_id, prepared.destination.catalog_id)
            fault_point("merge.joined")
        progress.step("commit", "write one version")
        with refusal_recorded(prepared, command):
            recorded = _commit(prepared, command, row_work)
        if recorded is not None:
            fault_point("merge.committed")
            return merge_result(recorded)
    raise branch_moved_error()


def _change(command: MergeCommand) -> Change:
    return Change.MERGE if command.transaction_id is None or command.header.publishes else Change.WRITE


def _commit(prepared: PreparedMerge, command: MergeCommand, row_work: Any) -> MergeAttempt | None:
    """Apply on the head that was planned on; None when the target moved, or the source of a merge request, which
    was approved for what it held. Where another attempt at the same task was first, its record.
    """
    with transaction.atomic():
        transaction_begin(_MANY_SEGMENTS)
        branch, source_head = _lock(prepared, command)
        done = finished_before(command)
        if done is not None:
            return done
        if (branch.head_version, source_head) != (prepared.destination.head_version, prepared.source.head_version):
            return None
        header = command.header
        if command.request_port is not None:
            header = replace(header, authority=command.request_port.authorise(prepared))
        is_transaction = command.transaction_id is not None
        if is_transaction and header.publishes:
            _require_known_tombstones(prepared, branch)
        parent = None if is_transaction else prepared.source.head_commit_id
        side = prepared.side
        made = tombstones_made(side.front) if is_transaction else {}
        _require_files_loaded_once(side, branch, made)
        applied = plan_apply(
            prepared.planned, branch=branch, header=header, source=side, merge_parent=parent, row_work=row_work
        )
        if is_transaction:
            deleted_keys_publish(
                workspace_id=command.source_id,
                branch_id=branch.pk,
                version=applied.version,
                counting=[item.identity for kept in made.values() for item in kept],
            )
        transaction_end(command, applied.version)
        body = outcome_describe(prepared.planned, applied, prepared.side, branch)
        body["duration_ms"] = round(1000 * (time.monotonic() - prepared.started))
        recorded = attempt_of(prepared, command, command.done, body, applied)
        fault_point("merge.committing")
        return recorded


def _require_known_tombstones(prepared: PreparedMerge, branch: Branch) -> None:
    """Raise SerializationConflict where others kept deletes in a table that a pipeline's run is about to publish: rows
    of the run may be older.
    """
    seen = prepared.side.front
    tables = [item.object_id for item in prepared.planned.objects if item.kind is ObjectKind.TABLE]
    if any(tombstones_came(seen, branch_snapshot(branch), table_id) for table_id in tables):
        raise SerializationConflict


def _require_files_loaded_once(source: SourceSide, branch: Branch, made: Mapping[int, Sequence[Tombstones]]) -> None:
    """Raise BranchMoved where a transaction loaded files into a table, and others loaded some meanwhile, maybe these:
    a transaction, which people hold open, is not run again. ``made``: by table what the transaction kept.
    """
    for table_id, kept in made.items():
        table = source.tables.get(table_id)
        if table is None or not any(list(item.columns) == COPIED for item in kept):
            continue
        if tombstones_came(source.front, branch_snapshot(branch), table_id):
            raise BranchMoved(
                f"Others loaded files into {table.name} since BEGIN, maybe those of this transaction. Nothing was"
                " written.",
                remedy="ROLLBACK, and run the transaction again.",
            )


def _lock(prepared: PreparedMerge, command: MergeCommand) -> tuple[Branch, int]:
    """The target, locked, and the head that the source must still have: for a merge request that of now.

    The source is locked too, in the order of ids, so that merges in both directions do not wait for each other. So
    whoever dropped a branch knows that no merge of it comes later. A transaction's workspace is hidden from all others.
    """
    if command.transaction_id is not None:
        return branch_lock(command.destination_id), prepared.source.head_version
    if command.request_port is not None:
        command.request_port.hold()
    locked = branches_lock((command.source_id, command.destination_id))
    source = prepared.source if command.request_port is None else locked[command.source_id]
    return locked[command.destination_id], source.head_version
