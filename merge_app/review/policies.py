"""Policies of open requests: which have to be judged, and what is kept of the judgement.

A policy merges as the person who set it, with the rights that this person has then. An agent never is that person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from catalog_app.domain.policies import policies_digest
from catalog_app.models import ProtectionRule
from merge_app.review.approval_rules import ApprovalState
from merge_app.review.approval_state import request_approval_state
from merge_app.review.known_plans import KnownPlan, branches_now, plan_keep, plan_known, protection_now, seen_now
from merge_app.review.models import MergeRequest, RequestedReviewer
from merge_app.review.owners import owners_ask, owners_follow
from merge_app.review.requests import request_lock, request_settle, request_touch
from merge_app.review.states import REVIEWED, RequestState


@dataclass(frozen=True, slots=True)
class PolicyWork:
    """A request whose policies have to be judged. ``of``: the digest of what they are judged on; ``user_id``: as whom
    it is merged where a policy says so, else who opened it.
    """

    request: MergeRequest
    of: str
    user_id: int


def policy_work(request: MergeRequest) -> PolicyWork | None:
    """What is to be done for the request: its plan is not judged by the policies in force, or one of them merges it and
    nothing is in the way. None where nothing is to be done.
    """
    source, destination = branches_now(request)
    protection = protection_now(destination)
    policies = protection.policies
    if not protection.judges_plans or source.dropped_at is not None or destination.dropped_at is not None:
        return None
    seen, known = seen_now(request, source, destination), plan_known(request)
    is_known = known is not None and known.seen == seen and known.facts_for(policies) is not None
    standing = request_approval_state(request, source, destination) if is_known else None
    if standing is not None and (standing.blockers or standing.merging_policy is None):
        return None
    parts = [*astuple(seen), policies_digest(policies)]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    verdict = standing.merging_policy if standing is not None else None
    merging = [verdict.author_id] if verdict is not None else [item.author_id for item in policies if item.merges]
    return PolicyWork(request, digest, next((pk for pk in merging if pk is not None), request.author_id))


def policies_waiting() -> Iterator[PolicyWork]:
    """The work for all requests that wait for people where rules judge plans. Owners are asked meanwhile."""
    catalogs = ProtectionRule.objects.exclude(policies=[], owners=[]).values("catalog")
    asked = RequestedReviewer.objects.filter(is_owner=True).values("request")
    waiting = MergeRequest.objects.filter(state__in=[state.value for state in REVIEWED])
    waiting = waiting.filter(Q(catalog__in=catalogs) | Q(pk__in=asked))
    for request in waiting.select_related("catalog", "source", "destination", "author").order_by("pk").iterator(100):
        owners_follow(request)
        work = policy_work(request)
        if work is not None:
            yield work


def policies_keep(*, request_id: int, plan: KnownPlan) -> ApprovalState | None:
    """Keep the plan with what policies are judged on, and bring the request's state up to what they come to; None
    where it moved meanwhile, or is not with people any more.
    """
    with transaction.atomic():
        request = request_lock(request_id)
        source, destination = branches_now(request)
        if request.state not in REVIEWED | {RequestState.DRAFT} or seen_now(request, source, destination) != plan.seen:
            return None
        plan_keep(request, plan)
        standing = request_approval_state(request, source, destination)
        reasons = " ".join(f"Version {item.version} of {item.pattern}: {item.message}" for item in standing.policies)
        request_settle(request, reason=reasons)
        owners_ask(request, standing)
        request_touch(request)
    return standing


def is_in_hand(request: MergeRequest, task_id: UUID) -> bool:
    """Whether the task merges the request already: an earlier attempt at it got so far."""
    return request.task_id == task_id
