"""Django's PostgreSQL backend, with an error for a missing address and with prepared statements on request."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.postgresql import base
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, TransactionStatus

PREPARE_AFTER = 5
"""Executions on one connection after which a statement is prepared."""


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL, and nothing else."""

    def get_connection_params(self) -> dict[str, Any]:
        """Raises ``ImproperlyConfigured`` that says how to get a database."""
        # None is Django's way to say: the server's own database, to create another from.
        if self.settings_dict["NAME"] == "":
            raise ImproperlyConfigured(
                "There is no database: start everything with `make up` in another terminal, or set DATABASE_URL."
            )
        parameters: dict[str, Any] = super().get_connection_params()
        # Concerns prepared_cursor alone: Django's own cursors bind on the client and prepare nothing.
        parameters["prepare_threshold"] = PREPARE_AFTER
        return parameters

    def begin_with(self: Any, setting: str) -> None:
        """Begin the transaction that Django opened, and set something in it, in one round trip: psycopg sends its own
        BEGIN only where none was sent. What PostgreSQL refuses is raised as by a cursor.
        """
        raw = self.connection.pgconn
        if raw.transaction_status == TransactionStatus.IDLE:
            done = raw.exec_(f"BEGIN; {setting}".encode())
            if done.status in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
                return
            # A second try would only say that the transaction has failed. A lost connection has no transaction.
            if raw.transaction_status == TransactionStatus.INERROR:
                with self.wrap_database_errors:
                    raise error_from_result(done)
        with self.cursor() as cursor:
            cursor.execute(setting)

    def prepared_cursor(self: Any) -> Any:
        """A cursor whose statements PostgreSQL keeps the plans of: for short statements that find few rows by an index
        whatever their parameters are, where planning would cost more than running. A kept plan does not know how long
        an array is.
        """
        cursor_class: Any = base.ServerBindingCursor
        # As before Django's own cursors: a connection that PostgreSQL ended is replaced where a request or task begins.
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            cursor = cursor_class(self.connection)
        return self._prepare_cursor(cursor)
