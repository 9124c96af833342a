"""A connection that PostgreSQL ended between two requests or tasks costs the next one nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, close_old_connections, connection, connections

from catalog_app.selectors.rows import fetch_all

pytestmark = pytest.mark.django_db(transaction=True)


def backend() -> int:
    """The process of PostgreSQL that answers a prepared query, as the first one of a task is."""
    ((found,),) = fetch_all("SELECT pg_backend_pid()", {}, prepared=True)
    return int(found)


def test_the_first_query_replaces_an_ended_connection() -> None:
    before = backend()
    other: Any = connections.create_connection(DEFAULT_DB_ALIAS)
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [before])
        assert cursor.fetchone() == (True,)
    other.close()
    # What Django does before a request, and lakeui before a task.
    close_old_connections()
    assert backend() != before
    connection.close()
