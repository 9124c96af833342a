"""Transactions: a workspace cut from a branch, on which statements collect until COMMIT (interfaces §1)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

from django.db import transaction as database
from django.utils import timezone

from catalog_app.domain.roles import Principal
from catalog_app.models import Branch, Transaction, TransactionState
from catalog_app.services.catalogs import branch_cut
from lakeui.common.errors import InvalidValue, NotFound

IDLE_LIMIT = timedelta(hours=1)
"""A transaction that was not used for so long is abandoned and expires."""


def transaction_begin(*, target: Branch, user_id: int | None) -> Transaction:
    """Open a transaction at the target's head: two rows, whatever the branch holds."""
    identity = uuid4()
    workspace = branch_cut(target, name=f"transaction {identity}", user_id=user_id)
    workspace.is_workspace = True
    with database.atomic():
        workspace.save(force_insert=True)
        return Transaction.objects.create(id=identity, workspace=workspace, target=target, started_by_id=user_id)


def transaction_use(*, identity: str, principal: Principal) -> Transaction:
    """The user's open transaction, its idle time begun anew."""
    found = transaction_get(identity=identity, principal=principal)
    still_open = Transaction.objects.filter(pk=found.pk, state=TransactionState.OPEN)
    if found.state == TransactionState.OPEN and found.used_at < timezone.now() - IDLE_LIMIT:
        transactions_expire()
    if not still_open.update(used_at=timezone.now()):
        found.refresh_from_db(fields=["state"])
        raise InvalidValue(
            f"The transaction {identity} is not open any more: it was {found.state}.",
            remedy="Begin a new one with BEGIN; in a session, ROLLBACK first.",
            transaction=identity,
            state=found.state,
        )
    return found


def transaction_get(*, identity: str, principal: Principal) -> Transaction:
    """The transaction of whoever asks, in whatever state. No other session sees it, and no token that is limited to
    other catalogs.
    """
    try:
        wanted = UUID(identity)
    except ValueError:
        raise NotFound("transaction", identity) from None
    found = (
        Transaction.objects.select_related("workspace__catalog", "target__catalog")
        .filter(pk=wanted, started_by_id=principal.user_id)
        .first()
    )
    if found is None or not principal.reaches(found.target.catalog_id):
        raise NotFound("transaction", identity)
    return found


def transaction_close(*, identity: UUID, state: TransactionState, version: int | None = None) -> bool:
    """End an open transaction and drop its workspace; whether it was open."""
    with database.atomic():
        chosen = Transaction.objects.filter(pk=identity, state=TransactionState.OPEN)
        if not chosen.update(state=state, version=version):
            return False
        Branch.objects.filter(pk__in=Transaction.objects.filter(pk=identity).values("workspace")).update(
            dropped_at=timezone.now()
        )
    return True


def transactions_expire() -> int:
    """Close what was abandoned; answers how many."""
    idle = Transaction.objects.filter(state=TransactionState.OPEN, used_at__lt=timezone.now() - IDLE_LIMIT)
    return sum(
        transaction_close(identity=identity, state=TransactionState.EXPIRED)
        for identity in idle.values_list("pk", flat=True)
    )
