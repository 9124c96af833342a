"""``ALTER BRANCH .. RESET TO PARENT``: what it discards is counted, recorded and answered with the reset itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import transaction

from catalog_app.services.catalogs import BranchReset, branch_reset
from catalog_app.services.settings import SettingChange
from lakeui.frontdoor.branches.branches import drop_emit
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.settings import setting_recorder
from merge_app.comparison.discarding import Discarded, DiscardedObject, discarded_load

MOST_OBJECTS = 200
"""An answer names so many discarded objects; it counts them all."""
_ROWS = ("rows_inserted", "rows_updated", "rows_deleted")


def reset_branch(call: Call, statement: sql.ResetBranch) -> StatementResult:
    """Without IF HEAD the branch has to be where this statement first saw it: no commit since is discarded."""
    branch = call.named_branch(statement.branch)
    head = branch.head_version if statement.head is None else statement.head
    with transaction.atomic():
        done = branch_reset(branch=branch, head=head, asked=call.asked, record=call.record_bypass)
        discarded = discarded_load(done.before, done.parent)
        if done.is_done:
            _record(call, done, discarded)
            drop_emit(call, branch.catalog, done.after.name, reset_to=done.after.head_version)
    return _answer(call, done, discarded)


def _record(call: Call, done: BranchReset, discarded: Discarded) -> None:
    before = {"branch_id": done.before.pk, "head": done.before.head_version, "commits": discarded.commits}
    after = {"branch_id": done.after.pk, "head": done.after.head_version, "parent": done.parent.name}
    change = SettingChange("reset branch", done.after.name, before, after)
    setting_recorder(call.principal, call.context.task_id)(done.before.catalog, change)


def _answer(call: Call, done: BranchReset, discarded: Discarded) -> StatementResult:
    """A row an object, and the whole as ``reset``. A dry run makes no branch, so it has no id of one."""
    objects = [_shown(item) for item in discarded.objects[:MOST_OBJECTS]]
    reset = {
        "branch": done.after.name,
        "branch_id": None if call.rehearsal is not None and done.is_done else done.after.pk,
        "parent": done.parent.name,
        "head_version": done.after.head_version,
        "is_done": done.is_done,
        "discarded": {
            "branch_id": done.before.pk,
            "head_version": done.before.head_version,
            "commits": discarded.commits,
            "object_count": len(discarded.objects),
            "objects": objects,
        },
    }
    columns = [
        ("object", "string"),
        ("kind", "string"),
        ("operations", "string"),
        *((name, "bigint") for name in _ROWS),
    ]
    rows = [
        [item["object"], item["kind"], ", ".join(item["operations"]), *(item[name] for name in _ROWS)]
        for item in objects
    ]
    return StatementResult(
        columns=columns, rows=rows, row_count=len(rows), version=done.after.head_version, extra={"reset": reset}
    )


def _shown(item: DiscardedObject) -> dict[str, Any]:
    """With the rows and columns of it as a comparison shows them."""
    return {
        "kind": item.kind.value,
        "object": item.name,
        "operations": list(item.operations),
        **asdict(item.brought),
    }
