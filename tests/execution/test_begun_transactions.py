"""A transaction that begins together with a lock: what PostgreSQL refuses of that is raised, and nothing stays open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections, transaction
from psycopg.errors import LockNotAvailable
from psycopg.pq import TransactionStatus

from catalog_app.selectors.rows import transaction_begin

pytestmark = pytest.mark.django_db(transaction=True)
LOCK = "SELECT pg_advisory_xact_lock(4711)"


@pytest.fixture
def holder() -> Iterator[Any]:
    """A connection of somebody else, that holds the lock."""
    other = connections.create_connection(DEFAULT_DB_ALIAS)
    with other.cursor() as cursor:
        cursor.execute(LOCK.replace("_xact", ""))
    yield other
    other.close()


def test_a_refused_lock_is_raised_as_such(holder: Any) -> None:
    """Who works on a task tells failures of the database from others by their class."""
    with pytest.raises(OperationalError) as refused, transaction.atomic():
        transaction_begin(f"SET LOCAL lock_timeout = '20ms'; {LOCK}")
    assert isinstance(refused.value.__cause__, LockNotAvailable)
    assert connection.connection.pgconn.transaction_status == TransactionStatus.IDLE
    holder.close()
    with transaction.atomic():
        transaction_begin(LOCK)
        assert connection.connection.pgconn.transaction_status == TransactionStatus.INTRANS
