"""A task that runs again because its worker died: what its earlier attempt did stands, and is answered alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from catalog_app.models import Commit, CommitOperation
from lakeui.frontdoor.branches.branches import merge_answer
from lakeui.frontdoor.branches.transactions import commit_answer
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.pipelines.publishing import publish_answer
from lakeui.frontdoor.tables.maintenance import vacuum_finish
from lakeui.frontdoor.tables.recovery import recovery_answer
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import attempt_of_task, recorded_refusal
from merge_app.execution.attempts import merge_result
from merge_app.execution.commit import BEGIN_AGAIN
from merge_app.execution.restore import recovery_result


def earlier_outcome(call: Call) -> StatementResult | None:
    """What an attempt at the task recorded or committed; None where there is no such thing. The statement must not run
    again then: what it found is not there any more. Raises MergeConflict where that is what was recorded.
    """
    task_id = call.context.task_id
    if task_id is None:
        return None
    attempt = attempt_of_task(task_id)
    if attempt is not None:
        return _recorded(call, attempt)
    commit = Commit.objects.filter(task_id=task_id).first()
    return None if commit is None else _committed(commit)


def _recorded(call: Call, attempt: MergeAttempt) -> StatementResult:
    if attempt.kind == "vacuum":
        return vacuum_finish(attempt.body)
    if attempt.outcome == "refused":
        raise recorded_refusal(attempt, way_out=BEGIN_AGAIN if attempt.kind == "transaction" else "")
    if attempt.kind == "transaction" and call.session.transaction:
        return commit_answer(call, merge_result(attempt))
    if attempt.kind == "transaction":
        # A run of a pipeline that was published: its transaction was its own.
        commit = Commit.objects.get(task_id=call.context.task_id)
        return replace(publish_answer(merge_result(attempt)), metrics=_metrics(commit))
    if attempt.kind == "merge":
        return merge_answer(merge_result(attempt))
    return recovery_answer(recovery_result(attempt))


def _committed(commit: Commit) -> StatementResult:
    return StatementResult(version=commit.version, metrics=_metrics(commit))


def _metrics(commit: Commit) -> dict[str, int]:
    metrics: Counter[str] = Counter()
    for counted in CommitOperation.objects.filter(commit=commit).values_list("metrics", flat=True):
        metrics.update(counted)
    return dict(metrics)
