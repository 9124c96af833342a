"""From a request's rows to the judgement of its reviews."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from django.utils import timezone

from catalog_app.domain.owners import owners_judge
from catalog_app.domain.plan_facts import PlanFacts
from catalog_app.domain.policy_judgement import PolicyVerdict
from catalog_app.domain.protection import Protection, policies_judge
from catalog_app.domain.roles import Action
from catalog_app.models import Branch
from catalog_app.selectors.agents import answering_for
from catalog_app.selectors.people import users_who_may
from catalog_app.selectors.protection import protection_of
from merge_app.audit.models import MergeAttempt
from merge_app.review.approval_rules import (
    ApprovalState,
    Case,
    CheckState,
    Excluded,
    ReviewVerdict,
    Seen,
    StatusState,
    Vote,
    judge,
)
from merge_app.review.known_plans import KnownPlan, plan_known, seen_now
from merge_app.review.models import Check, CheckResult, MergeRequest, RequestStatus, Review
from merge_app.review.states import RequestState


def request_approval_state(
    request: MergeRequest,
    source: Branch,
    destination: Branch,
    *,
    fingerprint: str = "",
    approved: KnownPlan | None = None,
    looked: KnownPlan | None = None,
) -> ApprovalState:
    """The judgement of the request with its branches as these rows say they are. Where the very plan is known that is
    about to be merged, by its ``fingerprint``. Where approvals of another plan are as good, that is ``approved``. So is
    a look at the rows that were drawn of it. ``looked``: the plan whose facts somebody just looked at; else they are
    those of the last plan.
    """
    seen, known = seen_now(request, source, destination), plan_known(request)
    protection = protection_of(destination) or Protection(())
    votes = votes_load([request.pk]).get(request.pk, ())
    facts = facts_known(looked or known, protection, seen, fingerprint)
    writer_id = last_writer_id(source, destination_id=destination.pk)
    return judge(
        Case(
            state=RequestState(request.state),
            seen=approved.seen if approved else seen,
            votes=votes,
            author_id=request.author_id,
            last_writer_id=writer_id,
            answering=frozenset(answering_for([request.author_id, writer_id]).values()),
            required_approvals=protection.required_approvals,
            reviewers=users_who_may(
                Action.REVIEW, catalog_id=destination.catalog_id, among=[vote.reviewer_id for vote in votes]
            ),
            checks=check_states(request, required_checks(destination, protection), seen),
            statuses=status_states(request, protection.required_statuses, seen.source_head),
            fingerprint=approved.fingerprint if approved else fingerprint,
            is_conflicted=known is not None and known.seen == seen and known.conflict_count > 0,
            is_gone=source.dropped_at is not None or destination.dropped_at is not None,
            owners=owners_judge(protection.owners, facts),
            policies=_policies(protection, facts, approved),
        )
    )


def _policies(protection: Protection, facts: PlanFacts | None, approved: KnownPlan | None) -> tuple[PolicyVerdict, ...]:
    """What the policies say of the plan. A look at the rows that were drawn of the ``approved`` plan counts for it."""
    verdicts = policies_judge(protection, facts, timezone.now())
    if approved is None or approved.facts is None:
        return tuple(verdicts)
    return tuple(replace(verdict, drawn=verdict.rows_drawn(approved.facts)) for verdict in verdicts)


def facts_known(known: KnownPlan | None, protection: Protection, seen: Seen, fingerprint: str = "") -> PlanFacts | None:
    """What policies are judged on, where it is known of just this plan and of these policies."""
    if known is None or known.seen != seen or fingerprint not in ("", known.fingerprint):
        return None
    return known.facts_for(protection.policies)


def merged_approval_state(request: MergeRequest) -> ApprovalState:
    """The judgement of a merged request, as it was at the merge: its branches go on, and what counted then counts."""
    assert request.merge_id is not None
    record = MergeAttempt.objects.get(merge_id=request.merge_id)
    counted = {item["review"] for item in record.body.get("approvals", ())}
    votes = votes_load([request.pk]).get(request.pk, ())
    approvals = [vote for vote in votes if vote.verdict is ReviewVerdict.APPROVE]
    return ApprovalState(
        counting=tuple(vote for vote in approvals if vote.review_id in counted),
        excluded=tuple(
            Excluded(vote, "did not count at the merge") for vote in approvals if vote.review_id not in counted
        ),
        objections=tuple(vote for vote in votes if vote.verdict is ReviewVerdict.REQUEST_CHANGES),
        blockers=(),
        required_approvals=0,
    )


def votes_load(request_ids: Collection[int]) -> dict[int, tuple[Vote, ...]]:
    """The last word of every reviewer, by request, in the order in which it was said: one query."""
    last = (
        Review.objects.filter(request_id__in=request_ids)
        .select_related("reviewer")
        .order_by("request_id", "reviewer_id", "-pk")
        .distinct("request_id", "reviewer_id")
    )
    votes: dict[int, tuple[Vote, ...]] = {}
    for review in _in_order(last):
        votes[review.request_id] = (*votes.get(review.request_id, ()), _vote(review))
    return votes


def _in_order(reviews: Iterable[Review]) -> list[Review]:
    return sorted(reviews, key=lambda review: review.pk)


def _vote(review: Review) -> Vote:
    return Vote(
        review_id=review.pk,
        reviewer_id=review.reviewer_id,
        reviewer=review.reviewer.get_username(),
        verdict=ReviewVerdict(review.verdict),
        seen=review_seen(review),
        fingerprint=review.fingerprint,
        looked_at=frozenset((table, key) for table, key in review.looked_at),
    )


def review_seen(review: Review) -> Seen:
    """What the review was said of."""
    return Seen(review.source_head, review.destination_head, review.rules_digest, review.resolutions_digest)


def last_writer_id(source: Branch, *, destination_id: int) -> int | None:
    """Who made the newest commit that the source brings, on itself or on a branch that it was cut from; None where it
    is the target's own, and where it was lakeui's.
    """
    newest = source.head_commit
    return newest.author_id if newest is not None and newest.branch_id != destination_id else None


def required_checks(destination: Branch, protection: Protection | None = None) -> frozenset[str]:
    """The checks that a merge into the branch has to pass: the catalog's required ones, and those of its protection."""
    asked = protection or protection_of(destination) or Protection(())
    required = Check.objects.filter(catalog_id=destination.catalog_id, is_required=True)
    return frozenset({*required.values_list("name", flat=True), *asked.required_checks})


def check_states(request: MergeRequest, names: Collection[str], seen: Seen) -> dict[str, CheckState]:
    """What the newest run of each check found, where that was of what is seen now and of the query as it is now."""
    if not names:
        return {}
    queries = dict(Check.objects.filter(catalog_id=request.catalog_id, name__in=names).values_list("name", "query"))
    newest = (
        CheckResult.objects.filter(
            request=request,
            name__in=names,
            source_head=seen.source_head,
            destination_head=seen.destination_head,
            rules_digest=seen.rules_digest,
            resolutions_digest=seen.resolutions_digest,
        )
        .order_by("name", "-pk")
        .distinct("name")
    )
    found = {result.name: result for result in newest if queries.get(result.name) == result.query}
    return {name: CheckState(found[name].state) if name in found else CheckState.MISSING for name in sorted(names)}


def status_states(request: MergeRequest, contexts: Collection[str], source_head: int) -> dict[str, StatusState]:
    """What was reported last of each context, of the source at that head."""
    if not contexts:
        return {}
    newest = (
        RequestStatus.objects.filter(request=request, context__in=contexts, source_head=source_head)
        .order_by("context", "-pk")
        .distinct("context")
    )
    found = {status.context: StatusState(status.state) for status in newest}
    return {context: found.get(context, StatusState.MISSING) for context in sorted(contexts)}
