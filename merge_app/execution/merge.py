"""MERGE BRANCH and COMMIT: snapshot, plan, row work, one database transaction, one audit record per attempt.

A transaction's COMMIT is the merge of its workspace into its target: the same plan, the same judgement (semantics P8).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import UUID

from django.db import transaction

from catalog_app.domain.agents import Account
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.protection import Change, MergeAuthority
from catalog_app.models import Branch, TransactionState
from catalog_app.rules.loader import load_rules
from catalog_app.selectors.protection import protection_judge
from catalog_app.selectors.rows import columns_of, fetch_models, transaction_begin
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.deleted_keys import COPIED, deleted_keys_publish
from catalog_app.services.joins import catalogs_join
from catalog_app.services.transactions import transaction_close
from lakeui.common.errors import BranchMoved, BranchProtected, InvalidValue, MergeBlocked, SameBranch, Stale
from lakeui.common.faults import fault_point
from lakeui.common.traces import span
from merge_app.audit.models import MergeAttempt
from merge_app.audit.services import AttemptRecord, attempt_record
from merge_app.execution.apply import Applied, CommitHeader, Source, plan_apply, stale_tables
from merge_app.execution.commit import (
    ATTEMPTS,
    StatementOvertaken,
    branch_gone_error,
    branch_lock,
    branch_moved_error,
    conflict_error,
    pause_seconds,
)
from merge_app.execution.deleted_keys import Tombstones, tombstones_came, tombstones_made
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.load import merge_source_load, plan_input_load
from merge_app.execution.outcome import outcome_describe, refusal_describe
from merge_app.execution.reach import merge_base_version
from merge_app.execution.report import dry_run_as_json
from merge_app.execution.row_work import row_work_run
from merge_app.execution.source_side import SourceSide
from merge_app.planning.plan import plan
from merge_app.planning.values import MergePlan, Resolution


class Progress(Protocol):
    """Where a merge says what it is doing."""

    def step(self, name: str, detail: str = "") -> None: ...

    def check_cancelled(self) -> None: ...


class Sponsor(Protocol):
    """The merge request that a merge is carried out for. What it is asked happens in one transaction with the merge,
    or with the record of its refusal.
    """

    def resolutions(self, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
        """What people decided of the conflicts of these heads."""

    def hold(self) -> None:
        """Lock the request, before any branch is locked."""

    def authorise(self, prepared: Prepared) -> MergeAuthority:
        """Answer for the plan that is about to be applied; both branches are locked and are what was planned on.
        Raises MergeBlocked where the request does not stand.
        """

    def describe(self, prepared: Prepared) -> dict[str, Any]:
        """What the audit record says of the request."""

    def settle(self, attempt: MergeAttempt) -> None:
        """Take note of what the attempt came to."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Decisions that come with a merge, for the heads that they were looked at on, and as an audit record has them."""

    source_head: int
    destination_head: int
    resolutions: tuple[Resolution, ...]
    described: tuple[dict[str, Any], ...]

    def of(self, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
        """Raises Stale where a branch has moved since."""
        if (source.head_version, destination.head_version) != (self.source_head, self.destination_head):
            raise Stale("A branch moved since the decisions were looked at.", remedy="Run the statement again.")
        return self.resolutions


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """What is to be merged where. ``header`` names the actor and the statement; ``transaction_id`` the transaction
    whose workspace the source is, ``sponsor`` the merge request that this is done for, if there is one; ``decided``
    what the statement decided itself. ``account``: the actor's as the statement began, where that was looked up.
    """

    source_id: int
    destination_id: int
    header: CommitHeader
    transaction_id: UUID | None = None
    sponsor: Sponsor | None = None
    decided: Decided | None = None
    account: Account | None = None

    @property
    def done(self) -> str:
        """The outcome of success."""
        return "merged" if self.transaction_id is None else "committed"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A planned merge with the heads it was planned on."""

    source: Branch
    destination: Branch
    side: SourceSide
    merge_base: int
    planned: MergePlan
    is_empty: bool
    started: float


_MANY_SEGMENTS = "SET LOCAL work_mem = '64MB'; SET LOCAL random_page_cost = 1.1"
"""PostgreSQL sorts and joins 100,000 segments in memory, and finds them beside a million by an index, as metadata is in
memory. A statement that has few takes no more than it needs.
"""


def merge_prepare(request: MergeOrder, engine: EngineSource) -> Prepared:
    """Snapshot both heads and plan. Reads only."""
    if request.source_id == request.destination_id:
        raise SameBranch("A branch cannot be merged into itself.", remedy="Name another source or destination.")
    started = time.monotonic()
    with transaction.atomic():
        transaction_begin(_MANY_SEGMENTS)
        source, destination = _branches(request.source_id, request.destination_id)
        there, here = branch_snapshot(source), branch_snapshot(destination)
        side = merge_source_load(there, here, is_workspace=request.transaction_id is not None)
        reach = side.reach_of(here)
        resolutions = _resolutions(request, source, destination)
        planned = plan(plan_input_load(side, here, engine=engine, resolutions=resolutions))
        is_empty = not side.news_to(here).decides
    return Prepared(source, destination, side, merge_base_version(side.reach, reach), planned, is_empty, started)


def _resolutions(request: MergeOrder, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
    if request.decided is not None:
        return request.decided.of(source, destination)
    return request.sponsor.resolutions(source, destination) if request.sponsor else ()


_BRANCHES = (
    f"SELECT {columns_of(Branch, 'b')} FROM catalog_app_branch b WHERE b.id = ANY(%(ids)s) AND b.dropped_at IS NULL"
)


def _branches(*branch_ids: int) -> list[Branch]:
    found = {branch.pk: branch for branch in fetch_models(Branch, _BRANCHES, {"ids": list(branch_ids)})}
    for branch_id in branch_ids:
        if branch_id not in found:
            raise branch_gone_error(branch_id)
    return [found[branch_id] for branch_id in branch_ids]


def merge_dry_run(request: MergeOrder, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    """What the merge would do, through the very plan that it would apply; recorded as an attempt."""
    progress.step("plan", "compare both branches")
    prepared = merge_prepare(request, engine)
    body = {**dry_run_as_json(prepared.planned), **refusal_describe(prepared.planned)}
    return merge_result(_record(prepared, request, "dry run", body))


def merge_run(request: MergeOrder, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    """Merge, or raise MergeConflict with every verdict, BranchProtected or MergeBlocked; a refusal is recorded."""
    with span("merge", {"kind": "merge" if request.transaction_id is None else "transaction"}) as fields:
        done = _merge(request, engine, progress)
        fields |= {name: done[name] for name in ("merge_id", "version")}
        return done


def _merge(request: MergeOrder, engine: EngineSource, progress: Progress) -> dict[str, Any]:
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause_seconds(attempt))
        progress.step("plan", "compare both branches")
        prepared = merge_prepare(request, engine)
        if request.sponsor is None:
            # Not the judgement that counts, which is the commit's, but one that spares the work before it.
            with _refusal_recorded(prepared, request):
                asked = replace(
                    request.header.asked, stale_reads=stale_tables(prepared.planned), account=request.account
                )
                protection_judge(prepared.destination, _change(request), asked)
        if prepared.planned.conflicts:
            message = _refusal(prepared, request)
            _record_refusal(prepared, request, {"message": message})
            raise conflict_error(prepared.planned, message)
        if prepared.is_empty:
            return merge_result(_nothing(prepared, request))
        fault_point("merge.planned")
        progress.step("rows", "move rows that files alone cannot")
        row_work = row_work_run(prepared.planned, branch_snapshot(prepared.destination), engine)
        fault_point("merge.row_work")
        progress.check_cancelled()
        if prepared.source.catalog_id != prepared.destination.catalog_id:
            catalogs_join(prepared.source.catalog_id, prepared.destination.catalog_id)
            fault_point("merge.joined")
        progress.step("commit", "write one version")
        with _refusal_recorded(prepared, request):
            recorded = _commit(prepared, request, row_work)
        if recorded is not None:
            fault_point("merge.committed")
            return merge_result(recorded)
    raise branch_moved_error()


def _change(request: MergeOrder) -> Change:
    return Change.MERGE if request.transaction_id is None or request.header.publishes else Change.WRITE


@contextmanager
def _refusal_recorded(prepared: Prepared, request: MergeOrder) -> Iterator[None]:
    """Record that the destination's protection refused the attempt, that the merge request did not stand, or that
    others loaded files meanwhile.
    """
    try:
        yield
    except BranchMoved as refusal:
        _record_refusal(prepared, request, {"message": refusal.message})
        raise
    except BranchProtected as refusal:
        _record_refusal(prepared, request, {"message": refusal.message, "protection": refusal.as_problem()})
        raise
    except MergeBlocked as refusal:
        _record_refusal(prepared, request, {"message": refusal.message, "blockers": refusal.details["blockers"]})
        raise


def _record_refusal(prepared: Prepared, request: MergeOrder, said: dict[str, Any]) -> None:
    with transaction.atomic():
        if request.sponsor is not None:
            request.sponsor.hold()
        _record(prepared, request, "refused", {**refusal_describe(prepared.planned), **said})


def _refusal(prepared: Prepared, request: MergeOrder) -> str:
    count = len(prepared.planned.conflicts)
    what = "A conflict refuses" if count == 1 else f"{count} conflicts refuse"
    if request.transaction_id is not None:
        return f"{what} the transaction: branch {prepared.destination.name} moved since BEGIN. Nothing was written."
    return f"{what} the merge of {prepared.source.name} into {prepared.destination.name}. Neither branch was changed."


def _nothing(prepared: Prepared, request: MergeOrder) -> MergeAttempt:
    """Record that there was nothing; or there is nothing any more, because another attempt at the same task merged."""
    with transaction.atomic():
        if request.sponsor is not None:
            request.sponsor.hold()
        done = _finished(request)
        if done is not None:
            return done
        outcome = "nothing to merge" if request.transaction_id is None else "nothing to do"
        _close(request, None)
        return _record(prepared, request, outcome, refusal_describe(prepared.planned))


def _close(request: MergeOrder, version: int | None) -> None:
    """End the request's transaction together with its commit."""
    identity = request.transaction_id
    if identity is None:
        return
    if not transaction_close(identity=identity, state=TransactionState.COMMITTED, version=version):
        raise InvalidValue("The transaction was ended meanwhile; nothing was written.", remedy="Begin a new one.")
    fault_point("transaction.committing")


def _commit(prepared: Prepared, request: MergeOrder, row_work: Any) -> MergeAttempt | None:
    """Apply on the head that was planned on; None when the destination moved, or the source of a merge request, which
    was approved for what it held. Where another attempt at the same task was first, its record.
    """
    with transaction.atomic():
        transaction_begin(_MANY_SEGMENTS)
        branch, source_head = _lock(prepared, request)
        done = _finished(request)
        if done is not None:
            return done
        if (branch.head_version, source_head) != (prepared.destination.head_version, prepared.source.head_version):
            return None
        header = request.header
        if request.sponsor is not None:
            header = replace(header, authority=request.sponsor.authorise(prepared))
        is_transaction = request.transaction_id is not None
        if is_transaction and header.publishes:
            _require_known_tombstones(prepared, branch)
        parent = None if is_transaction else prepared.source.head_commit_id
        source = Source(prepared.side, parent, is_workspace=is_transaction)
        made = tombstones_made(source.snapshot) if is_transaction else {}
        _require_files_loaded_once(source, branch, made)
        applied = plan_apply(prepared.planned, branch=branch, header=header, source=source, row_work=row_work)
        if is_transaction:
            deleted_keys_publish(
                workspace_id=request.source_id,
                branch_id=branch.pk,
                version=applied.version,
                counting=[item.identity for kept in made.values() for item in kept],
            )
        _close(request, applied.version)
        body = outcome_describe(prepared.planned, applied, prepared.side, branch)
        body["duration_ms"] = round(1000 * (time.monotonic() - prepared.started))
        recorded = _record(prepared, request, request.done, body, applied)
        fault_point("merge.committing")
        return recorded


def _require_known_tombstones(prepared: Prepared, branch: Branch) -> None:
    """Raise StatementOvertaken where others kept deletes in a table that a pipeline's run is about to publish: rows of
    the run may be older.
    """
    seen = prepared.side.snapshot
    assert seen is not None
    tables = [item.object_id for item in prepared.planned.objects if item.kind is ObjectKind.TABLE]
    if any(tombstones_came(seen, branch_snapshot(branch), table_id) for table_id in tables):
        raise StatementOvertaken


def _require_files_loaded_once(source: Source, branch: Branch, made: Mapping[int, Sequence[Tombstones]]) -> None:
    """Raise BranchMoved where a transaction loaded files into a table, and others loaded some meanwhile, maybe these:
    a transaction, which people hold open, is not run again. ``made``: by table what the transaction kept.
    """
    for table_id, kept in made.items():
        table = source.side.tables.get(table_id)
        if table is None or not any(list(item.columns) == COPIED for item in kept):
            continue
        if tombstones_came(source.snapshot, branch_snapshot(branch), table_id):
            raise BranchMoved(
                f"Others loaded files into {table.name} since BEGIN, maybe those of this transaction. Nothing was"
                " written.",
                remedy="ROLLBACK, and run the transaction again.",
            )


def _lock(prepared: Prepared, request: MergeOrder) -> tuple[Branch, int]:
    """The destination, locked, and the head that the source must still have. For a merge request it is locked too, in
    the order of ids, so that requests in both directions do not wait for each other.
    """
    if request.sponsor is None:
        return branch_lock(request.destination_id), prepared.source.head_version
    request.sponsor.hold()
    locked = {pk: branch_lock(pk) for pk in sorted((request.source_id, request.destination_id))}
    return locked[request.destination_id], locked[request.source_id].head_version


def _record(
    prepared: Prepared, request: MergeOrder, outcome: str, body: dict[str, Any], applied: Applied | None = None
) -> MergeAttempt:
    source, destination = prepared.source, prepared.destination
    foreign = source.catalog_id != destination.catalog_id
    # What the plan is made of once more, whatever the branches are called then.
    body = {**body, "branches": {"source": source.pk, "destination": destination.pk}, "rules": load_rules().digest}
    if request.sponsor is not None:
        body = {**body, **request.sponsor.describe(prepared)}
    if request.decided is not None:
        body = {**body, "resolutions": list(request.decided.described)}
    recorded = attempt_record(
        AttemptRecord(
            catalog_id=destination.catalog_id,
            kind="merge" if request.transaction_id is None else "transaction",
            source=f"{source.catalog.name}.{source.name}" if foreign else source.name,
            destination=destination.name,
            outcome=outcome,
            source_head=source.head_version,
            destination_head=destination.head_version,
            merge_base=prepared.merge_base,
            fingerprint=prepared.planned.fingerprint,
            body=body,
            version=applied.version if applied else None,
            actor_id=request.header.author_id,
            actor_name=request.header.author_name,
            task_id=request.header.task_id,
        )
    )
    if request.sponsor is not None:
        request.sponsor.settle(recorded)
    return recorded


def _finished(request: MergeOrder) -> MergeAttempt | None:
    if request.header.task_id is None:
        return None
    return MergeAttempt.objects.filter(task_id=request.header.task_id, outcome=request.done).first()


def merge_result(attempt: MergeAttempt) -> dict[str, Any]:
    """What whoever asked for the merge, or the dry run, gets as the answer."""
    if attempt.outcome == "dry run":
        shown = ("mergeable", "conflicts", "notes", "findings", "plan", "fingerprint")
        return {"merge_id": str(attempt.merge_id), **{name: attempt.body[name] for name in shown}}
    return {
        "merge_id": str(attempt.merge_id),
        "outcome": attempt.outcome,
        "version": attempt.version,
        "fingerprint": attempt.fingerprint,
        "notes": attempt.body.get("notes", []),
        "merged": attempt.body.get("tables", []),
    }
