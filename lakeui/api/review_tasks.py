"""Merging and checking requests, and going on with queues, as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from catalog_app.domain.roles import Principal, Scope
from catalog_app.selectors.agents import account_is_open
from lakeui import frontdoor
from lakeui.common.errors import LakeError, PermissionDenied
from lakeui.frontdoor.compute import engine, interruptible, reading
from lakeui.sql.dialect import quote_name
from merge_app.execution.apply import CommitHeader
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import TaskSuperseded
from merge_app.jobs.models import FINISHED_STATES, Task
from merge_app.jobs.registry import handles
from merge_app.jobs.services import task_submit
from merge_app.review.checking import Found, checks_missing, checks_run
from merge_app.review.merging import request_merge_run, request_release
from merge_app.review.models import MergeRequest
from merge_app.review.queue import QueueSponsor, destinations_waiting, queue_is_waiting, queue_take
from merge_app.review.states import RequestState

TASK_KIND = "merge request"
CHECK_KIND = "check merge request"
QUEUE_KIND = "merge queue"


@handles(TASK_KIND)
def run_merge_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a merge."""
    request = _request(parameters["request"])
    header = _header(context, request, context.user, parameters["bypass_reason"])
    principal = _principal(context.user, context.scopes)
    return request_merge_run(request_id=request.pk, principal=principal, header=header, engine=engine, progress=context)


@handles(CHECK_KIND)
def run_check_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a run of checks, which read what the user may read."""
    request = _request(parameters["request"])
    return _check(context, request, _header(context, request, context.user))


def _check(context: TaskContext, request: MergeRequest, header: CommitHeader) -> dict[str, Any]:
    assert header.author_id is not None
    user = User.objects.get(pk=header.author_id)

    def ask(query: str, transaction: UUID) -> Found:
        session = frontdoor.Session(
            catalog=request.catalog.name,
            branch=request.destination.name,
            user=user,
            transaction=str(transaction),
            scopes=context.scopes,
        )
        with reading(), interruptible(context):
            found = frontdoor.execute(query, session)
        return Found(found.columns, found.rows)

    return checks_run(request_id=request.pk, header=header, engine=engine, progress=context, ask=ask)


@handles(QUEUE_KIND)
def run_queue_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of the queue of one branch: one request, then another task for the next."""
    destination_id = parameters["destination"]
    taken = queue_take(destination_id=destination_id, task_id=context.task_id)
    if taken is None:
        return {"number": None}
    request = _request(taken.pk)
    try:
        return {"number": request.number, **_merge_queued(context, request)}
    finally:
        if queue_is_waiting(destination_id):
            queue_ring(request)


def _merge_queued(context: TaskContext, request: MergeRequest) -> dict[str, Any]:
    try:
        header = _header(context, request, request.queued_by)
        if checks_missing(request):
            _check(context, request, header)
    except TaskSuperseded:
        raise
    except LakeError as refusal:
        request_release(request_id=request.pk, task_id=context.task_id, reason=refusal.message)
        raise
    return request_merge_run(
        request_id=request.pk,
        principal=_principal(request.queued_by),
        header=header,
        engine=engine,
        progress=context,
        sponsor=QueueSponsor(request.pk, header),
    )


def _principal(user: Any, scopes: frozenset[Scope] | None = None) -> Principal:
    """Who asked for the merge, with the rights of today: they may have lost some while it waited."""
    return Principal(user.pk, user.get_username(), user.is_superuser, scopes)


def queues_ring() -> None:
    """Ring for queues that stand still: the task that would have gone on with them was cancelled, or lost."""
    waiting = destinations_waiting()
    if not waiting:
        return
    going = Task.objects.filter(kind=QUEUE_KIND).exclude(state__in=FINISHED_STATES)
    for destination_id in sorted(waiting - set(going.values_list("parameters__destination", flat=True))):
        first = MergeRequest.objects.filter(destination_id=destination_id, state=RequestState.QUEUED)
        request = first.select_related("catalog", "queued_by").order_by("queued_at", "pk").first()
        if request is not None:
            queue_ring(request)


def queue_ring(request: MergeRequest) -> None:
    """Have the queue of the request's destination looked at."""
    parameters = {"destination": request.destination_id, "catalog": request.catalog.name}
    task_submit(kind=QUEUE_KIND, parameters=parameters, user=request.queued_by, catalog_id=request.catalog_id)


def _request(request_id: int) -> MergeRequest:
    wanted = MergeRequest.objects.select_related("catalog", "source", "destination", "queued_by")
    return wanted.get(pk=request_id)


def _header(context: TaskContext, request: MergeRequest, user: Any, bypass_reason: str = "") -> CommitHeader:
    """How the work shows in the history. The user may have been shut out since asking for it."""
    if user is None or not account_is_open(user):
        raise PermissionDenied(
            "The account that asked for this is not active, or that of who answers for it.",
            remedy="Ask an administrator.",
        )
    return CommitHeader(
        "MERGE BRANCH",
        f"MERGE BRANCH {quote_name(request.source.name)} TO {quote_name(request.destination.name)}"
        f" -- merge request #{request.number}",
        user.pk,
        user.get_username(),
        context.task_id,
        bypass_reason=bypass_reason,
    )
