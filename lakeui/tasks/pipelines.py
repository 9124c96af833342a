"""Runs of pipelines as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeui import frontdoor
from lakeui.frontdoor.entries.pipeline_runs import run_dry, run_execute
from lakeui.tasks.statements import result_body, user_require_active
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles
from merge_app.pipelines.runs import DRY_RUN_KIND, TASK_KIND, run_begin
from merge_app.pipelines.selectors import pipeline_get


@handles(TASK_KIND)
def run_pipeline_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a run."""
    user_require_active(context.user)
    run = run_begin(context.task_id, parameters)
    session = frontdoor.Session(
        parameters["catalog"],
        parameters["branch"],
        context.user,
        scopes=context.scopes,
        # A run by schedule, and one that was queued before there were messages, has none.
        message=parameters.get("message", ""),
    )
    return result_body(run_execute(run, session=session, context=context))


@handles(DRY_RUN_KIND)
def try_pipeline_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side of a dry run of a run."""
    user_require_active(context.user)
    session = frontdoor.Session(parameters["catalog"], parameters["branch"], context.user, scopes=context.scopes)
    pipeline = pipeline_get(session.principal, parameters["pipeline"])
    return result_body(run_dry(pipeline, parameters["texts"], session=session, context=context))
