"""Reviews: what somebody says of a request as they saw it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from catalog_app.domain.plan_facts import SpotRow
from catalog_app.domain.roles import Action, Principal
from catalog_app.selectors.agents import answering_for
from catalog_app.selectors.people import action_require, person_id
from lakeui.common.errors import PermissionDenied, Stale
from merge_app.execution.engine_source import EngineSource
from merge_app.review.approval_rules import ReviewVerdict
from merge_app.review.approval_state import request_approval_state
from merge_app.review.known_plans import KnownPlan, branches_now, plan_keep, plan_load, seen_now
from merge_app.review.models import MergeRequest, Review, TimelineKind
from merge_app.review.requests import request_lock, request_settle, request_touch, wrong_state
from merge_app.review.spot_checks import rows_drawn, spot_code, spot_code_check
from merge_app.review.states import REVIEWED, RequestState
from merge_app.review.timeline import Event, timeline_append


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A review as it is handed in, of the plan with this ``fingerprint``. ``spot_code``: see ``spot_checks``."""

    verdict: ReviewVerdict
    fingerprint: str
    body: str = ""
    spot_code: str = ""


def review_submit(*, principal: Principal, request: MergeRequest, draft: ReviewDraft, engine: EngineSource) -> Review:
    """Add a review of what there is now. Raises Stale where that is not what the reviewer looked at any more.

    "Request changes" is said of the request, whatever moved, and may be withdrawn whatever moved.
    """
    action_require(principal, request.catalog, Action.REVIEW)
    plan = plan_load(request, engine)
    if draft.verdict is ReviewVerdict.APPROVE and plan.fingerprint != draft.fingerprint:
        raise _stale()
    with transaction.atomic():
        locked = request_lock(request.pk)
        _require_reviewable(locked, principal, draft)
        if draft.verdict is ReviewVerdict.APPROVE and seen_now(locked, *branches_now(locked)) != plan.seen:
            raise _stale()
        rows = _looked_at(locked, principal, draft, plan) if draft.verdict is ReviewVerdict.APPROVE else ()
        review = _record(locked, person_id(principal), draft, plan, rows)
        plan_keep(locked, plan)
        request_settle(locked, actor_id=review.reviewer_id)
        request_touch(locked)
    return review


def _stale() -> Stale:
    return Stale(
        "The request is not what you looked at any more: a branch moved, or the rules or a decision changed.",
        remedy="Look at what changed, then review what there is now.",
    )


def _require_reviewable(request: MergeRequest, principal: Principal, draft: ReviewDraft) -> None:
    state = RequestState(request.state)
    if state not in REVIEWED | {RequestState.DRAFT}:
        raise wrong_state(request, f"A request that is {state} takes no reviews.")
    if draft.verdict is ReviewVerdict.APPROVE and state is RequestState.DRAFT:
        raise wrong_state(request, "A draft cannot be approved.")
    if draft.verdict is ReviewVerdict.APPROVE and _is_of(principal, request):
        raise PermissionDenied(
            "You cannot approve your own request, or that of your agent.", remedy="Ask somebody else for a review."
        )


def _is_of(principal: Principal, request: MergeRequest) -> bool:
    """Whether they opened the request, or answer for the agent that did."""
    return principal.user_id in (request.author_id, *answering_for([request.author_id]).values())


def _looked_at(request: MergeRequest, principal: Principal, draft: ReviewDraft, plan: KnownPlan) -> tuple[SpotRow, ...]:
    """The rows that policies drew of the plan. Raises InvalidValue where they were not shown to just this person."""
    rows = rows_drawn(request_approval_state(request, *branches_now(request), looked=plan).policies, plan)
    spot_code_check(spot_code(request, principal.user_id, rows, plan.fingerprint), draft.spot_code)
    return rows


def _record(
    request: MergeRequest, reviewer_id: int, draft: ReviewDraft, plan: KnownPlan, rows: tuple[SpotRow, ...]
) -> Review:
    review = Review.objects.create(
        request=request,
        reviewer_id=reviewer_id,
        verdict=draft.verdict,
        body=draft.body,
        fingerprint=plan.fingerprint,
        source_head=plan.seen.source_head,
        destination_head=plan.seen.destination_head,
        rules_digest=plan.seen.rules_digest,
        resolutions_digest=plan.seen.resolutions_digest,
        looked_at=[[row.table, row.key] for row in rows],
    )
    details = {"review": review.pk, "verdict": draft.verdict.value, "fingerprint": plan.fingerprint}
    timeline_append(request, Event(TimelineKind.REVIEWED, reviewer_id, details=details))
    return review
