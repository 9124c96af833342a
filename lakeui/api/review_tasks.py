"""Merging and checking a request, as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from lakeui import frontdoor
from lakeui.common.errors import PermissionDenied
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.sql.dialect import quote_name
from merge_app.execution.apply import CommitHeader
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles
from merge_app.review.checking import Found, checks_run
from merge_app.review.merging import request_merge_run
from merge_app.review.models import MergeRequest

TASK_KIND = "merge request"
CHECK_KIND = "check merge request"


@handles(TASK_KIND)
def run_merge_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a merge."""
    request = _request(parameters)
    header = _header(context, request, parameters["bypass_reason"])
    return request_merge_run(request_id=request.pk, header=header, engine=engine, progress=context)


@handles(CHECK_KIND)
def run_check_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a run of checks, which read what the user may read."""
    request = _request(parameters)
    header = _header(context, request)

    def ask(query: str, transaction: UUID) -> Found:
        session = frontdoor.Session(
            catalog=request.catalog.name,
            branch=request.destination.name,
            user=context.user,
            transaction=str(transaction),
            scopes=context.scopes,
        )
        with interruptible(context):
            found = frontdoor.execute(query, session)
        return Found(found.columns, found.rows)

    return checks_run(request_id=request.pk, header=header, engine=engine, progress=context, ask=ask)


def _request(parameters: Mapping[str, Any]) -> MergeRequest:
    return MergeRequest.objects.select_related("catalog", "source", "destination").get(pk=parameters["request"])


def _header(context: TaskContext, request: MergeRequest, bypass_reason: str = "") -> CommitHeader:
    """How the work shows in the history. The user may have been shut out since submitting it."""
    user = context.user
    if user is None or not user.is_active:
        raise PermissionDenied("The account that asked for this is not active.", remedy="Ask an administrator.")
    return CommitHeader(
        "MERGE BRANCH",
        f"MERGE BRANCH {quote_name(request.source.name)} TO {quote_name(request.destination.name)}"
        f" -- merge request #{request.number}",
        user.pk,
        user.get_username(),
        context.task_id,
        bypass_reason=bypass_reason,
    )
