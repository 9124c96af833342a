"""The merge queue of a branch: one request at a time, each planned anew on what the one before it left.

A request enters as somebody could merge it. When its turn comes and the target has moved, it continues only if the
protection allows that and no verdict changed since it entered. Else it goes back to people, with the reason.
"""

from __future__ import annotations

import hashlib
import json
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal
from catalog_app.selectors.people import action_require, person_id
from catalog_app.selectors.protection import protection_of
from merge_app.execution.apply import CommitHeader
from merge_app.execution.commit import ATTEMPTS, branch_moved_error
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.merge import merge_prepare
from merge_app.execution.merge_command import MergeCommand, PreparedMerge
from merge_app.jobs.errors import TooManyQueued
from merge_app.planning.merge_plan import MergePlan, Verdict
from merge_app.review.approval_rules import ApprovalState
from merge_app.review.approval_state import request_approval_state
from merge_app.review.carry_out import RequestPort, merge_require, refuse_blocked
from merge_app.review.known_plans import (
    KnownPlan,
    branches_now,
    plan_keep,
    plan_known,
    plan_load,
    protection_now,
    seen_now,
)
from merge_app.review.models import MergeRequest
from merge_app.review.requests import (
    is_given_up,
    request_lock,
    request_move,
    request_return,
    request_settle,
    request_touch,
    wrong_state,
)
from merge_app.review.states import REVIEWED, RequestState, may_become

MOST_QUEUED = 50
"""Requests that one person has in merge queues at a time."""
RETRY_SECONDS = 30


def queue_enter(*, principal: Principal, request: MergeRequest, engine: EngineSource) -> MergeRequest:
    """Put the request into the queue of its target. Raises MergeBlocked where it could not be merged now,
    and TooManyQueued.
    """
    merge_require(principal, request)
    _require_few(principal)
    request_port = RequestPort(request.pk, CommitHeader("MERGE BRANCH"))
    command = MergeCommand(
        request.source_id, request.destination_id, CommitHeader("MERGE BRANCH"), request_port=request_port
    )
    looked = plan_load(request, engine) if protection_now(branches_now(request)[1]).judges_plans else None
    for _ in range(ATTEMPTS):
        entered = _enter(principal, request, merge_prepare(command, engine), looked)
        if entered is not None:
            return entered
    raise branch_moved_error()


def _require_few(principal: Principal) -> None:
    own = MergeRequest.objects.filter(state=RequestState.QUEUED, queued_by=person_id(principal))
    if (waiting := own.count()) < MOST_QUEUED:
        return
    raise TooManyQueued(
        f"{waiting} merge requests that you put into queues wait for their turn, which is the most at a time.",
        remedy="Wait until one is merged, or take one out of its queue.",
        retry_after=RETRY_SECONDS,
        waiting=waiting,
    )


def _enter(
    principal: Principal, request: MergeRequest, prepared: PreparedMerge, looked: KnownPlan | None
) -> MergeRequest | None:
    """The request, queued on the plan that was made of it; None where a branch has moved since."""
    with transaction.atomic():
        locked = request_lock(request.pk)
        if locked.state not in REVIEWED | {RequestState.DRAFT}:
            permit = may_become(RequestState(locked.state), RequestState.QUEUED)
            raise wrong_state(locked, f"The request {permit.reason}.")
        source, destination = branches_now(locked)
        seen = seen_now(locked, source, destination)
        if seen != seen_now(locked, prepared.source, prepared.destination):
            return None
        plan_keep(locked, KnownPlan(seen, prepared.planned.fingerprint, len(prepared.planned.conflicts)))
        fingerprint = prepared.planned.fingerprint
        refuse_blocked(
            locked, request_approval_state(locked, source, destination, fingerprint=fingerprint, looked=looked)
        )
        request_settle(locked)
        request_move(locked, RequestState.QUEUED, actor_id=person_id(principal))
        locked.queued_at, locked.queued_by_id = timezone.now(), person_id(principal)
        locked.queued_verdicts = verdicts_digest(prepared.planned)
        locked.queued_scopes = None if principal.scopes is None else sorted(principal.scopes)
        request_touch(locked)
    return locked


def verdicts_digest(planned: MergePlan) -> str:
    """SHA-256 of what becomes of each object, and of every verdict that is not plainly fine."""
    content = [[item.kind.value, item.object_id, item.action.value, ""] for item in planned.objects]
    content += [
        [finding.object_kind.value, finding.object_id, finding.verdict.value, finding.code]
        for finding in planned.findings
        if finding.verdict is not Verdict.OK
    ]
    return hashlib.sha256(json.dumps(sorted(content)).encode()).hexdigest()


def queue_leave(*, principal: Principal, request: MergeRequest) -> None:
    """Take the request out of the queue again."""
    action_require(principal, request.catalog, Action.MERGE)
    with transaction.atomic():
        locked = request_lock(request.pk)
        if locked.state != RequestState.QUEUED:
            raise wrong_state(locked, "The request does not wait in the queue.")
        locked.queued_at = None
        request_return(locked, reason="Taken out of the queue.", actor_id=person_id(principal))
        request_touch(locked)


def queue_take(*, destination_id: int, task_id: UUID) -> MergeRequest | None:
    """The request whose turn it is, now in the hands of the task; the one that the task has already. None while
    another one is being merged, whose task continues with the queue, and where nothing waits.
    """
    with transaction.atomic():
        own = MergeRequest.objects.filter(destination_id=destination_id, task_id=task_id).first()
        if own is not None:
            return own
        waiting = MergeRequest.objects.filter(destination_id=destination_id, state=RequestState.QUEUED)
        first = waiting.select_for_update(no_key=True).order_by("queued_at", "pk").first()
        if first is None or _is_busy(destination_id):
            return None
        request = request_lock(first.pk)
        request_move(request, RequestState.MERGING, actor_id=None, reason="Its turn in the queue.", task=str(task_id))
        request.task_id = task_id
        request_touch(request)
        return request


def _is_busy(destination_id: int) -> bool:
    merging = MergeRequest.objects.filter(destination_id=destination_id, state=RequestState.MERGING)
    return any(not is_given_up(task_id) for task_id in merging.values_list("task_id", flat=True))


def destinations_waiting() -> frozenset[int]:
    """The branches into which something waits for its turn."""
    waiting = MergeRequest.objects.filter(state=RequestState.QUEUED)
    return frozenset(waiting.values_list("destination_id", flat=True))


def queued_count() -> int:
    """How many requests wait in all queues together."""
    return MergeRequest.objects.filter(state=RequestState.QUEUED).count()


def queue_is_waiting(destination_id: int) -> bool:
    """Whether anything waits for its turn."""
    return MergeRequest.objects.filter(destination_id=destination_id, state=RequestState.QUEUED).exists()


class QueuePort(RequestPort):
    """Answers for a request whose turn has come: what was approved may have been on an earlier head of the
    destination, if nothing that people judged is different.
    """

    def _judge(self, prepared: PreparedMerge) -> ApprovalState:
        known = plan_known(self.held)
        if known is None or not self._is_as_good(known, prepared):
            return super()._judge(prepared)
        return request_approval_state(
            self.held, prepared.source, prepared.destination, approved=known, looked=self._looked
        )

    def _is_as_good(self, known: KnownPlan, prepared: PreparedMerge) -> bool:
        now = seen_now(self.held, prepared.source, prepared.destination)
        protection = protection_of(prepared.destination)
        return (
            (known.seen.source_head, known.seen.rules_digest) == (now.source_head, now.rules_digest)
            and known.seen.resolutions_digest == now.resolutions_digest
            and (protection is None or protection.allow_queue_unchanged)
            and verdicts_digest(prepared.planned) == self.held.queued_verdicts
        )
