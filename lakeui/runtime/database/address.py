"""DATABASE_URL as Django's settings want it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def database_settings(url: str) -> dict[str, Any]:
    """The entry of ``DATABASES`` for an address such as ``postgresql://user:secret@host:5432/name?sslmode=require``.

    An empty address gives an entry that any query refuses with a sentence that helps.
    """
    parts = urlsplit(url)
    if url and parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            f"DATABASE_URL must begin with postgresql://, not {parts.scheme}://; lakeui runs on PostgreSQL only."
        )
    if url and not parts.path.strip("/"):
        raise ImproperlyConfigured("DATABASE_URL names no database: write postgresql://user:password@host/NAME.")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", None) or unquote(parts.hostname or "")
    return {
        "ENGINE": "lakeui.runtime.database",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or options.pop("port", "")),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
