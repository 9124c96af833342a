"""Plain SQL for what the ORM would do in many statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

Row = TypeVar("Row", bound=Model)

_decode = json.JSONDecoder().raw_decode


def cursor_open(*, prepared: bool) -> Any:
    """A cursor. ``prepared``: PostgreSQL keeps the plans of its statements, which must be good for any parameters."""
    wrapper: Any = connection
    return wrapper.prepared_cursor() if prepared else wrapper.cursor()


def transaction_begin(setting: str) -> None:
    """Begin the transaction that ``atomic`` opened together with a setting of it, in one round trip instead of two."""
    wrapper: Any = connection
    wrapper.begin_with(setting)


DISK_CAN_WAIT = "CASE WHEN %(alone)s THEN set_config('synchronous_commit', 'off', true) END"
"""In the answer of a statement that only a later commit gives a meaning to: outside of a transaction it does not wait
for the disk. PostgreSQL's log is in order, so no commit is on disk without what it builds on. See ``is_alone``."""


def is_alone() -> dict[str, bool]:
    """The parameter of ``DISK_CAN_WAIT``: within a transaction the setting would be that of the whole transaction."""
    return {"alone": not connection.in_atomic_block}


def fetch_all(query: str, parameters: Mapping[str, Any], *, prepared: bool = False) -> list[tuple[Any, ...]]:
    """The rows of one query with named parameters."""
    with cursor_open(prepared=prepared) as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def array_text(values: Iterable[int | str]) -> str:
    """An array of whole numbers or of plain words as PostgreSQL reads it. psycopg makes a call for each member."""
    return "{" + ",".join(map(str, values)) + "}"


def columns_of(model: type[Model], alias: str) -> str:
    """All columns of a model, in the order that ``fetch_models`` wants them."""
    return ", ".join(f"{alias}.{field.column}" for field in stored_fields(model))


def stored_fields(model: type[Model]) -> Sequence[Any]:
    """The stored fields of a model, in their order."""
    # Django documents the API of `_meta`; only its name looks private.
    return model._meta.concrete_fields  # noqa: SLF001


def fetch_models(model: type[Row], query: str, parameters: Mapping[str, Any]) -> list[Row]:
    """What a prepared query of ``columns_of`` a model finds, for look-ups on the way of every write: Django would
    spend more time on writing such a query than PostgreSQL on answering it. Not for models with a JSONField.
    """
    return [models_of(row, model)[0] for row in fetch_all(query, parameters, prepared=True)]


def models_of(row: Sequence[Any], *models: type[Model]) -> list[Any]:
    """A row of ``columns_of`` several models, one after the other; None for one that the row has nothing of."""
    found, begin = [], 0
    for model in models:
        # Documented, see ``columns_of``. A primary key comes first.
        names = [field.attname for field in stored_fields(model)]
        values = row[begin : begin + len(names)]
        found.append(None if values[0] is None else model.from_db(connection.alias, names, values))
        begin += len(names)
    return found


def json_value(value: Any) -> Any:
    """A jsonb value. Django's cursors hand it over as text, for its JSONField to decode."""
    # Most of what large reads bring is empty.
    if value == "[]":
        return []
    if value == "{}":
        return {}
    return _decode(value)[0] if isinstance(value, str) else value
