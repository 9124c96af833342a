"""Merging a request: the merge of MERGE BRANCH, with the request answering for it under the locks of the commit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction

from catalog_app.domain.plan_facts import PlanFacts
from catalog_app.domain.protection import MergeAuthority, Protection
from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Branch
from catalog_app.selectors.people import catalog_for
from catalog_app.selectors.protection import protection_of
from lakeui.common.errors import LakeError, Stale
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import attempt_of_task, blocked_error, recorded_refusal
from merge_app.execution.apply import CommitHeader
from merge_app.execution.attempts import merge_result
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.merge import merge_run
from merge_app.execution.merge_command import MergeCommand, PreparedMerge, Progress
from merge_app.jobs.errors import TaskSuperseded
from merge_app.jobs.models import Task
from merge_app.planning.merge_plan import Resolution
from merge_app.review.approval_rules import ApprovalState, Blocker, BlockerCode
from merge_app.review.approval_state import facts_known, request_approval_state
from merge_app.review.known_plans import (
    KnownPlan,
    branches_now,
    plan_keep,
    plan_known,
    plan_load,
    protection_now,
    resolution_value,
    resolutions_of,
    seen_now,
)
from merge_app.review.models import CheckResult, ConflictResolution, MergeRequest, TimelineEntry
from merge_app.review.requests import (
    request_lock,
    request_move,
    request_return,
    request_settle,
    request_touch,
    wrong_state,
)
from merge_app.review.resolving import named
from merge_app.review.states import REVIEWED, RequestState, may_become
from merge_app.review.statuses import statuses_of

PROTECTED = frozenset(
    {
        BlockerCode.APPROVALS_MISSING,
        BlockerCode.POLICY_MISSING,
        BlockerCode.OWNER_MISSING,
        BlockerCode.CHECK_MISSING,
        BlockerCode.CHECK_FAILED,
        BlockerCode.STATUS_MISSING,
        BlockerCode.STATUS_FAILED,
    }
)
"""What a protection rule asks for: an owner's reason gets past it, as everywhere, where the rule lets it."""


@dataclass(frozen=True, slots=True)
class MergeWish:
    """How somebody wants a request merged. ``fingerprint``: only if its plan is still this one."""

    fingerprint: str = ""
    bypass_reason: str = ""


def merge_require(principal: Principal, request: MergeRequest) -> None:
    """Raises PermissionDenied for who may not merge into the request's catalog, and NotFound where either branch's
    catalog does not exist for them: as MERGE BRANCH would.
    """
    catalog_for(principal, request.catalog.name, Action.MERGE)
    if request.source.catalog_id != request.catalog_id:
        catalog_for(principal, request.source.catalog.name)


def merge_begin(*, principal: Principal, request_id: int, wish: MergeWish, task: Task) -> MergeRequest:
    """Put the request into the hands of the task, which the caller submitted in the same transaction. Raises
    MergeBlocked where something is known to stand in the way; the merge judges again. A task that had the request in
    hand before (it was sent again under its Idempotency-Key) does not get it again.
    """
    request = request_lock(request_id)
    if TimelineEntry.objects.filter(request=request, details__task=str(task.pk)).exists():
        return request
    merge_require(principal, request)
    if request.state not in REVIEWED | {RequestState.DRAFT}:
        raise wrong_state(
            request, f"The request {may_become(RequestState(request.state), RequestState.MERGING).reason}."
        )
    source, destination = branches_now(request)
    known = plan_known(request)
    if wish.fingerprint and (
        known is None or known.fingerprint != wish.fingerprint or known.seen != seen_now(request, source, destination)
    ):
        raise Stale("The request is not what you looked at any more.", remedy="Look at what changed, then merge it.")
    # The merge itself looks at what policies are judged on, before it asks them.
    refuse_blocked(
        request,
        request_approval_state(request, source, destination),
        wish.bypass_reason,
        later=frozenset({BlockerCode.POLICY_MISSING}),
    )
    request_settle(request)
    request_move(request, RequestState.MERGING, actor_id=principal.user_id, task=str(task.pk))
    request.task_id = task.pk
    request_touch(request)
    return request


def refuse_blocked(
    request: MergeRequest,
    standing: ApprovalState,
    bypass_reason: str = "",
    *,
    later: frozenset[BlockerCode] = frozenset(),
) -> None:
    """Raises MergeBlocked with everything in the way; with a reason, what a protection asks for is left to it.
    ``later``: what is judged only once the merge continues.
    """
    found = [item for item in standing.blockers if item.code not in later]
    left = [item for item in found if not (bypass_reason and item.code in PROTECTED)]
    if left:
        raise blocked_error(f"Merge request #{request.number} is blocked. {left[0].message}", _as_json(left))


def _as_json(blockers: list[Blocker]) -> list[dict[str, str]]:
    return [{"code": blocker.code.value, "message": blocker.message} for blocker in blockers]


@dataclass(slots=True)
class RequestPort:
    """Answers for one request to the merge that is carried out for it (``merge_command.MergeRequestPort``)."""

    request_id: int
    header: CommitHeader
    _held: MergeRequest | None = field(default=None, init=False)
    _standing: ApprovalState | None = field(default=None, init=False)
    _looked: KnownPlan | None = field(default=None, init=False)

    def resolutions(self, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
        # No one changes them while the request is being merged.
        return resolutions_of(MergeRequest.objects.get(pk=self.request_id), source, destination)

    def hold(self) -> None:
        self._held, self._standing = request_lock(self.request_id), None

    @property
    def held(self) -> MergeRequest:
        assert self._held is not None
        return self._held

    @property
    def _is_ours(self) -> bool:
        return self.held.state == RequestState.MERGING and self.held.task_id == self.header.task_id

    def authorise(self, prepared: PreparedMerge) -> MergeAuthority:
        """The authority of those who approved exactly this plan. Raises MergeBlocked, and WrongState where the request
        was taken out of the task's hands.
        """
        if not self._is_ours:
            raise wrong_state(self.held, "The request is not being merged by this task any more.")
        self._standing = self._judge(prepared)
        refuse_blocked(self.held, self._standing, self.header.bypass_reason)
        standing = self._standing
        return MergeAuthority(
            self.request_id,
            len(standing.counting),
            standing.passed_checks,
            standing.passed_statuses,
            approvers=standing.approvers,
            facts=self._facts(prepared),
        )

    def look(self, plan: KnownPlan) -> None:
        """Take the plan whose facts the policies of the target are judged on."""
        self._looked = plan

    def _facts(self, prepared: PreparedMerge) -> PlanFacts | None:
        """What the policies of the target are judged on, of just this plan."""
        seen = seen_now(self.held, prepared.source, prepared.destination)
        protection = protection_of(prepared.destination) or Protection(())
        known = self._looked or plan_known(self.held)
        return facts_known(known, protection, seen, prepared.planned.fingerprint)

    def _judge(self, prepared: PreparedMerge) -> ApprovalState:
        return request_approval_state(
            self.held,
            prepared.source,
            prepared.destination,
            fingerprint=prepared.planned.fingerprint,
            looked=self._looked,
        )

    def describe(self, prepared: PreparedMerge) -> dict[str, Any]:
        """The request and who approved what, for the audit record."""
        counting = self._standing.counting if self._standing else ()
        return {
            "request": {"number": self.held.number, "title": self.held.title, "author": self.held.author.username},
            "approvals": [
                {
                    "reviewer": vote.reviewer,
                    "review": vote.review_id,
                    "fingerprint": vote.fingerprint,
                    "looked_at": [list(row) for row in sorted(vote.looked_at)],
                }
                for vote in counting
            ],
            "resolutions": resolutions_described(self.held, prepared),
            "checks": checks_described(self.held, prepared),
            "statuses": statuses_described(self.held, prepared),
            "policies": [verdict.as_json() for verdict in self._standing.policies] if self._standing else [],
            "owners": self._owners_described(),
            "policy_facts": self._facts_described(prepared),
        }

    def _owners_described(self) -> list[dict[str, Any]]:
        standing = self._standing
        return [owned.as_json(standing.approvers) for owned in standing.owners if owned.is_judged] if standing else []

    def _facts_described(self, prepared: PreparedMerge) -> dict[str, Any] | None:
        facts = self._facts(prepared) if self._standing and (self._standing.policies or self._standing.owners) else None
        return facts.as_json() if facts else None

    def settle(self, attempt: MergeAttempt) -> None:
        """Merged, or back to people with what was found."""
        request = self.held
        if not self._is_ours:
            return
        plan_keep(request, replace(_plan_of(request, attempt), facts=self._looked.facts if self._looked else None))
        if attempt.outcome == "refused":
            request_return(request, reason=attempt.body["message"], merge_id=str(attempt.merge_id))
        else:
            request.merge_id = attempt.merge_id
            details: dict[str, Any] = {"merge_id": str(attempt.merge_id), "version": attempt.version}
            request_move(request, RequestState.MERGED, actor_id=self.header.author_id, **details)
        request_touch(request)


def checks_described(request: MergeRequest, prepared: PreparedMerge) -> list[dict[str, Any]]:
    """What each check last found on the heads that were planned on, for an audit record."""
    results = CheckResult.objects.filter(
        request=request,
        source_head=prepared.source.head_version,
        destination_head=prepared.destination.head_version,
        resolutions_digest=request.resolutions_digest,
    )
    newest = results.order_by("name", "-pk").distinct("name")
    return [{"name": result.name, "state": result.state, "task": str(result.task_id)} for result in newest]


def statuses_described(request: MergeRequest, prepared: PreparedMerge) -> list[dict[str, Any]]:
    """What other systems last reported of the source that was planned on, for an audit record."""
    return [
        {"context": status.context, "state": status.state, "by": status.created_by.get_username(), "status": status.pk}
        for status in statuses_of(request, prepared.source.head_version)
    ]


def resolutions_described(request: MergeRequest, prepared: PreparedMerge) -> list[dict[str, Any]]:
    """What was decided for the heads that were planned on, and by whom, for an audit record."""
    rows = ConflictResolution.objects.filter(
        request=request,
        withdrawn_at__isnull=True,
        source_head=prepared.source.head_version,
        destination_head=prepared.destination.head_version,
    )
    return [
        {
            "resolution": row.pk,
            "author": row.author.get_username(),
            "object_kind": row.object_kind,
            "object_id": row.object_id,
            **resolution_value(row).as_json(),
            **named(row),
        }
        for row in rows.select_related("author").order_by("pk")
    ]


def _plan_of(request: MergeRequest, attempt: MergeAttempt) -> KnownPlan:
    """The plan that the attempt was made with."""
    now = seen_now(request, *branches_now(request))
    seen = replace(now, source_head=attempt.source_head, destination_head=attempt.destination_head)
    return KnownPlan(seen, attempt.fingerprint, len(attempt.body["conflicts"]))


def request_merge_run(
    *,
    request_id: int,
    principal: Principal,
    header: CommitHeader,
    engine: EngineSource,
    progress: Progress,
    request_port: RequestPort | None = None,
) -> dict[str, Any]:
    """Merge the request that the header's task has in hand. The request returns to people where that is refused, as
    where the ``principal`` has lost the right to merge since asking for it.

    A task that did it before answers what it answered then. ``request_port`` answers for the request, itself as a rule.
    """
    assert header.task_id is not None
    done = attempt_of_task(header.task_id)
    if done is not None:
        return _answer(done)
    request = MergeRequest.objects.select_related("catalog", "source__catalog").get(pk=request_id)
    request_port = request_port or RequestPort(request_id, header)
    command = MergeCommand(request.source_id, request.destination_id, header, request_port=request_port)
    try:
        merge_require(principal, request)
        if protection_now(branches_now(request)[1]).judges_plans:
            # Outside of all locks. Where a branch moves meanwhile, no policy knows the plan, and it waits for a person.
            request_port.look(plan_load(request, engine))
        return merge_run(command, engine, progress)
    except TaskSuperseded:
        raise
    except LakeError as refusal:
        done = attempt_of_task(header.task_id)
        if done is not None:
            return _answer(done)
        request_release(request_id=request_id, task_id=header.task_id, reason=refusal.message)
        raise


def _answer(attempt: MergeAttempt) -> dict[str, Any]:
    if attempt.outcome == "refused":
        raise recorded_refusal(attempt)
    return merge_result(attempt)


def request_release(*, request_id: int, task_id: UUID, reason: str) -> None:
    """Give the request back to people, if the task still has it."""
    with transaction.atomic():
        request = request_lock(request_id)
        if request.state == RequestState.MERGING and request.task_id == task_id:
            request_return(request, reason=reason)
            request_touch(request)
