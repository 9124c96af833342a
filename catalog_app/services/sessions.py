"""SQL sessions: a place, temporary views, settings and a transaction, kept for one person between statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction as database
from django.db.models import QuerySet
from django.utils import timezone

from catalog_app.models import SqlSession, Transaction, TransactionState
from catalog_app.services.transactions import transaction_close
from lakeui.common.errors import LakeError, NotFound

IDLE_LIMIT = timedelta(hours=24)
"""A session that was not used for so long has ended."""
MOST_OF_A_PERSON = 100


class TooManySessions(LakeError):
    """Details: ``open``, how many sessions the person has."""

    code, status, title = "TOO_MANY_SESSIONS", 429, "Too many SQL sessions"


def sessions_of(user_id: int) -> QuerySet[SqlSession]:
    """Those of the person that have not ended."""
    return SqlSession.objects.filter(owner=user_id, used_at__gte=timezone.now() - IDLE_LIMIT).select_related(
        "transaction"
    )


def session_open(*, user_id: int, catalog: str, branch: str, database_name: str) -> SqlSession:
    """A new session there; "" where none is chosen. Raises TooManySessions. Requests at the same instant may each find
    the last place: the bound is not exact.
    """
    known = sessions_of(user_id).count()
    if known >= MOST_OF_A_PERSON:
        hours = int(IDLE_LIMIT.total_seconds() // 3600)
        raise TooManySessions(
            f"You have {known} SQL sessions; one person may have {MOST_OF_A_PERSON}.",
            remedy="End those that you do not need (DELETE /api/v1/sessions/{id}/)."
            f" One that is not used for {hours} hours ends by itself.",
            open=known,
        )
    return SqlSession.objects.create(owner_id=user_id, catalog=catalog, branch=branch, database=database_name)


def session_get(*, identity: UUID, user_id: int | None) -> SqlSession:
    """The person's session. Those of others cannot be seen."""
    found = None if user_id is None else sessions_of(user_id).filter(pk=identity).first()
    if found is None:
        raise NotFound("session", str(identity), where="of yours: it ended, or was not used for a day")
    return found


def session_use(*, identity: UUID, user_id: int | None) -> SqlSession:
    """The person's session, its idle time begun anew."""
    found = session_get(identity=identity, user_id=user_id)
    found.used_at = timezone.now()
    SqlSession.objects.filter(pk=found.pk).update(used_at=found.used_at)
    return found


@contextmanager
def session_changed(*, identity: UUID, user_id: int | None) -> Iterator[SqlSession]:
    """The session as it is now, to be changed inside: other statements of it wait to change it until this one has."""
    with database.atomic():
        session_get(identity=identity, user_id=user_id)
        found = SqlSession.objects.select_for_update().filter(pk=identity).first()
        if found is None:
            raise NotFound("session", str(identity), where="of yours: it ended just now")
        yield found
        found.save()


def transaction_of(session: SqlSession) -> Transaction | None:
    """The session's transaction: open, or expired and not yet rolled back."""
    kept = session.transaction
    if kept is None or kept.state in (TransactionState.COMMITTED, TransactionState.ROLLED_BACK):
        return None
    return kept


def session_end(session: SqlSession) -> None:
    """End it. A transaction that it holds is rolled back."""
    with database.atomic():
        # Whoever is about to open a transaction in it does so before, or finds it gone.
        held = SqlSession.objects.select_for_update().filter(pk=session.pk).first()
        if held is None:
            return
        if held.transaction_id is not None:
            transaction_close(identity=held.transaction_id, state=TransactionState.ROLLED_BACK)
        held.delete()


def sql_sessions_tidy(now: datetime) -> int:
    """Remove those that ended by themselves. Their transactions expired long before."""
    return SqlSession.objects.filter(used_at__lt=now - IDLE_LIMIT).delete()[0]
