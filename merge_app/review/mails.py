"""Whom an entry of a timeline is mailed to, and what the mail says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import quote

from merge_app.mails.models import MailEvent
from merge_app.mails.outbox import Content, mails_leave
from merge_app.review.models import MergeRequest, TimelineEntry, TimelineKind
from merge_app.review.states import RequestState

_VERDICTS = {
    "approve": "approves it",
    "request_changes": "requests changes",
    "withdraw": "takes the review back",
}
_UNDERWAY = (RequestState.QUEUED, RequestState.MERGING)


def entry_mail(request: MergeRequest, entry: TimelineEntry) -> None:
    """Leave the mails of an entry: to the author, and to reviewers who are asked now."""
    if entry.kind in (TimelineKind.OPENED, TimelineKind.STATE, TimelineKind.EDITED):
        _asked(request, entry)
    found = _of_author(request, entry)
    if found is not None:
        event, what = found
        _leave(request, [request.author_id], event, f"entry/{entry.pk}", lambda: what)


def _asked(request: MergeRequest, entry: TimelineEntry) -> None:
    """Each reviewer is asked once, when the request is ready."""
    if request.state == RequestState.DRAFT or (
        entry.kind == TimelineKind.EDITED and "reviewers" not in entry.details.get("fields", ())
    ):
        return
    if entry.kind == TimelineKind.STATE and entry.from_state != RequestState.DRAFT:
        return
    asked = request.requested_reviewers.exclude(user=entry.actor_id).values_list("user", flat=True)
    _leave(request, asked, MailEvent.REVIEW_ASKED, f"asked/{request.pk}", lambda: f"{_who(entry)} asks for your review")


def _of_author(request: MergeRequest, entry: TimelineEntry) -> tuple[MailEvent, str] | None:
    """The event for the author and what happened; None where it is the author's own doing, or nothing to mail."""
    is_own = entry.actor_id == request.author_id
    if entry.kind == TimelineKind.REVIEWED and not is_own:
        return MailEvent.REQUEST_REVIEWED, f"{_who(entry)} {_VERDICTS[entry.details['verdict']]}"
    if entry.kind == TimelineKind.COMMENTED and not is_own and entry.details["what"] == "added":
        return MailEvent.REQUEST_COMMENTED, f"{_who(entry)} wrote a comment"
    if entry.kind != TimelineKind.STATE:
        return None
    was_underway = entry.from_state in _UNDERWAY
    because = f". {entry.reason}" if entry.reason else ""
    if entry.to_state == RequestState.MERGED and (not is_own or request.queued_at is not None):
        return MailEvent.REQUEST_MERGED, "it is merged"
    if entry.to_state == RequestState.CONFLICTED:
        return MailEvent.REQUEST_REFUSED, f"it conflicts with {request.destination.name}{because}"
    if entry.to_state == RequestState.CLOSED and not is_own:
        return MailEvent.REQUEST_REFUSED, f"{_who(entry)} closed it{because}"
    if was_underway and entry.to_state not in (*_UNDERWAY, RequestState.MERGED) and not is_own:
        return MailEvent.REQUEST_REFUSED, f"it was not merged{because}"
    return None


def _who(entry: TimelineEntry) -> str:
    return entry.actor.get_username() if entry.actor else "lakeui"


def _leave(request: MergeRequest, users: Iterable[int], event: MailEvent, key: str, what: Callable[[], str]) -> None:
    def build() -> Content:
        said = what()
        name = f"{request.catalog.name} request {request.number}"
        return Content(
            f"{name} {request.title}: {said.partition('. ')[0]}",
            f"{name} “{request.title}” ({request.source.name} → {request.destination.name}): {said.rstrip('.')}.",
            f"/c/{quote(request.catalog.name, safe='')}/requests/{request.number}",
        )

    mails_leave(users=users, event=event, catalog_id=request.catalog_id, key=key, build=build)
