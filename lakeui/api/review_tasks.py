"""Merging a request as a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeui.common.errors import PermissionDenied
from lakeui.frontdoor.compute import engine
from lakeui.sql.dialect import quote_name
from merge_app.execution.apply import CommitHeader
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles
from merge_app.review.merging import request_merge_run
from merge_app.review.models import MergeRequest

TASK_KIND = "merge request"


@handles(TASK_KIND)
def run_merge_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a merge. The user may have been shut out since submitting it."""
    user = context.user
    if user is None or not user.is_active:
        raise PermissionDenied("The account that asked for this merge is not active.", remedy="Ask an administrator.")
    request = MergeRequest.objects.select_related("source", "destination").get(pk=parameters["request"])
    header = CommitHeader(
        "MERGE BRANCH",
        f"MERGE BRANCH {quote_name(request.source.name)} TO {quote_name(request.destination.name)}"
        f" -- merge request #{request.number}",
        user.pk,
        user.get_username(),
        context.task_id,
        bypass_reason=parameters["bypass_reason"],
    )
    return request_merge_run(request_id=request.pk, header=header, engine=engine, progress=context)
