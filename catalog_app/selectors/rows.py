"""Plain SQL for what the ORM would do in many statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import AutoField, Model

Row = TypeVar("Row", bound=Model)

_decode = json.JSONDecoder().raw_decode


def cursor_open(*, prepared: bool) -> Any:
    """A cursor. ``prepared``: PostgreSQL keeps the plans of its statements, which must be good for any parameters."""
    wrapper: Any = connection
    return wrapper.prepared_cursor() if prepared else wrapper.cursor()


def transaction_begin(setting: str) -> None:
    """Begin the transaction that ``atomic`` opened together with a setting of it, or a lock, in one round trip."""
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
    return _described(model).concrete_fields


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


def row_add(made: Model) -> None:
    """Store a new row by a prepared statement, as ``save(force_insert=True)`` does. Not for models whose values the
    database fills in, but for their ids.
    """
    query, fields = _adding(type(made))
    values = {field.column: field.get_db_prep_save(field.pre_save(made, True), connection) for field in fields}
    ((made.pk,),) = fetch_all(query, values, prepared=True)
    # As ``save`` leaves it, so that a later one changes the row. Django documents `_state` and both of its members.
    made._state.adding, made._state.db = False, connection.alias  # noqa: SLF001


@cache
def _adding(model: type[Model]) -> tuple[str, tuple[Any, ...]]:
    """The statement that adds a row of a model, and the fields that it is given."""
    fields = tuple(field for field in stored_fields(model) if not isinstance(field, AutoField))
    values = (
        f"%({field.column})s" + (f"::{field.db_type(connection)}" if isinstance(field, ArrayField) else "")
        for field in fields
    )
    meta = _described(model)
    query = f"INSERT INTO {meta.db_table} ({', '.join(field.column for field in fields)}) VALUES ({', '.join(values)})"
    return f"{query} RETURNING {meta.pk.column}", fields


def _described(model: type[Model]) -> Any:
    """The table, the fields and the primary key of a model."""
    # Django documents the API of `_meta`; only its name looks private.
    return model._meta  # noqa: SLF001


def json_value(value: Any) -> Any:
    """A jsonb value. Django's cursors hand it over as text, for its JSONField to decode."""
    # Most of what large reads bring is empty.
    if value == "[]":
        return []
    if value == "{}":
        return {}
    return _decode(value)[0] if isinstance(value, str) else value
