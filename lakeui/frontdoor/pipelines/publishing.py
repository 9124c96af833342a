"""Write, check, publish: a run writes to a hidden workspace, which is merged when its checks have passed.

The workspace is a transaction's: it is merged by the planner of every merge, and expires where it is abandoned. As
far as the protection of the branch goes, publishing is a merge, as if the run had written to a branch of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog_app.models import Transaction, TransactionState
from catalog_app.services.transactions import transaction_begin, transaction_close
from lakeui.common.counts import counted
from lakeui.common.errors import LakeError
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql import statements as sql
from lakeui.sql.query import build_condition, build_query
from merge_app.execution.merge import merge_run
from merge_app.execution.merge_command import MergeCommand
from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.mistakes import Mistake, refuse
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.errors import CheckFailed

Write = Callable[[Call], StatementResult]

OPERATION = "PUBLISH"
"""How the commit is called in the history."""


def is_checked(configuration: Configuration) -> bool:
    """Whether a run is published only after checks."""
    return configuration.text("publish") == "checked"


def conditions_refuse(configuration: Configuration, target: sql.TableName) -> None:
    """Raise InvalidConfig where a text that should be a condition is none."""
    texts = [("checks", text) for text in configuration.texts("checks")]
    if gone := configuration.text("delete_when"):
        texts.append(("delete_when", gone))
    mistakes = []
    for name, text in texts:
        setting = configuration.settings[name]
        try:
            build_condition(text, target, None)
        except LakeError as error:
            mistakes.append(Mistake(setting.origin, setting.line, f"{text}: {error.message}", error.remedy, name))
    refuse(mistakes)


def publish(call: Call, configuration: Configuration, target: sql.TableName, write: Write) -> StatementResult:
    """Do the write aside, check the table there, and merge it into the branch as one commit. A write that changes
    nothing publishes nothing, so nothing is checked. Raises CheckFailed and MergeConflict; nothing of the write is seen
    then.
    """
    opened = transaction_begin(target=call.branch, user_id=call.session.user_id)
    session = replace(call.session, transaction=str(opened.pk))
    aside = Call(session, call.context, call.text, names_task=False, reads=call.reads)
    try:
        result = write(aside)
        if result.version == opened.workspace.head_version:
            transaction_close(identity=opened.pk, state=TransactionState.ROLLED_BACK)
            return replace(result, version=call.snapshot.version)
        # A call keeps to the snapshot that it first saw; what was written is seen by another.
        checking = Call(session, call.context, call.text)
        call.context.step("check", "what was written")
        _check(checking, configuration.texts("checks"), target)
        call.context.step("publish", f"merge into {call.branch.name}")
        merged = _merge(call, opened)
    # Whatever stopped it, a cancelled task or the planner among it: the workspace must not wait to expire.
    except BaseException:
        transaction_close(identity=opened.pk, state=TransactionState.ROLLED_BACK)
        raise
    return replace(merged, metrics=result.metrics)


def publish_rehearse(call: Call, configuration: Configuration, target: sql.TableName, write: Write) -> StatementResult:
    """What ``publish`` would come to: the table is checked as the write would leave it. Raises CheckFailed."""
    assert call.rehearsal is not None
    call.rehearsal.keeps_tables = True
    result = write(replace(call, publishes=True))
    call.context.step("check", "what would be written")
    checking = Call(call.session, call.context, call.text)
    for scan in call.rehearsal.written.values():
        checking = checking.with_aside(TableAddress(target.database, target.table), scan)
    _check(checking, configuration.texts("checks"), target)
    return result


def _merge(call: Call, opened: Transaction) -> StatementResult:
    header = replace(call.header(OPERATION), publishes=True)
    command = MergeCommand(opened.workspace_id, opened.target_id, header, opened.pk)
    return publish_answer(merge_run(command, engine, call.context))


def publish_answer(result: Mapping[str, Any]) -> StatementResult:
    """What a run answers by what the merge of its workspace came to, but for the metrics."""
    return StatementResult(version=result["version"], extra={"merge_id": result["merge_id"], "notes": result["notes"]})


def _check(call: Call, checks: Sequence[str], target: sql.TableName) -> None:
    """Count the rows of which each condition is not true, all in one pass."""
    if not checks:
        return
    counts = ", ".join(
        f"count(CASE WHEN {build_condition(text, target, None).text} THEN NULL ELSE 1 END) AS c{index}"
        for index, text in enumerate(checks)
    )
    source = query_source(call, build_query(f"SELECT {counts} FROM {TableAddress(target.database, target.table).sql}"))
    with interruptible(call.context):
        (found,) = engine().select(source.text, source.tables, limit=1).rows
    failed = [{"condition": text, "rows": rows} for text, rows in zip(checks, found, strict=True) if rows]
    if failed:
        message = "; ".join(f"{counted(item['rows'], 'row is', 'rows are')} not {item['condition']}" for item in failed)
        raise CheckFailed(f"{message}.", remedy="Mend the source or the check; the table is as it was.", checks=failed)
