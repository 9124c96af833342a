"""The audit record of each attempt at a merge: what it came to, or why it was refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from catalog_app.models import TransactionState
from catalog_app.rules.loader import load_rules
from catalog_app.services.transactions import transaction_close
from lakeui.common.errors import BranchMoved, BranchProtected, InvalidValue, MergeBlocked
from lakeui.common.faults import fault_point
from merge_app.audit.models import MergeAttempt
from merge_app.audit.services import AttemptRecord, attempt_record
from merge_app.execution.apply import Applied
from merge_app.execution.merge_command import MergeCommand, PreparedMerge
from merge_app.execution.outcome import refusal_describe


@contextmanager
def refusal_recorded(prepared: PreparedMerge, command: MergeCommand) -> Iterator[None]:
    """Record that the target's protection refused the attempt, that the merge request did not stand, or that
    others loaded files meanwhile.
    """
    try:
        yield
    except BranchMoved as refusal:
        refusal_record(prepared, command, {"message": refusal.message})
        raise
    except BranchProtected as refusal:
        refusal_record(prepared, command, {"message": refusal.message, "protection": refusal.as_problem()})
        raise
    except MergeBlocked as refusal:
        refusal_record(prepared, command, {"message": refusal.message, "blockers": refusal.details["blockers"]})
        raise


def refusal_record(prepared: PreparedMerge, command: MergeCommand, said: dict[str, Any]) -> None:
    with transaction.atomic():
        if command.request_port is not None:
            command.request_port.hold()
        attempt_of(prepared, command, "refused", {**refusal_describe(prepared.planned), **said})


def refusal_text(prepared: PreparedMerge, command: MergeCommand) -> str:
    count = len(prepared.planned.conflicts)
    what = "A conflict refuses" if count == 1 else f"{count} conflicts refuse"
    if command.transaction_id is not None:
        return f"{what} the transaction: branch {prepared.destination.name} moved since BEGIN. Nothing was written."
    return f"{what} the merge of {prepared.source.name} into {prepared.destination.name}. Neither branch was changed."


def nothing_record(prepared: PreparedMerge, command: MergeCommand) -> MergeAttempt:
    """Record that there was nothing; or there is nothing any more, because another attempt at the same task merged."""
    with transaction.atomic():
        if command.request_port is not None:
            command.request_port.hold()
        done = finished_before(command)
        if done is not None:
            return done
        outcome = "nothing to merge" if command.transaction_id is None else "nothing to do"
        transaction_end(command, None)
        return attempt_of(prepared, command, outcome, refusal_describe(prepared.planned))


def transaction_end(command: MergeCommand, version: int | None) -> None:
    """End the request's transaction together with its commit."""
    identity = command.transaction_id
    if identity is None:
        return
    if not transaction_close(identity=identity, state=TransactionState.COMMITTED, version=version):
        raise InvalidValue("The transaction was ended meanwhile; nothing was written.", remedy="Begin a new one.")
    fault_point("transaction.committing")


def attempt_of(
    prepared: PreparedMerge, command: MergeCommand, outcome: str, body: dict[str, Any], applied: Applied | None = None
) -> MergeAttempt:
    source, destination = prepared.source, prepared.destination
    foreign = source.catalog_id != destination.catalog_id
    # What the plan is made of once more, whatever the branches are called then.
    body = {**body, "branches": {"source": source.pk, "destination": destination.pk}, "rules": load_rules().digest}
    if command.request_port is not None:
        body = {**body, **command.request_port.describe(prepared)}
    if command.decided is not None:
        body = {**body, "resolutions": list(command.decided.described)}
    recorded = attempt_record(
        AttemptRecord(
            catalog_id=destination.catalog_id,
            kind="merge" if command.transaction_id is None else "transaction",
            source=f"{source.catalog.name}.{source.name}" if foreign else source.name,
            destination=destination.name,
            outcome=outcome,
            source_head=source.head_version,
            destination_head=destination.head_version,
            merge_base=prepared.merge_base,
            fingerprint=prepared.planned.fingerprint,
            body=body,
            version=applied.version if applied else None,
            actor_id=command.header.author_id,
            actor_name=command.header.author_name,
            task_id=command.header.task_id,
        )
    )
    if command.request_port is not None:
        command.request_port.settle(recorded)
    return recorded


def finished_before(command: MergeCommand) -> MergeAttempt | None:
    if command.header.task_id is None:
        return None
    return MergeAttempt.objects.filter(task_id=command.header.task_id, outcome=command.done).first()


def merge_result(attempt: MergeAttempt) -> dict[str, Any]:
    """What whoever asked for the merge, or the dry run, gets as the answer."""
    if attempt.outcome == "dry run":
        shown = ("mergeable", "conflicts", "notes", "findings", "plan", "fingerprint")
        return {"merge_id": str(attempt.merge_id), **{name: attempt.body[name] for name in shown}}
    return {
        "merge_id": str(attempt.merge_id),
        "outcome": attempt.outcome,
        "version": attempt.version,
        "fingerprint": attempt.fingerprint,
        "notes": attempt.body.get("notes", []),
        "merged": attempt.body.get("tables", []),
    }
