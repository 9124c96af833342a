"""Running the statements of a script, in a worker: each once, in their order, until one fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction

from catalog_app.domain.roles import Scopes
from catalog_app.models import Commit
from lakeui import frontdoor
from lakeui.common.errors import LakeError
from lakeui.frontdoor.entries.scripts import Script, Step, placed_in_script, script_admit, script_read, step_error
from lakeui.frontdoor.sessions.sql_sessions import session_follow
from lakeui.sql import statements as sql
from lakeui.sql.parameters import Parameters
from lakeui.tasks.statements import bound, result_body, user_require_active
from merge_app.jobs.context import Context, PartContext, TaskContext, part_id
from merge_app.jobs.errors import TaskFinished, TaskSuperseded
from merge_app.jobs.models import SCRIPT_TASK_KIND, Task
from merge_app.jobs.registry import handles
from merge_app.jobs.retrying import prepares_retry
from merge_app.jobs.services import task_part_keep, task_submit

LONGEST_ROWS = 1 << 20
"""Characters of the rows of all results of a script, as JSON. Those of a query that pass it are left out."""

_OF_TRANSACTIONS = (sql.BeginTransaction, sql.CommitTransaction, sql.RollbackTransaction)
"""What a script does in transactions of its own, of which a session knows nothing."""


def script_of(parameters: Mapping[str, Any]) -> Script:
    """The script that a request or task holds; it is kept as ``statement``, as that of every task of SQL."""
    return script_read(
        parameters["statement"],
        bound(parameters),
        one_transaction=parameters.get("one_transaction", False),
        dry_run=parameters.get("dry_run", False),
    )


def script_submit(
    parameters: Mapping[str, Any],
    *,
    user: Any,
    scopes: Scopes | None,
    idempotency_key: str = "",
    request_digest: str = "",
    is_known: bool = False,
) -> Task:
    """Queue the script, read and judged as far as can be. ``is_known``: a task of the key is there, which is answered
    and not judged again. Raises LakeError.
    """
    catalog_id = None
    if not is_known:
        catalog_id = script_admit(script_of(parameters), _session(parameters, user=user, scopes=scopes))
    return task_submit(
        kind=SCRIPT_TASK_KIND,
        parameters=parameters,
        user=user,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        catalog_id=catalog_id,
        scopes=scopes,
    )


def _session(parameters: Mapping[str, Any], *, user: Any, scopes: Scopes | None) -> frontdoor.Session:
    return frontdoor.Session(
        catalog=parameters["catalog"],
        branch=parameters["branch"],
        user=user,
        scopes=scopes,
        bypass_reason=parameters.get("bypass_reason", ""),
    )


@handles(SCRIPT_TASK_KIND)
def run_script_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side. Another attempt continues where the one before ended: what that kept is not done again, and
    the statement that was under way is looked for among the commits.
    """
    user_require_active(context.user)
    kept = Task.objects.filter(pk=context.task_id).values_list("parts", flat=True).first()
    session = _session(parameters, user=context.user, scopes=context.scopes)
    kept_in = None if parameters.get("dry_run") else parameters.get("session")
    return _Run(script_of(parameters), context, session, dict(kept or {}), kept_in=kept_in).run()


@dataclass(slots=True)
class _Run:
    """``done``: the bodies of the statements that ran, by number. ``began``: the number of the statement that began the
    transaction which is open. ``kept_in``: the session that keeps what the statements change of it.
    """

    script: Script
    context: TaskContext
    session: frontdoor.Session
    done: dict[str, Any]
    began: int | None = None
    kept_in: str | None = None

    def run(self) -> dict[str, Any]:
        for step in self.script.steps:
            if str(step.number) not in self.done:
                try:
                    self._do(step)
                except LakeError as error:
                    raise self._failed(step, error) from error
                except (DatabaseError, InterfaceError):
                    # Another attempt may find the transaction and go on.
                    raise
                except Exception:
                    # A fault of ours ends the task too: its transaction must not stay open.
                    self._roll_back()
                    raise
            self._follow(step)
        return self._answer()

    def _do(self, step: Step) -> None:
        self.context.step(f"statement {step.number} of {self.script.count}", " ".join(step.text.split())[:100])
        session = replace(self.session, parameters=step.parameters)
        # Read anew: what was read before has places in the text of the whole script.
        read = frontdoor.parsed(step.text, step.parameters)
        with transaction.atomic() if read.is_unrecorded else nullcontext():
            found = frontdoor.execute(read, session, PartContext(self.context, step.number))
            body = {"number": step.number, "line": step.line, **result_body(found)}
            if self.kept_in is not None and read.is_kept and not isinstance(step.statement, _OF_TRANSACTIONS):
                session_follow(self.kept_in, step.statement, body, self.context.user)
            parts = {**self.done, str(step.number): self._fitting(body)}
            task_part_keep(task_id=self.context.task_id, claim=self.context.claim, parts=parts)
        self.done = parts

    def _fitting(self, body: dict[str, Any]) -> dict[str, Any]:
        used = sum(len(json.dumps(known["rows"], default=str)) for known in self.done.values())
        if used + len(json.dumps(body["rows"], default=str)) <= LONGEST_ROWS:
            return body
        return {**body, "rows": [], "truncated": True}

    def _follow(self, step: Step) -> None:
        """Have the statements behind this one run where it says."""
        body = self.done[str(step.number)]
        if isinstance(step.statement, sql.BeginTransaction):
            self.session, self.began = replace(self.session, transaction=body["transaction"]), step.number
        elif isinstance(step.statement, _OF_TRANSACTIONS):
            self.session, self.began = replace(self.session, transaction=None), None
        elif isinstance(step.statement, sql.UseCatalog | sql.UseBranch | sql.UseDatabase):
            self.session = replace(self.session, catalog=body["catalog"], branch=body["branch"])

    def _failed(self, step: Step, error: LakeError) -> LakeError:
        """The error that ends the script, which says what stands. An open transaction is rolled back."""
        if isinstance(error, TaskSuperseded):
            return error
        # The engine, interrupted, fails with an error of its own.
        reason = self.context.stopped_by or error
        if isinstance(reason, TaskSuperseded):
            return reason
        began = self.began
        self._roll_back()
        results = [body for body in self._results() if began is None or body["number"] < began]
        step_error(placed_in_script(reason, step), step, self.script.count)
        reason.message += " " + _standing([body["number"] for body in results], is_rolled_back=began is not None)
        reason.args = (reason.message,)
        reason.details["script"] |= {"standing": [body["number"] for body in results], "results": results}
        return reason

    def _roll_back(self) -> None:
        if self.began is not None:
            frontdoor.execute("ROLLBACK", replace(self.session, parameters=Parameters()), Context())
            self.began = None

    def _results(self) -> list[dict[str, Any]]:
        framing = {str(step.number) for step in self.script.steps if step.is_framing}
        bodies = (body for number, body in self.done.items() if number not in framing)
        return sorted(bodies, key=lambda body: int(body["number"]))

    def _answer(self) -> dict[str, Any]:
        last = self.script.steps[-1]
        end = self.done[str(last.number)]
        answer = {"results": self._results(), "version": end["version"]}
        if last.is_framing:
            answer |= {name: end[name] for name in ("transaction", "state", "notes") if name in end}
        return answer


def _standing(numbers: list[int], *, is_rolled_back: bool) -> str:
    undone = "Its transaction is rolled back." if is_rolled_back else "The statements behind it did not run."
    if not numbers:
        return f"{undone} Nothing of the script stands."
    if len(numbers) == 1:
        return f"{undone} Statement {numbers[0]} stands."
    return f"{undone} Statements {numbers[0]} to {numbers[-1]} stand."


def _retry_check(task: Task) -> None:
    """Raises TaskFinished where something of the script stands: it would be done twice."""
    parameters, failed = task.parameters, task.retry_of
    assert failed is not None
    script = script_of(parameters)
    if parameters.get("one_transaction"):
        names = [part_id(failed.pk, script.steps[-1].number)]
        stands = False
    else:
        names = [part_id(failed.pk, step.number) for step in script.steps]
        stands = bool(failed.parts)
    if stands or Commit.objects.filter(task_id__in=names).exists():
        raise TaskFinished(
            "Statements of the script stand, and would be done twice.",
            remedy="Send those that are left as a new script.",
            state=failed.state,
            version=None,
        )


prepares_retry(SCRIPT_TASK_KIND, _retry_check)
