"""What pushes, and drops and resets of branches, do to requests meanwhile: they stand in their timelines,
and what was judged of other heads is open again.

Whoever reads a request sees what holds for its branches as they are. This makes it a part of its history.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from catalog_app.models import Branch, Catalog, Commit
from merge_app.review.approval_rules import Seen
from merge_app.review.known_plans import branches_now, plan_known, seen_now
from merge_app.review.models import MergeRequest, TimelineKind
from merge_app.review.requests import request_lock, request_settle, request_touch
from merge_app.review.selectors import requests_all
from merge_app.review.states import FINISHED, RequestState
from merge_app.review.timeline import Event, timeline_append

MOST_AT_ONCE = 100
MOST_NAMES = 10
"""So many of those who pushed are named in an entry."""


def requests_follow() -> None:
    """Bring the requests up to date whose branches moved, or whose merge ended without an answer.

    Any number of workers may look at once: each request is looked at again under its lock.
    """
    unfinished = requests_all().exclude(state__in=[state.value for state in FINISHED])
    is_pushed = Q(source__head_version__gt=F("noted_source_head"))
    is_dropped = _is_untold("source") | _is_untold("destination")
    outdated = unfinished.filter(is_pushed | is_dropped | ~Q(standing_state=F("state")))
    for request_id in list(outdated.order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE]):
        _follow(request_id)


def _is_untold(side: str) -> Q:
    """That the branch of this side was dropped, or came back."""
    is_gone = {f"{side}__dropped_at__isnull": False, f"noted_{side}_gone": False}
    is_back = {f"{side}__dropped_at__isnull": True, f"noted_{side}_gone": True}
    return Q(**is_gone) | Q(**is_back)


def _follow(request_id: int) -> None:
    with transaction.atomic():
        free = MergeRequest.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
        if not free.filter(pk=request_id).exists():
            return
        request = request_lock(request_id)
        if RequestState(request.state) in {*FINISHED, RequestState.MERGING}:
            return
        _follow_resets(request)
        source, destination = branches_now(request)
        state = request.state
        _note_push(request, source)
        _note_drop(request, "source", source)
        _note_drop(request, "destination", destination)
        known = plan_known(request)
        reason = _what_moved(known.seen, seen_now(request, source, destination)) if known else ""
        request_settle(request, reason=reason)
        if request.state != state:
            request_touch(request)


def _follow_resets(request: MergeRequest) -> None:
    """The request follows to the branches that resets gave the names to, unless another request has that pair."""
    before = branches_now(request)
    after = [_successor(branch) for branch in before]
    if list(before) == after or after[0] == after[1]:
        return
    source, destination = after
    # Requests are opened under this lock, so that each pair has one.
    Catalog.objects.select_for_update(of=("self",), no_key=True).get(pk=request.catalog_id)
    others = MergeRequest.objects.filter(source=source, destination=destination).exclude(pk=request.pk)
    if others.exclude(state__in=[state.value for state in FINISHED]).exists():
        return
    for side, old, new in zip(("source", "destination"), before, after, strict=True):
        if old != new:
            details = {"side": side, "branch": new.name, "from": old.head_version, "reset_to": new.head_version}
            timeline_append(request, Event(TimelineKind.DROPPED, None, details=details))
    request.source, request.destination, request.updated_at = source, destination, timezone.now()
    if source != before[0]:
        request.noted_source_head = source.head_version
    request.save(update_fields=["source", "destination", "noted_source_head", "updated_at"])


def _successor(branch: Branch) -> Branch:
    return branch.successor if branch.dropped_at is not None and branch.successor is not None else branch


def _note_push(request: MergeRequest, source: Branch) -> None:
    """One entry for all commits since the last one, by the name of who made the newest."""
    since, head = request.noted_source_head, source.head_version
    if head <= since:
        return
    commits = Commit.objects.filter(branch=source, version__gt=since, version__lte=head)
    newest = commits.order_by("-version").first()
    names = commits.exclude(author_name="").order_by("author_name").values_list("author_name", flat=True).distinct()
    details = {"from": since, "source_head": head, "commits": commits.count(), "authors": list(names[:MOST_NAMES])}
    timeline_append(request, Event(TimelineKind.PUSHED, newest.author_id if newest else None, details=details))
    # Nothing that somebody edits is different: the revision stays, so that a push refuses no edit.
    request.noted_source_head, request.updated_at = head, timezone.now()
    request.save(update_fields=["noted_source_head", "updated_at"])


def _note_drop(request: MergeRequest, side: str, branch: Branch) -> None:
    noted, is_gone = f"noted_{side}_gone", branch.dropped_at is not None
    if getattr(request, noted) == is_gone:
        return
    kind = TimelineKind.DROPPED if is_gone else TimelineKind.UNDROPPED
    timeline_append(request, Event(kind, None, details={"side": side, "branch": branch.name}))
    setattr(request, noted, is_gone)
    request.updated_at = timezone.now()
    request.save(update_fields=[noted, "updated_at"])


def _what_moved(seen: Seen, now: Seen) -> str:
    """Why what was judged does not hold any more; empty where it does."""
    if seen.source_head != now.source_head:
        return f"The source moved from version {seen.source_head} to {now.source_head}."
    if seen.destination_head != now.destination_head:
        return f"The target moved from version {seen.destination_head} to {now.destination_head}."
    if seen.rules_digest != now.rules_digest:
        return "The rules of merging changed."
    return "" if seen == now else "What was decided of its conflicts changed."
