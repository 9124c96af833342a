"""Plain SQL for what the ORM would do in many statements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import connection


def cursor_open(*, prepared: bool) -> Any:
    """A cursor. ``prepared``: PostgreSQL keeps the plans of its statements, which must be good for any parameters."""
    wrapper: Any = connection
    return wrapper.prepared_cursor() if prepared else wrapper.cursor()


def fetch_all(query: str, parameters: Mapping[str, Any], *, prepared: bool = False) -> list[tuple[Any, ...]]:
    """The rows of one query with named parameters."""
    with cursor_open(prepared=prepared) as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def json_value(value: Any) -> Any:
    """A jsonb value. Django's cursors hand it over as text, for its JSONField to decode."""
    # Most of what large reads bring is empty.
    if value == "[]":
        return []
    if value == "{}":
        return {}
    return json.loads(value) if isinstance(value, str) else value
