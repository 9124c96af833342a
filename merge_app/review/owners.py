"""Owners of the tables that a request changes are asked for a review, as long as it changes them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from catalog_app.domain.roles import Action
from catalog_app.selectors.agents import answering_for
from catalog_app.selectors.people import users_who_may
from merge_app.review.approval_rules import ApprovalState
from merge_app.review.approval_state import request_approval_state
from merge_app.review.known_plans import branches_now, protection_now
from merge_app.review.models import MergeRequest, RequestedReviewer, TimelineKind
from merge_app.review.requests import request_lock, request_touch
from merge_app.review.states import REVIEWED, RequestState
from merge_app.review.timeline import Event, timeline_append

MOST_ASKED = 50
"""So many owners are asked at most; the others may approve as well."""


def owners_follow(request: MergeRequest) -> None:
    """Ask whom the rules in force name, where the plan is known and others are asked now."""
    source, destination = branches_now(request)
    if not protection_now(destination).owners and not _asked(request):
        return
    standing = request_approval_state(request, source, destination)
    if not _is_known(standing) or _wanted(request, standing) == _asked(request):
        return
    with transaction.atomic():
        locked = request_lock(request.pk)
        if RequestState(locked.state) in REVIEWED | {RequestState.DRAFT}:
            owners_ask(locked, request_approval_state(locked, *branches_now(locked)))
            request_touch(locked)


def owners_ask(request: MergeRequest, standing: ApprovalState) -> None:
    """Ask the owners of what the locked request changes, and no other owner; the caller saves the request. Whom a
    person asked stays asked.
    """
    wanted, asked = _wanted(request, standing), _asked(request)
    if not _is_known(standing) or wanted == asked:
        return
    RequestedReviewer.objects.filter(request=request, user__in=asked - wanted).delete()
    new = [RequestedReviewer(request=request, user_id=pk, is_owner=True) for pk in sorted(wanted - asked)]
    RequestedReviewer.objects.bulk_create(new, ignore_conflicts=True)
    timeline_append(request, Event(TimelineKind.EDITED, None, details={"fields": ["reviewers"]}))


def _is_known(standing: ApprovalState) -> bool:
    return all(owned.is_judged for owned in standing.owners)


def _asked(request: MergeRequest) -> set[int]:
    """Who is asked as an owner alone."""
    return set(RequestedReviewer.objects.filter(request=request, is_owner=True).values_list("user", flat=True))


def _wanted(request: MergeRequest, standing: ApprovalState) -> set[int]:
    """The owners who may review the request, without its author and whom a person asked."""
    names = {name for owned in standing.owners for name in owned.entry.names}
    if not names:
        return set()
    users = dict(User.objects.filter(username__in=names).order_by("username").values_list("pk", "username"))
    barred = {request.author_id, *answering_for([request.author_id]).values()}
    barred |= set(RequestedReviewer.objects.filter(request=request, is_owner=False).values_list("user", flat=True))
    able = users_who_may(Action.REVIEW, catalog_id=request.catalog_id, among=list(users)) - barred
    return set([pk for pk in users if pk in able][:MOST_ASKED])
