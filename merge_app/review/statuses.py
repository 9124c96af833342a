"""Statuses: what other systems report of the source of a request, each of one head.

A new commit on the source makes them stale: they stay to be read, and count no more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Branch
from catalog_app.selectors.people import action_require, person_id
from catalog_app.selectors.protection import protection_of
from lakeui.common.errors import InvalidValue, Stale
from merge_app.review.approval_rules import StatusState
from merge_app.review.known_plans import branches_now
from merge_app.review.models import MergeRequest, RequestStatus, TimelineKind
from merge_app.review.requests import request_lock, request_settle, request_touch, wrong_state
from merge_app.review.states import FINISHED, RequestState
from merge_app.review.timeline import Event, timeline_append

MOST_CONTEXTS = 100
"""Contexts of one request."""


@dataclass(frozen=True, slots=True)
class StatusReport:
    """A status as it is handed in, of the source at ``source_head``."""

    context: str
    state: StatusState
    source_head: int
    description: str = ""
    target_url: str = ""


@dataclass(frozen=True, slots=True)
class ContextStanding:
    """A context with what was reported of it last; ``is_current``: of the source's head."""

    context: str
    is_required: bool
    status: RequestStatus | None
    is_current: bool


def status_report(*, principal: Principal, request: MergeRequest, report: StatusReport) -> RequestStatus:
    """Keep what is reported. Raises Stale where the source is at another head: what was looked at is not what would be
    merged. Raises WrongState for a finished request.
    """
    action_require(principal, request.catalog, Action.REPORT_STATUS)
    with transaction.atomic():
        locked = request_lock(request.pk)
        if RequestState(locked.state) in FINISHED:
            raise wrong_state(locked, f"A request that is {locked.state} takes no statuses.")
        source, _ = branches_now(locked)
        if report.source_head != source.head_version:
            raise Stale(
                f"The source is at version {source.head_version}, and the status is of version {report.source_head}.",
                remedy="Look at the newest commit of the source, then report of that.",
            )
        _require_few(locked, report.context)
        status = RequestStatus.objects.create(
            request=locked,
            source_head=report.source_head,
            context=report.context,
            state=report.state,
            description=report.description,
            target_url=report.target_url,
            created_by_id=person_id(principal),
        )
        details = {"context": status.context, "state": str(status.state), "source_head": status.source_head}
        timeline_append(locked, Event(TimelineKind.STATUS, status.created_by_id, details=details))
        request_settle(locked)
        request_touch(locked)
    return status


def _require_few(request: MergeRequest, context: str) -> None:
    others = RequestStatus.objects.filter(request=request).exclude(context=context).values("context").distinct()
    if others.count() >= MOST_CONTEXTS:
        raise InvalidValue(
            f"A request has statuses of at most {MOST_CONTEXTS} contexts.", remedy="Report under a context of before."
        )


def statuses_of(request: MergeRequest, source_head: int) -> list[RequestStatus]:
    """What was reported last of each context, of the source at that head."""
    reported = RequestStatus.objects.filter(request=request, source_head=source_head).select_related("created_by")
    return list(reported.order_by("context", "-pk").distinct("context"))


def statuses_standing(request: MergeRequest) -> list[ContextStanding]:
    """Each context that was reported or is required, by name."""
    source, destination = branches_now(request)
    newest = RequestStatus.objects.filter(request=request).select_related("created_by")
    found = {status.context: status for status in newest.order_by("context", "-pk").distinct("context")}
    required = _required(destination)
    return [
        ContextStanding(
            context,
            context in required,
            status,
            status is not None and status.source_head == source.head_version,
        )
        for context in sorted({*found, *required})
        for status in [found.get(context)]
    ]


def _required(destination: Branch) -> Collection[str]:
    protection = protection_of(destination)
    return protection.required_statuses if protection else frozenset()
