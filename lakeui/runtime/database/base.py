"""Django's PostgreSQL backend; only the error for a missing address is our own."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.postgresql import base


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
        return parameters
