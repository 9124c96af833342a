"""Reading merge requests: every list costs its page, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Extract

from catalog_app.domain.roles import Principal
from catalog_app.models import Catalog
from catalog_app.rules.loader import load_rules
from catalog_app.selectors.agents import answering_for
from catalog_app.selectors.people import catalogs_visible
from lakeui.common.errors import NotFound
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import merges_undone
from merge_app.jobs.models import FINISHED_STATES, Task
from merge_app.review.approval_rules import ReviewVerdict, Vote
from merge_app.review.approval_state import last_writer_id, votes_load
from merge_app.review.known_plans import judged_heads, seen_judged
from merge_app.review.models import Comment, ConflictResolution, MergeRequest, RequestedReviewer, Review, TimelineEntry
from merge_app.review.states import FINISHED, REVIEWED, RequestState
from merge_app.review.suggestions import with_suggestions

_ORDERS: dict[str, tuple[Any, str]] = {
    "-updated_at": (Cast(Extract("updated_at", "epoch") * 1_000_000, BigIntegerField()), "-"),
    "-number": (F("number"), "-"),
    "number": (F("number"), ""),
}
"""By order of a list: what it is sorted by before the id, and ``-`` for downwards."""

REQUEST_ORDERS = tuple(_ORDERS)


def requests_all() -> QuerySet[MergeRequest]:
    """Requests with what is shown of each, and ``standing_state``: the state that holds for the heads as they are.

    What was judged on other heads or by other rules waits for people again, and so does a merge whose task died.
    """
    judged = Q(state__in=[RequestState.APPROVED, RequestState.CONFLICTED])
    is_current = Q(
        planned_source_head=F("source__head_version"),
        planned_destination_head=F("destination__head_version"),
        planned_rules=load_rules().digest,
        planned_resolutions=F("resolutions_digest"),
    )
    ended = Task.objects.filter(pk=OuterRef("task_id"), state__in=FINISHED_STATES)
    given_up = Q(state=RequestState.MERGING) & Q(task_ended__isnull=False)
    return (
        MergeRequest.objects.select_related(
            "catalog", "source__catalog", "source__head_commit", "destination__catalog", "author"
        )
        .annotate(task_ended=Subquery(ended.values("state")[:1]))
        .annotate(
            standing_state=Case(
                When((judged & ~is_current) | given_up, then=Value(RequestState.OPEN.value)),
                default=F("state"),
                output_field=CharField(),
            )
        )
    )


@dataclass(frozen=True, slots=True)
class RequestFilters:
    """What a list is narrowed to. People are user names; ``waiting_for`` is a user whose turn it is."""

    states: Collection[str] = ()
    author: str = ""
    reviewer: str = ""
    label: str = ""
    source: str = ""
    destination: str = ""
    search: str = ""


def requests_list(
    catalog: Catalog,
    filters: RequestFilters,
    *,
    order: str = "-updated_at",
    after: tuple[int, int] | None = None,
    limit: int,
) -> list[MergeRequest]:
    """Requests of the catalog behind the key ``after`` (``sort_key`` and id)."""
    key, sign = _ORDERS[order]
    found = _narrowed(requests_all().filter(catalog=catalog), filters).annotate(sort_key=key)
    if after is not None:
        side = "lt" if sign else "gt"
        found = found.filter(
            Q(**{f"sort_key__{side}": after[0]}) | Q(**{"sort_key": after[0], f"pk__{side}": after[1]})
        )
    return list(found.order_by(f"{sign}sort_key", f"{sign}pk")[:limit])


def _narrowed(found: QuerySet[MergeRequest], filters: RequestFilters) -> QuerySet[MergeRequest]:
    if filters.states:
        found = found.filter(standing_state__in=filters.states)  # type: ignore[misc]  # annotated by requests_all
    if filters.author:
        found = found.filter(author__username=filters.author)
    if filters.reviewer:
        asked = RequestedReviewer.objects.filter(user__username=filters.reviewer)
        found = found.filter(pk__in=asked.values("request"))
    if filters.label:
        found = found.filter(labels__contains=[filters.label])
    if filters.source:
        found = found.filter(source__name__iexact=filters.source)
    if filters.destination:
        found = found.filter(destination__name__iexact=filters.destination)
    if filters.search:
        text = Q(title__icontains=filters.search) | Q(description__icontains=filters.search)
        number = filters.search.lstrip("#")
        found = found.filter(text | Q(number=int(number)) if number.isdecimal() and len(number) < 19 else text)
    return found


def inbox_list(principal: Principal, *, after: tuple[int, int] | None = None, limit: int) -> list[MergeRequest]:
    """Requests that wait for the person, newest activity first, each with ``waits_for``."""
    last = Review.objects.filter(request=OuterRef("pk"), reviewer=principal.user_id).order_by("-pk")
    asked = RequestedReviewer.objects.filter(request=OuterRef("pk"), user=principal.user_id)
    silent = Q(my_verdict__isnull=True) | Q(my_verdict=ReviewVerdict.WITHDRAW.value)
    stale = Q(my_verdict=ReviewVerdict.APPROVE.value) & ~Q(
        my_source_head=F("source__head_version"), my_destination_head=F("destination__head_version")
    )
    reviewable = [state.value for state in REVIEWED]
    for_review = Q(is_asked=True, standing_state__in=reviewable) & (silent | stale)
    sent_back = [RequestState.APPROVED.value, RequestState.CHANGES_REQUESTED.value, RequestState.CONFLICTED.value]
    for_author = Q(author=principal.user_id, standing_state__in=sent_back)
    key, _ = _ORDERS["-updated_at"]
    found = (
        requests_all()
        .filter(catalog__in=catalogs_visible(principal).filter(dropped_at__isnull=True))
        .annotate(
            my_verdict=Subquery(last.values("verdict")[:1]),
            my_source_head=Subquery(last.values("source_head")[:1]),
            my_destination_head=Subquery(last.values("destination_head")[:1]),
            is_asked=Exists(asked),
            waits_for=Case(When(for_review, then=Value("review")), When(for_author, then=Value("author"))),
            sort_key=key,
        )
        .filter(waits_for__isnull=False)
    )
    if after is not None:
        found = found.filter(Q(sort_key__lt=after[0]) | Q(sort_key=after[0], pk__lt=after[1]))
    return list(found.order_by("-sort_key", "-pk")[:limit])


def branches_requested(catalog: Catalog) -> frozenset[int]:
    """Ids of the catalog's branches that an unfinished request is from or into."""
    unfinished = MergeRequest.objects.exclude(state__in=FINISHED)
    pairs = unfinished.filter(Q(source__catalog=catalog) | Q(catalog=catalog)).values_list("source", "destination")
    return frozenset(branch_id for pair in pairs for branch_id in pair)


def request_get(catalog: Catalog, number: int) -> MergeRequest:
    """The request of that number. Raises NotFound."""
    request = requests_all().filter(catalog=catalog, number=number).first()
    if request is None:
        raise NotFound("merge request", f"#{number}", where=f"in catalog {catalog.name}")
    return request


@dataclass(frozen=True, slots=True)
class RequestSummary:
    """A request in a list. ``approvals`` are those of what is there now, ``objections`` requests for changes."""

    request: MergeRequest
    reviewers: tuple[str, ...] = ()
    approvals: int = 0
    stale_approvals: int = 0
    objections: int = 0
    comments: int = 0
    open_threads: int = 0
    votes: tuple[Vote, ...] = field(default=())
    undone: dict[str, Any] | None = None


def requests_summarise(requests: Sequence[MergeRequest]) -> list[RequestSummary]:
    """The same requests with what was said about them and what reverted them, counted: six queries."""
    ids = [request.pk for request in requests]
    reviewers: dict[int, list[str]] = {}
    asked = RequestedReviewer.objects.filter(request_id__in=ids).order_by("user__username")
    for request_id, name in asked.values_list("request_id", "user__username"):
        reviewers.setdefault(request_id, []).append(name)
    counted = Comment.objects.filter(request_id__in=ids, deleted_at__isnull=True).values_list("request_id")
    comments = {
        request_id: (total, unsettled)
        for request_id, total, unsettled in counted.annotate(
            total=Count("pk"), unsettled=Count("pk", filter=Q(thread__isnull=True, resolved_at__isnull=True))
        )
    }
    votes, barred, undone = votes_load(ids), _barred(requests), _undone(requests)
    found = [
        _summary(
            item, reviewers.get(item.pk, []), votes.get(item.pk, ()), barred[item.pk], *comments.get(item.pk, (0, 0))
        )
        for item in requests
    ]
    return [replace(item, undone=undone.get(str(item.request.merge_id))) for item in found]


def _undone(requests: Sequence[MergeRequest]) -> dict[str, dict[str, Any]]:
    """By id of the merge, what reverted it."""
    merged = [request.merge_id for request in requests if request.merge_id is not None]
    return merges_undone(list(MergeAttempt.objects.filter(pk__in=merged).defer("body"))) if merged else {}


def _barred(requests: Sequence[MergeRequest]) -> dict[int, set[int | None]]:
    """Whose approval does not count, by request: author and last writer, and who answers for them."""
    made_by = {
        request.pk: {request.author_id, last_writer_id(request.source, destination_id=request.destination_id)}
        for request in requests
    }
    owners = answering_for({user_id for both in made_by.values() for user_id in both})
    return {pk: both | {owners.get(user_id) for user_id in both if user_id in owners} for pk, both in made_by.items()}


def _summary(
    request: MergeRequest,
    reviewers: Sequence[str],
    votes: tuple[Vote, ...],
    barred: Collection[int | None],
    comments: int,
    open_threads: int,
) -> RequestSummary:
    now = seen_judged(request, request.source, request.destination)
    approvals = [vote for vote in votes if vote.verdict is ReviewVerdict.APPROVE]
    current = [vote for vote in approvals if vote.seen == now and vote.reviewer_id not in barred]
    return RequestSummary(
        request=request,
        reviewers=tuple(reviewers),
        approvals=len(current),
        stale_approvals=sum(vote.seen != now for vote in approvals),
        objections=sum(vote.verdict is ReviewVerdict.REQUEST_CHANGES for vote in votes),
        comments=comments,
        open_threads=open_threads,
        votes=votes,
    )


def sort_key(request: MergeRequest) -> tuple[int, int]:
    """Where a request stands in its list: the key to go on behind."""
    return request.sort_key, request.pk  # type: ignore[attr-defined]  # annotated by the list


def reviews_list(request: MergeRequest, *, after: int = 0, limit: int) -> list[Review]:
    """Reviews in the order in which they were given, behind the id ``after``."""
    found = Review.objects.filter(request=request, pk__gt=after).select_related("reviewer")
    return list(found.order_by("pk")[:limit])


def comments_list(
    request: MergeRequest,
    *,
    object_kind: str = "",
    object_id: int | None = None,
    is_resolved: bool | None = None,
    after: int = 0,
    limit: int,
) -> list[Comment]:
    """Comments in the order in which they were made; those of an object, or of threads that are (not) resolved."""
    found = Comment.objects.filter(request=request, pk__gt=after).select_related("author", "resolved_by", "thread")
    found = with_suggestions(found)
    if object_kind:
        found = found.filter(object_kind=object_kind)
    if object_id is not None:
        found = found.filter(object_id=object_id)
    if is_resolved is not None:
        settled = Q(thread__isnull=True, resolved_at__isnull=False) | Q(thread__resolved_at__isnull=False)
        found = found.filter(settled if is_resolved else ~settled)
    return list(found.order_by("pk")[:limit])


def comment_read(request: MergeRequest, comment_id: int) -> Comment:
    """A comment of the request, also one that was deleted, as answers show it."""
    found = Comment.objects.filter(request=request).select_related("author", "resolved_by")
    return with_suggestions(found).get(pk=comment_id)


def comment_get(request: MergeRequest, comment_id: int) -> Comment:
    """A comment of the request that was not deleted. Raises NotFound."""
    found = Comment.objects.filter(request=request, pk=comment_id, deleted_at__isnull=True)
    comment = found.select_related("author", "resolved_by", "request__catalog").first()
    if comment is None:
        raise NotFound("comment", str(comment_id), where=f"on merge request #{request.number}")
    return comment


def timeline_list(request: MergeRequest, *, after: int = 0, limit: int) -> list[TimelineEntry]:
    """What happened, oldest first, behind the number ``after``."""
    found = TimelineEntry.objects.filter(request=request, number__gt=after).select_related("actor")
    return list(found.order_by("number")[:limit])


def resolutions_list(request: MergeRequest, *, after: int = 0, limit: int) -> list[ConflictResolution]:
    """What is decided, in the order in which it was, behind the id ``after``."""
    found = ConflictResolution.objects.filter(request=request, withdrawn_at__isnull=True, pk__gt=after)
    chosen = found.select_related("author", "request__source", "request__destination")
    return list(chosen.order_by("pk")[:limit])


def left_out_by_decisions(request: MergeRequest) -> list[dict[str, Any]]:
    """What the decisions leave out that count for the heads as they are, of a merged request for those of the merge."""
    heads = judged_heads(request)
    found = ConflictResolution.objects.filter(
        request=request, withdrawn_at__isnull=True, source_head=heads[0], destination_head=heads[1]
    )
    return [
        {
            "object": row.effect["object"],
            "decision": row.decision,
            "text": row.effect["text"],
            "rows": row.effect["rows_left_out"],
        }
        for row in found.order_by("pk")
        if row.effect.get("left_out")
    ]


def heads_decided(request: MergeRequest) -> tuple[int, int]:
    """The heads of which a decision counts: of a merged request those that were merged, else those of both branches."""
    if request.state == RequestState.MERGED:
        assert request.merge_id is not None
        # The audit keeps every record, so there is one; its body, which may be large, is not read.
        merge = MergeAttempt.objects.only("source_head", "destination_head").get(merge_id=request.merge_id)
        return merge.source_head, merge.destination_head
    return request.source.head_version, request.destination.head_version
