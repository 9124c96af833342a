"""Schema definitions by id. A row never changes and no id is given out twice, so a connection reads each once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

from catalog_app.domain.schema import Schema
from catalog_app.selectors.rows import fetch_all, json_value

MOST_COLUMNS = 20_000
"""So many columns a connection keeps. With more it begins anew."""

_kept: WeakKeyDictionary[Any, dict[int, Schema]] = WeakKeyDictionary()
"""By connection of psycopg. A database that was restored, or that lost its last commits, may give out an id again.
Either ends each connection to it.
"""


def definitions_load(definition_ids: Collection[int]) -> dict[int, Schema]:
    """Schema definitions by id."""
    if not definition_ids:
        return {}
    connection.ensure_connection()
    kept = _kept.setdefault(connection.connection, {})
    found = {key: kept[key] for key in definition_ids if key in kept}
    if len(found) < len(definition_ids):
        query = "SELECT id, content FROM catalog_app_schemadefinition WHERE id = ANY(%(ids)s)"
        lacking = [key for key in definition_ids if key not in found]
        read = {row[0]: Schema.from_json(json_value(row[1])) for row in fetch_all(query, {"ids": lacking})}
        if sum(len(schema.columns) for schema in (*kept.values(), *read.values())) > MOST_COLUMNS:
            kept.clear()
        kept.update(read)
        found |= read
    return found
