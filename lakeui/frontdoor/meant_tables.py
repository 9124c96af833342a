"""A table that is named without its database, where one table of the branch has this name: it is proposed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from catalog_app.engine.types import quoted
from catalog_app.selectors.objects import databases_list, tables_named
from lakeui.common.errors import LakeError
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.frontdoor.statements import is_allowed
from lakeui.sql import statements as sql
from lakeui.sql.lexer import locate
from lakeui.sql.names import DatabaseMissing
from lakeui.sql.positions import table_position
from merge_app.jobs.context import Context

_CREATED = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?table\s+(?:if\s+not\s+exists\s+)?(?:`([^`]+)`|(\w+))", re.IGNORECASE
)
_PLAIN = re.compile(r"[a-z_]\w*", re.IGNORECASE | re.ASCII)


@contextmanager
def tables_proposed(text: str, session: Session) -> Iterator[None]:
    """What is read inside is refused with the table that it may mean, for who may read the catalog."""
    try:
        yield
    except DatabaseMissing as error:
        name = str(error.details["table"])
        database = None if _is_created(text, name) else _only_database(text, session, name)
        if database is not None:
            _propose(error, text, name, database)
        raise


def _is_created(text: str, name: str) -> bool:
    """A table of the name elsewhere is not the one that the statement makes."""
    created = _CREATED.match(text)
    return created is not None and (created[1] or created[2]).casefold() == name.casefold()


def _only_database(text: str, session: Session, name: str) -> str | None:
    if not session.catalog:
        return None
    call = Call(session, Context(), text)
    try:
        is_allowed(call, sql.ShowDatabases())
        databases = databases_list(call.snapshot)
        found = tables_named(call.snapshot, [(each.database_id, name) for each in databases])
    except LakeError:
        # Why the catalog or the branch cannot be read is no part of what is wrong with the text.
        return None
    holding = {table.database_id for table in found.values()}
    return next(each.name for each in databases if each.database_id in holding) if len(holding) == 1 else None


def _propose(error: DatabaseMissing, text: str, name: str, database: str) -> None:
    nearest = f"{database}.{name}"
    error.remedy = f"Did you mean {nearest}? Write {nearest}, or choose the database by USE DATABASE."
    error.details |= {"nearest": nearest, "replacement": f"{_written(database)}.{_written(name)}"}
    error.details |= _place(text, name)


def _place(text: str, name: str) -> dict[str, Any]:
    place = table_position(text, name)
    if place is None:
        return {}
    line, column = locate(text, place[0])
    return {"line": line, "column": column, "near": text[slice(*place)]}


def _written(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quoted(name)
