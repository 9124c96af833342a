"""From a statement's operations to a commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from catalog_app.domain.operations import Operation
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Commit, CommitOperation
from catalog_app.selectors.lineage import Lineage
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.places import Call
from lakeui.frontdoor.values import StatementResult
from merge_app.audit.selectors import attempt_of_task
from merge_app.execution.apply import StagedDefinition
from merge_app.execution.commit import StagedStatement, statement_commit


def commit_operations(
    call: Call,
    *,
    branch: Branch,
    seen: Lineage,
    operation: str,
    operations: Sequence[Operation | None],
    databases: Mapping[int, DatabaseState] | None = None,
    tables: Mapping[int, TableState] | None = None,
    definitions: Mapping[int, StagedDefinition] | None = None,
    metrics: Mapping[str, int] | None = None,
) -> StatementResult:
    """Commit what there is to do; a statement that changes nothing makes no version."""
    wanted = tuple(item for item in operations if item is not None)
    if not wanted:
        return StatementResult(version=seen.version, metrics=dict(metrics or {}))
    staged = StagedStatement(branch.pk, seen, wanted, databases or {}, tables or {}, definitions or {})
    applied = statement_commit(staged, call.header(operation), engine)
    return StatementResult(version=applied.version, metrics=dict(metrics or {}))


def earlier_commit(call: Call) -> StatementResult | None:
    """What an earlier attempt at the same task committed before its worker died; None in a first attempt. The
    statement must not run again: what it found then is not there any more.
    """
    task_id = call.context.task_id
    if task_id is None or call.context.attempt <= 1:
        return None
    commit = Commit.objects.filter(task_id=task_id).first()
    if commit is None:
        return None
    metrics: Counter[str] = Counter()
    for counted in CommitOperation.objects.filter(commit=commit).values_list("metrics", flat=True):
        metrics.update(counted)
    return StatementResult(version=commit.version, metrics=dict(metrics), extra=attempt_of_task(task_id))
