"""A statement becomes a commit: compare and swap on the branch head, or judged against what came in between (P8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import transaction

from catalog_app.domain.operations import Operation
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Commit
from catalog_app.selectors.lineage import Lineage, branch_lineage
from lakeui.common.errors import MergeConflict, NotFound
from merge_app.execution.apply import Applied, CommitHeader, StagedDefinition, plan_apply
from merge_app.execution.keys import EngineSource
from merge_app.execution.load import SourceSide, plan_input_load
from merge_app.execution.reach import reach_load
from merge_app.execution.report import finding_as_json
from merge_app.planning.plan import plan
from merge_app.planning.values import MergePlan


@dataclass(frozen=True, slots=True)
class StagedStatement:
    """What a statement wants to commit, judged on the head that it saw.

    ``seen`` is the branch's chain when the statement took its snapshot. ``databases`` and ``tables`` are the states
    that its operations end in on that snapshot; ``definitions`` the schema version that staged files lie under.
    """

    branch_id: int
    seen: Lineage
    operations: tuple[Operation, ...]
    databases: Mapping[int, DatabaseState] = field(default_factory=dict)
    tables: Mapping[int, TableState] = field(default_factory=dict)
    definitions: Mapping[int, StagedDefinition] = field(default_factory=dict)


def statement_commit(staged: StagedStatement, header: CommitHeader, engine: EngineSource) -> Applied:
    """Commit in one short transaction. Raises MergeConflict with every verdict when the branch moved in a way that
    the rule tables do not allow; then nothing was written. A task that already committed gets its commit back.
    """
    with transaction.atomic():
        branch = branch_lock(staged.branch_id)
        if header.task_id is not None:
            done = Commit.objects.filter(task_id=header.task_id).first()
            if done is not None:
                return Applied(done.pk, done.version)
        planned = statement_plan(staged, branch, engine)
        if planned.conflicts:
            raise conflict_error(planned, f"Branch {branch.name} moved while the statement ran, and they do not fit.")
        return plan_apply(planned, branch=branch, header=header, definitions=staged.definitions)


def branch_lock(branch_id: int) -> Branch:
    """The branch row, locked until the transaction ends: what every commit to the branch waits for."""
    branch = (
        Branch.objects.select_for_update(of=("self",))
        .select_related("catalog")
        .filter(pk=branch_id, dropped_at__isnull=True)
        .first()
    )
    if branch is None:
        raise NotFound("branch", f"with id {branch_id}", where="any more: it was dropped meanwhile")
    return branch


def statement_plan(staged: StagedStatement, branch: Branch, engine: EngineSource) -> MergePlan:
    """The statement redone on the branch as it is now. The other side is what came since the statement's snapshot."""
    side = SourceSide(staged.operations, staged.databases, staged.tables, None, reach_load(staged.seen))
    return plan(plan_input_load(side, branch_lineage(branch), engine=engine))


def conflict_error(planned: MergePlan, message: str) -> MergeConflict:
    """The refusal that carries every conflict (P5)."""
    return MergeConflict(
        message,
        remedy=planned.conflicts[0].remedy,
        conflicts=[finding_as_json(item) for item in planned.conflicts],
        notes=[finding_as_json(item) for item in planned.notes],
    )
