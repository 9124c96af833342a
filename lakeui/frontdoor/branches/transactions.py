"""BEGIN, COMMIT, ROLLBACK: several statements, several tables, one commit (interfaces §1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from catalog_app.models import Commit, Transaction, TransactionState
from catalog_app.services.transactions import transaction_begin, transaction_close, transaction_get
from lakeui.common.errors import InvalidValue
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.execution.merge import merge_run
from merge_app.execution.merge_command import MergeCommand

LONGEST_STATEMENT = 100_000
"""Characters of a transaction's statements that the history keeps."""


def begin(call: Call, statement: sql.BeginTransaction) -> StatementResult:
    if call.open_transaction is not None:
        raise InvalidValue("A transaction is open already.", remedy="End it by COMMIT or ROLLBACK first.")
    opened = transaction_begin(target=call.branch, user_id=call.session.user_id)
    return StatementResult(version=call.branch.head_version, extra={"transaction": str(opened.pk)})


def commit(call: Call, statement: sql.CommitTransaction) -> StatementResult:
    """Judge and write everything as one version. A refused transaction stays open, so that nothing is lost."""
    opened = call.open_transaction or _named(call)
    header = replace(call.header("TRANSACTION"), statement=_statements(opened))
    command = MergeCommand(opened.workspace_id, opened.target_id, header, opened.pk, account=call.account)
    result = merge_run(command, engine, call.context)
    fault_point("transaction.committed")
    return commit_answer(call, result)


def commit_answer(call: Call, result: dict[str, Any]) -> StatementResult:
    """What a COMMIT answers, by what its merge came to."""
    return StatementResult(version=result["version"], extra={**_outcome(_named(call)), "notes": result["notes"]})


def rollback(call: Call, statement: sql.RollbackTransaction) -> StatementResult:
    """What was rolled back before, or expired, is rolled back."""
    ended = _named(call)
    if ended.state not in (TransactionState.ROLLED_BACK, TransactionState.EXPIRED):
        opened = call.open_transaction
        assert opened is not None
        transaction_close(identity=opened.pk, state=TransactionState.ROLLED_BACK)
        ended.refresh_from_db()
    return StatementResult(extra=_outcome(ended))


def _named(call: Call) -> Transaction:
    if not call.session.transaction:
        raise InvalidValue("No transaction is open.", remedy="BEGIN one and send its id as `transaction`.")
    return transaction_get(identity=call.session.transaction, principal=call.principal)


def _outcome(ended: Transaction) -> dict[str, str]:
    return {"transaction": str(ended.pk), "state": ended.state}


def _statements(opened: Transaction) -> str:
    commits = Commit.objects.filter(branch=opened.workspace_id).order_by("version").values_list("statement", flat=True)
    return "; ".join(["BEGIN", *commits, "COMMIT"])[:LONGEST_STATEMENT]
