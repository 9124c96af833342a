"""Opening, editing and moving merge requests. A change of state is one entry of the timeline, in its transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.agents import account_of, agent_branch_require
from catalog_app.selectors.people import action_require, person_id, users_who_may
from lakeui.common.errors import AlreadyExists, InvalidValue, SameBranch, Stale
from merge_app.jobs.models import FINISHED_STATES, Task
from merge_app.review.approval_state import request_approval_state
from merge_app.review.errors import WrongState
from merge_app.review.known_plans import branches_now
from merge_app.review.models import MergeRequest, RequestedReviewer, TimelineKind
from merge_app.review.states import CHOSEN, FINISHED, REVIEWED, RequestState, may_become, may_change
from merge_app.review.timeline import Event, timeline_append

MOST_LABELS = 20


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A request as it is handed in. ``reviewers`` are user names."""

    title: str
    description: str = ""
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    is_draft: bool = False


def request_open(*, principal: Principal, source: Branch, destination: Branch, draft: RequestDraft) -> MergeRequest:
    """Open a request in the target's catalog. Raises AlreadyExists if the pair has an unfinished one."""
    action_require(principal, destination.catalog, Action.OPEN_REQUEST)
    author_id = person_id(principal)
    agent_branch_require(account_of(author_id), source.name)
    if source.pk == destination.pk:
        raise SameBranch("A branch cannot be merged into itself.", remedy="Name another source or target.")
    with transaction.atomic():
        # One lock orders the numbers of a catalog and its pairs; commits, which only refer to it, go on meanwhile.
        Catalog.objects.select_for_update(of=("self",), no_key=True).get(pk=destination.catalog_id)
        _refuse_second(source, destination)
        state = RequestState.DRAFT if draft.is_draft else RequestState.OPEN
        last = MergeRequest.objects.filter(catalog_id=destination.catalog_id).aggregate(number=Max("number"))
        request = MergeRequest.objects.create(
            catalog_id=destination.catalog_id,
            number=(last["number"] or 0) + 1,
            source=source,
            destination=destination,
            title=draft.title.strip(),
            description=draft.description,
            labels=labels_clean(draft.labels),
            state=state,
            author_id=author_id,
            noted_source_head=source.head_version,
        )
        _reviewers_set(request, draft.reviewers)
        heads = {"source_head": source.head_version, "destination_head": destination.head_version}
        timeline_append(request, Event(TimelineKind.OPENED, author_id, to_state=state, details=heads))
    return request


def _refuse_second(source: Branch, destination: Branch) -> None:
    known = MergeRequest.objects.filter(source=source, destination=destination).exclude(state__in=FINISHED).first()
    if known is not None:
        raise AlreadyExists(
            "merge request",
            f"#{known.number}",
            where=f"from {source.name} into {destination.name}",
            remedy=f"Continue with #{known.number}, or close it first.",
        )


def labels_clean(labels: Sequence[str]) -> list[str]:
    """Labels without blanks around them, each once, in their order."""
    cleaned = list(dict.fromkeys(label.strip() for label in labels if label.strip()))
    if len(cleaned) > MOST_LABELS:
        raise InvalidValue(
            f"A request bears at most {MOST_LABELS} labels, not {len(cleaned)}.", remedy="Leave some out."
        )
    return cleaned


def _reviewers_set(request: MergeRequest, names: Sequence[str]) -> None:
    """Ask these users for a review, and no others but owners of changed tables. Each must be able to give one."""
    wanted = dict.fromkeys(names)
    users = {user.get_username(): user.pk for user in User.objects.filter(username__in=wanted, is_active=True)}
    able = users_who_may(Action.REVIEW, catalog_id=request.catalog_id, among=list(users.values()))
    unable = [name for name in wanted if users.get(name) not in able]
    if unable:
        # Both answers are alike: whether there is an account says nothing to those who cannot see it.
        raise InvalidValue(
            f"{', '.join(unable)}: no reviewer of this catalog.",
            remedy="Name members who may review.",
            reviewers=unable,
        )
    asked = RequestedReviewer.objects.filter(request=request, is_owner=False)
    asked.exclude(user__in=users.values()).delete()
    RequestedReviewer.objects.bulk_create(
        [RequestedReviewer(request=request, user_id=users[name]) for name in wanted], ignore_conflicts=True
    )


def request_lock(request_id: int) -> MergeRequest:
    """The request's row, locked until the transaction ends: what every change of it waits for.

    One whose task ended without an answer returns to people.
    """
    locked = MergeRequest.objects.select_for_update(of=("self",), no_key=True).select_related("catalog", "author")
    request = locked.get(pk=request_id)
    if request.state == RequestState.MERGING and is_given_up(request.task_id):
        request_return(request, reason="The task that merged it ended without an answer.")
        request_touch(request)
    return request


def is_given_up(task_id: UUID | None) -> bool:
    """Whether the task that has a request in hand ended, one way or another."""
    return task_id is None or Task.objects.filter(pk=task_id, state__in=FINISHED_STATES).exists()


def request_touch(request: MergeRequest) -> None:
    """Save the locked request under its next revision."""
    request.revision += 1
    request.updated_at = timezone.now()
    request.save()


def request_edit(
    *, principal: Principal, request_id: int, changes: dict[str, Any], revision: int | None = None
) -> MergeRequest:
    """Change ``title``, ``description``, ``labels``, ``reviewers`` (user names) and ``state``, which a person may set
    to draft, open or closed. Raises Stale where the request is not of ``revision`` any more.
    """
    with transaction.atomic():
        request = request_lock(request_id)
        _require_owner(principal, request)
        _require_revision(request, revision)
        wanted = changes.get("state")
        edited = {name: value for name, value in changes.items() if name != "state"}
        if edited:
            _require_editable(request)
            _edit(request, edited, person_id(principal))
        if wanted is not None:
            _move_by_hand(request, RequestState(wanted), principal)
        if edited or wanted is not None:
            request_touch(request)
    return request


def _require_owner(principal: Principal, request: MergeRequest) -> None:
    if principal.user_id != request.author_id:
        action_require(principal, request.catalog, Action.MANAGE_REQUESTS)
    else:
        action_require(principal, request.catalog, Action.OPEN_REQUEST)


def _require_revision(request: MergeRequest, revision: int | None) -> None:
    if revision is not None and revision != request.revision:
        raise Stale(
            f"The request is at revision {request.revision}; you have {revision}.",
            remedy="Read it again, then change what there is now.",
        )


def _require_editable(request: MergeRequest) -> None:
    permit = may_change(RequestState(request.state))
    if not permit:
        raise wrong_state(request, f"The request {permit.reason}.")


def wrong_state(request: MergeRequest, message: str) -> WrongState:
    return WrongState(message, remedy="Look at its timeline for what happened.", state=request.state)


def _edit(request: MergeRequest, edited: dict[str, Any], actor_id: int) -> None:
    if "title" in edited:
        request.title = edited["title"].strip()
    if "description" in edited:
        request.description = edited["description"]
    if "labels" in edited:
        request.labels = labels_clean(edited["labels"])
    if "reviewers" in edited:
        _reviewers_set(request, edited["reviewers"])
    timeline_append(request, Event(TimelineKind.EDITED, actor_id, details={"fields": sorted(edited)}))


def _move_by_hand(request: MergeRequest, wanted: RequestState, principal: Principal) -> None:
    now = RequestState(request.state)
    if wanted not in CHOSEN:
        raise InvalidValue(
            f"The state {wanted} comes by itself and cannot be set.",
            remedy="Set draft, open or closed; review; or merge.",
        )
    if now == wanted or (wanted is RequestState.OPEN and now in REVIEWED):
        return
    if now is RequestState.CLOSED:
        source, destination = branches_now(request)
        if source.dropped_at is not None or destination.dropped_at is not None:
            raise wrong_state(request, "The request's source or target was dropped; it cannot be reopened.")
        Catalog.objects.select_for_update(of=("self",), no_key=True).get(pk=request.catalog_id)
        _refuse_second(source, destination)
    request_move(request, wanted, actor_id=person_id(principal))
    if wanted is RequestState.OPEN:
        request_settle(request)


def request_move(
    request: MergeRequest, wanted: RequestState, *, actor_id: int | None, reason: str = "", **details: Any
) -> None:
    """Put the locked request into a state, with its entry in the timeline; the caller saves it. Raises WrongState."""
    now = RequestState(request.state)
    permit = may_become(now, wanted)
    if not permit:
        raise wrong_state(request, f"The request {permit.reason}; it cannot become {wanted}.")
    request.state = wanted
    event = Event(TimelineKind.STATE, actor_id, from_state=now, to_state=wanted, reason=reason, details=details)
    timeline_append(request, event)


def request_settle(request: MergeRequest, *, actor_id: int | None = None, reason: str = "") -> None:
    """Bring the state of a locked request that waits for people up to what its reviews come to; the caller saves it."""
    now = RequestState(request.state)
    if now not in REVIEWED:
        return
    wanted = request_approval_state(request, *branches_now(request)).state
    if wanted != now:
        request_move(request, wanted, actor_id=actor_id, reason=reason)


def request_return(request: MergeRequest, *, reason: str, actor_id: int | None = None, **details: Any) -> None:
    """Give a locked request that lakeui had in hand back to people; the caller saves it."""
    wanted = request_approval_state(request, *branches_now(request)).state
    request_move(request, wanted, actor_id=actor_id, reason=reason, **details)
