"""Applying suggestions of a merge request as a task: one UPDATE on its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeui.tasks.statements import statement_run, user_require_active
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles
from merge_app.review.errors import SuggestionOutdated

TASK_KIND = "suggestions"


@handles(TASK_KIND)
def run_suggestions_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side. An UPDATE that meets no row makes no commit: a cell has moved. Another attempt answers what
    the commit of an earlier one says.
    """
    user_require_active(context.user)
    body = statement_run(parameters, user=context.user, scopes=context.scopes, context=context)
    if not body["metrics"].get("rows_updated"):
        raise SuggestionOutdated(
            "A cell has another value than when its change was suggested, or its row is gone. Nothing was written.",
            remedy="Look at the rows as they are now, and suggest anew; where you applied several, apply them singly.",
        )
    return body
