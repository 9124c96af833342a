"""Merging and checking requests, and going on with queues, as tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from catalog_app.domain.quoting import quote_name
from catalog_app.domain.roles import CatalogScope, Principal, Scope, Scopes, scopes_read
from catalog_app.selectors.agents import account_is_open
from lakeui import frontdoor
from lakeui.common.errors import LakeError, PermissionDenied
from lakeui.frontdoor.compute import engine, interruptible, reading
from lakeui.frontdoor.queries.ruled_out import ruled_out
from lakeui.tasks.checks import examine
from merge_app.audit.selectors import attempt_of_task
from merge_app.execution.apply import CommitHeader
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import TaskSuperseded
from merge_app.jobs.models import FINISHED_STATES, Task, TaskState
from merge_app.jobs.registry import handles
from merge_app.jobs.services import task_submit
from merge_app.review.carry_out import MergeWish, merge_begin, request_merge_run, request_release
from merge_app.review.checking import Examined, Found, Merged, checks_missing, checks_run
from merge_app.review.known_plans import plan_load
from merge_app.review.models import Check, MergeRequest
from merge_app.review.policies import PolicyWork, is_in_hand, policies_keep, policies_waiting, policy_work
from merge_app.review.queue import QueuePort, destinations_waiting, queue_is_waiting, queue_take
from merge_app.review.states import RequestState

TASK_KIND = "merge request"
CHECK_KIND = "check merge request"
QUEUE_KIND = "merge queue"
POLICY_KIND = "judge merge request"
POLICY_AGAIN = timedelta(hours=1)


@handles(TASK_KIND)
def run_merge_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a merge."""
    request = _request(parameters["request"])
    header = _header(context, request, context.user, parameters["bypass_reason"])
    principal = _principal(context.user, context.scopes)
    return request_merge_run(request_id=request.pk, principal=principal, header=header, engine=engine, progress=context)


@handles(CHECK_KIND)
def run_check_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a run of checks, which read what the user may read of the request's catalog."""
    request = _request(parameters["request"])
    return _check(context, request, _header(context, request, context.user))


def _check(context: TaskContext, request: MergeRequest, header: CommitHeader) -> dict[str, Any]:
    """Who wrote a check may see less than who has it run, so it reads no catalog but its own."""
    assert header.author_id is not None
    user = User.objects.get(pk=header.author_id)

    def session_of(merged: Merged) -> frontdoor.Session:
        return frontdoor.Session(
            catalog=request.catalog.name,
            branch=request.destination.name,
            user=user,
            transaction=merged.transaction,
            scopes=frozenset({Scope.READ, CatalogScope.of(request.catalog_id)}),
            is_whole=True,
        )

    def ask(session: frontdoor.Session, query: str) -> Found:
        with reading(), interruptible(context):
            found = frontdoor.execute(query, session)
        return Found(found.columns, found.rows)

    def examined(checks: Sequence[Check], merged: Merged) -> Iterator[Examined]:
        session = session_of(merged)
        return examine(
            checks, merged, ask=partial(ask, session), rule_out=partial(ruled_out, session), progress=context
        )

    return checks_run(request_id=request.pk, header=header, engine=engine, progress=context, examine=examined)


@handles(POLICY_KIND)
def run_policy_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of policies: judge those of the target, and merge where one of them says so and nothing is in
    the way. It merges as who set the policy, who is never an agent.
    """
    request = _request(parameters["request"])
    if not is_in_hand(request, context.task_id) and attempt_of_task(context.task_id) is None:
        context.step("policies", "judge the plan")
        with reading(), interruptible(context):
            plan = plan_load(request, engine)
        standing = policies_keep(request_id=request.pk, plan=plan)
        answer = {
            "number": request.number,
            "policies": [item.message for item in standing.policies] if standing else [],
        }
        verdict = standing.merging_policy if standing is not None and not standing.blockers else None
        if verdict is None or context.user is None or verdict.author_id != context.user.pk:
            return answer
        with transaction.atomic():
            merge_begin(
                principal=_principal(context.user),
                request_id=request.pk,
                wish=MergeWish(plan.fingerprint),
                task=Task.objects.get(pk=context.task_id),
            )
    return request_merge_run(
        request_id=request.pk,
        principal=_principal(context.user),
        header=_header(context, request, context.user),
        engine=engine,
        progress=context,
    )


def policies_notify() -> None:
    """Have policies judged on what requests hold now, and merge what they let through."""
    for work in policies_waiting():
        _policy_notify(work)


def policy_notify(request: MergeRequest) -> None:
    """The same for one request."""
    work = policy_work(request)
    if work is not None:
        _policy_notify(work)


def _policy_notify(work: PolicyWork) -> None:
    """One task at a time for a request, and for what failed as it is none again within the hour."""
    tasks = Task.objects.filter(kind=POLICY_KIND, parameters__request=work.request.pk)
    if tasks.exclude(state__in=FINISHED_STATES).exists():
        return
    failed = tasks.filter(parameters__of=work.of).exclude(state=TaskState.SUCCEEDED)
    if failed.filter(finished_at__gt=timezone.now() - POLICY_AGAIN).exists():
        return
    request = work.request
    task_submit(
        kind=POLICY_KIND,
        parameters={"request": request.pk, "number": request.number, "catalog": request.catalog.name, "of": work.of},
        user=User.objects.get(pk=work.user_id),
        catalog_id=request.catalog_id,
    )


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
            queue_notify(request)


def _merge_queued(context: TaskContext, request: MergeRequest) -> dict[str, Any]:
    scopes = None if request.queued_scopes is None else scopes_read(request.queued_scopes)
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
        principal=_principal(request.queued_by, scopes),
        header=header,
        engine=engine,
        progress=context,
        request_port=QueuePort(request.pk, header),
    )


def _principal(user: Any, scopes: Scopes | None = None) -> Principal:
    """Who asked for the merge, with the rights of today: they may have lost some while it waited."""
    return Principal(user.pk, user.get_username(), user.is_superuser, scopes)


def queues_notify() -> None:
    """Notify workers of queues that stand still: the task that would have taken the next was cancelled, or lost."""
    waiting = destinations_waiting()
    if not waiting:
        return
    going = Task.objects.filter(kind=QUEUE_KIND).exclude(state__in=FINISHED_STATES)
    for destination_id in sorted(waiting - set(going.values_list("parameters__destination", flat=True))):
        first = MergeRequest.objects.filter(destination_id=destination_id, state=RequestState.QUEUED)
        request = first.select_related("catalog", "queued_by").order_by("queued_at", "pk").first()
        if request is not None:
            queue_notify(request)


def queue_notify(request: MergeRequest) -> None:
    """Have the queue of the request's target looked at."""
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
        message=request.title,
    )
